// SPDX-License-Identifier: BSD-3-Clause
#include "invoke.hpp"

#include <tuple>

#include "call/arguments.hpp"

namespace attack {
namespace {

struct Side {
  void* buffer;
  MPI_Count count;
  const MPI_Count* counts;
  const MPI_Aint* displs;
  MPI_Datatype type;
};

}  // namespace

int invoke(Routine routine, Mode mode, const Arguments& a, laconic_request* request) {
  const Side recv{a.recvbuf, a.recvcount, a.recvcounts, a.rdispls, a.recvtype};
  Side send{const_cast<void*>(a.sendbuf), a.sendcount, a.sendcounts, a.sdispls, a.sendtype};
  if (laconic::traits_of(routine).reduces) {
    send = recv;
    send.buffer = const_cast<void*>(a.sendbuf);
  }
  switch (routine) {
#define LACONIC_COLLECTIVE(name, Name, ...)                                                               \
  case Routine::name:                                                                                     \
    return std::apply(                                                                                    \
        [&](auto... all) {                                                                                \
          return mode == Mode::blocking      ? laconic_##name(all..., a.comm, a.options)                  \
                 : mode == Mode::nonblocking ? laconic_i##name(all..., a.comm, request, a.options)        \
                                             : laconic_##name##_init(all..., a.comm, request, a.options); \
        },                                                                                                \
        laconic::arguments_of<Routine::name>(send, recv, a.op, a.root));
#include "call/collectives.def"
  }
  return MPI_ERR_INTERN;
}

}  // namespace attack
