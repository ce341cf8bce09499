// SPDX-License-Identifier: BSD-3-Clause
// One collective operation with the arguments of all its ranks, and the location of its numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "codec/codec.hpp"
#include "engine/predict.hpp"
#include "schedule/schedule.hpp"
#include "support/fields.hpp"
#include "support/place.hpp"

namespace laconic::test {

struct Operation {
  const Algorithm* algorithm = nullptr;  // determines the collective
  const Codec* codec = nullptr;
  bool per_hop = false;  // the variant CPR-P2P
  int root = 0;
  Op op = Op::sum;
  bool mean = false;
  double bound = 0;  // 0: lossless
  BoundTarget target = BoundTarget::result;
  // The numbers of the data (allreduce, reduce, bcast) or of each block (all others).
  std::size_t count = 0;
  std::vector<std::size_t> counts;  // counts of each block, where they differ
  std::size_t chunk = 1024;
  int depth = 2;
  bool checksum = true;
  bool in_place = false;  // a rank that has a block and wants it uses one buffer for input and output

  Collective collective() const { return algorithm->collective; }
  bool reduction() const { return reduces(collective()); }
  Travel travel() const { return travel_of(*codec, per_hop); }
};

inline std::string to_text(const Operation& o, int size) {
  std::ostringstream s;
  s << o.algorithm->name() << " " << name_of(o.collective()) << " of " << size;
  if (has_root(o.collective())) s << " (root " << o.root << ")";
  s << ", " << o.codec->name() << (o.per_hop ? " per hop" : "") << ", ";
  if (o.reduction()) s << (o.mean ? "mean" : o.op == Op::sum ? "sum" : o.op == Op::max ? "max" : "min") << ", ";
  s << "bound " << o.bound << " on " << text_of(o.target) << ", count " << o.count;
  if (!o.counts.empty()) {
    s << " {";
    for (std::size_t i = 0; i < std::min<std::size_t>(o.counts.size(), 16); ++i) s << (i > 0 ? " " : "") << o.counts[i];
    s << (o.counts.size() > 16 ? " ...}" : "}");
  }
  s << ", chunk " << o.chunk << ", depth " << o.depth << (o.checksum ? "" : ", no checksum")
    << (o.in_place ? ", in place" : "");
  return s.str();
}

// The algorithm's name in a form that test names allow.
inline std::string plain_name(const Algorithm& algorithm) {
  std::string name = std::string(name_of(algorithm.collective)) + "_" + std::string(algorithm.name());
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

inline Budget budget_of(const Operation& o, int size) {
  return budget_for(o.bound, o.target, o.op, o.mean, *o.algorithm, ranks_of(size), *o.codec, o.per_hop);
}

// Forms the coding as the communicator does.
template <class T>
Coding coding_of(const Operation& o, int size) {
  Coding coding;
  coding.dtype = dtype_of<T>;
  coding.op = o.op;
  coding.divisor = o.mean ? size : 1;
  budget_of(o, size).apply(o.reduction() && o.op == Op::sum, coding);
  return coding;
}

// Whether the algorithm chooses the number of blocks; the blocks are nearly equal parts of the data then.
constexpr bool cuts_equally(Collective c) { return traits_of(c).cut_freely(); }

// Whether the operation has LACONIC_AVG: scans have not.
inline bool has_mean(const Operation& o) { return o.reduction() && !traits_of(o.collective()).prefix(); }

// The number of blocks of the collective on `size` ranks, where that does not depend on the algorithm.
constexpr std::size_t blocks_of(Collective c, int size) {
  const auto p = static_cast<std::size_t>(size);
  if (traits_of(c).neighborhood()) return assumed_neighbors + (traits_of(c).send.cut() ? assumed_neighbors : 1);
  return traits_of(c).all_to_all() ? p * p : p;
}

// The counts of numbers in each of `cut` blocks.  In neighborhood collectives a rank numbers its blocks itself; there
// the label of a block selects one of these counts.
inline std::vector<std::size_t> block_counts(const Operation& o, std::int32_t cut) {
  const auto blocks = static_cast<std::size_t>(cut);
  if (!cuts_equally(o.collective())) return o.counts.empty() ? std::vector<std::size_t>(blocks, o.count) : o.counts;
  std::vector<std::size_t> counts(blocks, o.count / blocks);
  for (std::size_t b = 0; b < o.count % blocks; ++b) ++counts[b];
  return counts;
}

// Block counts as the v-variants allow them: some large, some small, some 0.
inline std::vector<std::size_t> uneven_counts(std::size_t blocks, std::size_t about, Random& random) {
  std::vector<std::size_t> counts(blocks);
  for (std::size_t& n : counts) n = random.below(3) == 0 ? 0 : random.below(2 * about + 1);
  return counts;
}

inline std::size_t count_of(const Operation& o, const std::vector<std::size_t>& counts, int size, int rank,
                            std::int32_t block) {
  return counts[label_of(o.collective(), place_at(rank, size, o.root), block) % counts.size()];
}

// A block in the numbering of one rank.
struct OwnBlock {
  int rank;
  std::int32_t block;
  friend bool operator==(const OwnBlock&, const OwnBlock&) = default;
};

// The contributions to a rank's result of a block, where their ranks have them in the beginning.
inline std::vector<OwnBlock> sources_of(const Operation& o, int size, int rank, std::int32_t block) {
  const Collective c = o.collective();
  const Place at = place_at(rank, size, o.root);
  if (traits_of(c).neighborhood()) {
    const int from = at.neighborhood->sources[static_cast<std::size_t>(block)].rank;
    if (from == rank) return {{rank, block}};
    const Place there = place_at(from, size, o.root);
    for (std::int32_t b = assumed_neighbors; b < static_cast<std::int32_t>(blocks_of(c, size)); ++b)
      if (label_of(c, there, b) == label_of(c, at, block)) return {{from, b}};
    return {};
  }
  const int ranks = reduces(c) ? contributions_of(c, at) : size;
  std::vector<OwnBlock> sources;
  for (int r = 0; r < ranks; ++r)
    if (ownership_of(c, place_at(r, size, o.root), block).has) sources.push_back({r, block});
  return sources;
}

}  // namespace laconic::test
