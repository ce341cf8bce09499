# SPDX-License-Identifier: BSD-3-Clause
"""What the decoders of all codecs share. Numbers are kept as bytes of their type, so that NaNs keep their payload."""
import fractions, math, struct

FORMATS = {1: "<f", 2: "<d"}  # dtype of the header: what struct calls it
# The types that raw and lossless know as well: names, and what struct calls them. It has no bfloat16: its bits.
NAMES = (None, "f32", "f64", "f16", "bf16", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")
LAYOUTS = (None, "<f", "<d", "<e", "<H", "<b", "<B", "<h", "<H", "<i", "<I", "<q", "<Q")
BFLOAT16 = NAMES.index("bf16")


class Malformed(Exception):
    pass


def require(condition, what):
    if not condition:
        raise Malformed(what)


class Reader:
    """Takes bytes from the front; never from beyond the end."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size, what):
        require(size <= len(self.data) - self.at, f"the payload ends in {what}")
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self, layout, what):
        return struct.unpack(layout, self.take(struct.calcsize(layout), what))[0]

    def at_end(self):
        return self.at == len(self.data)


def layout_of(header):
    """For codecs that know float32 and float64 only."""
    require(header.dtype in FORMATS, f"numbers of type {NAMES[header.dtype]}, which this codec does not code")
    return FORMATS[header.dtype]


def numbers_of(dtype, data):
    """The numbers in bytes of a type, for reading."""
    values = [x for (x,) in struct.iter_unpack(LAYOUTS[dtype], data)]
    if dtype == BFLOAT16:  # the upper half of a float32
        values = [struct.unpack("<f", struct.pack("<I", x << 16))[0] for x in values]
    return values


def rounded(x, layout):
    """A float64 as bytes of the type, rounded once. "bf16": bfloat16, which struct does not know."""
    try:
        if layout == "bf16":
            if x == 0 or math.isinf(x):
                return struct.pack("<f", x)[2:]
            last = max(math.frexp(x)[1] - 8, -133)  # of the digits, as a power of two; round() goes to the even one of two
            digits = round(fractions.Fraction(x) / fractions.Fraction(2) ** last)
            return struct.pack("<f", math.copysign(digits * 2.0**last, x))[2:]
        return struct.pack(layout, x)
    except OverflowError:
        return rounded(math.copysign(math.inf, x), layout)
