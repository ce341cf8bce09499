# SPDX-License-Identifier: BSD-3-Clause
"""The hook in all the ways in which DistributedDataParallel is used."""
from __future__ import annotations

import contextlib

import torch
from torch.nn.parallel import DistributedDataParallel as DDP

import laconic.torch as lt
from laconic.torch.wire import Collectives
from torch_models import assert_close, batch, both, loss_of, mlp, state, train
from torch_registry import World, case, digest

MB = 1.0 / (1 << 20)


def _replicas(world: World, dtype: torch.dtype, steps: int = 200, **options) -> lt.State:
    """Training with several buckets leaves equal parameters, which have learnt something."""
    model = DDP(mlp().to(dtype), bucket_cap_mb=2000 * dtype.itemsize * MB)
    made = state(**options)
    model.register_comm_hook(made, lt.hook)
    losses = train(model, world, steps, dtype)
    world.assert_equal(digest(model.parameters()), f"SHA-256 of the parameters after {steps} steps of {dtype}")
    head, tail = sum(losses[:10]), sum(losses[-10:])
    assert tail < 0.7 * head, (head, tail)
    assert len(made.stats()) > 1 and all(one.compressed == one.steps for one in made.stats())
    return made


@case()
def replicas_float32(world: World) -> None:
    _replicas(world, torch.float32)


@case()
def replicas_bfloat16(world: World) -> None:
    _replicas(world, torch.bfloat16)


@case()
def replicas_float16(world: World) -> None:
    _replicas(world, torch.float16)


@case(3)
def replicas_of_other_settings(world: World) -> None:
    _replicas(world, torch.float64, 60)
    _replicas(world, torch.float32, 60, preset="fast")
    _replicas(world, torch.float32, 60, bound="abs:1e-4")
    _replicas(world, torch.float32, 60, bound="rel:1e-3")
    _replicas(world, torch.float32, 60, bound="rms:0.3", error_feedback=True)
    _replicas(world, torch.float32, 60, codec="dense")
    _replicas(world, torch.float32, 60, bound="abs:1e-4", codec="szx")


class CollectiveState(lt.State):
    """Uses the wire of backends without gloo's messages."""

    def _new_wire(self, pool):
        return Collectives(self._own, pool, torch.device("cpu"))


@case(2, 3)
def replicas_by_collectives(world: World) -> None:
    model = DDP(mlp(), bucket_cap_mb=8000 * MB)
    other = DDP(mlp(), bucket_cap_mb=8000 * MB)
    model.register_comm_hook(CollectiveState(transport="torch", tune=False, min_bytes=0, chunk_bytes=8192), lt.hook)
    other.register_comm_hook(state(chunk_bytes=8192), lt.hook)
    train(model, world, 20)
    train(other, world, 20)
    world.assert_equal(digest(model.parameters()), "SHA-256 of the parameters")
    assert digest(model.parameters()) == digest(other.parameters()), "the wires give different bits"


@case()
def bucket_rebuild(world: World) -> None:
    plain, hooked, made = both(mlp, lambda model: train(model, world, 6), bucket_cap_mb=4000 * MB)
    assert_close(plain, hooked)
    assert len(made.stats()) > 1  # torch makes one bucket for the first step, and several after it


@case(2, 3)
def gradient_as_bucket_view(world: World) -> None:
    assert_close(*both(mlp, lambda model: train(model, world, 6), gradient_as_bucket_view=True)[:2])


@case(2, 3)
def static_graph(world: World) -> None:
    assert_close(*both(mlp, lambda model: train(model, world, 6), static_graph=True)[:2])


@case(2, 4)
def no_sync(world: World) -> None:
    def run(model: DDP) -> None:
        optimizer = torch.optim.SGD(model.parameters(), 0.05)
        for step in range(9):
            with model.no_sync() if step % 3 else contextlib.nullcontext():
                loss_of(model, world, step).backward()
            if step % 3 == 0:
                optimizer.step()
                optimizer.zero_grad()

    plain, hooked, made = both(mlp, run)
    assert_close(plain, hooked)
    assert made.total().steps == 3


class Branches(torch.nn.Module):
    """Uses one of its two branches in turn, and never its last layer."""

    def __init__(self) -> None:
        super().__init__()
        self.left, self.right, self.never = mlp(), mlp(), torch.nn.Linear(4, 4)
        self.turn = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.turn += 1
        return self.left(x) if self.turn % 2 else self.right(x)


@case(2, 3)
def unused_parameters(world: World) -> None:
    assert_close(*both(Branches, lambda model: train(model, world, 6), find_unused_parameters=True)[:2])


@case(2, 3)
def join(world: World) -> None:
    def run(model: DDP) -> None:
        optimizer = torch.optim.SGD(model.parameters(), 0.05)
        with model.join():
            for step in range(3 + 2 * world.rank):
                optimizer.zero_grad()
                loss_of(model, world, step).backward()
                optimizer.step()

    plain, hooked, _ = both(mlp, run)
    assert_close(plain, hooked)
    lossy = DDP(mlp())
    lossy.register_comm_hook(state(error_feedback=True), lt.hook)
    run(lossy)
    world.assert_equal(digest(lossy.parameters()), "SHA-256 of the parameters after join()")


@case(2)
def compiled(world: World) -> None:
    def run(model: DDP) -> None:
        train(torch.compile(model, backend="aot_eager"), world, 5)

    assert_close(*both(mlp, run)[:2])


@case(2, 3)
def min_bytes(world: World) -> None:
    """Small buckets are plain, to the bit; large ones are not."""
    made = state(min_bytes=8000)
    plain, hooked = DDP(mlp(), bucket_cap_mb=2500 * MB), DDP(mlp(), bucket_cap_mb=2500 * MB)
    hooked.register_comm_hook(made, lt.hook)
    train(hooked, world, 3)
    train(plain, world, 3)
    found = made.stats()
    assert any(one.bytes < 8000 for one in found) and any(one.bytes >= 8000 for one in found), found
    for one in found[1:]:  # the first one was the only one of the first step
        assert one.compressed == (one.steps if one.bytes >= 8000 else 0), found
    world.assert_equal(digest(hooked.parameters()), "SHA-256 of the parameters")
    everything = state(min_bytes=1 << 30)
    exact = DDP(mlp(), bucket_cap_mb=2500 * MB)
    exact.register_comm_hook(everything, lt.hook)
    train(exact, world, 3)
    assert digest(exact.parameters()) == digest(plain.parameters())
    assert everything.total().compressed == 0


@case(4)
def subgroups(world: World) -> None:
    """Two models, each on half of the ranks."""
    import torch.distributed as dist

    groups = [dist.new_group([0, 2]), dist.new_group([1, 3])]
    model = DDP(mlp(), process_group=groups[world.rank % 2])
    made = lt.attach(model, transport="torch", tune=False, min_bytes=0)
    half = World(world.rank, 2, world.seed + world.rank % 2)
    train(model, half, 10)
    found = world.gather(digest(model.parameters()))
    assert found[0] == found[2] and found[1] == found[3] and found[0] != found[1]
    assert made.total().compressed == 10


@case(2)
def auto_is_torch_without_mpi(world: World) -> None:
    assert lt.State(tune=False).transport == "torch"


@case(3)
def input_is_not_shared(world: World) -> None:
    """The result is in the bucket's own buffer, and gradients of the caller are not kept."""
    model = DDP(mlp())
    made = lt.attach(model, transport="torch", tune=False, min_bytes=0)
    x, y = batch(world, 0)
    for _ in range(3):
        model.zero_grad(set_to_none=True)
        (model(x) - y).square().mean().backward()
        world.assert_equal(digest(p.grad for p in model.parameters()), "SHA-256 of the gradients")
    assert made.total().steps == 3
