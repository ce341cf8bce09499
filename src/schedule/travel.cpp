// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/travel.hpp"

#include <algorithm>
#include <iterator>

namespace laconic {
namespace {

constexpr Travel all_travels[] = {Travel::homomorphic, Travel::reencoding, Travel::per_hop};

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

Value encoded(Value v, bool result) {
  ++(result ? v.errors.final : v.errors.intermediate);
  v.expression = mix(v.expression ^ 0xc0dec0dec0dec0deULL);
  v.frame = true;
  return v;
}

}  // namespace

Value sent(Travel travel, Value& mine, bool result) {
  if (travel == Travel::per_hop) return encoded(mine, false);
  if (!mine.frame) mine = encoded(mine, result);
  return mine;
}

void received(Travel travel, Value& mine, const Value& came) {
  mine = came;
  mine.frame = travel != Travel::per_hop;
}

void reduced(Travel travel, Value& mine, const Value& came) {
  if (travel == Travel::homomorphic && !mine.frame) mine = encoded(mine, false);
  mine.errors = {mine.errors.intermediate + came.errors.intermediate, mine.errors.final + came.errors.final};
  mine.expression = mix(mine.expression + came.expression + 0x9e3779b97f4a7c15ULL);
  mine.frame = travel == Travel::homomorphic;
}

Holding Holding::of(std::int32_t rank) {
  Holding holding;
  holding.sources = std::make_shared<const Sources>(1, rank);
  for (Value& v : holding.under) v.expression = mix(static_cast<std::uint64_t>(rank) + 1);
  return holding;
}

Holding Holding::send(bool result) {
  Holding message{sources, hops + 1, {}};
  for (const Travel t : all_travels) {
    const auto i = static_cast<std::size_t>(t);
    message.under[i] = sent(t, under[i], result);
  }
  return message;
}

void Holding::receive(const Holding& came) {
  sources = came.sources;
  hops = came.hops;
  for (const Travel t : all_travels) {
    const auto i = static_cast<std::size_t>(t);
    received(t, under[i], came.under[i]);
  }
}

void Holding::reduce(const Holding& came) {
  auto both = std::make_shared<Sources>();
  both->reserve(sources->size() + came.sources->size());
  std::merge(sources->begin(), sources->end(), came.sources->begin(), came.sources->end(), std::back_inserter(*both));
  sources = std::move(both);
  hops = std::max(hops, came.hops);
  for (const Travel t : all_travels) {
    const auto i = static_cast<std::size_t>(t);
    reduced(t, under[i], came.under[i]);
  }
}

}  // namespace laconic
