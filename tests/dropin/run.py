#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program under mpiexec with the drop-in in front of its MPI, once for each scenario, and reads its report.

    run.py NAME -n RANKS --dropin LIBRARY --mpiexec PATH [--preload LIBRARY]... [--only SCENARIO] -- program args...
"""
import argparse, json, os, pathlib, subprocess, sys, tempfile

MPIRUN = pathlib.Path(__file__).resolve().parent.parent / "mpirun"
REDUCTIONS = {"allreduce", "reduce", "reduce_scatter", "reduce_scatter_block"}
MOVEMENT = {"bcast", "allgather", "allgatherv", "scatter", "scatterv", "gather", "gatherv", "alltoall", "alltoallv"}


class Scenario:
    """Settings, the program's arguments, and the operations that have to be compressed with more than one rank."""

    def __init__(self, name, settings, args, compressed=(), preload=True, check=None, code=0):
        self.name, self.settings, self.args, self.compressed = name, settings, args, set(compressed)
        self.preload, self.check, self.code = preload, check, code


BOUND = {"LACONIC_BOUND": "abs:1e-3", "LACONIC_MIN_BYTES": "1000"}
ALL = {**BOUND, "LACONIC_INCLUDE": "movement"}
WITHOUT = Scenario("without", {}, ["exact"], preload=False)
NO_BOUND = Scenario("no bound", {}, ["exact"])
EXCLUDED = Scenario("all excluded", {**ALL, "LACONIC_EXCLUDE": "all"}, ["exact"])

SCENARIOS = {
    "collectives": [
        WITHOUT, NO_BOUND, EXCLUDED,
        Scenario("reductions", BOUND, ["within", "1e-3"], REDUCTIONS),
        Scenario("everything", ALL, ["within", "1e-3", "all"], REDUCTIONS | MOVEMENT),
        Scenario("lossless", {"LACONIC_BOUND": "lossless", "LACONIC_MIN_BYTES": "1", "LACONIC_INCLUDE": "movement"},
                 ["exact"], REDUCTIONS | MOVEMENT),
        Scenario("audit", {**ALL, "LACONIC_AUDIT": "3"}, ["within", "1e-3", "all"], REDUCTIONS | MOVEMENT),
        Scenario("audit that keeps plain results", {**ALL, "LACONIC_AUDIT": "1:plain"}, ["exact"], REDUCTIONS | MOVEMENT),
    ],
    "requests": [
        WITHOUT, NO_BOUND, EXCLUDED,
        Scenario("reductions", BOUND, ["within", "1e-3"], {"allreduce"}),
        Scenario("from threads", BOUND, ["within", "1e-3", "threads"], {"allreduce"}),
        Scenario("lossless", {"LACONIC_BOUND": "lossless", "LACONIC_MIN_BYTES": "1", "LACONIC_INCLUDE": "movement"},
                 ["exact"], {"allreduce", "allgather", "bcast"}),
        Scenario("nothing but blocking calls", {**BOUND, "LACONIC_EXCLUDE": "nonblocking,persistent"}, ["exact"]),
    ],
}


def run(args, scenario, folder):
    report = folder / "report.json"
    env = {name: value for name, value in os.environ.items() if not name.startswith("LACONIC_")}
    command = [sys.executable, str(MPIRUN), "--mpiexec", args.mpiexec, "--timeout", "100"]
    for library in ([args.dropin] if scenario.preload else []) + args.preload:
        command += ["--preload", library]
    env.update(scenario.settings)
    if scenario.preload and scenario.settings and "LACONIC_REPORT" not in env:
        env["LACONIC_REPORT"] = f"json:{report}"
    done = subprocess.run(command + ["-n", str(args.n), "--"] + args.program + scenario.args, env=env,
                          capture_output=True, text=True, timeout=130)
    said = done.stdout + done.stderr
    problems = []
    if (done.returncode == 0) != (scenario.code == 0):
        problems.append(f"exit code {done.returncode}")
    entries = json.loads(report.read_text())["operations"] if report.exists() else []
    compressed = {entry["operation"] for entry in entries if entry["compressed"] > 0}
    if args.n > 1 and not scenario.compressed <= compressed:
        problems.append("not compressed: " + ", ".join(sorted(scenario.compressed - compressed)))
    if not scenario.compressed and compressed:
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
        if args.only in (None, scenario.name):
            with tempfile.TemporaryDirectory() as folder:
                good = run(args, scenario, pathlib.Path(folder)) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
