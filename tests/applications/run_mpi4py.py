# SPDX-License-Identifier: BSD-3-Clause
"""Runs mpi4py's own test suite without the drop-in and with it, and compares what became of every test.

    run_mpi4py.py --suite FOLDER --dropin LIBRARY --mpiexec PATH [--preload LIBRARY]... [-n RANKS]... [--whole RANKS]
                  [--settings NAME]... [--keep FOLDER] [--limit SECONDS]

A test that fails without the drop-in may fail with it. Others may not, and numbers may be rounded in those tests only
that mpi4py_differences.json names. Exit code 0: nothing else was found; 77: there is no mpi4py for this MPI.
"""
import argparse, collections, fnmatch, json, os, pathlib, subprocess, sys, tempfile, time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "dropin"))
from run import for_mpi4py, mpi_of  # noqa: E402
from scenarios import MOVEMENT, REDUCTIONS  # noqa: E402

DIFFERENCES = json.loads((HERE / "mpi4py_differences.json").read_text())
EVERYTHING = {"LACONIC_MIN_BYTES": "1", "LACONIC_INCLUDE": "all,all+type:integer", "LACONIC_P2P": "1"}
SETTINGS = {
    "plain": None,
    "no bound": {},
    "lossless": {"LACONIC_BOUND": "lossless", **EVERYTHING},
    "rel:1e-6": {"LACONIC_BOUND": "rel:1e-6", **EVERYTHING},
}
# The suite gives calls numbers from -1 to 9, a range of 10; what is left is for the rounding of sums in single precision.
WITHIN = {"rel:1e-6": 1.1e-5}


class Job:
    """What became of the tests on the ranks of one job."""

    def __init__(self, folder, ranks, code, seconds):
        self.code, self.seconds, self.finished, self.largest = code, seconds, True, 0.0
        self.outcomes = collections.defaultdict(set)  # of all ranks
        self.said, self.last, self.peak = {}, [], 0
        for rank in range(ranks):
            self.read(folder / f"rank-{rank}.jsonl", rank)
        report = folder / "report.json"
        self.operations = json.loads(report.read_text())["operations"] if report.exists() else None

    def read(self, path, rank):
        lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        for line in lines:
            if "outcome" in line:
                self.outcomes[line["outcome"]].add(line["test"])
                self.said.setdefault(line["test"], line["said"])
                self.largest = max(self.largest, line["off"])
        if lines and "ran" in lines[-1]:
            self.peak = max(self.peak, lines[-1].get("peak_megabytes", 0))
        else:
            self.finished = False
            self.last.append(f"rank {rank} ended in " + (lines[-1].get("begin") or lines[-1]["test"] if lines else "its start"))

    def compressed(self):
        return {entry["operation"]: entry["compressed"] for entry in self.operations or () if entry["compressed"] > 0}


def left_out(mpi, whole):
    """Arguments of the suite: modules by -e, single tests by -x."""
    rows = [row for row in DIFFERENCES["left_out"] if row["mpi"] in ("any", mpi) and not (whole and row["mpi"] == "any")]
    names = [name for row in rows for name in row["tests"]]
    return [word for name in names for word in (("-x", name) if "." in name else ("-e", f"^{name}\\.py$"))]


def listed(test):
    return any(fnmatch.fnmatchcase(test, pattern) for row in DIFFERENCES["rounded"] for pattern in row["tests"])


def run(args, name, ranks, whole, folder):
    command = [sys.executable, str(HERE.parent / "mpirun"), "--mpiexec", args.mpiexec, "--timeout", str(args.limit)]
    for library in ([args.dropin] if SETTINGS[name] is not None else []) + args.preload:
        command += ["--preload", library]
    env = {key: value for key, value in os.environ.items() if not key.startswith("LACONIC_")}
    env.update(for_mpi4py(args))
    if SETTINGS[name]:
        env.update(SETTINGS[name], LACONIC_REPORT=f"json:{folder / 'report.json'}")
    command += ["-n", str(ranks), "--", sys.executable, str(HERE / "mpi4py_suite.py"), args.suite, str(folder),
                str(args.limit - 10), "--within", str(WITHIN.get(name, 0.0)), *left_out(args.mpi, whole)]
    begin = time.monotonic()
    with open(folder / "said", "w") as said:
        done = subprocess.run(command, env=env, stdout=said, stderr=subprocess.STDOUT, timeout=args.limit + 30)
    return Job(folder, ranks, done.returncode, time.monotonic() - begin)


def problems_of(job, plain, name, ranks, folder):
    """What no list excuses."""
    found = []
    if not job.finished:
        found += job.last
    if job.code != 0:
        found.append(f"exit code {job.code}: {(folder / 'said').read_text(errors='replace')[-3000:]}")
    for test in sorted(job.outcomes["failed"] - plain.outcomes["failed"]):
        found.append(f"fails: {test}\n{job.said[test]}")
    found += [f"rounded, and not listed: {test}" for test in sorted(job.outcomes["rounded"]) if not listed(test)]
    if job.finished and plain.finished:
        ran = set().union(*job.outcomes.values())
        found += [f"not run: {test}" for test in sorted(set().union(*plain.outcomes.values()) - ran)]
    untouched = (REDUCTIONS | MOVEMENT) - set(job.compressed())
    if ranks > 1 and job.finished and SETTINGS[name] and untouched:
        found.append("not compressed: " + ", ".join(sorted(untouched)))
    return found


def line_of(args, name, ranks, job, plain):
    calls = sum(job.compressed().values())
    return (f"{args.mpi:8} {ranks:5}  {name:9} {len(set().union(*job.outcomes.values())):6} "
            f"{len(job.outcomes['failed'] & plain.outcomes['failed']):11} "
            f"{len(job.outcomes['failed'] - plain.outcomes['failed']):10} {len(job.outcomes['rounded']):8} "
            f"{job.largest:8.1e} {calls:10} {job.peak:8} {job.seconds:6.0f}")


def run_settings(args, ranks, whole, folder):
    plain, good = None, True
    for name in args.settings:
        place = folder / f"{args.mpi}-{ranks}-{name.replace(' ', '-').replace(':', '-')}"
        place.mkdir(parents=True)
        job = run(args, name, ranks, whole, place)
        if SETTINGS[name] is None and not job.finished:
            print("    without the drop-in: " + "; ".join(job.last) + "; once more", flush=True)
            job = run(args, name, ranks, whole, place)
        plain = plain or job
        print(line_of(args, name, ranks, job, plain), flush=True)
        for problem in problems_of(job, plain, name, ranks, place):
            print(f"    {problem}", flush=True)
            good = False
    return good


HEADER = "MPI      ranks  settings   tests  fails plain  fails here  rounded  largest compressed  peak MB      s"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--suite", required=True, help="the folder test/ of mpi4py's sources")
    parser.add_argument("--dropin", required=True)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--preload", action="append", default=[])
    parser.add_argument("-n", type=int, action="append", default=[], help="ranks, for the tests that communicate")
    parser.add_argument("--whole", type=int, action="append", default=[], help="ranks, for all tests")
    parser.add_argument("--settings", action="append", default=[], choices=list(SETTINGS))
    parser.add_argument("--keep", help="a folder for what was recorded")
    parser.add_argument("--limit", type=int, default=900, help="seconds that a job may take")
    args = parser.parse_args()
    args.settings = ["plain"] + [name for name in args.settings or SETTINGS if name != "plain"]
    for_mpi4py(args)
    args.mpi = "openmpi" if "libmpi.so.40" in mpi_of(args.dropin) else "mpich"
    print(HEADER, flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(args.keep or scratch)
        good = [run_settings(args, ranks, ranks in args.whole, folder) for ranks in args.whole + args.n]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
