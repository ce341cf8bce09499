# SPDX-License-Identifier: BSD-3-Clause
"""A compressed reduce-scatter for models of torch's fully_shard (FSDP2)."""
from __future__ import annotations

import typing

import torch
import torch.distributed as dist

from .options import DTYPES
from .staging import check
from .state import State

try:
    from torch.distributed.fsdp import FSDPModule
    from torch.distributed.fsdp._fully_shard._fsdp_api import ReduceScatter as _Base
except ImportError:  # an older torch
    FSDPModule = None  # type: ignore[assignment,misc]
    _Base = object  # type: ignore[assignment,misc]


def _check_torch() -> None:
    if FSDPModule is None or not hasattr(FSDPModule, "set_custom_reduce_scatter"):
        raise RuntimeError(
            f"torch {torch.__version__} has no FSDPModule.set_custom_reduce_scatter(); torch 2.13 does.  "
            "DistributedDataParallel with laconic.torch.hook works with this torch")


class ReduceScatter(_Base):
    """For FSDPModule.set_custom_reduce_scatter().

    state: its process group has the ranks of the reduce-scatter: those over which the parameters are sharded.

    Tensors below min_bytes go plain.  The state's `tune` has no effect: every other call is compressed.
    Errors: RuntimeError where this torch has no such function.
    """

    def __init__(self, state: State) -> None:
        _check_torch()
        self._state = state
        if state._options.error_feedback:
            raise ValueError("error_feedback=True works with DistributedDataParallel only")

    def allocate(self, size: typing.Sequence[int], *, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
        """A tensor for the input or the output."""
        return torch.empty(*size, dtype=dtype, device=device)

    def __call__(self, output_tensor: torch.Tensor, input_tensor: torch.Tensor, group: dist.ProcessGroup,
                 op: typing.Any, async_op: bool = False) -> typing.Optional["_Work"]:
        """output_tensor = this rank's part of the sum or mean of input_tensor.

        output_tensor: (n,), input_tensor: (ranks * n,), of one floating-point type.  op: ReduceOp.SUM or ReduceOp.AVG.
        Returns what can be waited for if async_op is true, else None.
        Errors: TypeError and ValueError for arguments; RuntimeError on every rank where one of them fails.
        """
        state = self._state
        state.start()
        check(input_tensor, "the input of the reduce-scatter", DTYPES)
        mean = _is_mean(op)
        ranks = dist.get_process_group_ranks(group)
        if ranks != dist.get_process_group_ranks(state.group):
            raise ValueError(f"the reduce-scatter is over the ranks {ranks}, the State over "
                             f"{dist.get_process_group_ranks(state.group)}; pass process_group=mesh.get_group() to "
                             "State")
        if len(ranks) == 1:
            output_tensor.copy_(input_tensor)
            return None
        if input_tensor.numel() * input_tensor.element_size() < state._options.min_bytes:
            return _plain(output_tensor, input_tensor, group, mean, async_op)
        future = state.reduce_scatter(output_tensor, input_tensor, mean)
        if async_op:
            return _Work(future)
        future.wait()
        return None


class _Work:
    """The part of torch's Work that fully_shard() uses."""

    def __init__(self, future: torch.futures.Future) -> None:
        self._future = future

    def wait(self) -> bool:
        self._future.wait()
        return True

    def get_future(self) -> torch.futures.Future:
        return self._future


def _is_mean(op: typing.Any) -> bool:
    if op == dist.ReduceOp.AVG:
        return True
    if op == dist.ReduceOp.SUM:
        return False
    raise ValueError(f"the reduce-scatter has the operation {op}; valid are SUM and AVG.  fully_shard() uses others "
                     "where a gradient divide factor is set: call set_force_sum_reduction_for_comms(True) on the model")


def _plain(output: torch.Tensor, input: torch.Tensor, group: dist.ProcessGroup, mean: bool,
           async_op: bool) -> typing.Any:
    if mean:  # gloo has no AVG
        input = input / dist.get_world_size(group)
    return dist.reduce_scatter_tensor(output, input, group=group, async_op=async_op)


def attach_fsdp(model: torch.nn.Module, bound: typing.Optional[str] = None, **options: typing.Any) -> State:
    """Gives every part of a model after fully_shard() the same compressed reduce-scatter.  Returns the State."""
    _check_torch()
    parts = [module for module in model.modules() if isinstance(module, FSDPModule)]
    if not parts:
        raise TypeError(f"model is a {type(model).__name__}; valid are DistributedDataParallel models and models after "
                        "fully_shard()")
    state = State(bound, **options)
    scatter = ReduceScatter(state)
    for part in parts:
        part.set_custom_reduce_scatter(scatter)
    return state
