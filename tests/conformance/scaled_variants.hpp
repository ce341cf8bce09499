// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "support/frames.hpp"

namespace laconic::test {

// The codecs that have scaled frames, with each instruction set.
struct ScaledVariant {
  std::string name;
  const Codec* codec;
  const Codec* reference;
};

inline const std::vector<ScaledVariant>& scaled_variants() {
  static const std::vector<ScaledVariant> all = [] {
    std::vector<ScaledVariant> v;
    for (std::size_t i = 0; i < quant_variants().size(); ++i)
      v.push_back({"quant_" + std::string(quant::available_kernels()[i]->name), quant_variants()[i].get(),
                   quant_variants()[0].get()});
    for (std::size_t i = 0; i < dense_variants().size(); ++i)
      v.push_back({"dense_" + std::string(dense::available_kernels()[i]->name), dense_variants()[i].get(),
                   dense_variants()[0].get()});
    return v;
  }();
  return all;
}

}  // namespace laconic::test
