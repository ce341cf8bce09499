// SPDX-License-Identifier: BSD-3-Clause
#include "report/traffic.hpp"

#include <algorithm>
#include <array>
#include <iomanip>
#include <istream>
#include <ostream>

namespace laconic::dropin {
namespace {

constexpr std::array<std::string_view, num_activities - num_operations> never_compressed{
    "bsend", "psend",      "alltoallw",      "neighbor_alltoallw", "put",
    "get",   "accumulate", "get_accumulate", "file_read",          "file_write"};

}  // namespace

std::string_view name_of(Activity activity) {
  const auto at = static_cast<std::size_t>(activity);
  return is_operation(activity) ? name_of(operation_of(activity)) : never_compressed[at - num_operations];
}

const char* text_of(const TrafficKey& of) {
  return is_operation(of.activity) ? text_of(of.reason) : "an operation that is never compressed";
}

void write(std::ostream& out, const TrafficKey& of, const Traffic& traffic) {
  out << static_cast<int>(of.activity) << ' ' << static_cast<int>(of.content) << ' ' << static_cast<int>(of.log2_size)
      << ' ' << static_cast<int>(of.reason) << ' ' << std::quoted(name_of(of.caller)) << ' ' << traffic.calls << ' '
      << traffic.bytes << ' ' << traffic.seconds << ' ';
  write(out, traffic.sample);
}

bool read(std::istream& in, TrafficKey& of, Traffic& traffic) {
  std::array<unsigned, 4> numbers{};
  for (unsigned& number : numbers) in >> number;
  std::string caller;
  in >> std::quoted(caller) >> traffic.calls >> traffic.bytes >> traffic.seconds;
  if (!in || numbers[0] >= num_activities || numbers[1] >= num_contents || numbers[2] > 63 || numbers[3] >= reasons)
    return false;
  of = {static_cast<Activity>(numbers[0]), static_cast<Content>(numbers[1]), static_cast<std::uint8_t>(numbers[2]),
        static_cast<Reason>(numbers[3]), caller_named(caller)};
  return read(in, traffic.sample);
}

void merge(TrafficTable& into, const TrafficKey& of, const Traffic& traffic) {
  Traffic& sum = into[of];
  sum.calls = std::max(sum.calls, traffic.calls);
  sum.bytes += traffic.bytes;
  sum.seconds = std::max(sum.seconds, traffic.seconds);
  sum.sample += traffic.sample;
}

}  // namespace laconic::dropin
