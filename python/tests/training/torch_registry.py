# SPDX-License-Identifier: BSD-3-Clause
"""Cases that run on several ranks: functions of a World, which raise where something is wrong."""
from __future__ import annotations

import hashlib
import importlib
import typing

ALL = (2, 3, 4, 5)
MODULES = ("torch_cases_ddp", "torch_cases_mean", "torch_cases_errors", "torch_cases_state", "torch_cases_fsdp")
CASES: typing.Dict[str, typing.Tuple[typing.Callable, typing.Tuple[int, ...]]] = {}


def case(*sizes: int):
    """Marks a function as a case for these numbers of ranks; all of ALL where none is given."""
    def register(function: typing.Callable) -> typing.Callable:
        CASES[function.__name__] = (function, sizes or ALL)
        return function
    return register


def load() -> None:
    for module in MODULES:
        importlib.import_module(module)


def names(size: int) -> typing.List[str]:
    return [name for name, (_, sizes) in CASES.items() if size in sizes]


class World:
    """The ranks of a case."""

    def __init__(self, rank: int, size: int, seed: int) -> None:
        self.rank, self.size, self.seed = rank, size, seed

    def generator(self, salt: int = 0, same: bool = False):
        """A generator of random numbers, different on every rank unless `same`."""
        import torch

        generator = torch.Generator()
        generator.manual_seed(self.seed * 1000003 + salt * 101 + (0 if same else self.rank + 1))
        return generator

    def gather(self, mine: typing.Any) -> list:
        import torch.distributed as dist

        found = [None] * self.size
        dist.all_gather_object(found, mine)
        return found

    def assert_equal(self, mine: typing.Any, what: str) -> None:
        """The same on all ranks."""
        found = self.gather(mine)
        assert all(one == found[0] for one in found), f"{what} differs between ranks: {found}"


def digest(tensors: typing.Iterable) -> str:
    """SHA-256 of all bits."""
    import torch

    sha = hashlib.sha256()
    for tensor in tensors:
        sha.update(tensor.detach().contiguous().view(torch.uint8).numpy().tobytes())
    return sha.hexdigest()
