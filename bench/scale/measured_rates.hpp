// SPDX-License-Identifier: BSD-3-Clause
// Rates of coding on this machine, measured before a simulation begins, on the numbers and with the bound of the
// simulated operation, unless arguments give them.  They are only worth something on an idle machine.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <vector>

#include "arguments.hpp"
#include "codec/range.hpp"
#include "input.hpp"
#include "timed_codec.hpp"

namespace laconic::scale {

// The median seconds per byte of a coding step of `count` numbers.
template <class Step>
double seconds_per_byte(std::size_t count, const Step& step) {
  std::array<double, 15> seconds{};
  for (double& s : seconds) {
    const auto begin = std::chrono::steady_clock::now();
    const Status status = step();
    s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!status.ok()) throw std::runtime_error(status.message());
  }
  std::nth_element(seconds.begin(), seconds.begin() + seconds.size() / 2, seconds.end());
  return seconds[seconds.size() / 2] / static_cast<double>(count * sizeof(float));
}

// ranks: contributions in a result.  Sums are measured with the contributions of half of the ranks in a frame, since
// the more contributions a frame holds, the wider are its residuals.
inline Rates measure_rates(const Codec& codec, const Coding& coding, const Input& input, int ranks, std::size_t count) {
  count = std::min<std::size_t>(count, std::size_t{1} << 16);
  std::vector<std::byte> half(codec.capacity(count, coding.dtype));
  std::vector<std::byte> out(half.size());
  std::vector<float> numbers(count);
  Rates rates;
  std::size_t bytes = 0;
  const auto done = [&bytes](const Coded& coded) {
    bytes = coded.bytes;
    return coded.status;
  };
  rates.encode = seconds_per_byte(count, [&] { return done(codec.encode(input.of(0), count, coding, half)); });
  for (int r = 1; r < ranks / 2; ++r) {
    if (Status s = done(codec.fold({half.data(), bytes}, input.of(r), count, coding, out)); !s.ok())
      throw std::runtime_error(s.message());
    half.swap(out);
  }
  const Frame frame(half.data(), bytes);
  rates.fold =
      seconds_per_byte(count, [&] { return codec.fold(frame, input.of(ranks - 1), count, coding, out).status; });
  rates.add = seconds_per_byte(count, [&] { return codec.add(frame, frame, count, coding, out).status; });
  rates.decode = seconds_per_byte(count, [&] { return codec.decode(frame, numbers.data(), count, coding); });
  return rates;
}

// The rates of coding as given, or as measured.
inline Rates rates_of(const Arguments& a, const Codec& codec, const Coding& coding, const Input& input, int size,
                      std::size_t count, std::size_t own) {
  constexpr double usual_search = 30;
  if (!a.rates.empty()) {
    const double search = a.rates.size() > 4 ? a.rates[4] : usual_search;
    return {1e-9 / a.rates[0], 1e-9 / a.rates[1], 1e-9 / a.rates[2], 1e-9 / a.rates[3], 1e-9 / search};
  }
  const std::size_t n = std::min<std::size_t>(own, std::size_t{1} << 16);
  Rates rates = measure_rates(codec, coding, input, size, count);
  rates.search = seconds_per_byte(n, [&] {
    finite_range(input.of(0), n, Dtype::f32);
    return Status{};
  });
  return rates;
}

}  // namespace laconic::scale
