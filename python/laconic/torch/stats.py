# SPDX-License-Identifier: BSD-3-Clause
"""What a State has measured."""
from __future__ import annotations

import math
import threading
import typing

import torch


class BucketStats(typing.NamedTuple):
    """Measurements of one bucket on this rank (State.stats())."""

    index: int  # the bucket's place in DistributedDataParallel; -1: all calls of ReduceScatter
    bytes: int  # of the numbers in the bucket, in its own type
    steps: int  # in which the bucket was reduced
    compressed: int  # of these steps; the others were plain
    ratio: float  # uncompressed bytes / bytes sent by this rank, in compressed steps; nan before the first
    rms_error: float  # RMS error of this rank's contribution / its RMS, of the sampled steps; nan before the first
    seconds_codec: float  # in the codec, all steps together
    seconds_wait: float  # waiting for other ranks and the network, all steps together


class TotalStats(typing.NamedTuple):
    """Measurements of all buckets on this rank (State.total()).  The fields are as in BucketStats."""

    buckets: int
    bytes: int
    steps: int
    compressed: int
    ratio: float
    rms_error: float
    seconds_codec: float
    seconds_wait: float


class Record:
    """The counters of one bucket.  One thread writes; another may read, and may see a step half counted."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.bytes = 0
        self.steps = 0
        self.compressed = 0
        self.uncompressed_bytes = 0
        self.sent_bytes = 0
        self.error_square = 0.0
        self.square = 0.0
        self.codec = 0.0
        self.wait = 0.0

    def sample(self, numbers: torch.Tensor, decoded: torch.Tensor) -> None:
        """Adds the error of a part of this rank's contribution; both tensors (n,), of one type.  Numbers that are not
        finite are left out."""
        exact = numbers.double()
        error = decoded.double().sub_(exact).nan_to_num_(0.0, 0.0, 0.0)
        exact.nan_to_num_(0.0, 0.0, 0.0)
        self.error_square += float(error.dot(error))
        self.square += float(exact.dot(exact))

    def report(self) -> BucketStats:
        return BucketStats(self.index, self.bytes, self.steps, self.compressed, self.ratio(), self.rms_error(),
                           self.codec, self.wait)

    def ratio(self) -> float:
        return self.uncompressed_bytes / self.sent_bytes if self.sent_bytes else math.nan

    def rms_error(self) -> float:
        if self.square > 0:
            return math.sqrt(self.error_square / self.square)
        return math.nan


class Records:
    """The counters of all buckets."""

    def __init__(self) -> None:
        self._records: typing.Dict[int, Record] = {}
        self._lock = threading.Lock()

    def of(self, index: int) -> Record:
        with self._lock:
            return self._records.setdefault(index, Record(index))

    def reports(self) -> typing.List[BucketStats]:
        with self._lock:
            return [self._records[index].report() for index in sorted(self._records)]

    def total(self, steps: int) -> TotalStats:
        with self._lock:
            records = list(self._records.values())
        whole = Record(0)
        for record in records:
            for name in ("bytes", "uncompressed_bytes", "sent_bytes", "error_square", "square", "codec", "wait"):
                setattr(whole, name, getattr(whole, name) + getattr(record, name))
        compressed = max((record.compressed for record in records), default=0)
        return TotalStats(len(records), whole.bytes, steps, compressed, whole.ratio(), whole.rms_error(), whole.codec,
                          whole.wait)
