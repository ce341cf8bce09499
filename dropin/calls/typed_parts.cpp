// SPDX-License-Identifier: BSD-3-Clause
#include "calls/typed_parts.hpp"

#include <new>

#include "calls/carried.hpp"

namespace laconic::dropin {
namespace {

// Laconic's own type of this kind: where a rank has none of the program's, its parts being empty, or several.
MPI_Datatype type_of(const Numbers& numbers) {
  switch (numbers.kind) {
    case Kind::complex_single: return MPI_C_FLOAT_COMPLEX;
    case Kind::complex_real: return MPI_C_DOUBLE_COMPLEX;
    case Kind::none: return MPI_BYTE;
    default: return numbers.type;
  }
}

}  // namespace

TypedParts::TypedParts(const TypedSide& side, int parts, const std::vector<int>& sources) {
  for (int k = 0; k < parts; ++k) {
    const bool is_written = sources.empty() || sources[static_cast<std::size_t>(k)] != MPI_PROC_NULL;
    Part part{static_cast<std::byte*>(side.buffer) + side.displs[k], side.counts[k], side.types[k], {}, 0, is_written};
    part.bytes = static_cast<MPI_Count>(bytes_of(part.count, part.type));
    parts_.push_back(part);
    fits_ = fits_ && part.count >= 0;  // MPI has to refuse other counts
    if (part.bytes == 0) continue;
    Part& here = parts_.back();
    here.layout = layout_of(here.type);
    if (bytes_ == 0) numbers_ = here.layout.numbers;
    bytes_ += here.bytes;
    fits_ = fits_ && here.layout.known() && here.layout.numbers == numbers_ && can_pack(here.layout) &&
            !on_device(here.address);
  }
  if (!fits_) numbers_ = {};
}

Items TypedParts::first() const {
  for (const Part& part : parts_)
    if (part.bytes > 0) return {part.address, part.count, part.type};
  return {};
}

Side TypedParts::as(const Numbers& numbers) {
  static std::byte nothing{};
  const MPI_Count each = numbers.known() ? static_cast<MPI_Count>(numbers.each) * numbers.width : 1;
  counts_.clear();
  displs_.clear();
  counts_.reserve(1);  // never without an address
  displs_.reserve(1);
  MPI_Aint next = 0;
  for (const Part& part : parts_) {
    counts_.push_back(part.bytes / each);
    displs_.push_back(next);
    next += static_cast<MPI_Aint>(counts_.back());
  }
  Side side;
  side.buffer = &nothing;
  side.counts = Counts(counts_.data());
  side.displs = Displs(displs_.data());
  side.type = type_of(numbers);
  return side;
}

bool TypedParts::make_room() {
  try {
    copy_.resize(static_cast<std::size_t>(bytes_) + 1);  // never without an address
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

template <class Move>
int TypedParts::for_each_part(Move move) {
  std::byte* at = copy_.data();
  for (const Part& part : parts_) {
    if (part.bytes == 0) continue;
    if (const int code = move(part, at); code != MPI_SUCCESS) return code;
    at += part.bytes;
  }
  return MPI_SUCCESS;
}

int TypedParts::take() {
  return for_each_part(
      [](const Part& part, std::byte* at) { return pack(part.address, part.count, part.type, part.layout, at); });
}

int TypedParts::put() {
  return for_each_part([](const Part& part, std::byte* at) {
    return part.is_written ? unpack(at, part.address, part.count, part.type, part.layout) : MPI_SUCCESS;
  });
}

}  // namespace laconic::dropin
