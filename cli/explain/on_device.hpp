// SPDX-License-Identifier: BSD-3-Clause
// Predicted times of the algorithms with all numbers on devices.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explain/explain.hpp"
#include "tune/choose_device.hpp"

namespace laconic::cli::explain {

struct DeviceQuestion {
  const DeviceModel* device = nullptr;
  Path path;
};

struct DeviceRow {
  const Algorithm* algorithm = nullptr;
  std::optional<DeviceChoice> choice;  // empty if its plans are too large to be walked
  std::optional<DeviceChoice> plain;   // the same without compression
};

struct DeviceAnswer {
  Coder coder;
  DeviceChoice chosen;
  std::vector<DeviceRow> rows;
};

DeviceAnswer answer_on_device(const Question& question, const DeviceQuestion& device);

std::string device_text(const Question& question, const DeviceQuestion& device, const DeviceAnswer& answer);

// One JSON object.
std::string device_json(const DeviceQuestion& device, const DeviceAnswer& answer);

}  // namespace laconic::cli::explain
