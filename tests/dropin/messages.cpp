// SPDX-License-Identifier: BSD-3-Clause
// Messages between two ranks in all of MPI's ways: the data received, and the values of statuses and probes.
#include <algorithm>

#include "messages/edges.hpp"
#include "messages/exchanges.hpp"
#include "messages/probes.hpp"
#include "messages/traffic.hpp"

using namespace dropin;

int main(int argc, char** argv) {
  const bool many = std::any_of(argv + 1, argv + argc, [](const char* word) { return std::string(word) == "threads"; });
  Test t(&argc, &argv, "dropin messages", many ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
  const Expectation expected(argc, argv);
  Random random(t.seed() * 1000 + static_cast<std::uint64_t>(t.rank()));
  World w{t, expected, random};
  for (const auto part : {round_the_ring, told_before, blocking, by_other_names, probes, exchanges, persistent, layouts,
                          too_long, given_up, no_numbers, bytes, storm, threads}) {
    if (part == threads && (!many || t.provided() != MPI_THREAD_MULTIPLE)) continue;
    part(w);
    // Receives from anyone must not meet messages of the next part.
    MPI_Barrier(w.comm);
  }
  return t.finish();
}
