# SPDX-License-Identifier: BSD-3-Clause
"""GradScaler, error feedback, checkpoints, statistics, and switching off."""
from __future__ import annotations

import copy
import logging
import pickle
import warnings

import torch
from torch.nn.parallel import DistributedDataParallel as DDP

import laconic.torch as lt
from laconic.torch import tune
from torch_cases_mean import Bucket
from torch_models import assert_close, loss_of, mlp, state, train
from torch_registry import World, case, digest


@case(2, 4)
def grad_scaler(world: World) -> None:
    """Inf on one rank: all ranks skip the step, lower the scale, and go on."""
    for feedback in (False, True):
        model = DDP(mlp())
        scaler = torch.amp.GradScaler("cpu", init_scale=1024.0, growth_interval=1000)
        made = state(error_feedback=feedback, scaler=scaler)
        model.register_comm_hook(made, lt.hook)
        optimizer = torch.optim.SGD(model.parameters(), 0.05)
        losses = []
        for step in range(40):
            optimizer.zero_grad()
            loss = loss_of(model, world, step)
            before = digest(model.parameters())
            scaled = scaler.scale(loss)
            if step == 9 and world.rank == 0:
                scaled = scaled * float("inf")
            scaled.backward()
            scaler.step(optimizer)
            scaler.update()
            assert (digest(model.parameters()) == before) == (step == 9), f"step {step}"
            losses.append(float(loss.detach()))
        world.assert_equal((digest(model.parameters()), scaler.get_scale()), "parameters and scale")
        assert scaler.get_scale() == 512.0
        assert sum(losses[-5:]) < sum(losses[:5])
        for part in made.state_dict()["residuals"].values():
            assert bool(part.isfinite().all())
            assert not feedback or float(part.abs().max()) > 0


class Fixed(torch.nn.Module):
    """A model whose gradients are known: those of step 0 are in `gradients`, and are the same in every step."""

    def __init__(self, world: World) -> None:
        super().__init__()
        torch.manual_seed(3)
        shapes = [(40, 30), (700,), (13, 100), (5,), (2000,)]
        self.weights = torch.nn.ParameterList([torch.nn.Parameter(torch.randn(shape)) for shape in shapes])
        self.gradients = [torch.randn(shape, generator=world.generator(9)) * 10.0 ** (-k)
                          for k, shape in enumerate(shapes)]

    def forward(self) -> torch.Tensor:
        return sum((w * g).sum() for w, g in zip(self.weights, self.gradients))


@case()
def error_feedback_loses_nothing(world: World) -> None:
    """What was applied and the residuals add up to all gradients, although the buckets are formed anew after step 1."""
    for dtype, precision in ((torch.float32, 2e-5), (torch.bfloat16, 3e-2)):
        inner = Fixed(world).to(dtype)
        inner.gradients = [g.to(dtype) for g in inner.gradients]
        model = DDP(inner, bucket_cap_mb=0.004)
        made = lt.attach(model, "rms:0.5", transport="torch", tune=False, min_bytes=0, error_feedback=True)
        applied = [torch.zeros(w.shape) for w in inner.weights]
        steps = 12
        for _ in range(steps):
            model.zero_grad()
            model().backward()
            for total, weight in zip(applied, inner.weights):
                total += weight.grad.float()
        residuals = world.gather(made.state_dict()["residuals"])
        gradients = world.gather(inner.gradients)
        for k, total in enumerate(applied):
            exact = steps * sum(one[k].double() for one in gradients) / world.size
            kept = sum(one[f"weights.{k}"].double() for one in residuals).view(total.shape) / world.size
            scale = float(exact.abs().max())
            worst = float((total.double() + kept - exact).abs().max())
            assert worst <= precision * scale, (dtype, k, worst, scale)
            assert float(kept.abs().max()) > 10 * precision * scale / steps or dtype != torch.float32


@case(2)
def residuals_follow_the_scale(world: World) -> None:
    """A loss scale that doubles gives the doubled residuals, to the bit."""
    results = []
    for factors in ((1.0, 1.0, 1.0), (1.0, 2.0, 8.0)):
        class Scaler:
            scale = 1.0

            def get_scale(self) -> float:
                return self.scale

        scaler = Scaler()
        made = state(error_feedback=True, scaler=scaler)
        parameter = torch.nn.Parameter(torch.zeros(3000))
        means = []
        for step, factor in enumerate(factors):
            scaler.scale = factor
            bucket = Bucket(0, torch.randn(3000, generator=world.generator(step)) * factor)
            bucket.parameter = parameter
            means.append(made.reduce_bucket(bucket).wait() / factor)
        results.append(digest(means))
    assert results[0] == results[1]


@case(2, 3)
def zeros_leave_residuals(world: World) -> None:
    made = state(error_feedback=True)
    parameter = torch.nn.Parameter(torch.zeros(3000))
    residuals = []
    for zero in (False, world.rank == 0):
        numbers = torch.randn(3000, generator=world.generator(int(zero)))
        bucket = Bucket(0, torch.zeros(3000) if zero else numbers)
        bucket.parameter = parameter
        made.reduce_bucket(bucket).wait()
        residuals.append(digest(made.state_dict()["residuals"].values()))
    assert (residuals[0] == residuals[1]) == (world.rank == 0)


@case(2, 3)
def checkpoint(world: World) -> None:
    """Training that was saved and loaded gives the bits of one that was not interrupted."""
    def begin():
        # Without find_unused_parameters, the buckets of the first step after loading would be others.
        model = DDP(mlp(), find_unused_parameters=True)
        return model, lt.attach(model, "rms:0.3", transport="torch", tune=False, min_bytes=0, error_feedback=True)

    model, made = begin()
    optimizer = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9)
    train(model, world, 12, optimizer=optimizer)
    saved = pickle.loads(pickle.dumps((model.state_dict(), optimizer.state_dict(), made.state_dict())))
    train(model, world, 12, first=12, optimizer=optimizer)

    again, remade = begin()
    other = torch.optim.SGD(again.parameters(), 0.05, momentum=0.9)
    again.load_state_dict(saved[0])
    other.load_state_dict(saved[1])
    remade.load_state_dict(saved[2])
    train(again, world, 12, first=12, optimizer=other)
    assert digest(again.parameters()) == digest(model.parameters())
    assert remade.total().steps == 24
    # Residuals matter, or this case would show nothing.
    fresh, _ = begin()
    fresh.load_state_dict(saved[0])
    train(fresh, world, 12, first=12)
    assert digest(fresh.parameters()) != digest(model.parameters())

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        remade.load_state_dict({**saved[2], "world_size": 7})
    assert any("begin at zero" in str(one.message) for one in caught)
    assert not remade.state_dict()["residuals"]


@case(2)
def copies_begin_anew(world: World) -> None:
    made = state("rms:0.3")
    for other in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert other.bound == "rms:0.3" and other._options == made._options
        other.reduce_bucket(Bucket(0, torch.ones(2000))).wait()


@case(2, 4)
def statistics(world: World) -> None:
    made = state(chunk_bytes=1 << 20)
    for step in range(3):
        futures = [made.reduce_bucket(Bucket(k, torch.randn(100000 * (k + 1), generator=world.generator(step))))
                   for k in range(2)]
        for future in futures:
            future.wait()
    first, second = made.stats()
    assert (first.index, first.bytes, first.steps, first.compressed) == (0, 400000, 3, 3), first
    assert second.bytes == 800000
    for one in (first, second, made.total()):
        assert 4 < one.ratio < 9, one
        assert 0.02 < one.rms_error < 0.1, one
        assert one.seconds_codec > 0 and one.seconds_wait > 0, one
    assert made.total().buckets == 2 and made.total().bytes == 1200000 and made.total().steps == 3


@case(2, 3)
def switches_off(world: World) -> None:
    """All ranks switch off together, where plain steps are faster on the slowest rank; one of them says so, once."""
    said = []
    handler = logging.Handler()
    handler.emit = lambda record: said.append(record.getMessage())
    logging.getLogger("laconic").addHandler(handler)
    try:
        made = state(tune=True)
        inner = made._tuner.end
        # Only one rank finds compressed steps slow.
        slow = 3.0 if world.rank == world.size - 1 else 0.5
        made._tuner.end = lambda seconds: inner(slow if made.compressing else 1.0)
        model = DDP(mlp(), bucket_cap_mb=0.008)
        model.register_comm_hook(made, lt.hook)
        plain = DDP(mlp(), bucket_cap_mb=0.008)
        kinds = []
        optimizer = torch.optim.SGD(model.parameters(), 0.01)
        for step in range(30):
            optimizer.zero_grad()
            loss_of(model, world, step).backward()
            kinds.append(made.compressing)
            optimizer.step()
        world.assert_equal(kinds, "the kinds of the steps")
        world.assert_equal(digest(model.parameters()), "SHA-256 of the parameters")
        assert True in kinds and False in kinds[:20] and kinds[-10:] == [False] * 10, kinds
        assert len(said) == (1 if world.rank == 0 else 0), said
        assert world.rank or "off" in said[0]
        # When it is off, the results are those of a plain model.
        train(plain, world, 2)  # now it has the same buckets
        plain.module.load_state_dict(model.module.state_dict())
        for one in (model, plain):
            one.zero_grad()
            loss_of(one, world, 31).backward()
        assert digest(p.grad for p in model.parameters()) == digest(p.grad for p in plain.parameters())
        # Later it is measured again, and found faster.
        made._tuner._wait = 0
        made._tuner.end = lambda seconds: inner(0.5 if made.compressing else 1.0)
        for step in range(2 * tune.LATER_PAIRS + 2):
            loss_of(model, world, step).backward()
        assert made.compressing
    finally:
        logging.getLogger("laconic").removeHandler(handler)


@case(2)
def one_rank_alone(world: World) -> None:
    """A group of one rank has nothing to send."""
    import torch.distributed as dist

    groups = [dist.new_group([rank]) for rank in range(world.size)]
    made = state(process_group=groups[world.rank])
    numbers = torch.randn(1000)
    assert torch.equal(made.reduce_bucket(Bucket(0, numbers.clone())).wait(), numbers)
    assert_close(torch.nn.Module(), torch.nn.Module())
