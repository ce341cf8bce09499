# SPDX-License-Identifier: BSD-3-Clause
"""A program in mpi4py that knows nothing of Laconic: with_mpi4py.py exact | within E [all | messages]. Exit code 77: no mpi4py."""
import math, sys

try:
    import numpy as np
    from mpi4py import MPI
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

comm, n = MPI.COMM_WORLD, 4000
rank, size = comm.Get_rank(), comm.Get_size()
bound = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
moved = bound if sys.argv[3:] == ["all"] else 0.0


def numbers(of):
    return np.round(1024 * np.sin(0.01 * np.arange(n) + of)) / 1024  # sums of these are exact in any order


def check(what, got, right, allowed):
    if not np.all(np.abs(got - right) <= (allowed + 1e-12 if allowed else 0)):
        print(f"rank {rank}: wrong: {what}: {np.max(np.abs(got - right))}", flush=True)
        comm.Abort(3)


mine, right = numbers(rank), sum(numbers(r) for r in range(size))
got = np.empty(n)
comm.Allreduce(mine, got)
check("Allreduce", got, right, bound)
got[:] = mine
comm.Allreduce(MPI.IN_PLACE, got)
check("Allreduce in place", got, right, bound)
comm.Reduce(mine, got if rank == 0 else None, root=0)
if rank == 0:
    check("Reduce", got, right, bound)

requests = []
token, other = np.array([rank]), np.array([-1])
requests.append(comm.Irecv(other, (rank - 1) % size, 5))
requests.append(comm.Isend(token, (rank + 1) % size, 5))
several = [np.empty(n) for _ in range(3)]
requests += [comm.Iallreduce(mine, one) for one in several]
MPI.Request.Waitall(requests)
for one in several:
    check("Iallreduce", one, right, bound)
assert other[0] == (rank - 1) % size
request = comm.Iallreduce(mine, got)
while not request.Test():
    pass
check("Iallreduce and Test", got, right, bound)
if MPI.Get_version() >= (4, 0):
    sent, got = np.empty(n), np.empty(n)
    request = comm.Allreduce_init(sent, got)
    for round_ in range(5):
        sent[:] = mine * (round_ + 1)
        request.Start()
        request.Wait()
        check("Allreduce_init", got, right * (round_ + 1), bound)
    request.Free()

all_of = np.empty((size, n))
comm.Allgather(mine, all_of)
for r in range(size):
    check("Allgather", all_of[r], numbers(r), moved)
got = mine.copy()
comm.Bcast(got, 0)
check("Bcast", got, numbers(0), moved)
# Messages, of a size that the receiver asks for
passed = bound if sys.argv[3:] == ["messages"] else 0.0
request = comm.Isend(mine, (rank + 1) % size, 6)
status = MPI.Status()
comm.Probe(MPI.ANY_SOURCE, 6, status)
assert status.Get_count(MPI.DOUBLE) == n and status.Get_source() == (rank - 1) % size
got = np.empty(n)
comm.Recv(got, status.Get_source(), 6, status)
request.Wait()
check("Isend and Recv", got, numbers((rank - 1) % size), passed)
assert status.Get_count(MPI.DOUBLE) == n
got = np.empty(n)
comm.Sendrecv(mine, (rank + 1) % size, 7, got, (rank - 1) % size, 7)
check("Sendrecv", got, numbers((rank - 1) % size), passed)
assert comm.sendrecv({"rank": rank, "numbers": mine}, (rank + 1) % size)["rank"] == (rank - 1) % size
# Columns of a matrix: a vector type.
matrix = np.zeros((n, 3))
matrix[:, 1] = mine
column = MPI.DOUBLE.Create_vector(n, 1, 3).Commit()
comm.Bcast([np.frombuffer(matrix, offset=8), 1, column], 0)
check("Bcast of a column", matrix[:, 1], numbers(0), moved)
check("what is beside it", matrix[:, 0], np.zeros(n), 0)
column.Free()
# Objects travel as pickles, which nobody may touch.
assert comm.bcast({"rank": 0, "x": math.pi} if rank == 0 else None, 0) == {"rank": 0, "x": math.pi}
assert comm.allreduce(1) == size
if rank == 0:
    print("all results are right", flush=True)
