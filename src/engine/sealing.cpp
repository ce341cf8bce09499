// SPDX-License-Identifier: BSD-3-Clause
#include "engine/sealing.hpp"

#include <string>

namespace laconic {

std::uint64_t Sealing::payload_sum(const FrameSlot& slot) {
  return slot.bytes > wire::header_bytes ? checksum::sum(slot.frame().subspan(wire::header_bytes)) : 0;
}

void Sealing::seal(FrameSlot& slot) const { seal(slot, payload_sum(slot)); }

void Sealing::seal(FrameSlot& slot, std::uint64_t payload_sum) const {
  slot.sealed = wire::seal_bytes;
  wire::write_seal(slot.seal, place, {slot.header, wire::header_bytes}, payload_sum,
                   {slot.seal_place(), wire::seal_bytes});
}

Status Sealing::check(FrameSlot& slot) const { return slot.checked ? Status{} : check(slot, payload_sum(slot)); }

Status Sealing::check(FrameSlot& slot, std::uint64_t payload_sum) const {
  if (slot.checked) return {};
  if (slot.sealed == 0 || slot.bytes < wire::header_bytes)
    return {Code::frame, "cut to " + std::to_string(slot.bytes + slot.sealed) + " bytes, or not sealed"};
  const std::span<const std::byte> seal_place{slot.seal_place(), wire::seal_bytes};
  if (!wire::read_seal(seal_place, place, {slot.header, wire::header_bytes}, payload_sum, slot.seal))
    return {Code::frame, "wrong checksum: it was damaged on its way, or is another than the one expected"};
  wire::Header header;
  if (Status s = slot.read_header(header); !s) return s;
  if (header.failed()) return {Code::frame, "the sender could not produce these numbers"};
  if (slot.complete && slot.seal.contributions != whole)
    return {Code::frame,
            "it holds " + std::to_string(slot.seal.contributions) + " of " + std::to_string(whole) + " contributions"};
  if ((!forwards || !slot.complete) && slot.seal.maker != static_cast<std::uint32_t>(slot.from))
    return {Code::frame, "it was made by rank " + std::to_string(slot.seal.maker)};
  slot.checked = true;
  return {};
}

Status Sealing::check_contributions(std::uint32_t contributions, bool result) const {
  if (!on || contributions == whole || (contributions < whole && !result)) return {};
  return {Code::frame, "a sum of " + std::to_string(contributions) + " of " + std::to_string(whole) +
                           " contributions: frames were lost or repeated"};
}

Status about_frame(Status status, const FrameSlot* slot) {
  if (status.code() != Code::frame || slot == nullptr || slot->from < 0) return status;
  return {Code::frame, "a frame from rank " + std::to_string(slot->from) + ": " + status.message()};
}

}  // namespace laconic
