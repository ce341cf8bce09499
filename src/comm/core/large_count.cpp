// SPDX-License-Identifier: BSD-3-Clause
#include "comm/core/large_count.hpp"

#include <algorithm>
#include <climits>
#include <cstddef>
#include <limits>

namespace laconic {

LargeCount::LargeCount(MPI_Count count, MPI_Datatype type) : type_(type) {
  if (count <= INT_MAX) {
    count_ = static_cast<int>(count);
    return;
  }
  // count = whole * unit + rest, as one element of a struct of both parts.
  const auto unit = MPI_Count{1} << 30;
  MPI_Datatype whole = MPI_DATATYPE_NULL;
  MPI_Datatype block = MPI_DATATYPE_NULL;
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  MPI_Type_get_extent(type, &lower_bound, &extent);
  MPI_Type_contiguous(static_cast<int>(unit), type, &block);
  MPI_Type_contiguous(static_cast<int>(count / unit), block, &whole);
  int lengths[2] = {1, static_cast<int>(count % unit)};
  MPI_Aint at[2] = {0, static_cast<MPI_Aint>(count / unit * unit) * extent};
  MPI_Datatype types[2] = {whole, type};
  MPI_Type_create_struct(2, lengths, at, types, &made_);
  MPI_Type_commit(&made_);
  MPI_Type_free(&whole);
  MPI_Type_free(&block);
  type_ = made_;
  count_ = 1;
}

LargeCount::~LargeCount() {
  if (made_ != MPI_DATATYPE_NULL) MPI_Type_free(&made_);
}

MPI_Count most_items(MPI_Count count, MPI_Datatype type, int parts) {
  // No type makes so few elements too large, and most calls can skip the queries below.
  if (count <= INT_MAX || type == MPI_DATATYPE_NULL) return std::max<MPI_Count>(count, 0);
  MPI_Count size = 0;
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  MPI_Type_size_x(type, &size);
  MPI_Type_get_extent(type, &lower_bound, &extent);
  const MPI_Count unit =
      std::max({MPI_Count{1}, size, static_cast<MPI_Count>(extent), -static_cast<MPI_Count>(extent)});
  return std::numeric_limits<std::ptrdiff_t>::max() / 2 / unit / parts;
}

}  // namespace laconic
