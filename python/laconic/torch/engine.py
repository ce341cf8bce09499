# SPDX-License-Identifier: BSD-3-Clause
"""Reductions of frames over a process group of torch, in one thread.

The numbers are cut into one part for each rank.  Every rank encodes all parts and sends each to its owner; the owner
adds the frames of its part, and sends the sum, still as frames, to all.  So each number is rounded once, before the
sum, and all ranks decode the same bytes.  Large parts are cut into chunks: while one chunk is on the wire, the next one
is coded.
"""
from __future__ import annotations

import collections
import queue
import time
import typing

import torch
import torch.distributed as dist

import laconic

from .job import Job, Part, parts_of, slices_of
from .message import Buffer, Pool, RemoteError, read, write_error, write_frames
from .options import EXACT_CODECS, Options
from .wire import Exchange, Wire
from .worker import Worker

# Chunks in each of the two stages: one on the wire while the other one is coded.
_DEPTH = 2


class _Chunk:
    """Some numbers of every part of a job."""

    def __init__(self, job: Job, parts: typing.List[Part], coder: laconic.Coder, exchange: Exchange) -> None:
        self.job = job
        self.parts = parts
        self.coder = coder
        self.exchange = exchange
        self.own: typing.Optional[Buffer] = None  # this rank's frames of its own part, where it needs them
        self.own_bytes = 0


class Engine(Worker):
    """Runs jobs in the order in which they are submitted, which has to be the same on all ranks."""

    def __init__(self, group: dist.ProcessGroup, wire: Wire, pool: Pool, options: Options) -> None:
        super().__init__()
        self._group, self._wire, self._pool, self._options = group, wire, pool, options
        self._rank, self._size = dist.get_rank(group), dist.get_world_size(group)
        self._signature = options.signature()
        self._exact = options.coded() in EXACT_CODECS
        # The range of a bucket is a collective, too: ranks that wait for it must not owe each other messages.
        self._one_at_a_time = wire.ordered or options.bound.mode == "rel"
        self._coders: typing.Dict[typing.Tuple[torch.dtype, str], laconic.Coder] = {}
        self._scratch: typing.Dict[typing.Tuple[torch.dtype, int], torch.Tensor] = {}
        self._pending: typing.Deque[_Chunk] = collections.deque()  # not begun
        self._coded: typing.Deque[_Chunk] = collections.deque()  # the first stage is under way
        self._summed: typing.Deque[_Chunk] = collections.deque()  # the second stage is under way
        self._sequence = 0
        self._late: typing.Optional[BaseException] = None  # an error that other ranks have not heard of
        self._broken: typing.Optional[BaseException] = None  # the error of the process group

    # --- the thread

    def _serve(self) -> None:
        while self._admit():
            while self._pending or self._coded or self._summed:
                self._turn()
                if not self._one_at_a_time and not self._admit_waiting():
                    self._queue.put(self.CLOSE)  # for after what is under way

    def _admit(self) -> bool:
        """Waits for a job; False at the end."""
        job = self._queue.get()
        if job is self.CLOSE:
            return False
        self._begin(job)
        return True

    def _admit_waiting(self) -> bool:
        """Takes the jobs that are there, so that they are coded while others are on the wire."""
        while True:
            try:
                job = self._queue.get_nowait()
            except queue.Empty:
                return True
            if job is self.CLOSE:
                return False
            self._begin(job)

    def _begin(self, job: Job) -> None:
        """Cuts a job into chunks."""
        if self._broken is not None:
            job.failed(self._broken)
            job.finish()
            return
        if self._late is not None:
            job.failed(self._late)
        try:
            job.numbers = job.load()
            if job.residual_of is not None:
                job.residual = job.residual_of(job.numbers)
        except Exception as error:
            job.failed(error)
            job.numbers = torch.zeros(1, dtype=job.dtype).expand(job.count)  # takes part, with the error
        try:
            self._cut(job, self._coder_for(job))
        except Exception as error:
            self._give_up(job, error)  # nothing of this job was sent

    def _cut(self, job: Job, coder: laconic.Coder) -> None:
        count = job.numbers.numel()
        if job.kind == "scatter":
            each = count // self._size
            parts = [(k * each, (k + 1) * each) for k in range(self._size)]
        else:
            parts = parts_of(count, self._size)
        most = max(1, self._options.chunk_bytes // job.numbers.element_size())
        chunks = slices_of(parts, most)
        job.chunks_left = len(chunks)
        for slices in chunks:
            capacities = [coder.capacity(end - begin) if end > begin else 0 for begin, end in slices]
            exchange = Exchange(self._sequence, capacities, 2 if job.kind == "mean" else 1)
            self._sequence += 1
            self._pending.append(_Chunk(job, slices, coder, exchange))

    def _turn(self) -> None:
        """One step of one chunk.  Chunks pass each stage in order, so ranks cannot wait for each other in a circle."""
        if self._pending and len(self._coded) < _DEPTH and len(self._summed) < _DEPTH:
            step, chunk = self._code, self._pending.popleft()
        elif self._coded and len(self._summed) < _DEPTH:
            step, chunk = self._sum, self._coded.popleft()
        else:
            step, chunk = self._finish, self._summed.popleft()
        try:
            step(chunk)
        except Exception as error:
            # Errors of codecs are messages; this one is of the group: a rank is gone, or did not answer in time.
            self._give_up(chunk.job, error)

    def _give_up(self, job: Job, error: BaseException) -> None:
        """The process group failed.  All jobs under way end with its error."""
        self._broken = error
        jobs = {id(job): job}
        for chunk in (*self._pending, *self._coded, *self._summed):
            jobs.setdefault(id(chunk.job), chunk.job)
        for stage in (self._pending, self._coded, self._summed):
            stage.clear()
        for one in jobs.values():
            one.failed(error)
            one.finish()

    # --- the stages

    def _code(self, chunk: _Chunk) -> None:
        """Encodes the parts and sends them."""
        job, exchange = chunk.job, chunk.exchange
        self._wire.open(exchange)
        messages = []
        needs_own = job.residual is not None or not self._exact
        for k in range(1, self._size + (1 if needs_own else 0)):
            peer = (self._rank + k) % self._size
            message, size = self._encoded(chunk, peer)
            if peer == self._rank:
                chunk.own, chunk.own_bytes = message, size
                continue
            messages.append((peer, message.message(size)))
            if job.kind == "mean":  # an error later on will be told in the second stage, which "scatter" does not have
                self._wire.send_part(exchange, *messages.pop())
        if job.error is not None and job.kind == "scatter":
            messages = [(peer, self._error_message(chunk)) for peer, _ in messages]
        for peer, message in messages:
            self._wire.send_part(exchange, peer, message)
        self._wire.parts_sent(exchange)
        self._coded.append(chunk)

    def _encoded(self, chunk: _Chunk, peer: int) -> typing.Tuple[Buffer, int]:
        """The message with this rank's numbers for `peer`, or with its error."""
        job = chunk.job
        begin, end = chunk.parts[peer]
        buffer = self._buffer(chunk, peer)
        if job.error is None:
            start = time.perf_counter()
            try:
                numbers = job.numbers[begin:end]
                size = chunk.coder.encode(numbers, buffer.room) if end > begin else 0
                if end > begin and (job.residual is not None or job.sample):
                    self._account(job, chunk.coder, numbers, buffer.frames(size), begin)
                self._count(job, begin, end, size)
                return buffer, write_frames(buffer, size, end - begin, self._signature)
            except Exception as error:
                job.failed(error)
            finally:
                job.record.codec += time.perf_counter() - start
        return buffer, write_error(buffer, job.error)

    def _account(self, job: Job, coder: laconic.Coder, numbers: torch.Tensor, frames: typing.Any, begin: int) -> None:
        """What the other ranks will see of this rank's numbers: for error feedback and for the statistics."""
        decoded = self._scratch_for(numbers)
        coder.decode(frames, decoded)
        if job.sample:
            job.record.sample(numbers, decoded)
        if job.residual is not None:
            lost = torch.sub(numbers, decoded, out=job.residual[begin:begin + numbers.numel()])
            lost.nan_to_num_(0.0, 0.0, 0.0)

    def _sum(self, chunk: _Chunk) -> None:
        """Adds the frames of this rank's part, and sends the sum."""
        job, exchange = chunk.job, chunk.exchange
        arrived = self._receive(chunk, 0)
        message = self._buffer(chunk, self._rank)
        size = 0
        try:
            sizes = self._read_all(chunk, arrived, lambda peer: self._rank)
            if job.error is None:
                size = self._added(chunk, arrived, sizes, message)
        except Exception as error:
            job.failed(error)
            if job.kind == "scatter" and not isinstance(error, RemoteError):
                self._late = error
        if job.kind == "scatter":
            self._scattered(chunk, message, size)
            return
        if job.error is None:
            begin, end = chunk.parts[self._rank]
            self._count(job, begin, end, size)
            write_frames(message, size, end - begin, self._signature)
        else:
            size = write_error(message, job.error)
        self._wire.send_sum(exchange, message.message(size))
        if job.error is None:
            self._decode(chunk, self._rank, message, size)
        self._summed.append(chunk)

    def _added(self, chunk: _Chunk, arrived: typing.Dict[int, Buffer], sizes: typing.Dict[int, int],
               out: Buffer) -> int:
        """out = the sum of all frames of this rank's part.  Returns its bytes."""
        begin, end = chunk.parts[self._rank]
        if end == begin:
            return 0
        start = time.perf_counter()
        coder = chunk.coder
        terms = [arrived[peer].frames(sizes[peer]) for peer in sorted(arrived)]
        if chunk.own is not None:
            terms.append(chunk.own.frames(chunk.own_bytes))
        total = terms[0]
        for k, term in enumerate(terms[1:]):
            last = chunk.own is not None and k == len(terms) - 2
            buffer = out if last else self._buffer(chunk, self._rank)
            total = buffer.frames(coder.add(total, term, buffer.room))
        size = total.size
        if chunk.own is None:  # the codec adds exactly: the sum is that of the frames
            size = coder.fold(total, chunk.job.numbers[begin:end], out.room)
        chunk.job.record.codec += time.perf_counter() - start
        return size

    def _finish(self, chunk: _Chunk) -> None:
        """Decodes the sums of the other ranks."""
        arrived = self._receive(chunk, 1)
        job = chunk.job
        try:
            sizes = self._read_all(chunk, arrived, lambda peer: peer)
        except Exception as error:
            job.failed(error)
        if job.error is None:
            for peer in sorted(arrived):
                self._decode(chunk, peer, arrived[peer], sizes[peer])
        self._close(chunk)

    def _scattered(self, chunk: _Chunk, total: Buffer, size: int) -> None:
        """The end of a chunk of the kind "scatter"."""
        job = chunk.job
        begin, end = chunk.parts[self._rank]
        if job.error is None and end > begin:
            base = self._rank * (job.numbers.numel() // self._size)
            self._decode_into(chunk, total, size, job.out[begin - base:end - base])
        self._close(chunk)

    def _close(self, chunk: _Chunk) -> None:
        self._wire.close(chunk.exchange)
        chunk.job.chunks_left -= 1
        if chunk.job.chunks_left == 0:
            chunk.job.finish()

    # --- their parts

    def _receive(self, chunk: _Chunk, stage: int) -> typing.Dict[int, Buffer]:
        start = time.perf_counter()
        arrived = self._wire.receive(chunk.exchange, stage)
        chunk.job.record.wait += time.perf_counter() - start
        return arrived

    def _read_all(self, chunk: _Chunk, arrived: typing.Dict[int, Buffer],
                  part_of: typing.Callable[[int], int]) -> typing.Dict[int, int]:
        sizes = {}
        for peer in sorted(arrived):
            begin, end = chunk.parts[part_of(peer)]
            sizes[peer] = read(arrived[peer], end - begin, self._signature, peer)
        return sizes

    def _decode(self, chunk: _Chunk, peer: int, message: Buffer, size: int) -> None:
        begin, end = chunk.parts[peer]
        if end > begin:
            self._decode_into(chunk, message, size, chunk.job.numbers[begin:end])

    def _decode_into(self, chunk: _Chunk, message: Buffer, size: int, out: torch.Tensor) -> None:
        start = time.perf_counter()
        try:
            chunk.coder.decode(message.frames(size), out, float(chunk.job.divisor))
        except Exception as error:
            # Too late to tell it in this exchange: the other ranks hear of it in the next one.
            chunk.job.failed(error)
            self._late = error
        chunk.job.record.codec += time.perf_counter() - start

    def _buffer(self, chunk: _Chunk, part: int) -> Buffer:
        buffer = self._pool.take(chunk.exchange.capacities[part])
        chunk.exchange.held.append(buffer)
        return buffer

    def _error_message(self, chunk: _Chunk) -> torch.Tensor:
        buffer = self._pool.take(0)
        chunk.exchange.held.append(buffer)
        return buffer.message(write_error(buffer, chunk.job.error))

    def _count(self, job: Job, begin: int, end: int, size: int) -> None:
        job.record.uncompressed_bytes += (end - begin) * job.itemsize
        job.record.sent_bytes += size

    def _scratch_for(self, like: torch.Tensor) -> torch.Tensor:
        key = (like.dtype, like.numel())
        if key not in self._scratch:
            self._scratch[key] = torch.empty_like(like)
        return self._scratch[key]

    def _coder_for(self, job: Job) -> laconic.Coder:
        dtype = job.numbers.dtype
        bound = self._options.bound
        if bound.mode == "rel":
            return self._coder(dtype, self._absolute(job, bound.value))
        key = (dtype, bound.text)
        if key not in self._coders:
            self._coders[key] = self._coder(*key)
        return self._coders[key]

    def _coder(self, dtype: torch.dtype, bound: str) -> laconic.Coder:
        codec = None if bound == "lossless" else self._options.codec
        return laconic.Coder(dtype, bound, codec=codec, contributions=self._size, threads=self._options.threads)

    def _absolute(self, job: Job, share: float) -> str:
        """The bound for this share of the range of all ranks' numbers."""
        least, greatest = float("inf"), float("-inf")
        if job.error is None:
            least, greatest = laconic.finite_range(job.numbers)
        ends = torch.tensor([greatest, -least], dtype=torch.float64)
        dist.all_reduce(ends, op=dist.ReduceOp.MAX, group=self._group)
        bound = share * float(ends.sum())
        return f"abs:{bound!r}" if 0 < bound < float("inf") else "lossless"
