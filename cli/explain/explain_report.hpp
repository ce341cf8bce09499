// SPDX-License-Identifier: BSD-3-Clause
// Explanations for people (text) and for programs (JSON).
#pragma once

#include <string>
#include <vector>

#include "explain/explain.hpp"

namespace laconic::cli::explain {

std::string heading(const Question& question, const std::vector<Candidate>& candidates);
std::string text(const Question& question, const Answer& answer);

// One object; the whole output is a list of them.  on_device: what there is to say of devices, as JSON, or nothing.
std::string json(const Question& question, const std::vector<Candidate>& candidates, const Answer& answer,
                 const std::string& on_device);

}  // namespace laconic::cli::explain
