# SPDX-License-Identifier: BSD-3-Clause
"""Collectives and messages of mpi4py communicators, compressed.

    from mpi4py import MPI
    import laconic
    laconic.Allreduce(send, recv, MPI.SUM, MPI.COMM_WORLD, bound="abs:1e-6")

The functions have the names and the buffer arguments of mpi4py's methods: arrays, [array, type],
[array, count, type], [array, (counts, displacements), type], MPI.IN_PLACE.  They return Stats; the forms with I
return a Request (wait(), test()), those with _init a persistent one (start(), wait(), free()).
`op` is one of MPI's operations, or AVG, the mean over ranks.

Options are keywords, as in docs/settings.md: bound, target, codec, effort, algorithm, variant, chunk_elements, depth,
threads, min_bytes, denormals, progress, checksum, tune.  What is not given comes from the communicator's hints, then
from the environment (LACONIC_BOUND, ...).  All ranks give the same options.  Calls that cannot be compressed, or are
faster uncompressed, are MPI's own calls, and their Stats say why.

wrap(comm, bound=...) is a communicator whose collectives are compressed.  Errors are laconic.Error.
"""
from __future__ import annotations

import typing

import numpy

import laconic

try:
    from mpi4py import MPI
except ImportError as error:  # also where mpi4py cannot find its MPI
    raise ImportError(f"laconic.mpi needs mpi4py and the MPI that it was built for: {error}") from error
try:
    from . import _mpi
except ImportError as error:
    raise ImportError(
        "this installation of laconic has no collectives: there was no MPI when it was installed, or it cannot be loaded "
        f"({error}).  Install an MPI with its compiler wrapper mpicc, then laconic again: "
        "MPICC=/path/to/mpicc pip install --force-reinstall --no-cache-dir --no-binary laconic laconic"
    ) from error


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0] if text.strip() else "unknown"


def _check_same_mpi() -> None:
    ours, theirs = _mpi.version_of_mpi().strip(), MPI.Get_library_version().strip("\0").strip()
    if _first_line(ours) == _first_line(theirs) and _mpi.initialized() == MPI.Is_initialized():
        return
    copies = " (another copy of it, or another interface such as the standard ABI)" if ours == theirs else ""
    raise ImportError(
        f"laconic was built for another MPI than mpi4py: laconic uses '{_first_line(ours)}', mpi4py uses "
        f"'{_first_line(theirs)}'{copies}.  Install laconic again with the compiler wrapper of mpi4py's MPI: "
        "MPICC=/path/to/mpicc pip install --force-reinstall --no-cache-dir --no-binary laconic laconic")


_check_same_mpi()


class _Average:
    def __repr__(self) -> str:
        return "laconic.AVG"


AVG = _Average()
Op = typing.Union[MPI.Op, _Average]


class Stats(typing.NamedTuple):
    """Statistics of a call, or of all calls on a communicator, on this rank (laconic_stats in laconic/laconic.h)."""

    calls: int
    plain_calls: int
    plain_reason: typing.Optional[str]  # why the latest plain call was plain; None where there was none
    codec: typing.Optional[str]
    algorithm: typing.Optional[str]
    variant: typing.Optional[str]
    bytes_in: int
    bytes_sent: int
    bytes_uncompressed: int
    ratio: float
    bound: float
    achieved_bound: float
    seconds_encode: float
    seconds_decode: float
    seconds_reduce: float
    seconds_copy: float
    seconds_wait: float
    seconds_other: float
    seconds_total: float
    memory_bytes: int
    range_of: typing.Optional[str]  # rel:R: whether the latest bound refers to the range of "input" or of "result"
    through_host_calls: int  # with numbers on a device that were copied to the host as a whole
    through_host: typing.Optional[str]  # why the latest of them was; None where there was none


class Tuning(typing.NamedTuple):
    """What the ranks have learnt about calls of one collective and about one size (laconic_tuning)."""

    collective: str
    bytes: int
    calls: int
    compressed_calls: int
    algorithm: str
    plain_seconds: float
    predicted_seconds: float
    measured_seconds: float
    ratio: float
    codec: typing.Optional[str]  # of the coming calls; None: they are left to MPI


class Prediction(typing.NamedTuple):
    """The errors to expect of a collective (laconic_prediction)."""

    codec: str
    algorithm: str
    terms: int
    allowance: float
    worst_case: float
    likely: float


def _address_of(status: typing.Optional[MPI.Status]) -> int:
    return 0 if status is None else MPI._addressof(status)


class Request:
    """An operation in flight, or a persistent one.  The buffers must not be used until it has completed."""

    def __init__(self, request: typing.Any) -> None:
        self._request = request

    def wait(self, status: typing.Optional[MPI.Status] = None) -> typing.Optional[Stats]:
        """Waits for the operation.  The statistics of the call; None for a persistent operation.  status: of a message
        that is received."""
        found = self._request.wait(_address_of(status))
        return None if found is None else Stats(*found)

    def test(self, status: typing.Optional[MPI.Status] = None) -> bool:
        """Makes progress; True when the operation has completed."""
        return self._request.test(_address_of(status))

    def start(self) -> "Request":
        """Starts a persistent operation."""
        self._request.start()
        return self

    def free(self) -> None:
        """Frees a persistent operation that is not in flight."""
        self._request.free()

    Wait, Test, Start, Free = wait, test, start, free

    @staticmethod
    def Waitall(requests: typing.Iterable["Request"]) -> None:
        """Waits for all of them."""
        for request in requests:
            request.wait()


class _Side(typing.NamedTuple):
    address: typing.Optional[int]  # None: MPI.IN_PLACE
    count: int
    counts: list
    displs: list
    type: typing.Any  # MPI.Datatype, or None
    keep: typing.Any = None

    def arguments(self) -> tuple:
        return (self.address, self.count, self.counts, self.displs,
                MPI._addressof(self.type) if self.type is not None else 0)


_NOTHING = _Side(0, 0, [], [], None)


def _type_of(data: typing.Any, given: typing.Any) -> MPI.Datatype:
    if isinstance(given, MPI.Datatype):
        return given
    if given is not None:
        return MPI.Datatype.fromcode(str(given))
    try:
        code = memoryview(data).format
    except (TypeError, ValueError):  # DLPack
        code = numpy.asarray(data).dtype.char
    return MPI.Datatype.fromcode(code)


def _side(spec: typing.Any, name: str, blocks: int = 1, vector: bool = False, writable: bool = False) -> _Side:
    """mpi4py's ways to give a buffer.  blocks: equal parts of the buffer, of which one is counted."""
    if spec is MPI.IN_PLACE:
        return _Side(None, 0, [], [], None)
    if spec is None:
        return _NOTHING._replace(type=MPI.BYTE, displs=[0] * blocks, counts=[0] * blocks)
    data, rest = (spec[0], list(spec[1:])) if isinstance(spec, (list, tuple)) else (spec, [])
    if hasattr(data, "detach"):
        data = data.detach()  # a tensor of PyTorch
    given = rest.pop() if rest and (isinstance(rest[-1], (MPI.Datatype, str)) or rest[-1] is None) else None
    if len(rest) == 1 and isinstance(rest[0], (list, tuple)) and len(rest[0]) == 2 and not isinstance(rest[0][0], int):
        rest = list(rest[0])
    if len(rest) > 2:
        raise TypeError(f"{name} has {len(rest) + 1} items before its type; valid are [data, count or counts, "
                        "displacements, type]")
    view = MPI.buffer.frombuffer(data, readonly=not writable)
    type = _type_of(data, given)
    whole = view.nbytes // type.extent if type.extent > 0 else 0
    count = rest[0] if rest else None
    if not vector:
        if count is None:
            if whole % blocks:
                raise ValueError(f"{name} has {whole} elements, which cannot be divided by {blocks}")
            count = whole // blocks
        return _Side(view.address, int(count), [], [], type, view)
    if count is None:
        count = [whole // blocks + (k < whole % blocks) for k in range(blocks)]
    counts = [int(n) for n in count]
    displs = rest[1] if len(rest) > 1 and rest[1] is not None else [sum(counts[:k]) for k in range(len(counts))]
    if len(counts) != blocks or len(displs) != blocks:
        raise ValueError(f"{name} has {len(counts)} counts and {len(displs)} displacements; valid are {blocks}")
    return _Side(view.address, 0, counts, [int(at) for at in displs], type, view)


class _Call(typing.NamedTuple):
    name: str
    send: _Side
    recv: _Side
    op: int
    root: int
    comm: int
    options: dict
    keep: tuple

    def run(self) -> Stats:
        return Stats(*_mpi.run(self.name, self.send.arguments(), self.recv.arguments(), self.op, self.root, self.comm,
                               self.options))

    def begin(self, persistent: bool = False) -> Request:
        return Request(_mpi.begin(self.name, persistent, self.send.arguments(), self.recv.arguments(), self.op,
                                  self.root, self.comm, self.options, self.keep))


def _handle(comm: typing.Any) -> int:
    if not isinstance(comm, MPI.Comm):
        raise TypeError(f"comm is a {type(comm).__name__}; valid are communicators of mpi4py")
    return MPI._addressof(comm)


def _texts(options: dict) -> dict:
    return {key: str(value) for key, value in options.items() if value is not None}


def _finish(name: str, send: _Side, recv: _Side, op: typing.Any, root: int, comm: MPI.Comm, options: dict) -> _Call:
    handle = _handle(comm)
    if not isinstance(op, (MPI.Op, _Average)):
        raise TypeError(f"op is a {type(op).__name__}; valid are operations of mpi4py and laconic.AVG")
    return _Call(name, send, recv, 0 if isinstance(op, _Average) else MPI._addressof(op), root, handle,
                 _texts(options), (send.keep, recv.keep, send.type, recv.type, comm, op))


def _reduction(name: str):
    """allreduce, scan, exscan, reduce_scatter_block: the receive side has count and type."""
    def make(sendbuf, recvbuf, op=MPI.SUM, comm=MPI.COMM_WORLD, **options) -> _Call:
        return _finish(name, _side(sendbuf, "sendbuf"), _side(recvbuf, "recvbuf", writable=True), op, 0, comm, options)
    return make


def _reduce(sendbuf, recvbuf, op=MPI.SUM, root=0, comm=MPI.COMM_WORLD, **options) -> _Call:
    send, recv = _side(sendbuf, "sendbuf"), _side(recvbuf, "recvbuf", writable=True)
    if recv.address == 0:  # only the root has a receive buffer
        recv = recv._replace(count=send.count, type=send.type)
    return _finish("reduce", send, recv, op, root, comm, options)


def _reduce_scatter(sendbuf, recvbuf, recvcounts=None, op=MPI.SUM, comm=MPI.COMM_WORLD, **options) -> _Call:
    size = comm.Get_size()
    send, recv = _side(sendbuf, "sendbuf"), _side(recvbuf, "recvbuf", writable=True)
    whole = recv.count if send.address is None else send.count
    counts = recvcounts if recvcounts is not None else [whole // size + (k < whole % size) for k in range(size)]
    return _finish("reduce_scatter", send, recv._replace(counts=[int(n) for n in counts]), op, 0, comm, options)


def _bcast(buf, root=0, comm=MPI.COMM_WORLD, **options) -> _Call:
    return _finish("bcast", _NOTHING, _side(buf, "buf", writable=True), MPI.OP_NULL, root,
                   comm, options)


def _neighbors(comm: MPI.Comm) -> tuple:
    """(sources, destinations) of this rank in the topology."""
    if not isinstance(comm, MPI.Topocomm):
        raise TypeError(f"comm is a {type(comm).__name__}; valid are communicators with a topology")
    return len(comm.inedges), len(comm.outedges)


def _move(name: str, sends: str, receives: str):
    """Collectives without a root that only move data.  sends, receives: "one" block, "all" ranks' or "neighbors"' blocks;
    with v: of different counts."""
    def blocks(kind: str, comm: MPI.Comm, side: int) -> int:
        if kind.startswith("neighbors"):
            return _neighbors(comm)[side]
        return comm.Get_size() if kind.startswith("all") else 1

    def make(sendbuf, recvbuf, comm=MPI.COMM_WORLD, **options) -> _Call:
        send = _side(sendbuf, "sendbuf", blocks(sends, comm, 1), sends.endswith(" v"))
        recv = _side(recvbuf, "recvbuf", blocks(receives, comm, 0), receives.endswith(" v"), writable=True)
        return _finish(name, send, recv, MPI.OP_NULL, 0, comm, options)
    return make


def _rooted(name: str, vector: bool):
    """gather, gatherv, scatter, scatterv: the blocks are on the root's side."""
    def make(sendbuf, recvbuf, root=0, comm=MPI.COMM_WORLD, **options) -> _Call:
        at_root, size, gathers = comm.Get_rank() == root, comm.Get_size(), name.startswith("gather")
        send = _side(sendbuf, "sendbuf", *((1, False) if gathers else (size, vector)))
        recv = _side(recvbuf, "recvbuf", *((size, vector) if gathers else (1, False)), writable=True)
        if not at_root and gathers:
            recv = recv._replace(address=0, count=0)
        return _finish(name, send, recv, MPI.OP_NULL, root, comm, options)
    return make


_ROUTINES = {
    "Allreduce": _reduction("allreduce"), "Scan": _reduction("scan"), "Exscan": _reduction("exscan"),
    "Reduce_scatter_block": _reduction("reduce_scatter_block"), "Reduce": _reduce, "Reduce_scatter": _reduce_scatter,
    "Bcast": _bcast,
    "Allgather": _move("allgather", "one", "all"), "Allgatherv": _move("allgatherv", "one", "all v"),
    "Alltoall": _move("alltoall", "all", "all"), "Alltoallv": _move("alltoallv", "all v", "all v"),
    "Gather": _rooted("gather", False), "Gatherv": _rooted("gatherv", True),
    "Scatter": _rooted("scatter", False), "Scatterv": _rooted("scatterv", True),
    "Neighbor_allgather": _move("neighbor_allgather", "one", "neighbors"),
    "Neighbor_allgatherv": _move("neighbor_allgatherv", "one", "neighbors v"),
    "Neighbor_alltoall": _move("neighbor_alltoall", "neighbors", "neighbors"),
    "Neighbor_alltoallv": _move("neighbor_alltoallv", "neighbors v", "neighbors v"),
}


def _forms(name: str, make: typing.Callable) -> dict:
    def blocking(*arguments, **options) -> Stats:
        return make(*arguments, **options).run()

    def nonblocking(*arguments, **options) -> Request:
        return make(*arguments, **options).begin()

    def persistent(*arguments, **options) -> Request:
        return make(*arguments, **options).begin(persistent=True)

    functions = {}
    for full, function, what in ((name, blocking, "Returns Stats."), (f"I{name.lower()}", nonblocking, "Returns a Request."),
                                 (f"{name}_init", persistent, "Returns a persistent Request.")):
        function.__name__ = function.__qualname__ = full
        function.__doc__ = f"MPI.Comm.{full} with the communicator as an argument, and options as keywords.  {what}"
        functions[full] = function
    return functions


for _name, _make in _ROUTINES.items():
    globals().update(_forms(_name, _make))


def Send(buf: typing.Any, dest: int, tag: int = 0, comm: MPI.Comm = MPI.COMM_WORLD, **options: typing.Any) -> Stats:
    """MPI.Comm.Send.  The message must be received with Recv, Irecv or Sendrecv of laconic, which also receive messages
    of MPI.  The sender's options decide; bounds are on each element."""
    side = _side(buf, "buf")
    return Stats(*_mpi.pass_message(True, False, side.arguments(), dest, tag, _NOTHING.arguments(), 0, 0, _handle(comm), 0,
                                    _texts(options)))


def Recv(buf: typing.Any, source: int = MPI.ANY_SOURCE, tag: int = MPI.ANY_TAG, status: typing.Optional[MPI.Status] = None,
         comm: MPI.Comm = MPI.COMM_WORLD, **options: typing.Any) -> Stats:
    """MPI.Comm.Recv, of compressed messages and of MPI's."""
    side = _side(buf, "buf", writable=True)
    return Stats(*_mpi.pass_message(False, True, _NOTHING.arguments(), 0, 0, side.arguments(), source, tag, _handle(comm),
                                    _address_of(status), _texts(options)))


def Sendrecv(sendbuf: typing.Any, dest: int, sendtag: int = 0, recvbuf: typing.Any = None, source: int = MPI.ANY_SOURCE,
             recvtag: int = MPI.ANY_TAG, status: typing.Optional[MPI.Status] = None, comm: MPI.Comm = MPI.COMM_WORLD,
             **options: typing.Any) -> Stats:
    """MPI.Comm.Sendrecv.  In the statistics it counts as two calls."""
    send, recv = _side(sendbuf, "sendbuf"), _side(recvbuf, "recvbuf", writable=True)
    return Stats(*_mpi.pass_message(True, True, send.arguments(), dest, sendtag, recv.arguments(), source, recvtag,
                                    _handle(comm), _address_of(status), _texts(options)))


def Isend(buf: typing.Any, dest: int, tag: int = 0, comm: MPI.Comm = MPI.COMM_WORLD, **options: typing.Any) -> Request:
    """MPI.Comm.Isend; see Send."""
    side = _side(buf, "buf")
    return Request(_mpi.begin_message(True, side.arguments(), dest, tag, _NOTHING.arguments(), 0, 0, _handle(comm),
                                      _texts(options), (side.keep, side.type, comm)))


def Irecv(buf: typing.Any, source: int = MPI.ANY_SOURCE, tag: int = MPI.ANY_TAG, comm: MPI.Comm = MPI.COMM_WORLD,
          **options: typing.Any) -> Request:
    """MPI.Comm.Irecv; see Recv.  Request.wait(status) fills the status."""
    side = _side(buf, "buf", writable=True)
    return Request(_mpi.begin_message(False, _NOTHING.arguments(), 0, 0, side.arguments(), source, tag, _handle(comm),
                                      _texts(options), (side.keep, side.type, comm)))


_MESSAGES = ("Send", "Recv", "Sendrecv", "Isend", "Irecv")


def prepare(comm: MPI.Comm) -> None:
    """Makes the communicator for compressed data now and not in the first call.  Collective."""
    _mpi.prepare(MPI._addressof(comm))


def stats(comm: MPI.Comm) -> Stats:
    """The sums over all calls on a communicator, of this rank."""
    return Stats(*_mpi.stats_get(MPI._addressof(comm)))


def reset_stats(comm: MPI.Comm) -> None:
    _mpi.stats_reset(MPI._addressof(comm))


def tuning(comm: MPI.Comm) -> list:
    """What the ranks have learnt about their calls: a list of Tuning (docs/tuning.md)."""
    return [Tuning(*one) for one in _mpi.tuning(MPI._addressof(comm))]


def predict_error(collective: str, ranks: int, *, op: typing.Optional[str] = None, bytes: int = 0,
                  **options: typing.Any) -> Prediction:
    """The errors of a collective ("allreduce", ...) on so many ranks.  op: "sum", "avg", "max", "min", or None where data
    only move."""
    return Prediction(*_mpi.predict_error(collective, op, ranks, bytes, _texts(options)))


class _Wrapped:
    """A communicator of mpi4py whose collectives are compressed."""

    def __init__(self, comm: MPI.Comm, options: dict) -> None:
        self._comm, self._options = comm, options

    def __getattr__(self, name: str) -> typing.Any:
        return getattr(self._comm, name)

    def __repr__(self) -> str:
        return f"laconic.wrap({self._comm!r}, {', '.join(f'{k}={v!r}' for k, v in self._options.items())})"

    @property
    def comm(self) -> MPI.Comm:
        """The communicator itself, for functions that take only those of mpi4py."""
        return self._comm


def _method(function: typing.Callable, returns_nothing: bool) -> typing.Callable:
    def method(self, *arguments, **options):
        found = function(*arguments, comm=self._comm, **{**self._options, **options})
        return None if returns_nothing else found
    method.__name__ = function.__name__
    method.__doc__ = f"As {function.__name__} of the communicator, compressed."
    return method


for _name in _ROUTINES:
    for _full in (_name, f"I{_name.lower()}", f"{_name}_init"):
        setattr(_Wrapped, _full, _method(globals()[_full], returns_nothing=_full == _name))


class _WrappedWithMessages(_Wrapped):
    """The same, with compressed messages."""


for _name in _MESSAGES:
    setattr(_WrappedWithMessages, _name, _method(globals()[_name], returns_nothing=not _name.startswith("I")))


def wrap(comm: MPI.Comm, *, messages: bool = False, **options: typing.Any) -> typing.Any:
    """A communicator that behaves like `comm`, and compresses the collectives of buffers with these options.

    messages: Send, Recv, Sendrecv, Isend and Irecv as well.  All ranks that exchange messages then use such a
        communicator, because compressed messages must be received with laconic, and Probe does not find their size.
    All else, the methods for Python objects included, is the communicator's own."""
    _handle(comm)
    return (_WrappedWithMessages if messages else _Wrapped)(comm, options)


__all__ = ["AVG", "Prediction", "Request", "Stats", "Tuning", "predict_error", "prepare", "reset_stats", "stats", "tuning",
           "wrap", *_MESSAGES, *(full for name in _ROUTINES for full in (name, f"I{name.lower()}", f"{name}_init"))]
