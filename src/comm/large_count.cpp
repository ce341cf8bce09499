#include "comm/large_count.hpp"

#include <climits>

namespace laconic {

LargeCount::LargeCount(MPI_Count count, MPI_Datatype type) : type_(type) {
  if (count <= INT_MAX) {
    count_ = static_cast<int>(count);
    return;
  }
  // count = whole * unit + rest, as one element of a type of both.
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

}  // namespace laconic
