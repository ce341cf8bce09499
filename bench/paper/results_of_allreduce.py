# SPDX-License-Identifier: BSD-3-Clause
"""Results of an unmodified MPI_Allreduce on real fields under the drop-in: PSNR, NRMSE and a slice to look at.

  results_of_allreduce.py --dropin LIBRARY --mpiexec PATH --field FILE... --out FILE

The ranks contribute the field shifted by a number of its rows each. Errors are those against the sum in double precision.
"""
import argparse, json, os, pathlib, subprocess, sys, tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "dropin"))
from run import for_mpi4py  # noqa: E402

RANKS = 4
BOUNDS = ("1e-2", "1e-3", "1e-4")  # of the range of the numbers of a rank
LIMIT = 120  # seconds of a job


def dimensions(path):
    return tuple(int(n) for n in path.stem.rsplit("_", 1)[1].split("x"))


def contribution(path, rank):
    field = np.fromfile(path, np.float32).reshape(dimensions(path))
    return np.ascontiguousarray(np.roll(field, rank, axis=1))


def on_a_rank(path, out):
    from mpi4py import MPI
    comm = MPI.COMM_WORLD
    send = contribution(path, comm.rank)
    total = np.empty_like(send)
    comm.Allreduce(send, total)
    every = comm.gather(total.tobytes(), root=0)
    if comm.rank == 0:
        if any(one != every[0] for one in every):
            sys.exit("the ranks' results differ")
        total.tofile(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dropin", metavar="LIBRARY")
    parser.add_argument("--mpiexec", metavar="PATH")
    parser.add_argument("--field", required=True, action="append", type=pathlib.Path, help="a file of float32 (repeatable)")
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--on-a-rank", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.on_a_rank:
        return on_a_rank(args.field[0], args.out)
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        result = pathlib.Path(scratch) / "result.f32"
        for path in args.field:
            exact = sum(contribution(path, rank).astype(np.float64) for rank in range(RANKS))
            spread = float(np.fromfile(path, np.float32).max()) - float(np.fromfile(path, np.float32).min())
            for bound in BOUNDS:
                env = {k: v for k, v in os.environ.items() if not k.startswith("LACONIC_")}
                # Compressed calls are looked at here, also where they are slower.
                env.update(for_mpi4py(args), LACONIC_BOUND=f"abs:{float(bound) * spread!r}", LACONIC_TUNE="off")
                command = [sys.executable, ROOT / "tests" / "mpirun", "--mpiexec", args.mpiexec, "--timeout", LIMIT, "--preload", args.dropin,
                           "-n", RANKS, "--", sys.executable, __file__, "--on-a-rank", "--field", path, "--out", result]
                subprocess.run([str(word) for word in command], env=env, check=True, timeout=LIMIT + 30)
                total = np.fromfile(result, np.float32).reshape(exact.shape).astype(np.float64)
                error = total - exact
                most = float(bound) * spread
                largest = float(np.abs(error).max())
                if not 0 < largest <= most * (1 + 1e-3):
                    sys.exit(f"{path.stem}, {bound}: the largest error is {largest}, of a bound of {most}")
                nrmse = float(np.sqrt((error ** 2).mean())) / float(exact.max() - exact.min())
                rows.append({"field": path.stem, "ranks": RANKS, "bound": f"{bound} of the range", "bound_result": most,
                             "largest": largest, "nrmse": nrmse, "psnr": -20 * float(np.log10(nrmse)),
                             "slice": total[0].tolist(), "exact_slice": exact[0].tolist()})
    args.out.write_text(json.dumps({"rows": rows}))


if __name__ == "__main__":
    main()
