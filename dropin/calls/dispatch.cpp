// SPDX-License-Identifier: BSD-3-Clause
#include "calls/dispatch.hpp"

#include <array>
#include <string>
#include <tuple>

#include "call/arguments.hpp"

namespace laconic::dropin {
namespace {

thread_local bool quiet = false;

}  // namespace

Quiet::Quiet() : before_(quiet) { quiet = true; }
Quiet::~Quiet() { quiet = before_; }
bool Quiet::here() { return quiet; }

laconic_options options_of(const Communicator& communicator, const Call& call, const NumberSides& numbers,
                           laconic_stats* stats) {
  laconic_options options = communicator.hinted();
  // Data movement must preserve denormals: the items may be other data under a floating-point type.
  if (!reduces(call.operation) && communicator.options().denormals == LACONIC_DENORMALS_UNSET)
    options.denormals = LACONIC_DENORMALS_EXACT;
  options.bound = numbers.bound.bound;
  if (numbers.kind() == Kind::integer && !numbers.bound.lossless()) {
    options.bound = {LACONIC_BOUND_LOSSLESS, 0};
    options.codec = LACONIC_CODEC_LOSSLESS;
  }
  options.progress = LACONIC_PROGRESS_CALLS;  // the drop-in has a thread of its own
  options.stats = stats;
  if (!communicator.tunes()) options.tune = LACONIC_TUNE_OFF;
  return options;
}

namespace {

// A side in the form that Laconic's functions take. The buffer of an unused side is passed on unchanged.
struct Arguments {
  void* buffer = nullptr;
  MPI_Count count = 0;
  const MPI_Count* counts = nullptr;
  const MPI_Aint* displs = nullptr;
  MPI_Datatype type = MPI_DATATYPE_NULL;

  Arguments(const NumberSide& side, void* program_buffer, bool moves) : buffer(program_buffer) {
    if (!side.used()) return;
    set(side);
    if (moves) buffer = side.buffer();
  }
  void set(const NumberSide& side) {
    count = side.count();
    counts = side.counts();
    displs = side.displs();
    type = side.type();
  }
};

}  // namespace

int dispatch(const Call& call, NumberSides& numbers, const laconic_options& options, laconic_request* request) {
  const bool moves = options.plain == nullptr || *options.plain == LACONIC_PLAIN_NOT;
  Arguments send(numbers.send, call.send.buffer, moves);
  const Arguments recv(numbers.recv, call.recv.buffer, moves);
  if (reduces(call.operation)) send.set(numbers.one());
  switch (call.operation) {
#define LACONIC_COLLECTIVE(name, Name, ...)                                                                    \
  case Operation::name:                                                                                        \
    return std::apply(                                                                                         \
        [&](auto... a) {                                                                                       \
          return call.form == Form::blocking      ? laconic_##name(a..., call.comm, &options)                  \
                 : call.form == Form::nonblocking ? laconic_i##name(a..., call.comm, request, &options)        \
                                                  : laconic_##name##_init(a..., call.comm, request, &options); \
        },                                                                                                     \
        arguments_of<Routine::name>(send, recv, call.op, call.root));
#include "call/collectives.def"
    case Operation::send: break;
  }
  return MPI_ERR_INTERN;
}

laconic_plain_reason in_laconic(Reason reason) {
  if (reason == Reason::touched) return LACONIC_PLAIN_NOT;
  return static_cast<laconic_plain_reason>(LACONIC_PLAIN_CALLER + static_cast<int>(reason));
}

Reason reason_of(laconic_plain_reason reason) {
  if (reason >= LACONIC_PLAIN_CALLER) return static_cast<Reason>(reason - LACONIC_PLAIN_CALLER);
  if (reason == LACONIC_PLAIN_SMALL) return Reason::small;
  if (reason == LACONIC_PLAIN_SLOWER) return Reason::slower;
  if (reason == LACONIC_PLAIN_UNPREPARED) return Reason::unprepared;
  if (reason == LACONIC_PLAIN_NEIGHBORS) return Reason::neighbors;
  return reason == LACONIC_PLAIN_TYPE ? Reason::type : Reason::refused;
}

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
