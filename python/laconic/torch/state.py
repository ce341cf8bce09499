# SPDX-License-Identifier: BSD-3-Clause
"""State: the settings, the process group and the thread behind a compressed training."""
from __future__ import annotations

import datetime
import functools
import time
import typing
import warnings
import weakref

import torch
import torch.distributed as dist

from . import mpi
from .engine import Engine
from .job import Job
from .message import Pool
from .options import DTYPES, options_of
from .residuals import Residuals
from .staging import Pins, Staged, check, wide
from .stats import BucketStats, Records, TotalStats
from .tune import Tuner
from .wire import Collectives, PointToPoint, Wire

# Compressed steps between those whose error is measured.
SAMPLE_STEPS = 50


class State:
    """What hook() needs to compress the gradients of one DistributedDataParallel model.

    bound: on every rank's contribution: "rms:0.1" (the default), "rms:0.3", "abs:1e-6", "rel:1e-4", "lossless", or with
        codec="zfp" "rate:8" (docs/error-model.md).  The error of the mean is at most the mean of the ranks' errors.
    process_group: the ranks of the model; None: all.
    transport: "torch" moves bytes over a process group of torch's own; "mpi" calls Laconic's collectives, under mpiexec
        or srun with mpi4py initialised; "auto" is "mpi" where that holds, MPI has as many ranks as the process group,
        and error_feedback is off.
    codec: "quant" (the default), "dense", "lossless" (the default with the bound lossless), "raw"; experimental: "szx", "zfp".
    algorithm, variant: of Laconic's collectives (docs/settings.md); transport "mpi" only.
    error_feedback: adds to each step what the step before lost.  Refused where it may diverge.
    min_bytes: smaller buckets are reduced plain.
    preset: "safe" is the bound rms:0.1, "fast" is rms:0.3.
    threads: threads that code.
    tune: measures plain and compressed steps, and keeps what is faster (docs/pytorch.md).  False: always compressed.
    chunk_bytes: larger buckets are cut, so that coding and communication overlap.
    scaler: a torch.amp.GradScaler whose scale the residuals of error_feedback follow.
    timeout: for other ranks; None: that of torch.distributed.

    Make it on all ranks with equal arguments, at the same place of the program, after init_process_group: it makes a
    process group.  One State serves one model.

    Errors: TypeError, ValueError and laconic.Error for arguments.  An error in a reduction reaches backward() of every
    rank as RuntimeError.
    """

    def __init__(self, bound: typing.Optional[str] = None, *,
                 process_group: typing.Optional[dist.ProcessGroup] = None, transport: str = "auto",
                 codec: typing.Optional[str] = None, algorithm: typing.Optional[str] = None,
                 variant: typing.Optional[str] = None, error_feedback: bool = False, min_bytes: int = 65536,
                 preset: typing.Optional[str] = None, threads: int = 1, tune: bool = True, chunk_bytes: int = 4 << 20,
                 scaler: typing.Any = None, timeout: typing.Optional[datetime.timedelta] = None) -> None:
        checked = {"transport": transport, "codec": codec, "algorithm": algorithm, "variant": variant,
                   "error_feedback": error_feedback, "min_bytes": min_bytes, "threads": threads, "tune": tune,
                   "chunk_bytes": chunk_bytes}
        self._options = options_of(bound, preset, **checked)
        self._again = functools.partial(State, self._options.bound.text, timeout=timeout, **checked)
        self._given_group, self._scaler, self._timeout = process_group, scaler, timeout
        self._engine: typing.Union[Engine, mpi.MpiEngine, None] = None
        self._started = False
        self._records = Records()
        self._residuals = Residuals()
        self._pins = Pins()
        self._scale: typing.Optional[float] = None
        self._steps = 0
        self._step_compressed = True
        self._step_began: typing.Optional[float] = None
        self._step_ended = 0.0
        if dist.is_initialized():
            self.start()

    # --- what the user asks for

    @property
    def transport(self) -> str:
        """"torch" or "mpi"; "auto" before there is a process group."""
        return self._options.transport

    @property
    def bound(self) -> str:
        return self._options.bound.text

    @property
    def compressing(self) -> bool:
        """Whether the latest step was compressed."""
        return self._engine is not None and self._step_compressed

    def stats(self) -> typing.List[BucketStats]:
        """The measurements of each bucket on this rank, by index."""
        return self._records.reports()

    def total(self) -> TotalStats:
        """The measurements of all buckets together, on this rank."""
        return self._records.total(self._steps)

    def scale_residuals(self, factor: float) -> None:
        """For a loss scale that was multiplied by `factor`.  Not needed with `scaler`."""
        self._residuals.scale(factor)

    def name_parameters(self, module: torch.nn.Module) -> None:
        """Names the residuals in state_dict() as the module names its parameters."""
        self._residuals.name(module)

    def state_dict(self) -> typing.Dict[str, typing.Any]:
        """What a checkpoint needs, of this rank: residuals differ from rank to rank, so every rank saves its own."""
        return {"version": 1, "rank": self._rank(), "world_size": self._size(), "bound": self.bound,
                "steps": self._steps, "scale": self._scale, "residuals": self._residuals.state()}

    def load_state_dict(self, state: typing.Mapping[str, typing.Any]) -> None:
        """Continues from state_dict() of this rank.  Where it is of another number of ranks, or of another rank, the
        residuals begin at zero, with a warning."""
        if state.get("version") != 1:
            raise ValueError(f"the state has version {state.get('version')!r}; valid is 1")
        self._steps = int(state["steps"])
        if state["world_size"] != self._size() or state["rank"] != self._rank():
            if state["residuals"]:
                warnings.warn(f"laconic.torch: the state is of rank {state['rank']} of {state['world_size']}, this is "
                              f"rank {self._rank()} of {self._size()}: the residuals of error feedback begin at zero",
                              stacklevel=2)
            self._residuals.load({})
            self._scale = None
            return
        self._residuals.load(state["residuals"])
        self._scale = state["scale"]

    def close(self) -> None:
        """Ends the thread.  Without it, the thread ends with the program."""
        if self._engine is not None:
            self._engine.close()

    def __reduce__(self) -> tuple:
        # Process groups and threads cannot be copied.  A copy begins anew, with the same arguments.
        return (self._again, ())

    # --- the process group

    def start(self) -> None:
        """Makes the process group.  Called by all ranks; State does it where torch.distributed is initialised."""
        if self._started:
            return
        given = self._given_group if self._given_group is not None else dist.group.WORLD
        self.group = given
        size = dist.get_world_size(given)
        transport = self._options.transport
        if transport == "auto":
            transport = "mpi" if mpi.is_usable(size) and not self._options.error_feedback else "torch"
        self._options = self._options._replace(transport=transport)
        if transport == "torch" and (self._options.algorithm is not None or self._options.variant is not None):
            raise ValueError("algorithm and variant are of Laconic's collectives, and need transport='mpi'")
        self._tuner = Tuner(self._options.tune and size > 1, self._agree, dist.get_rank(given))
        if size > 1:
            self._own = self._new_group(given)
            self._check_equal()
            self._engine = self._new_engine()
            # Also at the end of the program: a thread that outlives the interpreter ends it with an error.
            weakref.finalize(self, self._engine.close)
        self._started = True

    def _new_group(self, given: dist.ProcessGroup) -> dist.ProcessGroup:
        ranks = dist.get_process_group_ranks(given)
        whole = len(ranks) == dist.get_world_size()
        self._backends = str(dist.get_backend_config(given))
        options: typing.Dict[str, typing.Any] = {} if whole else {"use_local_synchronization": True}
        if self._timeout is not None:
            options["timeout"] = self._timeout
        return dist.new_group(ranks, backend=None if given is dist.group.WORLD else self._backends, **options)

    def _device(self) -> torch.device:
        """Where the own group can send from."""
        return torch.device("cpu") if "cpu" in self._backends else torch.device("cuda", torch.cuda.current_device())

    def _new_engine(self) -> typing.Union[Engine, mpi.MpiEngine]:
        if self._options.transport == "mpi":
            return mpi.MpiEngine(mpi.communicator_of(self.group), self._options)
        pool = Pool()
        return Engine(self._own, self._new_wire(pool), pool, self._options)

    def _new_wire(self, pool: Pool) -> Wire:
        if "cpu:gloo" in self._backends:
            return PointToPoint(self._own, pool)
        return Collectives(self._own, pool, self._device())

    def _check_equal(self) -> None:
        mine = torch.tensor([self._options.signature()], dtype=torch.int64, device=self._device())
        all_of = [torch.empty_like(mine) for _ in range(self._size())]
        dist.all_gather(all_of, mine, group=self._own)
        others = [rank for rank, one in enumerate(all_of) if int(one) != int(mine)]
        if others:
            raise ValueError(f"the arguments of laconic.torch.State differ between ranks: rank {self._rank()} has "
                             f"{self._options}, ranks {others} have others")

    def _agree(self, mine: typing.List[float]) -> typing.List[float]:
        times = torch.tensor(mine, dtype=torch.float64, device=self._device())
        dist.all_reduce(times, op=dist.ReduceOp.MAX, group=self._own)
        return times.tolist()

    def _rank(self) -> int:
        return dist.get_rank(self._given_group) if dist.is_initialized() else 0

    def _size(self) -> int:
        return dist.get_world_size(self._given_group) if dist.is_initialized() else 1

    # --- reductions

    def reduce_bucket(self, bucket: dist.GradBucket) -> torch.futures.Future:
        """The mean of a bucket over the ranks, in the bucket's own buffer.  hook() calls it."""
        self.start()
        buffer, index = bucket.buffer(), bucket.index()
        check(buffer, f"bucket {index}", DTYPES)
        if index == 0:
            self._begin_step()
        bytes = buffer.numel() * buffer.element_size()
        if self._engine is None or not self._step_compressed or bytes < self._options.min_bytes:
            return self._reduce_plain(index, buffer, bytes)
        dtype = self._coded_type(buffer)
        staged = Staged(buffer, buffer, dtype, self._pins, index)
        future = torch.futures.Future(devices=[buffer.device] if buffer.is_cuda else None)

        def done(error: typing.Optional[BaseException]) -> None:
            self._step_ended = time.perf_counter()
            with staged.stream():
                future.set_result(buffer if error is None else error)

        residual = None
        if self._options.error_feedback:
            residual = functools.partial(self._with_residual, index, bucket.parameters())
        job = Job("mean", self._records.of(index), buffer.numel(), dtype, staged.load, staged.store, done,
                  divisor=self._size(), sample=(self._steps - 1) % SAMPLE_STEPS == 0, bytes=bytes,
                  itemsize=buffer.element_size(), residual=residual)
        self._engine.submit(job)
        return future.then(_unwrap)

    def reduce_scatter(self, output: torch.Tensor, input: torch.Tensor, mean: bool) -> torch.futures.Future:
        """output = this rank's part of the sum or mean of `input` over the ranks.  output: (n,), input: (size * n,),
        of one floating-point type.  ReduceScatter calls it.  The group has more than one rank."""
        dtype = self._coded_type(input)
        staged = Staged(input, output, dtype, self._pins, None)
        host = output if output.dtype == dtype and not output.is_cuda else torch.empty(output.shape, dtype=dtype)
        future = torch.futures.Future(devices=[output.device] if output.is_cuda else None)

        def done(error: typing.Optional[BaseException]) -> None:
            with staged.stream():
                future.set_result(output if error is None else error)

        record = self._records.of(-1)
        job = Job("scatter", record, input.numel(), dtype, staged.load, lambda _: staged.store(host), done,
                  divisor=self._size() if mean else 1, sample=record.steps % SAMPLE_STEPS == 0,
                  bytes=input.numel() * input.element_size(), itemsize=input.element_size(), out=host)
        self._engine.submit(job)
        return future.then(_unwrap)

    def _coded_type(self, tensor: torch.Tensor) -> torch.dtype:
        if self._options.transport == "mpi" and tensor.dtype == torch.bfloat16:
            return torch.float32
        return wide(tensor.dtype, self._options.error_feedback)

    def _begin_step(self) -> None:
        """At the first bucket.  All futures of the step before are complete, on all ranks that come here."""
        if self._step_began is not None:
            self._tuner.end(self._step_ended - self._step_began)
        self._step_compressed = self._tuner.begin()
        self._step_began = self._step_ended = time.perf_counter()
        self._steps += 1
        if self._options.error_feedback and self._scaler is not None:
            scale = float(self._scaler.get_scale())
            if self._scale not in (None, 0.0, scale):
                self._residuals.scale(scale / self._scale)
            self._scale = scale

    def _with_residual(self, index: int, parameters: typing.List[torch.Tensor],
                       numbers: torch.Tensor) -> typing.Optional[torch.Tensor]:
        """numbers += the residual, in the worker.  Returns the residual, for what is lost now."""
        if not numbers.any():
            return None  # of a rank that has left by join(), or has no gradients: its residual is for later
        residual = self._residuals.of(index, parameters, numbers)
        numbers.add_(residual)
        return residual

    def _reduce_plain(self, index: int, buffer: torch.Tensor, bytes: int) -> torch.futures.Future:
        """As DistributedDataParallel without a hook: on the model's own process group, in the calling thread."""
        record = self._records.of(index)
        record.steps += 1
        record.bytes = bytes
        buffer.mul_(1.0 / self._size())  # and not div_(), for the same bits
        future = dist.all_reduce(buffer, group=self.group, async_op=True).get_future()

        def result(completed: torch.futures.Future) -> torch.Tensor:
            self._step_ended = time.perf_counter()
            return completed.value()[0]

        return future.then(result)


def _unwrap(completed: torch.futures.Future) -> torch.Tensor:
    """Raises here, in a callback, because only then torch's C++ code sees the error and its message."""
    value = completed.value()
    if isinstance(value, BaseException):
        raise RuntimeError(f"laconic.torch: {value}") from value
    return value
