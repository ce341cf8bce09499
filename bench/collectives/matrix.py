#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The default settings against plain MPI: every operation on several networks, with data that compress well and badly.

Each cell is two runs of `laconic bench`, which interleave plain MPI with `tuned` (what a program gets by default), and
plain MPI with `overlap` (every call compressed).  A cell has three figures:

  warm      median time of tuned over that of plain, in the second half of the iterations
  first     time of tuned over that of plain, in all of the first iterations together
  gain      the share of the gain of overlap that tuned has, where overlap is faster than plain

The table has the quartiles of warm over single iterations as well, and the summary says in how many cells plain MPI
differs from itself as much: the median time of every other iteration over that of the others.

Cells that are already in --out are not measured again, so an interrupted run can be continued.  Prints a table and
writes it to --out with a picture beside it.  Speed never fails this script.
"""
import argparse, json, os, statistics, subprocess, sys, tempfile

BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(BENCH, "lab"))
import lab  # noqa: E402

NETWORKS = {"shm": None, "25gbit": 25e9, "10gbit": 10e9, "1gbit": 1e9, "100mbit": 1e8}  # bit/s
OPERATIONS = ["allreduce", "reduce", "reduce_scatter", "allgather", "bcast", "scatter", "gather", "alltoall", "scan",
              "exscan", "neighbor_allgather", "neighbor_alltoall", "latency", "bandwidth"]
SIZES = ["16K", "64K", "1M", "16M", "64M"]
FIELDS = {"smooth": ("wave", "rel:1e-3"), "rough": ("noise", "rel:1e-3"), "random": ("noise", "abs:1e-9")}  # numbers in 0...1
MOST_ITERATIONS = 200  # from 64 KiB on
LEAST_ITERATIONS = 12
BYTES_BEFORE_SURVEY = 4 << 20  # the ranks learn after so many bytes of calls (src/tune/tuner.cpp),
CALLS_TO_TRY = 20  # and then try algorithms for a few calls each
SHARED_MEMORY = 5e9  # bytes per second, to estimate the time of a cell
WARM, FIRST, GAIN = 1.03, 1.10, 0.95  # what a cell should reach


def bytes_of(text):
    return int(text[:-1]) * {"K": 1 << 10, "M": 1 << 20}[text[-1]]


def iterations(network, operation, ranks, size, budget):
    rate = NETWORKS[network] / 8 if NETWORKS[network] else SHARED_MEMORY
    # All variants of an iteration together take at most about this long.
    seconds = 2 * 2 * bytes_of(size) * (ranks if operation in ("bcast", "scan", "exscan") else 2) / rate + 1e-3
    most = MOST_ITERATIONS * max(1, bytes_of("64K") // bytes_of(size))
    # The second half is to come after the warm-up.
    least = 2 * (BYTES_BEFORE_SURVEY // bytes_of(size) + CALLS_TO_TRY) if bytes_of(size) < BYTES_BEFORE_SURVEY else 0
    return max(LEAST_ITERATIONS, least, min(most, int(budget / seconds)))


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
    for variant, times in (("tuned", count), ("overlap", max(LEAST_ITERATIONS, min(count, MOST_ITERATIONS // 4)))):
        rows = run(a, network, ranks, operation, size, field, "plain," + variant, times)
        if isinstance(rows, str):
            return {"error": rows}
        cell[variant] = rows[variant]["seconds"]
        cell["plain" if variant == "tuned" else "plain beside overlap"] = rows["plain"]["seconds"]
        cell["kept"] = cell["kept"] and all(row["bound_kept"] and row["bits_equal"] for row in rows.values())
        cell["ratio"] = rows[variant]["ratio"]
    return cell


def figures(cell):
    plain, tuned, overlap, beside = (cell[name] for name in ("plain", "tuned", "overlap", "plain beside overlap"))
    half = len(plain) // 2

    def middle(series):
        return statistics.median(series[len(series) // 2:])
    first = sum(tuned[:50]) / sum(plain[:50])
    warm = middle(tuned) / middle(plain)
    single = statistics.quantiles([t / p for t, p in zip(tuned[half:], plain[half:])], n=4)
    best = middle(beside) / middle(overlap)
    gain = middle(plain) / middle(tuned) / best if best > 1 else None
    itself = statistics.median(plain[half::2]) / statistics.median(plain[half + 1::2])
    return {"warm": warm, "first": first, "gain": gain, "best": best, "quartiles": (single[0], single[2]),
            "itself": itself}


def losing(f):
    return f["warm"] > WARM or f["first"] > FIRST or (f["gain"] is not None and f["gain"] < GAIN)


def table(cells):
    lines = ["| network | ranks | operation | size | field | plain ms | warm | quartiles | first | overlap | gain | |",
             "|---|---|---|---|---|---|---|---|---|---|---|---|"]
    for key, cell in cells.items():
        network, ranks, operation, size, field = key.split("/")
        if "error" in cell:
            lines.append("| %s | %s | %s | %s | %s | failed | | | | | | |" % (network, ranks, operation, size, field))
            continue
        f = figures(cell)
        lines.append("| %s | %s | %s | %s | %s | %.3f | %.2f | %.2f - %.2f | %.2f | %.2f | %s | %s |" % (
            network, ranks, operation, size, field, 1e3 * statistics.median(cell["plain"]), f["warm"], *f["quartiles"],
            f["first"], f["best"], "%.2f" % f["gain"] if f["gain"] is not None else "-",
            "" if cell["kept"] and not losing(f) else "WRONG" if not cell["kept"] else "*"))
    return "\n".join(lines)


def draw(cells, path):
    """A heat map: one row for each operation, field and size, one column for each network and number of ranks."""
    try:
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        print("no picture: matplotlib is missing")
        return
    good = {key.split("/", 2)[0:2][0] + " x" + key.split("/")[1] + "|" + key.split("/", 2)[2]: figures(cell)["warm"]
            for key, cell in cells.items() if "error" not in cell}
    if not good:
        return
    columns = list(dict.fromkeys(key.split("|")[0] for key in good))
    rows = list(dict.fromkeys(key.split("|")[1] for key in good))
    values = [[good.get(c + "|" + r, float("nan")) for c in columns] for r in rows]
    figure, axes = plt.subplots(figsize=(2 + 0.6 * len(columns), 1.5 + 0.16 * len(rows)))
    picture = axes.imshow(values, cmap="RdYlGn_r", vmin=0.5, vmax=1.5, aspect="auto")
    axes.set_xticks(range(len(columns)), columns, rotation=60, fontsize=7)
    axes.set_yticks(range(len(rows)), rows, fontsize=5)
    figure.colorbar(picture, label="time of tuned / time of plain MPI, after warm-up")
    figure.savefig(path, dpi=100, bbox_inches="tight")


def summary(cells):
    known = [figures(cell) for cell in cells.values() if "error" not in cell]
    if not known:
        return
    for name, limit in (("warm", WARM), ("first", FIRST)):
        values = sorted(f[name] for f in known)
        print("%-6s median %.3f, 90 %% below %.3f, worst %.3f; %d of %d cells above %.2f" % (
            name, statistics.median(values), values[int(0.9 * (len(values) - 1))], values[-1],
            sum(v > limit for v in values), len(values), limit))
    print("plain  %d of %d cells of plain MPI against itself above %.2f" % (
        sum(f["itself"] > WARM for f in known), len(known), WARM))
    gains = sorted(f["gain"] for f in known if f["gain"] is not None)
    if gains:
        print("gain   median %.3f, worst %.3f; %d of %d cells below %.2f" % (
            statistics.median(gains), gains[0], sum(v < GAIN for v in gains), len(gains), GAIN))


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
            "%s %s" % (name, "-" if v is None else "%.3f" % v) for name, v in figures(cells[key]).items()
            if name != "quartiles")
        print("%4d of %d  %-44s %s" % (k + 1, len(wanted), key, said), flush=True)
        with open(a.out + ".part", "w") as f:
            json.dump({"cells": cells}, f)
            f.write("\n")
        os.replace(a.out + ".part", a.out)
    of_wanted = {key: cells[key] for key in wanted}
    print(table(of_wanted))
    summary(of_wanted)
    draw(of_wanted, os.path.splitext(a.out)[0] + ".png")
    print("numbers: %s" % os.path.relpath(a.out))


if __name__ == "__main__":
    sys.exit(main())
