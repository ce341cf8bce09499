// SPDX-License-Identifier: BSD-3-Clause
// The coding steps on the host, and the parts that host and discrete device share.
#include "engine/coding_job.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/clock.hpp"
#include "base/combine.hpp"
#include "base/dtype.hpp"

namespace laconic {

void CodingJob::run() noexcept {
  const double begin = now();
  seconds_combined = 0;
  Coded coded{problem, 0};
  if (problem.ok()) {
    coded.status = check_frames();
    if (coded.status.ok()) coded = code();
    coded.status = about_frame(std::move(coded.status), read_frame());
  }
  status = std::move(coded.status);
  if (makes_frame(act)) {
    finish_frame(coded.bytes);
    if (seals()) sealing.seal(*out);
  }
  seconds = now() - begin;
}

const Coding& CodingJob::coding() const {
  switch (act) {
    case Act::encode: return last ? codings->final : codings->intermediate;
    case Act::merge:
    case Act::unpack: return codings->between;
    case Act::decode:
    case Act::copy: return codings->result;
    default: return last ? codings->completing : codings->intermediate;
  }
}

bool CodingJob::reads_current() const {
  return act == Act::add || act == Act::unpack || act == Act::decode || (act == Act::merge && from == Location::none);
}

// The seals of the operands are checked immediately before coding, so that the operands are in the caches when coded.
Status CodingJob::check_frames() {
  if (!sealing.on) return {};
  if (arrived != nullptr)
    if (Status s = sealing.check(*arrived); !s) return s;
  if (reads_current())
    if (Status s = sealing.check(*current); !s) return s;
  return check_contributions();
}

// Counts the contributions in the value that the job produces: on entry `contributions` counts those of the numbers.
Status CodingJob::check_contributions() {
  if (!sealing.on) return {};
  if (reads_current()) contributions = current->seal.contributions;
  if (arrived != nullptr) contributions += arrived->seal.contributions;
  for (const FrameSlot* slot : earlier) contributions += slot->seal.contributions;
  return sealing.check_contributions(contributions, act == Act::decode || act == Act::copy);
}

Coded CodingJob::code() {
  switch (act) {
    case Act::encode: return codec->encode(numbers, count, coding(), out->blob);
    case Act::fold: return codec->fold(arrived->frame(), numbers, count, coding(), out->blob);
    case Act::add: return codec->add(arrived->frame(), current->frame(), count, coding(), out->blob);
    case Act::merge: return {merge(), 0};
    case Act::unpack:
    case Act::decode: return {codec->decode(current->frame(), result, count, coding()), 0};
    case Act::copy: copy(); break;
    case Act::send:
    case Act::take:
    case Act::drop:
    case Act::forget: break;
  }
  return {};
}

Status CodingJob::merge() {
  // One operand is decoded straight into the result, unless the other operand is there already.
  const bool separate = from == Location::none || numbers == result;
  std::byte* decoded = separate ? scratch->blob.data() : result;
  if (Status s = codec->decode(arrived->frame(), decoded, count, coding()); !s) return s;
  if (from == Location::none)
    if (Status s = codec->decode(current->frame(), result, count, coding()); !s) return s;
  const double begin = now();
  const std::byte* other = separate ? scratch->blob.data() : numbers;
  dispatch(AllTypes{}, dtype(), [&](auto zero) {
    using T = decltype(zero);
    combine(coding().op, reinterpret_cast<T*>(result), reinterpret_cast<const T*>(other), count);
  });
  seconds_combined = now() - begin;
  return {};
}

void CodingJob::copy() const {
  if (result != numbers && count > 0) std::memmove(result, numbers, bytes_of_numbers());
  if (coding().divisor == 1) return;
  dispatch(AllTypes{}, dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto* x = reinterpret_cast<T*>(result);
    for (std::size_t i = 0; i < count; ++i) x[i] = divide(x[i], coding().divisor);
  });
}

// bytes: the size of the frame that was made, or 0 if there is none.
void CodingJob::finish_frame(std::size_t bytes) {
  const std::span<std::byte> first(out->header, wire::header_bytes);
  altered_ = bytes == 0;
  if (bytes == 0) bytes = wire::write_failed_frame(static_cast<std::uint32_t>(count), dtype(), first);
  out->bytes = bytes;
  out->loaded = true;
  out->seal = {sealing.rank, contributions};
  if (error_before == 0 || altered_) return;
  // The codec knows the error that it made itself, but not the error that the numbers already had.
  wire::Header header;
  if (!out->read_header(header)) return;
  header.error = std::min(header.error + error_before, std::numeric_limits<double>::max());
  wire::write_header(header, first);
  altered_ = true;
}

}  // namespace laconic
