# SPDX-License-Identifier: BSD-3-Clause
"""Small models and their training, for the cases."""
from __future__ import annotations

import datetime
import typing

import torch
from torch.nn.parallel import DistributedDataParallel as DDP

import laconic.torch as lt
from torch_registry import World

TIMEOUT = datetime.timedelta(seconds=40)


def state(bound: typing.Optional[str] = None, **options: typing.Any) -> lt.State:
    """A State that compresses everything, in several chunks."""
    made = {"transport": "torch", "tune": False, "min_bytes": 0, "chunk_bytes": 16384, "timeout": TIMEOUT, **options}
    return lt.State(bound, **made)


def mlp(width: int = 48) -> torch.nn.Module:
    torch.manual_seed(5)
    return torch.nn.Sequential(torch.nn.Linear(20, width), torch.nn.Tanh(), torch.nn.Linear(width, width),
                               torch.nn.Tanh(), torch.nn.Linear(width, 4))


def batch(world: World, step: int, dtype: torch.dtype = torch.float32) -> typing.Tuple[torch.Tensor, torch.Tensor]:
    """Inputs (8, 20) and targets (8, 4) of this rank: a fixed smooth function, and noise."""
    generator = world.generator(step)
    x = torch.randn(8, 20, generator=generator)
    y = torch.stack([x[:, :5].sum(1), (x[:, 5] * 2).sin(), x[:, 6] - x[:, 7], x[:, 8].abs()], 1)
    return x.to(dtype), (y + 0.05 * torch.randn(8, 4, generator=generator)).to(dtype)


def loss_of(model: torch.nn.Module, world: World, step: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    x, y = batch(world, step, dtype)
    return (model(x) - y).float().square().mean()


def train(model: torch.nn.Module, world: World, steps: int, dtype: torch.dtype = torch.float32, first: int = 0,
          rate: float = 0.05, optimizer: typing.Optional[torch.optim.Optimizer] = None) -> typing.List[float]:
    optimizer = optimizer or torch.optim.SGD(model.parameters(), rate, momentum=0.9)
    losses = []
    for step in range(first, first + steps):
        optimizer.zero_grad()
        loss = loss_of(model, world, step, dtype)
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    return losses


def both(make: typing.Callable[[], torch.nn.Module], run: typing.Callable[[DDP], None], bound: str = "lossless",
         **ddp: typing.Any) -> typing.Tuple[DDP, DDP, lt.State]:
    """Runs the same training on a plain model and on one with the hook."""
    plain, hooked = DDP(make(), **ddp), DDP(make(), **ddp)
    made = state(bound)
    hooked.register_comm_hook(made, lt.hook)
    for model in (plain, hooked):
        run(model)
    return plain, hooked, made


def assert_close(plain: torch.nn.Module, hooked: torch.nn.Module) -> None:
    """Equal parameters, up to the order of additions in several steps."""
    for (name, a), (_, b) in zip(plain.named_parameters(), hooked.named_parameters()):
        torch.testing.assert_close(b, a, rtol=2e-4, atol=2e-6, msg=lambda text: f"{name}: {text}")
