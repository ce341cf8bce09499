// SPDX-License-Identifier: BSD-3-Clause
// The choice of kernels: the tables that this processor can run, and the one that is used.
#include <cstdlib>
#include <string>
#include <vector>

#include "codec/quant/kernels.hpp"

namespace laconic::quant {

const Kernels& generic_kernels();
#if defined(__x86_64__)
const Kernels& avx2_kernels();
const Kernels& avx512_kernels();
const Kernels& avx512_gfni_kernels();
#endif

std::span<const Kernels* const> available_kernels() {
  static const std::vector<const Kernels*> tables = [] {
    std::vector<const Kernels*> t{&reference_kernels(), &generic_kernels()};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) t.push_back(&avx2_kernels());
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
      t.push_back(&avx512_kernels());
    if (t.back()->name == "avx512" && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
        __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bitalg") &&
        __builtin_cpu_supports("gfni"))
      t.push_back(&avx512_gfni_kernels());
#endif
    return t;
  }();
  return tables;
}

const Kernels& best_kernels() {
  const auto tables = available_kernels();
  if (const char* asked = std::getenv("LACONIC_ISA"))
    for (const Kernels* table : tables)
      if (table->name == asked) return *table;
  return *tables.back();
}

Status check_isa(std::string_view name) {
  std::string usable;
  for (const Kernels* table : available_kernels()) {
    if (table->name == name) return {};
    usable += (usable.empty() ? "" : ", ") + std::string(table->name);
  }
  return {Code::argument,
          "LACONIC_ISA '" + std::string(name) + "' is not valid; valid on this processor are " + usable};
}

}  // namespace laconic::quant
