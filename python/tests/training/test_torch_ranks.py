# SPDX-License-Identifier: BSD-3-Clause
"""Everything that needs several ranks (torch_cases_*.py), on 2 to 5 ranks with gloo."""
from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("torch")

import torch_launch
import torch_registry

torch_registry.load()

# For all cases of one number of ranks together; they take a quarter of it on two cores.
SECONDS = 240
SEED = int(os.environ.get("TEST_SEED", "1"))

_results: dict = {}


@pytest.mark.parametrize("size,name", [(size, name) for size in torch_registry.ALL
                                       for name in torch_registry.names(size)])
def test_case(size: int, name: str, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> None:
    if size not in _results:
        wanted = [item.callspec.params["name"] for item in request.session.items
                  if item.name.startswith("test_case[") and item.callspec.params["size"] == size]
        _results[size] = torch_launch.run(tmp_path_factory.mktemp(f"ranks{size}"), size, SEED, wanted, SECONDS)
    if _results[size][name]:
        pytest.fail(_results[size][name], pytrace=False)


def test_program_ends_without_an_error(tmp_path: pathlib.Path) -> None:
    """The thread of a State does not outlive the interpreter."""
    def start(rank: int) -> subprocess.Popen:
        command = [sys.executable, str(torch_launch.HERE / "torch_example_rank.py"), str(tmp_path / "store"), str(rank)]
        return subprocess.Popen(command, env=torch_launch.environment(rank, 2, 60), stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)

    ranks = [start(rank) for rank in range(2)]
    try:
        said = [process.communicate(timeout=90)[0] for process in ranks]
    finally:
        for process in ranks:
            process.kill()
            process.wait()
    assert [process.returncode for process in ranks] == [0, 0], said
