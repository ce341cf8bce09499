# SPDX-License-Identifier: BSD-3-Clause
"""Functions that nvcc makes wrong, without a warning, in what it compiles for a device: the files *.cu and all that they include."""
import re

from .rooms import INCLUDE, NOT_CODE

# nvcc 13.0 takes __builtin_ctz() and the 64-bit __builtin_clz() behind these for constants (src/device/cuda/README.md).
COUNTS = re.compile(r"(?<![\w.>])(?:std\s*::\s*)?(count[lr]_(?:zero|one))\s*\(")
IN_PLACE = "nvcc makes it a constant; count with std::bit_width or std::popcount of 32 bits"


def reached(src):
    """The files of src/ that nvcc reads, as names relative to src/; includes that are not there belong to no room."""
    waiting = sorted(path.relative_to(src).as_posix() for path in src.rglob("*.cu"))
    found = set(waiting)
    while waiting:
        for _, header in INCLUDE.findall((src / waiting.pop()).read_text()):
            if header not in found and (src / header).is_file():
                found.add(header)
                waiting.append(header)
    return sorted(found)


def check(src):
    """Problems of all files that nvcc reads. Functions of the host in them are no exception: it takes one word to make one for both."""
    problems = []
    for name in reached(src):
        code = NOT_CODE.sub(lambda match: "\n" * match.group().count("\n"), (src / name).read_text())
        problems += [f"src/{name}:{code.count(chr(10), 0, match.start()) + 1}: no {match.group(1)} where nvcc reads it: {IN_PLACE}"
                     for match in COUNTS.finditer(code)]
    return problems
