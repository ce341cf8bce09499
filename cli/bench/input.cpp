// SPDX-License-Identifier: BSD-3-Clause
#include "bench/input.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>

#include "failure.hpp"
#include "field.hpp"

namespace laconic::cli::bench {
namespace {

constexpr std::size_t generated = std::size_t{1} << 20;

std::vector<float> wave(double amplitude, double noise_amplitude) {
  std::vector<float> numbers(generated);
  std::uint32_t noise = 1;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    noise = noise * 1664525u + 1013904223u;
    const double t = static_cast<double>(i);
    numbers[i] = static_cast<float>(amplitude * std::sin(t * 1e-3) * std::cos(t * 1.7e-5) +
                                    noise_amplitude * (noise >> 8) / 16777216.0);
  }
  return numbers;
}

}  // namespace

Input::Input(const std::string& field, int ranks) : name_(field), ranks_(ranks) {
  if (field == "wave") {
    numbers_ = wave(1, 1e-3);
  } else if (field == "noise") {
    numbers_ = wave(0, 1);
  } else {
    const Field read = read_field(field, std::nullopt, 0);
    if (read.dtype != Dtype::f32 || read.count == 0)
      throw Failure(
          fmt::format("{}: not a file of float32; bench takes those, and the generators wave and noise", field));
    numbers_.resize(read.count);
    std::memcpy(numbers_.data(), read.numbers.data(), read.numbers.size());
  }
}

}  // namespace laconic::cli::bench
