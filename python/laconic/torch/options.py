# SPDX-License-Identifier: BSD-3-Clause
"""The settings of a State, checked before anything is sent."""
from __future__ import annotations

import typing
import zlib

import torch

import laconic

PRESETS = {"safe": "rms:0.1", "fast": "rms:0.3"}
TRANSPORTS = ("auto", "torch", "mpi")
DTYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16)

# The codecs that add the frames of several ranks without rounding again.
EXACT_CODECS = ("quant", "dense", "lossless", "raw")


class Bound(typing.NamedTuple):
    """A bound, read from text: mode is "abs", "rel" (also for "range"), "block", "rms", "rate" or "lossless"; value is 0 with "lossless"."""

    mode: str
    value: float
    text: str


def bound_of(text: typing.Any) -> Bound:
    """Reads a bound.  Errors: TypeError if it is no text, laconic.Error with the library's message if it is no
    bound."""
    if not isinstance(text, str):
        raise TypeError(f"bound is a {type(text).__name__}; valid is text such as 'rms:0.1'")
    laconic.Coder("f32", text, codec="zfp" if text.startswith("rate") else None)
    mode, _, value = text.partition(":")
    return Bound("rel" if mode == "range" else mode, float(value) if value else 0.0, text)


class Options(typing.NamedTuple):
    """The arguments of State.  `transport` is "torch" or "mpi" once the process group is known."""

    bound: Bound
    transport: str
    codec: typing.Optional[str]
    algorithm: typing.Optional[str]
    variant: typing.Optional[str]
    error_feedback: bool
    min_bytes: int
    threads: int
    tune: bool
    chunk_bytes: int

    def signature(self) -> int:
        """A checksum of what has to be equal on all ranks."""
        return zlib.crc32(repr(self._replace(threads=0)).encode())

    def coded(self) -> str:
        """The codec by name."""
        if self.codec is not None:
            return self.codec
        return {"lossless": "lossless", "rate": "zfp"}.get(self.bound.mode, "quant")


def options_of(bound: typing.Optional[str], preset: typing.Optional[str], **rest: typing.Any) -> Options:
    """Checks the arguments of State.  Errors: ValueError, TypeError, or laconic.Error where the library refuses."""
    if preset is not None:
        if preset not in PRESETS:
            raise ValueError(f"preset '{preset}' is not valid; valid are {', '.join(PRESETS)}")
        if bound is not None and bound != PRESETS[preset]:
            raise ValueError(f"bound '{bound}' and preset '{preset}' were both given; give one of them")
        bound = PRESETS[preset]
    options = Options(bound=bound_of(PRESETS["safe"] if bound is None else bound), **rest)
    if options.transport not in TRANSPORTS:
        raise ValueError(f"transport '{options.transport}' is not valid; valid are {', '.join(TRANSPORTS)}")
    for name in ("min_bytes", "threads", "chunk_bytes"):
        value = getattr(options, name)
        least = 0 if name == "min_bytes" else 1
        if not isinstance(value, int) or value < least:
            raise ValueError(f"{name} is {value!r}; valid are integers of at least {least}")
    # The library checks codec and bound together; errors should come here and not in a worker thread.
    mode = options.bound.mode
    laconic.Coder("f32", "abs:1" if mode == "rel" else options.bound.text, codec=options.coded(), contributions=2,
                  threads=options.threads)
    if options.error_feedback:
        _check_error_feedback(options)
    return options


def _check_error_feedback(options: Options) -> None:
    mode, value, text = options.bound
    if mode == "rate" or options.coded() == "zfp":
        raise ValueError(
            f"error_feedback=True is refused with '{text}' and the codec {options.coded()}: the error is not bounded, "
            "so the residuals can grow from step to step, and training diverges.  Use a bound such as rms:0.1")
    if mode in ("rms", "block", "rel") and value >= 1:
        raise ValueError(
            f"error_feedback=True is refused with '{text}': the error of a step may be as large as the gradients "
            "themselves, so the residuals need not shrink, and training may diverge.  Use a bound below 1, such as "
            "rms:0.3")
    if options.transport == "mpi":
        raise ValueError("error_feedback=True needs transport='torch': over MPI a rank does not see its own frames")
