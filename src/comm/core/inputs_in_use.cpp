// SPDX-License-Identifier: BSD-3-Clause
#include "comm/core/inputs_in_use.hpp"

#include <algorithm>

namespace laconic {
namespace {

bool meet(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.data() < b.data() + b.size() && b.data() < a.data() + a.size();
}

}  // namespace

void InputsInUse::add(const void* operation, std::span<const std::byte> memory) {
  if (memory.empty()) return;
  const std::lock_guard lock(mutex_);
  bool shared = false;
  for (Use& other : uses_)
    if (meet(other.memory, memory)) shared = other.shared = true;
  uses_.push_back({operation, memory, false, shared});
}

void InputsInUse::end(const void* operation) {
  const std::lock_guard lock(mutex_);
  if (Use* const mine = find(operation); mine != nullptr) mine->rounds = false;
}

void InputsInUse::remove(const void* operation) {
  const std::lock_guard lock(mutex_);
  std::erase_if(uses_, [&](const Use& use) { return use.operation == operation; });
}

InputsInUse::Use* InputsInUse::find(const void* operation) {
  const auto at = std::find_if(uses_.begin(), uses_.end(), [&](const Use& use) { return use.operation == operation; });
  return at != uses_.end() ? &*at : nullptr;
}

InputsInUse::Verdict InputsInUse::begin(const void* operation, bool rounds) {
  const std::lock_guard lock(mutex_);
  Use* const mine = find(operation);
  if (mine == nullptr) return rounds ? Verdict::round : Verdict::keep;
  const auto in_the_way = [&](const Use& other) { return other.rounds && meet(other.memory, mine->memory); };
  if (std::any_of(uses_.begin(), uses_.end(), in_the_way)) return Verdict::wait;
  if (!rounds || mine->shared) return Verdict::keep;
  mine->rounds = true;
  return Verdict::round;
}

}  // namespace laconic
