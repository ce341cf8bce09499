# SPDX-License-Identifier: BSD-3-Clause
"""Work for the thread of a State: one bucket each."""
from __future__ import annotations

import typing

import torch

from .stats import Record

# Parts begin at multiples of this: blocks of the codecs have 512 or 1024 numbers.
ALIGNMENT = 1024

Part = typing.Tuple[int, int]


def parts_of(count: int, size: int) -> typing.List[Part]:
    """`size` nearly equal parts [begin, end) of `count` numbers; the last ones may be smaller or empty."""
    each = -(-count // size)
    each = -(-each // ALIGNMENT) * ALIGNMENT
    return [(min(k * each, count), min((k + 1) * each, count)) for k in range(size)]


class Job:
    """One reduction.

    kind: "mean" (numbers = the mean over ranks), or "scatter" (out = this rank's part of the sum or mean).
    count, dtype: of the numbers, as load() will return them.
    load: called in the worker before anything else; returns the numbers, a contiguous tensor (count,) on the host.
    store: called in the worker at the end, without an error; brings the numbers to where they belong.
    done: called in the worker at the very end with the error, or None.
    """

    def __init__(self, kind: str, record: Record, count: int, dtype: torch.dtype,
                 load: typing.Callable[[], torch.Tensor], store: typing.Callable[[torch.Tensor], None],
                 done: typing.Callable[[typing.Optional[BaseException]], None], *,
                 divisor: int = 1, sample: bool = False, bytes: int = 0, itemsize: int = 4,
                 out: typing.Optional[torch.Tensor] = None,
                 residual: typing.Optional[typing.Callable[[torch.Tensor], typing.Optional[torch.Tensor]]] = None
                 ) -> None:
        self.kind = kind
        self.record = record
        self.count = count
        self.dtype = dtype
        self.load = load
        self.store = store
        self.done = done
        self.divisor = divisor
        self.sample = sample
        self.bytes = bytes  # of the bucket, in its own type
        self.itemsize = itemsize  # of a number in its own type
        self.out = out
        self.residual_of = residual
        self.numbers: torch.Tensor = torch.empty(0)
        self.residual: typing.Optional[torch.Tensor] = None
        self.error: typing.Optional[BaseException] = None
        self.chunks_left = 1

    def failed(self, error: BaseException) -> None:
        """Keeps the first error."""
        if self.error is None:
            self.error = error

    def finish(self) -> None:
        """Stores the results and tells the caller."""
        try:
            if self.error is None:
                self.store(self.numbers)
        except Exception as error:
            self.failed(error)
        self.record.steps += 1
        self.record.bytes = self.bytes
        self.record.compressed += 1
        self.done(self.error)


def slices_of(parts: typing.Sequence[Part], most: int) -> typing.List[typing.List[Part]]:
    """Cuts parts into chunks, which are coded and sent one after the other: each has at most about `most` numbers of
    all parts together."""
    longest = max(end - begin for begin, end in parts)
    chunks = max(1, -(-longest * len(parts) // most))
    each = -(-longest // chunks)
    each = max(ALIGNMENT, -(-each // ALIGNMENT) * ALIGNMENT)
    chunks = max(1, -(-longest // each))
    return [[(min(begin + c * each, end), min(begin + (c + 1) * each, end)) for begin, end in parts]
            for c in range(chunks)]
