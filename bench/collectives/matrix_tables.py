# SPDX-License-Identifier: BSD-3-Clause
"""The figures of the cells that matrix.py measures, as tables and as a heat map."""
import statistics

WARM, FIRST, GAIN = 1.03, 1.10, 0.95  # what a cell should reach
MESSAGES = ("latency", "bandwidth")
PLAIN_TIMES = [(0.05, "below 0.05 ms"), (0.2, "0.05 to 0.2 ms"), (1, "0.2 to 1 ms"), (10, "1 to 10 ms"), (1e9, "above 10 ms")]
COLUMNS = ("| cells | median | 90 % below | worst | above 1.03 | with warm-up: median | above 1.10 "
           "| gain: median, below 0.95 |")


def figures(cell):
    """quartiles: of warm over single iterations.  itself: the median time of plain MPI in every other iteration over that
    in the others, which shows what chance makes of the iterations."""
    plain, tuned, overlap, beside = (cell[name] for name in ("plain", "tuned", "overlap", "plain beside overlap"))
    half = len(plain) // 2

    def middle(series):
        return statistics.median(series[len(series) // 2:])
    first = sum(tuned[:50]) / sum(plain[:50])
    warm = middle(tuned) / middle(plain)
    single = statistics.quantiles([t / p for t, p in zip(tuned[half:], plain[half:])], n=4)
    best = middle(beside) / middle(overlap)
    # Plain MPI may be faster in one of both runs: compression wins where it is faster than both.
    wins = middle(overlap) < min(middle(plain), middle(beside))
    gain = middle(overlap) / middle(tuned) if wins else None
    itself = statistics.median(plain[half::2]) / statistics.median(plain[half + 1::2])
    return {"warm": warm, "first": first, "gain": gain, "best": best, "quartiles": (single[0], single[2]),
            "itself": itself, "plain ms": 1e3 * statistics.median(plain)}


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
            network, ranks, operation, size, field, f["plain ms"], f["warm"], *f["quartiles"],
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


def _row(name, found):
    """Of a summary: the figures of some cells."""
    def middle(values):
        return "%.2f" % statistics.median(values) if values else "-"
    warm = sorted(f["warm"] for f in found)
    first = [f["first"] for f in found]
    gains = [f["gain"] for f in found if f["gain"] is not None]
    gain = "%s, %d of %d" % (middle(gains), sum(g < GAIN for g in gains), len(gains)) if gains else "-"
    return "| %s | %d | %s | %.2f | %.2f | %d (%d) | %s | %d | %s |" % (
        name, len(found), middle(warm), warm[int(0.9 * (len(warm) - 1))], warm[-1], sum(w > WARM for w in warm),
        sum(f["itself"] > WARM for f in found), middle(first), sum(v > FIRST for v in first), gain)


def _by_network(known):
    groups = {}
    for key, f in known.items():
        network, ranks, operation, size, _ = key.split("/")
        kind = "messages" if operation in MESSAGES else "collectives"
        groups.setdefault("%s, %s | %s | %s" % (network, ranks, kind, size), []).append(f)
    head = ["| network, ranks | | size " + COLUMNS, "|" + "---|" * 11]
    return "\n".join(head + [_row(name, found) for name, found in groups.items()])


def _by_plain_time(known):
    lines = ["| plain MPI " + COLUMNS, "|" + "---|" * 9]
    least = 0
    for most, name in PLAIN_TIMES:
        if found := [f for f in known.values() if least <= f["plain ms"] < most]:
            lines.append(_row(name, found))
        least = most
    return "\n".join(lines + [_row("all", list(known.values()))])


def report(cells):
    """Summaries and the table of all cells, in Markdown."""
    known = {key: figures(cell) for key, cell in cells.items() if "error" not in cell}
    failed = len(cells) - len(known)
    parts = ["# Default settings against plain MPI, all operations",
             "Written by `bench/collectives/matrix.py` (`./dev bench --matrix`).  "
             "[docs/benchmarks.md](../../docs/benchmarks.md#default-settings-against-plain-mpi) explains the columns.  In "
             "brackets: in how many cells plain MPI differs as much from itself."]
    if failed:
        parts.append("%d cells failed." % failed)
    if known:
        parts += ["## By network", _by_network(known), "## By the time of plain MPI", _by_plain_time(known)]
    return "\n\n".join(parts + ["## All cells", table(cells)]) + "\n"
