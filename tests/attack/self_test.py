#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether the random attack finds faults that are planted, and ends cases that hang."""
import argparse, pathlib, subprocess, sys

MPIRUN = pathlib.Path(__file__).resolve().parents[1] / "mpirun"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpiexec", default="mpiexec")
    parser.add_argument("--preload", action="append", default=[])
    parser.add_argument("-n", type=int, default=3)
    parser.add_argument("--plants", type=int, default=8, help="kinds of faults that the program plants")
    parser.add_argument("program")
    args = parser.parse_args()
    start = [sys.executable, MPIRUN, "--mpiexec", args.mpiexec]
    for library in args.preload:
        start += ["--preload", library]

    def run(limit, *words):
        done = subprocess.run([*start, "--timeout", str(limit), "-n", str(args.n), "--", args.program, *words],
                              capture_output=True, text=True, errors="replace", timeout=limit + 20)
        said = done.stdout + done.stderr
        print(said)
        return done.returncode, said

    code, said = run(100, "--self-test")
    good = code == 0 and said.count("planted") >= args.plants
    code, said = run(40, "--plant", "hang", "--watchdog", "5", "--seed", "7")
    good = good and code != 0 and "STUCK" in said and "./dev attack --seed 7 --case 0 --ranks" in said
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
