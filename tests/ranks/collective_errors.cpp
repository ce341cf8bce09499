// SPDX-License-Identifier: BSD-3-Clause
// Wrong arguments of every kind of collective, on one rank or on all: every rank gets an error, the rank that made the
// mistake gets the name of the argument, no rank hangs, and the communicator works afterwards.
#include <functional>

#include "collective_case.hpp"

namespace {

using namespace ranks;

constexpr int n = 500;

struct Buffers {
  std::vector<float> send;
  std::vector<float> receive;
  std::vector<MPI_Count> counts;
  std::vector<MPI_Aint> displs;
  explicit Buffers(int size)
      : send(static_cast<std::size_t>(n * size), 1),
        receive(static_cast<std::size_t>(n * size), -1),
        counts(static_cast<std::size_t>(size), n),
        displs(static_cast<std::size_t>(size)) {
    for (std::size_t k = 0; k < displs.size(); ++k) displs[k] = static_cast<MPI_Aint>(k) * n;
  }
};

// Makes the call; `bad` is true on the ranks that make the mistake.
struct Mistake {
  const char* name;
  const char* says;
  int error_class;
  std::function<int(Buffers&, bool bad, laconic_request*, const laconic_options*)> call;
  int only = -1;  // the only rank that can make the mistake, or -1 for any rank
};

#define LACONIC_ANY(name, ...) \
  (request ? laconic_i##name(__VA_ARGS__, comm, request, o) : laconic_##name(__VA_ARGS__, comm, o))

const MPI_Comm comm = MPI_COMM_WORLD;

std::vector<Mistake> mistakes(int size) {
  using B = Buffers;
  using O = const laconic_options*;
  using R = laconic_request*;
  return {
      {"reduce root", "root", MPI_ERR_ROOT,
       [](B& b, bool bad, R request, O o) {
         return LACONIC_ANY(reduce, b.send.data(), b.receive.data(), n, MPI_FLOAT, MPI_SUM, bad ? -3 : 0);
       }},
      {"bcast root", "root", MPI_ERR_ROOT,
       [size](B& b, bool bad, R request, O o) {
         return LACONIC_ANY(bcast, b.send.data(), n, MPI_FLOAT, bad ? size : 0);
       }},
      {"bcast count", "count is -7", MPI_ERR_COUNT,
       [](B& b, bool bad, R request, O o) { return LACONIC_ANY(bcast, b.send.data(), bad ? -7 : n, MPI_FLOAT, 0); }},
      {"bcast buffer", "buffer is NULL", MPI_ERR_BUFFER,
       [](B& b, bool bad, R request, O o) {
         return LACONIC_ANY(bcast, bad ? nullptr : b.send.data(), n, MPI_FLOAT, 0);
       }},
      {"scatter sendbuf in place", "recvbuf is NULL", MPI_ERR_BUFFER,
       [](B& b, bool bad, R request, O o) {
         return LACONIC_ANY(scatter, b.send.data(), n, MPI_FLOAT, bad ? nullptr : b.receive.data(), n, MPI_FLOAT, 0);
       }},
      {"gather recvcount", "sends itself", MPI_ERR_COUNT,
       [](B& b, bool bad, R request, O o) {
         // Only the root looks at it.
         return LACONIC_ANY(gather, b.send.data(), n, MPI_FLOAT, b.receive.data(), bad ? n - 1 : n, MPI_FLOAT, 0);
       },
       0},
      {"gather in place", "sendbuf is MPI_IN_PLACE", MPI_ERR_BUFFER,
       [](B& b, bool bad, R request, O o) {
         const void* from = bad ? MPI_IN_PLACE : b.send.data();
         return LACONIC_ANY(gather, from, n, MPI_FLOAT, b.receive.data(), n, MPI_FLOAT, 0);
       },
       size - 1},
      {"allgather of integers, bound", "bound", MPI_ERR_ARG,
       [](B& b, bool bad, R request, O given) {
         laconic_options other = *given;
         other.bound = {LACONIC_BOUND_LOSSLESS, 0};
         if (bad) other.bound = {LACONIC_BOUND_ABS, -1};
         const laconic_options* o = &other;
         return LACONIC_ANY(allgather, b.send.data(), n, MPI_INT, b.receive.data(), n, MPI_INT);
       }},
      {"allgather sendtype", "sendtype is MPI_DATATYPE_NULL", MPI_ERR_TYPE,
       [](B& b, bool bad, R request, O o) {
         return LACONIC_ANY(allgather, b.send.data(), n, bad ? MPI_DATATYPE_NULL : MPI_FLOAT, b.receive.data(), n,
                            MPI_FLOAT);
       }},
      {"allgatherv recvcounts", "recvcounts[0] is -1", MPI_ERR_COUNT,
       [](B& b, bool bad, R request, O o) {
         if (bad) b.counts[0] = -1;
         return LACONIC_ANY(allgatherv, b.send.data(), n, MPI_FLOAT, b.receive.data(), b.counts.data(), b.displs.data(),
                            MPI_FLOAT);
       }},
      {"alltoallv displacements", "displacements are NULL", MPI_ERR_ARG,
       [](B& b, bool bad, R request, O o) {
         return LACONIC_ANY(alltoallv, b.send.data(), b.counts.data(), bad ? nullptr : b.displs.data(), MPI_FLOAT,
                            b.receive.data(), b.counts.data(), b.displs.data(), MPI_FLOAT);
       }},
      {"reduce_scatter op", "op is MPI_OP_NULL", MPI_ERR_OP,
       [](B& b, bool bad, R request, O o) {
         return LACONIC_ANY(reduce_scatter, b.send.data(), b.receive.data(), b.counts.data(), MPI_FLOAT,
                            bad ? MPI_OP_NULL : MPI_SUM);
       }},
      {"reduce_scatter recvbuf", "recvbuf is NULL", MPI_ERR_BUFFER,
       [](B& b, bool bad, R request, O o) {
         return LACONIC_ANY(reduce_scatter, b.send.data(), bad ? nullptr : b.receive.data(), b.counts.data(), MPI_FLOAT,
                            MPI_SUM);
       }},
      {"alltoall counts", "disagree on count", MPI_ERR_OTHER,
       [](B& b, bool bad, R request, O o) {
         return LACONIC_ANY(alltoall, b.send.data(), bad ? n - 1 : n, MPI_FLOAT, b.receive.data(), bad ? n - 1 : n,
                            MPI_FLOAT);
       }},
      {"reduce_scatter_block mean", "LACONIC_AVG", MPI_ERR_TYPE,
       [](B& b, bool bad, R request, O o) {
         return LACONIC_ANY(reduce_scatter_block, b.send.data(), b.receive.data(), n, bad ? MPI_INT : MPI_FLOAT,
                            LACONIC_AVG);
       }},
      {"bcast algorithm", "is not one of bcast", MPI_ERR_ARG,
       [](B& b, bool bad, R request, O given) {
         laconic_options other = *given;
         if (bad) other.algorithm = LACONIC_ALGORITHM_BRUCK;
         const laconic_options* o = &other;
         return LACONIC_ANY(bcast, b.send.data(), n, MPI_FLOAT, 0);
       }},
  };
}

void try_it(Test& t, const Mistake& m, int who, bool nonblocking) {
  t.doing(text("%s, made by %s, %s", m.name, who < 0 ? "all" : "one", nonblocking ? "nonblocking" : "blocking"));
  t.count_case();
  Buffers b(t.size());
  const laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-3);
  const bool bad = who < 0 || t.rank() == who;
  laconic_request request = LACONIC_REQUEST_NULL;
  int rc = m.call(b, bad, nonblocking ? &request : nullptr, &o);
  if (nonblocking) {
    if (!CHECK(t, rc == MPI_SUCCESS && request != LACONIC_REQUEST_NULL, "%s", message_of(rc).c_str())) return;
    MPI_Status status;
    rc = laconic_wait(&request, &status);
    CHECK(t, status.MPI_ERROR == rc);
  }
  if (!CHECK(t, rc != MPI_SUCCESS, "no error")) return;
  const bool mismatch = m.error_class == MPI_ERR_OTHER;
  CHECK(t, class_of(rc) == m.error_class, "class %d, expected %d: %s", class_of(rc), m.error_class,
        message_of(rc).c_str());
  const std::string message = message_of(rc);
  if (bad || mismatch)
    CHECK(t, message.find(m.says) != std::string::npos, "'%s' is not in '%s'", m.says, message.c_str());
  else
    CHECK(t, message.find(text("rank %d", who)) != std::string::npos, "who made it is not in '%s'", message.c_str());
  for (const float x : b.receive)
    if (!CHECK(t, x == -1, "the result was written")) break;

  std::vector<float> x(n, static_cast<float>(t.rank()));
  rc = laconic_bcast(x.data(), n, MPI_FLOAT, t.size() - 1, comm, &o);
  CHECK(t, rc == MPI_SUCCESS && std::fabs(x[7] - static_cast<float>(t.size() - 1)) <= 1.1e-3F,
        "a good call afterwards: %s", message_of(rc).c_str());
}

void null_requests(Test& t) {
  t.doing("null requests");
  std::vector<float> x(n);
  const laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-3);
  CHECK(t, class_of(laconic_ibcast(x.data(), n, MPI_FLOAT, 0, comm, nullptr, &o)) == MPI_ERR_REQUEST);
  laconic_request none = LACONIC_REQUEST_NULL;
  int flag = 0;
  int index = 0;
  MPI_Status status;
  CHECK(t, laconic_wait(&none, &status) == MPI_SUCCESS && status.MPI_TAG == MPI_ANY_TAG);
  CHECK(t, laconic_test(&none, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag);
  CHECK(t, laconic_waitall(1, &none, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  CHECK(t, laconic_waitany(1, &none, &index, MPI_STATUS_IGNORE) == MPI_SUCCESS && index == MPI_UNDEFINED);
  CHECK(t, laconic_request_free(&none) == MPI_SUCCESS);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  CHECK(t, class_of(laconic_start(&none)) == MPI_ERR_REQUEST);
  CHECK(t, class_of(laconic_wait(nullptr, MPI_STATUS_IGNORE)) == MPI_ERR_REQUEST);
}

// One of several requests fails: waitall reports it, and which one.
void one_of_several(Test& t) {
  t.doing("one of several");
  std::vector<float> x(n, 2);
  std::vector<float> y(n, 3);
  const laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-3);
  laconic_request requests[2] = {LACONIC_REQUEST_NULL, LACONIC_REQUEST_NULL};
  MPI_Status statuses[2];
  laconic_ibcast(x.data(), n, MPI_FLOAT, t.rank() == 0 ? -1 : 0, comm, &requests[0], &o);
  laconic_ibcast(y.data(), n, MPI_FLOAT, 0, comm, &requests[1], &o);
  CHECK(t, laconic_waitall(2, requests, statuses) == MPI_ERR_IN_STATUS);
  CHECK(t, statuses[0].MPI_ERROR != MPI_SUCCESS && statuses[1].MPI_ERROR == MPI_SUCCESS);
  CHECK(t, requests[0] == LACONIC_REQUEST_NULL && requests[1] == LACONIC_REQUEST_NULL);
}

// An operation completes although its communicator is freed meanwhile, as MPI requires.
// Mistakes that only some collectives have.
void of_single_collectives(Test& t) {
  const std::vector<float> x(1000, 1);
  std::vector<float> y(4000);
  const laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-3);
  const auto refused = [&](const char* what, int rc, int error_class, const char* words) {
    t.doing(what);
    t.count_case();
    int found = MPI_SUCCESS;
    MPI_Error_class(rc, &found);
    CHECK(t, found == error_class && message_of(rc).find(words) != std::string::npos, "%s", message_of(rc).c_str());
  };
  refused("the mean of a scan", laconic_scan(x.data(), y.data(), 1000, MPI_FLOAT, LACONIC_AVG, MPI_COMM_WORLD, &o),
          MPI_ERR_OP, "which a scan does not have");
  refused("no topology",
          laconic_neighbor_allgather(x.data(), 1000, MPI_FLOAT, y.data(), 1000, MPI_FLOAT, MPI_COMM_WORLD, &o),
          MPI_ERR_TOPOLOGY, "a Cartesian or graph topology");
  const Topology& torus = Topology::of(MPI_COMM_WORLD, Topology::Kind::line);
  refused("in place among neighbors",
          laconic_neighbor_alltoall(MPI_IN_PLACE, 1000, MPI_FLOAT, y.data(), 1000, MPI_FLOAT, torus.comm(), &o),
          MPI_ERR_BUFFER, "sendbuf is MPI_IN_PLACE");
  const std::vector<MPI_Count> counts{1000, -1};
  const std::vector<MPI_Aint> displs{0, 1000};
  refused("a negative count for a neighbor",
          laconic_neighbor_allgatherv(x.data(), 1000, MPI_FLOAT, y.data(), counts.data(), displs.data(), MPI_FLOAT,
                                      torus.comm(), &o),
          MPI_ERR_COUNT, "recvcounts[1] is -1");
  refused("no counts for neighbors",
          laconic_neighbor_allgatherv(x.data(), 1000, MPI_FLOAT, y.data(), nullptr, displs.data(), MPI_FLOAT,
                                      torus.comm(), &o),
          MPI_ERR_COUNT, "a count for each neighbor");
  // Rank 0 of an exclusive scan receives nothing.
  t.doing("exscan without a receive buffer on rank 0");
  const int rc =
      laconic_exscan(x.data(), t.rank() == 0 ? nullptr : y.data(), 1000, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &o);
  CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  // One rank alone is wrong about its block for itself, or about the receive count of an edge.
  if (t.size() < 3) return;
  refused("one rank without memory for its neighbors",
          laconic_neighbor_allgather(x.data(), 1000, MPI_FLOAT, t.rank() == 1 ? nullptr : y.data(), 1000, MPI_FLOAT,
                                     torus.comm(), &o),
          MPI_ERR_BUFFER, t.rank() == 1 ? "recvbuf is NULL" : "rank 1 was called with an argument");
}

void freed_while_in_flight(Test& t) {
  t.doing("a communicator freed while an operation is in flight");
  for (int k = 0; k < 3; ++k) {
    MPI_Comm other;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    // Open MPI does not survive this for a call that it carries out itself.
#ifndef OPEN_MPI
    if (k == 1)
#endif
      laconic_comm_set_info(other, MPI_INFO_NULL);
    std::vector<float> x(5000, static_cast<float>(t.rank()));
    const laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-3);
    laconic_request request = LACONIC_REQUEST_NULL;
    const int rc = laconic_ibcast(x.data(), 5000, MPI_FLOAT, 0, other, &request, &o);
    CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
    MPI_Comm_free(&other);
    const int end = laconic_wait(&request, MPI_STATUS_IGNORE);
    CHECK(t, end == MPI_SUCCESS && std::fabs(x[77]) <= 1.1e-3F, "%s", message_of(end).c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "collective_errors");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (t.size() > 1)
    for (const bool nonblocking : {false, true})
      for (const Mistake& m : mistakes(t.size())) {
        const bool mismatch = m.error_class == MPI_ERR_OTHER;
        if (!mismatch && m.only < 0) try_it(t, m, -1, nonblocking);
        try_it(t, m, m.only < 0 ? t.size() - 1 : m.only, nonblocking);
      }
  null_requests(t);
  if (t.size() > 1) of_single_collectives(t);
  if (t.size() > 1) {
    one_of_several(t);
    freed_while_in_flight(t);
  }
  return t.finish();
}
