# SPDX-License-Identifier: BSD-3-Clause
"""Data-parallel training with compressed gradients.

    state = laconic.torch.State()
    model.register_comm_hook(state, laconic.torch.hook)     # model: DistributedDataParallel

    laconic.torch.attach(model, preset="fast")              # the same in one line; also for fully_shard() models

All ranks keep equal parameters, bit for bit.  docs/pytorch.md says what to set and what to expect.
"""
from .fsdp import ReduceScatter
from .hook import attach, hook
from .state import State
from .stats import BucketStats, TotalStats

__all__ = ["BucketStats", "ReduceScatter", "State", "TotalStats", "attach", "hook"]
