# SPDX-License-Identifier: BSD-3-Clause
"""The transport mpi: ranks started by mpiexec, with gloo for what is plain."""
from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("torch")

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SECONDS = 150


def _mpiexec() -> str:
    """The one of this environment, else the one in PATH."""
    beside = pathlib.Path(sys.executable).parent / "mpiexec"
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    assert found is not None, "there is no mpiexec"
    return found


def _usable() -> bool:
    code = "import laconic.mpi"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60).returncode == 0


def _idle(tmp_path: pathlib.Path) -> list:
    """Options of tests/mpirun that let waiting ranks sleep: four of them that poll are slow on two cores."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    source, library = ROOT / "bench" / "lab" / "idle.c", tmp_path / "idle.so"
    if compiler is None or not source.exists():
        return []
    built = subprocess.run([compiler, "-O2", "-shared", "-fPIC", str(source), "-o", str(library), "-ldl"],
                           capture_output=True, timeout=60)
    return ["--preload", str(library)] if built.returncode == 0 else []


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_mpi(size: int, tmp_path: pathlib.Path) -> None:
    mpiexec = _mpiexec()
    assert _usable(), "laconic.mpi cannot be imported: laconic or mpi4py was installed without an MPI"
    env = dict(os.environ, GLOO_SOCKET_IFNAME="lo", OMP_NUM_THREADS="1",
               PYTHONPATH=os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])]))
    # tests/mpirun knows how to run more ranks than there are cores.
    command = [sys.executable, str(ROOT / "tests" / "mpirun"), "--mpiexec", mpiexec, *_idle(tmp_path),
               "--timeout", str(SECONDS - 10), "-n", str(size), "--", sys.executable,
               str(HERE / "torch_mpi_rank.py"), str(tmp_path / "store")]
    with open(tmp_path / "log", "w") as log:
        process = subprocess.Popen(command, env=env, stdout=log, stderr=log)
        try:
            code = process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
            code = -1
    text = (tmp_path / "log").read_text()
    assert code == 0 and text.count("all is well") == size, text[-6000:]
