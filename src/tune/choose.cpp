// SPDX-License-Identifier: BSD-3-Clause
#include "tune/choose.hpp"

#include <bit>
#include <compare>
#include <map>
#include <mutex>

namespace laconic {
namespace {

// The assumed size of a call whose size is not known.  It is large, because compressing a small call would not pay.
constexpr double assumed_bytes = 1 << 26;

struct Key {
  Collective collective;
  double bytes;
  int size;
  Travel travel;
  auto operator<=>(const Key&) const = default;
};

// The plans of more ranks take too long to walk.
constexpr int most_walked_ranks = 1024;

const Algorithm& first_candidate(const CallModel& call) {
  CallModel fewer = call;
  while (fewer.size > most_walked_ranks) fewer.size /= 2;
  for (; fewer.size > 1; fewer.size /= 2)
    for (const Candidate& c : candidates(fewer, assumed_cost(), path_between_nodes()))
      if (c.algorithm->fits(call.size)) return *c.algorithm;
  return any_algorithm(call.collective, call.size);
}

}  // namespace

const Algorithm& any_algorithm(Collective collective, int size) {
  for (const Algorithm& a : all_algorithms())
    if (a.collective == collective && a.fits(size)) return a;
  return all_algorithms().front();  // not reached: every collective has an algorithm for any number of ranks
}

CallModel model_of(Collective collective, std::size_t bytes, int size, Travel travel) {
  CallModel call;
  call.collective = collective;
  call.bytes = bytes == unknown_bytes ? assumed_bytes : class_bytes(static_cast<double>(bytes));
  call.size = size;
  call.travel = travel;
  return call;
}

const Algorithm& choose_algorithm(Collective collective, std::size_t bytes, int size, Travel travel) {
  static std::mutex mutex;
  // Never destroyed: a program may communicate while it exits.
  static std::map<Key, const Algorithm*>& chosen = *new std::map<Key, const Algorithm*>;
  const CallModel call = model_of(collective, bytes, size, travel);
  const Key key{collective, call.bytes, size, travel};
  {
    const std::lock_guard lock(mutex);
    if (const auto known = chosen.find(key); known != chosen.end()) return *known->second;
  }
  // Threads that ask at the same time walk the same plans, and find the same.
  const Algorithm& found = first_candidate(call);
  const std::lock_guard lock(mutex);
  chosen[key] = &found;
  return found;
}

}  // namespace laconic
