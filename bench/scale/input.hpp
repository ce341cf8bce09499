// SPDX-License-Identifier: BSD-3-Clause
// The numbers of all simulated ranks, which are windows on one field in memory that the ranks share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace laconic::scale {

class Input {
 public:
  // count: numbers of a rank.
  Input(const std::string& file, std::size_t count, int ranks, bool coherent, std::uint64_t seed) {
    std::ifstream in(file, std::ios::binary | std::ios::ate);
    const auto length = static_cast<std::size_t>(in.tellg()) / sizeof(float);
    if (!in || length == 0) throw std::runtime_error(file + " cannot be read");
    std::vector<float> field(length);
    in.seekg(0);
    in.read(reinterpret_cast<char*>(field.data()), static_cast<std::streamsize>(length * sizeof(float)));
    std::mt19937_64 random(seed);
    std::size_t most = 0;
    for (int r = 0; r < ranks; ++r) {
      shifts_.push_back(coherent ? static_cast<std::size_t>(r) % length : random() % length);
      most = std::max(most, shifts_.back());
    }
    numbers_.resize(count + most);
    for (std::size_t i = 0; i < numbers_.size(); ++i) numbers_[i] = field[i % length];
  }

  const float* of(int rank) const { return numbers_.data() + shifts_[static_cast<std::size_t>(rank)]; }

 private:
  std::vector<float> numbers_;
  std::vector<std::size_t> shifts_;
};

}  // namespace laconic::scale
