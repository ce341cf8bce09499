// SPDX-License-Identifier: BSD-3-Clause
// Text of the reports.
#pragma once

#include <cstdint>
#include <string>

namespace laconic::dropin {

// At most 1023 characters.
__attribute__((format(printf, 1, 2))) std::string format(const char* form, ...);

double megabytes(std::uint64_t bytes);

// "64 KiB", rounded down; 0: sizes that differ by rank.
std::string size_text(std::uint64_t bytes);

// A word of a command for a shell, in quotes if it needs them.
std::string shell_word(const std::string& text);

// As in JSON: a string, and a number, which is null if it is not finite.
std::string quoted(const std::string& text);
std::string number(double x);

}  // namespace laconic::dropin
