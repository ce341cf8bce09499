// The promises about numbers: the bound holds for every element, the same bits arise on every rank, and with the
// integer lattice they are the same for every algorithm, chunk, depth and number of threads.
#include <cmath>
#include <limits>
#include <optional>

#include "support.hpp"
#include "support/fields.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace {

using namespace ranks;
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

const char* name_of(Reduction op) {
  switch (op) {
    case Reduction::sum: return "sum";
    case Reduction::max: return "max";
    case Reduction::min: return "min";
    case Reduction::mean: return "mean";
  }
  return "?";
}

MPI_Op mpi_op(Reduction op) {
  switch (op) {
    case Reduction::sum: return MPI_SUM;
    case Reduction::max: return MPI_MAX;
    case Reduction::min: return MPI_MIN;
    case Reduction::mean: return LACONIC_AVG;
  }
  return MPI_OP_NULL;
}

std::string describe(const Case& c, const char* type) {
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

// One call.  Room beyond the result must stay as it was.
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

// Long double throughout: half of the smallest denormal double is no double.
template <class T>
long double half_ulp(long double x) {
  const T v = static_cast<T>(std::fabs(x));
  if (!std::isfinite(v)) return std::numeric_limits<long double>::infinity();
  const T above = std::nextafter(v, std::numeric_limits<T>::infinity());
  return std::isfinite(above) ? (static_cast<long double>(above) - static_cast<long double>(v)) / 2
                              : static_cast<long double>(v) * std::numeric_limits<T>::epsilon();
}

// A sum in about 128 bits.
struct LongSum {
  long double sum = 0;
  long double rest = 0;
  void add(long double x) {
    const long double s = sum + x;
    rest += std::fabs(sum) >= std::fabs(x) ? (sum - s) + x : (x - s) + sum;
    sum = s;
  }
};

// What is known of a case from all ranks' numbers.
template <class T>
struct Truth {
  std::vector<std::vector<T>> inputs;
  double least = std::numeric_limits<double>::infinity();  // of the finite ones
  double greatest = -std::numeric_limits<double>::infinity();
  double magnitude = 0;
  bool finite = true;

  Truth(const Case& c, std::uint64_t seed, int size) {
    for (int r = 0; r < size; ++r) {
      inputs.push_back(laconic::test::make_field<T>(c.field, c.count, seed, r));
      for (const T v : inputs.back()) {
        if (!std::isfinite(v)) {
          finite = false;
          continue;
        }
        least = std::min(least, static_cast<double>(v));
        greatest = std::max(greatest, static_cast<double>(v));
      }
    }
    magnitude = std::max(std::fabs(least), std::fabs(greatest));
  }
};

double resolved(const laconic_bound& bound, double least, double greatest) {
  return bound.mode == LACONIC_BOUND_ABS   ? bound.value
         : bound.mode == LACONIC_BOUND_REL ? bound.value * (greatest - least)
                                           : 0;
}

laconic_plain_reason expected_reason(const Case& c, int size) {
  if (c.bound.mode == LACONIC_BOUND_LOSSLESS && c.codec == LACONIC_CODEC_UNSET) return LACONIC_PLAIN_LOSSLESS;
  if (size == 1) return LACONIC_PLAIN_ONE_RANK;
  if (c.count == 0) return LACONIC_PLAIN_SMALL;
  return LACONIC_PLAIN_NOT;
}

// True when every number surely has a lattice point.
template <class T>
bool surely_on_lattice(const Case& c, const Truth<T>& truth, int size) {
  if (c.codec == LACONIC_CODEC_RAW || c.codec == LACONIC_CODEC_SZX) return false;
  if (c.bound.mode == LACONIC_BOUND_LOSSLESS || !truth.finite) return false;
  const double bound = resolved(c.bound, truth.least, truth.greatest);
  const double step = bound / size;
  return bound > 1e-280 && truth.magnitude / step * size < (sizeof(T) == 4 ? 0x1p15 : 0x1p24);
}

// Compares every element with exact arithmetic.
template <class T>
void check_values(Test& t, const Case& c, const Truth<T>& truth, const Outcome<T>& out) {
  const int size = t.size();
  const bool plain = out.stats.plain_calls > 0;
  const bool lattice = !plain && surely_on_lattice(c, truth, size);
  const double bound = plain ? 0 : out.stats.bound;
  constexpr double eps = std::numeric_limits<T>::epsilon();
  int reported = 0;
  for (std::size_t i = 0; i < c.count && reported < 3; ++i) {
    bool nan = false;
    bool up = false;
    bool down = false;
    LongSum sum;
    long double absolute = 0;
    T most = -std::numeric_limits<T>::infinity();
    T least = std::numeric_limits<T>::infinity();
    for (const auto& input : truth.inputs) {
      const T v = input[i];
      nan = nan || std::isnan(v);
      up = up || v == std::numeric_limits<T>::infinity();
      down = down || v == -std::numeric_limits<T>::infinity();
      most = std::max(most, v);
      least = std::min(least, v);
      if (std::isfinite(v)) {
        sum.add(v);
        absolute += std::fabs(static_cast<long double>(v));
      }
    }
    const T r = out.result[i];
    const bool adds = c.op == Reduction::sum || c.op == Reduction::mean;
    if (nan || (adds && up && down)) {
      // Plain MPI may return either number of a maximum with a NaN.
      if (!(plain && !adds))
        reported += !CHECK(t, std::isnan(r), "element %zu is %g, not NaN", i, static_cast<double>(r));
      continue;
    }
    long double exact = 0;
    long double slack = bound * (1 + 1e-12L);
    if (adds) {
      if (up || down) {
        reported += !CHECK(t, std::isinf(r) && (r > 0) == up, "element %zu is %g, not Inf", i, static_cast<double>(r));
        continue;
      }
      if (absolute > 0.99L * std::numeric_limits<T>::max())
        continue;  // partial sums may overflow, here as in plain MPI
      const int divisor = c.op == Reduction::mean ? size : 1;
      exact = (sum.sum + sum.rest) / divisor;
      if (!lattice) slack += absolute / divisor * (size - 1) * eps;
      if (!lattice) slack += half_ulp<T>(absolute) * size / divisor;  // denormal sums
    } else {
      exact = c.op == Reduction::max ? most : least;
      if (std::isinf(static_cast<double>(exact))) {
        reported += !CHECK(t, r == static_cast<T>(exact), "element %zu is %g, not Inf", i, static_cast<double>(r));
        continue;
      }
    }
    slack += half_ulp<T>(std::max(std::fabs(exact), std::fabs(static_cast<long double>(r)))) * (1 + 1e-9);
    const long double error = std::fabs(static_cast<long double>(r) - exact);
    reported += !CHECK(t, error <= slack, "element %zu is %.17g, exact %.17Lg, error %.3Lg > %.17Lg (bound %.17g)", i,
                       static_cast<double>(r), exact, error, slack, bound);
  }
}

template <class T>
void check_stats(Test& t, const Case& c, const Truth<T>& truth, const Outcome<T>& out) {
  const laconic_stats& s = out.stats;
  const laconic_plain_reason reason = expected_reason(c, t.size());
  CHECK(t, s.size == sizeof s);
  CHECK(t, s.calls == 1);
  CHECK(t, s.plain_reason == reason, "plain because %s, expected %s", laconic_plain_reason_string(s.plain_reason),
        laconic_plain_reason_string(reason));
  CHECK(t, s.plain_calls == (reason != LACONIC_PLAIN_NOT));
  CHECK(t, s.bytes_in == c.count * sizeof(T));
  const double parts =
      s.seconds_encode + s.seconds_decode + s.seconds_reduce + s.seconds_copy + s.seconds_wait + s.seconds_other;
  CHECK(t, s.seconds_other >= 0 && s.seconds_wait >= 0 && s.seconds_encode >= 0);
  if (c.threads <= 1)
    CHECK(t, std::fabs(parts - s.seconds_total) < 1e-6, "phases %g, total %g", parts, s.seconds_total);
  if (reason != LACONIC_PLAIN_NOT) {
    CHECK(t, s.algorithm == LACONIC_ALGORITHM_PLAIN && s.bytes_sent == 0 && s.ratio == 1);
    return;
  }
  CHECK(t, s.codec == (c.codec ? c.codec : LACONIC_CODEC_QUANT));
  if (c.algorithm == LACONIC_ALGORITHM_AUTO)
    CHECK(t, s.algorithm > LACONIC_ALGORITHM_PLAIN, "algorithm %d", static_cast<int>(s.algorithm));
  else
    CHECK(t, s.algorithm == c.algorithm, "algorithm %d", static_cast<int>(s.algorithm));
  CHECK(t, s.bytes_sent > 0);
  CHECK(t, std::fabs(s.ratio - static_cast<double>(s.bytes_uncompressed) / static_cast<double>(s.bytes_sent)) <=
               1e-9 * s.ratio);
  CHECK(t, s.achieved_bound <= s.bound, "achieved %.17g, bound %.17g", s.achieved_bound, s.bound);
  const double asked = resolved(c.bound, truth.least, truth.greatest);
  const double expected = c.target == LACONIC_TARGET_INPUT && c.op == Reduction::sum ? asked * t.size() : asked;
  // Sums that are encoded again hold more errors than contributions; how many depends on the algorithm.
  if (c.codec == LACONIC_CODEC_SZX && c.target == LACONIC_TARGET_INPUT)
    CHECK(t, s.bound >= expected * (1 - 1e-12), "bound %.17g, asked for %.17g", s.bound, expected);
  else
    CHECK(t, std::fabs(s.bound - expected) <= 1e-12 * expected, "bound %.17g, asked for %.17g", s.bound, expected);
  if (c.codec == LACONIC_CODEC_RAW || c.bound.mode == LACONIC_BOUND_LOSSLESS) CHECK(t, s.achieved_bound == 0);
}

// Every rank: the same bits and the same achieved bound.  Says where they differ.
template <class T>
void check_same(Test& t, const Case& c, const Truth<T>& truth, const Outcome<T>& out) {
  // A plain maximum of NaNs may differ from rank to rank.
  if (out.stats.plain_calls > 0 && !truth.finite) return;
  std::uint64_t achieved;
  std::memcpy(&achieved, &out.stats.achieved_bound, 8);
  std::uint64_t mine[4] = {hash_of(out.result.data(), c.count * sizeof(T)), 0, achieved, ~achieved};
  mine[1] = ~mine[0];
  std::uint64_t most[4];
  MPI_Allreduce(mine, most, 4, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  CHECK(t, most[2] == ~most[3], "achieved_bound differs between ranks; here %.17g", out.stats.achieved_bound);
  if (most[0] == ~most[1]) return;
  std::vector<T> first = out.result;
  MPI_Bcast(first.data(), static_cast<int>(c.count), mpi_type<T>(), 0, MPI_COMM_WORLD);
  std::size_t i = 0;
  while (i < c.count && std::memcmp(&first[i], &out.result[i], sizeof(T)) == 0) ++i;
  if (i < c.count)
    t.fail(__FILE__, __LINE__,
           text("element %zu is %a here, %a on rank 0", i, static_cast<double>(out.result[i]),
                static_cast<double>(first[i])));
}

// Runs one case and checks all that can be said of it alone.  Returns the hash of the result.
template <class T>
std::uint64_t check_case(Test& t, const Case& c, std::uint64_t seed, const Truth<T>& truth) {
  t.doing(describe(c, sizeof(T) == 4 ? "float" : "double") +
          text(", case seed %llu", static_cast<unsigned long long>(seed)));
  t.count_case();
  const Outcome<T> out = call(t, c, truth.inputs[static_cast<std::size_t>(t.rank())]);
  check_stats(t, c, truth, out);
  check_same(t, c, truth, out);
  // All ranks hold the same bits, so one of them can compare for all.
  if (static_cast<int>(seed % static_cast<std::uint64_t>(t.size())) == t.rank()) check_values(t, c, truth, out);
  return hash_of(out.result.data(), c.count * sizeof(T));
}

template <class T>
void check_case(Test& t, const Case& c, std::uint64_t seed) {
  check_case<T>(t, c, seed, Truth<T>(c, seed, t.size()));
}

const std::vector<laconic_algorithm> algorithms{LACONIC_ALGORITHM_RING, LACONIC_ALGORITHM_RECURSIVE_DOUBLING,
                                                LACONIC_ALGORITHM_DIRECT, LACONIC_ALGORITHM_AUTO};
const std::vector<laconic_codec> codecs{LACONIC_CODEC_QUANT, LACONIC_CODEC_RAW, LACONIC_CODEC_SZX, LACONIC_CODEC_UNSET};
const std::vector<Reduction> reductions{Reduction::sum, Reduction::max, Reduction::min, Reduction::mean};
const std::vector<Kind> all_fields = [] {
  std::vector<Kind> kinds;
  for (const auto& known : laconic::test::all_kinds) kinds.push_back(known.kind);
  return kinds;
}();

// Bounds that suit the field, and some that do not.
laconic_bound pick_bound(Kind field, Random& random) {
  static const std::vector<laconic_bound> any{
      {LACONIC_BOUND_ABS, 1e-3},   {LACONIC_BOUND_ABS, 0.37},  {LACONIC_BOUND_REL, 1e-2}, {LACONIC_BOUND_REL, 1e-4},
      {LACONIC_BOUND_REL, 1e-9},   {LACONIC_BOUND_ABS, 1e-12}, {LACONIC_BOUND_ABS, 1e30}, {LACONIC_BOUND_ABS, 1e-30},
      {LACONIC_BOUND_ABS, 5e-324}, {LACONIC_BOUND_ABS, 1e300}, {LACONIC_BOUND_REL, 3},    {LACONIC_BOUND_LOSSLESS, 0},
      {LACONIC_BOUND_ABS, 1e-310}, {LACONIC_BOUND_REL, 1e-300}};
  if (random.below(3) == 0) return random.pick(any);
  switch (field) {
    case Kind::denormal: return {LACONIC_BOUND_ABS, random.below(2) ? 1e-40 : 1e-310};
    case Kind::huge_range: return {LACONIC_BOUND_ABS, random.below(2) ? 1e26 : 1e3};
    case Kind::random_bits: return {LACONIC_BOUND_ABS, random.below(2) ? 1e36 : 1};
    case Kind::extreme: return {LACONIC_BOUND_REL, 1e-3};
    case Kind::ties: return {LACONIC_BOUND_ABS, 0x1p-10};
    default: return {random.below(2) ? LACONIC_BOUND_ABS : LACONIC_BOUND_REL, random.below(2) ? 1e-2 : 1e-4};
  }
}

std::size_t pick_count(Test& t, Random& random) {
  const auto n = static_cast<std::size_t>(t.size());
  const std::vector<std::size_t> small{0, 1, 2, 3, n - 1, n, n + 1, 2 * n + 1};
  const auto dice = random.below(10);
  return dice < 3 ? random.pick(small) : dice < 6 ? 1000 : dice < 9 ? 4097 : 50021;
}

Case random_case(Test& t, Random& random) {
  Case c;
  c.algorithm = random.pick(algorithms);
  c.codec = random.pick(codecs);
  c.op = random.pick(reductions);
  c.field = random.pick(all_fields);
  c.bound = pick_bound(c.field, random);
  c.target = random.below(3) == 0 ? LACONIC_TARGET_INPUT : LACONIC_TARGET_RESULT;
  c.count = pick_count(t, random);
  static const std::vector<std::int64_t> chunks{0, 0, 7, 100, 1024, 4096, 1 << 20};
  c.chunk = random.pick(chunks);
  if (c.chunk == 7 && c.count > 1000) c.chunk = 700;  // or most of the time goes into tiny messages
  c.depth = static_cast<int>(random.below(9));
  c.threads = random.below(6) == 0 ? 2 : 1;
  c.in_place = random.below(2) == 1;
  return c;
}

void run_case(Test& t, const Case& c, bool wide, std::uint64_t seed) {
  wide ? check_case<double>(t, c, seed) : check_case<float>(t, c, seed);
}

// Every algorithm x codec x operation x type, every field and every count at least once.
void fixed_core(Test& t, Random& random) {
  const auto n = static_cast<std::size_t>(t.size());
  const std::vector<std::size_t> counts{1000, 0, 1, 2, 4097, 3, n - 1, n, n + 1};
  std::size_t k = 0;
  for (const auto algorithm : algorithms)
    for (const auto codec : {LACONIC_CODEC_QUANT, LACONIC_CODEC_RAW, LACONIC_CODEC_SZX})
      for (const auto op : reductions)
        for (const bool wide : {false, true}) {
          Case c;
          c.algorithm = algorithm;
          c.codec = codec;
          c.op = op;
          c.field = all_fields[k % all_fields.size()];
          c.bound = pick_bound(c.field, random);
          c.count = k % 3 == 0 ? counts[k / 3 % counts.size()] : k % 3 == 1 ? 1000 : 4097;
          c.in_place = k % 2 == 1;
          run_case(t, c, wide, t.seed() * 1000 + k++);
        }
}

// Hostile fields through the default codec with every operation.
void hostile_core(Test& t, Random& random) {
  for (const Kind field : all_fields)
    for (const auto op : reductions) {
      Case c;
      c.field = field;
      c.op = op;
      c.algorithm = random.pick(algorithms);
      c.bound = pick_bound(field, random);
      c.count = 2500;
      run_case(t, c, random.below(2) == 1, random.bits() % 1000000);
    }
}

template <class T>
void check_variants(Test& t, Case c, std::uint64_t seed, Random& random, int variants) {
  const Truth<T> truth(c, seed, t.size());
  c.chunk = 1 << 16;
  if (!CHECK(t, surely_on_lattice(c, truth, t.size()), "the test itself: %s", describe(c, "").c_str())) return;
  const std::uint64_t first = check_case<T>(t, c, seed, truth);
  for (int k = 0; k < variants; ++k) {
    static const std::vector<std::int64_t> chunks{7, 64, 100, 1000, 1024, 4096, 777, 1 << 16};
    c.algorithm = algorithms[static_cast<std::size_t>(k) % algorithms.size()];
    c.chunk = random.pick(chunks);
    if (c.count > 10000) c.chunk = std::max<std::int64_t>(c.chunk, 777);
    c.depth = 1 + static_cast<int>(random.below(8));
    c.threads = 1 + static_cast<int>(random.below(2));
    c.in_place = random.below(2) == 1;
    const std::uint64_t again = check_case<T>(t, c, seed, truth);
    CHECK(t, again == first, "other bits than with ring and defaults");
  }
}

// With the lattice nothing but the numbers and the bound may decide a bit.
void same_bits_whatever_the_way(Test& t, Random& random) {
  Case base;
  base.algorithm = LACONIC_ALGORITHM_RING;
  base.codec = LACONIC_CODEC_QUANT;
  for (const auto op : reductions) {
    base.op = op;
    base.field = Kind::normal;
    base.bound = {LACONIC_BOUND_ABS, 0.02};
    base.count = 4096;
    check_variants<float>(t, base, random.bits() % 1000, random, 8);
    base.field = Kind::real;
    base.bound = {LACONIC_BOUND_ABS, 0.7};
    base.count = 1000;
    check_variants<double>(t, base, random.bits() % 1000, random, 8);
  }
  base.op = Reduction::sum;
  base.field = Kind::sparse;
  base.bound = {LACONIC_BOUND_REL, 1e-2};
  base.count = 50021;
  check_variants<double>(t, base, 7, random, 8);
}

// Zeros of both signs and NaNs of many kinds meet: IEEE leaves open which of them comes out, Laconic must not.
template <class T>
void special_bits(Test& t) {
  for (const auto algorithm : algorithms)
    for (const auto codec : {LACONIC_CODEC_QUANT, LACONIC_CODEC_RAW, LACONIC_CODEC_SZX})
      for (const auto op : reductions) {
        Case c;
        c.algorithm = algorithm;
        c.codec = codec;
        c.op = op;
        c.bound = {LACONIC_BOUND_ABS, 1e-3};
        c.count = 600;
        t.doing("zeros and NaNs: " + describe(c, sizeof(T) == 4 ? "float" : "double"));
        t.count_case();
        std::vector<T> x(c.count);
        for (std::size_t i = 0; i < c.count; ++i) {
          const auto mix = i * 31 + static_cast<std::size_t>(t.rank()) * 17;
          const T sign = mix % 7 < 3 ? T(-1) : T(1);
          if (i % 3 == 2 && mix % 5 == 0) {
            unsigned char bits[sizeof(T)];
            const T nan = std::copysign(std::numeric_limits<T>::quiet_NaN(), sign);
            std::memcpy(bits, &nan, sizeof nan);
            bits[0] = static_cast<unsigned char>(mix);  // little-endian: the payload
            std::memcpy(&x[i], bits, sizeof nan);
          } else if (i % 3 == 1 && mix % 5 < 2) {
            x[i] = sign * std::numeric_limits<T>::infinity();
          } else {
            x[i] = sign * T(0);
          }
        }
        const Outcome<T> out = call(t, c, x);
        const std::uint64_t hash = hash_of(out.result.data(), c.count * sizeof(T));
        CHECK(t, same_everywhere(hash, MPI_COMM_WORLD), "other bits on other ranks");
      }
}

// Programs flush denormals or round otherwise (-ffast-math does the former); here only some ranks do, which is worse.
template <class T>
void odd_arithmetic(Test& t, Random& random) {
#if defined(__SSE2__)
  const unsigned standard = _mm_getcsr();
  for (const unsigned mode : {0x8040U, 0x4000U, 0x2000U, 0x6000U})  // flush and treat as zero; up; down; to zero
    for (const auto field : {Kind::normal, Kind::denormal, Kind::special, Kind::huge_range})
      for (const bool relative : {false, true}) {
        Case c;
        c.field = field;
        c.op = random.pick(reductions);
        c.algorithm = random.pick(algorithms);
        c.count = 1500;
        c.bound = {relative ? LACONIC_BOUND_REL : LACONIC_BOUND_ABS, 1e-3};
        c.threads = 1 + static_cast<int>(random.below(2));
        t.doing(text("arithmetic mode %#x on odd ranks: ", mode) + describe(c, sizeof(T) == 4 ? "float" : "double"));
        t.count_case();
        const Truth<T> truth(c, 5, t.size());
        if (t.rank() % 2 == 1) _mm_setcsr(standard | mode);
        const unsigned asked = _mm_getcsr();
        const Outcome<T> out = call(t, c, truth.inputs[static_cast<std::size_t>(t.rank())]);
        const unsigned left = _mm_getcsr();
        _mm_setcsr(standard);
        CHECK(t, (asked & ~0x3fU) == (left & ~0x3fU), "the mode was %#x, is %#x", asked, left);
        check_same(t, c, truth, out);
        if (out.stats.plain_calls == 0) check_values(t, c, truth, out);
      }
#else
  (void)t, (void)random;
#endif
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "allreduce_property");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (t.rank() == 0)
    std::printf("allreduce_property: the real fields are %s\n",
                laconic::test::have_real_fields() ? "there" : "not unpacked, waves instead");
  Random random(t.seed());
  fixed_core(t, random);
  hostile_core(t, random);
  same_bits_whatever_the_way(t, random);
  special_bits<float>(t);
  special_bits<double>(t);
  odd_arithmetic<float>(t, random);
  odd_arithmetic<double>(t, random);
  const long long cases = environment_number("TEST_CASES", 300 - 20 * t.size());
  for (long long k = 0; k < cases; ++k) {
    const Case c = random_case(t, random);
    run_case(t, c, random.below(2) == 1, t.seed() * 100000 + static_cast<std::uint64_t>(k));
  }
  return t.finish();
}
