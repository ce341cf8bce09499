# SPDX-License-Identifier: BSD-3-Clause
"""One rank of test_torch_mpi.py: mpiexec -n N python torch_mpi_rank.py STORE"""
from __future__ import annotations

import datetime
import faulthandler
import os
import sys

faulthandler.dump_traceback_later(120, exit=True)
from mpi4py import MPI

RANK, SIZE = MPI.COMM_WORLD.Get_rank(), MPI.COMM_WORLD.Get_size()
if RANK == SIZE - 1:
    os.environ["LACONIC_ISA"] = "baseline"

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

import laconic.torch as lt
from torch_cases_errors import raised
from torch_cases_mean import Bucket, check_mean, kinds, reduced
from torch_models import mlp, state, train
from torch_registry import World, digest


def replicas(world: World, dtype: torch.dtype, steps: int, **options) -> None:
    model = DDP(mlp().to(dtype), bucket_cap_mb=0.008)
    made = state(**{"transport": "mpi", **options})
    assert made.transport == "mpi"
    model.register_comm_hook(made, lt.hook)
    losses = train(model, world, steps, dtype)
    world.assert_equal(digest(model.parameters()), f"SHA-256 of the parameters, {dtype}, {options}")
    assert sum(losses[-5:]) < sum(losses[:5]), options
    assert made.total().compressed == steps and made.total().ratio > 1, made.total()


def main() -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{sys.argv[1]}", rank=RANK, world_size=SIZE,
                            timeout=datetime.timedelta(seconds=60))
    world = World(RANK, SIZE, 1)
    assert lt.State(tune=False).transport == "mpi"
    assert lt.State(tune=False, error_feedback=True).transport == "torch"
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        replicas(world, dtype, 200)
    for algorithm in ("ring", "recursive-doubling", "direct"):
        replicas(world, torch.float32, 40, algorithm=algorithm)
    replicas(world, torch.float32, 40, bound="abs:1e-4", variant="nd")
    for algorithm in ("ring", "recursive-doubling"):
        error = raised(lambda: replicas(world, torch.float32, 40, bound="rate:8", codec="zfp", algorithm=algorithm))
        assert not error or "zfp" in error, error  # a build without libzfp says so
    for bound in ("rms:0.1", "abs:1e-3", "rel:1e-3", "lossless"):
        made = state(bound, transport="mpi")
        found = kinds(20011, world.generator(3), torch.float32)
        means = reduced(made, list(found.values()))
        for (name, mine), mean in zip(found.items(), means):
            if not bound.startswith("rms"):  # with rms, blocks begin where the library's chunks do
                check_mean(world, mean, mine, bound, name)
        world.assert_equal(digest(means), f"the bits of the means with {bound}")
    made = state(transport="mpi")
    mine = torch.randn(20000, generator=world.generator(1))
    if RANK == 0:
        mine[7] = float("inf")
    mean, = reduced(made, [mine])
    assert (~mean.isfinite()).nonzero().flatten().tolist() == [7]
    scatter = lt.ReduceScatter(state("abs:1e-2", transport="mpi"))
    numbers, out = torch.randn(5000 * SIZE, generator=world.generator(2)), torch.empty(5000)
    scatter(out, numbers, dist.group.WORLD, dist.ReduceOp.AVG)
    check_mean(world, torch.cat(world.gather(out)), numbers, "abs:1e-2", "reduce-scatter")
    if RANK == 1:  # fails on one rank, before its call
        made._engine._sample = lambda job: 1 / 0
        made._steps = 0
    bucket = Bucket(0, torch.ones(5000))
    if RANK != 1:
        made._steps = 0
    error = raised(lambda: made.reduce_bucket(bucket).wait())
    assert "division by zero" in error, error
    print("all is well", flush=True)
    dist.barrier()
    MPI.COMM_WORLD.Barrier()


main()
