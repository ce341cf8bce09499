// SPDX-License-Identifier: BSD-3-Clause
// The numbers that travel. Each follows from the operation, its sender, its receiver and its index, so that every rank
// knows what it has to get. All are multiples of 1/1024 about 1: sums of them are exact in any order.
#pragma once

#include <mpi.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace handles {

enum class Kind : std::uint8_t { f32, f64, i32 };

inline std::size_t width(Kind kind) { return kind == Kind::f64 ? 8 : 4; }

inline MPI_Datatype basic(Kind kind) {
  return kind == Kind::f32 ? MPI_FLOAT : kind == Kind::f64 ? MPI_DOUBLE : MPI_INT;
}

// The kinds of the numbers of a message: one for all, or three that take turns.
struct Signature {
  Kind kind = Kind::f64;
  bool mixed = false;

  Kind at(std::size_t i) const {
    constexpr Kind turns[] = {Kind::i32, Kind::f64, Kind::f32};
    return mixed ? turns[i % 3] : kind;
  }
};

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t z = a * 0x9e3779b97f4a7c15ULL + b + 0x2545f4914f6cdd1dULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

constexpr long unit = 1024;  // a number 1

// Smooth, so that there is something to compress.
class Wave {
 public:
  Wave(std::uint64_t key, int from, int to) {
    const std::uint64_t h = mix(mix(key, static_cast<std::uint64_t>(from + 7)), static_cast<std::uint64_t>(to + 7));
    start_ = h % period;
    step_ = 1 + (h >> 12) % 7;
    above_ = static_cast<long>((h >> 20) % 256);
  }
  long at(std::size_t i) const { return above_ + table()[(start_ + step_ * i) % period]; }

 private:
  static constexpr std::size_t period = 4096;
  static const std::vector<long>& table() {
    static const std::vector<long> all = [] {
      std::vector<long> t(period);
      for (std::size_t i = 0; i < period; ++i)
        t[i] = std::lround(unit * std::sin(static_cast<double>(i) * 2 * 3.14159265358979 / period));
      return t;
    }();
    return all;
  }

  std::size_t start_;
  std::size_t step_;
  long above_;
};

inline double value_of(Kind kind, long units) {
  return kind == Kind::i32 ? static_cast<double>(units) : static_cast<double>(units) / unit;
}

inline void store(unsigned char* at, Kind kind, long units) {
  const double x = value_of(kind, units);
  const float single = static_cast<float>(x);
  const int whole = static_cast<int>(units);
  std::memcpy(at,
              kind == Kind::f64   ? static_cast<const void*>(&x)
              : kind == Kind::f32 ? &single
                                  : static_cast<const void*>(&whole),
              width(kind));
}

inline double load(const unsigned char* at, Kind kind) {
  double x = 0;
  float single = 0;
  int whole = 0;
  switch (kind) {
    case Kind::f64: std::memcpy(&x, at, sizeof x); return x;
    case Kind::f32: std::memcpy(&single, at, sizeof single); return static_cast<double>(single);
    case Kind::i32: std::memcpy(&whole, at, sizeof whole); break;
  }
  return whole;
}

}  // namespace handles
