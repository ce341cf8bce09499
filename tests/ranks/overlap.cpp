// SPDX-License-Identifier: BSD-3-Clause
// Buffers that overlap, and counts too large for any memory: every rank gets a clear error where the call is
// compressed.  Buffers that only look as if they overlap give no error.
#include <climits>
#include <cstdint>
#include <functional>
#include <limits>

#include "support.hpp"

namespace {

using namespace ranks;

MPI_Comm comm = MPI_COMM_NULL;

// Numbers and tables for a call of any form, and room beside them.
struct Buffers {
  std::vector<float> x;
  std::vector<MPI_Count> counts;
  std::vector<MPI_Aint> displs;
  std::vector<MPI_Aint> backwards;
  Buffers(int size, MPI_Count n)
      : x(static_cast<std::size_t>(8 * n * size), 1), counts(static_cast<std::size_t>(size), n) {
    for (int p = 0; p < size; ++p) displs.push_back(static_cast<MPI_Aint>(p) * n);
    backwards.assign(displs.rbegin(), displs.rend());
  }
};

using Run = std::function<int(Buffers&, MPI_Count n, const laconic_options*)>;

struct Form {
  const char* name;
  const char* says;  // the text that the error must contain where MPI_IN_PLACE is allowed
  bool root_only;
  Run run;
};

const std::vector<Form>& overlapping() {
  using B = Buffers;
  using O = const laconic_options*;
  static const std::vector<Form> all{
      {"allreduce, one buffer", "as sendbuf", false,
       [](B& b, MPI_Count n, O o) {
         return laconic_allreduce(b.x.data(), b.x.data(), n, MPI_FLOAT, MPI_SUM, comm, o);
       }},
      {"allreduce, the last number", "as sendbuf", false,
       [](B& b, MPI_Count n, O o) {
         return laconic_allreduce(b.x.data() + n - 1, b.x.data(), n, MPI_FLOAT, MPI_SUM, comm, o);
       }},
      {"reduce on the root", "on the root", true,
       [](B& b, MPI_Count n, O o) {
         return laconic_reduce(b.x.data(), b.x.data() + 1, n, MPI_FLOAT, MPI_SUM, 0, comm, o);
       }},
      {"reduce_scatter_block", "as sendbuf", false,
       [](B& b, MPI_Count n, O o) {
         return laconic_reduce_scatter_block(b.x.data(), b.x.data(), n, MPI_FLOAT, MPI_SUM, comm, o);
       }},
      {"reduce_scatter", "as sendbuf", false,
       [](B& b, MPI_Count, O o) {
         return laconic_reduce_scatter(b.x.data(), b.x.data() + 1, b.counts.data(), MPI_FLOAT, MPI_SUM, comm, o);
       }},
      {"allgather", "as sendbuf", false,
       [](B& b, MPI_Count n, O o) {
         return laconic_allgather(b.x.data() + n / 2, n, MPI_FLOAT, b.x.data(), n, MPI_FLOAT, comm, o);
       }},
      {"allgatherv, its own part", "as sendbuf", false,
       [](B& b, MPI_Count n, O o) {
         int rank = 0;
         MPI_Comm_rank(comm, &rank);
         return laconic_allgatherv(b.x.data() + rank * n, n, MPI_FLOAT, b.x.data(), b.counts.data(), b.displs.data(),
                                   MPI_FLOAT, comm, o);
       }},
      {"gather on the root", "as sendbuf on the root", true,
       [](B& b, MPI_Count n, O o) {
         return laconic_gather(b.x.data(), n, MPI_FLOAT, b.x.data(), n, MPI_FLOAT, 0, comm, o);
       }},
      {"scatter on the root", "as recvbuf on the root", true,
       [](B& b, MPI_Count n, O o) {
         return laconic_scatter(b.x.data(), n, MPI_FLOAT, b.x.data() + 1, n, MPI_FLOAT, 0, comm, o);
       }},
      {"alltoall", "as sendbuf", false,
       [](B& b, MPI_Count n, O o) {
         return laconic_alltoall(b.x.data(), n, MPI_FLOAT, b.x.data(), n, MPI_FLOAT, comm, o);
       }},
      {"alltoallv, shifted", "as sendbuf", false,
       [](B& b, MPI_Count, O o) {
         return laconic_alltoallv(b.x.data(), b.counts.data(), b.displs.data(), MPI_FLOAT, b.x.data() + 1,
                                  b.counts.data(), b.displs.data(), MPI_FLOAT, comm, o);
       }},
      {"alltoallv, backwards", "as sendbuf", false,
       [](B& b, MPI_Count, O o) {
         return laconic_alltoallv(b.x.data(), b.counts.data(), b.backwards.data(), MPI_FLOAT, b.x.data(),
                                  b.counts.data(), b.backwards.data(), MPI_FLOAT, comm, o);
       }},
  };
  return all;
}

void refused(Test& t, int rc, const std::vector<std::string>& words) {
  const std::string message = message_of(rc);
  CHECK(t, rc != MPI_SUCCESS);
  for (const std::string& word : words)
    CHECK(t, message.find(word) != std::string::npos, "no '%s' in '%s'", word.c_str(), message.c_str());
}

void overlaps(Test& t) {
  const laconic_options all = options_with(LACONIC_BOUND_ABS, 1e-3);
  laconic_options usual = all;
  usual.min_bytes = 0;
  for (const Form& form : overlapping()) {
    const bool mine = !form.root_only || t.rank() == 0;
    for (const MPI_Count n : {2, 300, 40000}) {
      t.doing(text("%s, %lld numbers", form.name, static_cast<long long>(n)));
      t.count_case();
      Buffers b(t.size(), n);
      // A single rank has no peer to wait for.
      const int rc = t.size() > 1 ? form.run(b, n, &all) : form.run(b, n, nullptr);
      const std::string culprit = form.root_only ? "rank 0" : "sendbuf";
      if (mine)
        refused(t, rc, {"sendbuf", "recvbuf", "overlap", "MPI_IN_PLACE", form.says});
      else
        refused(t, rc, {culprit});
      CHECK(t, !mine || class_of(rc) == MPI_ERR_BUFFER, "class %d", class_of(rc));
      CHECK(t, std::all_of(b.x.begin(), b.x.end(), [](float v) { return v == 1; }), "a buffer was changed");
    }
    // Calls sent uncompressed, where every rank has the error.
    if (form.root_only) continue;
    t.doing(text("%s, plain", form.name));
    Buffers b(t.size(), 4);
    refused(t, form.run(b, 4, &usual), {"overlap"});
    refused(t, form.run(b, 4, nullptr), {"overlap"});
  }
}

// Buffers that look as if they overlap and do not.
void apart(Test& t) {
  const laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-3);
  const int size = t.size();
  constexpr MPI_Count n = 600;
  const auto fine = [&](const char* what, int rc) {
    t.doing(what);
    t.count_case();
    CHECK(t, rc == MPI_SUCCESS, "%s: %s", what, message_of(rc).c_str());
  };
  Buffers b(size, n);
  float* const x = b.x.data();
  const MPI_Count all = n * size;
  fine("neighbours", laconic_allreduce(x, x + n, n, MPI_FLOAT, MPI_SUM, comm, &o));
  fine("neighbours the other way", laconic_allreduce(x + n, x, n, MPI_FLOAT, MPI_SUM, comm, &o));
  fine("no numbers", laconic_allreduce(x, x, 0, MPI_FLOAT, MPI_SUM, comm, &o));
  fine("in place", laconic_allreduce(MPI_IN_PLACE, x, n, MPI_FLOAT, MPI_SUM, comm, &o));
  fine("a broadcast", laconic_bcast(x, n, MPI_FLOAT, 0, comm, &o));
  const bool root = t.rank() == 0;
  fine("not the root: its recvbuf does not count",
       laconic_reduce(root ? x + n : x, x, n, MPI_FLOAT, MPI_SUM, 0, comm, &o));
  fine("not the root of a gather", laconic_gather(root ? x + all : x, n, MPI_FLOAT, x, n, MPI_FLOAT, 0, comm, &o));
  fine("not the root of a scatter", laconic_scatter(x, n, MPI_FLOAT, root ? x + all : x, n, MPI_FLOAT, 0, comm, &o));
  // The parts of both sides alternate, forwards and backwards.
  for (const bool backwards : {false, true}) {
    std::vector<MPI_Aint> even;
    std::vector<MPI_Aint> odd;
    for (int p = 0; p < size; ++p) {
      const int k = backwards ? size - 1 - p : p;
      even.push_back(MPI_Aint{2} * k * n);
      odd.push_back(MPI_Aint{2} * k * n + n);
    }
    // On one rank MPICH itself refuses two buffers with one address.
    if (size > 1)
      fine("alltoallv by turns", laconic_alltoallv(x, b.counts.data(), even.data(), MPI_FLOAT, x, b.counts.data(),
                                                   odd.data(), MPI_FLOAT, comm, &o));
    fine("allgatherv into gaps",
         laconic_allgatherv(x + n, n, MPI_FLOAT, x, b.counts.data(), even.data(), MPI_FLOAT, comm, &o));
  }
  // The items of two types interleave without overlapping.
  MPI_Datatype pairs;
  MPI_Type_vector(static_cast<int>(n), 1, 2, MPI_FLOAT, &pairs);
  MPI_Type_commit(&pairs);
  fine("types with gaps, one in the gaps of the other", laconic_alltoall(x, 1, pairs, x + 1, 1, pairs, comm, &o));
  MPI_Type_free(&pairs);
  MPI_Datatype one;
  MPI_Type_contiguous(3, MPI_FLOAT, &one);
  MPI_Type_commit(&one);
  t.doing("types in a row that overlap");
  refused(t, laconic_allgather(x + 2, 1, one, x, 1, one, comm, &o), {"overlap"});
  MPI_Type_free(&one);
}

// Counts too large for any memory.
void unheard_of(Test& t) {
  const laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-3);
  constexpr MPI_Count most = std::numeric_limits<std::int64_t>::max();
  std::vector<double> x(64, 1);
  std::vector<double> y(64, 2);
  double* const a = x.data();
  double* const b = y.data();
  std::vector<MPI_Count> counts(static_cast<std::size_t>(t.size()), most);
  std::vector<MPI_Aint> displs(static_cast<std::size_t>(t.size()), 0);
  laconic_request request = LACONIC_REQUEST_NULL;
  for (const laconic_options* given : {&o, static_cast<const laconic_options*>(nullptr)}) {
    t.doing(given != nullptr ? "counts of 2^63 - 1" : "counts of 2^63 - 1, plain");
    t.count_case();
    const std::vector<std::string> words{"count", "9223372036854775807"};
    refused(t, laconic_allreduce(a, b, most, MPI_DOUBLE, MPI_SUM, comm, given), words);
    refused(t, laconic_bcast(a, most, MPI_DOUBLE, 0, comm, given), words);
    refused(t, laconic_allgather(a, most, MPI_DOUBLE, b, most, MPI_DOUBLE, comm, given), words);
    refused(t,
            laconic_alltoallv(a, counts.data(), displs.data(), MPI_DOUBLE, b, counts.data(), displs.data(), MPI_DOUBLE,
                              comm, given),
            words);
    refused(t, laconic_reduce_scatter(a, b, counts.data(), MPI_DOUBLE, MPI_SUM, comm, given), words);
    if (t.size() > 1) {
      CHECK(t, laconic_isend(a, most, MPI_DOUBLE, (t.rank() + 1) % t.size(), 0, comm, &request, given) != MPI_SUCCESS);
      refused(t, laconic_irecv(a, most, MPI_DOUBLE, 0, 0, comm, &request, given), words);
    }
  }
  if (t.size() > 1) {
    t.doing("a count of 2^63 - 1 on one rank");
    const int rc = laconic_allreduce(a, b, t.rank() == 0 ? most : 64, MPI_DOUBLE, MPI_SUM, comm, &o);
    refused(t, rc, {t.rank() == 0 ? "9223372036854775807" : "rank 0"});
  }
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "overlap");
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  overlaps(t);
  apart(t);
  unheard_of(t);
  MPI_Comm_free(&comm);
  return t.finish();
}
