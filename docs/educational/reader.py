# SPDX-License-Identifier: BSD-3-Clause
"""What the decoders of all codecs share. Numbers are kept as bytes of their type, so that NaNs keep their payload."""
import math, struct

FORMATS = {1: "<f", 2: "<d"}  # dtype of the header: what struct calls it


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


def rounded(x, layout):
    """A float64 as bytes of the type, rounded once."""
    try:
        return struct.pack(layout, x)
    except OverflowError:
        return struct.pack(layout, math.copysign(math.inf, x))
