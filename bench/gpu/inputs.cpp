// SPDX-License-Identifier: BSD-3-Clause
#include "inputs.hpp"

#include <algorithm>
#include <cstring>

#include "codec/range.hpp"
#include "support/fields.hpp"

namespace laconic::bench {
namespace {

// The count of numbers before they repeat.
constexpr std::size_t period = std::size_t{1} << 22;

template <class T>
Bytes make(const Input& input, std::size_t count, int which) {
  const std::size_t length = std::min(count, period);
  std::vector<T> once;
  if (input.field < 0) {
    once = test::make_field<T>(static_cast<test::Kind>(input.kind), length, 1, which);
  } else {
    const std::vector<float>& field = test::detail::real_field(static_cast<std::size_t>(input.field));
    const std::size_t start = static_cast<std::size_t>(which) * (field.size() / 3);
    for (std::size_t i = 0; i < length; ++i) once.push_back(static_cast<T>(field[(start + i) % field.size()]));
  }
  Bytes bytes(count * sizeof(T));
  for (std::size_t at = 0; at < bytes.size(); at += length * sizeof(T))
    std::memcpy(bytes.data() + at, once.data(), std::min(bytes.size() - at, length * sizeof(T)));
  return bytes;
}

}  // namespace

std::vector<Input> inputs(bool few) {
  using test::Kind;
  std::vector<Input> all{{"walk", static_cast<int>(Kind::walk)}, {"sparse", static_cast<int>(Kind::sparse)}};
  if (few) return all;
  all.push_back({"normal", static_cast<int>(Kind::normal)});
  all.push_back({"special", static_cast<int>(Kind::special)});
  constexpr const char* fields[] = {"vorticity", "temperature", "shots", "precipitation", "gradients"};
  for (int k = 0; k < 5; ++k)
    if (!test::detail::real_field(static_cast<std::size_t>(k)).empty()) all.push_back({fields[k], 0, k});
  return all;
}

Bytes make_numbers(const Input& input, Dtype dtype, std::size_t count, int which) {
  switch (dtype) {
    case Dtype::f64: return make<double>(input, count, which);
    case Dtype::f16: return make<Float16>(input, count, which);
    case Dtype::bf16: return make<Bfloat16>(input, count, which);
    default: return make<float>(input, count, which);
  }
}

double range_of(const Bytes& numbers, Dtype dtype) {
  const Range r = finite_range(numbers.data(), std::min(numbers.size() / size_of(dtype), period), dtype);
  return r.greatest > r.least ? r.greatest - r.least : 1;
}

}  // namespace laconic::bench
