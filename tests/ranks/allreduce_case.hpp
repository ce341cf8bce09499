// SPDX-License-Identifier: BSD-3-Clause
// One call of laconic_allreduce on a field, in all its variants, and the values from which a case is drawn.
#pragma once

#include <algorithm>
#include <cmath>

#include "support.hpp"
#include "support/fields.hpp"
#include "support/range_of.hpp"

namespace ranks {

using laconic::test::Kind;

enum class Reduction { sum, max, min, mean };

struct Case {
  laconic_algorithm algorithm = LACONIC_ALGORITHM_AUTO;
  laconic_codec codec = LACONIC_CODEC_UNSET;
  Reduction op = Reduction::sum;
  Kind field = Kind::normal;
  laconic_bound bound{LACONIC_BOUND_ABS, 1e-3};
  laconic_target target = LACONIC_TARGET_RESULT;
  std::size_t count = 0;
  std::int64_t chunk = 0;
  int depth = 0;
  int threads = 1;
  bool in_place = false;
};

inline const char* name_of(Reduction op) {
  switch (op) {
    case Reduction::sum: return "sum";
    case Reduction::max: return "max";
    case Reduction::min: return "min";
    case Reduction::mean: return "mean";
  }
  return "?";
}

inline MPI_Op mpi_op(Reduction op) {
  switch (op) {
    case Reduction::sum: return MPI_SUM;
    case Reduction::max: return MPI_MAX;
    case Reduction::min: return MPI_MIN;
    case Reduction::mean: return LACONIC_AVG;
  }
  return MPI_OP_NULL;
}

inline std::string describe(const Case& c, const char* type) {
  return text(
      "%s %s %s %s, field '%s', bound mode %d value %g, target %s, count %zu, chunk %lld, depth %d, threads %d%s",
      laconic_algorithm_name(c.algorithm), c.codec ? laconic_codec_name(c.codec) : "default codec", name_of(c.op), type,
      name_of(c.field).c_str(), static_cast<int>(c.bound.mode), c.bound.value,
      c.target == LACONIC_TARGET_INPUT ? "input" : "result", c.count, static_cast<long long>(c.chunk), c.depth,
      c.threads, c.in_place ? ", in place" : "");
}

template <class T>
struct Outcome {
  int rc = MPI_SUCCESS;
  laconic_stats stats{};
  std::vector<T> result;
};

// Makes one call.  Memory behind the result must stay unchanged.
template <class T>
Outcome<T> call(Test& t, const Case& c, const std::vector<T>& input) {
  constexpr std::size_t guard = 16;
  const T untouched = static_cast<T>(-7.25);
  Outcome<T> out;
  out.result.assign(c.count + guard, untouched);
  std::vector<T> copy = input;
  if (c.in_place) std::copy(input.begin(), input.end(), out.result.begin());
  laconic_options o = options_with(c.bound.mode, c.bound.value);
  o.algorithm = c.algorithm;
  o.codec = c.codec;
  o.target = c.target;
  o.chunk_elements = c.chunk;
  o.depth = c.depth;
  o.threads = c.threads;
  o.stats = &out.stats;
  out.rc = laconic_allreduce(c.in_place ? MPI_IN_PLACE : copy.data(), out.result.data(),
                             static_cast<MPI_Count>(c.count), mpi_type<T>(), mpi_op(c.op), MPI_COMM_WORLD, &o);
  CHECK(t, out.rc == MPI_SUCCESS, "%s", message_of(out.rc).c_str());
  CHECK(t, c.count == 0 || std::memcmp(copy.data(), input.data(), c.count * sizeof(T)) == 0, "sendbuf was changed");
  for (std::size_t i = 0; i < guard; ++i)
    if (!CHECK(t, out.result[c.count + i] == untouched, "written %zu numbers beyond recvbuf", i + 1)) break;
  out.result.resize(c.count);
  return out;
}

// Properties of a case, from all ranks' numbers.
template <class T>
struct Truth {
  std::vector<std::vector<T>> inputs;
  double least = 0;  // of the finite numbers without fill values
  double greatest = 0;
  double magnitude = 0;
  bool finite = true;

  Truth(const Case& c, std::uint64_t seed, int size) {
    laconic::test::Extremes extremes;
    for (int r = 0; r < size; ++r) {
      inputs.push_back(laconic::test::make_field<T>(c.field, c.count, seed, r));
      laconic::test::RangeOfRank own;
      for (const T v : inputs.back()) {
        own.take(static_cast<double>(v));
        finite = finite && std::isfinite(v);
        if (std::isfinite(v)) magnitude = std::max(magnitude, std::fabs(static_cast<double>(v)));
      }
      extremes.take(own.range());
    }
    least = extremes.least;
    greatest = extremes.greatest;
  }
};

inline double resolved(const laconic_bound& bound, double least, double greatest) {
  return bound.mode == LACONIC_BOUND_ABS   ? bound.value
         : bound.mode == LACONIC_BOUND_REL ? bound.value * (greatest - least)
                                           : 0;
}

inline const std::vector<laconic_algorithm> algorithms{LACONIC_ALGORITHM_RING, LACONIC_ALGORITHM_RECURSIVE_DOUBLING,
                                                       LACONIC_ALGORITHM_DIRECT, LACONIC_ALGORITHM_AUTO};
inline const std::vector<laconic_codec> codecs{LACONIC_CODEC_QUANT, LACONIC_CODEC_DENSE,    LACONIC_CODEC_RAW,
                                               LACONIC_CODEC_SZX,   LACONIC_CODEC_LOSSLESS, LACONIC_CODEC_UNSET};
inline const std::vector<Reduction> reductions{Reduction::sum, Reduction::max, Reduction::min, Reduction::mean};
inline const std::vector<Kind> all_fields = [] {
  std::vector<Kind> kinds;
  for (const auto& known : laconic::test::all_kinds) kinds.push_back(known.kind);
  return kinds;
}();

}  // namespace ranks
