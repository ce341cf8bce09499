#include "invoke.hpp"

namespace attack {

#define ATTACK_ANY(name, ...)                                                             \
  (mode == Mode::blocking      ? laconic_##name(__VA_ARGS__, a.comm, a.options)           \
   : mode == Mode::nonblocking ? laconic_i##name(__VA_ARGS__, a.comm, request, a.options) \
                               : laconic_##name##_init(__VA_ARGS__, a.comm, request, a.options))

int invoke(Form form, Mode mode, const Arguments& a, laconic_request* request) {
  switch (form) {
    case Form::allreduce: return ATTACK_ANY(allreduce, a.sendbuf, a.recvbuf, a.recvcount, a.recvtype, a.op);
    case Form::reduce: return ATTACK_ANY(reduce, a.sendbuf, a.recvbuf, a.recvcount, a.recvtype, a.op, a.root);
    case Form::reduce_scatter: return ATTACK_ANY(reduce_scatter, a.sendbuf, a.recvbuf, a.recvcounts, a.recvtype, a.op);
    case Form::reduce_scatter_block:
      return ATTACK_ANY(reduce_scatter_block, a.sendbuf, a.recvbuf, a.recvcount, a.recvtype, a.op);
    case Form::allgather:
      return ATTACK_ANY(allgather, a.sendbuf, a.sendcount, a.sendtype, a.recvbuf, a.recvcount, a.recvtype);
    case Form::allgatherv:
      return ATTACK_ANY(allgatherv, a.sendbuf, a.sendcount, a.sendtype, a.recvbuf, a.recvcounts, a.rdispls, a.recvtype);
    case Form::bcast: return ATTACK_ANY(bcast, a.recvbuf, a.recvcount, a.recvtype, a.root);
    case Form::scatter:
      return ATTACK_ANY(scatter, a.sendbuf, a.sendcount, a.sendtype, a.recvbuf, a.recvcount, a.recvtype, a.root);
    case Form::scatterv:
      return ATTACK_ANY(scatterv, a.sendbuf, a.sendcounts, a.sdispls, a.sendtype, a.recvbuf, a.recvcount, a.recvtype,
                        a.root);
    case Form::gather:
      return ATTACK_ANY(gather, a.sendbuf, a.sendcount, a.sendtype, a.recvbuf, a.recvcount, a.recvtype, a.root);
    case Form::gatherv:
      return ATTACK_ANY(gatherv, a.sendbuf, a.sendcount, a.sendtype, a.recvbuf, a.recvcounts, a.rdispls, a.recvtype,
                        a.root);
    case Form::alltoall:
      return ATTACK_ANY(alltoall, a.sendbuf, a.sendcount, a.sendtype, a.recvbuf, a.recvcount, a.recvtype);
    case Form::alltoallv:
      return ATTACK_ANY(alltoallv, a.sendbuf, a.sendcounts, a.sdispls, a.sendtype, a.recvbuf, a.recvcounts, a.rdispls,
                        a.recvtype);
  }
  return MPI_ERR_INTERN;
}

#undef ATTACK_ANY

}  // namespace attack
