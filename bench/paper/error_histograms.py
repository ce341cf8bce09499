# SPDX-License-Identifier: BSD-3-Clause
"""Errors of one encode, and of the second in a chain: histograms as in C-Coll's Figures 5 and 6.

  error_histograms.py --program build/release/cli/laconic --field FILE... --out FILE

The second encode is that of a rank in a ring whose codec cannot add frames: it decodes what it received, adds its own numbers,
here the field from its middle on, and encodes the sum.
"""
import argparse, json, pathlib, subprocess, sys, tempfile

import numpy as np

CODECS = ("quant", "szx", "zfp")
BOUND = 1e-3  # of the range of the first numbers
BINS = 121


def through(program, codec, bound, numbers, folder):
    """The numbers after one encode and decode, in float64."""
    source, frames, back = (folder / name for name in ("in.f32", "frames.lac", "out.f32"))
    numbers.astype(np.float32).tofile(source)
    for words in (["--codec", codec, "--bound", f"abs:{bound!r}", "--repeat", "0", "--write", frames, source],
                  ["--read", frames, back]):
        subprocess.run([program, "codec", *map(str, words)], check=True, stdout=subprocess.DEVNULL, timeout=300)
    return np.fromfile(back, np.float32).astype(np.float64)


def row(field, codec, encode, errors, bound):
    relative = errors / bound
    most = float(np.abs(relative).max())
    if most > 1 + 1e-3:
        sys.exit(f"{field}, {codec}: an error of {most} of the bound")
    density, edges = np.histogram(relative, BINS, (-1.05, 1.05), density=True)
    return {"field": field, "codec": codec, "encode": encode, "bound": f"rel:{BOUND:g}", "mean": float(relative.mean()),
            "deviation": float(relative.std()), "largest": most, "density": density.tolist(), "edges": edges.tolist()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, metavar="PATH", help="the command laconic")
    parser.add_argument("--field", required=True, action="append", type=pathlib.Path, help="a file of float32 (repeatable)")
    parser.add_argument("--out", required=True, type=pathlib.Path)
    args = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for path in args.field:
            numbers = np.fromfile(path, np.float32)
            own = np.roll(numbers, numbers.size // 2)
            bound = BOUND * float(numbers.max() - numbers.min())
            for codec in CODECS:
                once = through(args.program, codec, bound, numbers, folder)
                rows.append(row(path.stem, codec, "first", once - numbers.astype(np.float64), bound))
                total = (once + own).astype(np.float32)
                twice = through(args.program, codec, bound, total, folder)
                rows.append(row(path.stem, codec, "second", twice - total.astype(np.float64), bound))
    args.out.write_text(json.dumps({"rows": rows}))


if __name__ == "__main__":
    main()
