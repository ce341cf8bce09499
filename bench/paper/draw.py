# SPDX-License-Identifier: BSD-3-Clause
"""Draws the figures of figures.py. Each function takes the paths of the results and a folder, and returns its pictures."""
import json, math, shutil

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#999999", "#f0e442", "#000000")
STACKED = (851, 176)  # nx and nz of the images of examples/image_stacking
PHASES = {"comdecom": "coding", "allgather": "allgather", "wait": "wait", "reduction": "reduction", "memcpy": "copy", "others": "others"}


def pyplot():
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot as found
    return found


def load(path):
    with open(path) as f:
        return json.load(f)


def save(figure, folder, name):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (name + ".png")
    figure.savefig(path, dpi=110)
    pyplot().close(figure)
    return path


def folder_pictures(results, folder):
    """Copies the pictures of scripts that draw by themselves."""
    folder.mkdir(parents=True, exist_ok=True)
    return [shutil.copy(picture, folder) for place in results for picture in sorted(place.rglob("*.png"))]


def short(name):
    return name.split("_")[0] + "_" + name.split("_")[1]


def label(row):
    return row["variant"] if row["variant"] == "plain" else f"{row['variant']}:{row['codec']}"


def milliseconds(row):
    """Returns the time of each phase; plain MPI has none."""
    return {word: 1e3 * row["phases_s"][phase] for phase, word in PHASES.items()}


def phases(results, folder):
    plt = pyplot()
    runs = [run for path in results for run in load(path)["runs"]]
    figure, axes = plt.subplots(1, len(runs), figsize=(1.5 + 4 * len(runs), 4.6), layout="constrained", squeeze=False)
    for ax, run in zip(axes[0], runs):
        rows = run["results"]
        names = ["plain MPI"] + [f"{label(row)}, {row['algorithm']}" for row in rows[1:]]
        ax.bar(names[:1], [1e3 * rows[0]["median_s"]], color="#bbbbbb", label="all of plain MPI")
        base = [0.0] * len(rows)
        for colour, word in zip(COLOURS, PHASES.values()):
            heights = [milliseconds(row)[word] for row in rows]
            ax.bar(names, heights, bottom=base, color=colour, label=word)
            base = [a + b for a, b in zip(base, heights)]
        ax.set_title(f"{short(run['field'])}, {rows[0]['bytes'] >> 20} MiB, {rows[0]['ranks']} ranks, 1 Gbit/s", fontsize=9)
        ax.tick_params(axis="x", rotation=60)
        ax.set_ylabel("ms")
    figure.legend(*axes[0][0].get_legend_handles_labels(), loc="outside right center", fontsize=7)
    return [save(figure, folder, "phases"), *speedups(results, folder)]


def speedups(results, folder):
    """Draws the speed-ups over plain MPI of runs in the lab, and those of simulations over the nodes."""
    simulated = [path for path in results if load(path).get("simulated")]
    measured = [path for path in results if path not in simulated]
    groups = {}
    for path in measured:
        for run in load(path)["runs"]:
            for row in run["results"]:
                if row["variant"] != "plain":
                    where = f"{path.stem}, {short(run['field'])}, {row['bytes'] >> 20} MiB"
                    window = f", window {row['window']}" if (row.get("window") or 1) > 1 else ""
                    groups.setdefault(where + window, {})[label(row)] = row
    kinds = list(dict.fromkeys(kind for rows in groups.values() for kind in rows))
    plt = pyplot()
    figure, ax = plt.subplots(figsize=(4 + 1.1 * len(groups), 4.8), layout="constrained")
    width = 0.8 / len(kinds)
    for k, kind in enumerate(kinds):
        have = [(i, rows[kind]) for i, rows in enumerate(groups.values()) if kind in rows]
        bars = ax.bar([i + (k - (len(kinds) - 1) / 2) * width for i, _ in have], [row["speedup_over_plain"] for _, row in have], width,
                      color=COLOURS[k % len(COLOURS)], label=kind)
        ax.bar_label(bars, fmt="%.2f", fontsize=6)
    ax.axhline(1, color="black", lw=0.8)
    ax.set_xticks(range(len(groups)), groups, rotation=30, ha="right", fontsize=7)
    ax.set_ylabel("speed-up over plain MPI, 1 Gbit/s")
    ax.legend(fontsize=7)
    found = [save(figure, folder, "speedups")]
    return found + over_nodes(simulated, folder)


def bytes_of(row):
    """Those that are meant: the program of the simulation multiplies by --part itself, but plain MPI has no --part."""
    return row["bytes"] * (row.get("divisor", 1) if row["line"] == "plain MPI" else 1)


def lines_of(paths):
    """line -> {(ranks, bytes): seconds} of simulations."""
    found = {}
    for path in paths:
        for row in load(path)["rows"]:
            found.setdefault(row["line"], {})[row["ranks"], bytes_of(row)] = row["seconds"]
    return found


def plot_over(ax, lines, reference, place):
    """Plots the speed-up of each line over the line `reference`, at place((ranks, bytes))."""
    of_reference = lines.get(reference, {})
    for colour, (line, points) in zip(COLOURS, lines.items()):
        both = sorted(set(points) & set(of_reference))
        if line != reference and both:
            ax.plot([place(at) for at in both], [of_reference[at] / points[at] for at in both], "o-", color=colour, label=line)
    ax.axhline(1, color="black", lw=0.8)
    ax.legend(fontsize=7)


def over_nodes(results, folder):
    plt, found = pyplot(), []
    for path in results:
        lines, collective = lines_of([path]), load(path)["rows"][0]["collective"]
        figure, axes = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
        for ax, reference, words in zip(axes, ("plain MPI", "raw"), ("plain MPI, with MPICH's algorithm", "the engine without compression")):
            plot_over(ax, lines, reference, lambda at: at[0])
            ax.set_xscale("log", base=2)
            ax.set_xlabel("nodes")
            ax.set_ylabel(f"speed-up of {collective} over\n{words}")
        found.append(save(figure, folder, path.stem))
    return found


def over_sizes(results, folder):
    plt, found, lines = pyplot(), [], lines_of(results)
    for number in sorted({at[0] for points in lines.values() for at in points}):
        figure, ax = plt.subplots(figsize=(6, 4.4), layout="constrained")
        mine = {line: {at: seconds for at, seconds in points.items() if at[0] == number} for line, points in lines.items()}
        plot_over(ax, mine, "plain MPI", lambda at: at[1] / 1e6)
        ax.set_xlabel("MB")
        ax.set_ylabel("speed-up over plain MPI")
        ax.set_title(f"Allreduce, {number} nodes, 100 Gbit/s, simulated", fontsize=9)
        found.append(save(figure, folder, f"sizes-{number}-nodes"))
    return found


def pipelining(results, folder):
    """Over the size, against plain MPI and against messages that are compressed as a whole; one picture for each speed of coding."""
    plt, found = pyplot(), []
    speeds = {}
    for path in results:
        speeds.setdefault(path.stem.rsplit("-", 1)[1], []).append(path)
    for speed, paths in speeds.items():
        lines = lines_of(paths)
        figure, axes = plt.subplots(1, 3, figsize=(14, 4.4), layout="constrained")
        references = {"plain MPI": lines, **{f"zfp rate {bits}, nd": {line: lines[line] for line in lines if f"rate {bits}" in line} for bits in (8, 16)}}
        for ax, (reference, mine) in zip(axes, references.items()):
            plot_over(ax, mine, reference, lambda at: at[1] / 1e6)
            sizes = sorted({at[1] // 1000000 for at in lines[reference]})
            ax.set_xscale("log")
            ax.set_xticks(sizes, sizes)
            ax.minorticks_off()
            ax.set_xlabel("MB in a face")
            ax.set_ylabel(f"speed-up over {reference}")
        figure.suptitle("Stencil 4 x 2 x 2, 100 Gbit/s, simulated, coding " +
                        ("as measured" if speed == "measured" else f"at {speed.removesuffix('GBs')} GB/s"), fontsize=9)
        found.append(save(figure, folder, f"stencil-{speed}"))
    return found


def histograms(results, folder):
    plt = pyplot()
    rows = load(results[0])["rows"]
    fields = list(dict.fromkeys(row["field"] for row in rows))
    codecs = list(dict.fromkeys(row["codec"] for row in rows))
    figure, axes = plt.subplots(len(fields), len(codecs), figsize=(4 * len(codecs), 3 * len(fields)), layout="constrained", squeeze=False)
    for row in rows:
        ax = axes[fields.index(row["field"])][codecs.index(row["codec"])]
        edges = row["edges"]
        middles = [(a + b) / 2 for a, b in zip(edges, edges[1:])]
        colour = COLOURS[0] if row["encode"] == "first" else COLOURS[1]
        ax.step(middles, row["density"], where="mid", color=colour, label=f"{row['encode']} encode, deviation {row['deviation']:.2f}")
        normal = [math.exp(-((x - row["mean"]) / row["deviation"]) ** 2 / 2) / (row["deviation"] * math.sqrt(2 * math.pi)) for x in middles]
        ax.plot(middles, normal, "--", color=colour, lw=0.8)
        ax.set_title(f"{short(row['field'])}, {row['codec']}, {row['bound']}", fontsize=8)
        ax.set_xlabel("error over the bound", fontsize=7)
        ax.legend(fontsize=6)
    return [save(figure, folder, "histograms")]


def allreduce_results(results, folder):
    """Each field: exact, compressed, difference; PSNR and NRMSE in the titles."""
    import numpy
    plt = pyplot()
    rows = load(results[0])["rows"]
    fields = list(dict.fromkeys(row["field"] for row in rows))
    columns = max(sum(row["field"] == field for row in rows) for field in fields) + 1
    figure, axes = plt.subplots(2 * len(fields), columns, figsize=(3 * columns, 5.4 * len(fields)), layout="constrained", squeeze=False)
    for ax in axes.flat:
        ax.axis("off")
    for f, field in enumerate(fields):
        mine = [row for row in rows if row["field"] == field]
        exact = numpy.array(mine[0]["exact_slice"])
        limits = dict(vmin=numpy.percentile(exact, 1), vmax=numpy.percentile(exact, 99))
        axes[2 * f][0].imshow(exact, origin="lower", **limits)
        axes[2 * f][0].set_title(f"{short(field)}, exact sum of {mine[0]['ranks']}", fontsize=8)
        for c, row in enumerate(mine, 1):
            image = numpy.array(row["slice"])
            axes[2 * f][c].imshow(image, origin="lower", **limits)
            axes[2 * f][c].set_title(f"{row['bound']}: {row['psnr']:.1f} dB, NRMSE {row['nrmse']:.1e}", fontsize=8)
            most = row["bound_result"]
            axes[2 * f + 1][c].imshow(image - exact, origin="lower", cmap="coolwarm", vmin=-most, vmax=most)
            axes[2 * f + 1][c].set_title(f"difference, within ±{most:.2g}", fontsize=8)
    return [save(figure, folder, "results")]


def stacked_images(report, measured, folder):
    """The stacked images of each codec at the loosest bound, and their differences to MPI's."""
    import numpy
    plt = pyplot()
    shown = ["plain"] + [name for name in (row["name"] for row in report["variants"]) if name.endswith(("1e-2", "rate-4"))]
    rows = {row["name"]: row for row in report["variants"]}
    images = {name: numpy.fromfile(measured / f"image_{name}.f32", "<f4").reshape(STACKED).T for name in shown}
    clip = numpy.percentile(numpy.abs(images["plain"]), 98.5)
    most = next(row["bound"] for row in report["variants"] if row["name"].endswith("1e-2"))
    figure, axes = plt.subplots(2, len(shown), figsize=(3.6 * len(shown), 4), layout="constrained")
    for column, name in zip(axes.T, shown):
        for ax in column:
            ax.axis("off")
        column[0].imshow(images[name], cmap="gray", vmin=-clip, vmax=clip, aspect="auto")
        words = "MPI_Allreduce" if name == "plain" else f"{name if name[0].isalpha() else 'laconic-' + name}: {rows[name]['psnr']:.1f} dB"
        column[0].set_title(words, fontsize=8)
        if name != "plain":
            column[1].imshow(images[name] - images["plain"], cmap="coolwarm", vmin=-most, vmax=most, aspect="auto")
            column[1].set_title(f"difference, colours end at ±{most:.2g}", fontsize=8)
    return save(figure, folder, "images")


def stacking(results, folder):
    plt = pyplot()
    report = load(results[0] / "stack.json")
    rows = [row for row in report["variants"] if row["name"] != "plain"]
    names = [row["name"] if row["name"][0].isalpha() else "laconic-" + row["name"] for row in rows]
    figure, axes = plt.subplots(1, 3, figsize=(13, 4.4), layout="constrained")
    for ax, key, words in zip(axes, ("speedup", "psnr", "ratio"), ("speed-up over MPI_Allreduce", "PSNR, dB", "ratio")):
        colours = [COLOURS[("laconic", "szx", "zfp").index(name.split("-")[0])] for name in names]
        ax.bar_label(ax.bar(names, [row[key] for row in rows], color=colours), fmt="%.2f", fontsize=7)
        ax.tick_params(axis="x", rotation=60)
        ax.set_ylabel(words)
    axes[0].axhline(1, color="black", lw=0.8)
    return [save(figure, folder, "stacking"), stacked_images(report, results[0], folder)]
