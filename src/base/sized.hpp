// SPDX-License-Identifier: BSD-3-Clause
// Structs of the C API that grow (docs/design/0041-structs-that-grow.md): a program and this library may know different
// numbers of members of one, and the program says how many bytes of it there are on its side.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>

#include "base/status.hpp"

namespace laconic {

// No struct of any version is larger, so a greater size was never written by a program.
inline constexpr std::size_t largest_struct = 4096;

// Members are added behind the end of a struct, and all structs end at a multiple of their alignment.
template <class T>
bool can_be_size_of(std::size_t size, std::size_t least) {
  return size >= least && size <= largest_struct && size % alignof(T) == 0;
}

// Makes `whole` of the struct that a program passes: members that only this library has are unset (0).  Members that
// only the program has must be unset, because they would be ignored.  If that is not so, or the size is none, `whole`
// has the size that was given, which check_size() refuses.
template <class T>
void read_sized(const T& given, std::size_t least, T& whole) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= largest_struct);
  const std::size_t size = given.size;
  std::memset(static_cast<void*>(&whole), 0, sizeof whole);
  whole.size = given.size;
  if (!can_be_size_of<T>(size, least)) return;
  const auto* bytes = reinterpret_cast<const std::byte*>(&given);
  if (size > sizeof whole &&
      std::any_of(bytes + sizeof whole, bytes + size, [](std::byte b) { return b != std::byte{0}; }))
    return;
  std::memcpy(static_cast<void*>(&whole), &given, std::min(size, sizeof whole));
  whole.size = sizeof whole;
}

// The size of a struct after read_sized().  name: of the size; init: the function that sets it.
template <class T>
Status check_size(const char* name, std::size_t size, std::size_t least, const char* init) {
  if (size == sizeof(T)) return {};
  std::string text = std::string(name) + " is " + std::to_string(size);
  const std::string own = std::to_string(sizeof(T));
  if (can_be_size_of<T>(size, least))
    return {Code::argument, text + ", and a member behind the first " + own +
                                " bytes is set, which this version of Laconic does not have; valid is 0 there"};
  return {Code::argument, text + "; valid is " + own + ", as " + init +
                              " sets it, or from programs of other versions " + std::to_string(least) + " to " +
                              std::to_string(largest_struct) + " in steps of " + std::to_string(alignof(T))};
}

// Fills a program's struct of `size` bytes with the members that both sides have, and with 0 behind them.  Its member
// `size`, if it has one, becomes the number of bytes that the library has filled.
template <class T>
void write_sized(T value, void* out, std::size_t size) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::size_t both = std::min(size, sizeof value);
  if constexpr (requires { value.size; }) value.size = both;
  std::memcpy(out, &value, both);
  if (size > both) std::memset(static_cast<std::byte*>(out) + both, 0, size - both);
}

}  // namespace laconic
