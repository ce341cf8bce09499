# SPDX-License-Identifier: BSD-3-Clause
"""The error of the mean, against float64, for numbers of every kind."""
from __future__ import annotations

import lzma
import pathlib
import time
import typing

import torch

import laconic.torch as lt
from torch_models import state
from torch_registry import World, case, digest

DATA = pathlib.Path(__file__).resolve().parents[3] / "data"
BLOCK = 512  # numbers that share a step with a bound rms
DTYPES = (torch.float32, torch.bfloat16, torch.float16, torch.float64)
HALF_UNIT = {torch.float32: 2.0**-24, torch.float64: 2.0**-53, torch.bfloat16: 2.0**-9, torch.float16: 2.0**-12}
LEAST = {torch.float32: 2.0**-149, torch.float64: 2.0**-1074, torch.bfloat16: 2.0**-133, torch.float16: 2.0**-24}


class Bucket:
    """What reduce_bucket() uses of torch's GradBucket."""

    def __init__(self, index: int, buffer: torch.Tensor) -> None:
        self._index, self._buffer = index, buffer
        self.parameter = torch.nn.Parameter(torch.zeros(buffer.numel()))

    def index(self) -> int:
        return self._index

    def buffer(self) -> torch.Tensor:
        return self._buffer

    def parameters(self) -> typing.List[torch.Tensor]:
        return [self.parameter]


def _gradient_like(count: int, generator: torch.Generator) -> torch.Tensor:
    """Layers of very different size, heavy tails, and rows of zeros, as in embeddings."""
    numbers = torch.randn(count, generator=generator, dtype=torch.float64)
    numbers *= torch.randn(count, generator=generator, dtype=torch.float64).abs() ** 2
    scale = 10.0 ** (-1 - 4 * torch.rand(count // 700 + 1, generator=generator, dtype=torch.float64))
    numbers *= scale.repeat_interleave(700)[:count]
    numbers[(torch.arange(count) // 96) % 5 == 3] = 0
    return numbers


def kinds(count: int, generator: torch.Generator, dtype: torch.dtype) -> typing.Dict[str, torch.Tensor]:
    def normal() -> torch.Tensor:
        return torch.randn(count, generator=generator, dtype=torch.float64)

    sparse = torch.where(torch.rand(count, generator=generator) < 0.01, normal(), torch.zeros((), dtype=torch.float64))
    largest = {torch.float32: 37, torch.bfloat16: 37, torch.float16: 4, torch.float64: 300}[dtype]
    powers = (torch.rand(count, generator=generator, dtype=torch.float64) * 2 - 1) * largest
    found = {
        "random": normal(),
        "gradients": _gradient_like(count, generator),
        "sparse": sparse,
        "constant": torch.full((count,), 0.3, dtype=torch.float64),
        "zero": torch.zeros(count, dtype=torch.float64),
        "denormal": normal() * LEAST[dtype] * 50,
        "huge range": normal().sign() * 10.0**powers,
    }
    return {name: numbers.to(dtype) for name, numbers in found.items()}


def rms_of_blocks(x: torch.Tensor) -> torch.Tensor:
    """The root mean square of the block of each number."""
    count = x.numel()
    padded = torch.nn.functional.pad(x.double(), (0, -count % BLOCK)).view(-1, BLOCK)
    filled = torch.full((padded.shape[0],), float(BLOCK), dtype=torch.float64)
    if count % BLOCK:
        filled[-1] = count % BLOCK
    greatest = padded.abs().amax(1).clamp_min(1e-300)  # squares of float64 numbers may overflow
    rms = ((padded / greatest[:, None]).square().sum(1) / filled).sqrt() * greatest
    return rms.repeat_interleave(BLOCK)[:count]


def allowed(bound: str, all_x: typing.List[torch.Tensor]) -> torch.Tensor:
    """What the error model says, for every number of the mean."""
    mode, _, value = bound.partition(":")
    share = float(value) if value else 0.0
    if mode == "rms":
        return share * sum(rms_of_blocks(x) for x in all_x) / len(all_x)
    if mode == "rel":
        share *= float(max(x.double().max() for x in all_x) - min(x.double().min() for x in all_x))
    return torch.full((all_x[0].numel(),), share, dtype=torch.float64)


def check_mean(world: World, mean: torch.Tensor, mine: torch.Tensor, bound: str, what: str) -> None:
    all_x = world.gather(mine)
    exact = sum(x.double() / world.size for x in all_x)
    # The rounding of the result's type, and of adding numbers in blocks that are kept uncompressed.
    unit = HALF_UNIT[torch.float32] if mine.dtype == torch.float16 else HALF_UNIT[mine.dtype]
    size = sum(x.double().abs() / world.size for x in all_x)
    slack = (world.size - 1) * unit * size + 2 * HALF_UNIT[mine.dtype] * exact.abs() + LEAST[mine.dtype]
    limit = allowed(bound, all_x) * (1 + 1e-9) + slack * 1.01
    error = (mean.double() - exact).abs()
    worst = int((error - limit).argmax())
    assert bool((error <= limit).all()), (what, bound, worst, float(error[worst]), float(limit[worst]))


def reduced(made: lt.State, buffers: typing.List[torch.Tensor]) -> typing.List[torch.Tensor]:
    """The means of some buckets of one step."""
    copies = [buffer.clone() for buffer in buffers]
    futures = [made.reduce_bucket(Bucket(k, copy)) for k, copy in enumerate(copies)]
    for future, copy in zip(futures, copies):
        assert future.wait().data_ptr() == copy.data_ptr(), "the result is not in the bucket's own buffer"
    return copies


def _check(world: World, bound: str, dtypes: typing.Sequence[torch.dtype], count: int, **options) -> None:
    for dtype in dtypes:
        made = state(bound, **options)
        found = kinds(count, world.generator(3), dtype)
        means = reduced(made, list(found.values()))
        for (name, mine), mean in zip(found.items(), means):
            check_mean(world, mean, mine, bound, f"{name} {dtype}")
        world.assert_equal(digest(means), f"the bits of the means of {dtype} with {bound}")
        made.close()


@case()
def mean_rms(world: World) -> None:
    _check(world, "rms:0.1", DTYPES, 30011)


def saved_gradients(rank: int) -> torch.Tensor:
    """What one of four workers sent in a late step of a small transformer (data/README.md)."""
    with lzma.open(DATA / "gradients_gpt_4x131072.f32.xz") as packed:
        numbers = torch.frombuffer(bytearray(packed.read()), dtype=torch.float32)
    return numbers.view(4, -1)[rank % 4].clone()


@case()
def mean_of_saved_gradients(world: World) -> None:
    for bound in ("rms:0.1", "rms:0.3"):
        for dtype in (torch.float32, torch.bfloat16, torch.float16):
            mine = saved_gradients(world.rank).to(dtype)
            made = state(bound)
            mean, = reduced(made, [mine])
            check_mean(world, mean, mine, bound, f"saved gradients {dtype}")
            dense = state(bound, codec="dense")
            other, = reduced(dense, [mine])
            # Their bits, since zeros have signs.
            assert digest([other]) == digest([mean]), f"the means of dense and quant differ: {bound}, {dtype}"
            assert dense.total().ratio != made.total().ratio
            made.close()
            dense.close()


@case()
def mean_of_other_bounds(world: World) -> None:
    for bound in ("rms:0.3", "abs:1e-3", "rel:1e-3", "lossless"):
        _check(world, bound, (torch.float32,), 12345)


@case(2, 3)
def mean_of_other_codecs(world: World) -> None:
    _check(world, "abs:1e-3", (torch.float32,), 12345, codec="raw")
    made = state("abs:1e-2", codec="szx")
    mine = torch.randn(12345, generator=world.generator())
    mean, = reduced(made, [mine])
    exact = sum(x.double() for x in world.gather(mine)) / world.size
    # Sums are rounded again, at most once for every rank and once for the result.
    assert float((mean.double() - exact).abs().max()) <= 1e-2 * (world.size + 1)
    world.assert_equal(digest([mean]), "the bits of the mean with szx")


@case()
def mean_of_any_size(world: World) -> None:
    """Empty parts, one number, sizes about the limits of blocks, parts and chunks, and all of them at once."""
    made = state("rms:0.1", chunk_bytes=8192)
    sizes = [1, 2, 511, 512, 513, 1024, 1025, 1024 * world.size, 1024 * world.size + 1, 65536, 70001, 300000]
    for repeat in range(2):
        mine = [torch.randn(size, generator=world.generator(size + repeat)) for size in sizes]
        time.sleep(0.03 * ((world.rank + repeat) % world.size))  # ranks come at different times
        means = reduced(made, mine)
        for x, mean in zip(mine, means):
            check_mean(world, mean, x, "rms:0.1", f"{x.numel()} numbers")
        world.assert_equal(digest(means), "the bits of the means")


@case()
def not_finite(world: World) -> None:
    """Inf and NaN of one rank are in the mean of all ranks at the same place, and nowhere else."""
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        made = state("rms:0.1")
        mine = torch.randn(20000, generator=world.generator(1)).to(dtype)
        if world.rank == 0:
            mine[7] = float("inf")
            mine[15000] = float("-inf")
        if world.rank == world.size - 1:
            mine[9000] = float("nan")
        mean, = reduced(made, [mine])
        places = (~mean.isfinite()).nonzero().flatten().tolist()
        assert places == [7, 9000, 15000], places
        assert mean[7] == float("inf") and mean[15000] == float("-inf") and mean[9000].isnan()
        clean = mine.clone()
        clean[[7, 9000, 15000]] = 0
        mean[[7, 9000, 15000]] = 0
        # Blocks with such numbers are not rounded; for the others the bound is as always.
        check_mean(world, mean, clean, "rms:0.1", f"not finite {dtype}")


@case(5)
def float16_does_not_overflow(world: World) -> None:
    made = state("rms:0.1")
    mine = torch.full((5000,), 60000.0, dtype=torch.float16)
    mean, = reduced(made, [mine])
    assert bool(mean.isfinite().all()) and float((mean.float() - 60000).abs().max()) <= 6001
