// SPDX-License-Identifier: BSD-3-Clause
#include "trial.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <sstream>

#include "allocations.hpp"
#include "base/op.hpp"
#include "codec/dense/kernels.hpp"
#include "codec/quant/kernels.hpp"
#include "exact_error.hpp"
#include "support/exact.hpp"
#include "support/lattice.hpp"
#include "wire/frame.hpp"

namespace laconic::sweep {
namespace {

using test::bits_of;

// Memory that is reused for one output after another, with known bytes on both sides.
class Room {
 public:
  Blob open(std::size_t size) {
    if (memory_.size() < size + 2 * margin) memory_.resize(size + 2 * margin);
    size_ = size;
    std::fill_n(memory_.begin(), margin, pattern);
    std::fill_n(memory_.begin() + static_cast<std::ptrdiff_t>(margin + size), margin, pattern);
    return Blob(memory_).subspan(margin, size);
  }
  bool intact() const {
    const auto clean = [](std::byte b) { return b == pattern; };
    const auto behind = memory_.begin() + static_cast<std::ptrdiff_t>(margin + size_);
    return std::all_of(memory_.begin(), memory_.begin() + margin, clean) && std::all_of(behind, behind + margin, clean);
  }
  Frame content(std::size_t size) const { return Frame(memory_).subspan(margin, std::min(size, size_)); }
  template <class T>
  std::span<const T> numbers() const {
    return {reinterpret_cast<const T*>(memory_.data() + margin), size_ / sizeof(T)};
  }

 private:
  static constexpr std::ptrdiff_t margin = 128;
  static constexpr std::byte pattern{0xa5};
  std::vector<std::byte> memory_;
  std::size_t size_ = 0;
};

// The outputs of one member, reused from one trial to the next, because those for a million numbers are large.
struct Rooms {
  Room x, y, folded, sum, back, sum_back, fold_back, wide, again;
};

bool same(Frame a, Frame b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

double error_of(Frame frame) {
  wire::Header header;
  return wire::read_header(frame, header).ok() ? header.error : std::numeric_limits<double>::quiet_NaN();
}

template <class T>
class Trial {
 public:
  Trial(const Family& family, const Family::Member& member, std::span<const T> x, std::span<const T> y,
        const Coding& coding, Tally& tally)
      : family_(family), member_(member), codec_(*member.codec), x_(x), y_(y), coding_(coding), tally_(tally) {}

  // Runs every function; the frame of one that fails, or that is not reached, is empty.
  void run(Rooms& r) {
    fx = code(
        r.x, "encode", [&](Blob out) { return codec_.encode(x_.data(), x_.size(), coding_, out); }, true);
    fy = code(
        r.y, "encode", [&](Blob out) { return codec_.encode(y_.data(), y_.size(), coding_, out); }, true);
    if (fx.empty() || fy.empty()) return;
    folded = code(r.folded, "fold", [&](Blob out) { return codec_.fold(fx, y_.data(), y_.size(), coding_, out); });
    sum = code(r.sum, "add", [&](Blob out) { return codec_.add(fx, fy, x_.size(), coding_, out); });
    back = decode(r.back, fx);
    if (!sum.empty()) sum_back = decode(r.sum_back, sum);
  }

  // Checks everything that needs no other implementation.
  void check(Rooms& r, bool told) {
    if (fx.empty() || fy.empty() || folded.empty() || sum.empty()) return;
    tally_.bytes += x_.size_bytes();
    tally_.frame_bytes += fx.size();
    const double error = error_of(fx);
    far_from_ = greatest_of_32_bits();
    if (!(error <= coding_.allowance)) fault(tally_.failed, "encode accounts for more than the allowance");
    if constexpr (is_rounded<T>) {
      measure(error, told || sizeof(T) == 8 || !codec_.exact_sums());
      check_sum(sum, sum_back, "add");
      check_sum(folded, decode(r.fold_back, folded), "fold");
      check_integers(r);
    } else {
      check_bits();
    }
  }

  // Checks that this implementation gives the same results as that of `other`.
  void compare(const Trial& other) {
    const auto differs = [&](bool equal, const char* what) {
      if (!equal) fault(tally_.differing, std::string(what) + " differs from " + other.member_.isa);
    };
    differs(same(fx, other.fx) && same(fy, other.fy), "encode");
    differs(same(folded, other.folded), "fold");
    differs(same(sum, other.sum), "add");
    differs(same(std::as_bytes(back), std::as_bytes(other.back)) &&
                same(std::as_bytes(sum_back), std::as_bytes(other.sum_back)),
            "decode");
  }

 private:
  Frame fx, fy, folded, sum;
  std::span<const T> back, sum_back;

  void fault(std::uint64_t& counter, const std::string& what, std::size_t at = ~std::size_t{0}) {
    ++counter;
    if (!tally_.first.empty()) return;
    std::ostringstream s;
    s.precision(17);
    s << family_.name << " " << member_.isa << ": " << what << "; " << x_.size() << " numbers, op "
      << static_cast<int>(coding_.op) << ", terms " << coding_.terms << ", allowance " << coding_.allowance;
    if (at < x_.size()) s << ", number " << at << ": " << double(x_[at]) << " and " << double(y_[at]);
    tally_.first = s.str();
  }

  template <class F>
  Frame code(Room& room, const char* what, F&& call, bool encodes = false) {
    const bool moved = encodes && coding_.terms <= 1;
    const std::size_t capacity =
        moved ? codec_.moved_capacity(x_.size(), coding_.dtype) : codec_.capacity(x_.size(), coding_.dtype);
    const Blob out = room.open(capacity);
    const long before = count_allocations(true);
    const Coded coded = call(out);
    if (count_allocations(false) != before) fault(tally_.allocating, std::string(what) + " allocates");
    if (!room.intact() || coded.bytes > capacity) fault(tally_.outside, std::string(what) + " leaves its output");
    if (coded.status.ok() && coded.bytes >= wire::header_bytes) return room.content(coded.bytes);
    fault(tally_.failed, std::string(what) + " fails: " + std::string(coded.status.message()));
    return {};
  }

  std::span<const T> decode(Room& room, Frame frame) {
    const Blob out = room.open(x_.size_bytes());
    const long before = count_allocations(true);
    const Status status = codec_.decode(frame, out.data(), x_.size(), coding_);
    if (count_allocations(false) != before) fault(tally_.allocating, "decode allocates");
    if (!room.intact()) fault(tally_.outside, "decode leaves its output");
    if (!status.ok()) fault(tally_.failed, "decode fails: " + std::string(status.message()));
    return room.numbers<T>();
  }

  void check_bits() {
    tally_.numbers += x_.size();
    for (std::size_t i = 0; i < x_.size(); ++i) {
      if (bits_of(back[i]) != bits_of(x_[i])) fault(tally_.beyond, "bits do not come back", i);
      const T expected = combine(coding_.op, x_[i], y_[i]);
      if (bits_of(sum_back[i]) != bits_of(expected)) fault(tally_.sums, "add is not that of the numbers", i);
    }
    if (!same(folded, sum)) fault(tally_.sums, "fold is not encode and add");
  }

  // The magnitude beyond which numbers have points of 64 bits; infinity where no number has one.
  double greatest_of_32_bits() const {
    wire::Header header;
    if (!codec_.exact_sums() || coding_.terms < 2 || !wire::read_header(fx, header).ok() || header.step == 0)
      return std::numeric_limits<double>::infinity();
    return greatest_point() * header.step;
  }
  // The greatest point of 32 bits that a contribution may have.
  double greatest_point() const {
    return std::floor(std::numeric_limits<std::int32_t>::max() / std::max(1.0, double(coding_.terms)));
  }

  void measure(double bound, bool strictly) {
    tally_.numbers += x_.size();
    double worst = 0;
    constexpr std::size_t run = 512;
    for (std::size_t begin = 0; begin < x_.size(); begin += run) {
      const std::size_t end = std::min(x_.size(), begin + run);
      bool all_near = true;
      double largest = 0;
      for (std::size_t i = begin; i < end; ++i) {
        const double off = std::fabs(static_cast<double>(x_[i]) - static_cast<double>(back[i]));
        all_near &= off < bound;  // false for NaN
        largest = off > largest ? off : largest;
      }
      if (!all_near) largest = look_closer(begin, end, bound, strictly);
      worst = std::max(worst, largest);
    }
    if (coding_.allowance > 0) tally_.worst = std::max(tally_.worst, worst / coding_.allowance);
  }

  double look_closer(std::size_t begin, std::size_t end, double bound, bool strictly) {
    double largest = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (bits_of(x_[i]) == bits_of(back[i])) continue;
      if (!std::isfinite(x_[i]) || !std::isfinite(back[i])) {
        fault(tally_.lost, "not finite before or after", i);
        continue;
      }
      const double from = x_[i];
      const double to = back[i];
      largest = std::max(largest, std::fabs(from - to));
      const bool exact = coding_.allowance > 0 || bits_of(x_[i]) == bits_of(back[i]);
      if (exact && !is_beyond(from, to, bound)) continue;
      ++tally_.strict;
      // A float64 number of a point of 64 bits has been rounded once (docs/error-model.md), also in one contribution.
      const bool far = sizeof(T) == 8 && std::fabs(to) > far_from_;
      if (strictly && !far) fault(tally_.strict_fault, "beyond the bound", i);
      const double rounding = sizeof(T) == 4 || far ? static_cast<double>(test::half_ulp(back[i])) : 0;
      if (!exact || is_beyond(from, to, bound, rounding)) fault(tally_.beyond, "beyond the bound and the rounding", i);
    }
    return largest;
  }

  // Checks sums as numbers: within the error that the frame states, plus the roundings of adding two numbers.
  void check_sum(Frame frame, std::span<const T> got, const char* what) {
    using Wide = std::conditional_t<sizeof(T) == 4, double, long double>;
    const Wide error = error_of(frame);
    const Wide allowance = coding_.allowance;
    constexpr Wide largest = std::numeric_limits<T>::max();
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const T plain = combine(coding_.op, x_[i], y_[i]);
      if (!std::isfinite(x_[i]) || !std::isfinite(y_[i])) {
        if (plain != plain ? got[i] == got[i] : std::isinf(plain) && got[i] != plain)
          fault(tally_.sums, std::string(what) + " loses what is not finite", i);
        if (!std::isinf(plain) && plain == plain) {  // a finite maximum or minimum of something infinite
          if (!(std::fabs(Wide(got[i]) - Wide(plain)) <= error + Wide(test::half_ulp(got[i]))))
            fault(tally_.sums, std::string(what) + " is too far off", i);
        }
        continue;
      }
      const Wide magnitude = std::fabs(Wide(x_[i])) + std::fabs(Wide(y_[i])) + 2 * allowance;
      if (!(magnitude < largest)) continue;  // may overflow, as plain sums do
      const Wide exact = coding_.op == Op::sum ? Wide(x_[i]) + Wide(y_[i]) : Wide(plain);
      const Wide roundings =
          2 * Wide(std::numeric_limits<T>::epsilon()) * magnitude + 2 * Wide(std::numeric_limits<T>::denorm_min());
      if (!(std::fabs(Wide(got[i]) - exact) <= error + roundings))
        fault(tally_.sums, std::string(what) + " is too far off", i);
    }
  }

  // Checks sums as integers, where both frames are on a lattice from the first number to the last. The frames of add()
  // and fold() must then equal, to the byte, the encoding of the sum's lattice points.
  void check_integers(Rooms& r) {
    wire::Header header;
    if (coding_.op != Op::sum || !wire::read_header(fx, header).ok() || header.step == 0) return;
    if (!lattice_points(r.wide, fx, header.step, p_) || !lattice_points(r.wide, fy, header.step, q_)) return;
    std::vector<double>& numbers = p_;
    for (std::size_t i = 0; i < p_.size(); ++i) {
      numbers[i] = (p_[i] + q_[i]) * header.step;
      if (bits_of(sum_back[i]) != bits_of(static_cast<T>(numbers[i])))
        fault(tally_.sums, "add is not the sum of integers", i);
    }
    Coding wide;
    wide.dtype = Dtype::f64;
    wide.allowance = test::allowance_of_step(codec_, header.step);
    const Blob out = r.again.open(codec_.capacity(numbers.size(), wide.dtype));
    const Coded coded = codec_.encode(numbers.data(), numbers.size(), wide, out);
    wire::Header again;
    const Frame expected = r.again.content(coded.bytes);
    if (!coded.status.ok() || !wire::read_header(expected, again).ok() || again.step != header.step) {
      fault(tally_.failed, "no allowance of float64 gives this step");
      return;
    }
    const Frame payload = expected.subspan(wire::header_bytes);
    if (!same(sum.subspan(wire::header_bytes), payload)) fault(tally_.sums, "add is not what its integers encode to");
    if (!same(folded, sum)) fault(tally_.sums, "fold is not encode and add");
    tally_.exact_sums += numbers.size();
  }

  // The lattice points in a frame. It is read as float64, in which q * step is exact; blocks of lattice points do not
  // depend on the type. Returns false if the frame holds anything else, so that it is no valid float64 frame or holds
  // other numbers.
  bool lattice_points(Room& room, Frame frame, double step, std::vector<double>& points) {
    copy_ = test::as_type(frame, Dtype::f64);
    Coding any;
    any.dtype = Dtype::f64;
    const Blob out = room.open(x_.size() * sizeof(double));
    if (!codec_.decode(copy_, out.data(), x_.size(), any).ok()) return false;
    const double most = greatest_point();
    points.resize(x_.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double number = room.numbers<double>()[i];
      points[i] = std::nearbyint(number / step);
      if (!(std::fabs(points[i]) <= most) || points[i] * step != number) return false;
    }
    return true;
  }

  const Family& family_;
  const Family::Member& member_;
  const Codec& codec_;
  std::span<const T> x_, y_;
  const Coding& coding_;
  Tally& tally_;
  double far_from_ = 0;
  std::vector<double> p_, q_;
  std::vector<std::byte> copy_;
};

}  // namespace

const std::vector<Family>& families() {
  static std::vector<std::unique_ptr<Codec>> owned;
  static const std::vector<Family> all = [] {
    std::vector<Family> made;
    for (const Codec* codec : all_codecs()) {
      Family family{std::string(codec->name()), {}};
      if (codec->name() == "quant") {
        for (const quant::Kernels* kernels : quant::available_kernels()) {
          owned.push_back(quant::make_codec(*kernels));
          family.members.push_back({std::string(kernels->name), owned.back().get()});
        }
      } else if (codec->name() == "dense") {
        for (const dense::Kernels* kernels : dense::available_kernels()) {
          owned.push_back(dense::make_codec(*kernels));
          family.members.push_back({std::string(kernels->name), owned.back().get()});
        }
      } else {
        family.members.push_back({"-", codec});
      }
      // Scratch memory that is made at the first use does not count as an allocation.
      std::vector<std::byte> out(codec->capacity(1, Dtype::f64));
      const double number = 1;
      Coding coding;
      coding.dtype = Dtype::f64;
      if (codec->encode(&number, 1, coding, out).status.ok()) made.push_back(std::move(family));
    }
    return made;
  }();
  return all;
}

Tally& Tally::operator+=(const Tally& other) {
  for (std::uint64_t Tally::*counter :
       {&Tally::numbers, &Tally::exact_sums, &Tally::strict, &Tally::beyond, &Tally::lost, &Tally::sums,
        &Tally::differing, &Tally::outside, &Tally::allocating, &Tally::failed, &Tally::strict_fault, &Tally::bytes,
        &Tally::frame_bytes})
    this->*counter += other.*counter;
  worst = std::max(worst, other.worst);
  if (first.empty()) first = other.first;
  return *this;
}

bool greatest_can_be_told() { return test::has_greatest<Coding>; }

template <class T>
void try_numbers(const Family& family, std::span<const T> x, std::span<const T> y, const Coding& coding, bool told,
                 std::vector<Tally>& tallies) {
  Coding mine = coding;
  mine.dtype = dtype_of<T>;
  told = told && is_rounded<T> && greatest_can_be_told();
  if (told) {
    double largest = 0;
    for (const std::span<const T> numbers : {x, y})
      for (const T v : numbers)
        if (const double size = std::fabs(static_cast<double>(v)); std::isfinite(size))
          largest = std::max(largest, size);
    test::tell_greatest(mine, largest);
  }
  static Rooms first_rooms, other_rooms;
  Tally found;
  Trial<T> first(family, family.members[0], x, y, mine, found);
  first.run(first_rooms);
  first.check(first_rooms, told);
  tallies[0] += found;
  for (std::size_t m = 1; m < family.members.size(); ++m) {
    Tally others;
    Trial<T> trial(family, family.members[m], x, y, mine, others);
    trial.run(other_rooms);
    trial.compare(first);
    // Equal bits mean equal errors, so these are computed once and hold for all members.
    if (others.faults() == 0) others = found;
    tallies[m] += others;
  }
}

#define LACONIC_INSTANTIATE(T)                                                                          \
  template void try_numbers(const Family&, std::span<const T>, std::span<const T>, const Coding&, bool, \
                            std::vector<Tally>&)
LACONIC_SWEEP_ALL_TYPES(LACONIC_INSTANTIATE);

}  // namespace laconic::sweep
