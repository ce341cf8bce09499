// SPDX-License-Identifier: BSD-3-Clause
// Reports of measurements: a table per field for users, JSON for programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codec_measure.hpp"

namespace laconic::cli {

struct FieldReport {
  std::string file;
  Dtype dtype = Dtype::f32;
  std::size_t count = 0;
  Range range{};
  std::vector<Measurement> rows;
};

std::string table(const FieldReport& report, const Setup& setup, std::string_view isa);

// A list with one object per row of every field.
std::string json(const std::vector<FieldReport>& reports, const Setup& setup, std::string_view isa);

}  // namespace laconic::cli
