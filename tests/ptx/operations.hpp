// SPDX-License-Identifier: BSD-3-Clause
// The four operations of every codec that has kernels, on a fixed input of each type.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codec/codec.hpp"
#include "support/fields.hpp"
#include "support/frames.hpp"
#include "support/on_device.hpp"

namespace laconic::test {

// What an operation makes, as bytes: a frame or numbers.
struct Operation {
  std::string name;
  std::function<Bytes(const Codec&)> run;  // the same on the host and on the device
};

template <class T>
Bytes bytes_of(const std::vector<T>& x) {
  const auto* const begin = reinterpret_cast<const std::byte*>(x.data());
  return {begin, begin + x.size() * sizeof(T)};
}

// Of codec `host`, for numbers x and y.
template <class T>
std::vector<Operation> operations(const Codec& host, const std::vector<T>& x, const std::vector<T>& y,
                                  const Coding& coding) {
  const Bytes a = encode(host, x, coding), b = encode(host, y, coding);
  const std::size_t n = x.size();
  return {{"encode", [=](const Codec& c) { return encode(c, x, coding); }},
          {"decode", [=](const Codec& c) { return bytes_of(decode<T>(c, a, n, coding)); }},
          {"fold", [=](const Codec& c) { return fold(c, a, y, coding); }},
          {"add", [=](const Codec& c) { return add(c, a, b, n, coding); }}};
}

}  // namespace laconic::test
