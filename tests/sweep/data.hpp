// SPDX-License-Identifier: BSD-3-Clause
// The inputs of the sweep: fields from files, generated numbers of every kind, random bit patterns, and numbers near
// the lattice points where kernels change their arithmetic.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "codec/codec.hpp"

namespace laconic::sweep {

// The amount of data to try.
struct Extent {
  bool quick = false;
  std::uint64_t patterns = 0;  // random bit patterns of each type that is rounded; a tenth for others
  std::uint64_t seed = 0;
};

// Two arrays of the same length, and how to code them.  `told`: tell the codec how large the numbers are.
template <class T>
using Try = std::function<void(std::span<const T> x, std::span<const T> y, const Coding& coding, bool told)>;

// The files NAME.f32 in `folder`, sorted by name.
std::vector<std::string> fields_in(const std::string& folder);

// Tries a field in parts, with bounds from 1e-1 to 1e-6 of its range; false when the file cannot be read.
bool try_field(const std::string& path, const Extent& extent, const Try<float>& attempt);

// Tries the kinds of tests/support/fields.hpp: all counts, and all bounds from below one unit in the last place to
// above the range (no bounds for types that are not rounded).
template <class T>
void try_kind(std::size_t which, const Extent& extent, const Try<T>& attempt);
std::size_t kinds();
std::string name_of_kind(std::size_t which);

// Tries arbitrary bits, most of which do not fit a lattice, and bits with exponents that fit; for types that are not
// rounded, bits of all lengths.
template <class T>
void try_patterns(const Extent& extent, const Try<T>& attempt);

// Tries both sides of lattice points around powers of two, with steps down to where they become denormal.
template <class T>
void try_edges(const Extent& extent, const Try<T>& attempt);

}  // namespace laconic::sweep
