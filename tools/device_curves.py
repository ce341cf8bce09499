#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes src/tune/measured.def, the curves of kernels that the model of devices goes by, from bench/results/*/codec.json.
device_curves.py [--results FOLDER] [--devices devices.def] [--out measured.def]"""
import argparse, json, pathlib, re, sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
KERNELS = ("encode", "decode", "merge", "fold", "add")
MODES = ("rel:1e-3", "rate:8", "exact")  # one for each codec: curves do not know how hard the numbers were
DATA = "walk"
LEAST_POINTS = 2

HEADER = """// SPDX-License-Identifier: BSD-3-Clause
// LACONIC_MEASURED(device, codec, dtype, kernel, "file, date", {bytes, seconds}...)
//
// Written by tools/device_curves.py from bench/results/*/codec.json: do not edit.
"""


def devices(text):
    return re.findall(r"^LACONIC_DEVICE\((\w+),", text, re.M)


def device_of(folder, names):
    """The line of devices.def that a folder of results is about, or None."""
    return max((name for name in names if folder == name or folder.startswith(name + "-")), key=len, default=None)


def curves(rows):
    """(codec, dtype, kernel) to points (bytes, seconds) and the ratio, of results that were right."""
    found = {}
    for row in rows:
        if row.get("what") == "kernel" and row["data"] == DATA and row["mode"] in MODES and row["kernel"] in KERNELS and row["equal"]:
            points, ratios = found.setdefault((row["codec"], row["dtype"], row["kernel"]), ({}, []))
            points[int(row["bytes"])] = row["median_s"]
            ratios.append(row["ratio"])
    return {key: (sorted(points.items()), sorted(ratios)[len(ratios) // 2]) for key, (points, ratios) in found.items()
            if len(points) >= LEAST_POINTS}


def lines(device, source, found):
    for (codec, dtype, kernel), (points, ratio) in sorted(found.items()):
        yield f'LACONIC_MEASURED({device}, {codec}, {dtype}, {kernel}, "{source}, ratio {ratio:.3g}",'
        cells = [f"{{{count}, {seconds:.4g}}}" for count, seconds in points]
        yield from ("                 " + ", ".join(cells[k : k + 4]) + ("," if k + 4 < len(cells) else ")") for k in range(0, len(cells), 4))


def table(results, names, root):
    text = HEADER
    for path in sorted(pathlib.Path(results).glob("*/codec.json")):
        rows = json.loads(path.read_text())
        device = device_of(path.parent.name, names)
        if any(row.get("emulated") for row in rows):
            raise ValueError(f"{path}: the clock of the emulator measures nothing")
        if device is None:
            print(f"{path}: no line of devices.def is about {path.parent.name}", file=sys.stderr)
            continue
        about = path.with_name("machine.json")
        date = json.loads(about.read_text()).get("date", "no date") if about.exists() else "no date"
        where = path.resolve().relative_to(root).as_posix() if path.resolve().is_relative_to(root) else path.name
        text += "".join(line + "\n" for line in lines(device, f"{where}, {date}", curves(rows)))
    return text if "LACONIC_MEASURED(" in text[len(HEADER) :] else text + "// Nothing has been measured yet.\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", default=ROOT / "bench" / "results", type=pathlib.Path)
    parser.add_argument("--devices", default=ROOT / "src" / "tune" / "devices.def", type=pathlib.Path)
    parser.add_argument("--out", default=ROOT / "src" / "tune" / "measured.def", type=pathlib.Path)
    args = parser.parse_args()
    args.out.write_text(table(args.results, devices(args.devices.read_text()), ROOT))


if __name__ == "__main__":
    main()
