# SPDX-License-Identifier: BSD-3-Clause
"""Draws what image stacking gave: the model, the stacked images, their difference, and how one column focuses."""
import collections, os

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

Grid = collections.namedtuple("Grid", "nx nz spacing planes")

WIDTH_IN, HEIGHT_IN, DPI = 16, 10.4, 100
# Steps too fine to see would triple the bytes of the PNG.
GRAY = matplotlib.colormaps["gray"].resampled(48)
COLOURS = matplotlib.colormaps["viridis"].resampled(96)


def field(folder, name, *shape):
    return np.fromfile(os.path.join(folder, name), "<f4").reshape(shape).T


def section(axes, values, grid, title, **style):
    length, depth = (grid.nx - 1) * grid.spacing / 1000, (grid.nz - 1) * grid.spacing / 1000
    image = axes.imshow(values, extent=(0, length, depth, 0), aspect="auto", interpolation="bilinear",
                        interpolation_stage="data", **style)
    axes.set_title(title, loc="left", fontsize=11)
    if axes.get_subplotspec().is_first_col():
        axes.set_ylabel("depth (km)")
    return image


def plain_number(x):
    return "%.0f" % x if x >= 10 else "%.1f" % x


def headline(v):
    if v["bound_share"] == 0:
        return "Stacked with MPI_Allreduce: %.2f s" % v["median"]
    text = r"$\bf{Laconic}$, bound %s of the largest value: %.2f s, %.1f$\times$ as fast, bytes / %.1f" % (
        ("%g" % (100 * v["bound_share"])) + " %", v["median"], v["speedup"], v["ratio"])
    return text if v["psnr"] is None else text + ", %.0f dB" % v["psnr"]


def gathers(figure, place, grid, folder, variants, clip, where_km):
    """One column at all subsurface offsets, for every variant: energy at h = 0 means the velocities are right."""
    row = place.subgridspec(1, len(variants), wspace=0.06)
    reach = grid.planes // 2 * grid.spacing / 1000
    first = None
    for i, v in enumerate(variants):
        axes = figure.add_subplot(row[i], sharey=first)
        values = field(folder, "gather_%s.f32" % v["name"], grid.planes, grid.nz)
        axes.imshow(values, extent=(-reach, reach, (grid.nz - 1) * grid.spacing / 1000, 0), aspect="auto", cmap=GRAY,
                    vmin=-clip, vmax=clip, interpolation="bilinear", interpolation_stage="data")
        axes.set_xlabel("half offset h (km)")
        name = "MPI_Allreduce" if v["bound_share"] == 0 else "%g %%" % (100 * v["bound_share"])
        axes.text(0.03, 0.05, name, transform=axes.transAxes, fontsize=9,
                  bbox=dict(facecolor="white", edgecolor="none", alpha=0.85, pad=2))
        if first is None:
            first = axes
            axes.set_ylabel("depth (km)")
            axes.set_title("Subsurface-offset gathers at %g km" % where_km, loc="left", fontsize=11)
        else:
            axes.tick_params(labelleft=False)


def draw(path, grid, shots, gather_km, partials, folder, report, title):
    variants = report["variants"]
    ranks = report["ranks"]
    velocity = np.fromfile(os.path.join(partials, "vp.u16"), "<u2").reshape(grid.nx, grid.nz).T / 1000
    own = np.memmap(os.path.join(partials, "partial_0.f32"), "<f4", "r").reshape(grid.planes, grid.nx, grid.nz)
    images = [field(folder, "image_%s.f32" % v["name"], grid.nx, grid.nz) for v in variants]
    clip = np.percentile(np.abs(images[0]), 98.5)
    gray = dict(cmap=GRAY, vmin=-clip, vmax=clip)

    figure = plt.figure(figsize=(WIDTH_IN, HEIGHT_IN), dpi=DPI)
    cells = figure.add_gridspec(4, 2, left=0.04, right=0.94, top=0.912, bottom=0.055, hspace=0.38, wspace=0.15)
    panels = [figure.add_subplot(cells[i // 2, i % 2]) for i in range(7)]

    model = section(panels[0], velocity, grid, "Marmousi2, true velocity; %d shots ($\\blacktriangledown$)" % shots,
                    cmap=COLOURS)
    at = (np.floor((np.arange(shots) + 0.5) * grid.nx / shots)) * grid.spacing / 1000
    panels[0].plot(at, np.full(shots, 0.12), "v", color="white", markersize=4, markeredgewidth=0)
    section(panels[1], own[grid.planes // 2].T, grid, "The image of one rank: %d of %d shots" %
            (len(range(0, shots, ranks)), shots), **gray)
    for axes, image, v in zip(panels[2:6], images, variants):
        amplitude = section(axes, image, grid, headline(v), **gray)

    middle = variants[len(variants) // 2]
    difference = images[len(variants) // 2] - images[0]
    gain = clip / middle["bound"]
    section(panels[6], difference * gain, grid, "Difference at bound %g %%, times %s (white and black: the bound)" %
            (100 * middle["bound_share"], plain_number(gain)), **gray)
    panels[6].set_xlabel("distance (km)")
    gathers(figure, cells[3, 1], grid, folder, variants, clip, gather_km)

    for image, anchor, label in ((model, panels[0], "velocity (km/s)"), (amplitude, panels[1], "image (all gray panels)")):
        box = anchor.get_position()
        bar = figure.colorbar(image, cax=figure.add_axes((box.x1 + 0.006, box.y0, 0.008, box.height)))
        bar.set_label(label, fontsize=9)
        bar.ax.tick_params(labelsize=8)
    figure.suptitle("Seismic image stacking: %s, %.0f MB per rank" % (title, report["bytes_per_rank"] / 1e6),
                    x=0.04, ha="left", fontsize=15, fontweight="bold")
    figure.text(0.04, 0.945, "Reverse time migration, zero-offset plane, Laplacian-filtered; every gray panel is clipped at "
                "the same value.", fontsize=10, color="0.35")
    figure.savefig(path)
    plt.close(figure)
    shrink(path)


def shrink(path):
    """Stores the picture with a palette."""
    from PIL import Image
    with Image.open(path) as image:
        small = image.convert("RGB").quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    small.save(path, optimize=True)
