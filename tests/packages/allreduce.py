# SPDX-License-Identifier: BSD-3-Clause
"""A compressed Allreduce of two ranks by the installed package."""
import numpy as np
from mpi4py import MPI

import laconic

mine = np.sin(1e-3 * np.arange(100000)) + MPI.COMM_WORLD.rank
total = np.empty_like(mine)
laconic.Allreduce(mine, total, MPI.SUM, MPI.COMM_WORLD, bound="abs:1e-4", algorithm="ring")
error = np.abs(total - (2 * np.sin(1e-3 * np.arange(100000)) + 1)).max()
print("within the bound" if 1e-12 < error <= 1e-4 else f"wrong: {error}", flush=True)
