// SPDX-License-Identifier: BSD-3-Clause
// The numbers that a simulated rank brings into a collective, and those that it gets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "arguments.hpp"
#include "engine/run.hpp"
#include "input.hpp"
#include "schedule/schedule.hpp"

namespace laconic::scale {

// The data of a collective as one rank sees it: blocks of equal size, the numbers that the rank brings, and its result.
class Data {
 public:
  Data(const Arguments& a, Collective collective, const Place& at, const Input& input)
      : collective_(collective), at_(at), input_(input), count_(a.bytes / sizeof(float)) {
    const CollectiveTraits& t = traits_of(collective);
    if (a.collective == "stencil") count_ *= assumed_neighbors;
    if (!t.cut_freely()) count_ -= count_ % static_cast<std::size_t>(num_parts(collective, 1, at.size));
    const bool one_block = !t.cut_freely() && t.recv.contents == Contents::block;
    const bool receives = !t.recv.root_only || at.rank == at.root;
    if (!receives) return;
    static std::vector<float> of_all;  // ranks share static objects
    std::vector<float>& numbers = a.one_result ? of_all : own_;
    numbers.resize(one_block ? count_ / static_cast<std::size_t>(at.size) : count_, -1);
    result = numbers;
  }

  std::size_t count() const { return count_; }

  void set_blocks(std::int32_t cut) { cut_ = cut; }
  std::size_t begin_of(std::int32_t part) const {
    const auto parts = static_cast<std::size_t>(num_parts(collective_, cut_, at_.size));
    const auto k = static_cast<std::size_t>(part);
    return k * (count_ / parts) + std::min(k, count_ % parts);
  }

  Region region(std::int32_t block) {
    const Ownership own = ownership_of(collective_, at_, block);
    Region region;
    if (!own.has && !own.wants) return region;
    region.count = count_of(block);
    if (own.has) region.input = reinterpret_cast<const std::byte*>(numbers_of(at_.rank, block));
    if (own.wants) region.output = reinterpret_cast<std::byte*>(result.data() + place_in_result(block));
    return region;
  }

  // The exact value of number i of a block that the rank wants.
  double exactly(std::int32_t block, std::size_t i) const {
    if (!reduces(collective_)) return static_cast<double>(moved(block)[i]);
    double sum = 0;
    for (int r = 0; r < at_.size; ++r) sum += static_cast<double>(numbers_of(r, block)[i]);
    return sum;
  }
  double found(std::int32_t block, std::size_t i) const { return static_cast<double>(found(block)[i]); }

  // The numbers of a block that the rank wants, where they come from; not for reductions.
  const float* moved(std::int32_t block) const {
    if (traits_of(collective_).neighborhood()) return numbers_of(source(block).rank, block);
    for (int r = 0; r < at_.size; ++r)
      if (ownership_of(collective_, {r, at_.size, at_.root, nullptr}, block).has) return numbers_of(r, block);
    return nullptr;
  }
  const float* found(std::int32_t block) const { return result.data() + place_in_result(block); }
  std::size_t count_of(std::int32_t block) const { return begin_of(part_of(block) + 1) - begin_of(part_of(block)); }

  // The rank's own, or with --one-result that of all ranks.
  std::span<float> result;

 private:
  std::int32_t part_of(std::int32_t block) const {
    const CollectiveTraits& t = traits_of(collective_);
    return t.all_to_all() ? block % at_.size : t.neighborhood() ? block % assumed_neighbors : block;
  }
  const Neighbor& source(std::int32_t block) const {
    return at_.neighborhood->sources[static_cast<std::size_t>(block)];
  }
  const float* numbers_of(int rank, std::int32_t block) const { return input_.of(rank) + place_in_input(block); }
  // A rank that has one block brings only that.
  std::size_t place_in_input(std::int32_t block) const {
    const CollectiveTraits& t = traits_of(collective_);
    // In a grid the label of an edge is the place of its block among those of the sender.
    if (t.neighborhood() && block < assumed_neighbors) return begin_of(source(block).label);
    return !t.cut_freely() && !t.all_to_all() && t.send.contents == Contents::block ? 0 : begin_of(part_of(block));
  }
  std::size_t place_in_result(std::int32_t block) const {
    const CollectiveTraits& t = traits_of(collective_);
    if (t.all_to_all()) return begin_of(block / at_.size);
    return !t.cut_freely() && t.recv.contents == Contents::block ? 0 : begin_of(part_of(block));
  }

  Collective collective_;
  Place at_;
  const Input& input_;
  std::size_t count_;
  std::int32_t cut_ = 1;
  std::vector<float> own_;
};

}  // namespace laconic::scale
