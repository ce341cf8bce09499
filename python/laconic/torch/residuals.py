# SPDX-License-Identifier: BSD-3-Clause
"""Error feedback: what a step lost is added to the next one.

Residuals belong to parameters and not to buckets, because DistributedDataParallel forms its buckets anew after the
first step.  They stay on the host, in float32 (float64 for buckets of float64).
"""
from __future__ import annotations

import typing

import torch


class Residuals:
    def __init__(self) -> None:
        self._names: typing.Dict[int, typing.Tuple[torch.Tensor, str]] = {}  # id -> parameter (kept alive), name
        self._buckets: typing.Dict[int, typing.Tuple[tuple, torch.Tensor]] = {}  # index -> names, residual
        self._loose: typing.Dict[str, torch.Tensor] = {}  # loaded, or left from buckets that are no more
        self._sizes: typing.Dict[str, int] = {}

    def name(self, module: torch.nn.Module) -> None:
        """Names the parameters as `module` does.  Without this they are numbered in the order in which they are seen,
        which is the same in every run of a program."""
        for name, parameter in module.named_parameters():
            self._names[id(parameter)] = (parameter, name)

    def of(self, index: int, parameters: typing.Sequence[torch.Tensor], like: torch.Tensor) -> torch.Tensor:
        """The residual (n,) of a bucket, which the caller changes in place.  like: (n,), the numbers of the bucket."""
        names = tuple(self._name_of(parameter) for parameter in parameters)
        known = self._buckets.get(index)
        if known is not None and known[0] == names and known[1].numel() == like.numel():
            return known[1]
        self._dissolve(index, names)
        residual = torch.zeros_like(like)
        at = 0
        for name, parameter in zip(names, parameters):
            part = self._loose.pop(name, None)
            if part is not None and part.numel() == parameter.numel():
                residual[at:at + part.numel()] = part
            at += parameter.numel()
        self._buckets[index] = (names, residual)
        self._sizes.update((name, parameter.numel()) for name, parameter in zip(names, parameters))
        return residual

    def scale(self, factor: float) -> None:
        """For a loss scale that has changed by this factor: residuals are in scaled units."""
        for _, residual in self._buckets.values():
            residual.mul_(factor)
        for part in self._loose.values():
            part.mul_(factor)

    def state(self) -> typing.Dict[str, torch.Tensor]:
        """Copies of all residuals, (n,) each, by parameter."""
        return {name: part.clone() for name, part in {**self._loose, **self._parts(self._buckets)}.items()}

    def load(self, parts: typing.Mapping[str, torch.Tensor]) -> None:
        self._buckets.clear()
        self._loose = {name: part.detach().cpu().clone() for name, part in parts.items()}

    def _name_of(self, parameter: torch.Tensor) -> str:
        known = self._names.get(id(parameter))
        if known is None:
            known = self._names[id(parameter)] = (parameter, f"#{len(self._names)}")
        return known[1]

    def _parts(self, indices: typing.Iterable[int]) -> typing.Dict[str, torch.Tensor]:
        found = {}
        for names, residual in (self._buckets[index] for index in indices):
            at = 0
            for name in names:
                size = self._sizes[name]
                found[name] = residual[at:at + size]
                at += size
        return found

    def _dissolve(self, index: int, names: tuple) -> None:
        """Buckets were formed anew: those in the way of a new one return their parts.  Others may be in flight."""
        for old, (held, _) in list(self._buckets.items()):
            if old == index or not set(held).isdisjoint(names):
                self._loose.update(self._parts([old]))
                del self._buckets[old]
