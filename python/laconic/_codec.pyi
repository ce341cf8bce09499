# SPDX-License-Identifier: BSD-3-Clause
"""The functions of laconic/codec.h.  laconic documents them."""
from typing import Any, Optional, overload

class Error(Exception):
    """An error of the library, with its message.  `code` is its number in laconic/codec.h."""

    code: int

@overload
def compress(array: Any, bound: str, *, codec: Optional[str] = None, threads: int = 1, out: None = None) -> bytes: ...
@overload
def compress(array: Any, bound: str, *, codec: Optional[str] = None, threads: int = 1, out: Any) -> memoryview: ...

def describe(frames: Any) -> tuple[int, int, Optional[str], Optional[str], float]: ...
def finite_range(array: Any) -> tuple[float, float]:
    """The least and the greatest finite number; (inf, -inf) where there is none."""

def version() -> str: ...

class Coder:
    dtype: str
    def __init__(self, dtype: str, bound: str, *, codec: Optional[str] = None, reduction: str = "sum",
                 contributions: int = 1, frame_elements: int = 0, denormals: str = "round",
                 threads: int = 1) -> None: ...
    def capacity(self, count: int) -> int:
        """The most bytes that encode(), fold() and add() write for `count` numbers."""

    def encode(self, numbers: Any, out: Any) -> int:
        """out = the frames of numbers.  out: at least capacity() bytes.  Returns the bytes written."""

    def decode(self, frames: Any, out: Any, divisor: float = 1.0) -> None:
        """out = frames / divisor.  The number of contributions as divisor gives their mean."""

    def fold(self, frames: Any, numbers: Any, out: Any) -> int:
        """out = frames op numbers, in one pass.  Returns the bytes written."""

    def add(self, a: Any, b: Any, out: Any) -> int:
        """out = a op b.  Exact with quant, lossless and raw: any order gives the same bytes.  Returns the bytes written."""
