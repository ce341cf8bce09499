#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The default settings against plain MPI: every operation on several networks, with data that compress well and badly.

Each cell is two runs of `laconic bench`, which interleave plain MPI with `tuned` (what a program gets by default), and
plain MPI with `overlap` (every call compressed).  A cell has three figures:

  warm      median time of tuned over that of plain, in the second half of the iterations
  first     time of tuned over that of plain, in all of the first iterations together
  gain      the share of the gain of overlap that tuned has, where overlap is faster than plain in both runs

Cells that are already in --out are not measured again, so an interrupted run can be continued.  Prints summaries and a
table of all cells in --out, and writes them beside it as .md, with a heat map as .png.  Speed never fails this script.
"""
import argparse, json, os, subprocess, sys, tempfile

BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(BENCH, "lab"))
import lab  # noqa: E402
import matrix_tables  # noqa: E402

NETWORKS = {"shm": None, "25gbit": 25e9, "10gbit": 10e9, "1gbit": 1e9, "100mbit": 1e8}  # bit/s
OPERATIONS = ["allreduce", "reduce", "reduce_scatter", "allgather", "bcast", "scatter", "gather", "alltoall", "scan",
              "exscan", "neighbor_allgather", "neighbor_alltoall", "latency", "bandwidth"]
SIZES = ["16K", "64K", "1M", "16M", "64M"]
FIELDS = {"smooth": ("wave", "rel:1e-3"), "rough": ("noise", "rel:1e-3"), "random": ("noise", "abs:1e-9")}  # numbers in 0...1
MOST_ITERATIONS = 200  # from 64 KiB on
LEAST_ITERATIONS = 16  # of calls that are always compressed
BYTES_BEFORE_SURVEY = 4 << 20  # the ranks learn after so many bytes of calls and so much time (src/tune/tuner.cpp),
SECONDS_BEFORE_TRIAL = 50e-3
CALLS_TO_TRY = 20  # and then try algorithms for a few calls each
SHARED_MEMORY = 5e9  # bytes per second, to estimate the time of a cell


def bytes_of(text):
    return int(text[:-1]) * {"K": 1 << 10, "M": 1 << 20}[text[-1]]


def iterations(network, operation, ranks, size, budget):
    rate = NETWORKS[network] / 8 if NETWORKS[network] else SHARED_MEMORY
    # All variants of an iteration together take at most about this long.
    seconds = 2 * 2 * bytes_of(size) * (ranks if operation in ("bcast", "scan", "exscan") else 2) / rate + 1e-3
    most = MOST_ITERATIONS * max(1, bytes_of("64K") // bytes_of(size))
    # The second half is to come after the warm-up.
    # Where a rank sends less than all bytes, calls take less time than that.
    before = max(BYTES_BEFORE_SURVEY, 3 * SECONDS_BEFORE_TRIAL * rate) / bytes_of(size)
    least = 2 * (int(before) + CALLS_TO_TRY)
    return max(least, min(most, int(budget / seconds)))


def run(a, network, ranks, operation, size, field, against, count):
    """The rows of one run of laconic bench by variant, or what it said in place of them."""
    name, bound = FIELDS[field]
    with tempfile.TemporaryDirectory() as folder:
        answer = os.path.join(folder, "answer.json")
        program = [a.program, "bench", operation, "--field", name, "--bound", bound, "--bytes", size, "--against",
                   against, "--set", "min_bytes=1", "--warmup", "0", "--iterations", str(count), "--json", answer,
                   *a.handed_on]
        if network == "shm":  # without the library that lets ranks wait: shared memory has nothing to wait on
            done = subprocess.run([a.mpiexec or "mpiexec", "-n", str(ranks), *program], capture_output=True, text=True,
                                  env={**os.environ, "MPIR_CVAR_ENABLE_GPU": "0"}, timeout=600)
        else:
            done = lab.run(program, ranks, network, None, a.mpiexec, a.build, [], 600)
        if not os.path.exists(answer):
            return (done.stderr or done.stdout).strip()[-300:]
        with open(answer) as f:
            return {row["variant"]: row for row in json.load(f)}


def measure(a, network, ranks, operation, size, field):
    count = iterations(network, operation, ranks, size, a.seconds)
    cell = {"kept": True}
    # Compressed calls leave ranks and caches in another state than plain ones, so they are not among the tuned ones.
    for variant, times in (("tuned", count), ("overlap", max(LEAST_ITERATIONS, min(count, MOST_ITERATIONS) // 4))):
        rows = run(a, network, ranks, operation, size, field, "plain," + variant, times)
        if isinstance(rows, str):
            return {"error": rows}
        cell[variant] = rows[variant]["seconds"]
        cell["plain" if variant == "tuned" else "plain beside overlap"] = rows["plain"]["seconds"]
        cell["kept"] = cell["kept"] and all(row["bound_kept"] and row["bits_equal"] for row in rows.values())
        cell["ratio"] = rows[variant]["ratio"]
    return cell


def chosen(parser, names, asked):
    picked = [word for item in asked for word in item.split(",")] or list(names)
    for word in picked:
        if word not in names:
            parser.error("%r is not one of %s" % (word, ", ".join(names)))
    return picked


def main():
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, metavar="DIR", help="build folder with bench/")
    parser.add_argument("--mpiexec", metavar="PATH", help="launcher of the MPI that the build uses")
    for name, values in (("network", NETWORKS), ("operation", OPERATIONS), ("size", SIZES), ("field", FIELDS)):
        parser.add_argument("--" + name, action="append", default=[], help="only these of: " + ", ".join(values))
    parser.add_argument("--ranks", action="append", default=[], help="only these of: 2, 4, 8")
    parser.add_argument("--seconds", type=float, default=8, help="about how long a cell may take (default: %(default)s)")
    parser.add_argument("--out", metavar="FILE", default=os.path.join(BENCH, "results", "local", "matrix.json"))
    a, a.handed_on = parser.parse_known_args()
    a.program = os.path.abspath(os.path.join(a.build, "cli", "laconic"))
    axes = (chosen(parser, NETWORKS, a.network), chosen(parser, ["2", "4", "8"], a.ranks),
            chosen(parser, OPERATIONS, a.operation), chosen(parser, SIZES, a.size), chosen(parser, FIELDS, a.field))
    wanted = ["/".join((n, r, o, s, f)) for n in axes[0] for r in axes[1] for o in axes[2] for s in axes[3] for f in axes[4]]
    cells = {}
    if os.path.exists(a.out):
        with open(a.out) as f:
            cells = json.load(f)["cells"]
    if any(not key.startswith("shm/") for key in wanted) and not lab.available()[0]:
        sys.exit("no network lab: %s" % lab.available()[1])
    os.makedirs(os.path.dirname(os.path.abspath(a.out)), exist_ok=True)
    for k, key in enumerate(wanted):
        if key in cells and "error" not in cells[key]:
            continue
        network, ranks, operation, size, field = key.split("/")
        cells[key] = measure(a, network, int(ranks), operation, size, field)
        said = cells[key].get("error") or " ".join(
            "%s %s" % (name, "-" if v is None else "%.3f" % v) for name, v in matrix_tables.figures(cells[key]).items()
            if name != "quartiles")
        print("%4d of %d  %-44s %s" % (k + 1, len(wanted), key, said), flush=True)
        with open(a.out + ".part", "w") as f:
            json.dump({"cells": cells}, f)
            f.write("\n")
        os.replace(a.out + ".part", a.out)
    stem = os.path.splitext(a.out)[0]
    text = matrix_tables.report(cells)
    with open(stem + ".md", "w") as f:
        f.write(text)
    print(text)
    matrix_tables.draw(cells, stem + ".png")
    print("numbers: %s" % os.path.relpath(a.out))


if __name__ == "__main__":
    sys.exit(main())
