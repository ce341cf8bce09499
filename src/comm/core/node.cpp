// SPDX-License-Identifier: BSD-3-Clause
#include "comm/core/node.hpp"

#include <unistd.h>

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

}  // namespace

int NodeSearch::begin(MPI_Comm comm, int size, MPI_Request* request) {
  static const std::uint64_t mine = identity();
  identities_.resize(static_cast<std::size_t>(size));
  return MPI_Iallgather(&mine, 1, MPI_UINT64_T, identities_.data(), 1, MPI_UINT64_T, comm, request);
}

}  // namespace laconic
