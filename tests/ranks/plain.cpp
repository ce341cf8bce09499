// SPDX-License-Identifier: BSD-3-Clause
// Calls that Laconic leaves to MPI: the same bits as from MPI_Allreduce, and the reason in the statistics.  Also counts
// beyond 2^31, through MPI and through the engine.
#include <sys/mman.h>

#include <cmath>
#include <limits>
#include <utility>

#include "support.hpp"
#include "support/fields.hpp"

namespace {

using namespace ranks;
using laconic::test::Kind;

// Runs both calls on random bytes that are valid numbers of the type, and compares the results.
void same_as_mpi(Test& t, const char* name, const void* sendbuf, std::size_t bytes, int count, MPI_Datatype type,
                 MPI_Op op, const laconic_options* options, laconic_plain_reason reason, bool in_place) {
  t.doing(text("%s%s", name, in_place ? ", in place" : ""));
  t.count_case();
  std::vector<unsigned char> ours(bytes, 0x77);
  std::vector<unsigned char> theirs(bytes, 0x77);
  if (in_place) {
    std::memcpy(ours.data(), sendbuf, bytes);
    std::memcpy(theirs.data(), sendbuf, bytes);
  }
  laconic_stats stats{};
  laconic_options o;
  if (options) {
    o = *options;
    o.stats = &stats;
    options = &o;
  }
  laconic_stats_reset(MPI_COMM_WORLD);
  const int rc =
      laconic_allreduce(in_place ? MPI_IN_PLACE : sendbuf, ours.data(), count, type, op, MPI_COMM_WORLD, options);
  CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  MPI_Allreduce(in_place ? MPI_IN_PLACE : sendbuf, theirs.data(), count, type, op, MPI_COMM_WORLD);
  CHECK(t, ours == theirs, "other bytes than MPI_Allreduce");
  laconic_stats total{};
  laconic_stats_get(MPI_COMM_WORLD, &total);
  for (const laconic_stats* s : {&std::as_const(total), &std::as_const(stats)}) {
    if (s == &stats && !options) continue;
    CHECK(t, s->calls == 1 && s->plain_calls == 1);
    CHECK(t, s->plain_reason == reason, "plain because %s, expected %s", laconic_plain_reason_string(s->plain_reason),
          laconic_plain_reason_string(reason));
    CHECK(t, s->algorithm == LACONIC_ALGORITHM_PLAIN && s->bytes_sent == 0 && s->ratio == 1);
    CHECK(t, s->bound == 0 && s->achieved_bound == 0);
  }
}

void multiply_add(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* a = static_cast<const double*>(in);
  auto* b = static_cast<double*>(inout);
  for (int i = 0; i < *count; ++i) b[i] = 3 * a[i] + 3 * b[i];
}

void untouched(Test& t) {
  const laconic_plain_reason alone = LACONIC_PLAIN_ONE_RANK;
  const bool one = t.size() == 1;
  constexpr int count = 3000;
  const auto floats = laconic::test::make_field<float>(Kind::normal, count, t.seed(), t.rank());
  const auto doubles = laconic::test::make_field<double>(Kind::huge_range, count, t.seed(), t.rank());
  std::vector<int> ints(count);
  for (int i = 0; i < count; ++i) ints[static_cast<std::size_t>(i)] = i * (t.rank() + 1) - 777;
  const laconic_options bounded = options_with(LACONIC_BOUND_ABS, 1e-3);
  for (const bool in_place : {false, true}) {
    same_as_mpi(t, "int sum", ints.data(), 4 * count, count, MPI_INT, MPI_SUM, &bounded, LACONIC_PLAIN_TYPE, in_place);
    same_as_mpi(t, "int bitwise or", ints.data(), 4 * count, count, MPI_INT, MPI_BOR, &bounded, LACONIC_PLAIN_TYPE,
                in_place);
    same_as_mpi(t, "bytes", ints.data(), 4 * count, 4 * count, MPI_BYTE, MPI_BXOR, &bounded, LACONIC_PLAIN_TYPE,
                in_place);
    same_as_mpi(t, "float product", floats.data(), 4 * count, count, MPI_FLOAT, MPI_PROD, &bounded, LACONIC_PLAIN_OP,
                in_place);
    same_as_mpi(t, "no options", floats.data(), 4 * count, count, MPI_FLOAT, MPI_SUM, nullptr, LACONIC_PLAIN_NO_BOUND,
                in_place);
    same_as_mpi(t, "no options, ints", ints.data(), 4 * count, count, MPI_INT, MPI_MAX, nullptr, LACONIC_PLAIN_NO_BOUND,
                in_place);

    laconic_options o;
    laconic_options_init(&o);
    o.min_bytes = 1;
    same_as_mpi(t, "options without bound", doubles.data(), 8 * count, count, MPI_DOUBLE, MPI_SUM, &o,
                LACONIC_PLAIN_NO_BOUND, in_place);
    o = bounded;
    o.algorithm = LACONIC_ALGORITHM_PLAIN;
    same_as_mpi(t, "algorithm plain", doubles.data(), 8 * count, count, MPI_DOUBLE, MPI_MIN, &o, LACONIC_PLAIN_ASKED,
                in_place);
    o = bounded;
    o.min_bytes = 4 * count + 1;
    same_as_mpi(t, "below min_bytes", floats.data(), 4 * count, count, MPI_FLOAT, MPI_SUM, &o,
                one ? alone : LACONIC_PLAIN_SMALL, in_place);
    o.min_bytes = 0;
    same_as_mpi(t, "below the default min_bytes", floats.data(), 4 * count, count, MPI_FLOAT, MPI_SUM, &o,
                one ? alone : LACONIC_PLAIN_SMALL, in_place);
    o = options_with(LACONIC_BOUND_LOSSLESS, 0);
    same_as_mpi(t, "text", ints.data(), 4 * count, 4 * count, MPI_BYTE, MPI_BOR, &o, LACONIC_PLAIN_TYPE, in_place);
    same_as_mpi(t, "int product", ints.data(), 4 * count, count, MPI_INT, MPI_PROD, &o, LACONIC_PLAIN_OP, in_place);
    o.codec = LACONIC_CODEC_QUANT;
    same_as_mpi(t, "a codec without integers", ints.data(), 4 * count, count, MPI_INT, MPI_SUM, &o, LACONIC_PLAIN_TYPE,
                in_place);
    same_as_mpi(t, "nothing", floats.data(), 0, 0, MPI_FLOAT, MPI_SUM, &bounded, one ? alone : LACONIC_PLAIN_SMALL,
                in_place);

    MPI_Op mine;
    MPI_Op_create(multiply_add, 1, &mine);
    same_as_mpi(t, "user's operation", doubles.data(), 8 * count, count, MPI_DOUBLE, mine, &bounded, LACONIC_PLAIN_OP,
                in_place);
    MPI_Datatype pair;
    MPI_Type_contiguous(1, MPI_DOUBLE, &pair);
    MPI_Type_commit(&pair);
    same_as_mpi(t, "user's type and operation", doubles.data(), 8 * count, count, pair, mine, &bounded,
                LACONIC_PLAIN_TYPE, in_place);
    MPI_Type_free(&pair);
    MPI_Op_free(&mine);

    std::vector<std::pair<double, int>> places(count);
    for (int i = 0; i < count; ++i) {
      std::memset(static_cast<void*>(&places[static_cast<std::size_t>(i)]), 0, sizeof places[0]);
      places[static_cast<std::size_t>(i)].first = doubles[static_cast<std::size_t>(i)];
      places[static_cast<std::size_t>(i)].second = t.rank();
    }
    same_as_mpi(t, "largest and where", places.data(), 16 * count, count, MPI_DOUBLE_INT, MPI_MAXLOC, &bounded,
                LACONIC_PLAIN_TYPE, in_place);
  }
}

int bottom_numbers[4];

// MPI_BOTTOM is NULL, and a valid address for types that hold absolute addresses.
void absolute_addresses(Test& t) {
  t.doing("MPI_BOTTOM");
  for (int i = 0; i < 4; ++i) bottom_numbers[i] = i + t.rank();
  int result[4] = {-1, -1, -1, -1};
  MPI_Aint address = 0;
  MPI_Get_address(bottom_numbers, &address);
  MPI_Aint result_address = 0;
  MPI_Get_address(result, &result_address);
  // One type must serve both buffers, so both are given relative to the place of the send numbers.
  const int length = 4;
  MPI_Datatype type = MPI_INT;
  MPI_Datatype absolute;
  MPI_Type_create_struct(1, &length, &address, &type, &absolute);
  MPI_Type_commit(&absolute);
  MPI_Op sum;
  MPI_Op_create(
      [](void* in, void* inout, int*, MPI_Datatype*) {
        // The user's function gets addresses to which the type's displacement is to be added.
        MPI_Aint place = 0;
        MPI_Get_address(bottom_numbers, &place);
        auto* a = reinterpret_cast<int*>(static_cast<char*>(in) + place);
        auto* b = reinterpret_cast<int*>(static_cast<char*>(inout) + place);
        for (int i = 0; i < 4; ++i) b[i] += a[i];
      },
      1, &sum);
  char* shifted = reinterpret_cast<char*>(result_address - address);
  const laconic_options bounded = options_with(LACONIC_BOUND_ABS, 1e-3);
  const int rc = laconic_allreduce(MPI_BOTTOM, shifted, 1, absolute, sum, MPI_COMM_WORLD, &bounded);
  CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  const int ranks_sum = t.size() * (t.size() - 1) / 2;
  for (int i = 0; i < 4; ++i) CHECK(t, result[i] == i * t.size() + ranks_sum, "%d is %d", i, result[i]);
  MPI_Op_free(&sum);
  MPI_Type_free(&absolute);
}

// A mean without a codec: the sum from MPI, divided.
void plain_mean(Test& t) {
  t.doing("plain mean");
  constexpr int count = 1000;
  const auto x = laconic::test::make_field<float>(Kind::normal, count, t.seed(), t.rank());
  std::vector<float> sum(count);
  MPI_Allreduce(x.data(), sum.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  std::vector<float> mean(count);
  int rc = laconic_allreduce(x.data(), mean.data(), count, MPI_FLOAT, LACONIC_AVG, MPI_COMM_WORLD, nullptr);
  CHECK(t, rc == MPI_SUCCESS);
  int wrong = 0;
  for (std::size_t i = 0; i < count; ++i)
    wrong += mean[i] != static_cast<float>(static_cast<double>(sum[i]) / t.size());
  CHECK(t, wrong == 0, "%d numbers are wrong", wrong);
  laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-3);
  o.algorithm = LACONIC_ALGORITHM_PLAIN;
  const auto y = laconic::test::make_field<double>(Kind::normal, count, t.seed(), t.rank());
  std::vector<double> wide_sum(count);
  MPI_Allreduce(y.data(), wide_sum.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  std::vector<double> wide_mean = y;
  rc = laconic_allreduce(MPI_IN_PLACE, wide_mean.data(), count, MPI_DOUBLE, LACONIC_AVG, MPI_COMM_WORLD, &o);
  CHECK(t, rc == MPI_SUCCESS);
  for (std::size_t i = 0; i < count; ++i) wrong += wide_mean[i] != wide_sum[i] / t.size();
  CHECK(t, wrong == 0, "%d numbers are wrong", wrong);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int whole = 1;
  rc = laconic_allreduce(MPI_IN_PLACE, &whole, 1, MPI_INT, LACONIC_AVG, MPI_COMM_WORLD, nullptr);
  CHECK(t, class_of(rc) == MPI_ERR_TYPE && whole == 1, "class %d", class_of(rc));
  // MPI's own functions cannot form a mean, and must not return a plausible number.
  if (t.size() > 1) {
    double nothing = 1;
    MPI_Allreduce(MPI_IN_PLACE, &nothing, 1, MPI_DOUBLE, LACONIC_AVG, MPI_COMM_WORLD);
    CHECK(t, std::isnan(nothing), "%g", nothing);
  }
}

void names(Test& t) {
  t.doing("names");
  CHECK(t, std::string("quant") == laconic_codec_name(LACONIC_CODEC_QUANT));
  CHECK(t, std::string("raw") == laconic_codec_name(LACONIC_CODEC_RAW));
  CHECK(t, std::string("recursive-doubling") == laconic_algorithm_name(LACONIC_ALGORITHM_RECURSIVE_DOUBLING));
  CHECK(t, laconic_codec_name(static_cast<laconic_codec>(77)) == nullptr);
  CHECK(t, laconic_algorithm_name(static_cast<laconic_algorithm>(77)) == nullptr);
  for (int reason = 0; reason <= LACONIC_PLAIN_INTERCOMM; ++reason)
    // 7 is reserved.
    CHECK(t, (laconic_plain_reason_string(static_cast<laconic_plain_reason>(reason)) == nullptr) == (reason == 7), "%d",
          reason);
  CHECK(t, laconic_plain_reason_string(static_cast<laconic_plain_reason>(99)) == nullptr);
}

// Memory that is not committed until it is written.
template <class T>
struct Sparse {
  std::size_t count;
  T* data;
  explicit Sparse(std::size_t n)
      : count(n),
        data(static_cast<T*>(mmap(nullptr, n * sizeof(T), PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {}
  Sparse(const Sparse&) = delete;
  Sparse& operator=(const Sparse&) = delete;
  ~Sparse() { munmap(data, count * sizeof(T)); }
};

// Gigabytes per rank: only when TEST_LARGE=1 asks for them.
void large(Test& t) {
  if (environment_number("TEST_LARGE", 0) == 0) return;
  {
    t.doing("600 million floats, compressed, in place");
    Sparse<float> x(600'000'000);
    const std::vector<std::size_t> places{0, 1, 299'999'999, 536'870'911, 536'870'912, 536'870'913, 599'999'999};
    for (const std::size_t at : places)
      x.data[at] = static_cast<float>(t.rank() + 1) * 0.5F + static_cast<float>(at % 97);
    laconic_stats stats{};
    laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-3);
    o.stats = &stats;
    for (const auto algorithm : {LACONIC_ALGORITHM_RING, LACONIC_ALGORITHM_RECURSIVE_DOUBLING}) {
      o.algorithm = algorithm;
      const int rc = laconic_allreduce(MPI_IN_PLACE, x.data, 600'000'000, MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD, &o);
      CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
      for (const std::size_t at : places) {
        const double exact = 0.5 * t.size() + static_cast<double>(at % 97);
        CHECK(t, std::fabs(x.data[at] - exact) < 2.1e-3, "number %zu is %g, not %g", at,
              static_cast<double>(x.data[at]), exact);
      }
      std::size_t strange = 0;
      for (std::size_t i = 0; i < x.count; ++i) strange += x.data[i] != 0;
      CHECK(t, strange == places.size(), "%zu numbers are not 0", strange);
      CHECK(t, stats.bytes_in == 2'400'000'000 && stats.ratio > 100, "ratio %g", stats.ratio);
      if (t.rank() == 0)
        std::printf("plain: 600 million floats, %s: %.1f s, ratio %.0f\n", laconic_algorithm_name(algorithm),
                    stats.seconds_total, stats.ratio);
    }
  }
  {
    t.doing("more than 2^31 bytes, plain, in place");
    const MPI_Count count = (MPI_Count{1} << 31) + 1001;
    Sparse<unsigned char> x(static_cast<std::size_t>(count));
    const std::vector<std::size_t> places{0,         (1UL << 30) - 1,   1UL << 30, (1UL << 31) - 1,
                                          1UL << 31, (1UL << 31) + 1000};
    for (const std::size_t at : places) x.data[at] = static_cast<unsigned char>(1U << t.rank());
    const int rc = laconic_allreduce(MPI_IN_PLACE, x.data, count, MPI_UNSIGNED_CHAR, MPI_BOR, MPI_COMM_WORLD, nullptr);
    CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
    for (const std::size_t at : places) CHECK(t, x.data[at] == (1U << t.size()) - 1, "byte %zu is %d", at, x.data[at]);
    std::size_t strange = 0;
    for (std::size_t i = 0; i < x.count; ++i) strange += x.data[i] != 0;
    CHECK(t, strange == places.size(), "%zu bytes are not 0", strange);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "plain");
  untouched(t);
  absolute_addresses(t);
  plain_mean(t);
  names(t);
  large(t);
  return t.finish();
}
