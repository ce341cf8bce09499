# SPDX-License-Identifier: BSD-3-Clause
"""A flow with mpi4py-fft: the vortices of Taylor and Green, as in flow_fftw.c, in pencils.

    flow_mpi4py.py N STEPS FILE
"""
import sys

import numpy as np
from mpi4py import MPI
from mpi4py_fft import PFFT, newDistArray

VISCOSITY, STEP = 1 / 400, 0.01


def cross(a, b):
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


class Flow:
    def __init__(self, n):
        self.comm, self.n = MPI.COMM_WORLD, n
        # FFTW_ESTIMATE, so that every run has the same order of operations.
        self.fft = PFFT(self.comm, (n, n, n), axes=(0, 1, 2), dtype=float, backend="fftw", threads=1,
                        planner_effort="FFTW_ESTIMATE")
        waves = [np.fft.fftfreq(n, 1 / n), np.fft.fftfreq(n, 1 / n), np.fft.rfftfreq(n, 1 / n)]
        part = self.fft.local_slice(True)
        self.k = np.stack(np.meshgrid(*(wave[cut] for wave, cut in zip(waves, part)), indexing="ij"))
        self.square = (self.k ** 2).sum(0)
        self.over = self.k / np.where(self.square == 0, 1, self.square)
        self.kept = (np.abs(self.k) < n / 3).all(0)

    def points(self):
        lines = [np.arange(self.n) * 2 * np.pi / self.n] * 3
        return np.meshgrid(*(line[cut] for line, cut in zip(lines, self.fft.local_slice(False))), indexing="ij")

    def to_waves(self, field):
        return np.stack([np.array(self.fft.forward(self.like(part, False))) for part in field])

    def to_space(self, waves):
        return np.stack([np.array(self.fft.backward(self.like(part, True))) for part in waves])

    def like(self, part, spectral):
        array = newDistArray(self.fft, spectral)
        array[:] = part
        return array

    def rate(self, u):
        force = self.to_waves(cross(self.to_space(u), self.to_space(1j * cross(self.k, u)))) * self.kept
        return force - self.k * (self.over * force).sum(0) - VISCOSITY * self.square * u

    def half_square(self, waves):
        share = 0.5 * (np.abs(self.to_space(waves)) ** 2).sum() / self.n ** 3
        return self.comm.allreduce(share)


def main():
    n, steps, name = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    flow = Flow(n)
    x, y, z = flow.points()
    u = flow.to_waves([np.sin(x) * np.cos(y) * np.cos(z), -np.cos(x) * np.sin(y) * np.cos(z), np.zeros_like(x)])
    for _ in range(steps):
        middle = u + STEP / 2 * flow.rate(u)
        u = u + STEP * flow.rate(middle)
    energy, enstrophy = flow.half_square(u), flow.half_square(1j * cross(flow.k, u))
    flow.to_space(u).tofile(f"{name}.{flow.comm.rank}")
    if flow.comm.rank == 0:
        print(f"energy {energy:.17g}\nenstrophy {enstrophy:.17g}")


if __name__ == "__main__":
    main()
