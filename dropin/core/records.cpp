// SPDX-License-Identifier: BSD-3-Clause
#include "core/records.hpp"

namespace laconic::dropin {

std::pmr::memory_resource& records() {
  static auto& all = *new std::pmr::synchronized_pool_resource;
  return all;
}

}  // namespace laconic::dropin
