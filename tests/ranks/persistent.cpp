// SPDX-License-Identifier: BSD-3-Clause
// Persistent operations: compressed ones are started in any order, and the identifiers that tell them apart are reused
// after all ranks have freed them, each rank in its own order.
#include <algorithm>
#include <numeric>

#include "support.hpp"

namespace {

using ranks::Random;
using ranks::Test;

constexpr int count = 512;
constexpr double bound = 1e-3;

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

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "persistent");
  Random random(t.seed() * 1000 + static_cast<std::uint64_t>(t.rank()));
  started_in_any_order(t, random);
  all_there_can_be(t, random);
  return t.finish();
}
