// SPDX-License-Identifier: BSD-3-Clause
// The setting of a collective call: its form, and everything that options and arguments choose.
#pragma once

#include <map>

#include "call/collective.hpp"
#include "support.hpp"
#include "support/fields.hpp"
#include "topology.hpp"

namespace ranks {

using laconic::test::Kind;

using laconic::Routine;

inline const char* routine_name(Routine routine) { return laconic::name_of(routine).data(); }  // a literal, which ends

enum class Op { sum, max, min };

enum class Mode { blocking, nonblocking, persistent };

struct Setting {
  Routine routine = Routine::allreduce;
  laconic_algorithm algorithm = LACONIC_ALGORITHM_AUTO;
  laconic_codec codec = LACONIC_CODEC_UNSET;
  laconic_variant variant = LACONIC_VARIANT_UNSET;
  laconic_bound bound{LACONIC_BOUND_ABS, 1e-3};
  Op op = Op::sum;
  bool mean = false;
  int root = 0;
  Topology::Kind topology = Topology::Kind::grid;  // of neighborhood collectives
  Kind field = Kind::walk;
  std::size_t count = 0;  // of one block, or of all blocks where there is one buffer; the mean of uneven ones
  bool in_place = false;
  Mode mode = Mode::blocking;
  std::int64_t chunk = 0;
  int depth = 0;
  int threads = 1;
  std::int64_t min_bytes = 1;
  laconic_denormals denormals = LACONIC_DENORMALS_UNSET;
  std::uint64_t seed = 0;

  const laconic::CollectiveTraits& traits() const { return laconic::traits_of(routine); }
  bool reduces() const { return traits().reduces; }
  bool rooted() const { return traits().rooted(); }
  bool uneven() const {
    return traits().send.counting != laconic::Counting::equal || traits().recv.counting != laconic::Counting::equal;
  }
  bool has_mean() const { return reduces() && !traits().prefix(); }
  // MPI requires symmetric counts of an alltoallv in place, and the counts here differ in the two directions.
  bool may_be_in_place() const { return routine != Routine::alltoallv && !traits().neighborhood(); }
};

// The algorithms of a form that serve any number of ranks.
inline std::vector<laconic_algorithm> algorithms_of(Routine routine) {
  using laconic::Collective;
  static const std::map<Collective, std::vector<laconic_algorithm>> all{
      {Collective::allreduce,
       {LACONIC_ALGORITHM_RING, LACONIC_ALGORITHM_RECURSIVE_DOUBLING, LACONIC_ALGORITHM_RECURSIVE_HALVING,
        LACONIC_ALGORITHM_DIRECT}},
      {Collective::reduce,
       {LACONIC_ALGORITHM_BINOMIAL, LACONIC_ALGORITHM_CHAIN, LACONIC_ALGORITHM_RING, LACONIC_ALGORITHM_DIRECT}},
      {Collective::reduce_scatter,
       {LACONIC_ALGORITHM_RING, LACONIC_ALGORITHM_RECURSIVE_HALVING, LACONIC_ALGORITHM_DIRECT}},
      {Collective::allgather, {LACONIC_ALGORITHM_RING, LACONIC_ALGORITHM_BRUCK, LACONIC_ALGORITHM_DIRECT}},
      {Collective::bcast, {LACONIC_ALGORITHM_BINOMIAL, LACONIC_ALGORITHM_CHAIN, LACONIC_ALGORITHM_RING}},
      {Collective::scatter, {LACONIC_ALGORITHM_BINOMIAL, LACONIC_ALGORITHM_DIRECT}},
      {Collective::gather, {LACONIC_ALGORITHM_BINOMIAL, LACONIC_ALGORITHM_DIRECT}},
      {Collective::alltoall, {LACONIC_ALGORITHM_PAIRWISE, LACONIC_ALGORITHM_BRUCK}},
      {Collective::scan, {LACONIC_ALGORITHM_CHAIN, LACONIC_ALGORITHM_RECURSIVE_DOUBLING}},
      {Collective::exscan, {LACONIC_ALGORITHM_CHAIN, LACONIC_ALGORITHM_RECURSIVE_DOUBLING}},
      {Collective::neighbor_allgather, {LACONIC_ALGORITHM_DIRECT}},
      {Collective::neighbor_alltoall, {LACONIC_ALGORITHM_DIRECT}}};
  return all.at(laconic::traits_of(routine).pattern);
}

inline std::string describe(const Setting& s) {
  return text(
      "%s, %s, %s, %s, bound mode %d value %g, op %d%s, root %d, topology %d, field %s, count %zu%s, mode %d, chunk "
      "%lld, "
      "depth %d, threads %d, denormals %d, case seed %llu",
      routine_name(s.routine), laconic_algorithm_name(s.algorithm),
      s.codec ? laconic_codec_name(s.codec) : "default codec",
      s.variant ? laconic_variant_name(s.variant) : "default variant", static_cast<int>(s.bound.mode), s.bound.value,
      static_cast<int>(s.op), s.mean ? " mean" : "", s.root, static_cast<int>(s.topology),
      laconic::test::name_of(s.field).c_str(), s.count, s.in_place ? ", in place" : "", static_cast<int>(s.mode),
      static_cast<long long>(s.chunk), s.depth, s.threads, static_cast<int>(s.denormals),
      static_cast<unsigned long long>(s.seed));
}
// A random setting, equal on all ranks that draw the same numbers.
inline Setting random_setting(Random& random, int size, std::size_t largest) {
  Setting s;
  s.routine = static_cast<Routine>(random.below(laconic::num_routines));
  const auto algorithms = algorithms_of(s.routine);
  s.algorithm = random.below(3) == 0 ? LACONIC_ALGORITHM_AUTO : random.pick(algorithms);
  static const std::vector<laconic_codec> codecs = [] {
    std::vector<laconic_codec> all{LACONIC_CODEC_UNSET, LACONIC_CODEC_QUANT,    LACONIC_CODEC_RAW,
                                   LACONIC_CODEC_SZX,   LACONIC_CODEC_LOSSLESS, LACONIC_CODEC_DENSE};
    all.push_back(LACONIC_CODEC_QUANT);
    return all;
  }();
  s.codec = random.pick(codecs);
  const std::vector<laconic_variant> variants{LACONIC_VARIANT_UNSET, LACONIC_VARIANT_OVERLAP, LACONIC_VARIANT_ND,
                                              LACONIC_VARIANT_CPR_P2P};
  s.variant = random.pick(variants);
  const std::vector<double> bounds{1e-1, 1e-2, 1e-3, 1e-5};
  s.bound = {random.below(2) ? LACONIC_BOUND_ABS : LACONIC_BOUND_REL, random.pick(bounds)};
  if (random.below(6) == 0 || s.codec == LACONIC_CODEC_LOSSLESS) s.bound = {LACONIC_BOUND_LOSSLESS, 0};
  const auto what = random.below(4);
  if (s.reduces()) {
    s.op = what == 1 ? Op::max : what == 2 ? Op::min : Op::sum;
    s.mean = what == 3 && s.has_mean();
  }
  s.root = static_cast<int>(random.below(static_cast<std::uint64_t>(size)));
  const std::vector<Kind> fields{Kind::normal, Kind::walk, Kind::sparse,  Kind::special,
                                 Kind::ramp,   Kind::real, Kind::integers};
  s.field = random.pick(fields);
  s.count = random.below(10) == 0 ? random.below(4) : random.below(largest) + 1;
  s.in_place = random.below(3) == 0 && s.may_be_in_place();
  s.mode = static_cast<Mode>(random.below(3));
  s.chunk = random.below(2) ? 0 : static_cast<std::int64_t>(1 + random.below(largest));
  s.depth = static_cast<int>(random.below(5));
  s.threads = random.below(8) == 0 ? 2 : 1;
  s.denormals = static_cast<laconic_denormals>(random.below(3));
  if (s.denormals == LACONIC_DENORMALS_EXACT && random.below(2) == 0) s.field = Kind::integers;
  s.topology = static_cast<Topology::Kind>(random.below(Topology::kinds));
  s.seed = random.bits() % 1000000;
  return s;
}
}  // namespace ranks
