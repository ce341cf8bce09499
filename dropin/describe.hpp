// SPDX-License-Identifier: BSD-3-Clause
// What the arguments of each collective mean, whatever the width of counts and displacements.
#pragma once

#include "call.hpp"

namespace laconic::dropin {

inline void* mutable_of(const void* buffer) { return const_cast<void*>(buffer); }

template <class Count>
void describe_allreduce(Call& call, const void* send, void* recv, Count count, MPI_Datatype type, MPI_Op op) {
  call.send = {mutable_of(send), count, {}, {}, type};
  call.recv = {recv, count, {}, {}, type};
  call.op = op;
}

template <class Count>
void describe_reduce(Call& call, const void* send, void* recv, Count count, MPI_Datatype type, MPI_Op op, int root) {
  call.send = {mutable_of(send), count, {}, {}, type};
  call.recv = {recv, count, {}, {}, type};
  call.op = op;
  call.root = root;
}

template <class Count>
void describe_reduce_scatter(Call& call, const void* send, void* recv, const Count* counts, MPI_Datatype type,
                             MPI_Op op) {
  call.send = {mutable_of(send), 0, counts, {}, type};
  call.recv = {recv, 0, counts, {}, type};
  call.op = op;
}

template <class Count>
void describe_reduce_scatter_block(Call& call, const void* send, void* recv, Count count, MPI_Datatype type,
                                   MPI_Op op) {
  call.send = {mutable_of(send), count, {}, {}, type};
  call.recv = {recv, count, {}, {}, type};
  call.op = op;
}

template <class Count>
void describe_bcast(Call& call, void* buffer, Count count, MPI_Datatype type, int root) {
  call.recv = {buffer, count, {}, {}, type};
  call.root = root;
}

template <class Count>
void describe_allgather(Call& call, const void* send, Count sendcount, MPI_Datatype sendtype, void* recv,
                        Count recvcount, MPI_Datatype recvtype) {
  call.send = {mutable_of(send), sendcount, {}, {}, sendtype};
  call.recv = {recv, recvcount, {}, {}, recvtype};
}

template <class Count, class Displ>
void describe_allgatherv(Call& call, const void* send, Count sendcount, MPI_Datatype sendtype, void* recv,
                         const Count* recvcounts, const Displ* displs, MPI_Datatype recvtype) {
  call.send = {mutable_of(send), sendcount, {}, {}, sendtype};
  call.recv = {recv, 0, recvcounts, displs, recvtype};
}

template <class Count>
void describe_scatter(Call& call, const void* send, Count sendcount, MPI_Datatype sendtype, void* recv, Count recvcount,
                      MPI_Datatype recvtype, int root) {
  call.send = {mutable_of(send), sendcount, {}, {}, sendtype};
  call.recv = {recv, recvcount, {}, {}, recvtype};
  call.root = root;
}

template <class Count, class Displ>
void describe_scatterv(Call& call, const void* send, const Count* sendcounts, const Displ* displs,
                       MPI_Datatype sendtype, void* recv, Count recvcount, MPI_Datatype recvtype, int root) {
  call.send = {mutable_of(send), 0, sendcounts, displs, sendtype};
  call.recv = {recv, recvcount, {}, {}, recvtype};
  call.root = root;
}

template <class Count>
void describe_gather(Call& call, const void* send, Count sendcount, MPI_Datatype sendtype, void* recv, Count recvcount,
                     MPI_Datatype recvtype, int root) {
  call.send = {mutable_of(send), sendcount, {}, {}, sendtype};
  call.recv = {recv, recvcount, {}, {}, recvtype};
  call.root = root;
}

template <class Count, class Displ>
void describe_gatherv(Call& call, const void* send, Count sendcount, MPI_Datatype sendtype, void* recv,
                      const Count* recvcounts, const Displ* displs, MPI_Datatype recvtype, int root) {
  call.send = {mutable_of(send), sendcount, {}, {}, sendtype};
  call.recv = {recv, 0, recvcounts, displs, recvtype};
  call.root = root;
}

template <class Count>
void describe_alltoall(Call& call, const void* send, Count sendcount, MPI_Datatype sendtype, void* recv,
                       Count recvcount, MPI_Datatype recvtype) {
  call.send = {mutable_of(send), sendcount, {}, {}, sendtype};
  call.recv = {recv, recvcount, {}, {}, recvtype};
}

template <class Count, class Displ>
void describe_alltoallv(Call& call, const void* send, const Count* sendcounts, const Displ* sdispls,
                        MPI_Datatype sendtype, void* recv, const Count* recvcounts, const Displ* rdispls,
                        MPI_Datatype recvtype) {
  call.send = {mutable_of(send), 0, sendcounts, sdispls, sendtype};
  call.recv = {recv, 0, recvcounts, rdispls, recvtype};
}

}  // namespace laconic::dropin
