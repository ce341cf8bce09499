# SPDX-License-Identifier: BSD-3-Clause
"""Predicted against measured errors of an allreduce: the figure and the tables of docs/error-model.md.

  error_prediction.py --build build/release [--out FOLDER] [--csv FILE] [--most-ranks N]

Measures with BUILD/bench/errors/bench_errors, some minutes. Writes images/errors.png into --out, and the tables into its error-model.md,
between the marks, or into errors.md where there is none.
"""
import argparse, collections, csv, io, pathlib, re, subprocess, sys

NUMBERS = ("worst_case", "predicted", "worst", "measured", "mean", "deviation")
OPS = ("SUM", "AVG", "MAX", "MIN")
COLOURS = {"quant": "#0072b2", "szx": "#d55e00", "zfp": "#009e73"}
MARKS = ("<!-- begin: measured by bench_errors -->", "<!-- end -->")


def read(text):
    rows = list(csv.DictReader(io.StringIO(text)))
    for row in rows:
        row.update({key: float(row[key]) for key in NUMBERS}, ranks=int(row["ranks"]))
    return rows


def choose(rows, **wanted):
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def main_rows(rows, **wanted):
    """What the model is for: independent ranks, ring, frames that are forwarded, steps that are fine."""
    return choose(rows, data="independent", algorithm="ring", variant="overlap", relative="0.0001", **wanted)


def plot(rows, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.lines import Line2D
    figure, axes = pyplot.subplots(1, len(OPS), figsize=(13, 4.6), layout="constrained")
    codecs = [c for c in COLOURS if main_rows(rows, codec=c)]
    ranks = sorted({row["ranks"] for row in rows})
    for axis, op in zip(axes, OPS):
        for codec in codecs:
            mine = main_rows(rows, codec=codec, op=op)
            predicted = [max(row["predicted"] for row in mine if row["ranks"] == n) for n in ranks]
            axis.plot(ranks, predicted, color=COLOURS[codec], linewidth=1.4)
            for k, n in enumerate(ranks):
                measured = [max(row["measured"], 2e-2) for row in mine if row["ranks"] == n]
                x = n * (0.94, 1, 1.06)[list(COLOURS).index(codec)]
                axis.plot([x] * len(measured), measured, ".", color=COLOURS[codec], markersize=6, alpha=0.7)
        bounds = [max(row["worst_case"] for row in main_rows(rows, codec="quant", op=op, ranks=n)) for n in ranks]
        axis.plot(ranks, bounds, ":", color="black", linewidth=1.2)
        if op in ("SUM", "AVG"):
            axis.plot(ranks, [2 / 3 * n ** (0.5 if op == "SUM" else -0.5) for n in ranks], "--", color="grey", linewidth=1.2)
        else:
            axis.plot(ranks, [2 / 3 * (2 - (n + 2) / 2**n) ** 0.5 for n in ranks], "--", color="grey", linewidth=1.2)
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        axis.set_xticks(ranks, [str(n) for n in ranks])
        axis.set_title(op, fontsize=10)
        axis.set_xlabel("ranks")
        axis.grid(True, which="major", alpha=0.25)
    axes[0].set_ylabel("error / bound of one contribution")
    handles = [Line2D([], [], color=COLOURS[c], marker=".", label=f"{c}: line predicted, dots measured (five fields)") for c in codecs]
    handles += [Line2D([], [], color="black", linestyle=":", label="worst case, quant"),
                Line2D([], [], color="grey", linestyle="--", label="C-Coll, with the bound for three deviations")]
    figure.legend(handles=handles, fontsize=8, ncols=3, loc="outside lower center")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)


def markdown(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---" * 2 + "|" + "---:|" * (len(head) - 2)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def spread(values):
    return f"{min(values):.2f} – {max(values):.2f}"


def shares(rows):
    """Measured / predicted by codec, operation and number of ranks: least and greatest of the fields."""
    ranks = sorted({row["ranks"] for row in rows})
    lines = []
    for codec in COLOURS:
        for op in OPS:
            mine = collections.defaultdict(list)
            for row in main_rows(rows, codec=codec, op=op):
                mine[row["ranks"]].append(row["measured"] / row["predicted"])
            if mine:
                lines.append([f"`{codec}`", op, *(spread(mine[n]) for n in ranks)])
    return markdown(["codec", "operation", *(f"{n} ranks" for n in ranks)], lines)


def where_it_fails(rows):
    cases = [
        ("all ranks hold the same numbers", dict(data="same", codec="quant", field="vorticity")),
        ("all ranks hold the same numbers", dict(data="same", codec="zfp", field="vorticity")),
        ("all ranks hold the same numbers", dict(data="same", codec="szx", field="vorticity")),
        ("rain, most of it smaller than the bound (1e-2 of the range)",
         dict(data="independent", codec="quant", field="precipitation", relative="0.01")),
        ("as predicted: variant cpr-p2p", dict(codec="quant", variant="cpr-p2p")),
        ("as predicted: recursive doubling", dict(codec="szx", algorithm="recursive-doubling")),
        ("as predicted: recursive doubling", dict(codec="zfp", algorithm="recursive-doubling")),
    ]
    ranks = [n for n in (4, 16, 64) if choose(rows, ranks=n)]
    lines = []
    for what, wanted in cases:
        found = [choose(rows, ranks=n, op="SUM", **wanted) for n in ranks]
        if all(found):
            lines.append([what, f"`{wanted['codec']}`"] + [f"{f[0]['measured']:.2f} / {f[0]['predicted']:.2f} / {f[0]['worst_case']:.0f}" for f in found])
    return markdown(["", "codec", *(f"{n} ranks: measured / likely / worst case" for n in ranks)], lines)


def growth(rows):
    """How errors grow from 2 ranks to most."""
    most = max(row["ranks"] for row in rows)
    fields = sorted({row["field"] for row in rows})
    lines = []
    for codec in COLOURS:
        for op in ("SUM", "MAX"):
            cells = []
            for field in fields:
                few, many = (main_rows(rows, codec=codec, op=op, field=field, ranks=n) for n in (2, most))
                if few and many:
                    cells.append(f"{many[0]['deviation'] / few[0]['deviation']:.1f}")
            if cells:
                lines.append([f"`{codec}`", op, *cells])
    return markdown(["codec", "operation", *fields], lines)


def tables(rows):
    most = max(row["ranks"] for row in rows)
    return "\n\n".join([
        "Measured / likely, least – greatest of five fields (bound 1e-4 of the range on every contribution, ring):", shares(rows),
        f"Standard deviation of the errors on {most} ranks over that on 2. Errors that are independent and of one size would grow by "
        f"{(most / 2) ** 0.5:.1f} in a SUM; in a MAX Theorem 2 says {((2 - (most + 2) / 2**most) / 1) ** 0.5:.1f}:", growth(rows),
        "SUM, in bounds of one contribution:", where_it_fails(rows)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    for unused in ("--mpiexec", "--fields", "--from"):  # of codec_table.py, which ./dev figures calls with the same arguments
        parser.add_argument(unused, help="unused")
    parser.add_argument("--out", type=pathlib.Path, help="default: BUILD/figures")
    parser.add_argument("--csv", type=pathlib.Path, help="results of an earlier run instead of measuring")
    parser.add_argument("--most-ranks", type=int, default=64, metavar="N", help="greatest number of ranks (default: %(default)s)")
    args = parser.parse_args()
    out = args.out or args.build / "figures"
    out.mkdir(parents=True, exist_ok=True)
    if args.csv:
        text = args.csv.read_text()
    else:
        print(f"measuring errors on 2 to {args.most_ranks} ranks", flush=True)
        text = subprocess.run([args.build / "bench" / "errors" / "bench_errors", str(args.most_ranks)], capture_output=True, text=True, check=True).stdout
        (args.build / "figures").mkdir(exist_ok=True)
        (args.build / "figures" / f"errors-{args.most_ranks}.csv").write_text(text)
    rows = read(text)
    plot(rows, out / "images" / "errors.png")
    page, body = out / "error-model.md", tables(rows)
    if page.exists():
        pattern = re.compile(re.escape(MARKS[0]) + ".*?" + re.escape(MARKS[1]), re.S)
        if not pattern.search(page.read_text()):
            sys.exit(f"{page} has no line {MARKS[0]}")
        page.write_text(pattern.sub(lambda _: f"{MARKS[0]}\n{body}\n{MARKS[1]}", page.read_text()))
    else:
        page = out / "errors.md"
        page.write_text(body + "\n")
    print(f"written: {page}", flush=True)


if __name__ == "__main__":
    main()
