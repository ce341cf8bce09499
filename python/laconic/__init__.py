# SPDX-License-Identifier: BSD-3-Clause
"""Laconic: arrays of numbers in fewer bytes, with a bound on the error that you set.

    import laconic, numpy as np
    frames = laconic.compress(array, "rel:1e-4")      # bytes; with out=buffer, a view of its first bytes
    again = laconic.decompress(frames)                # |again - array| <= 1e-4 * (max - min)

Bounds are text: "abs:1e-3", "rel:1e-4", "range:1e-4", "block:1e-4", "rms:0.1", "rate:8", "lossless" (docs/error-model.md).
Arrays are C-contiguous and in host memory: objects with Python's buffer protocol (NumPy, bytes, memoryview)
or with DLPack (PyTorch, JAX).  Their numbers are float16, bfloat16, float32, float64, or with the bound
lossless integers of 8 to 64 bits.

Collectives of mpi4py communicators are in laconic.mpi, and can be called from here as well:
laconic.Allreduce(...), laconic.wrap(comm, ...).  Data-parallel training with PyTorch is in laconic.torch.
"""
from __future__ import annotations

import typing

from . import _codec
from ._codec import Error, finite_range

__version__: str = _codec.version()
__all__ = ["Coder", "Error", "FramesInfo", "compress", "decompress", "describe", "finite_range"]

# The names of types in other libraries; the values are Laconic's.
_DTYPES = {
    "float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "int8": "i8", "uint8": "u8",
    "int16": "i16", "uint16": "u16", "int32": "i32", "uint32": "u32", "int64": "i64", "uint64": "u64",
}
_NUMPY = {short: long for long, short in _DTYPES.items()}


class FramesInfo(typing.NamedTuple):
    """What the headers of frames say (describe())."""

    frames: int  # their number
    count: int  # numbers in all of them
    dtype: typing.Optional[str]  # "f32", "f64", "f16", "bf16", "i8", ..., "u64"; None without frames
    codec: typing.Optional[str]  # "quant", "dense", "lossless", "raw", "szx", "zfp"; None without frames
    error: float  # the largest absolute error of any number, against exact arithmetic


def _dtype_name(dtype: typing.Any) -> str:
    """The library's name of a type: of "f32", "float32", numpy.float32, numpy.dtype(...) or torch.float32."""
    if isinstance(dtype, str):
        name = dtype
    else:
        name = str(getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or dtype)
    return _DTYPES.get(name.rpartition(".")[2], name)


class Coder(_codec.Coder):
    """Encodes, decodes and adds arrays with the same settings, in buffers of the caller.

    dtype: the type of the numbers: "f32", numpy.float32, torch.bfloat16, ...
    bound: on every number of one encode().  With "rel:E" it is relative to the range of that array.
    codec: "quant" (the default), "dense" (smaller frames that take longer), "lossless" (the default with the bound
        lossless), "raw"; experimental: "szx", "zfp".
    reduction: what fold() and add() do with two numbers: "sum", "max" or "min".
    contributions: the most arrays that frames will combine.
    frame_elements: numbers per frame; 0: 65536.
    denormals: "round", or "exact" to keep blocks with denormal numbers bit for bit.
    threads: threads that code; 1 is the calling thread alone.  The frames are the same for any number.

    A coder may be used by several threads, one at a time; the others wait.  After its first calls it allocates
    nothing.  Errors: ValueError and TypeError for arguments, laconic.Error for what the library reports.
    """

    def __init__(self, dtype: typing.Any, bound: str, *, codec: typing.Optional[str] = None, reduction: str = "sum",
                 contributions: int = 1, frame_elements: int = 0, denormals: str = "round", threads: int = 1) -> None:
        super().__init__(_dtype_name(dtype), bound, codec=codec, reduction=reduction, contributions=contributions,
                         frame_elements=frame_elements, denormals=denormals, threads=threads)


def compress(array: typing.Any, bound: str, *, codec: typing.Optional[str] = None, threads: int = 1,
             out: typing.Any = None) -> typing.Union[bytes, memoryview]:
    """The frames of all numbers of an array of any shape, in C order.

    array: C-contiguous, in host memory.
    bound, codec, threads: as in Coder.
    out: a writable contiguous buffer with at least Coder(...).capacity(array.size) bytes; the result is a view of its
        first bytes.  Where arrays are large, this saves mapping new memory for every call.  None: the result is bytes.
    Errors: ValueError and TypeError for arguments, laconic.Error for what the library reports.
    """
    return _codec.compress(array, bound, codec=codec, threads=threads, out=out)


def describe(frames: typing.Any) -> FramesInfo:
    """The number, type and error of what frames hold.  Errors: laconic.Error for bytes that are not frames."""
    return FramesInfo(*_codec.describe(frames))


def _empty(dtype: str, count: int) -> typing.Any:
    import numpy

    if dtype != "bf16":
        return numpy.empty(count, _NUMPY[dtype])
    try:
        import ml_dtypes
    except ImportError:
        raise TypeError("the frames hold bfloat16, which NumPy does not have; install ml_dtypes, or pass `out`") from None
    return numpy.empty(count, ml_dtypes.bfloat16)


def decompress(frames: typing.Any, *, out: typing.Any = None, threads: int = 1) -> typing.Any:
    """The numbers of compress() or of a Coder.

    frames: bytes, or another contiguous buffer.
    out: a writable C-contiguous array of the type and count of the numbers, which is filled and returned; None: a
        one-dimensional NumPy array is made.
    Errors: laconic.Error for bytes that are not whole frames, or hold another number of numbers than `out`.
    """
    info = describe(frames)
    dtype = info.dtype or "f32"
    if out is None:
        out = _empty(dtype, info.count)
    _codec.Coder(dtype, "lossless", threads=threads).decode(frames, out)
    return out


_MPI = ("AVG", "Request", "Stats", "prepare", "stats", "reset_stats", "predict_error", "tuning", "wrap")


def __getattr__(name: str) -> typing.Any:
    # MPI is loaded, and with mpi4py initialised, only by those who use it.
    if name in _MPI or (name[:1].isupper() and not name.startswith("__")):
        from . import mpi

        if hasattr(mpi, name):
            return getattr(mpi, name)
    raise AttributeError(f"module 'laconic' has no attribute {name!r}")
