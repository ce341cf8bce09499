#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program under mpiexec with the drop-in in front of its MPI, once for each scenario, and reads its report.

    run.py NAME -n RANKS --dropin LIBRARY --mpiexec PATH [--preload LIBRARY]... [--only SCENARIO] -- program args...
"""
import argparse, json, os, pathlib, subprocess, sys, tempfile

from scenarios import SCENARIOS

MPIRUN = pathlib.Path(__file__).resolve().parent.parent / "mpirun"
ALL_SCENARIOS = (1, 3)  # ranks
NO_REPORT = {"operations": [], "classes": [], "never_compressed": [], "coverage": {"bytes": 0, "compressed": 0, "plain": []}}


class Entries(list):
    """The operations of a report, and as attributes its other parts; of a profile it alone."""

    def __init__(self, report):
        super().__init__(report.get("operations", []))
        if "operations" not in report:
            self.profile = report
            return
        self.classes = report["classes"]
        self.never_compressed = report["never_compressed"]
        self.coverage = report["coverage"]


def mpi_of(library):
    """The C library of the MPI that the drop-in was built for."""
    said = subprocess.run(["ldd", library], capture_output=True, text=True, timeout=60).stdout
    lines = [line.split() for line in said.splitlines() if "libmpi" in line and "=>" in line]
    return next(line[2] for line in lines if line[0].startswith(("libmpi.so", "libmpich.so")))


def for_mpi4py(args):
    """Its wheel holds a module for each of two MPIs, and would take the first library that it finds."""
    library = mpi_of(args.dropin)
    if "libmpich.so" in library:
        print("skipped: mpi4py's wheel does not know Debian's MPICH")
        sys.exit(77)
    if "libmpi.so.40" in library:
        return {"MPI4PY_MPIABI": "openmpi"}
    return {"MPI4PY_MPIABI": "mpich", "LD_LIBRARY_PATH": os.path.dirname(library)}


def run(args, scenario, folder):
    report = folder / "report.json"
    env = {name: value for name, value in os.environ.items() if not name.startswith("LACONIC_")}
    command = [sys.executable, str(MPIRUN), "--mpiexec", args.mpiexec, "--timeout", "100"]
    for library in ([args.dropin] if scenario.preload else []) + args.preload:
        command += ["--preload", library]
    env.update(scenario.settings)
    if args.name == "mpi4py":
        env.update(for_mpi4py(args))
    if scenario.preload and scenario.settings and "LACONIC_REPORT" not in env:
        env["LACONIC_REPORT"] = f"json:{report}"
    page = folder / "report.html"
    for kind, path in ("json:", report), ("html:", page):
        if env.get("LACONIC_REPORT", "").endswith(kind):
            env["LACONIC_REPORT"] += str(path)
    program = args.program
    other = env.pop("TEST_DIFFER", None)
    if other is not None:  # for the last rank
        last = f'[ "${{PMI_RANK:-$OMPI_COMM_WORLD_RANK}}" = {args.n - 1} ] && exec env {other} "$@"; exec "$@"'
        program = ["sh", "-c", last, "sh"] + program
    done = subprocess.run(command + ["-n", str(args.n), "--"] + program + scenario.args, env=env,
                          capture_output=True, text=True, timeout=130)
    said = done.stdout + done.stderr
    if "skipped: " in done.stdout:
        print(done.stdout)
        sys.exit(77)
    problems = []
    if scenario.code is not None and (done.returncode == 0) != (scenario.code == 0):
        problems.append(f"exit code {done.returncode}")
    entries = Entries(json.loads(report.read_text()) if report.exists() else NO_REPORT)
    entries.page = page.read_text() if page.exists() else ""
    compressed = {entry["operation"] for entry in entries if entry["compressed"] > 0}
    if args.n > 1 and not (scenario.compressed or set()) <= compressed:
        problems.append("not compressed: " + ", ".join(sorted(scenario.compressed - compressed)))
    if scenario.compressed == set() and compressed:
        problems.append("compressed, but should not be: " + ", ".join(sorted(compressed)))
    if scenario.check:
        problems += scenario.check(args, said, entries)
    print(f"{args.name}, {args.n} ranks, {scenario.name}: " + ("; ".join(problems) if problems else "ok"), flush=True)
    if problems:
        print(said, flush=True)
    return not problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("name", choices=sorted(SCENARIOS))
    parser.add_argument("-n", type=int, required=True)
    parser.add_argument("--dropin", required=True)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--preload", action="append", default=[])
    parser.add_argument("--only")
    parser.add_argument("program", nargs="+")
    args = parser.parse_args()
    good = True
    for scenario in SCENARIOS[args.name]:
        if args.only == scenario.name or (args.only is None and (scenario.always or args.n in ALL_SCENARIOS)):
            with tempfile.TemporaryDirectory() as folder:
                good = run(args, scenario, pathlib.Path(folder)) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
