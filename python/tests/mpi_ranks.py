# SPDX-License-Identifier: BSD-3-Clause
"""What test_mpi.py runs on every rank: all collectives of laconic.mpi against those of mpi4py."""
import faulthandler
import sys

import numpy as np
from mpi4py import MPI

import laconic

SEED = 20261124
WATCHDOG = 100  # seconds, after which the stacks of all threads are printed and the rank ends
BOUND = 1e-3
FORCED = dict(bound=f"abs:{BOUND}", min_bytes=1, tune="off")  # every call that can be compressed is

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()


def numbers(count, dtype=np.float32, of=rank):
    return (np.cumsum(np.random.default_rng(SEED + of).standard_normal(count)) / 64).astype(dtype)


def near(got, exact, bound=BOUND):
    exact = np.asarray(exact, np.float64)
    limit = bound + 2 * np.finfo(got.dtype).eps * (1 + np.max(np.abs(exact), initial=0))
    error = np.max(np.abs(got.astype(np.float64) - exact), initial=0)
    assert error <= limit, (error, limit)


def same_on_all_ranks(array):
    assert len(set(comm.allgather(array.tobytes()))) == 1


def compressed(stats):
    assert stats.calls == 1
    if size > 1:
        assert stats.plain_calls == 0 and stats.codec == "quant" and stats.bytes_sent >= 0, stats
    return stats


def run(name, *arguments, comm=comm, **options):
    """A collective in its three forms, with fresh results; the results must agree to the bit."""
    send, recv = arguments[0], arguments[1]
    results = []
    for form in (name, "I" + name.lower(), name + "_init"):
        target = recv[0] if isinstance(recv, list) else recv
        if target is not None:
            target[...] = -7
        answer = getattr(laconic, form)(*arguments, comm=comm, **FORCED, **options)
        if form == name:
            compressed(answer)
        elif form.startswith("I"):
            compressed(answer.wait())
        else:
            for _ in range(2):
                answer.start()
                assert answer.wait() is None
            answer.free()
        results.append(None if target is None else target.copy())
    for other in results[1:]:
        assert (results[0] is None and other is None) or results[0].tobytes() == other.tobytes(), form
    return results[0]


def reductions():
    for dtype in (np.float32, np.float64):
        count = 5000
        mine = numbers(count, dtype)
        all_of = [numbers(count, dtype, of) for of in range(size)]
        exact = np.sum(all_of, axis=0, dtype=np.float64)
        out = np.empty(count, dtype)
        near(run("Allreduce", mine, out, MPI.SUM), exact)
        same_on_all_ranks(out)
        near(run("Allreduce", [mine, MPI.FLOAT if dtype == np.float32 else MPI.DOUBLE], [out, count, None], laconic.AVG),
             exact / size)
        near(run("Allreduce", mine, out, MPI.MAX), np.max(all_of, axis=0))
        near(run("Scan", mine, out, MPI.SUM), np.sum(all_of[:rank + 1], axis=0, dtype=np.float64))
        exscan = run("Exscan", mine, out, MPI.SUM)
        if rank > 0:
            near(exscan, np.sum(all_of[:rank], axis=0, dtype=np.float64))
        root = size - 1
        got = run("Reduce", mine, out if rank == root else None, MPI.SUM, root)
        if rank == root:
            near(got, exact)
        part = np.empty(count // size, dtype)
        whole = mine[:count // size * size].copy()
        near(run("Reduce_scatter_block", whole, part, MPI.SUM), exact[rank * part.size:(rank + 1) * part.size])
        counts = [count // size + k for k in range(size)]
        total, begin = sum(counts), sum(counts[:rank])
        long = [numbers(total, dtype, of) for of in range(size)]
        part = np.empty(counts[rank], dtype)
        near(run("Reduce_scatter", long[rank], part, counts, MPI.SUM),
             np.sum(long, axis=0, dtype=np.float64)[begin:begin + counts[rank]])
    inout = numbers(3000)
    laconic.Allreduce(MPI.IN_PLACE, inout, MPI.SUM, comm, **FORCED)
    near(inout, np.sum([numbers(3000, of=of) for of in range(size)], axis=0, dtype=np.float64))


def movement():
    count = 3000
    mine = numbers(count)
    all_of = np.stack([numbers(count, of=of) for of in range(size)])
    everything = np.empty((size, count), np.float32)
    near(run("Allgather", mine, everything), all_of)
    same_on_all_ranks(everything)
    root = size // 2
    got = run("Gather", mine, everything if rank == root else None, root)
    if rank == root:
        near(got, all_of)
    out = np.empty(count, np.float32)
    near(run("Scatter", all_of if rank == root else None, out, root), mine)
    near(run("Alltoall", all_of, everything), np.stack([all_of[rank]] * size))
    buffer = mine.copy() if rank == root else np.empty(count, np.float32)
    compressed(laconic.Bcast(buffer, root, comm, **FORCED))
    near(buffer, all_of[root])
    same_on_all_ranks(buffer)

    counts = [1000 + 100 * k for k in range(size)]
    displs = [sum(counts[:k]) + 3 * k for k in range(size)]
    mine = numbers(counts[rank])
    vector = np.zeros(displs[-1] + counts[-1], np.float32)
    exact = np.zeros(vector.size)
    for k in range(size):
        exact[displs[k]:displs[k] + counts[k]] = numbers(counts[k], of=k)

    def check(got):
        for k in range(size):
            near(got[displs[k]:displs[k] + counts[k]], exact[displs[k]:displs[k] + counts[k]])
    check(run("Allgatherv", mine, [vector, (counts, displs), MPI.FLOAT]))
    got = run("Gatherv", mine, [vector, counts, displs, MPI.FLOAT] if rank == root else None, root)
    if rank == root:
        check(got)
    part = np.empty(counts[rank], np.float32)
    near(run("Scatterv", [exact.astype(np.float32), (counts, displs), "f"] if rank == root else None, part, root), mine)
    sizes = np.array([[500 + 10 * i + j for j in range(size)] for i in range(size)])
    send = numbers(int(sizes[rank].sum()))
    recv = np.empty(int(sizes[:, rank].sum()), np.float32)
    run("Alltoallv", [send, sizes[rank].tolist(), None, MPI.FLOAT], [recv, sizes[:, rank].tolist(), None, MPI.FLOAT])
    near(recv, np.concatenate([numbers(int(sizes[k].sum()), of=k)[sizes[k, :rank].sum():sizes[k, :rank + 1].sum()]
                               for k in range(size)]))


def neighborhoods():
    if size == 2:  # each rank has the same neighbour twice, and such calls are left to MPI
        return
    grid = comm.Create_cart([size], periods=[True])
    count = 2000
    left, right = (rank - 1) % size, (rank + 1) % size
    recv = np.empty((2, count), np.float32)
    run("Neighbor_allgather", numbers(count), recv, comm=grid)
    near(recv, [numbers(count, of=left), numbers(count, of=right)])
    if size > 1:
        send = np.stack([numbers(count, of=100 + rank), numbers(count, of=200 + rank)])
        run("Neighbor_alltoall", send, recv, comm=grid)
        near(recv, [numbers(count, of=200 + left), numbers(count, of=100 + right)])
    grid.Free()


def wrapped():
    lac = laconic.wrap(comm, **FORCED)
    laconic.reset_stats(comm)
    assert lac.Get_rank() == rank and lac.allgather(rank) == list(range(size)) and lac.comm is comm
    mine, out = numbers(4000), np.empty(4000, np.float32)
    assert lac.Allreduce(mine, out) is None
    near(out, np.sum([numbers(4000, of=of) for of in range(size)], axis=0, dtype=np.float64))
    request = lac.Iallreduce(mine, out, op=MPI.MIN)
    while not request.test():
        pass
    near(out, np.min([numbers(4000, of=of) for of in range(size)], axis=0))
    lac.Bcast(out, root=0, bound="lossless")
    whole = np.arange(1000, dtype=np.int32)
    lac.Allreduce(MPI.IN_PLACE, whole, MPI.SUM)  # integers are MPI's
    assert (whole == size * np.arange(1000)).all()
    total = laconic.stats(comm)
    assert total.calls == 4 and (size == 1 or total.plain_calls == 1), total
    if size > 1:
        assert total.plain_reason


def messages():
    left, right = (rank - 1) % size, (rank + 1) % size
    mine, got, status = numbers(5000), np.empty(5000, np.float32), MPI.Status()
    expected = numbers(5000, of=left)

    def check(stats=None):
        near(got, expected)
        assert (status.Get_source(), status.Get_tag(), status.Get_count(MPI.FLOAT)) == (left, 7, 5000)
        assert stats is None or size == 1 or (stats.plain_calls == 0 and stats.codec == "quant"), stats
        got[...] = -7

    request = laconic.Isend(mine, right, 7, comm, **FORCED)
    check(laconic.Recv(got, left, 7, status, comm))  # the sender's options decide
    request.wait()
    receiving = laconic.Irecv([got, MPI.FLOAT], comm=comm)
    sent = laconic.Send(mine, right, 7, comm, **FORCED)
    assert sent.calls == 1 and (size == 1 or sent.bytes_sent < mine.nbytes), sent
    receiving.wait(status)
    check()
    lac = laconic.wrap(comm, messages=True, **FORCED)
    assert lac.Sendrecv(mine, right, 7, got, left, 7, status) is None
    check()
    receiving = lac.Irecv(got, left, 7)
    lac.Send(mine, right, 7)
    while not receiving.test(status):
        pass
    check()
    request = comm.Isend(mine, right, 7)  # of MPI
    lac.Recv(got, left, 7, status)
    request.Wait()
    assert got.tobytes() == expected.tobytes()
    raises(laconic.Error, "tag", laconic.Send, mine, right, -5, comm, **FORCED)


def many_requests():
    sends = [numbers(2000 + 100 * k) for k in range(10)]
    outs = [np.empty(s.size, np.float32) for s in sends]
    requests = [laconic.Iallreduce(s, o, MPI.SUM, comm, **FORCED) for s, o in zip(sends, outs)]
    laconic.Request.Waitall(reversed(requests))
    for s, o in zip(sends, outs):
        near(o, np.sum([numbers(s.size, of=of) for of in range(size)], axis=0, dtype=np.float64))


def predictions_and_tuning():
    p = laconic.predict_error("allreduce", 8, op="sum", bytes=1 << 20, bound="abs:1e-3")
    assert p.codec == "quant" and p.terms == 8 and 0 < p.likely < p.worst_case <= 1e-3
    mine, out = numbers(20000), np.empty(20000, np.float32)
    for _ in range(3):
        stats = laconic.Allreduce(mine, out, MPI.SUM, comm, bound="abs:1e-3", min_bytes=1)
        assert size == 1 or stats.plain_calls == 1  # the first calls are measured
    known = laconic.tuning(comm)
    assert size == 1 or any(t.collective == "allreduce" and t.calls >= 3 for t in known), known


def efforts():
    mine, out, other = numbers(20000), np.empty(20000, np.float32), np.empty(20000, np.float32)
    for effort, codec, target in (("light", "quant", out), ("dense", "dense", other), ("auto", "quant", out)):
        stats = laconic.Allreduce(mine, target, MPI.SUM, comm, effort=effort, **FORCED)
        assert size == 1 or stats.codec == codec, (effort, stats)
    assert out.tobytes() == other.tobytes()
    assert laconic.predict_error("allreduce", 8, op="sum", bound="abs:1e-3", effort="dense").codec == "dense"
    stats = laconic.Allreduce(mine, out, MPI.SUM, comm, effort="auto", bound="abs:1e-3", min_bytes=1, tune="on")
    assert size == 1 or stats.plain_calls == 1  # the first calls are measured
    assert all(t.codec is None or t.compressed_calls > 0 for t in laconic.tuning(comm))
    raises(laconic.Error, "auto, light, dense", laconic.Allreduce, mine, out, MPI.SUM, comm, bound="abs:1", effort="heavy")
    raises(laconic.Error, "effort 'dense' with codec 'szx'", laconic.predict_error, "allreduce", 8, op="sum", bound="abs:1",
           effort="dense", codec="szx")


def raises(error, words, function, *arguments, **options):
    try:
        function(*arguments, **options)
    except error as raised:
        assert words in str(raised), (words, raised)
        return
    raise AssertionError(f"no {error.__name__} that says {words!r}")


def errors():
    mine, out = numbers(1000), np.empty(1000, np.float32)
    raises(laconic.Error, "abs:E", laconic.Allreduce, mine, out, MPI.SUM, comm, bound="abs:nan")
    raises(laconic.Error, "quant", laconic.Allreduce, mine, out, MPI.SUM, comm, bound="abs:1", codec="gzip")
    raises(laconic.Error, "bound", laconic.Allreduce, mine, out, MPI.SUM, comm, bounds="abs:1")
    raises(TypeError, "comm", laconic.Allreduce, mine, out, MPI.SUM, 3)
    raises(TypeError, "op", laconic.Allreduce, mine, out, "sum", comm)
    raises(ValueError, "divided", laconic.Alltoall, numbers(size * 10 + 1) if size > 1 else None, out, comm) if size > 1 else None
    raises(ValueError, "counts", laconic.Allgatherv, mine, [out, [1] * (size + 1), None, MPI.FLOAT], comm)
    if size > 1:  # the ranks disagree: an error on all of them, and the communicator stays usable
        raises(laconic.Error, "count", laconic.Allreduce, mine[:1000 - rank].copy(), out[:1000 - rank], MPI.SUM, comm, **FORCED)
        near(run("Allreduce", mine, out, MPI.SUM), np.sum([numbers(1000, of=of) for of in range(size)], axis=0, dtype=np.float64))


def main():
    for case in (reductions, movement, neighborhoods, wrapped, messages, many_requests, predictions_and_tuning, efforts, errors):
        faulthandler.dump_traceback_later(WATCHDOG, exit=True)
        try:
            case()
        except BaseException:
            import traceback
            sys.stderr.write(f"rank {rank} of {size}, {case.__name__}, seed {SEED}:\n{traceback.format_exc()}")
            sys.stderr.flush()
            comm.Abort(1)
        faulthandler.cancel_dump_traceback_later()
        comm.Barrier()
        if rank == 0:
            print(f"{case.__name__}: ok", flush=True)


main()
