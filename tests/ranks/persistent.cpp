// SPDX-License-Identifier: BSD-3-Clause
// Persistent operations: compressed ones are started in any order, and the identifiers that tell them apart are reused
// after all ranks have freed them, each rank in its own order.
#include <algorithm>
#include <numeric>

#include "clock.hpp"
#include "emulated_nodes.hpp"
#include "support.hpp"

namespace {

// Besides what they take: MPI's own persistent collectives, and the messages of compressed ones.  Without them busy
// cores decide which is faster.
double seconds_of_start = 0;
double seconds_of_message = 0;

}  // namespace

extern "C" __attribute__((visibility("default"))) int MPI_Start(MPI_Request* request) {
  ranks::clock.pass(seconds_of_start);
  return PMPI_Start(request);
}

extern "C" __attribute__((visibility("default"))) int MPI_Isend(const void* send, int count, MPI_Datatype type,
                                                                int peer, int tag, MPI_Comm comm,
                                                                MPI_Request* request) {
  ranks::clock.pass(seconds_of_message);
  return PMPI_Isend(send, count, type, peer, tag, comm, request);
}

namespace {

using ranks::Random;
using ranks::Test;

constexpr int count = 512;
constexpr int learning_count = 1 << 18;  // 1 MiB of floats
constexpr double bound = 1e-3;

// Where buffers may be on a device, MPI's own operation, which keeps its buffers, does not serve.
#ifdef SERVES_DEVICES
constexpr bool leaves_starts = false;
#else
constexpr bool leaves_starts = MPI_VERSION >= 4;
#endif

struct Sum {
  std::vector<double> mine;
  std::vector<double> got;
  laconic_request request = LACONIC_REQUEST_NULL;

  int make(MPI_Comm comm) {
    mine.resize(count);
    got.resize(count);
    const laconic_options o = ranks::options_with(LACONIC_BOUND_ABS, bound);
    return laconic_allreduce_init(mine.data(), got.data(), count, MPI_DOUBLE, MPI_SUM, comm, &request, &o);
  }
  // `which` distinguishes the numbers of one operation from those of others.
  void fill(const Test& t, int which) {
    for (int k = 0; k < count; ++k) mine[static_cast<std::size_t>(k)] = (t.rank() + 1) * (which + 0.001 * k);
  }
  bool good(const Test& t, int which) const {
    const double ranks = t.size() * (t.size() + 1) / 2.0;
    for (int k = 0; k < count; ++k)
      if (!(std::abs(got[static_cast<std::size_t>(k)] - ranks * (which + 0.001 * k)) <= bound + 1e-9)) return false;
    return true;
  }
};

void shuffle(std::vector<std::size_t>& order, Random& random) {
  for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random.below(k)]);
}

void started_in_any_order(Test& t, Random& random) {
  constexpr std::size_t number = 20;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<Sum> sums(number);
  for (Sum& sum : sums) CHECK(t, sum.make(comm) == MPI_SUCCESS);
  std::vector<std::size_t> order(number);
  std::iota(order.begin(), order.end(), 0U);
  for (int round = 0; round < 5; ++round) {
    t.doing(ranks::text("%zu sums started in any order, round %d", number, round));
    t.count_case();
    shuffle(order, random);
    double plain[2] = {1, 0};
    const std::size_t place = random.below(number);
    for (std::size_t k = 0; k < number; ++k) {
      // A plain operation comes before some of the starts, at different ones on every rank.
      if (k == place) laconic_allreduce(&plain[0], &plain[1], 1, MPI_DOUBLE, MPI_SUM, comm, nullptr);
      sums[order[k]].fill(t, 10 * static_cast<int>(order[k]) + round);
      CHECK(t, laconic_start(&sums[order[k]].request) == MPI_SUCCESS);
    }
    CHECK(t, plain[1] == t.size());
    shuffle(order, random);
    for (const std::size_t k : order) {
      CHECK(t, laconic_wait(&sums[k].request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
      CHECK(t, sums[k].good(t, 10 * static_cast<int>(k) + round), "sum %zu", k);
    }
  }
  for (Sum& sum : sums) laconic_request_free(&sum.request);
  MPI_Comm_free(&comm);
}

// The maximum number of operations, and one more; then others take the places of some.
void all_there_can_be(Test& t, Random& random) {
  if (t.size() == 1) return;  // none of them is compressed
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  t.doing("more persistent operations than there can be");
  t.count_case();
  std::vector<laconic_request> requests;
  std::vector<double> in(count, 1.0);
  std::vector<double> out(count);
  const laconic_options o = ranks::options_with(LACONIC_BOUND_ABS, bound);
  int code = MPI_SUCCESS;
  while (requests.size() < 5000) {
    laconic_request request = LACONIC_REQUEST_NULL;
    code = laconic_allreduce_init(in.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, comm, &request, &o);
    if (code != MPI_SUCCESS) break;
    requests.push_back(request);
  }
  CHECK(t, code != MPI_SUCCESS && requests.size() <= 4096, "code %d after %zu", code, requests.size());
  CHECK(t, ranks::message_of(code).find("persistent operations") != std::string::npos, "%s",
        ranks::message_of(code).c_str());
  // Each rank frees the same half, and one more of its own choice, whose identifier must not be reused before all ranks
  // have freed it.
  std::vector<std::size_t> order(requests.size() / 2);
  std::iota(order.begin(), order.end(), 0U);
  shuffle(order, random);
  for (const std::size_t k : order) laconic_request_free(&requests[2 * k]);
  laconic_request_free(&requests[1 + 2 * (static_cast<std::size_t>(t.rank()) % order.size())]);
  std::vector<Sum> sums(std::min<std::size_t>(order.size(), 6));
  for (Sum& sum : sums) CHECK(t, sum.make(comm) == MPI_SUCCESS);
  std::vector<std::size_t> starts(sums.size());
  std::iota(starts.begin(), starts.end(), 0U);
  shuffle(starts, random);
  laconic_request* old = &requests[1 + 2 * (order.size() - 1)];
  if (*old != LACONIC_REQUEST_NULL && order.size() > static_cast<std::size_t>(t.size())) laconic_start(old);
  for (const std::size_t k : starts) sums[k].fill(t, static_cast<int>(k)), laconic_start(&sums[k].request);
  for (std::size_t k = 0; k < sums.size(); ++k) {
    CHECK(t, laconic_wait(&sums[k].request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(t, sums[k].good(t, static_cast<int>(k)), "sum %zu", k);
  }
  laconic_wait(old, MPI_STATUS_IGNORE);
  for (Sum& sum : sums) laconic_request_free(&sum.request);
  for (laconic_request& request : requests) laconic_request_free(&request);
  MPI_Comm_free(&comm);
}

// Allreduces whose starts the ranks learn to compress, or to leave to MPI.
struct Learning {
  std::vector<float> mine;
  std::vector<float> got;
  laconic_stats stats{};
  laconic_request request = LACONIC_REQUEST_NULL;

  int make(MPI_Comm comm, const Test& t, bool compressible) {
    mine.resize(learning_count);
    got.resize(learning_count);
    Random random(7 + static_cast<std::uint64_t>(t.rank()));
    for (std::size_t k = 0; k < mine.size(); ++k)
      mine[k] =
          compressible ? 0.001F * static_cast<float>(k % 5000) : static_cast<float>(random.below(1 << 24)) * 0x1p-24F;
    laconic_options o = ranks::options_with(LACONIC_BOUND_ABS, compressible ? bound : 1e-9);
    o.tune = LACONIC_TUNE_ON;
    o.min_bytes = 1;
    o.stats = &stats;
    return laconic_allreduce_init(mine.data(), got.data(), learning_count, MPI_FLOAT, MPI_SUM, comm, &request, &o);
  }
};

// MPI's own starts take long, so compression is faster, or data do not compress and messages take long.
void learn(Test& t, Random& random, bool slow) {
  if (t.size() == 1) return;
  t.doing(slow ? "starts that are faster compressed" : "starts that do not compress");
  t.count_case();
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<Learning> all(3);
  for (Learning& one : all) CHECK(t, one.make(comm, t, slow) == MPI_SUCCESS);
  seconds_of_start = slow ? 0.05 : 0;
  seconds_of_message = leaves_starts && !slow ? 0.05 : 0;
  ranks::clock.run(1, 0.1);
  std::vector<int> compressed(all.size());
  std::vector<std::size_t> order{0, 1, 2};
  constexpr int rounds = 30;
  for (int round = 0; round < rounds; ++round) {
    shuffle(order, random);
    for (const std::size_t k : order) CHECK(t, laconic_start(&all[k].request) == MPI_SUCCESS);
    shuffle(order, random);
    for (const std::size_t k : order) CHECK(t, laconic_wait(&all[k].request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (std::size_t k = 0; k < all.size(); ++k) {
      const int mine = all[k].stats.plain_calls == 0 ? 1 : 0;
      CHECK(t, mine == 1 || all[k].stats.plain_reason == LACONIC_PLAIN_SLOWER, "reason %d", all[k].stats.plain_reason);
      int both[2] = {mine, -mine};
      MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_INT, MPI_MAX, comm);
      CHECK(t, both[0] == -both[1], "round %d: some ranks compressed start %zu", round, k);
      compressed[k] += mine;
    }
    if (round % 10 != 0) continue;
    for (Learning& one : all) {
      std::vector<float> exact(one.mine.size());
      MPI_Allreduce(one.mine.data(), exact.data(), learning_count, MPI_FLOAT, MPI_SUM, comm);
      double worst = 0;
      for (std::size_t k = 0; k < exact.size(); ++k)
        worst = std::max(worst, std::abs(static_cast<double>(exact[k]) - static_cast<double>(one.got[k])));
      CHECK(t, worst <= (slow ? 2 * bound : 1e-4), "%g", worst);
    }
  }
  seconds_of_start = 0;
  seconds_of_message = 0;
  ranks::clock.run(1);
  laconic_tuning learnt[4];
  int classes = 0;
  CHECK(t, laconic_tuning_get(comm, learnt, 4, &classes) == MPI_SUCCESS);
  // Other libraries have no persistent collectives of their own, so every start is compressed.
  CHECK(t, classes == (leaves_starts ? 3 : 0), "%d classes", classes);
  for (std::size_t k = 0; k < all.size(); ++k) {
    CHECK(t, !leaves_starts || learnt[k].calls == rounds, "%d calls", static_cast<int>(learnt[k].calls));
    if (leaves_starts && slow)
      CHECK(t, compressed[k] > 5 && compressed[k] < rounds, "%d starts compressed", compressed[k]);
    if (leaves_starts && !slow) CHECK(t, compressed[k] < 10, "%d starts compressed", compressed[k]);
    if (!leaves_starts) CHECK(t, compressed[k] == rounds, "%d starts compressed", compressed[k]);
  }
  for (Learning& one : all) CHECK(t, laconic_request_free(&one.request) == MPI_SUCCESS);
  CHECK(t, laconic_tuning_get(comm, nullptr, 0, &classes) == MPI_SUCCESS && classes == 0);
  MPI_Comm_free(&comm);
}

// A mistake of one rank: no rank makes MPI's operation, and the first start is an error on all of them.
void one_rank_is_wrong(Test& t) {
  if (t.size() == 1) return;
  t.doing("a persistent operation that one rank makes with a wrong argument");
  t.count_case();
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  std::vector<float> in(learning_count, 1);
  std::vector<float> out(learning_count);
  laconic_options o = ranks::options_with(LACONIC_BOUND_ABS, bound);
  o.tune = LACONIC_TUNE_ON;
  laconic_request request = LACONIC_REQUEST_NULL;
  float* const recv = t.rank() == t.size() - 1 ? in.data() + 1 : out.data();  // overlaps
  CHECK(t, laconic_allreduce_init(in.data(), recv, learning_count - 1, MPI_FLOAT, MPI_SUM, comm, &request, &o) ==
               MPI_SUCCESS);
  for (int k = 0; k < 2; ++k) {
    CHECK(t, laconic_start(&request) == MPI_SUCCESS);
    CHECK(t, laconic_wait(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS);
  }
  CHECK(t, laconic_request_free(&request) == MPI_SUCCESS);
  Learning good;
  CHECK(t, good.make(comm, t, true) == MPI_SUCCESS);
  CHECK(t, laconic_start(&good.request) == MPI_SUCCESS);
  CHECK(t, laconic_wait(&good.request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(t, laconic_request_free(&good.request) == MPI_SUCCESS);
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "persistent");
  const bool apart = ranks::emulate_nodes(t, t.rank());
  if (!apart && t.rank() == 0) std::printf("persistent: no namespaces here; starts do not learn to be compressed\n");
  Random random(t.seed() * 1000 + static_cast<std::uint64_t>(t.rank()));
  started_in_any_order(t, random);
  all_there_can_be(t, random);
  // Within a node the ranks take their measurements after many more calls.
  for (const bool slow : {true, false})
    if (apart || !slow) learn(t, random, slow);
  one_rank_is_wrong(t);
  return t.finish();
}
