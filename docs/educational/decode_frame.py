#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints a frame: its header, and the numbers in it.

Written from docs/wire-format.md alone, slow and plain, to be read next to it.
"""
import argparse, collections, math, os, struct, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import dense, lossless, quant, szx, zfp  # noqa: E402
from reader import LAYOUTS, NAMES as TYPES, Malformed, numbers_of, require  # noqa: E402

MAGIC, VERSION, LAYOUT = 0x4E4F434C, 2, struct.Struct("<IBBBBIIdd")
FAILED, SCALED = 1, 2  # the flags
NONE, RAW, QUANT, SZX, ZFP, LOSSLESS, DENSE = range(7)
NAMES = ("none", "raw", "quant", "szx", "zfp", "lossless", "dense")

Header = collections.namedtuple("Header", "magic version codec dtype flags count payload step error")


def read_header(frame):
    require(len(frame) >= LAYOUT.size, f"{len(frame)} bytes, the header alone has {LAYOUT.size}")
    h = Header._make(LAYOUT.unpack(frame[: LAYOUT.size]))
    require(h.magic == MAGIC, "wrong magic number")
    require(h.version == VERSION, f"version {h.version}")
    require(0 < h.dtype < len(LAYOUTS), f"unknown type {h.dtype}")
    require(h.flags & ~(FAILED | SCALED) == 0, f"unknown flags {h.flags}")
    for name in ("step", "error"):
        x = getattr(h, name)
        require(math.isfinite(x) and math.copysign(1, x) > 0, f"{name} is not a finite number >= 0")
    present = len(frame) - LAYOUT.size
    require(h.payload == present, f"payload of {h.payload} bytes announced, {present} present")
    failed = h.flags & FAILED != 0
    require(failed == (h.codec == NONE), "a failed frame has codec 0, and no other has")
    require(not (failed and h.flags & SCALED), "a failed frame that is scaled")
    require(not h.flags & SCALED or h.codec in (QUANT, DENSE), f"scaled, which those of {NAMES[h.codec] if h.codec < len(NAMES) else 'others'} never are")
    require(not failed or h.payload == h.step == h.error == 0, "a failed frame with a payload, a step or an error")
    require(h.codec < len(NAMES), f"codec {h.codec} is none of {', '.join(NAMES)}")
    return h


def decode_raw(header, payload):
    require(len(payload) == header.count * struct.calcsize(LAYOUTS[header.dtype]), "payload does not fit the count")
    require(header.step == header.error == 0, "raw with a step or an error")
    return payload


def decode(frame):
    """The header, and the numbers as bytes of the dtype."""
    h = read_header(frame)
    require(h.codec != NONE, "the sender could not produce these numbers")
    decoders = {
        RAW: decode_raw, QUANT: quant.decode, SZX: szx.decode, ZFP: zfp.decode, LOSSLESS: lossless.decode, DENSE: dense.decode,
    }
    return h, decoders[h.codec](h, frame[LAYOUT.size :])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("frame")
    parser.add_argument("--all", action="store_true", help="print every number, not only the first 16")
    parser.add_argument("--out", metavar="FILE", help="write the numbers to FILE, as bytes of their type")
    args = parser.parse_args()
    try:
        with open(args.frame, "rb") as file:
            h, numbers = decode(file.read())
    except Malformed as why:
        sys.exit(f"{args.frame}: malformed frame: {why}")
    for field, value in h._asdict().items():
        named = {"codec": NAMES, "dtype": TYPES}.get(field)
        print(f"{field:8} {value!r}" + (f" ({named[value]})" if named else ""))
    values = numbers_of(h.dtype, numbers)
    print(*(values if args.all else values[:16]), *([] if args.all or len(values) <= 16 else ["..."]))
    if args.out:
        with open(args.out, "wb") as file:
            file.write(numbers)


if __name__ == "__main__":
    main()
