// SPDX-License-Identifier: BSD-3-Clause
#include "made_field.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numbers>
#include <vector>

#include "failure.hpp"

namespace laconic::cli {
namespace {

constexpr std::string_view prefix = "kind:";
constexpr std::size_t default_count = std::size_t{1} << 18;

// From 0 to below 1, by the finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
// Generators, 2014).
double unit(std::uint64_t i) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

double normal(std::uint64_t i) {
  return std::sqrt(-2 * std::log(1 - unit(2 * i))) * std::cos(2 * std::numbers::pi * unit(2 * i + 1));
}

double smooth(std::uint64_t i) {
  const auto x = static_cast<double>(i);
  return 100 * (std::sin(0.003 * x) + 0.3 * std::sin(0.00071 * x + 1) + 0.1 * std::cos(0.011 * x));
}

bool marked(std::uint64_t i) { return i / 37 % 5 == 0; }

struct Kind {
  std::string_view name;
  double (*at)(std::uint64_t i, double before);  // number i, after that number
};
constexpr std::array<Kind, 9> kinds{{
    {"smooth", [](std::uint64_t i, double) { return smooth(i); }},
    // Blocks of different magnitude, as layers have.
    {"gradients", [](std::uint64_t i, double) { return normal(i) * std::pow(10, -6 * unit(~(i / 512))); }},
    {"far", [](std::uint64_t i, double) { return 101325 + 0.5 * std::sin(0.003 * static_cast<double>(i)); }},
    {"nan", [](std::uint64_t i, double) { return marked(i) ? std::numeric_limits<double>::quiet_NaN() : smooth(i); }},
    {"fill", [](std::uint64_t i, double) { return marked(i) ? 1e20 : smooth(i); }},
    // Three quantities in turn.
    {"mixed", [](std::uint64_t i, double) { return i % 3 == 0   ? 1.0
                                                   : i % 3 == 1 ? 1e6
                                                                : static_cast<double>(i); }},
    {"spread", [](std::uint64_t i, double) { return std::exp(40 * unit(i) - 20); }},
    // Equal numbers in runs of 64.
    {"runs", [](std::uint64_t i, double) { return normal(i / 64); }},
    // A random walk of two decimals.
    {"decimals",
     [](std::uint64_t i, double before) { return std::round(100 * before + std::round(200 * unit(i) - 100)) / 100; }},
}};

const Kind* find_kind(std::string_view name) {
  for (const Kind& kind : kinds)
    if (name == kind.name) return &kind;
  return nullptr;
}

}  // namespace

bool is_kind(std::string_view name) { return name.starts_with(prefix); }

std::string kind_names() {
  std::string names;
  for (const Kind& kind : kinds) names += fmt::format("{}{}{}", names.empty() ? "" : ", ", prefix, kind.name);
  return names;
}

Field make_field(const std::string& name, std::optional<Dtype> dtype, std::size_t count) {
  const Kind* kind = find_kind(std::string_view(name).substr(prefix.size()));
  if (kind == nullptr) throw usage(fmt::format("field '{}' is not valid; valid are files and {}", name, kind_names()));
  Field field{name, dtype.value_or(Dtype::f32), count > 0 ? count : default_count, {}};
  if (is_integer(field.dtype))
    throw usage(fmt::format("--dtype {}: {} has floating-point numbers", name_of(field.dtype), name));
  field.numbers = Memory(field.count * size_of(field.dtype));
  dispatch(FloatingTypes{}, field.dtype, [&](auto zero) {
    using T = decltype(zero);
    double x = 0;
    for (std::size_t i = 0; i < field.count; ++i) {
      x = kind->at(i, x);
      const T number = static_cast<T>(x);
      std::memcpy(field.numbers.data() + i * sizeof(T), &number, sizeof(T));
    }
  });
  return field;
}

}  // namespace laconic::cli
