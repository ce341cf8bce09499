#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the random programs of handles in one mode or in all: plain, or with the drop-in in front of their MPI and settings.

    run.py [--mode MODE]... --dropin LIBRARY --mpiexec PATH [--preload LIBRARY]... [--timeout SECONDS] -n N -- program args...
"""
import argparse, os, pathlib, subprocess, sys

MPIRUN = pathlib.Path(__file__).resolve().parents[2] / "mpirun"
EVERYTHING = {"LACONIC_INCLUDE": "all", "LACONIC_MIN_BYTES": "1", "LACONIC_P2P": "1"}
BOUND = "1e-4"
BOUNDED = {**EVERYTHING, "LACONIC_BOUND": f"abs:{BOUND}"}

# The settings, and the bound on what the program gets. PLAIN is the program without the drop-in, which checks the program.
PLAIN = "plain"
MODES = {
    PLAIN: ({}, "0"),
    "nothing": ({}, "0"),  # the drop-in alone
    "lossless": ({**EVERYTHING, "LACONIC_BOUND": "lossless"}, "0"),
    "bound": (BOUNDED, BOUND),
    "dense": ({**BOUNDED, "LACONIC_CODEC": "dense"}, BOUND),
    "audit": ({**BOUNDED, "LACONIC_AUDIT": "3"}, BOUND),
    "tuned": ({**BOUNDED, "LACONIC_TUNE": "on"}, BOUND),
}


def environment(mode, outer):
    """The variables of a job: those of the mode and no other of Laconic's. tests/mpirun turns the tuner off where none says so."""
    return {**{name: value for name, value in outer.items() if not name.startswith("LACONIC_")}, **MODES[mode][0]}


def command(mode, mpiexec, preload, dropin, ranks, timeout, program):
    words = [sys.executable, str(MPIRUN), "--mpiexec", str(mpiexec), "--timeout", str(timeout), "-n", str(ranks)]
    for library in ([] if mode == PLAIN else [dropin]) + list(preload):
        words += ["--preload", str(library)]
    return [*words, "--", *map(str, program), "--bound", MODES[mode][1]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mode", action="append", choices=MODES)
    parser.add_argument("--dropin", required=True)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--preload", action="append", default=[])
    parser.add_argument("--timeout", type=int, default=60)
    parser.add_argument("-n", type=int, required=True)
    parser.add_argument("program", nargs="+")
    args = parser.parse_args()
    failed = []
    for mode in args.mode or MODES:
        label = ["--label", f"--only handles --mode {mode}"]
        job = command(mode, args.mpiexec, args.preload, args.dropin, args.n, args.timeout, args.program + label)
        if subprocess.run(job, env=environment(mode, os.environ), timeout=args.timeout + 30).returncode != 0:
            failed.append(mode)
    print(f"handles, {args.n} ranks: " + (f"failed: {', '.join(failed)}" if failed else "ok"), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
