// SPDX-License-Identifier: BSD-3-Clause
// The input numbers of the benchmark.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace laconic::cli::bench {

// Every rank holds the same field, shifted and scaled differently, because equal inputs would cancel or add up unlike
// real inputs. The field repeats until the operation has enough numbers.
class Input {
 public:
  // `name`: a file of float32, or "wave" or "noise".  Throws Failure.
  Input(const std::string& field, int ranks);

  const std::string& name() const { return name_; }

  // Number i of a rank's input.
  float value(int rank, std::size_t i) const {
    const std::size_t shift = numbers_.size() / static_cast<std::size_t>(ranks_) * static_cast<std::size_t>(rank);
    return numbers_[(i + shift) % numbers_.size()] * (1.0f + static_cast<float>(rank) / 16.0f);
  }

  void fill(std::vector<float>& out, int rank, std::size_t first) const {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = value(rank, first + k);
  }

 private:
  std::string name_;
  std::vector<float> numbers_;
  int ranks_;
};

}  // namespace laconic::cli::bench
