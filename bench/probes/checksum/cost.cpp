// SPDX-License-Identifier: BSD-3-Clause
// Measures the cost of the checksum relative to the coding that it protects, in one run. Chunk after chunk is copied,
// encoded, checksummed and decoded. Each step is timed separately, so that other load affects all steps alike.
// Usage: cost FIELD.f32...
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/checksum.hpp"
#include "codec/codec.hpp"

namespace {

using namespace laconic;

enum Step { copying, encoding, summing, decoding, checking, steps };
constexpr std::size_t chunk = 65536;
constexpr int rounds = 15;

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double quantile(std::vector<double> x, double q) {
  std::sort(x.begin(), x.end());
  return x[static_cast<std::size_t>(q * static_cast<double>(x.size() - 1))];
}

void measure(const std::string& name, const std::vector<float>& x, const char* codec_name, double relative) {
  const Codec* codec = find_codec(codec_name);
  const auto [least, greatest] = std::minmax_element(x.begin(), x.end());
  Coding coding;
  coding.allowance = relative * (static_cast<double>(*greatest) - *least);
  std::vector<std::byte> frame(codec->capacity(chunk, Dtype::f32));
  std::vector<float> copy(chunk);
  std::array<std::vector<double>, steps> times;
  std::vector<double> share_of_encode;
  std::vector<double> share_of_decode;
  std::size_t bytes = 0;
  volatile std::uint64_t sum = 0;
  for (int round = -2; round < rounds; ++round) {
    std::array<double, steps> spent{};
    bytes = 0;
    for (std::size_t at = 0; at + chunk <= x.size(); at += chunk) {
      double t = seconds();
      const auto lap = [&](Step step) {
        const double now = seconds();
        spent[step] += now - t;
        t = now;
      };
      std::memcpy(copy.data(), &x[at], chunk * sizeof(float));
      lap(copying);
      const Coded coded = codec->encode(&x[at], chunk, coding, frame);
      lap(encoding);
      if (!coded.status.ok()) return;
      sum = sum + checksum::sum(std::span<const std::byte>(frame).first(coded.bytes));
      lap(summing);
      sum = sum + checksum::sum(std::span<const std::byte>(frame).first(coded.bytes));
      lap(checking);
      if (!codec->decode(std::span<const std::byte>(frame).first(coded.bytes), copy.data(), chunk, coding)) return;
      lap(decoding);
      bytes += coded.bytes;
    }
    if (round < 0) continue;
    for (int s = 0; s < steps; ++s) times[static_cast<std::size_t>(s)].push_back(spent[static_cast<std::size_t>(s)]);
    share_of_encode.push_back(100 * spent[summing] / spent[encoding]);
    share_of_decode.push_back(100 * spent[checking] / spent[decoding]);
  }
  const double gigabytes = static_cast<double>(x.size() / chunk * chunk * sizeof(float)) / 1e9;
  const auto rate = [&](Step step, double part = 1) { return gigabytes * part / quantile(times[step], 0.5); };
  const double ratio = gigabytes * 1e9 / static_cast<double>(bytes);
  std::printf("%-26.26s %-8s %5.0e %6.1f | %5.1f %5.1f %5.1f %5.1f | %4.1f (%.1f-%.1f) %4.1f (%.1f-%.1f)\n",
              name.c_str(), codec_name, relative, ratio, rate(copying), rate(encoding), rate(decoding),
              rate(summing, 1 / ratio), quantile(share_of_encode, 0.5), quantile(share_of_encode, 0.25),
              quantile(share_of_encode, 0.75), quantile(share_of_decode, 0.5), quantile(share_of_decode, 0.25),
              quantile(share_of_decode, 0.75));
}

}  // namespace

int main(int argc, char** argv) {
  std::printf("%-26s %-8s %5s %6s | memcpy encode decode sum (of the frame), GB/s | sum in %% of encode, of decode\n",
              "field", "codec", "rel", "ratio");
  for (int k = 1; k < argc; ++k) {
    std::ifstream in(argv[k], std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
    std::vector<float> x(bytes.size() / sizeof(float));
    std::memcpy(x.data(), bytes.data(), x.size() * sizeof(float));
    const std::string path = argv[k];
    for (const char* codec : {"quant", "szx", "lossless", "raw"})
      for (const double relative : {1e-2, 1e-4}) measure(path.substr(path.rfind('/') + 1), x, codec, relative);
  }
}
