// SPDX-License-Identifier: BSD-3-Clause
// The bound lossless: integers of all of MPI's types exactly, extremes of floating-point numbers with the bits of
// MPI_Allreduce, and sums of these in the order of the algorithm.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "support.hpp"
#include "support/fields.hpp"

namespace {

using namespace ranks;

laconic_options lossless_options(laconic_algorithm algorithm) {
  laconic_options o;
  laconic_options_init(&o);
  o.bound.mode = LACONIC_BOUND_LOSSLESS;
  o.algorithm = algorithm;
  o.min_bytes = 1;
  o.chunk_elements = 1500;
  return o;
}

constexpr laconic_algorithm algorithms[] = {LACONIC_ALGORITHM_AUTO, LACONIC_ALGORITHM_RING,
                                            LACONIC_ALGORITHM_RECURSIVE_DOUBLING, LACONIC_ALGORITHM_DIRECT};
constexpr MPI_Count counts[] = {1, 3, 1000, 20011};

template <class T>
std::vector<T> call(Test& t, const std::vector<T>& x, MPI_Datatype type, MPI_Op op, laconic_options o, bool in_place,
                    laconic_codec expected) {
  laconic_stats stats{};
  o.stats = &stats;
  std::vector<T> result = in_place ? x : std::vector<T>(x.size());
  const int rc = laconic_allreduce(in_place ? MPI_IN_PLACE : x.data(), result.data(), static_cast<MPI_Count>(x.size()),
                                   type, op, MPI_COMM_WORLD, &o);
  CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  if (t.size() > 1) {
    CHECK(t, stats.plain_calls == 0, "plain because %s", laconic_plain_reason_string(stats.plain_reason));
    CHECK(t, stats.codec == expected, "codec %s", laconic_codec_name(stats.codec));
    CHECK(t, stats.bound == 0 && stats.achieved_bound == 0);
    CHECK(t, stats.bytes_uncompressed % sizeof(T) == 0 && stats.bytes_sent > 0);
  }
  return result;
}

template <class T>
void as_expected(Test& t, const char* name, const std::vector<T>& x, const std::vector<T>& expected, MPI_Datatype type,
                 MPI_Op op, laconic_codec codec) {
  for (const laconic_algorithm algorithm : algorithms)
    for (const bool in_place : {false, true}) {
      t.doing(text("%s, %zu numbers, %s%s", name, x.size(), laconic_algorithm_name(algorithm),
                   in_place ? ", in place" : ""));
      t.count_case();
      laconic_options o = lossless_options(algorithm);
      if (codec != LACONIC_CODEC_LOSSLESS) o.codec = codec;
      const std::vector<T> result = call(t, x, type, op, o, in_place, codec);
      CHECK(t, std::memcmp(result.data(), expected.data(), x.size() * sizeof(T)) == 0, "other bits than expected");
    }
}

template <class T>
void as_mpi(Test& t, const char* name, const std::vector<T>& x, MPI_Datatype type, MPI_Op op) {
  std::vector<T> expected(x.size());
  MPI_Allreduce(x.data(), expected.data(), static_cast<int>(x.size()), type, op, MPI_COMM_WORLD);
  as_expected(t, name, x, expected, type, op, LACONIC_CODEC_LOSSLESS);
}

// Smooth numbers around the places where sums wrap and signs change, and random bits.
template <class T>
std::vector<T> contribution(const Test& t, int rank, MPI_Count count) {
  std::vector<T> x(static_cast<std::size_t>(count));
  laconic::test::Random random(t.seed() + static_cast<std::uint64_t>(rank));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool smooth = i / 3000 % 2 == 0;
    x[i] = static_cast<T>(smooth ? static_cast<std::uint64_t>(std::numeric_limits<T>::max()) - 2000 + i +
                                       static_cast<std::uint64_t>(rank)
                                 : random.bits());
  }
  return x;
}

// Compared with sums modulo 2^bits, not with the MPI's: those of Open MPI 4.1 saturate for 8 and 16 bits in the part of
// an array that its vectors cover, and MPICH 4.0 takes unsigned char for signed in MAX and MIN.
template <class T>
void integers(Test& t, const char* name, MPI_Datatype type) {
  static_assert(std::is_integral_v<T>);
  for (const MPI_Count count : counts) {
    std::vector<T> sum(static_cast<std::size_t>(count), 0);
    std::vector<T> most(sum.size(), std::numeric_limits<T>::min());
    std::vector<T> least(sum.size(), std::numeric_limits<T>::max());
    for (int r = 0; r < t.size(); ++r) {
      const std::vector<T> x = contribution<T>(t, r, count);
      for (std::size_t i = 0; i < x.size(); ++i) {
        sum[i] = static_cast<T>(static_cast<std::uint64_t>(sum[i]) + static_cast<std::uint64_t>(x[i]));
        most[i] = std::max(most[i], x[i]);
        least[i] = std::min(least[i], x[i]);
      }
    }
    const std::vector<T> x = contribution<T>(t, t.rank(), count);
    as_expected(t, name, x, sum, type, MPI_SUM, LACONIC_CODEC_LOSSLESS);
    as_expected(t, name, x, sum, type, MPI_SUM, LACONIC_CODEC_RAW);
    as_expected(t, name, x, most, type, MPI_MAX, LACONIC_CODEC_LOSSLESS);
    as_expected(t, name, x, least, type, MPI_MIN, LACONIC_CODEC_LOSSLESS);
  }
}

// One number for each rank's share of the blocks into which the ring algorithm cuts `count`.
std::size_t begin_of_block(std::size_t block, std::size_t count, std::size_t blocks) {
  return block * (count / blocks) + std::min(block, count % blocks);
}

template <class T>
void floats(Test& t, const char* name, MPI_Datatype type) {
  const auto size = static_cast<std::size_t>(t.size());
  for (const MPI_Count n : counts) {
    const auto count = static_cast<std::size_t>(n);
    std::vector<std::vector<T>> inputs;
    for (int r = 0; r < t.size(); ++r)
      inputs.push_back(laconic::test::make_field<T>(laconic::test::Kind::huge_range, count, t.seed(), r));
    const std::vector<T>& x = inputs[static_cast<std::size_t>(t.rank())];
    as_mpi(t, name, x, type, MPI_MAX);
    as_mpi(t, name, x, type, MPI_MIN);

    for (const laconic_algorithm algorithm : algorithms) {
      t.doing(text("sum of %s, %zu numbers, %s", name, count, laconic_algorithm_name(algorithm)));
      t.count_case();
      laconic_options o = lossless_options(algorithm);
      const std::vector<T> sum = call(t, x, type, MPI_SUM, o, false, LACONIC_CODEC_LOSSLESS);
      std::vector<T> of_first = sum;
      MPI_Bcast(of_first.data(), static_cast<int>(count), type, 0, MPI_COMM_WORLD);
      CHECK(t, std::memcmp(sum.data(), of_first.data(), count * sizeof(T)) == 0, "other bits than rank 0");
      o.codec = LACONIC_CODEC_RAW;
      CHECK(t, sum == call(t, x, type, MPI_SUM, o, false, LACONIC_CODEC_RAW), "other bits than uncompressed");
      if (algorithm != LACONIC_ALGORITHM_RING) continue;
      // Block b begins at rank b + 1 and is added to by the ranks after it, rank b the last.
      for (std::size_t b = 0; b < size; ++b)
        for (std::size_t i = begin_of_block(b, count, size); i < begin_of_block(b + 1, count, size); ++i) {
          T expected = inputs[(b + 1) % size][i];
          for (std::size_t k = 2; k <= size; ++k) expected += inputs[(b + k) % size][i];
          CHECK(t, sum[i] == expected, "element %zu is not the sum in the order of the ring", i);
        }
    }
  }
}

// An error bound has no effect on integers; an invalid option is reported to all ranks.
void refusals(Test& t) {
  t.doing("ranks that disagree");
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  std::vector<int> x(5000, 3);
  std::vector<int> result(5000, 7);
  laconic_options o = lossless_options(LACONIC_ALGORITHM_RING);
  const bool odd = t.rank() == t.size() - 1;
  if (odd) o.depth = -1;
  int rc = laconic_allreduce(x.data(), result.data(), 5000, MPI_INT, MPI_SUM, comm, &o);
  CHECK(t, (rc != MPI_SUCCESS) == (t.size() > 1 || odd));
  CHECK(t, rc == MPI_SUCCESS || result == std::vector<int>(5000, 7));
  o.depth = 0;
  rc = laconic_allreduce(x.data(), result.data(), 5000, odd ? MPI_UNSIGNED : MPI_INT, MPI_SUM, comm, &o);
  CHECK(t, (rc != MPI_SUCCESS) == (t.size() > 1), "types that differ");
  rc = laconic_allreduce(x.data(), result.data(), 5000, MPI_INT, LACONIC_AVG, comm, &o);
  CHECK(t, rc != MPI_SUCCESS, "a mean of integers");
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "lossless");
  integers<signed char>(t, "MPI_SIGNED_CHAR", MPI_SIGNED_CHAR);
  integers<unsigned char>(t, "MPI_UNSIGNED_CHAR", MPI_UNSIGNED_CHAR);
  integers<short>(t, "MPI_SHORT", MPI_SHORT);
  integers<unsigned short>(t, "MPI_UNSIGNED_SHORT", MPI_UNSIGNED_SHORT);
  integers<int>(t, "MPI_INT", MPI_INT);
  integers<unsigned>(t, "MPI_UNSIGNED", MPI_UNSIGNED);
  integers<long>(t, "MPI_LONG", MPI_LONG);
  integers<unsigned long>(t, "MPI_UNSIGNED_LONG", MPI_UNSIGNED_LONG);
  integers<long long>(t, "MPI_LONG_LONG", MPI_LONG_LONG);
  integers<unsigned long long>(t, "MPI_UNSIGNED_LONG_LONG", MPI_UNSIGNED_LONG_LONG);
  integers<std::int8_t>(t, "MPI_INT8_T", MPI_INT8_T);
  integers<std::uint8_t>(t, "MPI_UINT8_T", MPI_UINT8_T);
  integers<std::int16_t>(t, "MPI_INT16_T", MPI_INT16_T);
  integers<std::uint16_t>(t, "MPI_UINT16_T", MPI_UINT16_T);
  integers<std::int32_t>(t, "MPI_INT32_T", MPI_INT32_T);
  integers<std::uint32_t>(t, "MPI_UINT32_T", MPI_UINT32_T);
  integers<std::int64_t>(t, "MPI_INT64_T", MPI_INT64_T);
  integers<std::uint64_t>(t, "MPI_UINT64_T", MPI_UINT64_T);
  integers<MPI_Aint>(t, "MPI_AINT", MPI_AINT);
  integers<MPI_Offset>(t, "MPI_OFFSET", MPI_OFFSET);
  integers<MPI_Count>(t, "MPI_COUNT", MPI_COUNT);
  floats<float>(t, "MPI_FLOAT", MPI_FLOAT);
  floats<double>(t, "MPI_DOUBLE", MPI_DOUBLE);
  refusals(t);
  return t.finish();
}
