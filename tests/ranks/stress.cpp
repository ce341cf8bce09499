// SPDX-License-Identifier: BSD-3-Clause
// Hundreds of operations in flight at the same time, on several communicators, begun in the same order on all ranks and
// completed in another order on each.
#include "collective_case.hpp"

namespace {

using namespace ranks;

struct InFlight {
  std::unique_ptr<AnyCall> call;
  laconic_request request = LACONIC_REQUEST_NULL;
};

bool good(Test& t, int rc) { return CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str()); }

// Completes some of the requests in flight, by any of MPI's ways.
void complete_some(Test& t, std::vector<InFlight>& all, Random& local, bool the_rest) {
  std::vector<std::size_t> open;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k].request != LACONIC_REQUEST_NULL) open.push_back(k);
  if (open.empty()) return;
  const std::size_t k = open[local.below(open.size())];
  t.doing("completing " + describe(all[k].call->setting()));
  if (the_rest && local.below(10) == 0) {
    std::vector<laconic_request> requests;
    std::vector<std::size_t> which;
    for (const std::size_t i : open)
      if (local.below(3) == 0) {
        requests.push_back(all[i].request);
        which.push_back(i);
      }
    good(t, laconic_waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
    for (std::size_t i = 0; i < which.size(); ++i) {
      CHECK(t, requests[i] == LACONIC_REQUEST_NULL);
      all[which[i]].request = LACONIC_REQUEST_NULL;
      all[which[i]].call->check(t);
    }
    return;
  }
  if (the_rest && local.below(5) == 0) {
    std::vector<laconic_request> requests(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) requests[i] = all[i].request;
    int index = 0;
    good(t, laconic_waitany(static_cast<int>(requests.size()), requests.data(), &index, MPI_STATUS_IGNORE));
    if (!CHECK(t, index >= 0 && index < static_cast<int>(all.size()), "waitany gave %d", index)) return;
    InFlight& f = all[static_cast<std::size_t>(index)];
    f.request = LACONIC_REQUEST_NULL;
    f.call->check(t);
    return;
  }
  if (the_rest && local.below(2) == 0) {
    if (good(t, laconic_wait(&all[k].request, MPI_STATUS_IGNORE))) all[k].call->check(t);
    return;
  }
  int flag = 0;
  if (good(t, laconic_test(&all[k].request, &flag, MPI_STATUS_IGNORE)) && flag) all[k].call->check(t);
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "stress");
  const long long seeds = environment_number("TEST_CASES", 10);
  constexpr std::size_t operations = 200;
  std::vector<MPI_Comm> comms(3);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (long long round = 0; round < seeds; ++round) {
    const std::uint64_t seed = t.seed() * 1000 + static_cast<std::uint64_t>(round);
    Random random(seed);
    Random local(seed * 131 + static_cast<std::uint64_t>(t.rank()) + 1);
    std::vector<InFlight> all;
    for (std::size_t k = 0; k < operations; ++k) {
      Setting s = random_setting(random, t.size(), 1500);
      InFlight f;
      f.call = make_call(s, random.below(2) == 0, random.pick(comms));
      const bool blocking = random.below(40) == 0;
      t.doing("beginning " + describe(s));
      t.count_case();
      if (blocking) {
        if (good(t, f.call->run())) f.call->check(t);
      } else {
        good(t, f.call->begin(&f.request));
      }
      all.push_back(std::move(f));
      // Few numbers each, so that hundreds of operations are in flight.
      if (random.below(50) == 0) complete_some(t, all, local, false);
    }
    const auto open = [&] {
      return std::any_of(all.begin(), all.end(), [](const InFlight& f) { return f.request != LACONIC_REQUEST_NULL; });
    };
    while (open()) complete_some(t, all, local, true);
  }
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  return t.finish();
}
