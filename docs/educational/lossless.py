# SPDX-License-Identifier: BSD-3-Clause
"""lossless (codec 5): numbers as ordered integers in bit planes; blocks of 1024 behind an index, sub-blocks of 16."""
import struct

from reader import LAYOUTS, Reader, require

BLOCK, SUB, PER_GROUP = 1024, 16, 4
ZERO, ORDER_0, ORDER_1, RAW, FILL = range(5)
FLOATING = (1, 2, 3, 4)  # dtypes that are sign and magnitude
WRONG_SIZE = "a block of another size than the index says"


def read_widths(reader, n, floor):
    """The widths of all sub-blocks of a block of n numbers."""
    codes, bitmap = [], reader.number("<H", "a block: its bitmap")
    for group in range(BLOCK // SUB // PER_GROUP):
        word = reader.number("<H", "a block: its widths") if bitmap >> group & 1 else 0
        codes += [word >> 4 * k & 15 for k in range(PER_GROUP)]
    subs = -(-n // SUB)
    require(not any(codes[subs:]), "widths of sub-blocks that the block does not have")
    return [floor + code if code else 0 for code in codes[:subs]]


def read_residuals(reader, n, floor, bits):
    found = []
    for width in read_widths(reader, n, floor):
        require(width <= bits, "a shift or width beyond the type's")
        words = struct.unpack(f"<{width}H", reader.take(2 * width, "a block: its residuals"))
        found += [sum((word >> i & 1) << k for k, word in enumerate(words)) for i in range(SUB)]
    return found[:n]


def unzigzag(z):
    return z >> 1 ^ -(z & 1)


def number_of(v, shift, bits, floating):
    """The bits of the number that the ordered integer v stands for; v is taken modulo 2^bits."""
    v %= 2**bits
    if not floating:
        return (v << shift) % 2**bits
    sign = v >> bits - 1
    magnitude = v ^ (2**bits - 1) if sign else v
    return sign << bits - 1 | (magnitude << shift) % 2 ** (bits - 1)


def packed(reader, kind, n, bits, floating):
    """The numbers of a block of order 0 or 1, as words of `bits` bits."""
    head = reader.number("<H", "a block: its head")
    shift, floor = head & 63, head >> 6
    require(shift < bits and floor <= max(bits, 15) - 15, "a shift or width beyond the type's")
    base = int.from_bytes(reader.take(max(bits // 8, 2), "a block: its base"), "little") % 2**bits
    values = []
    for z in read_residuals(reader, n, floor, bits):
        if kind == ORDER_0:
            values.append(unzigzag((z + base) % 2**bits if z else 0))
        else:
            values.append((values[-1] if values else base) + unzigzag(z))
    return [number_of(v, shift, bits, floating) for v in values]


def block(reader, kind, n, header):
    size = struct.calcsize(LAYOUTS[header.dtype])
    require(kind <= FILL, f"unknown kind of block {kind}")
    if kind == ZERO:
        out = bytes(n * size)
    elif kind == RAW:
        out = reader.take(n * size, "a block: its numbers")
        reader.take(-(n * size) % 2, "a block: its numbers")
    elif kind == FILL:
        out = reader.take(size, "a block: its number") * n
        reader.take(-size % 2, "a block: its number")
    else:
        require(len(reader.data) < n * size, "a packed block that is not smaller than its numbers")
        words = packed(reader, kind, n, 8 * size, header.dtype in FLOATING)
        out = b"".join(word.to_bytes(size, "little") for word in words)
    require(reader.at_end(), WRONG_SIZE)
    return out


def decode(header, payload):
    require(header.step == header.error == 0, "lossless with a step or an error")
    counts = [min(BLOCK, header.count - begin) for begin in range(0, header.count, BLOCK)]
    reader, out = Reader(payload), bytearray()
    index = struct.unpack(f"<{len(counts)}H", reader.take(2 * len(counts), "the index of lossless"))
    bodies = sum(entry >> 3 for entry in index) * 2
    require(reader.at + bodies == len(payload), "the index of lossless says that the payload has another size")
    for n, entry in zip(counts, index):
        body = Reader(reader.take((entry >> 3) * 2, "a block"))
        out += block(body, entry & 7, n, header)
    return bytes(out)
