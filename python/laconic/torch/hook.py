# SPDX-License-Identifier: BSD-3-Clause
"""The two lines: a hook for DistributedDataParallel, and attach(), which registers it."""
# No deferred annotations here: DistributedDataParallel compares those of the hook with its types.
import typing

import torch
import torch.distributed as dist

from .state import State


def hook(state: State, bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]:
    """The mean of a bucket of gradients over the ranks, compressed.  For model.register_comm_hook(state, hook).

    Errors: TypeError for sparse gradients and for types other than float32, float64, float16 and bfloat16.
    """
    if isinstance(bucket, tuple):
        raise RuntimeError("torch's Python reducer (torch._dynamo.config.optimize_ddp = 'python_reducer') passes "
                           "single gradients and ignores the hook's result; laconic.torch needs torch's default, "
                           "'ddp_optimizer'")
    return state.reduce_bucket(bucket)


def attach(model: torch.nn.Module, bound: typing.Optional[str] = None, **options: typing.Any) -> State:
    """Compresses the gradients of a DistributedDataParallel model, or of a model after fully_shard().

    Returns the State.

    bound, options: those of State.  process_group is the model's own if not given.
    """
    if isinstance(model, torch.nn.parallel.DistributedDataParallel):
        options.setdefault("process_group", model.process_group)
        state = State(bound, **options)
        state.name_parameters(model.module)
        model.register_comm_hook(state, hook)
        return state
    from .fsdp import attach_fsdp

    return attach_fsdp(model, bound, **options)
