# SPDX-License-Identifier: BSD-3-Clause
"""Reductions by Laconic's own collectives over MPI, in one thread."""
from __future__ import annotations

import math
import sys
import typing

import torch
import torch.distributed as dist

import laconic

from .job import Job
from .options import Options
from .worker import Worker


def is_usable(size: int) -> bool:
    """Whether the program has initialised MPI with as many ranks as the process group, and laconic has collectives.

    Looks at mpi4py only where the program has imported it: importing it would start MPI.
    """
    module = sys.modules.get("mpi4py.MPI")
    if module is None or size < 2 or not module.Is_initialized() or module.COMM_WORLD.Get_size() != size:
        return False
    try:
        import laconic.mpi  # noqa: F401
    except ImportError:
        return False
    return module.Query_thread() >= module.THREAD_SERIALIZED


def communicator_of(group: dist.ProcessGroup) -> typing.Any:
    """A communicator of its own with the ranks of `group`.  Collective over them.  Errors: RuntimeError,
    ImportError."""
    from mpi4py import MPI

    import laconic.mpi  # noqa: F401  (its error says what is missing)

    world = MPI.COMM_WORLD
    if MPI.Query_thread() < MPI.THREAD_SERIALIZED:
        raise RuntimeError("transport 'mpi' calls MPI from a thread of its own; initialise MPI with THREAD_SERIALIZED "
                           "or THREAD_MULTIPLE (mpi4py's default)")
    ranks = dist.get_process_group_ranks(group)
    if world.Get_size() != dist.get_world_size():
        raise RuntimeError("transport 'mpi' needs the program to be started by mpiexec or srun: MPI has "
                           f"{world.Get_size()} ranks, torch.distributed has {dist.get_world_size()}")
    if world.Get_rank() != dist.get_rank():
        raise RuntimeError(f"transport 'mpi' needs equal ranks in MPI ({world.Get_rank()}) and torch.distributed "
                           f"({dist.get_rank()}); pass MPI's rank to init_process_group")
    return world.Create_group(world.Get_group().Incl(ranks))


class MpiEngine(Worker):
    """Runs jobs in the order in which they are submitted, which has to be the same on all ranks."""

    def __init__(self, communicator: typing.Any, options: Options) -> None:
        import laconic.mpi

        super().__init__()
        self._mpi = laconic.mpi
        self._comm = communicator
        self._options = options
        self._settings = {
            "bound": options.bound.text, "target": "input", "codec": options.codec, "algorithm": options.algorithm,
            "variant": options.variant, "threads": options.threads, "min_bytes": 1, "denormals": "round",
            # State decides between plain and compressed steps; here every call is to be compressed.
            "tune": "off",
        }

    def _serve(self) -> None:
        while True:
            job = self._queue.get()
            if job is self.CLOSE:
                return
            try:
                self._reduce(job)
            except Exception as error:
                job.failed(error)
            job.finish()

    def _reduce(self, job: Job) -> None:
        error = None
        try:
            job.numbers = job.load()
            if job.sample:
                self._sample(job)
        except Exception as caught:
            error = caught
        self._agree(error)
        stats = self._call(job)
        # A call that cannot be compressed is MPI's own, and its statistics give the reason.
        job.record.uncompressed_bytes += stats.bytes_uncompressed * job.itemsize // job.numbers.element_size()
        job.record.sent_bytes += stats.bytes_sent
        job.record.codec += stats.seconds_encode + stats.seconds_decode + stats.seconds_reduce
        job.record.wait += stats.seconds_wait

    def _call(self, job: Job) -> typing.Any:
        from mpi4py import MPI

        numbers = job.numbers.numpy()
        op = MPI.SUM if job.divisor == 1 else self._mpi.AVG
        if job.kind == "mean":
            return self._mpi.Allreduce(MPI.IN_PLACE, numbers, op, self._comm, **self._settings)
        return self._mpi.Reduce_scatter_block(numbers, job.out.numpy(), op, self._comm, **self._settings)

    def _agree(self, error: typing.Optional[BaseException]) -> None:
        """All ranks raise if one has an error."""
        if self._comm.allreduce(int(error is not None)) == 0:
            return
        texts = self._comm.allgather(None if error is None else f"{type(error).__name__}: {error}")
        if error is not None:
            raise error
        rank, text = next((rank, text) for rank, text in enumerate(texts) if text is not None)
        raise RuntimeError(f"laconic.torch failed on rank {rank}: {text}")

    def _sample(self, job: Job) -> None:
        """The error of this rank's contribution.  The library's blocks may begin elsewhere, so this is an estimate."""
        bound = self._options.bound
        text = bound.text
        if bound.mode == "rel":
            least, greatest = laconic.finite_range(job.numbers)
            share = bound.value * (greatest - least)
            text = f"abs:{share!r}" if 0 < share < math.inf else "lossless"
        codec = None if text == "lossless" else self._options.codec
        decoded = torch.empty_like(job.numbers)
        laconic.decompress(laconic.compress(job.numbers, text, codec=codec), out=decoded)
        job.record.sample(job.numbers, decoded)
