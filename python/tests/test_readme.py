# SPDX-License-Identifier: BSD-3-Clause
"""The programs of python/README.md run as they are printed there."""
import importlib.util
import pathlib
import re
import subprocess
import sys

import pytest

from test_mpi import mpi_environment, mpiexec, needs_collectives

README = pathlib.Path(__file__).resolve().parents[1] / "README.md"
TIMEOUT = 120
PROGRAMS = re.findall(r"^```python\n(.*?)^```", README.read_text(), re.M | re.S)


def run(folder, which, launcher):
    program = folder / "program.py"
    program.write_text(PROGRAMS[which])
    done = subprocess.run([*launcher, str(program)], capture_output=True, text=True, timeout=TIMEOUT, env=mpi_environment())
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_there_are_three():
    assert len(PROGRAMS) == 3


def test_codecs(tmp_path):
    said = run(tmp_path, 0, [sys.executable])
    assert float(re.search(r"ratio ([\d.]+)", said).group(1)) > 2 and "FramesInfo(frames=16, count=1000000" in said


def test_collectives(tmp_path):
    needs_collectives()
    assert "Stats(calls=3" in run(tmp_path, 1, [mpiexec(), "-n", "2", sys.executable])


def test_training(tmp_path):
    if importlib.util.find_spec("torch") is None:
        pytest.skip("PyTorch is not installed")
    said = run(tmp_path, 2, [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--master-addr", "127.0.0.1",
                             "--master-port", "29641"])
    assert "ratio" in said
