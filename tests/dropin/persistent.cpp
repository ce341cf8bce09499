// SPDX-License-Identifier: BSD-3-Clause
// Persistent collectives (MPI 4): they match by the order in which they were made, and may be started in any other,
// among all other work of the program.
#include <algorithm>
#include <numeric>

#include "completions.hpp"

using namespace dropin;
using ranks::Random;
using ranks::Test;
using ranks::text;

#if MPI_VERSION >= 4
namespace {

constexpr int count = 2000;

// MPICH 4.0 itself waits for ever for some of its own persistent collectives when they are started again, or leaves
// their buffers as they were.
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
constexpr bool sound_mpi = false;
#else
constexpr bool sound_mpi = true;
#endif

enum class What { allreduce, bcast, reduce, gather };

// One operation with its own numbers, made again for every start.
struct Item {
  What what;
  int root;
  std::vector<double> mine;
  std::vector<double> got;
  std::vector<double> right;
  MPI_Request request = MPI_REQUEST_NULL;

  Item(const Test& t, What w, int r, MPI_Comm comm) : what(w), root(r), mine(count), got(count) {
    const MPI_Info none = MPI_INFO_NULL;
    if (what == What::gather) got.resize(count * static_cast<std::size_t>(t.size()));
    switch (what) {
      case What::allreduce:
        MPI_Allreduce_init(mine.data(), got.data(), count, MPI_DOUBLE, MPI_SUM, comm, none, &request);
        break;
      case What::bcast: MPI_Bcast_init(got.data(), count, MPI_DOUBLE, root, comm, none, &request); break;
      case What::reduce:
        MPI_Reduce_init(mine.data(), got.data(), count, MPI_DOUBLE, MPI_MAX, root, comm, none, &request);
        break;
      case What::gather:
        MPI_Gather_init(mine.data(), count, MPI_DOUBLE, got.data(), count, MPI_DOUBLE, root, comm, none, &request);
    }
  }
  Item(const Item&) = delete;
  Item& operator=(const Item&) = delete;
  ~Item() { MPI_Request_free(&request); }

  // Collective: fills the buffers and computes the expected result of the next start.
  void fill(Random& random, MPI_Comm comm) {
    std::ranges::copy(numbers<double>(count, random), mine.begin());
    std::ranges::fill(got, -77.0);
    if (what == What::bcast) got = mine;
    right = got;
    switch (what) {
      case What::allreduce: PMPI_Allreduce(mine.data(), right.data(), count, MPI_DOUBLE, MPI_SUM, comm); break;
      case What::bcast: PMPI_Bcast(right.data(), count, MPI_DOUBLE, root, comm); break;
      case What::reduce: PMPI_Reduce(mine.data(), right.data(), count, MPI_DOUBLE, MPI_MAX, root, comm); break;
      case What::gather: PMPI_Gather(mine.data(), count, MPI_DOUBLE, right.data(), count, MPI_DOUBLE, root, comm);
    }
  }
  bool good(const Test& t, const Expectation& expected) const {
    const bool moves = what == What::bcast || what == What::gather;
    return alike(got, right, moves && !expected.movement ? 0 : expected.bound, moves ? 1 : t.size());
  }
};

std::vector<std::unique_ptr<Item>> make(const Test& t, MPI_Comm comm, const std::vector<What>& kinds) {
  std::vector<std::unique_ptr<Item>> items;
  for (std::size_t k = 0; k < kinds.size(); ++k)
    items.push_back(std::make_unique<Item>(t, kinds[k], static_cast<int>(k) % t.size(), comm));
  return items;
}

// The smallest case: two operations of one shape, which the ranks start in opposite orders.
void two_alike(Test& t, const Expectation& expected, Random& random) {
  auto items = make(t, MPI_COMM_WORLD, {What::allreduce, What::allreduce});
  for (int round = 0; round < 4; ++round) {
    t.doing(text("two of one shape, round %d", round));
    t.count_case();
    for (auto& item : items) item->fill(random, MPI_COMM_WORLD);
    const std::size_t first = static_cast<std::size_t>(t.rank() + round) % 2;
    MPI_Start(&items[first]->request);
    MPI_Start(&items[1 - first]->request);
    // The request that is waited for first differs between ranks.
    MPI_Wait(&items[static_cast<std::size_t>(t.rank() / 2 + round) % 2]->request, MPI_STATUS_IGNORE);
    for (auto& item : items) MPI_Wait(&item->request, MPI_STATUS_IGNORE);
    for (auto& item : items) CHECK(t, item->good(t, expected));
  }
}

// More operations than nonblocking collectives may be under way at a time, of all kinds, each rank in its own order;
// among them calls of other forms, at a different place in the order of every rank.
void any_order(Test& t, const Expectation& expected, Random& random, const std::vector<What>& kinds) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  auto items = make(t, comm, kinds);
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), 0U);
  for (int round = 0; round < 6; ++round) {
    t.doing(text("%zu operations in any order, round %d", items.size(), round));
    t.count_case();
    for (auto& item : items) item->fill(random, comm);
    const auto between = numbers<double>(count, random);
    std::vector<double> sums[2] = {std::vector<double>(count), std::vector<double>(count)};
    std::vector<double> right(count);
    PMPI_Allreduce(between.data(), right.data(), count, MPI_DOUBLE, MPI_SUM, comm);
    for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random.below(k)]);
    const std::size_t place = random.below(order.size());
    MPI_Request nonblocking = MPI_REQUEST_NULL;
    for (std::size_t k = 0; k < order.size(); ++k) {
      if (k == place) {
        MPI_Iallreduce(between.data(), sums[0].data(), count, MPI_DOUBLE, MPI_SUM, comm, &nonblocking);
        MPI_Allreduce(between.data(), sums[1].data(), count, MPI_DOUBLE, MPI_SUM, comm);
        int small = 1;
        MPI_Allreduce(MPI_IN_PLACE, &small, 1, MPI_INT, MPI_SUM, comm);
        CHECK(t, small == t.size());
      }
      MPI_Start(&items[order[k]]->request);
    }
    std::vector<MPI_Request> requests{nonblocking};
    for (auto& item : items) requests.push_back(item->request);
    if (round % 2 == 0) {
      MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    } else {
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      std::reverse(order.begin(), order.end());
      for (const std::size_t k : order) MPI_Wait(&items[k]->request, MPI_STATUS_IGNORE);
    }
    for (const auto& sum : sums) CHECK(t, alike(sum, right, expected.bound, t.size()));
    for (std::size_t k = 0; k < items.size(); ++k) CHECK(t, items[k]->good(t, expected), "operation %zu", k);
  }
  items.clear();
  MPI_Comm_free(&comm);
}

// Operations made before anything was compressed on the communicator, and started while other ranks are at other calls.
void first_on_communicator(Test& t, const Expectation& expected, Random& random) {
  t.doing("the first operation on a communicator, begun before and after a barrier");
  t.count_case();
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  auto items = make(t, comm, {What::allreduce});
  Item& item = *items[0];
  item.fill(random, MPI_COMM_WORLD);
  if (t.rank() % 2 == 0) MPI_Start(&item.request);
  MPI_Barrier(comm);
  if (t.rank() % 2 == 1) MPI_Start(&item.request);
  MPI_Wait(&item.request, MPI_STATUS_IGNORE);
  CHECK(t, item.good(t, expected));
  items.clear();
  MPI_Comm_free(&comm);
}

// Operations made and freed many times over, some of them kept, in different orders on different ranks.
void many(Test& t, const Expectation& expected, Random& random) {
  t.doing("many operations, made and freed");
  std::vector<std::unique_ptr<Item>> kept;
  for (int k = 0; k < 40; ++k) {
    kept.push_back(std::make_unique<Item>(t, What::allreduce, 0, MPI_COMM_WORLD));
    if (k % 10 != 9) continue;
    t.count_case();
    for (auto& item : kept) item->fill(random, MPI_COMM_WORLD);
    for (std::size_t at = 0; at < kept.size(); ++at)
      MPI_Start(&kept[(at * (t.rank() % 2 == 0 ? 1 : kept.size() - 1)) % kept.size()]->request);
    for (auto& item : kept) MPI_Wait(&item->request, MPI_STATUS_IGNORE);
    for (auto& item : kept) CHECK(t, item->good(t, expected));
    kept.erase(kept.begin() + 2, kept.end());
  }
}

// MPI's own persistent operations beside compressed ones, completed together, and after the compressed ones are freed.
void beside_mpi(Test& t, const Expectation& expected, Random& random) {
  int token[2] = {1, 0};
  MPI_Request barrier = MPI_REQUEST_NULL;
  MPI_Request small = MPI_REQUEST_NULL;
  MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &barrier);
  for (int way = 0; way < ways_to_complete; ++way) {
    t.doing(text("a barrier of MPI's beside an allreduce, completed in way %d", way));
    t.count_case();
    auto items = make(t, MPI_COMM_WORLD, {What::allreduce});
    items[0]->fill(random, MPI_COMM_WORLD);
    std::vector<MPI_Request> requests{items[0]->request, barrier};
    MPI_Startall(2, requests.data());
    std::vector<MPI_Status> statuses(2);
    if (way % 2 == 0) {
      statuses[0].MPI_ERROR = statuses[1].MPI_ERROR = MPI_SUCCESS;
      const int code = MPI_Waitall(2, requests.data(), way % 4 == 0 ? statuses.data() : MPI_STATUSES_IGNORE);
      CHECK(t, code == MPI_SUCCESS, "code %d, errors %d %d", code, statuses[0].MPI_ERROR, statuses[1].MPI_ERROR);
    } else {
      // MPICH 4.0 reports inactive persistent collectives of its own again and again.
      for (bool done[2] = {false, false}; !done[0] || !done[1];) {
        int now = 0;
        int indices[2];
        if (way % 4 == 1)
          MPI_Waitsome(2, requests.data(), &now, indices, statuses.data());
        else
          MPI_Testsome(2, requests.data(), &now, indices, statuses.data());
        if (!CHECK(t, now != MPI_UNDEFINED)) break;
        for (int k = 0; k < now; ++k) done[indices[k]] = true;
      }
    }
    CHECK(t, items[0]->good(t, expected));
    items.clear();
    t.doing(text("MPI's own after one of ours was freed, way %d", way));
    MPI_Allreduce_init(&token[0], &token[1], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &small);
    token[1] = 0;
    MPI_Start(&small);
    MPI_Wait(&small, MPI_STATUS_IGNORE);
    CHECK(t, token[1] == t.size());
    MPI_Request_free(&small);
  }
  MPI_Request_free(&barrier);
}

// Small operations, to and from every root, as programs make them in loops.
void small_ones(Test& t) {
  constexpr int starts = 10;
  for (int items = 1; items <= 16; items *= 4)
    for (int root = 0; root < t.size(); ++root) {
      t.doing(text("gathers of %d numbers to %d", items, root));
      t.count_case();
      const auto n = static_cast<std::size_t>(items);
      std::vector<int> mine(n);
      std::vector<int> all(n * static_cast<std::size_t>(t.size()));
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Gather_init(mine.data(), items, MPI_INT, all.data(), items, MPI_INT, root, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &request);
      for (int k = 0; k < starts; ++k) {
        std::ranges::fill(mine, 100 * t.rank() + k);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (std::size_t at = 0; t.rank() == root && at < all.size(); ++at)
          CHECK(t, all[at] == 100 * static_cast<int>(at / n) + k, "number %zu is %d", at, all[at]);
      }
      MPI_Request_free(&request);
    }
}

}  // namespace
#endif

int main(int argc, char** argv) {
  Test t(&argc, &argv, "dropin persistent");
  const Expectation expected(argc, argv);
#if MPI_VERSION >= 4
  Random same(t.seed());
  Random random(t.seed() * 1000 + static_cast<std::uint64_t>(t.rank()) + 1);
  first_on_communicator(t, expected, random);
  if (sound_mpi || (expected.bound > 0 && t.size() > 1)) {
    two_alike(t, expected, random);
    many(t, expected, random);
    any_order(t, expected, random, std::vector<What>(12, What::allreduce));
  }
  if (sound_mpi || (expected.movement && t.size() > 1))
    any_order(t, expected, random,
              {What::allreduce, What::bcast, What::reduce, What::gather, What::bcast, What::allreduce, What::gather,
               What::reduce, What::allreduce, What::bcast});
  beside_mpi(t, expected, random);
  if (sound_mpi) small_ones(t);
#endif
  return t.finish();
}
