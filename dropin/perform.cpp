// SPDX-License-Identifier: BSD-3-Clause
#include "perform.hpp"

#include <array>
#include <string>

namespace laconic::dropin {
namespace {

thread_local bool quiet = false;

}  // namespace

Quiet::Quiet() : before_(quiet) { quiet = true; }
Quiet::~Quiet() { quiet = before_; }
bool Quiet::here() { return quiet; }

laconic_options options_of(const Communicator& communicator, const Call& call, const NumberSides& numbers,
                           laconic_stats* stats) {
  laconic_options options;
  laconic_options_init(&options);
  for (const auto& [name, value] : communicator.hints()) laconic_options_set(&options, name.c_str(), value.c_str());
  // What moves need not be numbers, whatever its type says.
  if (!reduces(call.operation) && communicator.options().denormals == LACONIC_DENORMALS_UNSET)
    options.denormals = LACONIC_DENORMALS_EXACT;
  if (numbers.kind() == Kind::integer && !communicator.lossless()) {
    options.bound = {LACONIC_BOUND_LOSSLESS, 0};
    options.codec = LACONIC_CODEC_LOSSLESS;
  }
  options.progress = LACONIC_PROGRESS_CALLS;  // the drop-in has a thread of its own
  options.stats = stats;
  return options;
}

#define LACONIC_FORMS(name, ...)                                                                 \
  (call.form == Form::blocking      ? laconic_##name(__VA_ARGS__, call.comm, &options)           \
   : call.form == Form::nonblocking ? laconic_i##name(__VA_ARGS__, call.comm, request, &options) \
                                    : laconic_##name##_init(__VA_ARGS__, call.comm, request, &options))

int perform(const Call& call, NumberSides& numbers, const laconic_options& options, laconic_request* request) {
  const NumberSide& s = numbers.send;
  const NumberSide& r = numbers.recv;
  const NumberSide& one = s.used() ? s : r;
  // An argument that does not count on this rank goes as it came.
  const void* send = s.used() ? s.buffer() : call.send.buffer;
  void* recv = r.used() ? r.buffer() : call.recv.buffer;
  const MPI_Datatype type = one.type();
  const MPI_Datatype st = s.used() ? s.type() : MPI_DATATYPE_NULL;
  const MPI_Datatype rt = r.used() ? r.type() : MPI_DATATYPE_NULL;
  const MPI_Count sc = s.used() ? s.count() : 0;
  const MPI_Count rc = r.used() ? r.count() : 0;
  switch (call.operation) {
    case Operation::allreduce: return LACONIC_FORMS(allreduce, send, recv, one.count(), type, call.op);
    case Operation::reduce: return LACONIC_FORMS(reduce, send, recv, one.count(), type, call.op, call.root);
    case Operation::reduce_scatter: return LACONIC_FORMS(reduce_scatter, send, recv, one.counts(), type, call.op);
    case Operation::reduce_scatter_block:
      return LACONIC_FORMS(reduce_scatter_block, send, recv, one.count(), type, call.op);
    case Operation::bcast: return LACONIC_FORMS(bcast, recv, rc, rt, call.root);
    case Operation::allgather: return LACONIC_FORMS(allgather, send, sc, st, recv, rc, rt);
    case Operation::allgatherv: return LACONIC_FORMS(allgatherv, send, sc, st, recv, r.counts(), r.displs(), rt);
    case Operation::scatter: return LACONIC_FORMS(scatter, send, sc, st, recv, rc, rt, call.root);
    case Operation::scatterv: return LACONIC_FORMS(scatterv, send, s.counts(), s.displs(), st, recv, rc, rt, call.root);
    case Operation::gather: return LACONIC_FORMS(gather, send, sc, st, recv, rc, rt, call.root);
    case Operation::gatherv: return LACONIC_FORMS(gatherv, send, sc, st, recv, r.counts(), r.displs(), rt, call.root);
    case Operation::alltoall: return LACONIC_FORMS(alltoall, send, sc, st, recv, rc, rt);
    case Operation::alltoallv:
      return LACONIC_FORMS(alltoallv, send, s.counts(), s.displs(), st, recv, r.counts(), r.displs(), rt);
    case Operation::send: break;
  }
  return MPI_ERR_INTERN;
}

#undef LACONIC_FORMS

bool nothing_happened(int code) {
  int error_class = MPI_ERR_OTHER;
  PMPI_Error_class(code, &error_class);
  return error_class != MPI_ERR_INTERN && error_class != MPI_ERR_UNKNOWN && error_class != MPI_ERR_TRUNCATE;
}

std::string message_of(int code) {
  std::array<char, 1024> text{};
  laconic_error_string(code, text.data(), text.size());
  const std::string all = text.data();
  const std::string prefix = "laconic: ";
  return all.rfind(prefix, 0) == 0 ? all.substr(prefix.size()) : all;
}

}  // namespace laconic::dropin
