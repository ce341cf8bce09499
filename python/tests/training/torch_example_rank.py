# SPDX-License-Identifier: BSD-3-Clause
"""A program as users write it, on one of two ranks: python torch_example_rank.py STORE RANK"""
import faulthandler
import sys

faulthandler.dump_traceback_later(60, exit=True)
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import laconic.torch

dist.init_process_group("gloo", init_method=f"file://{sys.argv[1]}", rank=int(sys.argv[2]), world_size=2)
model = DistributedDataParallel(torch.nn.Linear(300, 300))
state = laconic.torch.State()
model.register_comm_hook(state, laconic.torch.hook)
optimizer = torch.optim.SGD(model.parameters(), 0.01)
for _ in range(20):
    optimizer.zero_grad()
    model(torch.randn(8, 300)).square().mean().backward()
    optimizer.step()
assert state.total().compressed > 0
print(state.total())
dist.destroy_process_group()
