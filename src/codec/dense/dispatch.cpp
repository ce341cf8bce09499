// SPDX-License-Identifier: BSD-3-Clause
// The choice of kernels.  They follow those of quant, so that LACONIC_ISA holds for both.
#include <vector>

#include "codec/dense/kernels.hpp"
#include "codec/quant/kernels.hpp"

namespace laconic::dense {

#if defined(__x86_64__)
const Kernels& avx512_kernels();
#endif

std::span<const Kernels* const> available_kernels() {
  static const std::vector<const Kernels*> tables = [] {
    std::vector<const Kernels*> t{&reference_kernels()};
#if defined(__x86_64__)
    for (const quant::Kernels* table : quant::available_kernels())
      if (table->name == "avx512gfni") t.push_back(&avx512_kernels());
#endif
    return t;
  }();
  return tables;
}

const Kernels& best_kernels() {
  return quant::best_kernels().name == "avx512gfni" ? *available_kernels().back() : reference_kernels();
}

}  // namespace laconic::dense
