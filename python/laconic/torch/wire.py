# SPDX-License-Identifier: BSD-3-Clause
"""How messages get from rank to rank in a process group of torch.

An exchange has two stages.  In the first, every rank sends every other one the frames of its part; in the second, every
rank sends its sum to all others.  Sizes vary, and are known to the sender only.
"""
from __future__ import annotations

import typing

import torch
import torch.distributed as dist

from .message import HEADER_BYTES, Buffer, Pool

_TAGS = 1 << 30


class Exchange:
    """The messages of one chunk: between the ranks of a group, named by their rank in it."""

    def __init__(self, sequence: int, capacities: typing.Sequence[int], stages: int) -> None:
        self.sequence = sequence  # the same on all ranks
        self.capacities = capacities  # of the frames of each rank's part
        self.stages = stages
        self.held: typing.List[Buffer] = []  # given back at the end
        self.works: typing.List[typing.Any] = []  # what was sent
        self.arriving: typing.List[typing.Dict[int, typing.Tuple[Buffer, typing.Any]]] = [{}, {}]
        self.outgoing: typing.Dict[int, torch.Tensor] = {}


class PointToPoint:
    """Sends and receives of gloo.  Every message has its own tag, so ranks may handle chunks in any order.

    A receive of gloo may be larger than its message, so no sizes are exchanged before the frames.
    """

    ordered = False  # ranks need not start the stages of all chunks in the same order

    def __init__(self, group: dist.ProcessGroup, pool: Pool) -> None:
        self._group, self._pool = group, pool
        self._rank, self._size = dist.get_rank(group), dist.get_world_size(group)
        self._global = [dist.get_global_rank(group, rank) for rank in range(self._size)]

    def _tag(self, exchange: Exchange, stage: int) -> int:
        return (2 * exchange.sequence + stage) % _TAGS

    def open(self, exchange: Exchange) -> None:
        """Makes room for everything that will arrive."""
        for stage in range(exchange.stages):
            for peer in range(self._size):
                if peer == self._rank:
                    continue
                buffer = self._pool.take(exchange.capacities[self._rank if stage == 0 else peer])
                exchange.held.append(buffer)
                work = dist.irecv(buffer.tensor, self._global[peer], group=self._group, tag=self._tag(exchange, stage))
                exchange.arriving[stage][peer] = (buffer, work)

    def send_part(self, exchange: Exchange, peer: int, message: torch.Tensor) -> None:
        exchange.works.append(dist.isend(message, self._global[peer], group=self._group, tag=self._tag(exchange, 0)))

    def parts_sent(self, exchange: Exchange) -> None:
        """All parts have been given to send_part()."""

    def send_sum(self, exchange: Exchange, message: torch.Tensor) -> None:
        for k in range(1, self._size):
            peer = self._global[(self._rank + k) % self._size]
            exchange.works.append(dist.isend(message, peer, group=self._group, tag=self._tag(exchange, 1)))

    def receive(self, exchange: Exchange, stage: int) -> typing.Dict[int, Buffer]:
        """Waits for the messages of a stage: rank -> message."""
        found = {}
        for peer, (buffer, work) in exchange.arriving[stage].items():
            work.wait()
            found[peer] = buffer
        return found

    def close(self, exchange: Exchange) -> None:
        for work in exchange.works:
            work.wait()
        for buffer in exchange.held:
            self._pool.give(buffer)
        exchange.held.clear()
        exchange.works.clear()
        exchange.arriving.clear()


class Collectives:
    """all_to_all_single and all_gather, which every backend has.  Sizes go first, in a collective of their own.

    For backends whose messages are in memory of a device (NCCL), the bytes are copied to it and back.
    """

    ordered = True  # collectives have to be called in the same order on all ranks

    def __init__(self, group: dist.ProcessGroup, pool: Pool, device: torch.device) -> None:
        self._group, self._pool, self._device = group, pool, device
        self._rank, self._size = dist.get_rank(group), dist.get_world_size(group)

    def open(self, exchange: Exchange) -> None:
        exchange.outgoing[self._rank] = torch.empty(0, dtype=torch.uint8)

    def send_part(self, exchange: Exchange, peer: int, message: torch.Tensor) -> None:
        exchange.outgoing[peer] = message

    def parts_sent(self, exchange: Exchange) -> None:
        messages = [exchange.outgoing[rank] for rank in range(self._size)]
        sizes = [message.numel() for message in messages]
        theirs = self._sizes(sizes)
        arriving = torch.empty(sum(theirs), dtype=torch.uint8, device=self._device)
        leaving = torch.cat(messages).to(self._device)
        work = dist.all_to_all_single(arriving, leaving, theirs, sizes, group=self._group, async_op=True)
        exchange.works.append((work, arriving, leaving, theirs))

    def send_sum(self, exchange: Exchange, message: torch.Tensor) -> None:
        theirs = self._sizes([message.numel()] * self._size)
        widest = max(theirs)
        leaving = torch.empty(widest, dtype=torch.uint8, device=self._device)
        leaving[:message.numel()] = message
        arriving = [torch.empty(widest, dtype=torch.uint8, device=self._device) for _ in range(self._size)]
        work = dist.all_gather(arriving, leaving, group=self._group, async_op=True)
        exchange.works.append((work, arriving, leaving, theirs))

    def receive(self, exchange: Exchange, stage: int) -> typing.Dict[int, Buffer]:
        work, arriving, _, sizes = exchange.works[stage]
        work.wait()
        blocks = list(arriving.split(sizes)) if stage == 0 else arriving
        found = {}
        for peer in range(self._size):
            if peer == self._rank:
                continue
            buffer = self._pool.take(sizes[peer] - HEADER_BYTES)
            exchange.held.append(buffer)
            buffer.tensor[:sizes[peer]] = blocks[peer][:sizes[peer]]
            found[peer] = buffer
        return found

    def close(self, exchange: Exchange) -> None:
        for buffer in exchange.held:
            self._pool.give(buffer)
        exchange.held.clear()
        exchange.works.clear()
        exchange.arriving.clear()

    def _sizes(self, mine: typing.List[int]) -> typing.List[int]:
        leaving = torch.tensor(mine, dtype=torch.int64, device=self._device)
        arriving = torch.empty_like(leaving)
        dist.all_to_all_single(arriving, leaving, group=self._group)
        return arriving.tolist()


Wire = typing.Union[PointToPoint, Collectives]
