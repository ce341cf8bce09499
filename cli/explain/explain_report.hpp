// SPDX-License-Identifier: BSD-3-Clause
// Explanations for users (text) and for programs (JSON).
#pragma once

#include <string>

#include "explain/explain.hpp"

namespace laconic::cli::explain {

std::string heading(const Question& question, const Comparison& comparison);
std::string text(const Question& question, const Answer& answer);

// One JSON object; the whole output is a list of them.  on_device: the part about devices as JSON, or empty.
std::string json(const Question& question, const Comparison& comparison, const Answer& answer,
                 const std::string& on_device);

}  // namespace laconic::cli::explain
