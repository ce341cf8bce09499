# SPDX-License-Identifier: BSD-3-Clause
"""What goes wrong on one rank is an error on all of them, in time."""
from __future__ import annotations

import time
import typing

import torch
from torch.nn.parallel import DistributedDataParallel as DDP

import laconic.torch as lt
from laconic.torch import staging
from torch_cases_mean import Bucket
from torch_models import TIMEOUT, loss_of, mlp, state, train
from torch_registry import World, case, digest


class Broken:
    """A coder of which one function fails, at one of its calls."""

    def __init__(self, coder: typing.Any, function: str, call: int) -> None:
        self._coder, self._function, self._calls = coder, function, call

    def __getattr__(self, name: str) -> typing.Any:
        if name == self._function:
            self._calls -= 1
            if self._calls == 0:
                raise MemoryError("no memory for this test")
        return getattr(self._coder, name)


def break_coder(made: lt.State, function: str, call: int = 1) -> None:
    inner = made._engine._coder_for
    broken: dict = {}

    def coder_for(job):
        coder = inner(job)
        return broken.setdefault(id(coder), Broken(coder, function, call))

    made._engine._coder_for = coder_for


def mend(made: lt.State) -> None:
    del made._engine._coder_for


def raised(run: typing.Callable[[], typing.Any]) -> str:
    """The error of a function; empty where there is none."""
    try:
        run()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def _in_backward(world: World, function: str, call: int, rank: int) -> None:
    model = DDP(mlp(), bucket_cap_mb=0.008)
    made = state()
    model.register_comm_hook(made, lt.hook)
    train(model, world, 2)
    if world.rank == rank:
        break_coder(made, function, call)
    start = time.monotonic()
    error = raised(lambda: loss_of(model, world, 2).backward())
    assert "no memory for this test" in error, (function, error)
    assert world.rank == rank or f"rank {rank}" in error, error
    assert time.monotonic() - start < TIMEOUT.total_seconds() / 2, "the error came with the timeout"
    # The state is usable again: all ranks know of the error.
    if world.rank == rank:
        mend(made)
    other = DDP(mlp())
    other.register_comm_hook(made, lt.hook)
    train(other, world, 3)
    world.assert_equal(digest(other.parameters()), "SHA-256 of the parameters after an error")


@case()
def encode_fails(world: World) -> None:
    _in_backward(world, "encode", 1, 1)
    _in_backward(world, "encode", 2, world.size - 1)  # in a later part or chunk


@case(2, 4)
def fold_fails(world: World) -> None:
    _in_backward(world, "fold", 1, 0)


@case(2, 3)
def load_fails(world: World) -> None:
    """The numbers cannot be brought to the codec."""
    made = state()
    made.reduce_bucket(Bucket(0, torch.ones(5000))).wait()
    original = staging.Staged.load
    if world.rank == 1:
        staging.Staged.load = lambda self: 1 / 0  # in the worker, before anything is sent
    error = raised(lambda: made.reduce_bucket(Bucket(0, torch.ones(5000))).wait())
    staging.Staged.load = original
    assert "division by zero" in error, error


@case(3)
def decode_fails(world: World) -> None:
    """Too late for this exchange: the other ranks hear of it in the next one."""
    made = state()
    made.reduce_bucket(Bucket(0, torch.ones(5000))).wait()
    if world.rank == 2:
        break_coder(made, "decode", 2)
    first = raised(lambda: made.reduce_bucket(Bucket(0, torch.ones(5000))).wait())
    assert bool(first) == (world.rank == 2), first
    second = raised(lambda: made.reduce_bucket(Bucket(0, torch.ones(5000))).wait())
    assert "no memory for this test" in second, second


@case(2, 3)
def sparse_gradients(world: World) -> None:
    model = DDP(torch.nn.EmbeddingBag(50, 8, sparse=True))
    model.register_comm_hook(state(), lt.hook)
    error = raised(lambda: model(torch.arange(10).view(2, 5)).sum().backward())
    assert "sparse" in error and "laconic.torch" in error, error


@case(2)
def types_are_checked(world: World) -> None:
    error = raised(lambda: state().reduce_bucket(Bucket(0, torch.ones(4, dtype=torch.int32))))
    assert "int32" in error and "float16" in error, error
    error = raised(lambda: lt.hook(state(), (torch.ones(4), torch.nn.Parameter(torch.ones(4)))))
    assert "Python reducer" in error, error


@case(2, 4)
def settings_differ(world: World) -> None:
    error = raised(lambda: lt.State("rms:0.1" if world.rank else "rms:0.3", transport="torch"))
    assert "differ between ranks" in error, error


@case(2)
def counts_differ(world: World) -> None:
    made = state(chunk_bytes=1 << 20)
    error = raised(lambda: made.reduce_bucket(Bucket(0, torch.ones(5000 + 100 * world.rank))).wait())
    assert error, "no error"


@case(2)
def a_rank_leaves(world: World) -> None:
    """Who waits for a rank that does not come gets the timeout's error, and so do later calls."""
    import datetime

    made = state(timeout=datetime.timedelta(seconds=2))
    made.reduce_bucket(Bucket(0, torch.ones(5000))).wait()
    if world.rank == 0:
        assert raised(lambda: made.reduce_bucket(Bucket(0, torch.ones(5000))).wait())
        assert raised(lambda: made.reduce_bucket(Bucket(0, torch.ones(5000))).wait())


@case(2, 3)
def reduce_scatter_fails(world: World) -> None:
    for function in ("encode", "fold"):
        made = state()
        numbers, out = torch.ones(5000 * world.size), torch.empty(5000)
        made.reduce_scatter(out, numbers, True).wait()
        if world.rank == 1:
            break_coder(made, function)
        error = raised(lambda: made.reduce_scatter(out, numbers, True).wait())
        if world.rank == 1 or function == "encode":
            assert "no memory for this test" in error, (function, error)
        else:  # a sum has no second stage: the others hear of it in the next exchange
            error = raised(lambda: made.reduce_scatter(out, numbers, True).wait())
            assert "no memory for this test" in error, (function, error)
            continue
        if function == "fold":
            assert raised(lambda: made.reduce_scatter(out, numbers, True).wait())
