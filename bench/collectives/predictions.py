#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The model's predictions against measurements: runs `laconic tune` on several networks and compares.

For every network and number of ranks: the factor by which the predicted time of a compressed collective differs from
the measured one, over all collectives and sizes, and how many of them are faster compressed.  Once predicted from the
plain time and the speed of the codec alone, and once from the other classes of the profile as well.  The profiles stay in
--out, beside the table.
"""
import argparse, os, re, subprocess, sys

BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(BENCH, "lab"))
import lab  # noqa: E402

FACTORS = r"by a factor of ([0-9.]+) \(median\), ([0-9.]+) \(9 of 10\), ([0-9.]+) \(most\)"
LINES = [re.compile(words + ".*" + FACTORS) for words in ("differ", "from the other classes")]


def measure(a, network, ranks, field):
    profile = os.path.join(os.path.abspath(a.out), "%s-%d-%s.profile" % (network, ranks, field))
    program = [os.path.abspath(a.program), "tune", profile, "--field", field, "--bytes", a.sizes, "--iterations",
               str(a.iterations)]
    if network == "shm":  # without the library that lets ranks wait: shared memory has nothing to wait on
        done = subprocess.run([a.mpiexec or "mpiexec", "-n", str(ranks), *program], capture_output=True, text=True,
                              env={**os.environ, "MPIR_CVAR_ENABLE_GPU": "0"}, timeout=a.timeout)
    else:
        done = lab.run(program, ranks, network, None, a.mpiexec, a.build, [], a.timeout)
    found = [line.search(done.stdout) for line in LINES]
    if None in found:
        return None, (done.stderr or done.stdout).strip()[-300:]
    with open(profile) as f:
        classes = [line.split() for line in f if line.startswith("class ")]
    faster = sum(float(c[-1]) < float(c[3]) for c in classes)
    return [len(classes), faster, *(float(factor) for one in found for factor in one.groups())], ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default="build/mpich/cli/laconic")
    parser.add_argument("--build", default="build/mpich")
    parser.add_argument("--mpiexec")
    parser.add_argument("--network", default="shm,10gbit,1gbit,100mbit")
    parser.add_argument("--ranks", default="2,4,8")
    parser.add_argument("--field", default="wave,noise")
    parser.add_argument("--sizes", default="16K,64K,256K,1M,4M")
    parser.add_argument("--iterations", type=int, default=5)
    parser.add_argument("--timeout", type=float, default=600)
    parser.add_argument("--out", default="bench/results/local/predictions")
    a = parser.parse_args()
    os.makedirs(a.out, exist_ok=True)
    rows = ["| network | ranks | field | classes | faster compressed | median | 9 of 10 | most "
            "| from the other classes: median | 9 of 10 | most |", "|---|---|---|---|---|---|---|---|---|---|---|"]
    print("\n".join(rows), flush=True)
    for network in a.network.split(","):
        for ranks in map(int, a.ranks.split(",")):
            for field in a.field.split(","):
                figures, problem = measure(a, network, ranks, field)
                rows.append("| %s | %d | %s | %s |" % (network, ranks, field, "%d | %d | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f" % tuple(figures)
                                                       if figures else "failed: " + problem + " | | | | | | |"))
                print(rows[-1], flush=True)
    with open(os.path.join(a.out, "table.md"), "w") as f:
        f.write("\n".join(rows) + "\n")


if __name__ == "__main__":
    sys.exit(main())
