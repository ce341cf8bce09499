#include "comm/datatypes.hpp"

#include <cstdint>

namespace laconic {

std::optional<Dtype> find_dtype(MPI_Datatype datatype) {
  // Handles are not constants in every MPI, so this is no table.
  const auto is = [datatype](MPI_Datatype other) { return datatype == other; };
  if (is(MPI_FLOAT)) return Dtype::f32;
  if (is(MPI_DOUBLE)) return Dtype::f64;
  if (is(MPI_INT)) return dtype_of<int>;
  if (is(MPI_UNSIGNED)) return dtype_of<unsigned>;
  if (is(MPI_LONG)) return dtype_of<long>;
  if (is(MPI_UNSIGNED_LONG)) return dtype_of<unsigned long>;
  if (is(MPI_LONG_LONG)) return dtype_of<long long>;
  if (is(MPI_UNSIGNED_LONG_LONG)) return dtype_of<unsigned long long>;
  if (is(MPI_SHORT)) return dtype_of<short>;
  if (is(MPI_UNSIGNED_SHORT)) return dtype_of<unsigned short>;
  if (is(MPI_SIGNED_CHAR)) return dtype_of<signed char>;
  if (is(MPI_UNSIGNED_CHAR)) return dtype_of<unsigned char>;
  if (is(MPI_INT8_T)) return Dtype::i8;
  if (is(MPI_UINT8_T)) return Dtype::u8;
  if (is(MPI_INT16_T)) return Dtype::i16;
  if (is(MPI_UINT16_T)) return Dtype::u16;
  if (is(MPI_INT32_T)) return Dtype::i32;
  if (is(MPI_UINT32_T)) return Dtype::u32;
  if (is(MPI_INT64_T)) return Dtype::i64;
  if (is(MPI_UINT64_T)) return Dtype::u64;
  if (is(MPI_AINT)) return dtype_of<MPI_Aint>;
  if (is(MPI_OFFSET)) return dtype_of<MPI_Offset>;
  if (is(MPI_COUNT)) return dtype_of<MPI_Count>;
  return std::nullopt;
}

}  // namespace laconic
