# SPDX-License-Identifier: BSD-3-Clause
"""zfp (codec 4): pieces of 4096 numbers; streams of zfp in one dimension, or the numbers as they are.

Blocks of four numbers share an exponent, are transformed, and sent from the highest bit plane down (Lindstrom,
"Fixed-Rate Compressed Floating-Point Arrays", 2014).
"""
import math, struct

from reader import Reader, layout_of, require, rounded

PIECE, BLOCK = 4096, 4
EXACT, ACCURACY, RATE = range(3)
WIDTHS = {"<f": (32, 8, 9), "<d": (64, 11, 12)}  # bits of a number, of its exponent, and of the smallest block of a rate
MOST_BITS, LEAST_EXPONENT, MOST_EXPONENT = 16658, -1074, 1023


class Bits:
    """Bits from the lowest of each byte on. Beyond the end there are zeros; the caller learns later that it read too far."""

    def __init__(self, data):
        self.value, self.at = int.from_bytes(data, "little"), 0

    def take(self, n):
        self.at += n
        return self.value >> (self.at - n) & ((1 << n) - 1)


def planes(bits, budget, lowest, width):
    """Four words from their bit planes, the highest first, of which no more than `budget` bits are there."""
    words, known = [0] * BLOCK, 0  # of the first `known` words, a bit may have been 1 in a plane above
    end = bits.at + budget
    for plane in reversed(range(lowest, width)):
        if bits.at == end:
            break
        n = min(known, end - bits.at)
        ones = bits.take(n)
        # The others: is there a 1 left?  If so, zeros until it comes; the last word needs no bit to say that it is its.
        while known < BLOCK and bits.at < end and bits.take(1):
            while known < BLOCK - 1 and bits.at < end and not bits.take(1):
                known += 1
            ones |= 1 << known
            known += 1
        for i in range(BLOCK):
            words[i] |= (ones >> i & 1) << plane
    return words


def signed(word, width):
    return (word + 2 ** (width - 1)) % 2**width - 2 ** (width - 1)


def from_negabinary(word, width):
    """Digits of base -2: those with a negative weight are in the odd places."""
    odd = int("10" * (width // 2), 2)
    return signed((word ^ odd) - odd, width)


def untransformed(x, y, z, w, width):
    """Four numbers from their coefficients: the encoder's lifting steps, backwards."""

    def wrap(v):
        return signed(v, width)

    y = wrap(y + (w >> 1))
    w = wrap(w - (y >> 1))
    y, w = wrap(y + w), wrap(w - y)
    z, x = wrap(z + x), wrap(x - z)
    y, z = wrap(y + z), wrap(z - y)
    w, x = wrap(w + x), wrap(x - w)
    return x, y, z, w


def block(bits, layout, mode, parameter):
    """Four numbers, as bytes."""
    width, exponent_bits, _ = WIDTHS[layout]
    most, least = (parameter, parameter) if mode == RATE else (MOST_BITS, 1)
    lowest = LEAST_EXPONENT if mode == RATE else parameter
    begin, numbers = bits.at, (0,) * BLOCK
    exponent = 0
    if bits.take(1):
        exponent = bits.take(exponent_bits) - (2 ** (exponent_bits - 1) - 1)
        precision = min(max(exponent - lowest + 4, 0), width)
        words = planes(bits, most - (bits.at - begin), width - precision, width)
        numbers = untransformed(*(from_negabinary(word, width) for word in words), width)
    bits.at = max(bits.at, begin + least)
    # In the arithmetic of the type: the unit, the integer and their product are rounded.
    unit = struct.unpack(layout, rounded(math.ldexp(1.0, exponent - (width - 2)), layout))[0]
    return b"".join(rounded(unit * struct.unpack(layout, rounded(float(v), layout))[0], layout) for v in numbers)


def decode(header, payload):
    require(header.step == 0, "zfp with a step")
    layout, reader, out = layout_of(header), Reader(payload), bytearray()
    size = struct.calcsize(layout)
    counts = [min(PIECE, header.count - begin) for begin in range(0, header.count, PIECE)]
    require(len(payload) >= 4 + 2 * len(counts), "no room for the index of zfp")
    mode, zero, parameter = struct.unpack("<BBh", reader.take(4, "its parameters"))
    valid = {EXACT: (0, 0), ACCURACY: (LEAST_EXPONENT, MOST_EXPONENT), RATE: (WIDTHS[layout][2], 32 * size - 1)}.get(mode)
    require(zero == 0 and valid and valid[0] <= parameter <= valid[1], "parameters that zfp does not have")
    bad_piece = "a piece of zfp is cut short or not valid"
    sizes = struct.unpack(f"<{len(counts)}H", reader.take(2 * len(counts), "the index"))
    for n, bytes_of_piece in zip(counts, sizes):
        require(bytes_of_piece <= min(n * size, len(payload) - reader.at), bad_piece)
        piece = reader.take(bytes_of_piece, "a piece")
        if bytes_of_piece == n * size:
            out += piece
            continue
        require(mode != EXACT, bad_piece)
        bits = Bits(piece)
        numbers = b"".join(block(bits, layout, mode, parameter) for _ in range(-(-n // BLOCK)))
        require(-(-bits.at // 8) == len(piece), bad_piece)
        out += numbers[: n * size]
    require(reader.at_end(), bad_piece)
    return bytes(out)
