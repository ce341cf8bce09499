// SPDX-License-Identifier: BSD-3-Clause
#include <numeric>

#include "scenes.hpp"

namespace attack {
namespace {

void wait_one_by_one(World& world, Random& own, std::vector<laconic_request>& requests,
                     std::vector<MPI_Status>& statuses) {
  std::vector<std::size_t> order(requests.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[own.below(i)]);
  for (const std::size_t k : order) {
    const int rc = laconic_wait(&requests[k], &statuses[k]);
    CHECK(world.journal, rc == MPI_SUCCESS, "laconic_wait: %s", ranks::message_of(rc).c_str());
  }
}

// Persistent requests become inactive and count as complete from then on, so what is left is counted.
void test_one_by_one(World& world, std::vector<laconic_request>& requests, std::vector<MPI_Status>& statuses) {
  std::vector<bool> done(requests.size(), false);
  for (std::size_t left = requests.size(); left > 0;)
    for (std::size_t k = 0; k < requests.size(); ++k) {
      if (done[k]) continue;
      int flag = 0;
      const int rc = laconic_test(&requests[k], &flag, &statuses[k]);
      CHECK(world.journal, rc == MPI_SUCCESS, "laconic_test: %s", ranks::message_of(rc).c_str());
      done[k] = flag != 0 || rc != MPI_SUCCESS;
      left -= done[k];
    }
}

int wait_for_any(std::vector<laconic_request>& requests, std::vector<MPI_Status>& statuses) {
  for (;;) {
    int index = 0;
    MPI_Status status{};
    const int rc = laconic_waitany(static_cast<int>(requests.size()), requests.data(), &index, &status);
    if (rc != MPI_SUCCESS || index == MPI_UNDEFINED) return rc;
    statuses[static_cast<std::size_t>(index)] = status;
  }
}

}  // namespace

void complete(World& world, Random& own, std::vector<laconic_request>& requests, std::vector<MPI_Status>* given) {
  std::vector<MPI_Status> here;
  std::vector<MPI_Status>& statuses = given != nullptr ? *given : here;
  statuses.assign(requests.size(), MPI_Status{});
  const int n = static_cast<int>(requests.size());
  int rc = MPI_SUCCESS;
  const char* how = "laconic_waitall";
  switch (own.below(5)) {
    case 0: return wait_one_by_one(world, own, requests, statuses);
    case 1: return test_one_by_one(world, requests, statuses);
    case 2:
      how = "laconic_waitany";
      rc = wait_for_any(requests, statuses);
      break;
    case 4:
      how = "laconic_testall";
      for (int flag = 0; flag == 0 && rc == MPI_SUCCESS;)
        rc = laconic_testall(n, requests.data(), &flag, statuses.data());
      break;
    default: rc = laconic_waitall(n, requests.data(), statuses.data()); break;
  }
  if (rc == MPI_SUCCESS) return;
  std::string said = ranks::message_of(rc);
  for (const MPI_Status& s : statuses)
    if (s.MPI_ERROR != MPI_SUCCESS) said += "; " + ranks::message_of(s.MPI_ERROR);
  CHECK(world.journal, rc == MPI_SUCCESS, "%s: %s", how, said.c_str());
}

}  // namespace attack
