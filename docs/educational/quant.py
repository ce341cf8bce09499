# SPDX-License-Identifier: BSD-3-Clause
"""quant (codec 2): integers times the step, in bit planes; blocks of 1024 numbers, sub-blocks of 16."""
import struct

from reader import Reader, layout_of, require, rounded

BLOCK, SUB, PER_GROUP = 1024, 16, 4
WIDTHS = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 32)
ZERO, ORDER_0, ORDER_1, RAW, FILL = range(5)


def residuals(reader, n):
    """The packed residuals of a block of n numbers, as signed integers."""
    codes = []
    bitmap = reader.number("<H", "a block: its bitmap")
    for group in range(BLOCK // SUB // PER_GROUP):
        word = reader.number("<H", "a block: its widths") if bitmap >> group & 1 else 0
        codes += [word >> 4 * k & 15 for k in range(PER_GROUP)]
    subs = -(-n // SUB)
    require(not any(codes[subs:]), "widths of sub-blocks that the block does not have")
    found = []
    for code in codes[:subs]:
        width = WIDTHS[code]
        words = struct.unpack(f"<{width}H", reader.take(2 * width, "a block: its residuals"))
        for i in range(SUB):
            z = sum((word >> i & 1) << k for k, word in enumerate(words))
            found.append(z >> 1 ^ -(z & 1))
    return found[:n]


def points(reader, kind, n):
    """The lattice points of a block."""
    if kind == ZERO:
        return [0] * n
    q = reader.number("<i", "a block: its base") if kind == ORDER_1 else 0
    found = []
    for r in residuals(reader, n):
        q = (q + r if kind == ORDER_1 else r) + 2**31
        q = q % 2**32 - 2**31
        found.append(q)
    return found


def decode(header, payload):
    layout, reader, out = layout_of(header), Reader(payload), bytearray()
    size = struct.calcsize(layout)
    for begin in range(0, header.count, BLOCK):
        n = min(BLOCK, header.count - begin)
        kind = reader.number("<B", "a block: its kind")
        require(kind <= FILL, f"unknown kind of block {kind}")
        if kind == RAW:
            out += reader.take(n * size, "a block: its numbers")
        elif kind == FILL:
            out += reader.take(size, "a block: its number") * n
        else:
            require(header.step > 0, "a block of lattice points in a frame without a lattice")
            for q in points(reader, kind, n):
                out += rounded(q * header.step, layout)
    require(reader.at_end(), "bytes after the last block")
    return bytes(out)
