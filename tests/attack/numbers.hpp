// SPDX-License-Identifier: BSD-3-Clause
// The types of numbers that are sent, and random access to them in buffers of bytes.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

namespace attack {

enum class Number : std::uint8_t { f32, f64, i8, u8, i16, u16, i32, u32, i64, u64 };

// A datatype by one of its names in MPI.
struct NamedType {
  const char* name;
  Number number;
  MPI_Datatype type;
};

template <class T>
constexpr Number number_of() {
  if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? Number::f32 : Number::f64;
  constexpr int log = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  return static_cast<Number>(2 + 2 * log + (std::is_signed_v<T> ? 0 : 1));
}

// The handles are not constants in every MPI, so they are read after MPI_Init.
inline const std::vector<NamedType>& named_types() {
  static const std::vector<NamedType> all{
      {"MPI_FLOAT", Number::f32, MPI_FLOAT},
      {"MPI_DOUBLE", Number::f64, MPI_DOUBLE},
      {"MPI_SIGNED_CHAR", Number::i8, MPI_SIGNED_CHAR},
      {"MPI_UNSIGNED_CHAR", Number::u8, MPI_UNSIGNED_CHAR},
      {"MPI_SHORT", number_of<short>(), MPI_SHORT},
      {"MPI_UNSIGNED_SHORT", number_of<unsigned short>(), MPI_UNSIGNED_SHORT},
      {"MPI_INT", number_of<int>(), MPI_INT},
      {"MPI_UNSIGNED", number_of<unsigned>(), MPI_UNSIGNED},
      {"MPI_LONG", number_of<long>(), MPI_LONG},
      {"MPI_UNSIGNED_LONG", number_of<unsigned long>(), MPI_UNSIGNED_LONG},
      {"MPI_LONG_LONG", number_of<long long>(), MPI_LONG_LONG},
      {"MPI_UNSIGNED_LONG_LONG", number_of<unsigned long long>(), MPI_UNSIGNED_LONG_LONG},
      {"MPI_INT8_T", Number::i8, MPI_INT8_T},
      {"MPI_UINT8_T", Number::u8, MPI_UINT8_T},
      {"MPI_INT16_T", Number::i16, MPI_INT16_T},
      {"MPI_UINT16_T", Number::u16, MPI_UINT16_T},
      {"MPI_INT32_T", Number::i32, MPI_INT32_T},
      {"MPI_UINT32_T", Number::u32, MPI_UINT32_T},
      {"MPI_INT64_T", Number::i64, MPI_INT64_T},
      {"MPI_UINT64_T", Number::u64, MPI_UINT64_T},
      {"MPI_AINT", number_of<MPI_Aint>(), MPI_AINT},
      {"MPI_OFFSET", number_of<MPI_Offset>(), MPI_OFFSET},
      {"MPI_COUNT", number_of<MPI_Count>(), MPI_COUNT},
  };
  return all;
}

// Calls f with a number of the type.
template <class F>
auto with_number(Number number, F&& f) {
  switch (number) {
    case Number::f32: return f(float{});
    case Number::f64: return f(double{});
    case Number::i8: return f(std::int8_t{});
    case Number::u8: return f(std::uint8_t{});
    case Number::i16: return f(std::int16_t{});
    case Number::u16: return f(std::uint16_t{});
    case Number::i32: return f(std::int32_t{});
    case Number::u32: return f(std::uint32_t{});
    case Number::i64: return f(std::int64_t{});
    case Number::u64: break;
  }
  return f(std::uint64_t{});
}

inline std::size_t width_of(Number number) {
  return with_number(number, [](auto x) { return sizeof x; });
}

inline bool is_floating(Number number) { return number == Number::f32 || number == Number::f64; }

template <class T>
T load(const unsigned char* bytes, std::size_t i) {
  T x;
  std::memcpy(&x, bytes + i * sizeof(T), sizeof(T));
  return x;
}

template <class T>
void store(unsigned char* bytes, std::size_t i, T x) {
  std::memcpy(bytes + i * sizeof(T), &x, sizeof(T));
}

using Bytes = std::vector<unsigned char>;

}  // namespace attack
