#include "engine/coding_job.hpp"

#include <cstring>

#include "base/clock.hpp"
#include "base/combine.hpp"
#include "base/dtype.hpp"

namespace laconic {

void CodingJob::run() noexcept {
  const double begin = now();
  seconds_combined = 0;
  switch (act) {
    case Act::encode: coded = codec->encode(numbers, count, last ? codings->last : codings->earlier, out); break;
    case Act::fold: coded = codec->fold(arrived, numbers, count, codings->earlier, out); break;
    case Act::add: coded = codec->add(arrived, current, count, codings->earlier, out); break;
    case Act::merge: coded = {merge(), 0}; break;
    case Act::unpack: coded = {codec->decode(current, result, count, codings->between), 0}; break;
    case Act::decode: coded = {codec->decode(current, result, count, codings->result), 0}; break;
    case Act::copy:
      copy();
      coded = {};
      break;
    case Act::send:
    case Act::take:
    case Act::drop:
    case Act::forget: break;
  }
  seconds = now() - begin;
}

Status CodingJob::merge() {
  const Coding& between = codings->between;
  // The one operand is decoded to where the sum will be, unless the other is there.
  const bool separate = from == Home::none || numbers == result;
  std::byte* decoded = separate ? scratch.data() : result;
  if (Status s = codec->decode(arrived, decoded, count, between); !s) return s;
  if (from == Home::none)
    if (Status s = codec->decode(current, result, count, between); !s) return s;
  const double begin = now();
  const std::byte* other = separate ? scratch.data() : numbers;
  dispatch(AllTypes{}, between.dtype, [&](auto zero) {
    using T = decltype(zero);
    combine(between.op, reinterpret_cast<T*>(result), reinterpret_cast<const T*>(other), count);
  });
  seconds_combined = now() - begin;
  return {};
}

void CodingJob::copy() const {
  const Coding& coding = codings->result;
  if (result != numbers && count > 0) std::memmove(result, numbers, count * size_of(coding.dtype));
  if (coding.divisor == 1) return;
  dispatch(AllTypes{}, coding.dtype, [&](auto zero) {
    using T = decltype(zero);
    auto* x = reinterpret_cast<T*>(result);
    for (std::size_t i = 0; i < count; ++i) x[i] = divide(x[i], coding.divisor);
  });
}

}  // namespace laconic
