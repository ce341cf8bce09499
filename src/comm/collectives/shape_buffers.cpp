// SPDX-License-Identifier: BSD-3-Clause
// The parts of the application's buffers that a collective call uses.
#include <algorithm>

#include "comm/collectives/shape.hpp"
#include "comm/core/staging_buffer.hpp"

namespace laconic {

void Shape::numbers(std::vector<RangeJob::Part>& out) const {
  out.clear();
  for (std::size_t k = 0; k < parts_of_input(); ++k) {
    const Part p = part_of_input(k);
    if (p.count > 0)
      out.push_back({static_cast<const std::byte*>(input_side().buffer) + p.at * signature_.width, p.count});
  }
}

std::span<std::byte> Shape::extent_of_side(bool sending) const {
  const Side& side = sending ? call_->send : call_->recv;
  if (sending ? !sends() : !receives()) return {};
  if (side.buffer == MPI_IN_PLACE) return {};
  if (!sending && traits_.keeps_block())
    return extent_of(side.buffer, 0, static_cast<MPI_Count>(room_of_sum()), side.type);
  if (!is_cut(sending)) return extent_of(side.buffer, 0, static_cast<MPI_Count>(items(sending)), side.type);
  std::span<std::byte> all;
  for (int p = 0; p < num_parts(sending); ++p) {
    const Part mine = part(side, p);
    const auto one =
        extent_of(side.buffer, static_cast<MPI_Aint>(mine.at), static_cast<MPI_Count>(mine.count), side.type);
    if (one.empty()) continue;
    std::byte* const begin = all.empty() ? one.data() : std::min(all.data(), one.data());
    std::byte* const end = std::max(all.data() + all.size(), one.data() + one.size());
    all = {begin, end};
  }
  return all;
}

}  // namespace laconic
