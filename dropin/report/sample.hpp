// SPDX-License-Identifier: BSD-3-Clause
// Samples of the contents that calls carry: what kind of numbers they are, and their size under a few bounds.
#pragma once

#include <laconic/laconic.h>
#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iosfwd>

#include "core/datatypes.hpp"

namespace laconic::dropin {

// The bounds under which a sample is compressed, the loosest first: for advice all, for a profile some of them.
inline constexpr std::array<const char*, 9> sample_bounds{"rel:1e-2", "rel:1e-3", "rel:1e-4", "rel:1e-5", "rel:1e-6",
                                                          "rel:1e-7", "rel:1e-8", "rel:1e-9", "lossless"};
inline constexpr std::array<std::size_t, 4> profile_bounds{1, 4, 7, 8};
inline constexpr std::size_t usual_bound = 4;  // that is suggested without a goal: docs/drop-in.md says why
inline constexpr std::size_t lossless_bound = sample_bounds.size() - 1;
template <class T>
using ByBound = std::array<T, sample_bounds.size()>;

// Items of a datatype in memory.
struct Items {
  const void* buffer = nullptr;
  MPI_Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

// What the contents look like. Bytes may look like doubles or floats; of declared numbers, some are whole, and some are
// other data, which read as numbers are mostly denormal.
enum class Looks : std::uint8_t { unknown, zeros, numbers, integers, no_numbers, doubles, floats };
const char* text_of(Looks looks);
const char* key_of(Looks looks);

bool can_be_sampled(Content content);
bool holds_numbers(Content content);  // floating-point numbers

// Whether most of the numbers other than 0 are smaller than the bound, by a sample: they may all become 0. `absolute`:
// the bound as an absolute error, except of a bound on each block.
bool exceeds_most(const Items& items, Content content, const laconic_bound& bound, double absolute);

// Whether all words have exponents that numbers of programs have, or are 0, and doubles are no pairs of floats. For
// bytes that are said to be numbers.
bool all_plausible(const void* words, std::size_t bytes, bool single);

struct Sample {
  std::uint64_t taken = 0;
  std::uint64_t numbers = 0;    // of them:
  std::uint64_t zeros = 0;      // or missing: infinities and the NaN of arithmetic
  std::uint64_t integers = 0;   // other than 0
  std::uint64_t special = 0;    // denormal numbers and NaN with a payload
  std::uint64_t as_double = 0;  // of bytes: words that are plausible as these numbers
  std::uint64_t as_float = 0;
  std::uint64_t bytes = 0;  // that were compressed, and their sizes
  ByBound<std::uint64_t> compressed{};
  // For moved numbers: the bytes that range:R takes with the usual bound, the number of blocks of 512 numbers, and how
  // many of them have less than a tenth of the range of the call.
  std::uint64_t by_range = 0;
  std::uint64_t blocks = 0;
  std::uint64_t narrow_blocks = 0;
  // For advice, the errors of a result as shares of the range of the sample, and the time of coding. A sum is as wrong
  // as all its terms together: in the worst case by the sum of their errors, on average by the root of their squares.
  ByBound<double> worst{};
  ByBound<double> squares{};  // the sum over the numbers
  ByBound<double> coding{};   // seconds of encoding and decoding all bytes
  std::uint64_t decoded = 0;  // numbers that have an error

  // A sample of pieces of the items, at most 64 KiB. Data on a device are not touched. `terms`: contributions that are
  // added up, among which a bound is divided. `for_advice`: under all bounds, with errors and times.
  static Sample of(const Items& items, Content content, int terms, bool for_advice);

  // Calls 1, 2, 4, 8, ... of a kind are sampled, 16 of them at most, where there is time. The first is in any case.
  bool is_due(std::uint64_t calls) const { return taken < 16 && calls + 1 >= (std::uint64_t{1} << taken); }

  Looks looks() const;
  // The compression ratio with a bound of sample_bounds; 0 if nothing was compressed.
  double ratio(std::size_t bound) const;
  // The ratio with range:R for the usual bound; 0 where it is that of rel:R.
  double ratio_by_range() const {
    return by_range > 0 ? static_cast<double>(bytes) / static_cast<double>(by_range) : 0;
  }
  // For advice: the seconds of encoding and decoding a byte.
  double coding_per_byte(std::size_t bound) const { return bytes > 0 ? coding[bound] / static_cast<double>(bytes) : 0; }
  Sample& operator+=(const Sample& other);
};

void write(std::ostream& out, const Sample& sample);
bool read(std::istream& in, Sample& sample);

// Takes the time of samples in this process, of which a profile spends at most 0.3 % of the time since the library was
// loaded, advice 5 %, and 3 ms, beside the first samples of each kind of calls.
class SampleTime {
 public:
  SampleTime(bool first, bool for_advice);
  ~SampleTime();
  SampleTime(const SampleTime&) = delete;
  SampleTime& operator=(const SampleTime&) = delete;
  bool allowed() const { return allowed_; }  // false if no time is left
  static double seconds();                   // spent so far
  static double since_loaded();              // in seconds

 private:
  std::int64_t begin_;
  bool allowed_;
};

}  // namespace laconic::dropin
