// SPDX-License-Identifier: BSD-3-Clause
#include "comm/core/slots.hpp"

namespace laconic {
namespace {

constexpr std::size_t bits = 64;

std::uint64_t bit_of(std::size_t slot) { return std::uint64_t{1} << slot % bits; }

}  // namespace

void Slots::prepare() {
  if (!used_.empty()) return;
  used_.assign((number_ + bits - 1) / bits, 0);
  renew(used_);
}

int Slots::take() {
  prepare();
  if (next_ == free_.size()) return none;
  const int slot = free_[next_++];
  used_[static_cast<std::size_t>(slot) / bits] |= bit_of(static_cast<std::size_t>(slot));
  return slot;
}

void Slots::give_back(int slot) {
  used_[static_cast<std::size_t>(slot) / bits] &= ~bit_of(static_cast<std::size_t>(slot));
}

bool Slots::renew(std::span<const std::uint64_t> used_by_any) {
  free_.clear();
  next_ = 0;
  for (std::size_t slot = 0; slot < number_; ++slot)
    if ((used_by_any[slot / bits] & bit_of(slot)) == 0) free_.push_back(static_cast<int>(slot));
  return !free_.empty();
}

}  // namespace laconic
