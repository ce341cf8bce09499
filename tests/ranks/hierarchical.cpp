// SPDX-License-Identifier: BSD-3-Clause
// Algorithms that follow the nodes, on emulated ones: ranks in different network namespaces count as ranks on different
// nodes. Where the system permits no namespaces, all ranks are on one node, and these algorithms must not serve them.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "emulated_nodes.hpp"
#include "support.hpp"

namespace {

using namespace ranks;

constexpr double bound = 1e-3;
constexpr std::size_t count = 40007;

// The emulated node of a rank: four nodes whose ranks follow one another, or two that the ranks are dealt to.
int node_of(int rank, int size) { return size == 8 ? rank / 2 : rank % 2; }

class Nodes {
 public:
  explicit Nodes(Test& t) : t_(t) {
    emulated_ = emulate_nodes(t, node_of(t.rank(), t.size()));
    if (!emulated_ && t.rank() == 0) std::printf("hierarchical: no namespaces here; all ranks are on one node\n");
  }

  // Whether the algorithm serves the ranks of a communicator.
  bool fit(MPI_Comm comm) const {
    int rank = 0, size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(comm, &size);
    const int mine = emulated_ ? node_of(rank, t_.size()) : 0;
    std::vector<int> all(static_cast<std::size_t>(size));
    MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, comm);
    std::array<int, 8> on{};
    for (const int node : all) ++on[static_cast<std::size_t>(node)];
    const int nodes = static_cast<int>(std::count_if(on.begin(), on.end(), [](int n) { return n > 0; }));
    const int most = *std::max_element(on.begin(), on.end());
    return nodes > 1 && most > 1 && nodes * most == size;
  }

 private:
  Test& t_;
  bool emulated_ = false;
};

std::vector<float> numbers_of(int rank) {
  std::vector<float> x(count);
  for (std::size_t i = 0; i < count; ++i)
    x[i] = std::sin(static_cast<float>(i) * 0.003F + static_cast<float>(rank)) * static_cast<float>(1 + rank % 3);
  return x;
}

laconic_options asking_for(laconic_algorithm algorithm) {
  laconic_options o = options_with(LACONIC_BOUND_ABS, bound);
  o.tune = LACONIC_TUNE_OFF;
  o.algorithm = algorithm;
  return o;
}

struct Outcome {
  int code = MPI_SUCCESS;
  std::vector<float> result;
  laconic_stats stats{};
};

Outcome sum(MPI_Comm comm, laconic_options o) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  Outcome outcome;
  o.stats = &outcome.stats;
  const std::vector<float> mine = numbers_of(rank);
  outcome.result.assign(count, -1);
  outcome.code = laconic_allreduce(mine.data(), outcome.result.data(), static_cast<MPI_Count>(count), MPI_FLOAT,
                                   MPI_SUM, comm, &o);
  return outcome;
}

void check_sum(Test& t, MPI_Comm comm, const Outcome& outcome) {
  if (!CHECK(t, outcome.code == MPI_SUCCESS, "%s", message_of(outcome.code).c_str())) return;
  int size = 1;
  MPI_Comm_size(comm, &size);
  std::vector<double> exact(count);
  for (int r = 0; r < size; ++r) {
    const std::vector<float> x = numbers_of(r);
    for (std::size_t i = 0; i < count; ++i) exact[i] += static_cast<double>(x[i]);
  }
  double worst = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double error = std::fabs(static_cast<double>(outcome.result[i]) - exact[i]) - std::fabs(exact[i]) * 0x1p-23;
    worst = std::max(worst, error);
  }
  CHECK(t, worst <= bound, "error %g", worst);
}

void check_refusal(Test& t, const Outcome& outcome, const char* reason) {
  const std::string said = message_of(outcome.code);
  CHECK(t, outcome.code != MPI_SUCCESS);
  CHECK(t, class_of(outcome.code) == MPI_ERR_ARG, "%s", said.c_str());
  for (const char* word : {"algorithm 'hierarchical'", "valid are auto, plain, ring", reason})
    CHECK(t, said.find(word) != std::string::npos, "'%s' lacks '%s'", said.c_str(), word);
}

bool equal_bits(const Outcome& a, const Outcome& b) {
  return std::memcmp(a.result.data(), b.result.data(), count * sizeof(float)) == 0;
}

// Twice, because the ranks find out their nodes in the first compressed call.
void asked_for_by_the_call(Test& t, const Nodes& nodes, MPI_Comm comm) {
  MPI_Comm fresh = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &fresh);
  MPI_Comm_set_errhandler(fresh, MPI_ERRORS_RETURN);
  int size = 1;
  MPI_Comm_size(fresh, &size);
  const bool fit = nodes.fit(fresh);
  for (int k = 0; k < 2; ++k) {
    t.doing(text("hierarchical on %d ranks, call %d", size, k));
    t.count_case();
    const Outcome found = sum(fresh, asking_for(LACONIC_ALGORITHM_HIERARCHICAL));
    if (size == 1) {
      check_sum(t, fresh, found);
    } else if (!fit) {
      check_refusal(t, found, text("the %d ranks are on", size).c_str());
    } else {
      check_sum(t, fresh, found);
      CHECK(t, found.stats.algorithm == LACONIC_ALGORITHM_HIERARCHICAL, "%d", static_cast<int>(found.stats.algorithm));
      CHECK(t, same_everywhere(hash_of(found.result.data(), count * sizeof(float)), fresh));
      const Outcome ring = sum(fresh, asking_for(LACONIC_ALGORITHM_RING));
      check_sum(t, fresh, ring);
      CHECK(t, equal_bits(found, ring), "another algorithm gives other bits");
    }
  }
  if (fit) {
    t.doing(text("hierarchical on %d ranks, other codings", size));
    laconic_options o = asking_for(LACONIC_ALGORITHM_HIERARCHICAL);
    o.variant = LACONIC_VARIANT_CPR_P2P;
    check_sum(t, fresh, sum(fresh, o));
    o = asking_for(LACONIC_ALGORITHM_HIERARCHICAL);
    o.codec = LACONIC_CODEC_SZX;
    check_sum(t, fresh, sum(fresh, o));
  }
  MPI_Comm_free(&fresh);
}

// The other collectives give the bits of another algorithm of theirs.
void other_collectives(Test& t, const Nodes& nodes, MPI_Comm comm) {
  if (!nodes.fit(comm)) return;
  MPI_Comm fresh = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &fresh);
  MPI_Comm_set_errhandler(fresh, MPI_ERRORS_RETURN);
  int rank = 0, size = 1;
  MPI_Comm_rank(fresh, &rank);
  MPI_Comm_size(fresh, &size);
  const auto all = static_cast<MPI_Count>(count);
  const MPI_Count each = 3001;
  const int root = size - 1;
  using Numbers = std::vector<float>;
  struct Case {
    const char* name;
    laconic_algorithm other;
    bool everywhere;  // all ranks get the same result
    std::function<int(const Numbers&, Numbers&, const laconic_options*)> call;
  };
  const Case cases[] = {
      {"reduce", LACONIC_ALGORITHM_BINOMIAL, false,
       [&](const Numbers& in, Numbers& out, const laconic_options* o) {
         return laconic_reduce(in.data(), rank == root ? out.data() : nullptr, all, MPI_FLOAT, MPI_SUM, root, fresh, o);
       }},
      {"reduce_scatter_block", LACONIC_ALGORITHM_RING, false,
       [&](const Numbers& in, Numbers& out, const laconic_options* o) {
         return laconic_reduce_scatter_block(in.data(), out.data(), each, MPI_FLOAT, MPI_SUM, fresh, o);
       }},
      {"allgather", LACONIC_ALGORITHM_BRUCK, true,
       [&](const Numbers& in, Numbers& out, const laconic_options* o) {
         return laconic_allgather(in.data(), each, MPI_FLOAT, out.data(), each, MPI_FLOAT, fresh, o);
       }},
      {"bcast", LACONIC_ALGORITHM_CHAIN, true,
       [&](const Numbers& in, Numbers& out, const laconic_options* o) {
         if (rank == root) out = in;
         return laconic_bcast(out.data(), all, MPI_FLOAT, root, fresh, o);
       }},
      {"alltoall", LACONIC_ALGORITHM_PAIRWISE, false,
       [&](const Numbers& in, Numbers& out, const laconic_options* o) {
         return laconic_alltoall(in.data(), each, MPI_FLOAT, out.data(), each, MPI_FLOAT, fresh, o);
       }},
  };
  for (const Case& c : cases) {
    t.doing(text("%s on %d ranks", c.name, size));
    t.count_case();
    Outcome found, other;
    const Numbers in = numbers_of(rank);
    for (const auto& [outcome, algorithm] : {std::pair{&found, LACONIC_ALGORITHM_HIERARCHICAL}, {&other, c.other}}) {
      laconic_options o = asking_for(algorithm);
      o.min_bytes = 1;
      o.stats = &outcome->stats;
      outcome->result.assign(count, -1);
      outcome->code = c.call(in, outcome->result, &o);
      if (CHECK(t, outcome->code == MPI_SUCCESS, "%s", message_of(outcome->code).c_str()))
        CHECK(t, outcome->stats.algorithm == algorithm, "%d", static_cast<int>(outcome->stats.algorithm));
    }
    CHECK(t, equal_bits(found, other), "another algorithm gives other bits");
    const bool written = std::any_of(found.result.begin(), found.result.end(), [](float x) { return x != -1; });
    CHECK(t, written == (rank == root || std::string(c.name) != "reduce"));
    if (c.everywhere) CHECK(t, same_everywhere(hash_of(found.result.data(), count * sizeof(float)), fresh));
  }
  MPI_Comm_free(&fresh);
}

// A hint is meant for all calls: where the algorithm does not fit, another one serves.
void asked_for_by_a_hint(Test& t, const Nodes& nodes, MPI_Comm comm) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "laconic_algorithm", "hierarchical");
  for (const bool at_creation : {true, false}) {
    t.doing(text("a hint, %s", at_creation ? "at creation" : "set afterwards"));
    t.count_case();
    MPI_Comm hinted = MPI_COMM_NULL;
    MPI_Comm_dup_with_info(comm, at_creation ? info : MPI_INFO_NULL, &hinted);
    int rc = at_creation ? MPI_SUCCESS : laconic_comm_set_info(hinted, info);
    CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
    int size = 1;
    MPI_Comm_size(hinted, &size);
    const bool fit = nodes.fit(hinted);
    // Some MPI libraries do not keep hints that they do not know.
    MPI_Info kept = MPI_INFO_NULL;
    char value[32] = "";
    int there = 0;
    MPI_Comm_get_info(hinted, &kept);
    MPI_Info_get(kept, "laconic_algorithm", sizeof value - 1, value, &there);
    MPI_Info_free(&kept);
    for (int k = 0; k < 2; ++k) {
      const Outcome found = sum(hinted, asking_for(LACONIC_ALGORITHM_UNSET));
      check_sum(t, hinted, found);
      const bool taken = found.stats.algorithm == LACONIC_ALGORITHM_HIERARCHICAL;
      if (size > 1 && (there || !at_creation)) CHECK(t, taken == fit, "call %d", k);
      std::vector<float> x = numbers_of(0);
      const laconic_options o = asking_for(LACONIC_ALGORITHM_UNSET);
      rc = laconic_bcast(x.data(), static_cast<MPI_Count>(count), MPI_FLOAT, 0, hinted, &o);
      CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
    }
    MPI_Comm_free(&hinted);
  }
  MPI_Info_free(&info);
}

int nonblocking_sum(MPI_Comm comm, laconic_options o) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const std::vector<float> mine = numbers_of(rank);
  std::vector<float> result(count);
  laconic_request request = LACONIC_REQUEST_NULL;
  const int rc = laconic_iallreduce(mine.data(), result.data(), static_cast<MPI_Count>(count), MPI_FLOAT, MPI_SUM, comm,
                                    &request, &o);
  return rc == MPI_SUCCESS ? laconic_wait(&request, MPI_STATUS_IGNORE) : rc;
}

// A nonblocking call cannot find out the nodes, but uses what a blocking one has found.
void nonblocking(Test& t, const Nodes& nodes) {
  t.doing("a nonblocking call comes later");
  t.count_case();
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const int before = sum(comm, asking_for(LACONIC_ALGORITHM_RING)).code;
  CHECK(t, before == MPI_SUCCESS, "%s", message_of(before).c_str());
  if (t.size() > 1) {
    const Outcome later = sum(comm, asking_for(LACONIC_ALGORITHM_HIERARCHICAL));
    const int rc = nonblocking_sum(comm, asking_for(LACONIC_ALGORITHM_HIERARCHICAL));
    if (nodes.fit(comm)) check_sum(t, comm, later);
    CHECK(t, (rc == MPI_SUCCESS) == nodes.fit(comm), "%s", message_of(rc).c_str());
  }
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "hierarchical");
  const Nodes nodes(t);
  asked_for_by_the_call(t, nodes, MPI_COMM_WORLD);
  other_collectives(t, nodes, MPI_COMM_WORLD);
  asked_for_by_a_hint(t, nodes, MPI_COMM_WORLD);
  nonblocking(t, nodes);
  MPI_Comm part = MPI_COMM_NULL;
  // Half of the ranks, and all but the last: nodes may have different numbers of ranks then.
  for (const int color : {t.rank() / std::max(t.size() / 2, 1), t.rank() == t.size() - 1 ? 1 : 0}) {
    MPI_Comm_split(MPI_COMM_WORLD, color, -t.rank(), &part);
    asked_for_by_the_call(t, nodes, part);
    other_collectives(t, nodes, part);
    asked_for_by_a_hint(t, nodes, part);
    MPI_Comm_free(&part);
  }
  return t.finish();
}
