// SPDX-License-Identifier: BSD-3-Clause
// Numbers made for measurements, of the kinds on which codecs differ.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "field.hpp"

namespace laconic::cli {

// Whether a name is that of a kind, "kind:nan", and not that of a file.
bool is_kind(std::string_view name);

// "kind:smooth, kind:gradients, ...".
std::string kind_names();

// `count` numbers of a kind (2^18 if 0), the same in every run; float32 unless a dtype is given.
Field make_field(const std::string& name, std::optional<Dtype> dtype, std::size_t count);

}  // namespace laconic::cli
