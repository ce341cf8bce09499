// SPDX-License-Identifier: BSD-3-Clause
#include "codec/dense/exact.hpp"

#include "base/combine.hpp"
#include "base/op.hpp"
#include "codec/dense/exact_segment.hpp"
#include "codec/dense/units.hpp"
#include "codec/quant/problem.hpp"

namespace laconic::dense::exact {
namespace {

// Reads the segments of a frame one after the other.
class Segments {
 public:
  Segments(const Kernels& k, Frame frame)
      : k_(k), at_(frame.data() + wire::header_bytes), end_(frame.data() + frame.size()) {}

  template <class T>
  Status next(std::size_t n, T* x) {
    SegmentParts parts;
    const std::byte* at = at_;
    if (Status s = find_parts(at, end_, 0, parts); !s) return s;
    if (parts.has_words || parts.exact) return quant::malformed("a lag out of range");
    return read_segment(k_, at_, end_, n, memory().read[0], memory().work, x);
  }
  Status finish() const { return at_ == end_ ? Status{} : quant::malformed("bytes behind the last segment"); }

 private:
  const Kernels& k_;
  const std::byte* at_;
  const std::byte* end_;
};

template <class T>
std::byte* write(const Kernels& k, const T* x, std::size_t n, std::byte* at) {
  return write_segment(k, x, n, memory().written, memory().work, at);
}

}  // namespace

std::size_t capacity(std::size_t count, std::size_t number_bytes) {
  const std::size_t whole = count / segment_values;
  return whole * largest_segment(segment_values, number_bytes) + largest_segment(count % segment_values, number_bytes) +
         slack;
}

template <class T>
Payload encode(const Kernels& k, const T* x, std::size_t count, Blob out) {
  std::byte* at = out.data() + wire::header_bytes;
  const Status status = each_segment(count, [&](std::size_t i, std::size_t n) -> Status {
    at = write(k, x + i, n, at);
    return {};
  });
  return {status, at, 0};
}

template <class T>
Payload fold(const Kernels& k, Frame frame, const T* x, std::size_t count, const Coding& coding, Blob out) {
  Segments segments(k, frame);
  T* const sum = memory().numbers.of<T>(0);
  std::byte* at = out.data() + wire::header_bytes;
  Status status = each_segment(count, [&](std::size_t i, std::size_t n) -> Status {
    if (Status s = segments.next(n, sum); !s) return s;
    combine(coding.op, sum, x + i, n);
    at = write(k, sum, n, at);
    return {};
  });
  if (status.ok()) status = segments.finish();
  return {status, at, 0};
}

template <class T>
Payload add(const Kernels& k, Frame a, Frame b, std::size_t count, const Coding& coding, Blob out) {
  Segments segments_a(k, a);
  Segments segments_b(k, b);
  T* const sum = memory().numbers.of<T>(0);
  T* const addend = memory().numbers.of<T>(1);
  std::byte* at = out.data() + wire::header_bytes;
  Status status = each_segment(count, [&](std::size_t, std::size_t n) -> Status {
    if (Status s = segments_a.next(n, sum); !s) return s;
    if (Status s = segments_b.next(n, addend); !s) return s;
    combine(coding.op, sum, addend, n);
    at = write(k, sum, n, at);
    return {};
  });
  if (status.ok()) status = segments_a.finish();
  if (status.ok()) status = segments_b.finish();
  return {status, at, 0};
}

template <class T>
Status decode(const Kernels& k, Frame frame, T* x, std::size_t count, const Coding& coding) {
  Segments segments(k, frame);
  const Status status = each_segment(count, [&](std::size_t i, std::size_t n) -> Status {
    if (Status s = segments.next(n, x + i); !s) return s;
    if (coding.divisor == 1) return {};
    for (T* y = x + i; y < x + i + n; ++y) *y = divide(*y, coding.divisor);
    return {};
  });
  return status.ok() ? segments.finish() : status;
}

#define LACONIC_EXACT(T)                                                                       \
  template Payload encode<T>(const Kernels&, const T*, std::size_t, Blob);                     \
  template Payload fold<T>(const Kernels&, Frame, const T*, std::size_t, const Coding&, Blob); \
  template Payload add<T>(const Kernels&, Frame, Frame, std::size_t, const Coding&, Blob);     \
  template Status decode<T>(const Kernels&, Frame, T*, std::size_t, const Coding&);
LACONIC_EACH_TYPE(LACONIC_EXACT)
#undef LACONIC_EXACT

}  // namespace laconic::dense::exact
