// SPDX-License-Identifier: BSD-3-Clause
// The bytes that ranks send, by operation, content, size and the reason why they stay plain. Unlike a tally, it also
// has the operations that are never compressed. In a profile, also by caller, with the time of the calls and samples of
// the contents.
#pragma once

#include <compare>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <string_view>

#include "calls/operation.hpp"
#include "core/datatypes.hpp"
#include "report/callers.hpp"
#include "report/reason.hpp"
#include "report/sample.hpp"

namespace laconic::dropin {

// MPI's ways to move data between ranks, and to and from files: the operations, in their order, and those that are
// counted and never compressed.
enum class Activity : std::uint8_t {
#define LACONIC_COLLECTIVE(name, ...) name,
#include "call/collectives.def"
  send,
  bsend,
  psend,
  alltoallw,
  neighbor_alltoallw,
  put,
  get,
  accumulate,
  get_accumulate,
  file_read,
  file_write
};
inline constexpr std::size_t num_activities = static_cast<std::size_t>(Activity::file_write) + 1;

constexpr Activity activity_of(Operation operation) { return static_cast<Activity>(operation); }
constexpr bool is_operation(Activity activity) { return static_cast<std::size_t>(activity) < num_operations; }
constexpr Operation operation_of(Activity activity) { return static_cast<Operation>(activity); }
std::string_view name_of(Activity activity);

struct TrafficKey {
  Activity activity = Activity::send;
  Content content = Content::other;
  std::uint8_t log2_size = 0;  // of the bytes that min_bytes is compared with, rounded down
  Reason reason = Reason::touched;
  Caller caller = no_caller;  // in a profile

  std::uint64_t least_size() const { return std::uint64_t{1} << log2_size; }
  auto operator<=>(const TrafficKey&) const = default;  // NOLINT(modernize-use-nullptr): in what the compiler makes
};

struct Traffic {
  std::uint64_t calls = 0;  // that sent any bytes
  std::uint64_t bytes = 0;  // contributions of this rank
  double seconds = 0;       // in a profile: in MPI's function; of nonblocking calls in the one that starts them
  Sample sample{};          // in a profile
};

using TrafficTable = std::map<TrafficKey, Traffic>;

// The reason why calls with this key stay plain, as text for the summary.
const char* text_of(const TrafficKey& of);

// One entry as text for other ranks, and back. False if the text is not an entry.
void write(std::ostream& out, const TrafficKey& of, const Traffic& traffic);
bool read(std::istream& in, TrafficKey& of, Traffic& traffic);

// Adds the counts of another rank: bytes and samples are summed, calls and times are the maximum.
void merge(TrafficTable& into, const TrafficKey& of, const Traffic& traffic);

}  // namespace laconic::dropin
