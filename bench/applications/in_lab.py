# SPDX-License-Identifier: BSD-3-Clause
"""Times of whole programs in the network lab: plain and with the profile's suggestion, in turns."""
import json, os, pathlib, re, shlex, statistics, sys

import jobs

sys.path.insert(0, str(jobs.ROOT / "bench" / "lab"))
import lab  # noqa: E402

SECONDS = re.compile(r"^laconic-seconds ([\d.]+)$", re.M)
# Every rank times the program; what the lab preloads stays behind the drop-in.
TIMED = ('TIMEFORMAT="laconic-seconds %R"; before=$1; shift; '
         'time env LD_PRELOAD="$before $LD_PRELOAD" "$@"')


def seconds_of(said):
    """The time of the slowest rank."""
    found = [float(text) for text in SECONDS.findall(said)]
    if not found:
        raise jobs.Wrong(f"no rank has said its time\n{said[-2000:]}")
    return max(found)


def seconds_in_mpi(profile):
    return sum(one["seconds"] for one in profile["calls"]) + profile["waiting_seconds"]


def once(program, site, folder, build, rate, library="", variables=()):
    words = ["bash", "-c", TIMED, "timed", str(library), *(str(word) for word in program.command())]
    here = os.getcwd()
    os.chdir(folder)
    try:
        done = lab.run(words, ranks=site.ranks, rate=rate, mpiexec=site.mpiexec, build=str(build), timeout=jobs.LIMIT,
                       env=["OMP_NUM_THREADS=1", *(f"{name}={value}" for name, value in program.environment.items()), *variables])
    finally:
        os.chdir(here)
    if done.returncode != 0:
        raise jobs.Wrong(f"{program.name} in the lab: exit code {done.returncode}\n{(done.stdout + done.stderr)[-3000:]}")
    return seconds_of(done.stdout + done.stderr)


def measure(program, site, folder, build, rate, rounds):
    library = build / "dropin" / "liblaconic-mpi.so"
    jobs.prepared(program, folder / "lab")
    found = jobs.profile(program, site, folder / "profile").report["suggestion"]
    if not found:
        print("   the profile suggests nothing")
        return
    kinds = {"plain": ("", ()), "suggested": (library, shlex.split(found["variables"]))}
    times = {kind: [] for kind in kinds}
    for _ in range(rounds):
        for kind, (before, variables) in kinds.items():
            times[kind].append(once(program, site, folder / "lab", build, rate, before, variables))
    # With a profile, one more plain run says how long the ranks are in calls that carry data, and wait for them. The times
    # of kinds of calls are each those of the rank with most.
    report = pathlib.Path(folder) / "lab" / "times.json"
    once(program, site, folder / "lab", build, rate, library, [f"LACONIC_REPORT=profile:json:{report}"])
    inside = seconds_in_mpi(json.loads(report.read_text()))
    plain, fast = (statistics.median(times[kind]) for kind in ("plain", "suggested"))
    print(f"   {rate}, {rounds} rounds: plain {plain:.2f} s ({min(times['plain']):.2f} - {max(times['plain']):.2f}), of which "
          f"at most {inside:.2f} s in calls that carry data; {found['variables']}: {fast:.2f} s ({min(times['suggested']):.2f} - "
          f"{max(times['suggested']):.2f}), so {inside - plain + fast:.2f} s in calls if the rest takes as long as before; "
          f"plain / suggested {plain / fast:.2f}", flush=True)
