# SPDX-License-Identifier: BSD-3-Clause
"""dense (codec 6): the lattice of quant, or all bits of the numbers, predictions across rows, and an entropy coder;
segments of 65536 numbers."""
import struct

from lossless import number_of
from quant import FLOATING, SCALED, exceptions, product
from reader import LAYOUTS, NAMES, Malformed, Reader, require, rounded

SEGMENT, BLOCK, SUB, LANES = 65536, 1024, 8, 64
ZERO, RAW, FILL, ESCAPE, MASKED, CUT = 5, 6, 7, 15, 64, 128
EXPONENT_BITS = {1: 8, 2: 11, 3: 5, 4: 8}  # of floating-point types, by dtype
PART, ZERO_PART, RAW_PART, FILL_PART = 512, 1024, 1025, 1026  # scaled frames: numbers of a part; in 1.0, instead of an exponent
PARTS, EXACT = 1 << 15, 1 << 14  # beside the lag of a segment
DECIMAL, NO_DECIMALS = 128, 128  # the first byte of the cut of an exact segment of decimals, and the bit of a block that has none
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


def signed(x, bits):
    return (x + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)


def shifted(x, up):
    return x << up if up >= 0 else x >> -up


def restore(q, at, kind, lag, r, kept):
    """Appends the points of a unit to those of the segment; a number that is kept repeats the point before it.  at(i) is
    point i of the segment, as the unit sees it."""
    r = iter(r)
    for number in kept:
        i = len(q)
        if number is not None:
            q.append(at(i - 1))
            continue
        x = next(r)
        predicted = (0, at(i - 1), 2 * at(i - 1) - at(i - 2), at(i - lag), at(i - 1) + at(i - lag) - at(i - lag - 1))[kind]
        q.append(signed(predicted + x, 32))


def off_lattice(verbatim, n, size, fill):
    """Those of n numbers that are kept as they are."""
    require(verbatim.at + (1 if fill else n) * size <= len(verbatim.data), "a segment that ends in a block")
    return [verbatim.take(size, "a block")] * n if fill else [verbatim.take(size, "a block") for _ in range(n)]


def kept_numbers(kind, masked, verbatim, n, size):
    """The bytes of the numbers of a unit that have no points, None for the others."""
    if masked:
        try:
            kept = exceptions(verbatim, n, size)
            require(kind != FILL and (kind == RAW) == (None not in kept), "exceptions beside none or all")
            return kept
        except Malformed:
            raise Malformed("exceptions that do not fit their block or its segment") from None
    return off_lattice(verbatim, n, size, kind == FILL) if kind >= RAW else [None] * n


def bits_beside_lag(reader):
    """Those of the next segment, which is read later."""
    begin = reader.at
    (lag,) = struct.unpack("<8xH", reader.take(10, "the head of a segment"))
    reader.at = begin
    require(lag % EXACT == 0 or 16 <= lag % EXACT <= 8191, "a lag out of range")
    return lag & (PARTS | EXACT)


def parts_of(reader, fixed):
    """What follows the head, the verbatim part, the coder and the lag of a segment."""
    head = reader.take(10 + fixed, "the head of a segment")
    verbatim_bytes, coded_bytes, lag = struct.unpack("<IIH", head[:10])
    verbatim = Reader(reader.take(verbatim_bytes, "a segment"))
    coded = reader.take(coded_bytes, "a segment")
    require(coded_bytes == 0 or coded_bytes >= 2 * LANES, "a segment that ends in the states of its coder")
    return head[10:], verbatim, Coder(coded) if coded else None, lag % EXACT


class Unit:
    """A block of a plain frame, or a part of a scaled one: how its points are kept, and those of its numbers that have none."""

    def __init__(self, kind, masked, new_cut, exponent):
        self.kind, self.masked, self.new_cut, self.exponent = kind, masked, new_cut, exponent


def plain_unit(form):
    require(form & 7 < ZERO or not form >> 3 & 7, "a block with a table that it does not use")
    return Unit(form & 7, form & MASKED != 0, form & CUT != 0, 0)


def part(word):
    kind, exponent = word & 7, (word >> 5) - 1023
    require((exponent >= -1022) == (kind < ZERO) and exponent <= 1023, "a part with an exponent that its kind does not have")
    return Unit(kind, word & 8 != 0, word & 16 != 0, exponent)


def part_1_0(word):
    exponent = signed(word, 16)
    require(-1022 <= exponent <= FILL_PART, "an exponent of a part beyond those of float64")
    return Unit({ZERO_PART: ZERO, RAW_PART: RAW, FILL_PART: FILL}.get(exponent, 0), False, False, exponent)


def segment(header, reader, n):
    layout, size = FLOATING[header.dtype]
    scaled = header.flags & SCALED != 0
    blocks, in_unit = -(-n // BLOCK), PART if scaled else BLOCK
    bits = bits_beside_lag(reader)
    if bits & EXACT:
        return exact_segment(header, reader, n, EXACT)
    fixed, verbatim, coder, lag = parts_of(reader, blocks + (2 * -(-n // PART) if scaled else 0))
    old = scaled and not bits & PARTS
    require(lag == 0 if old else scaled or not bits & PARTS, "a lag out of range")
    forms = fixed[:blocks]
    words = struct.unpack(f"<{len(fixed[blocks:]) // 2}H", fixed[blocks:])
    cut, any_points, units = (0, 0, 0), False, []  # base, low bytes, exponent
    for u in range(-(-n // in_unit)):
        unit = plain_unit(forms[u]) if not scaled else part_1_0(words[u]) if old else part(words[u])
        require(unit.kind not in (3, 4) or lag > 0, "a prediction from above without a lag")
        points = unit.kind < (ZERO if scaled else RAW)
        base, rest, exponent = cut
        if points:
            cut = shifted(base, exponent - unit.exponent), rest, unit.exponent
            if unit.new_cut:
                require(len(verbatim.data) - verbatim.at >= 9, "a segment that ends in a cut")
                rest, base = struct.unpack("<BQ", verbatim.take(9, "a cut"))
                require(rest <= 4, "a cut that leaves no points")
                cut = base, rest, unit.exponent
            cut = signed(cut[0], 64), *cut[1:]
        require(points or not unit.new_cut, "a cut of a unit without points")
        any_points = any_points or points
        unit.cut, unit.blank, unit.points = cut, unit.kind == ZERO and scaled or not any_points, points
        unit.kept = kept_numbers(unit.kind, unit.masked, verbatim, min(in_unit, n - u * in_unit), size)
        units.append(unit)
    q, out, any_coded = [], bytearray(), False

    def seen_by(own):
        def at(i):
            if i < 0 or units[i // in_unit].blank:
                return 0
            if old:
                return q[i]
            (base, rest, exponent), (own_base, own_rest, own_exponent) = units[i // in_unit].cut, own
            if units[i // in_unit].cut == own:
                return q[i]
            up = exponent - own_exponent
            point = signed(shifted(signed(base + (q[i] << 8 * rest), 64), up), 64)
            return signed(signed(point - own_base, 64) >> 8 * own_rest, 32) if abs(up) <= 31 else 0

        return at

    for b, form in enumerate(forms):
        parts = units[b * BLOCK // in_unit : (b + 1) * BLOCK // in_unit]
        coded = form & 7 < ZERO
        if old:
            require(form < MASKED and form & 7 <= ZERO, "a block without exponents in a scaled frame")
            require(form & 7 not in (3, 4), "a prediction from above without a lag")
        elif scaled:
            coded = any(unit.kind < ZERO for unit in parts)
            require(form == (form & 0x38 if coded else ZERO), "a block of an unknown form")
        r = coded_block(coder, form >> 3 & 7, verbatim) if coded else [0] * BLOCK
        any_coded = any_coded or coded
        if old:
            begin = len(q)
            restore(q, lambda i: q[i] if i >= 0 else 0, form & 7 if coded else 0, 1, r, [None] * BLOCK)
            for k, unit in enumerate(parts):
                unit.low = None
                own = q[begin + k * PART :][: len(unit.kept)]
                require(unit.kind == 0 or not any(own), "points in a part that has no exponent")
        for k, unit in enumerate(parts if not old else []):
            unit.low = None
            if unit.kind >= ZERO:
                q += [0 if unit.kind == ZERO else q[-1] if q else 0] * in_unit
                continue
            kept = unit.kept + [None] * (in_unit - len(unit.kept))
            restore(q, seen_by(unit.cut), unit.kind, max(lag, 1), r[k * in_unit :], kept)
            rest, points = unit.cut[1], unit.kept.count(None)
            require(len(verbatim.data) - verbatim.at >= rest * points, "a segment that ends in a block")
            unit.low = iter([int.from_bytes(verbatim.take(rest, "a block"), "little") for _ in range(points)])
    for u, unit in enumerate(units):
        base, rest, exponent = unit.cut
        for i, number in enumerate(unit.kept, u * in_unit):
            if number is None:
                low = next(unit.low) if unit.low else 0
                point = 0 if not unit.points else signed(base + (q[i] << 8 * rest) + low, 64)
                number = rounded(product(point, header.step * 2.0 ** (exponent if unit.points else 0)), layout)
            out += number
    require(verbatim.at_end(), "bytes behind the last block of a segment")
    require(coder is None or (any_coded and coder.finished()), "a coder that does not end as it should")
    return out


def exact_segment(header, reader, n, allowed=0):
    size, floating = struct.calcsize(LAYOUTS[header.dtype]), header.dtype in FLOATING
    bits = 8 * size
    require(bits_beside_lag(reader) == allowed, "a lag out of range")
    fixed, verbatim, coder, lag = parts_of(reader, 10 + -(-n // BLOCK))
    shift, rest, base = struct.unpack("<BBQ", fixed[:10])
    digits = shift - DECIMAL if NAMES[header.dtype] == "f64" and shift >= DECIMAL else None
    if digits is not None:  # the numbers are those of integers
        require(digits <= 15, "a cut beyond the type's bits")
        shift, floating = 0, False
    require(shift < bits and rest <= (4 if bits == 64 else 0), "a cut beyond the type's bits")
    noise = max(0, bits - shift - EXPONENT_BITS[header.dtype]) // 8 if floating else 0
    q, out, any_coded = [], bytearray(), False

    def point(word):
        sign, m = word >> bits - 1, word % 2 ** (bits - 1)
        v = (-1 - (m >> shift) if sign else m >> shift) if floating else (word - (sign << bits)) >> shift
        return signed(signed(v - base, bits) >> 8 * rest, 32)

    for b, entry in enumerate(fixed[10:]):
        no_decimals = digits is not None and entry & NO_DECIMALS != 0
        require(not no_decimals or entry & 7 == RAW, "a way of cutting numbers that there is not")
        entry -= NO_DECIMALS if no_decimals else 0
        count, kind = min(BLOCK, n - b * BLOCK), entry & 7
        if kind >= ZERO:
            masked = size > 1 and entry == RAW + MASKED
            require(entry == kind or masked, "a block with a table that it does not use")
            words = [bytes(size)] * count if kind == ZERO else kept_numbers(kind, masked, verbatim, count, size)
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
                restore(q, lambda i: q[i] if i >= 0 else 0, kind, max(lag, 1), r, [None] * BLOCK)
                words = [number_of((p << 8 * low | y) + base, shift, bits, floating) for p, y in zip(q[b * BLOCK :], rests)]
        if no_decimals:
            q += [q[-1] if q else 0] * count
        else:
            q += [point(word) for word in words[len(q) - b * BLOCK :]]  # of all blocks but those that have points already
        for word in words:
            if digits is not None and not no_decimals:
                out += struct.pack("<d", float(signed(word, 64)) / 10.0**digits)
            else:
                out += word.to_bytes(size, "little")
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
