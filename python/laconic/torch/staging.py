# SPDX-License-Identifier: BSD-3-Clause
"""From the tensors of a model to numbers on the host, and back.

The codec runs on the host.  Tensors of a CUDA device are copied to pinned memory on the current stream, and back on a
stream of their own.  This way has not been measured, nor run on a GPU.
"""
from __future__ import annotations

import contextlib
import typing

import torch


def wide(dtype: torch.dtype, error_feedback: bool) -> torch.dtype:
    """The type in which numbers are coded.

    float16 is coded as float32: sums of several ranks may exceed 65504 where their mean does not.  With error feedback
    bfloat16 is too, so that the next step gets what was lost and not a rounded part of it.
    """
    if dtype == torch.float16 or (error_feedback and dtype == torch.bfloat16):
        return torch.float32
    return dtype


class Staged:
    """One tensor (n,) on its way through the host.  Made in the thread, and on the stream, that has written it."""

    def __init__(self, source: torch.Tensor, result: torch.Tensor, dtype: torch.dtype, pins: "Pins",
                 name: typing.Hashable) -> None:
        self._source, self._result, self._dtype, self._pins = source, result, dtype, pins
        self._host = source
        self._ready: typing.Optional[torch.cuda.Event] = None
        if source.is_cuda:
            self._host = pins.take(name, source)
            self._host.copy_(source, non_blocking=True)
            self._ready = torch.cuda.Event()
            self._ready.record(torch.cuda.current_stream(source.device))

    def load(self) -> torch.Tensor:
        """The numbers.  Where source and dtype allow it, they are the source itself."""
        if self._ready is not None:
            self._ready.synchronize()
        return self._host if self._host.dtype == self._dtype else self._host.to(self._dtype)

    def store(self, numbers: torch.Tensor) -> None:
        """The result tensor = numbers."""
        if self._result.is_cuda:
            host = numbers if numbers.dtype == self._result.dtype else numbers.to(self._result.dtype)
            with self.stream():
                self._result.copy_(host, non_blocking=host.is_pinned())
                self._result.record_stream(torch.cuda.current_stream(self._result.device))
        elif numbers.data_ptr() != self._result.data_ptr():
            self._result.copy_(numbers)

    def stream(self) -> typing.ContextManager:
        """Where futures are completed, so that who waits for them waits for store()."""
        if not self._result.is_cuda:
            return contextlib.nullcontext()
        return torch.cuda.stream(self._pins.stream(self._result.device))


class Pins:
    """Pinned memory and streams, kept from step to step."""

    def __init__(self) -> None:
        self._memory: typing.Dict[typing.Hashable, torch.Tensor] = {}
        self._streams: typing.Dict[torch.device, torch.cuda.Stream] = {}

    def take(self, name: typing.Hashable, like: torch.Tensor) -> torch.Tensor:
        """Memory for `like`; the same in every call with the same name, fresh memory where it is None."""
        if name is None:
            return torch.empty(like.shape, dtype=like.dtype, pin_memory=True)
        kept = self._memory.get(name)
        if kept is None or kept.numel() != like.numel() or kept.dtype != like.dtype:
            kept = self._memory[name] = torch.empty(like.shape, dtype=like.dtype, pin_memory=True)
        return kept

    def stream(self, device: torch.device) -> torch.cuda.Stream:
        if device not in self._streams:
            self._streams[device] = torch.cuda.Stream(device)
        return self._streams[device]


def check(tensor: torch.Tensor, what: str, dtypes: typing.Sequence[torch.dtype]) -> None:
    """Refuses what cannot be reduced.  Errors: TypeError."""
    if tensor.is_sparse or tensor.layout != torch.strided:
        raise TypeError(f"{what} is sparse; laconic.torch reduces dense gradients only.  Use sparse=False in the "
                        "embedding, or no hook for this model")
    if tensor.dtype not in dtypes:
        valid = ", ".join(str(dtype).rpartition(".")[2] for dtype in dtypes)
        raise TypeError(f"{what} has numbers of type {str(tensor.dtype).rpartition('.')[2]}; valid are {valid}")
    if tensor.device.type not in ("cpu", "cuda"):
        raise TypeError(f"{what} is on the device {tensor.device}; valid are cpu and cuda")
