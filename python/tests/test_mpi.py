# SPDX-License-Identifier: BSD-3-Clause
"""Collectives of mpi4py communicators: every case of mpi_ranks.py on several numbers of ranks."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
TIMEOUT = 240


def mpiexec():
    """The launcher of the MPI that laconic was built for: TEST_MPIEXEC, or the one beside this Python."""
    beside = pathlib.Path(sys.executable).parent / "mpiexec"
    return os.environ.get("TEST_MPIEXEC") or (str(beside) if beside.exists() else shutil.which("mpiexec"))


def has_collectives():
    """In a process of its own: importing mpi4py initialises MPI."""
    done = subprocess.run([sys.executable, "-c", "import laconic.mpi"], capture_output=True, text=True, timeout=60)
    return done.returncode == 0, done.stderr


def needs_collectives():
    """Fails where collectives cannot be used, and skips the test where none are expected (TEST_WITHOUT_MPI)."""
    good, said = has_collectives()
    if not good and os.environ.get("TEST_WITHOUT_MPI"):
        pytest.skip("this installation is one without MPI")
    assert good, said


def mpi_environment():
    """For ranks that share a few cores, as root or not."""
    return {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
            "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "MPIR_CVAR_ENABLE_GPU": "0"}


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_all_collectives(ranks):
    needs_collectives()
    done = subprocess.run([mpiexec(), "-n", str(ranks), sys.executable, str(HERE / "mpi_ranks.py")], capture_output=True,
                          text=True, timeout=TIMEOUT, env=mpi_environment())
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-6000:]
    assert done.stdout.count(": ok") == 9, done.stdout


def test_another_mpi_is_named():
    """Where mpi4py uses another MPI, the error says which, and what to do."""
    needs_collectives()
    program = ("from mpi4py import MPI\n"
               "import laconic, laconic._mpi\n"
               "laconic._mpi.version_of_mpi = lambda: 'Another MPI v1.0'\n"
               "try:\n    import laconic.mpi\n"
               "except ImportError as error:\n    print(error)\n")
    # The real thing needs two MPI libraries in one process; what is replaced here is what the other one would say.
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, env=mpi_environment())
    assert "Another MPI v1.0" in done.stdout and "MPICC=" in done.stdout, done.stdout + done.stderr
