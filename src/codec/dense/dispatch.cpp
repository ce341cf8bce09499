// SPDX-License-Identifier: BSD-3-Clause
// The choice of kernels.  They follow those of quant, so that LACONIC_ISA holds for both.
#include <vector>

#include "codec/dense/kernels.hpp"
#include "codec/quant/kernels.hpp"

namespace laconic::dense {

#if defined(__x86_64__)
const Kernels& avx2_kernels();
const Kernels& avx512_kernels();
#endif

std::span<const Kernels* const> available_kernels() {
  static const std::vector<const Kernels*> tables = [] {
    std::vector<const Kernels*> t{&reference_kernels()};
#if defined(__x86_64__)
    for (const quant::Kernels* table : quant::available_kernels()) {
      if (table->name == "avx2") t.push_back(&avx2_kernels());
      if (table->name == "avx512gfni") t.push_back(&avx512_kernels());
    }
#endif
    return t;
  }();
  return tables;
}

const Kernels& best_kernels() {
#if defined(__x86_64__)
  const std::string_view quants = quant::best_kernels().name;
  if (quants == "avx512gfni") return avx512_kernels();
  if (quants == "avx2" || quants == "avx512") return avx2_kernels();
#endif
  return reference_kernels();
}

}  // namespace laconic::dense
