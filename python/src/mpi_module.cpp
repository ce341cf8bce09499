// SPDX-License-Identifier: BSD-3-Clause
// laconic._mpi: the collectives of laconic/laconic.h.  laconic/mpi.py turns mpi4py's buffers and handles into what is
// taken here, and documents the functions.
//
// Handles of MPI come as addresses of C handles (mpi4py: MPI._addressof), whatever C type they have in this MPI.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "error.hpp"
#include "laconic/laconic.h"

namespace laconic::python {
namespace {

constexpr std::size_t message_bytes = 1024;

void check(int code) {
  if (code == MPI_SUCCESS) return;
  char message[message_bytes] = "";
  laconic_error_string(code, message, sizeof message);
  throw Error(code, message);
}

template <class Handle>
Handle handle_at(std::uintptr_t address) {
  return *reinterpret_cast<const Handle*>(address);
}

// One side of a collective, as in MPI's arguments.
struct Side {
  void* buffer = nullptr;
  MPI_Count count = 0;
  std::vector<MPI_Count> counts;
  std::vector<MPI_Aint> displs;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

// (address or None for MPI.IN_PLACE, count, counts, displacements, address of the type's handle)
using SideArguments = std::tuple<std::optional<std::uintptr_t>, long long, std::vector<long long>,
                                 std::vector<long long>, std::uintptr_t>;

Side side_of(nb::tuple arguments) {
  Side side;
  const nb::object address = arguments[0];
  side.buffer = address.is_none() ? MPI_IN_PLACE : reinterpret_cast<void*>(nb::cast<std::uintptr_t>(address));
  side.count = nb::cast<long long>(arguments[1]);
  for (const nb::handle count : nb::cast<nb::list>(arguments[2]))
    side.counts.push_back(static_cast<MPI_Count>(nb::cast<long long>(count)));
  for (const nb::handle at : nb::cast<nb::list>(arguments[3]))
    side.displs.push_back(static_cast<MPI_Aint>(nb::cast<long long>(at)));
  if (const auto type = nb::cast<std::uintptr_t>(arguments[4]); type != 0) side.type = handle_at<MPI_Datatype>(type);
  return side;
}

// Options as text, by name.
laconic_options options_of(const nb::dict& texts) {
  laconic_options options;
  laconic_options_init(&options);
  for (const auto& [name, value] : texts)
    check(laconic_options_set(&options, nb::cast<std::string>(name).c_str(), nb::cast<std::string>(value).c_str()));
  return options;
}

struct Call {
  Side send;
  Side recv;
  MPI_Op op = MPI_OP_NULL;
  int root = 0;
  MPI_Comm comm = MPI_COMM_NULL;
};

enum class Form { blocking, nonblocking, persistent };
using Routine = int (*)(const Call&, Form, laconic_request*, const laconic_options*);

#define SEND c.send.buffer, c.send.count, c.send.type
#define RECV c.recv.buffer, c.recv.count, c.recv.type
#define SENDV c.send.buffer, c.send.counts.data(), c.send.displs.data(), c.send.type
#define RECVV c.recv.buffer, c.recv.counts.data(), c.recv.displs.data(), c.recv.type
#define REDUCE c.send.buffer, c.recv.buffer, c.recv.count, c.recv.type, c.op
#define ROUTINE(name, ...)                                                                                 \
  {                                                                                                        \
#name, [](const Call& c, Form form, laconic_request* request, const laconic_options* options) {          \
      switch (form) {                                                                                        \
        case Form::blocking: return laconic_##name(__VA_ARGS__, c.comm, options);                            \
        case Form::nonblocking: return laconic_i##name(__VA_ARGS__, c.comm, request, options);               \
        default: return laconic_##name##_init(__VA_ARGS__, c.comm, request, options);                        \
      }                                                                                                      \
    } \
  }

const std::map<std::string, Routine>& routines() {
  static const std::map<std::string, Routine> table{
      ROUTINE(allreduce, REDUCE),
      ROUTINE(reduce, REDUCE, c.root),
      ROUTINE(scan, REDUCE),
      ROUTINE(exscan, REDUCE),
      ROUTINE(reduce_scatter_block, REDUCE),
      ROUTINE(reduce_scatter, c.send.buffer, c.recv.buffer, c.recv.counts.data(), c.recv.type, c.op),
      ROUTINE(bcast, RECV, c.root),
      ROUTINE(allgather, SEND, RECV),
      ROUTINE(allgatherv, SEND, RECVV),
      ROUTINE(gather, SEND, RECV, c.root),
      ROUTINE(gatherv, SEND, RECVV, c.root),
      ROUTINE(scatter, SEND, RECV, c.root),
      ROUTINE(scatterv, SENDV, RECV, c.root),
      ROUTINE(alltoall, SEND, RECV),
      ROUTINE(alltoallv, SENDV, RECVV),
      ROUTINE(neighbor_allgather, SEND, RECV),
      ROUTINE(neighbor_allgatherv, SEND, RECVV),
      ROUTINE(neighbor_alltoall, SEND, RECV),
      ROUTINE(neighbor_alltoallv, SENDV, RECVV),
  };
  return table;
}

// One message, or two: MPI_Send, MPI_Recv, MPI_Sendrecv.
struct Message {
  Side send;
  int dest = MPI_PROC_NULL;
  int send_tag = 0;
  Side recv;
  int source = MPI_PROC_NULL;
  int recv_tag = 0;
  MPI_Comm comm = MPI_COMM_NULL;
};

#define TO m.send.buffer, m.send.count, m.send.type, m.dest, m.send_tag
#define FROM m.recv.buffer, m.recv.count, m.recv.type, m.source, m.recv_tag

MPI_Status* status_at(std::uintptr_t address) {
  return address == 0 ? MPI_STATUS_IGNORE : reinterpret_cast<MPI_Status*>(address);
}

nb::tuple stats_tuple(const laconic_stats& s) {
  const auto text = [](const char* name) {
    return name != nullptr ? nb::object(nb::str(name)) : nb::object(nb::none());
  };
  const bool plain = s.plain_calls > 0;
  return nb::make_tuple(s.calls, s.plain_calls, text(plain ? laconic_plain_reason_string(s.plain_reason) : nullptr),
                        text(laconic_codec_name(s.codec)), text(laconic_algorithm_name(s.algorithm)),
                        text(laconic_variant_name(s.variant)), s.bytes_in, s.bytes_sent, s.bytes_uncompressed, s.ratio,
                        s.bound, s.achieved_bound, s.seconds_encode, s.seconds_decode, s.seconds_reduce, s.seconds_copy,
                        s.seconds_wait, s.seconds_other, s.seconds_total, s.memory_bytes,
                        text(s.range_of == LACONIC_TARGET_INPUT    ? "input"
                             : s.range_of == LACONIC_TARGET_RESULT ? "result"
                                                                   : nullptr),
                        s.through_host_calls,
                        text(s.through_host_calls > 0 ? laconic_through_host_string(s.through_host) : nullptr));
}

// An operation in flight, or a persistent one, with all that it uses until it has completed.
class Request {
 public:
  Request(Call call, nb::object buffers) : state_(std::make_unique<State>()) {
    state_->call = std::move(call);
    state_->buffers = std::move(buffers);
  }
  // The memory of an operation that nobody waits for still belongs to it.
  ~Request() {
    if (state_ && state_->request != LACONIC_REQUEST_NULL) state_.release();
  }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  void begin(Routine routine, Form form, laconic_options options) {
    State& s = *state_;
    if (form == Form::nonblocking) options.stats = &s.stats;
    s.persistent = form == Form::persistent;
    int code = MPI_SUCCESS;
    {
      nb::gil_scoped_release released;
      code = routine(s.call, form, &s.request, &options);
    }
    check(code);
  }

  // A message has one side.
  void begin(const Message& m, bool sends, laconic_options options) {
    State& s = *state_;
    options.stats = &s.stats;
    int code = MPI_SUCCESS;
    {
      nb::gil_scoped_release released;
      code =
          sends ? laconic_isend(TO, m.comm, &s.request, &options) : laconic_irecv(FROM, m.comm, &s.request, &options);
    }
    check(code);
  }

  void start() {
    nb::gil_scoped_release released;
    check(laconic_start(&state_->request));
  }

  // status: the address of an MPI_Status, or 0.
  nb::object wait(std::uintptr_t status) {
    int code = MPI_SUCCESS;
    {
      nb::gil_scoped_release released;
      code = laconic_wait(&state_->request, status_at(status));
    }
    return completed(code);
  }

  bool test(std::uintptr_t status) {
    int flag = 0;
    int code = MPI_SUCCESS;
    {
      nb::gil_scoped_release released;
      code = laconic_test(&state_->request, &flag, status_at(status));
    }
    if (flag != 0) completed(code);
    check(code);
    return flag != 0;
  }

  void free() { check(laconic_request_free(&state_->request)); }

  nb::object stats() const { return stats_tuple(state_->stats); }
  bool persistent() const { return state_->persistent; }

 private:
  struct State {
    Call call;
    nb::object buffers;
    laconic_request request = LACONIC_REQUEST_NULL;
    laconic_stats stats{};
    bool persistent = false;
  };

  nb::object completed(int code) {
    if (!state_->persistent) state_->buffers = nb::object();
    check(code);
    return state_->persistent ? nb::object(nb::none()) : stats();
  }

  std::unique_ptr<State> state_;
};

Routine routine_named(const std::string& name) {
  const auto found = routines().find(name);
  if (found == routines().end()) throw nb::value_error(("no collective " + name).c_str());
  return found->second;
}

Call call_of(nb::tuple send, nb::tuple recv, std::uintptr_t op, int root, std::uintptr_t comm) {
  Call call;
  call.send = side_of(send);
  call.recv = side_of(recv);
  call.op = op == 0 ? laconic_op_avg() : handle_at<MPI_Op>(op);
  call.root = root;
  call.comm = handle_at<MPI_Comm>(comm);
  return call;
}

nb::tuple run(const std::string& name, nb::tuple send, nb::tuple recv, std::uintptr_t op, int root, std::uintptr_t comm,
              const nb::dict& texts) {
  const Routine routine = routine_named(name);
  const Call call = call_of(send, recv, op, root, comm);
  laconic_options options = options_of(texts);
  laconic_stats stats{};
  options.stats = &stats;
  int code = MPI_SUCCESS;
  {
    nb::gil_scoped_release released;
    code = routine(call, Form::blocking, nullptr, &options);
  }
  check(code);
  return stats_tuple(stats);
}

Request* begin(const std::string& name, bool persistent, nb::tuple send, nb::tuple recv, std::uintptr_t op, int root,
               std::uintptr_t comm, const nb::dict& texts, nb::object buffers) {
  const Routine routine = routine_named(name);
  auto request = std::make_unique<Request>(call_of(send, recv, op, root, comm), std::move(buffers));
  request->begin(routine, persistent ? Form::persistent : Form::nonblocking, options_of(texts));
  return request.release();
}

Message message_of(nb::tuple send, int dest, int send_tag, nb::tuple recv, int source, int recv_tag,
                   std::uintptr_t comm) {
  return {side_of(send), dest, send_tag, side_of(recv), source, recv_tag, handle_at<MPI_Comm>(comm)};
}

// sends, receives: one of them, or both as in MPI_Sendrecv.
nb::tuple pass_message(bool sends, bool receives, nb::tuple send, int dest, int send_tag, nb::tuple recv, int source,
                       int recv_tag, std::uintptr_t comm, std::uintptr_t status, const nb::dict& texts) {
  const Message m = message_of(send, dest, send_tag, recv, source, recv_tag, comm);
  laconic_options options = options_of(texts);
  laconic_stats stats{};
  options.stats = &stats;
  int code = MPI_SUCCESS;
  {
    nb::gil_scoped_release released;
    if (sends && receives)
      code = laconic_sendrecv(TO, FROM, m.comm, status_at(status), &options);
    else if (sends)
      code = laconic_send(TO, m.comm, &options);
    else
      code = laconic_recv(FROM, m.comm, status_at(status), &options);
  }
  check(code);
  return stats_tuple(stats);
}

Request* begin_message(bool sends, nb::tuple send, int dest, int send_tag, nb::tuple recv, int source, int recv_tag,
                       std::uintptr_t comm, const nb::dict& texts, nb::object buffers) {
  auto request = std::make_unique<Request>(Call{}, std::move(buffers));
  request->begin(message_of(send, dest, send_tag, recv, source, recv_tag, comm), sends, options_of(texts));
  return request.release();
}

nb::tuple stats_get(std::uintptr_t comm) {
  laconic_stats stats{};
  check(laconic_stats_get(handle_at<MPI_Comm>(comm), &stats));
  return stats_tuple(stats);
}

nb::list tuning(std::uintptr_t comm) {
  int count = 0;
  check(laconic_tuning_get(handle_at<MPI_Comm>(comm), nullptr, 0, &count));
  std::vector<laconic_tuning> classes(static_cast<std::size_t>(count));
  check(laconic_tuning_get(handle_at<MPI_Comm>(comm), classes.data(), count, &count));
  nb::list list;
  for (const laconic_tuning& c : classes)
    list.append(nb::make_tuple(c.collective, c.bytes, c.calls, c.compressed_calls, laconic_algorithm_name(c.algorithm),
                               c.plain_seconds, c.predicted_seconds, c.measured_seconds, c.ratio,
                               laconic_codec_name(c.codec)));
  return list;
}

nb::tuple predict_error(const std::string& collective, const std::optional<std::string>& op, int ranks, long long bytes,
                        const nb::dict& texts) {
  const laconic_options options = options_of(texts);
  laconic_prediction p{};
  p.size = sizeof p;
  check(laconic_predict_error(collective.c_str(), op ? op->c_str() : nullptr, ranks, static_cast<MPI_Count>(bytes),
                              &options, &p));
  return nb::make_tuple(laconic_codec_name(p.codec), laconic_algorithm_name(p.algorithm), p.terms, p.allowance,
                        p.worst_case, p.likely);
}

std::string version_of_mpi() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  return text;
}

bool initialized() {
  int flag = 0;
  MPI_Initialized(&flag);
  return flag != 0;
}

}  // namespace

NB_MODULE(_mpi, m) {
  using namespace nb::literals;
  static nb::object error_class = nb::module_::import_("laconic").attr("Error");
  raise_errors_as(error_class);
  m.def("run", &run);
  m.def("begin", &begin, nb::rv_policy::take_ownership);
  m.def("pass_message", &pass_message);
  m.def("begin_message", &begin_message, nb::rv_policy::take_ownership);
  m.def("stats_get", &stats_get);
  m.def("stats_reset", [](std::uintptr_t comm) { check(laconic_stats_reset(handle_at<MPI_Comm>(comm))); });
  m.def("prepare", [](std::uintptr_t comm) {
    int code = MPI_SUCCESS;
    {
      nb::gil_scoped_release released;
      code = laconic_comm_set_info(handle_at<MPI_Comm>(comm), MPI_INFO_NULL);
    }
    check(code);
  });
  m.def("tuning", &tuning);
  m.def("predict_error", &predict_error, nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg());
  m.def("version_of_mpi", &version_of_mpi);
  m.def("initialized", &initialized);
  m.attr("built_for") = MPI_VERSION >= 4 ? "MPI 4" : "MPI 3";
  nb::class_<Request>(m, "Request")
      .def("start", &Request::start)
      .def("wait", &Request::wait)
      .def("test", &Request::test)
      .def("free", &Request::free)
      .def("stats", &Request::stats)
      .def_prop_ro("persistent", &Request::persistent);
}

}  // namespace laconic::python
