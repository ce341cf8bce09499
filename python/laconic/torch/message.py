# SPDX-License-Identifier: BSD-3-Clause
"""Messages of the transport torch: a header, and frames or the text of an error.

A rank whose codec fails sends its error in the place of the frames, so that no rank waits in vain and all of them
raise.
"""
from __future__ import annotations

import struct
import typing

import numpy
import torch

_HEADER = struct.Struct("<4sIqqQ")  # magic, status, bytes after the header, numbers, signature of the settings
_MAGIC = b"LCTX"
_FRAMES, _ERROR = 0, 1
HEADER_BYTES = _HEADER.size

# Room for the text of an error in every buffer that receives.
TEXT_BYTES = 480


class RemoteError(RuntimeError):
    """Another rank failed, and said why."""


class Buffer:
    """Bytes of one message, as a tensor (n,) of uint8 for torch and as an array (n,) of uint8 for the codec."""

    __slots__ = ("tensor", "array")

    def __init__(self, size: int) -> None:
        self.tensor = torch.empty(size, dtype=torch.uint8)
        self.array = self.tensor.numpy()

    @property
    def size(self) -> int:
        return self.array.size

    @property
    def room(self) -> numpy.ndarray:
        """Where the frames go."""
        return self.array[HEADER_BYTES:]

    def frames(self, size: int) -> numpy.ndarray:
        """The frames, of a size that read() has returned."""
        return self.array[HEADER_BYTES:HEADER_BYTES + size]

    def message(self, size: int) -> torch.Tensor:
        """The header and `size` bytes after it."""
        return self.tensor[:HEADER_BYTES + size]


class Pool:
    """Buffers for reuse: fresh memory costs more than coding into it.  For one thread."""

    def __init__(self) -> None:
        self._free: typing.Dict[int, typing.List[Buffer]] = {}

    def take(self, payload: int) -> Buffer:
        """A buffer for a header and `payload` bytes, or for the text of an error."""
        size = HEADER_BYTES + max(payload, TEXT_BYTES)
        free = self._free.get(size)
        return free.pop() if free else Buffer(size)

    def give(self, buffer: Buffer) -> None:
        self._free.setdefault(buffer.size, []).append(buffer)


def write_frames(buffer: Buffer, size: int, count: int, signature: int) -> int:
    """Puts the header before `size` bytes of frames.  Returns `size`."""
    _HEADER.pack_into(buffer.array, 0, _MAGIC, _FRAMES, size, count, signature)
    return size


def write_error(buffer: Buffer, error: BaseException) -> int:
    """Makes the message an error.  Returns the bytes after the header."""
    text = f"{type(error).__name__}: {error}".encode()[:TEXT_BYTES]
    _HEADER.pack_into(buffer.array, 0, _MAGIC, _ERROR, len(text), 0, 0)
    buffer.array[HEADER_BYTES:HEADER_BYTES + len(text)] = numpy.frombuffer(text, numpy.uint8)
    return len(text)


def read(buffer: Buffer, count: int, signature: int, rank: int) -> int:
    """The bytes of frames in a message from `rank`.  Errors: RemoteError if that rank failed, RuntimeError if it coded
    other numbers, or with other settings."""
    magic, status, size, held, theirs = _HEADER.unpack_from(buffer.array, 0)
    if magic != _MAGIC:
        raise RuntimeError(f"rank {rank} sent something else than a message of laconic.torch")
    if status == _ERROR:
        text = bytes(buffer.frames(size)).decode(errors="replace")
        raise RemoteError(f"laconic.torch failed on rank {rank}: {text}")
    if held != count or theirs != signature:
        raise RuntimeError(f"rank {rank} sent {held} numbers with settings {theirs:x}; this rank expected {count} with "
                           f"{signature:x}.  All ranks need equal models and equal arguments of State")
    return size
