# SPDX-License-Identifier: BSD-3-Clause
"""fully_shard() with the compressed reduce-scatter."""
from __future__ import annotations

import typing

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

import laconic.torch as lt
from torch_cases_mean import check_mean
from torch_models import state
from torch_registry import World, case


class Transformer(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(11)
        self.layers = torch.nn.ModuleList(
            [torch.nn.TransformerEncoderLayer(32, 2, 64, dropout=0.0, batch_first=True) for _ in range(2)])
        self.head = torch.nn.Linear(32, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = layer(x)
        return self.head(x.mean(1))


def _train(world: World, bound: typing.Optional[str], **policy) -> typing.Tuple[list, typing.Optional[lt.State]]:
    mesh = init_device_mesh("cpu", (world.size,))
    model = Transformer()
    for layer in model.layers:
        fully_shard(layer, mesh=mesh, **policy)
    fully_shard(model, mesh=mesh, **policy)
    made = None
    if bound:
        made = lt.attach(model, bound, transport="torch", tune=False, min_bytes=0, process_group=mesh.get_group())
    optimizer = torch.optim.AdamW(model.parameters(), 2e-3)
    losses = []
    for step in range(25):
        generator = world.generator(step)
        y = torch.randint(0, 5, (16,), generator=generator)
        x = torch.randn(16, 6, 32, generator=generator) + torch.nn.functional.one_hot(y, 32)[:, None] * 2.0
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x).float(), y)
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    return losses, made


@case(2, 3)
def fsdp_trains(world: World) -> None:
    plain, _ = _train(world, None)
    exact, _ = _train(world, "lossless")
    safe, made = _train(world, "rms:0.1")
    for a, b in zip(plain, exact):
        assert abs(a - b) < 1e-3 * max(1.0, a), (plain, exact)
    gap = abs(sum(plain[-8:]) - sum(safe[-8:])) / 8
    assert sum(safe[-8:]) < 0.6 * sum(safe[:8]) and gap < 0.1, (gap, plain, safe)
    total, = made.stats()
    assert total.index == -1 and total.ratio > 3 and total.steps == 75, total


@case(2)
def fsdp_mixed_precision(world: World) -> None:
    policy = {"mp_policy": MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.bfloat16)}
    losses, made = _train(world, "rms:0.1", **policy)
    assert sum(losses[-8:]) < 0.6 * sum(losses[:8]), losses
    assert made.total().compressed > 0


@case()
def reduce_scatter_mean(world: World) -> None:
    """Sums and means of any size keep the bound, for all types; small ones are plain."""
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        scatter = lt.ReduceScatter(state("abs:1e-2"))
        for count in (1, 1000, 4096, 20001):
            numbers = torch.randn(count * world.size, generator=world.generator(count)).to(dtype)
            out = scatter.allocate((count,), dtype=dtype, device=torch.device("cpu"))
            work = scatter(out, numbers, dist.group.WORLD, dist.ReduceOp.AVG, async_op=True)
            work.wait()
            whole = torch.cat(world.gather(out))
            check_mean(world, whole, numbers, "abs:1e-2", f"{count} {dtype}")
            assert scatter(out, numbers, dist.group.WORLD, dist.ReduceOp.SUM) is None
            sums = torch.cat(world.gather(out)).double() / world.size
            torch.testing.assert_close(sums, whole.double(), rtol=1e-2, atol=1e-5)
    plain = lt.ReduceScatter(state("abs:1e-2", min_bytes=1 << 20))
    numbers, out = torch.ones(100 * world.size), torch.empty(100)
    plain(out, numbers, dist.group.WORLD, dist.ReduceOp.AVG)
    assert torch.equal(out, torch.ones(100)) and not plain._state.stats()


@case(2)
def reduce_scatter_refuses(world: World) -> None:
    scatter = lt.ReduceScatter(state())
    numbers, out = torch.ones(4), torch.empty(2)
    for op, group in ((dist.ReduceOp.MAX, dist.group.WORLD), (dist.ReduceOp.SUM, dist.new_group([world.rank],
                      use_local_synchronization=True))):
        try:
            scatter(out, numbers, group, op)
        except ValueError as error:
            assert "valid are" in str(error) or "process_group" in str(error), error
        else:
            raise AssertionError("no error")
    try:
        lt.attach(torch.nn.Linear(2, 2))
    except TypeError as error:
        assert "fully_shard" in str(error)
    else:
        raise AssertionError("no error")
