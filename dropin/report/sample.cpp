// SPDX-License-Identifier: BSD-3-Clause
#include "report/sample.hpp"

#include <laconic/laconic.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <istream>
#include <limits>
#include <ostream>
#include <type_traits>
#include <vector>

#include "core/no_traps.hpp"

namespace laconic::dropin {
namespace {

// A piece is a block of the codecs, so that a sample of pieces has the ratio of the whole. Pieces are spread over the
// data, because the relative bound of a sum refers to the range of all of it.
constexpr std::size_t piece = 1024;  // numbers
constexpr std::size_t pieces = 8;
constexpr std::size_t most_packed = std::size_t{1} << 20;  // bytes of a derived type that are packed for a sample
constexpr double mostly = 0.9;

template <class T>
T number_at(const std::byte* data, std::size_t k) {
  T x;
  std::memcpy(&x, data + k * sizeof(T), sizeof x);
  return x;
}

// The pieces of numbers of `width` bytes, one after another. Each sample takes others.
void take_pieces(const std::byte* data, std::size_t bytes, std::size_t width, std::vector<std::byte>& out) {
  static std::atomic<std::size_t> turn{0};
  const std::size_t numbers = bytes / width;
  if (numbers <= pieces * piece) {
    out.insert(out.end(), data, data + numbers * width);
    return;
  }
  const std::size_t stretch = numbers / pieces;
  const std::size_t offset = turn.fetch_add(1, std::memory_order_relaxed) * 7919 * piece % (stretch - piece + 1);
  for (std::size_t k = 0; k < pieces; ++k) {
    const std::byte* begin = data + (k * stretch + offset) * width;
    out.insert(out.end(), begin, begin + piece * width);
  }
}

// Pieces of the items as contiguous memory of the drop-in; empty where they cannot be had.
void take(const Items& items, std::size_t width, std::vector<std::byte>& out) {
  out.clear();
  if (on_device(items.buffer)) return;
  MPI_Count each = 0;
  if (PMPI_Type_size_x(items.type, &each) != MPI_SUCCESS || each <= 0) return;
  const Layout layout = layout_of(items.type);
  const auto* data = static_cast<const std::byte*>(items.buffer);
  const auto size = static_cast<std::size_t>(each);
  if (layout.known() ? layout.in_a_row : is_plain_memory(items.buffer, items.type))
    return take_pieces(data, static_cast<std::size_t>(items.count) * size, width, out);
  if (!layout.known() || size > most_packed) return;
  const MPI_Count few =
      std::min(items.count, std::max<MPI_Count>(1, static_cast<MPI_Count>(pieces * piece * width / size)));
  thread_local std::vector<std::byte> packed;
  packed.resize(static_cast<std::size_t>(few) * size);
  if (pack(data, few, items.type, layout, packed.data()) == MPI_SUCCESS)
    take_pieces(packed.data(), packed.size(), width, out);
}

// Infinities and the NaN of arithmetic mark missing data in fields; NaN with a payload are other data.
template <class T>
bool is_missing(T x) {
  using Bits = std::conditional_t<sizeof(T) == sizeof(float), std::uint32_t, std::uint64_t>;
  const auto bits = [](T number) { return std::bit_cast<Bits>(std::fabs(number)); };
  return std::isinf(x) || bits(x) == bits(std::numeric_limits<T>::quiet_NaN());
}

template <class T>
void classify(const std::vector<std::byte>& data, Sample& sample) {
  const std::size_t count = data.size() / sizeof(T);
  sample.numbers += count;
  for (std::size_t k = 0; k < count; ++k) {
    const T x = number_at<T>(data.data(), k);
    if (x == 0 || is_missing(x))
      ++sample.zeros;
    else if (!std::isnormal(x))
      ++sample.special;
    else if (x == std::trunc(x))
      ++sample.integers;
  }
}

// Words whose exponent is one that numbers of programs have. Of random words one in five is such a double, and one in
// three such a float; text and small integers are none.
template <class T>
std::uint64_t plausible(const std::vector<std::byte>& data, double magnitude) {
  std::uint64_t found = 0;
  for (std::size_t k = 0; k < data.size() / sizeof(T); ++k) {
    const double x = std::fabs(static_cast<double>(number_at<T>(data.data(), k)));
    found += x == 0 || (x > 1 / magnitude && x < magnitude) ? 1 : 0;
  }
  return found;
}

// Two floats in the memory of a double have a plausible exponent, too. But the lower half of a double is as good as
// random: less than a third of such halves are plausible floats. Words whose lower halves are all 0 may be either.
bool fill_doubles(const std::byte* data, std::size_t bytes) {
  std::size_t halves = 0;
  std::size_t floats = 0;
  std::size_t words = 0;
  for (std::size_t k = 0; k < bytes / sizeof(std::uint64_t); ++k) {
    const auto word = number_at<std::uint64_t>(data, k);
    const auto exponent = static_cast<std::uint32_t>(word >> 23 & 0xff);
    words += word != 0 ? 1 : 0;
    halves += (word & 0xffffffff) != 0 ? 1 : 0;
    floats += (word & 0xffffffff) != 0 && exponent > 127 - 40 && exponent < 127 + 40 ? 1 : 0;
  }
  return words == 0 || 5 * floats < 3 * halves;
}

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Nanoseconds that this thread has computed.  Where ranks share cores, the wall clock would add the time slices of
// other ranks to a few microseconds of coding.
std::int64_t computed() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

// Adds the errors of decoded numbers.
template <class T>
void compare(const std::vector<std::byte>& data, const std::vector<std::byte>& decoded, int terms, std::size_t b,
             Sample& sample) {
  const std::size_t count = data.size() / sizeof(T);
  double least = INFINITY;
  double most = -INFINITY;
  double worst = 0;
  double squares = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const auto x = static_cast<double>(number_at<T>(data.data(), k));
    if (!std::isfinite(x)) continue;
    least = std::min(least, x);
    most = std::max(most, x);
    const double error = std::fabs(static_cast<double>(number_at<T>(decoded.data(), k)) - x);
    worst = std::max(worst, error);
    squares += error * error;
  }
  const double range = most - least;
  if (!(range > 0) || !std::isfinite(range)) return;  // numbers without a range are exact
  sample.worst[b] = terms * worst / range;
  sample.squares[b] = terms * squares / range / range;
}

// How a sample is coded.
struct SampleCoding {
  bool single;      // float32, or float64
  int terms;        // Sample::of()
  bool for_advice;  // the same
};

bool compress_with(std::size_t b, const std::vector<std::byte>& data, const SampleCoding& coding, Sample& sample) {
  const MPI_Datatype type = coding.single ? MPI_FLOAT : MPI_DOUBLE;
  const auto count = static_cast<MPI_Count>(data.size() / (coding.single ? sizeof(float) : sizeof(double)));
  thread_local std::vector<std::byte> room;
  thread_local std::vector<std::byte> decoded;
  laconic_options options;
  laconic_options_init(&options);
  laconic_options_set(&options, "bound", sample_bounds[b]);
  if (options.bound.mode == LACONIC_BOUND_REL) options.bound.value /= coding.terms;
  if (coding.terms == 1) {  // it only moves: Communicator::bound_of()
    options.denormals = LACONIC_DENORMALS_EXACT;
    if (options.bound.mode == LACONIC_BOUND_REL) options.bound.mode = LACONIC_BOUND_BLOCK;
  }
  const std::size_t most = laconic_max_compressed_size(count, type, &options);
  if (room.size() < most) room.resize(most);
  if (coding.for_advice && decoded.size() < data.size()) decoded.resize(data.size());
  std::size_t bytes = 0;
  const std::int64_t begin = computed();
  if (laconic_compress(data.data(), count, type, room.data(), room.size(), &bytes, &options) != MPI_SUCCESS)
    return false;
  sample.compressed[b] = std::min<std::uint64_t>(bytes, data.size());  // what would not be shorter is sent as it is
  if (!coding.for_advice) return true;
  if (laconic_decompress(room.data(), bytes, decoded.data(), count, type) != MPI_SUCCESS) return false;
  sample.coding[b] = static_cast<double>(computed() - begin) * 1e-9;
  coding.single ? compare<float>(data, decoded, coding.terms, b, sample)
                : compare<double>(data, decoded, coding.terms, b, sample);
  return true;
}

// The range of numbers without the one whose absence makes it smallest, as the bound block:R has it.
double range_of_block(const double* x, std::size_t n) {
  std::array<double, 2> least{INFINITY, INFINITY};
  std::array<double, 2> most{INFINITY, INFINITY};  // of the negative numbers
  const auto add = [](std::array<double, 2>& two, double v) {
    two[1] = std::min(two[1], std::max(two[0], v));
    two[0] = std::min(two[0], v);
  };
  for (std::size_t k = 0; k < n; ++k) add(least, x[k]), add(most, -x[k]);
  return std::max(0.0, std::min(-most[0] - least[1], -most[1] - least[0]));
}

// Calls f(finite numbers, how many) for every block of 512 numbers, as the codecs bound them.
template <class T, class F>
void each_bounded_block(const std::vector<std::byte>& data, F&& f) {
  constexpr std::size_t block = 512;
  std::array<double, block> x{};
  const std::size_t count = data.size() / sizeof(T);
  for (std::size_t begin = 0; begin < count; begin += block) {
    std::size_t n = 0;
    for (std::size_t k = begin; k < std::min(begin + block, count); ++k) {
      const auto v = static_cast<double>(number_at<T>(data.data(), k));
      if (std::isfinite(v)) x[n++] = v;
    }
    f(x.data(), n);
  }
}

// Compresses moved numbers with range:R, and counts the blocks whose range is small.
template <class T>
void compress_by_range(const std::vector<std::byte>& data, Sample& sample) {
  std::vector<double> ranges;
  double least = INFINITY;
  double most = -INFINITY;
  each_bounded_block<T>(data, [&](const double* x, std::size_t n) {
    ranges.push_back(range_of_block(x, n));
    for (std::size_t k = 0; k < n; ++k) least = std::min(least, x[k]), most = std::max(most, x[k]);
  });
  sample.blocks = ranges.size();
  sample.narrow_blocks = static_cast<std::uint64_t>(
      std::count_if(ranges.begin(), ranges.end(), [&](double range) { return 10 * range < most - least; }));
  const MPI_Datatype type = sizeof(T) == sizeof(float) ? MPI_FLOAT : MPI_DOUBLE;
  const auto count = static_cast<MPI_Count>(data.size() / sizeof(T));
  laconic_options options;
  laconic_options_init(&options);
  laconic_options_set(&options, "bound", sample_bounds[usual_bound]);
  options.denormals = LACONIC_DENORMALS_EXACT;
  std::vector<std::byte> room(laconic_max_compressed_size(count, type, &options));
  std::size_t bytes = 0;
  if (laconic_compress(data.data(), count, type, room.data(), room.size(), &bytes, &options) == MPI_SUCCESS)
    sample.by_range = std::min<std::uint64_t>(bytes, data.size());
}

void compress(const std::vector<std::byte>& data, const SampleCoding& coding, Sample& sample) {
  Sample coded;
  if (coding.terms == 1) coding.single ? compress_by_range<float>(data, coded) : compress_by_range<double>(data, coded);
  for (std::size_t b = 0; b < sample_bounds.size(); ++b) {
    const bool wanted =
        coding.for_advice || std::find(profile_bounds.begin(), profile_bounds.end(), b) != profile_bounds.end();
    if (wanted && !compress_with(b, data, coding, coded)) return;
  }
  coded.bytes = data.size();
  if (coding.for_advice) coded.decoded = data.size() / (coding.single ? sizeof(float) : sizeof(double));
  sample += coded;
}

template <class T>
bool exceeds_most(const std::vector<std::byte>& data, const laconic_bound& bound, double absolute) {
  std::size_t smaller = 0;
  std::size_t all = 0;
  each_bounded_block<T>(data, [&](const double* x, std::size_t n) {
    const double error = bound.mode == LACONIC_BOUND_BLOCK ? bound.value * range_of_block(x, n) : absolute;
    for (std::size_t k = 0; k < n; ++k) {
      all += x[k] != 0 ? 1 : 0;
      smaller += x[k] != 0 && std::fabs(x[k]) < error ? 1 : 0;
    }
  });
  return 2 * smaller > all;
}

void look_at_bytes(const std::vector<std::byte>& data, bool for_advice, Sample& sample) {
  const std::size_t words = data.size() / sizeof(double);
  if (words == 0) return;
  sample.numbers = words;
  for (std::size_t k = 0; k < words; ++k) sample.zeros += number_at<std::uint64_t>(data.data(), k) == 0 ? 1 : 0;
  sample.as_double = fill_doubles(data.data(), data.size()) ? plausible<double>(data, 0x1p200) : 0;
  sample.as_float = plausible<float>(data, 0x1p40) / 2;
  const auto enough = static_cast<std::uint64_t>(mostly * static_cast<double>(words));
  if (sample.as_double >= enough)
    compress(data, {false, 1, for_advice}, sample);
  else if (sample.as_float >= enough)
    compress(data, {true, 1, for_advice}, sample);
  else
    sample.special = words;
}

const std::int64_t loaded = now();
std::atomic<std::int64_t> spent{0};

struct Words {
  const char* key;
  const char* text;
};
constexpr std::array<Words, 7> words{{{"unknown", "not sampled"},
                                      {"zeros", "zeros"},
                                      {"numbers", "numbers"},
                                      {"integers", "whole numbers"},
                                      {"no_numbers", "other data"},
                                      {"doubles", "like doubles"},
                                      {"floats", "like floats"}}};

}  // namespace

const char* text_of(Looks looks) { return words[static_cast<std::size_t>(looks)].text; }
const char* key_of(Looks looks) { return words[static_cast<std::size_t>(looks)].key; }

bool holds_numbers(Content content) {
  return can_be_sampled(content) && content != Content::byte && content != Content::packed;
}

bool exceeds_most(const Items& items, Content content, const laconic_bound& bound, double absolute) {
  if (bound.mode == LACONIC_BOUND_LOSSLESS) return false;
  const NoTraps traps;
  const bool single = content == Content::single || content == Content::complex_single;
  thread_local std::vector<std::byte> data;
  take(items, single ? sizeof(float) : sizeof(double), data);
  return single ? exceeds_most<float>(data, bound, absolute) : exceeds_most<double>(data, bound, absolute);
}

bool all_plausible(const void* words, std::size_t bytes, bool single) {
  if (!single && !fill_doubles(static_cast<const std::byte*>(words), bytes)) return false;
  const auto* data = static_cast<const std::byte*>(words);
  const auto all = [&]<class Bits>(Bits, int mantissa, Bits least, Bits most) {
    bool good = true;
    for (std::size_t k = 0; k < bytes / sizeof(Bits); ++k) {
      const Bits magnitude = number_at<Bits>(data, k) << 1;
      const Bits exponent = magnitude >> (mantissa + 1);
      good = good && (magnitude == 0 || (exponent > least && exponent < most));
    }
    return good;
  };
  return single ? all(std::uint32_t{}, 23, std::uint32_t{127 - 40}, std::uint32_t{127 + 40})
                : all(std::uint64_t{}, 52, std::uint64_t{1023 - 200}, std::uint64_t{1023 + 200});
}

bool can_be_sampled(Content content) { return content != Content::other && content != Content::integer; }

Sample Sample::of(const Items& items, Content content, int terms, bool for_advice) {
  const NoTraps traps;
  Sample sample;
  sample.taken = 1;  // also where nothing can be seen, so that it is not tried again at every call
  const bool single = content == Content::single || content == Content::complex_single;
  thread_local std::vector<std::byte> data;
  take(items, single ? sizeof(float) : sizeof(double), data);
  if (data.empty()) return sample;
  if (content == Content::byte || content == Content::packed) {
    look_at_bytes(data, for_advice, sample);
    return sample;
  }
  single ? classify<float>(data, sample) : classify<double>(data, sample);
  compress(data, {single, terms, for_advice}, sample);
  return sample;
}

Looks Sample::looks() const {
  if (numbers == 0) return Looks::unknown;
  const auto are = [](std::uint64_t some, std::uint64_t all) {
    return static_cast<double>(some) >= mostly * static_cast<double>(all);
  };
  if (zeros == numbers) return Looks::zeros;
  if (as_double > 0 || as_float > 0)
    return are(as_double, numbers) ? Looks::doubles : are(as_float, numbers) ? Looks::floats : Looks::no_numbers;
  if (2 * special > numbers - zeros) return Looks::no_numbers;
  return are(integers, numbers - zeros) ? Looks::integers : Looks::numbers;
}

double Sample::ratio(std::size_t bound) const {
  return compressed[bound] > 0 ? static_cast<double>(bytes) / static_cast<double>(compressed[bound]) : 0;
}

Sample& Sample::operator+=(const Sample& other) {
  taken += other.taken;
  numbers += other.numbers;
  zeros += other.zeros;
  integers += other.integers;
  special += other.special;
  as_double += other.as_double;
  as_float += other.as_float;
  bytes += other.bytes;
  decoded += other.decoded;
  by_range += other.by_range;
  blocks += other.blocks;
  narrow_blocks += other.narrow_blocks;
  for (std::size_t b = 0; b < compressed.size(); ++b) {
    compressed[b] += other.compressed[b];
    worst[b] = std::max(worst[b], other.worst[b]);
    squares[b] += other.squares[b];
    coding[b] += other.coding[b];
  }
  return *this;
}

void write(std::ostream& out, const Sample& s) {
  out << s.taken << ' ' << s.numbers << ' ' << s.zeros << ' ' << s.integers << ' ' << s.special << ' ' << s.as_double
      << ' ' << s.as_float << ' ' << s.bytes << ' ' << s.decoded << ' ' << s.by_range << ' ' << s.blocks << ' '
      << s.narrow_blocks;
  for (const std::uint64_t bytes : s.compressed) out << ' ' << bytes;
  for (const ByBound<double>* numbers : {&s.worst, &s.squares, &s.coding})
    for (const double number : *numbers) out << ' ' << number;
}

bool read(std::istream& in, Sample& s) {
  in >> s.taken >> s.numbers >> s.zeros >> s.integers >> s.special >> s.as_double >> s.as_float >> s.bytes >>
      s.decoded >> s.by_range >> s.blocks >> s.narrow_blocks;
  for (std::uint64_t& bytes : s.compressed) in >> bytes;
  for (ByBound<double>* numbers : {&s.worst, &s.squares, &s.coding})
    for (double& number : *numbers) in >> number;
  return static_cast<bool>(in);
}

SampleTime::SampleTime(bool first, bool for_advice)
    : begin_(now()),
      allowed_(first ||
               spent.load(std::memory_order_relaxed) < 3'000'000 + (begin_ - loaded) / 1000 * (for_advice ? 50 : 3)) {}

SampleTime::~SampleTime() {
  if (allowed_) spent.fetch_add(now() - begin_, std::memory_order_relaxed);
}

double SampleTime::seconds() { return static_cast<double>(spent.load(std::memory_order_relaxed)) * 1e-9; }
double SampleTime::since_loaded() { return static_cast<double>(now() - loaded) * 1e-9; }

}  // namespace laconic::dropin
