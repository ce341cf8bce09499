# SPDX-License-Identifier: BSD-3-Clause
"""dense (codec 6): the lattice of quant, or all bits of the numbers, predictions across rows, and an entropy coder;
segments of 65536 numbers."""
import struct

from lossless import number_of
from quant import FLOATING, SCALED, exceptions
from reader import LAYOUTS, NAMES, Malformed, Reader, require, rounded

SEGMENT, BLOCK, SUB, LANES = 65536, 1024, 8, 64
ZERO, RAW, FILL, ESCAPE, MASKED = 5, 6, 7, 15, 64
EXPONENT_BITS = {1: 8, 2: 11, 3: 5, 4: 8}  # of floating-point types, by dtype
PART, ZERO_PART, RAW_PART, FILL_PART = 512, 1024, 1025, 1026  # scaled frames: numbers of a part; instead of an exponent
# Of 128, how often each symbol occurs: residuals by the width of their sub-block; differences of widths by table.
VALUES = (
    (128,),
    (96, 32),
    (74, 22, 29, 3),
    (40, 21, 24, 11, 17, 7, 6, 2),
    (24, 14, 14, 10, 11, 8, 8, 6, 9, 6, 6, 4, 3, 2, 2, 1),
    (29, 15, 12, 10, 9, 8, 7, 6, 8, 6, 5, 4, 3, 2, 2, 2),
)
WIDTHS = (
    (127, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1),
    (113, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
    (72, 7, 7, 16, 15, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
    (87, 11, 11, 4, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
    (59, 25, 25, 4, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
    (44, 24, 23, 11, 11, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1),
    (35, 17, 16, 12, 11, 8, 8, 5, 5, 3, 3, 1, 1, 1, 1, 1),
    (56, 8, 6, 7, 4, 5, 2, 4, 3, 4, 3, 3, 3, 2, 3, 15),
)


class Coder:
    """64 states, each of which gives one symbol after the other."""

    def __init__(self, data):
        reader = Reader(data)
        self.states = list(struct.unpack(f"<{LANES}H", reader.take(2 * LANES, "the states of a coder")))
        require(min(self.states) >= 256, "a state of the coder that is too low")
        self.data, self.at = data[reader.at :], 0

    def symbol(self, lane, frequencies):
        x = self.states[lane]
        below, slot = 0, x % 128
        for symbol, f in enumerate(frequencies):
            if slot < below + f:
                break
            below += f
        x = f * (x // 128) + slot - below
        if x < 256:
            x = x << 8 | (self.data[self.at] if self.at < len(self.data) else 0)
            self.at += 1
        self.states[lane] = x
        return symbol

    def finished(self):
        return self.at == len(self.data) and all(x == 256 for x in self.states)


def residuals(coder, table, verbatim):
    """The 1024 residuals of a block, as signed integers."""
    differences = [coder.symbol(s % LANES, WIDTHS[table]) for s in range(BLOCK // SUB)]
    widths, width = [], 0
    for symbol in differences:
        half = (symbol + 1) // 2
        width = verbatim.number("<B", "a block") if symbol == ESCAPE else width + (half if symbol % 2 else -half)
        require(0 <= width <= 32, "a width that there is not")
        widths.append(width)
    out = []
    for i in range(0, BLOCK, SUB):
        width = widths[i // SUB]
        symbols = [coder.symbol((i + k) % LANES, VALUES[min(width, 5)]) for k in range(SUB)]
        low = max(0, width - 4)
        bits = int.from_bytes(verbatim.take(low, "a block"), "little")  # eight times low bits
        out += [symbol << low | bits >> low * k & (1 << low) - 1 for k, symbol in enumerate(symbols)]
    require(coder.at <= len(coder.data), "more bytes of the coder than there are")
    return [z >> 1 ^ -(z & 1) for z in out]


def coded_block(coder, table, verbatim):
    """The residuals of a block, after the checks that the coder can have them."""
    require(coder is not None, "a coded block in a segment without a coder")
    try:
        return residuals(coder, table, verbatim)
    except Malformed:
        raise Malformed("a block whose widths do not fit its segment") from None


def restore(q, kind, lag, r, kept):
    """Appends the points of a block to those of the segment; a number that is kept repeats the point before it."""

    def at(back):
        return q[-back] if back <= len(q) else 0

    r = iter(r)
    for number in kept:
        if number is not None:
            q.append(at(1))
            continue
        x = next(r)
        predicted = (0, at(1), 2 * at(1) - at(2), at(lag), at(1) + at(lag) - at(lag + 1))[kind]
        q.append((predicted + x + 2**31) % 2**32 - 2**31)


def off_lattice(verbatim, n, size, fill):
    """Those of n numbers that are kept as they are."""
    require(verbatim.at + (1 if fill else n) * size <= len(verbatim.data), "a segment that ends in a block")
    return [verbatim.take(size, "a block")] * n if fill else [verbatim.take(size, "a block") for _ in range(n)]


def kept_numbers(form, exponents, verbatim, n, size):
    """The bytes of the numbers of a block that have no points, None for the others."""
    if exponents:
        require(all(-1022 <= x <= FILL_PART for x in exponents), "an exponent of a part beyond those of float64")
        kept = []
        for p, x in enumerate(exponents):
            count = min(PART, n - p * PART)
            kept += off_lattice(verbatim, count, size, x == FILL_PART) if x >= RAW_PART else [None] * count
        return kept
    if form & MASKED:
        try:
            kept = exceptions(verbatim, n, size)
            require(form & 7 != FILL and (form & 7 == RAW) == (None not in kept), "exceptions beside none or all")
            return kept
        except Malformed:
            raise Malformed("exceptions that do not fit their block or its segment") from None
    return off_lattice(verbatim, n, size, form == FILL) if form & 7 >= RAW else [None] * n


def check_form(header, form, lag):
    kind, scaled = form & 7, header.flags & SCALED != 0
    require(form < 2 * MASKED, "a block of an unknown form")
    require(not scaled or kind < RAW, "a block without exponents in a scaled frame")
    require(not scaled or not form & MASKED, "a block with exceptions in a scaled frame")
    require(kind < ZERO or not form & ~MASKED & ~7, "a block with a table that it does not use")
    require(kind not in (3, 4) or lag > 0, "a prediction from above without a lag")


def parts_of(reader, fixed):
    """What follows the head, the verbatim part, the coder and the lag of a segment."""
    head = reader.take(10 + fixed, "the head of a segment")
    verbatim_bytes, coded_bytes, lag = struct.unpack("<IIH", head[:10])
    require(lag == 0 or 16 <= lag <= 8191, "a lag out of range")
    verbatim = Reader(reader.take(verbatim_bytes, "a segment"))
    coded = reader.take(coded_bytes, "a segment")
    require(coded_bytes == 0 or coded_bytes >= 2 * LANES, "a segment that ends in the states of its coder")
    return head[10:], verbatim, Coder(coded) if coded else None, lag


def segment(header, reader, n):
    layout, size = FLOATING[header.dtype]
    scaled = header.flags & SCALED != 0
    blocks, parts = -(-n // BLOCK), -(-n // PART) if scaled else 0
    fixed, verbatim, coder, lag = parts_of(reader, blocks + 2 * parts)
    forms, exponents = fixed[:blocks], struct.unpack(f"<{parts}h", fixed[blocks:])
    require(lag == 0 or not scaled, "a lag out of range")
    kept = []
    for b, form in enumerate(forms):
        check_form(header, form, lag)
        kept.append(kept_numbers(form, exponents[2 * b : 2 * b + 2], verbatim, min(BLOCK, n - b * BLOCK), size))
    q, out, any_coded = [], bytearray(), False
    for b, form in enumerate(forms):
        kind = form & 7
        if kind >= RAW:
            q += [q[-1] if q else 0] * BLOCK
        elif kind == ZERO:
            q += [0] * BLOCK
        else:
            r = coded_block(coder, form >> 3 & 7, verbatim)
            any_coded = True
            restore(q, kind, max(lag, 1), r, [None] * BLOCK if scaled else kept[b] + [None] * (BLOCK - len(kept[b])))
        for i, number in enumerate(kept[b], b * BLOCK):
            x = exponents[i // PART] if scaled else 0
            require(x < ZERO_PART or q[i] == 0, "points in a part that has no exponent")
            out += rounded(q[i] * header.step * 2.0 ** (0 if x == ZERO_PART else x), layout) if number is None else number
    require(verbatim.at_end(), "bytes behind the last block of a segment")
    require(coder is None or (any_coded and coder.finished()), "a coder that does not end as it should")
    return out


def exact_segment(header, reader, n):
    size, floating = struct.calcsize(LAYOUTS[header.dtype]), header.dtype in FLOATING
    bits = 8 * size
    fixed, verbatim, coder, lag = parts_of(reader, 10 + -(-n // BLOCK))
    shift, rest, base = struct.unpack("<BBQ", fixed[:10])
    require(shift < bits and rest <= (4 if bits == 64 else 0), "a cut beyond the type's bits")
    noise = max(0, bits - shift - EXPONENT_BITS[header.dtype]) // 8 if floating else 0
    q, out, any_coded = [], bytearray(), False

    def point(word):
        sign, m = word >> bits - 1, word % 2 ** (bits - 1)
        v = (-1 - (m >> shift) if sign else m >> shift) if floating else (word - (sign << bits)) >> shift
        d = (v - base + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)
        return ((d >> 8 * rest) + 2**31) % 2**32 - 2**31

    for b, entry in enumerate(fixed[10:]):
        count, kind = min(BLOCK, n - b * BLOCK), entry & 7
        if kind >= ZERO:
            require(entry == kind, "a block with a table that it does not use")
            words = [bytes(size)] * count if kind == ZERO else off_lattice(verbatim, count, size, kind == FILL)
            words = [int.from_bytes(word, "little") for word in words]
        else:
            exponents = entry >> 6 == 1
            require(kind < 3 or lag > 0, "a prediction from above without a lag")
            require(entry < 128 and not (exponents and (kind or not floating)), "a way of cutting numbers that there is not")
            require(coder is not None, "a coded block in a segment without a coder")
            require(not exponents or len(verbatim.data) - verbatim.at >= 4, "a segment that ends in a block")
            centre = verbatim.number("<I", "a block") if exponents else 0
            r = coded_block(coder, entry >> 3 & 7, verbatim)
            any_coded = True
            low = noise if exponents else rest
            require(len(verbatim.data) - verbatim.at >= low * count, "a segment that ends in a block")
            rests = [int.from_bytes(verbatim.take(low, "a block"), "little") for _ in range(count)]
            if exponents:
                rotated = [(((centre + x) % 2**32) << 8 * low) % 2**bits | y for x, y in zip(r, rests)]
                words = [(u % 2) << bits - 1 | (u >> 1 << shift) % 2 ** (bits - 1) for u in rotated]
            else:
                restore(q, kind, max(lag, 1), r, [None] * BLOCK)
                words = [number_of((p << 8 * low | y) + base, shift, bits, floating) for p, y in zip(q[b * BLOCK :], rests)]
        q += [point(word) for word in words[len(q) - b * BLOCK :]]  # of all blocks but those that have points already
        out += b"".join(word.to_bytes(size, "little") for word in words)
    require(verbatim.at_end(), "bytes behind the last block of a segment")
    require(coder is None or (any_coded and coder.finished()), "a coder that does not end as it should")
    return out


def decode(header, payload):
    exact = header.step == 0
    require(not exact or header.flags & SCALED == 0, "scaled with another step than 1")
    require(not exact or header.error == 0, "an error in a frame that rounds nothing")
    require(exact or header.dtype in FLOATING, f"step differs from this operation's: numbers of type {NAMES[header.dtype]} are not rounded")
    require(header.flags & SCALED == 0 or header.step == 1, "scaled with another step than 1")
    reader, out = Reader(payload), bytearray()
    for begin in range(0, header.count, SEGMENT):
        out += (exact_segment if exact else segment)(header, reader, min(SEGMENT, header.count - begin))
    require(reader.at_end(), "bytes behind the last segment")
    return bytes(out)
