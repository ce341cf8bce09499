// SPDX-License-Identifier: BSD-3-Clause
#include "comm/core/peer_facts.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>

#include "base/checksum.hpp"

namespace laconic {
namespace {

// Where processes differ in it, they are on different nodes.  A name alone is not enough: containers and machines in
// different clusters may share one.  Linux draws a boot_id at each boot, and namespaces of the network have numbers.
std::uint64_t identity() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  std::string text(name.data(), static_cast<std::size_t>(length));
  std::string boot;
  if (std::ifstream file("/proc/sys/kernel/random/boot_id"); std::getline(file, boot)) text += '\n' + boot;
  std::array<char, 64> network{};
  const ssize_t bytes = readlink("/proc/self/ns/net", network.data(), network.size());
  if (bytes > 0) text += '\n' + std::string(network.data(), static_cast<std::size_t>(bytes));
  return checksum::sum(std::as_bytes(std::span(text)));
}

constexpr std::uint64_t cannot_prepare = 1;
constexpr std::uint64_t repeats = 2;

}  // namespace

int PeerFacts::begin(MPI_Comm comm, int size, bool can_prepare, bool repeats_neighbors, MPI_Request* request) {
  static const std::uint64_t node = identity();
  mine_ = {node, (can_prepare ? 0 : cannot_prepare) | (repeats_neighbors ? repeats : 0)};
  all_.resize(static_cast<std::size_t>(size));
  return MPI_Iallgather(&mine_, 2, MPI_UINT64_T, all_.data(), 2, MPI_UINT64_T, comm, request);
}

NodeShape PeerFacts::nodes() const {
  std::vector<std::uint64_t> nodes;
  nodes.reserve(all_.size());
  for (const Fact& fact : all_) nodes.push_back(fact.node);
  return NodeShape(nodes);
}

bool PeerFacts::all_can_prepare() const {
  return std::none_of(all_.begin(), all_.end(), [](const Fact& fact) { return (fact.flags & cannot_prepare) != 0; });
}

bool PeerFacts::any_repeats_neighbors() const {
  return std::any_of(all_.begin(), all_.end(), [](const Fact& fact) { return (fact.flags & repeats) != 0; });
}

}  // namespace laconic
