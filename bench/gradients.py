#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares quant with rms:R and libzfp's fixed rates at equal root mean square error; prints the table of docs/gradients.md.

    bench/gradients.py build/release/cli/laconic FILE.f32 ...
"""
import json, math, os, subprocess, sys

SHARES = ("0.02", "0.03", "0.05", "0.08", "0.1", "0.15", "0.2", "0.3", "0.5", "0.7", "1", "1.5")
RATES = ("6", "8", "10")


def measured(command, file, codec, bounds):
    arguments = [command, "codec", file, "--codec", codec, "--repeat", "0", "--json"]
    for bound in bounds:
        arguments += ["--bound", bound]
    return json.loads(subprocess.run(arguments, capture_output=True, text=True, check=True).stdout)


def between(x, a, b, ya, yb):
    """y at x, where log y is linear in log x."""
    t = math.log(x / a) / math.log(b / a)
    return ya * (yb / ya) ** t


def main(command, files):
    gains = []
    print("| field | zfp | its ratio | R of equal error | ratio of quant | gain |")
    print("|---|---|---:|---:|---:|---:|")
    for file in files:
        quant = measured(command, file, "quant", [f"rms:{share}" for share in SHARES])
        for zfp in measured(command, file, "zfp", [f"rate:{rate}" for rate in RATES]):
            error = zfp["nrmse"]
            low, high = next(p for p in zip(quant, quant[1:]) if p[0]["nrmse"] <= error <= p[1]["nrmse"])
            ends = (error, low["nrmse"], high["nrmse"])
            share = between(*ends, *(float(row["bound"][4:]) for row in (low, high)))
            ratio = between(*ends, low["ratio"], high["ratio"])
            gains.append(ratio / zfp["ratio"])
            name = os.path.basename(file).split(".")[0]
            print(f"| {name} | {zfp['bound']} | {zfp['ratio']:.2f} | {share:.3f} | {ratio:.2f} | {gains[-1]:.2f} |")
    print(f"\nGeometric mean of the gains: {math.exp(sum(map(math.log, gains)) / len(gains)):.2f}")


main(sys.argv[1], sys.argv[2:])
