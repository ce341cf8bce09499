# SPDX-License-Identifier: BSD-3-Clause
"""What every codec does to every field: C-Coll's Tables I-III with our fields, a table per field, and ratio against PSNR.

  codec_table.py --build build/release [--fields FOLDER] [--out FOLDER] [--from results.json]

Measures with `laconic codec`, and SZ3 where its wheel is installed (pip install hdf5plugin h5py); writes codecs.md,
images/codecs.png, images/codec_speed.png and codecs.json into --out. Without --fields it takes
those of data/. The page in docs/ was made with all fields that the project was developed with; not all of their licences permit copying them.
"""
import argparse, json, math, os, pathlib, platform, re, subprocess, sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import paper  # noqa: E402
import sz3  # noqa: E402

BOUNDS = ["1e-2", "1e-3", "1e-4"]
RATES = ["rate:4", "rate:8", "rate:16"]
MORE_BOUNDS = ["1e-1", "1e-5", "1e-6"]  # for the curves alone
MEMORY = 64 << 20  # bytes to measure speeds on: no cache holds them
# The others compute ten and a hundred times longer than they wait for memory: fewer bytes say the same.
SPEED = {"quant": ["--tile", MEMORY, "--repeat", 7], "dense": ["--tile", MEMORY // 4, "--repeat", 3],
         "szx": ["--tile", MEMORY // 4, "--repeat", 3], "zfp": ["--tile", MEMORY // 64, "--repeat", 2]}
SZ3_REPEATS = 2
CODECS = ("quant", "dense", "szx", "zfp", sz3.CODEC)
FOLDING = ("quant", "dense")  # those that add frames
STYLE = {"quant": ("#0072b2", "o"), "dense": ("#56b4e9", "D"), "szx": ("#d55e00", "s"), "zfp": ("#009e73", "^"),
         sz3.CODEC: ("#cc79a7", "v")}
# Our nearest relatives of the paper's datasets.
GROUPS = {
    "RTM": ("seismic waves", ["wave_surf_velmag", "wave_vert_uy", "fwi_shots"]),
    "Hurricane": ("hurricanes", ["isabel_velmag", "wrf_katrina"]),
    "CESM-ATM": ("CESM", ["cesm_"]),
}
# What else decides the speed of quant: memory, frames, instruction sets, threads.  (Label, environment, arguments.)
IN_CACHE = 256 << 10
SETUPS = [
    ("64 MiB", {}, ["--tile", MEMORY]),
    ("64 MiB, two threads", {}, ["--tile", MEMORY, "--threads", 2]),
    ("256 KiB, in the second-level cache", {}, ["--tile", IN_CACHE]),
    ("64 KiB, one message", {}, ["--tile", 64 << 10]),
    ("64 MiB, avx512", {"LACONIC_ISA": "avx512"}, ["--tile", MEMORY]),
    ("64 MiB, avx2", {"LACONIC_ISA": "avx2"}, ["--tile", MEMORY]),
    ("64 MiB, generic", {"LACONIC_ISA": "generic"}, ["--tile", MEMORY]),
]
WORKS = ("encode", "decode", "fold", "add")
PANELS = ["wave_surf_velmag", "fwi_shots", "isabel_velmag", "cesm_fv_PRECT", "les_wmag", "gradients_resnet"]


def say(text):
    print(text, flush=True)


def info(laconic):
    return subprocess.run([laconic, "info"], capture_output=True, text=True, check=True).stdout


def codec_names(laconic):
    names = re.search(r"^codecs +(.*)$", info(laconic), re.M).group(1).split(", ")
    return [name for name in CODECS if name in names]


def measure(laconic, files):
    rows, codecs = [], codec_names(laconic)
    for file in files:
        for codec in codecs:
            spoken = [f"rel:{b}" for b in BOUNDS] + (RATES if codec == "zfp" else [])
            runs = [(spoken, SPEED[codec]), ([f"rel:{b}" for b in MORE_BOUNDS], ["--repeat", 0])]
            for bounds, how in runs:
                command = [laconic, "codec", file, "--codec", codec, "--json", *how]
                for bound in bounds:
                    command += ["--bound", bound]
                rows += json.loads(subprocess.run([str(w) for w in command], capture_output=True, text=True, check=True).stdout)
        if sz3.available():
            rows += sz3.measure(file, BOUNDS + MORE_BOUNDS, SZ3_REPEATS)
        say(f"   {os.path.basename(file)}")
    for row in rows:
        row["field"] = os.path.basename(row.pop("file")).rsplit(".", 1)[0]
    return rows


def measure_setups(laconic, files):
    """The setups on one field of each kind, those that there are a panel of."""
    kinds, rows = [f for f in files if os.path.basename(f).startswith(tuple(PANELS))], []
    tables = re.search(r"^instruction sets +(.*) \(", info(laconic), re.M).group(1).split(", ")
    for label, env, how in SETUPS:
        if env and env["LACONIC_ISA"] not in tables:
            continue
        for file in kinds:
            command = [laconic, "codec", file, "--codec", "quant", "--json", "--repeat", 9, *how]
            for bound in BOUNDS:
                command += ["--bound", f"rel:{bound}"]
            said = subprocess.run([str(w) for w in command], capture_output=True, text=True, check=True, env={**os.environ, **env}).stdout
            rows += [{**row, "setup": label} for row in json.loads(said)]
        say(f"   {label}")
    return rows


def machine():
    name = platform.machine()
    try:
        name = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text()).group(1)
    except (OSError, AttributeError):
        pass
    return {"cpu": name, "cores": os.cpu_count(), "load": [round(x, 1) for x in os.getloadavg()]}


class Results:
    def __init__(self, rows):
        self.fields = sorted({row["field"] for row in rows})
        self.codecs = [c for c in CODECS if any(row["codec"] == c for row in rows)]
        self.rows = {(row["field"], row["codec"], row["bound"].replace("rel:", "")): row for row in rows}
        self.isa = rows[0]["isa"]

    def get(self, field, codec, bound, key):
        row = self.rows.get((field, codec, bound))
        return row[key] if row else None

    def values(self, fields, codec, bound, key):
        return [v for v in (self.get(f, codec, bound, key) for f in fields) if v is not None]

    def violations(self):
        """What there is to say of every codec's bounds, 1e-1 to 1e-6."""
        said = []
        for codec in self.codecs:
            rows = [(f, b, r) for (f, c, b), r in self.rows.items() if c == codec and r["violations"]]
            numbers, beyond = (sum(r[key] for _, _, r in rows) for key in ("violations", "beyond_rounding"))
            where = f"at {' and '.join(sorted({b for _, b, _ in rows}))} in {len({f for f, _, _ in rows})} fields"
            said.append(f"{codec} {numbers}" + (f" ({where}; {beyond} of them beyond the rounding to float32, which the"
                        f" [error model](error-model.md) adds to the bound)" if numbers else ""))
        return ", ".join(said)


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def harmonic(values):
    return len(values) / sum(1 / v for v in values) if values else None


def spread(values, digits):
    if not values:
        return "-"
    return " / ".join(f"{v:.{digits}f}" for v in (min(values), sum(values) / len(values), max(values)))


def markdown(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---|---|" + "---:|" * (len(head) - 2)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def in_group(results, dataset):
    return [f for f in results.fields if f.startswith(tuple(GROUPS[dataset][1]))]


def like_the_paper(results, ours, theirs):
    """One row per codec and bound; for every dataset our relatives of it and what the paper has; then all our fields."""
    head = ["codec", "bound"]
    for dataset in paper.DATASETS:
        head += [f"our {GROUPS[dataset][0]}", f"C-Coll {dataset}"]
    rows = []
    for codec in results.codecs:
        for bound in BOUNDS + (RATES if codec == "zfp" else []):
            row = [codec, bound]
            for k, dataset in enumerate(paper.DATASETS):
                printed = theirs.get((codec, bound))
                row += [ours(in_group(results, dataset), codec, bound),
                        " / ".join(f"{v:g}" for v in printed[k]) if printed else "-"]
            rows.append(row + [ours(results.fields, codec, bound)])
    return markdown(head + ["all our fields"], rows)


def speeds(results):
    def cell(fields, codec, bound):
        pair = [harmonic(results.values(fields, codec, bound, key)) for key in ("encode_median_gbs", "decode_median_gbs")]
        return " / ".join(f"{1000 * v:.3g}" if v < 1 else f"{1000 * v:.0f}" for v in pair) if None not in pair else "-"
    return like_the_paper(results, cell, paper.THROUGHPUT)


def share_of_copy(results, field, codec, bound, what):
    speed, copy = (results.get(field, codec, bound, f"{k}_median_gbs") for k in (what, "memcpy"))
    return speed / copy if speed and copy else None


def overall(results):
    """Least and geometric mean over the fields and all three bounds."""
    cells = []
    for work in WORKS:
        parts = [v for b in BOUNDS for f in results.fields if (v := share_of_copy(results, f, "quant", b, work))]
        cells.append(f"{work} {min(parts):.2f} / {geomean(parts):.2f}")
    return ", ".join(cells)


def shares(results, bound, codecs=None):
    others = [c for c in results.codecs if c != "quant" and (codecs is None or c in codecs)]
    columns = [("quant", w) for w in WORKS]
    columns += [(c, w) for c in others if c != sz3.CODEC for w in (WORKS if c in FOLDING else ("encode", "decode"))]
    head = ["field", "MB"] + [f"{c} {w}" for c, w in columns]

    def share(field, codec, what):
        return share_of_copy(results, field, codec, bound, what)
    rows, all_shares = [], {c: [] for c in columns}
    for field in results.fields:
        row = [field, f"{4e-6 * results.get(field, 'quant', bound, 'count'):.1f}"]
        for column in columns:
            value = share(field, *column)
            all_shares[column] += [value] if value else []
            row.append(f"{value:.3f}" if value and value < 0.1 else f"{value:.2f}" if value else "-")
        rows.append(row)
    for name, f in (("least", min), ("geometric mean", geomean)):
        rows.append([f"**{name}**", ""] + [f"{f(all_shares[c]):.3g}" if all_shares[c] else "-" for c in columns])
    return markdown(head, rows)


def ratios(results):
    head = ["field", "MB"] + [f"{c} {b}" for b in BOUNDS for c in results.codecs]
    columns = [(c, b) for b in BOUNDS for c in results.codecs]
    rows = []
    for field in results.fields:
        row = [field, f"{4e-6 * results.get(field, 'quant', BOUNDS[0], 'count'):.1f}"]
        rows.append(row + [f"{results.get(field, c, b, 'ratio') or math.nan:.2f}" for c, b in columns])
    rows.append(["**geometric mean**", ""] +
                [f"**{geomean(results.values(results.fields, c, b, 'ratio')) or math.nan:.2f}**" for c, b in columns])
    return markdown(head, rows)


def against(results):
    lines = []
    for other in [c for c in results.codecs if c != "quant"]:
        words = []
        for bound in BOUNDS:
            pairs = [results.get(f, "quant", bound, "ratio") / results.get(f, other, bound, "ratio") for f in results.fields]
            words.append(f"{geomean(pairs):.2f} at {bound} (least {min(pairs):.2f})")
        lines.append(f"- quant / {other}, ratio, geometric mean over the fields: " + ", ".join(words))
    return "\n".join(lines)


def densest(results):
    """What dense gains over the others, and at which speed."""
    lines = []
    for other in [c for c in results.codecs if c in ("quant", sz3.CODEC) and "dense" in results.codecs]:
        words = []
        for bound in BOUNDS:
            pairs = [results.get(f, "dense", bound, "ratio") / results.get(f, other, bound, "ratio") for f in results.fields]
            faster = [results.get(f, "dense", bound, "encode_median_gbs") / results.get(f, other, bound, "encode_median_gbs")
                      for f in results.fields]
            words.append(f"{geomean(pairs):.2f} at {bound} (least {min(pairs):.2f}; speed of encode {geomean(faster):.2g} times)")
        lines.append(f"- dense / {other}, ratio, geometric mean over the fields: " + ", ".join(words))
    return "\n".join(lines)


def plot_speed(results, path):
    """Ratio against speed: a point per codec and field, and a large one for the geometric mean."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(1, len(BOUNDS), figsize=(12, 4.2), sharey=True, layout="constrained")
    for axis, bound in zip(axes, BOUNDS):
        for codec in results.codecs:
            points = []
            for field in results.fields:
                both = [results.get(field, codec, bound, f"{work}_median_gbs") for work in ("encode", "decode")]
                if all(both):
                    points.append((harmonic(both), results.get(field, codec, bound, "ratio")))
            colour, mark = STYLE[codec]
            axis.plot(*zip(*points), mark, color=colour, markersize=3, alpha=0.45)
            axis.plot(*[geomean(values) for values in zip(*points)], mark, color=colour, markersize=11, label=codec,
                      markeredgecolor="black")
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_title(f"rel:{bound}", fontsize=10)
        axis.set_xlabel("GB/s, mean of encode and decode")
        axis.grid(True, which="both", alpha=0.25)
    axes[0].set_ylabel("compression ratio")
    axes[0].legend(fontsize=8)
    figure.savefig(path, dpi=130)


def plot(results, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    chosen = [f for p in PANELS for f in results.fields if f.startswith(p)][:6] or results.fields[:6]
    figure, axes = pyplot.subplots(2, 3, figsize=(11, 6.4), layout="constrained")
    for axis in axes.flat[len(chosen):]:
        axis.set_axis_off()
    for axis, field in zip(axes.flat, chosen):
        for codec in results.codecs:
            for bounds, line, what in ((["1e-1"] + BOUNDS + ["1e-5", "1e-6"], "-", "bounded"), (RATES, ":", "fixed rate")):
                points = [(results.get(field, codec, b, "psnr"), results.get(field, codec, b, "ratio")) for b in bounds]
                points = [p for p in points if None not in p]
                if points:
                    colour, mark = STYLE[codec]
                    label = codec if codec != "zfp" else f"zfp, {what}"
                    axis.plot(*zip(*points), line, color=colour, marker=mark, markersize=4, linewidth=1.4, label=label,
                              fillstyle="full" if line == "-" else "none")
        axis.set_yscale("log")
        axis.set_title(field, fontsize=9)
        axis.grid(True, which="both", alpha=0.25)
    for axis in axes[-1]:
        axis.set_xlabel("PSNR, dB")
    for axis in axes[:, 0]:
        axis.set_ylabel("compression ratio")
    axes.flat[0].legend(fontsize=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)


PAGE = """# What the codecs do to real fields

Made by `./dev figures` (`tools/figures/codec_table.py`) with `laconic codec` on {number} fields; do not edit. Bounds are relative to the range of the field. All codecs see
one-dimensional data in frames of 65,536 numbers; ratios count frame headers. Violations of the bound, over all fields and bounds from 1e-1 to 1e-6: {violations}.

![Compression ratio against PSNR]({image})

Lines go through the bounds 1e-1, 1e-2, ... 1e-6; higher and further right is better.

`szx`, `zfp` and the bound `rate:` are experimental: they are here for comparison, and may change or be removed in any release ([settings](settings.md)).

{against}
{densest}

![Compression ratio against speed]({speed_image})

One thread; each small point is a field, the large ones are geometric means over all fields, and the speed is the harmonic mean of encode and decode. Where a link is slower than a codec, the ratio decides, and above
the codec's speed nothing is gained: `effort=auto` chooses between quant and dense by it ([design 0035](design/0035-effort.md)).{about_sz3}

## C-Coll's tables, with our fields

C-Coll (Huang et al.) chose SZx by its Tables I (throughput), II (ratio) and III (PSNR): one-dimensional compression, one thread of an Intel Xeon E5-2695v4. Its fields could not be had; beside each of its
datasets stand our nearest relatives of it: {groups}. Read the columns beside each other for orientation only: other fields, another processor, and **other bounds**. The paper calls its bounds
absolute and does not say of what; they are not relative to the range, since an error of at most 1e-2 of the range means a PSNR of at least 40 dB, and Table III has 25.2 and 31.2. At equal PSNR is where
ratios compare: the plot above. `szx` and `zfp` are this project's codecs of these names, with the bound made to hold ([wire format](wire-format.md)).

### Throughput, MB/s: encode / decode (C-Coll: Table I)

{isa} on {cpu}, {cores} cores, one thread, load of the machine {load}. Median of warm repetitions on the field repeated to 64 MiB (dense, szx: 16, zfp: 1, sz3: the field itself); harmonic mean over the fields. Times are of the thread's own processor time.

{speeds}

### Ratio: least / mean / greatest (C-Coll: Table II)

{ratio}

### PSNR, dB: least / mean / greatest (C-Coll: Table III)

{psnr}

A field that comes back without any error has no PSNR and is left out of these.

## Per field

### Ratio

{ratios}

### Speed as a share of memcpy, relative bound 1e-3

Medians of one run; memcpy copies the same 64 MiB (dense, szx: 16 MiB, zfp: 1 MiB, which caches hold). One thread. `fold` and `add` count the bytes of one uncompressed operand.

{shares}

### The same at 1e-2

{loose}

### The same at 1e-4

{tight}

quant over all fields and the three bounds, least / geometric mean: {overall}.

## Memory, messages, threads, instruction sets

quant on {setup_fields}: GB/s of uncompressed numbers, geometric mean over these fields, and in brackets the share of a memcpy of as many bytes by as many threads in the same run, least / geometric mean.

{setups}

How much two threads gain, and how much of that is the memory's doing, the column memcpy says: it copies with as many threads. A message of 64 KiB is one frame of 16384 numbers, in the first and second-level cache; its header and its call cost what the difference to 256 KiB shows.
"""

ABOUT_SZ3 = """ `sz3` is SZ3 in the HDF5 filter of the wheel hdf5plugin, with an absolute bound, on each field as one
dimension and one chunk; it is no codec of this project."""


def setups(rows):
    """For every setup and bound the speed, and its share of a memcpy of the same bytes by as many threads."""
    lines = []
    for label in dict.fromkeys(row["setup"] for row in rows):
        for bound in BOUNDS:
            mine = [row for row in rows if row["setup"] == label and row["bound"] == f"rel:{bound}"]
            cells = [f"{geomean([row['memcpy_median_gbs'] for row in mine]):.1f}"]
            for work in WORKS:
                speeds = [row[f"{work}_median_gbs"] for row in mine]
                parts = [v / row["memcpy_median_gbs"] for v, row in zip(speeds, mine)]
                cells.append(f"{geomean(speeds):.1f} ({min(parts):.2f} / {geomean(parts):.2f})")
            lines.append([label, bound, *cells])
    return markdown(["numbers", "bound", "memcpy", *WORKS], lines)


def page(results, setup_rows, about, image, speed_image):
    groups = "; ".join(f"{name}: {', '.join(in_group(results, d)) or 'none'}" for d, (name, _) in GROUPS.items())
    load = about["load"][0]
    return PAGE.format(
        number=len(results.fields), image=image, speed_image=speed_image, densest=densest(results),
        about_sz3=ABOUT_SZ3 if sz3.CODEC in results.codecs else "", against=against(results), groups=groups, isa=results.isa, cpu=about["cpu"],
        cores=about["cores"], load=f"{load:.1f}" + (" (busy: other programs competed for memory and cache)" if load >= about["cores"] else ""),
        violations=results.violations(), speeds=speeds(results),
        ratio=like_the_paper(results, lambda f, c, b: spread(results.values(f, c, b, "ratio"), 1), paper.RATIO),
        psnr=like_the_paper(results, lambda f, c, b: spread(results.values(f, c, b, "psnr"), 1), paper.PSNR),
        ratios=ratios(results), shares=shares(results, "1e-3"), setups=setups(setup_rows), setup_fields=", ".join(
            sorted({row["field"] for row in setup_rows})),
        loose=shares(results, "1e-2", ["quant"]), tight=shares(results, "1e-4", ["quant"]), overall=overall(results))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpiexec", help="unused")
    parser.add_argument("--fields", type=pathlib.Path, help="folder of *.f32 (default: those of data/)")
    parser.add_argument("--out", type=pathlib.Path, help="default: BUILD/figures")
    parser.add_argument("--from", dest="earlier", type=pathlib.Path, help="results of an earlier run instead of measuring")
    args = parser.parse_args()
    out = args.out or args.build / "figures"
    (out / "images").mkdir(parents=True, exist_ok=True)
    if args.earlier:
        kept = json.loads(args.earlier.read_text())
    else:
        laconic = args.build / "cli" / "laconic"
        if not laconic.exists():
            sys.exit(f"{laconic} is not there: it needs CLI11 and fmt (apt-get install libcli11-dev libfmt-dev)")
        files = sorted((args.fields or args.build / "data").glob("*.f32"))
        if not files:
            sys.exit("no *.f32 to measure")
        say(f"measuring {len(files)} fields")
        about = machine()
        kept = {"machine": about, "rows": measure(laconic, files), "setups": measure_setups(laconic, files)}
        for row in kept["setups"]:
            row["field"] = os.path.basename(row.pop("file")).rsplit(".", 1)[0]
        about["load"] = [max(a, b) for a, b in zip(about["load"], machine()["load"])]
        (args.build / "figures").mkdir(exist_ok=True)
        (args.build / "figures" / "codecs.json").write_text(json.dumps(kept, indent=1) + "\n")
    results = Results(kept["rows"])
    plot(results, out / "images" / "codecs.png")
    plot_speed(results, out / "images" / "codec_speed.png")
    (out / "codecs.md").write_text(
        page(results, kept["setups"], kept["machine"], "images/codecs.png", "images/codec_speed.png"))
    say(f"written: {out / 'codecs.md'}")


if __name__ == "__main__":
    main()
