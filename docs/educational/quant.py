# SPDX-License-Identifier: BSD-3-Clause
"""quant (codec 2): integers times the step, in bit planes; blocks of 1024 numbers, groups of 64, sub-blocks of 16."""
import math
import struct
from fractions import Fraction

from reader import NAMES, Malformed, Reader, require, rounded

BLOCK, GROUP, SUB = 1024, 4, 16  # numbers, sub-blocks, numbers
SCALED, SCALED_BLOCK = 2, 512  # the flag, numbers
FLOATING = {1: ("<f", 4), 2: ("<d", 8), 3: ("<e", 2), 4: ("bf16", 2)}  # what rounded() calls the dtype, bytes
RAW, FILL = 3, 7  # a fill block of another size than a number's is far or masked; the other kinds are orders 0, 1, 2, and 4 more with wide or long groups
# The bits of residuals that each code says are there.
NARROW = [range(w) for w in range(9)] + [range(1, w) for w in range(2, 9)]
WIDE = [range(w) for w in (0, *range(2, 17))]
LONG = [range(w) for w in (0, 12, *range(14, 26), 28, 32)]


def residuals(body, n, has_second):
    """Those of a block of n numbers, as signed integers."""
    first = body.number("<H", "a block")
    second = body.number("<H", "a block") if has_second else 0
    groups = [g for g in range(BLOCK // SUB // GROUP) if (first | second) >> g & 1]
    planes = {}  # of each sub-block
    for g in groups:
        word = body.number("<H", "a block")
        for k in range(GROUP):
            widths = NARROW if not second >> g & 1 else WIDE if first >> g & 1 else LONG
            planes[GROUP * g + k] = widths[word >> 4 * k & 15]
    require(not any(planes[s] for s in planes if s * SUB >= n), "sub-blocks that the block does not have")
    z = [0] * BLOCK
    for g in groups:
        for byte in range(4):
            for s in range(GROUP * g, GROUP * (g + 1)):
                for bit in planes[s]:
                    if bit // 8 == byte:
                        plane = body.number("<H", "a block")
                        for i in range(SUB):
                            z[s * SUB + i] |= (plane >> i & 1) << bit
    require(body.at_end(), "bytes after the planes")
    return [r >> 1 ^ -(r & 1) for r in z[:n]]


def points(kind, body, n):
    """The lattice points of a block."""
    order = kind & 3
    q, difference, found = body.number("<i", "a block") if order else 0, 0, []
    for r in residuals(body, n, kind > RAW):
        difference = difference + r if order == 2 else r
        q = (q + difference if order else r) + 2**31
        q = q % 2**32 - 2**31
        found.append(q)
    return found


def product(q, step):
    """q * step, rounded to float64 once: points of far blocks can have more digits than float64."""
    try:
        return float(Fraction(q) * Fraction(step))
    except OverflowError:
        return math.copysign(math.inf, q)


def lattice_block(entry, body, n):
    if entry == 0:
        return [0] * n
    try:
        return points(entry & 7, Reader(body), n)
    except Malformed:
        raise Malformed("a block whose widths do not fit its size or its numbers") from None


def far_block(body, n):
    """The points of a far block: those of two blocks, of which the second counts 2**32 times."""
    try:
        reader = Reader(body)
        zero, low, high = struct.unpack("<3H", reader.take(6, "a block"))
        require(zero == 0 and low & 3 != RAW and high & 3 != RAW, "not the head of a far block")
        parts = [lattice_block(entry, reader.take(2 * (entry >> 3), "a block"), n) for entry in (low, high)]
        require(reader.at_end(), "bytes after the second part")
    except Malformed:
        raise Malformed("a block whose widths do not fit its size or its numbers") from None
    return [a + 2**32 * b for a, b in zip(*parts)]


def mask(reader, n):
    """The coded form of n bits."""
    count = reader.number("<B", "a block")
    if count == 255:
        bits = int.from_bytes(reader.take((n + 7) // 8, "a block"), "little")
        return [bits >> i & 1 for i in range(n)]
    bits, bit = [], 0
    for length in reader.take(count, "a block"):
        bits += [bit] * length
        bit ^= length != 255
    require(len(bits) <= n, "runs beyond the block")
    return bits + [bit] * (n - len(bits))


def exceptions(reader, n, size):
    """The bytes of those of a block, None for other numbers."""
    begin = reader.at
    count = reader.number("<H", "a block")
    which = mask(reader, n)
    require(sum(which) == count > 0, "another number of exceptions")
    changes = [1] + mask(reader, count - 1)
    if (reader.at - begin) % 2:
        reader.take(1, "a block")
    values, step = [], iter(changes)
    for _ in range(count):
        values.append(reader.take(size, "a block") if next(step) else values[-1])
    value = iter(values)
    return [next(value) if is_exception else None for is_exception in which]


def masked_block(body, n, size, read):
    """The bytes of the exceptions, None for other numbers, and what read() makes of the block of those."""
    try:
        reader = Reader(body)
        found = exceptions(reader, n, size)
        count = n - found.count(None)
        inner = reader.number("<H", "a block") if count < n else 0
        rest = reader.take(2 * (inner >> 3), "a block")
        require(reader.at_end(), "bytes after the points")
        require(inner & 3 != RAW or is_compound(inner & 7, rest) and rest[:2] == b"\0\0", "no block of points")
    except Malformed:
        raise Malformed("a block whose widths do not fit its size or its numbers") from None
    left = n - count
    return found, [] if left == 0 else read(inner, rest, left)


def is_compound(kind, body):
    return kind == FILL and len(body) > 4 and len(body) != 8


def any_block(entry, body, n):
    return far_block(body, n) if entry & 7 == FILL else lattice_block(entry, body, n)


def scaled_block(entry, body, n):
    """The numbers of a block with an exponent, before they are rounded."""
    if entry == 0:
        return [0] * n
    far = entry & 7 == FILL
    require(len(body) > 2, "a block that ends in its exponent")
    (exponent,) = struct.unpack("<h", body[2:4] if far else body[:2])
    require(-1022 <= exponent <= 1023, "an exponent of a block beyond those of float64")
    q = far_block(body[:2] + body[4:], n) if far else lattice_block((entry & 7) | 1 << 3, body[2:], n)
    return [product(p, 2.0**exponent) for p in q]


def decode(header, payload):
    require(header.dtype in FLOATING, f"numbers of type {NAMES[header.dtype]}, which this codec does not code")
    (layout, size), reader, out = FLOATING[header.dtype], Reader(payload), bytearray()
    scaled = header.flags & SCALED != 0
    require(not scaled or header.step == 1, "scaled with another step than 1")
    in_block = SCALED_BLOCK if scaled else BLOCK
    blocks = -(-header.count // in_block)
    index = struct.unpack(f"<{blocks}H", reader.take(2 * blocks, "the index"))
    for b, entry in enumerate(index):
        n = min(in_block, header.count - b * in_block)
        kind, body = entry & 7, reader.take(2 * (entry >> 3), "a block")
        compound = is_compound(kind, body)
        if kind in (RAW, FILL) and not compound:
            copies = n if kind == FILL else 1
            require(len(body) * copies == n * size, "a block of another size than its numbers have")
            out += body * copies
        else:
            require(header.step > 0, "a block of lattice points in a frame without a lattice")
            read = scaled_block if scaled else any_block
            if compound and body[:2] != b"\0\0":
                kept, found = masked_block(body, n, size, read)
            else:
                kept, found = [None] * n, read(entry, body, n)
            found = iter(found if scaled else (product(p, header.step) for p in found))
            for exception in kept:
                out += rounded(next(found), layout) if exception is None else exception
    require(reader.at_end(), "bytes after the last block")
    return bytes(out)
