// SPDX-License-Identifier: BSD-3-Clause
// Runs the kernels on the CPU, one thread per lane, and compares their output with the format, byte for byte.
//   g++ -std=c++20 -O2 -ffp-contract=off -pthread check.cpp -o check && ./check
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "lanes.hpp"
#include "transpose.hpp"
#include "votes.hpp"

namespace {

constexpr unsigned blocks = 6;
constexpr std::size_t values = 1024 * blocks;
using Bytes = std::vector<std::uint8_t>;
using Points = std::vector<std::int32_t>;

int failures = 0;
void expect(bool good, const char* what, const char* field) {
  std::printf("%-8s %-34s %s\n", field, what, good ? "ok" : "WRONG");
  failures += good ? 0 : 1;
}

template <class Kernel>
void run(Kernel kernel, const Work& work) {
  alignas(16) static std::uint8_t shared[2 * shared_bytes];
  std::vector<std::thread> lanes;
  for (unsigned lane = 0; lane < 32; ++lane)
    lanes.emplace_back([=] {
      own_lane = lane;
      for (unsigned block = 0; block < blocks; ++block) {
        kernel(work, block, lane, shared);
        sync();
      }
    });
  for (std::thread& t : lanes) t.join();
}

// The reference encoder of the format, value by value.
unsigned width(const std::int32_t* q, unsigned s, int order, std::uint32_t* z) {
  std::uint32_t bits = 0;
  for (unsigned i = 0; i < 16; ++i) {
    const unsigned at = 16 * s + i;
    const auto value = static_cast<std::uint32_t>(q[at]);
    z[i] = zigzag(order == 0 ? value : at == 0 ? 0 : value - static_cast<std::uint32_t>(q[at - 1]));
    bits |= z[i];
  }
  return bits_needed(bits);
}

void put16(Bytes& out, std::uint32_t x) {
  out.push_back(static_cast<std::uint8_t>(x));
  out.push_back(static_cast<std::uint8_t>(x >> 8));
}

std::uint16_t reference(const std::int32_t* q, Bytes& out) {
  std::uint32_t z[16];
  unsigned sample[2] = {0, 0};
  for (int order = 0; order < 2; ++order)
    for (unsigned s = 0; s < 64; s += 16) sample[order] += width_of(code_of(width(q, s, order, z)));
  const int order = sample[1] < sample[0] ? 1 : 0;
  unsigned codes[64];
  unsigned all = 0;
  for (unsigned s = 0; s < 64; ++s) all |= codes[s] = code_of(width(q, s, order, z));
  if (order == 0 && all == 0) return 0;
  const std::size_t begin = out.size();
  if (order == 1) {
    put16(out, static_cast<std::uint32_t>(q[0]));
    put16(out, static_cast<std::uint32_t>(q[0]) >> 16);
  }
  std::uint32_t groups[16];
  std::uint32_t bitmap = 0;
  for (unsigned g = 0; g < 16; ++g) {
    groups[g] = codes[4 * g] | codes[4 * g + 1] << 4 | codes[4 * g + 2] << 8 | codes[4 * g + 3] << 12;
    if (groups[g] != 0) bitmap |= 1u << g;
  }
  put16(out, bitmap);
  for (unsigned g = 0; g < 16; ++g)
    if (groups[g] != 0) put16(out, groups[g]);
  for (unsigned s = 0; s < 64; ++s) {
    width(q, s, order, z);
    for (unsigned k = 0; k < width_of(codes[s]); ++k) {
      std::uint32_t plane = 0;
      for (unsigned i = 0; i < 16; ++i) plane |= (z[i] >> k & 1) << i;
      put16(out, plane);
    }
  }
  return static_cast<std::uint16_t>((out.size() - begin) / 2 << 3 | (order == 1 ? 2 : 1));
}

struct Coded {
  Bytes bytes;
  std::vector<std::uint16_t> index;
  std::vector<std::uint64_t> place;  // offsets of the blocks in bytes that begin at an address of 2 modulo 16
};
Coded code(const Points& q) {
  Coded c;
  for (unsigned b = 0; b < blocks; ++b) {
    c.place.push_back(c.bytes.size());
    c.index.push_back(reference(q.data() + 1024 * b, c.bytes));
  }
  return c;
}

struct alignas(16) Memory {
  std::uint8_t bytes[blocks * 8192];
};

bool numbers_are(const std::vector<float>& x, const Points& q, float step) {
  for (std::size_t i = 0; i < values; ++i)
    if (x[i] != static_cast<float>(static_cast<double>(q[i]) * static_cast<double>(step))) return false;
  return true;
}

template <unsigned widest>
void check_planes(const char* field, Work work, const Points& q) {
  static Memory out;
  static Memory in;
  const Coded c = code(q);
  std::vector<std::uint16_t> index(blocks);
  std::memset(out.bytes, 0xee, sizeof out.bytes);
  work.out = out.bytes + 2;
  work.index = index.data();
  work.place = c.place.data();
  run(transpose::encode<widest>, work);
  expect(index == c.index && std::memcmp(out.bytes + 2, c.bytes.data(), c.bytes.size()) == 0 &&
             out.bytes[2 + c.bytes.size()] == 0xee && out.bytes[1] == 0xee,
         "transposes, encode", field);

  std::memcpy(in.bytes + 2, c.bytes.data(), c.bytes.size());
  work.in = in.bytes + 2;
  work.index_in = c.index.data();
  work.place_in = c.place.data();
  run(transpose::decode<widest>, work);
  expect(numbers_are(std::vector<float>(work.result, work.result + values), q, work.step), "transposes, decode", field);

  Points twice = q;
  for (std::int32_t& p : twice) p *= 2;
  const Coded sum = code(twice);
  work.place = sum.place.data();
  run(transpose::fold<widest>, work);
  expect(index == sum.index && std::memcmp(out.bytes + 2, sum.bytes.data(), sum.bytes.size()) == 0, "transposes, fold",
         field);
}

template <bool quad, unsigned widest>
void check_lanes(const char* field, Work work, const Points& q) {
  static Memory out;
  static Memory sum;
  std::vector<std::uint16_t> index(blocks);
  std::vector<std::uint64_t> place(blocks);
  for (unsigned b = 0; b < blocks; ++b) place[b] = 8192 * b;
  work.place = work.place_in = place.data();
  work.index = index.data();
  work.out = out.bytes;
  work.in = out.bytes;
  run(lanes::encode<quad, widest>, work);
  run(lanes::decode<quad, widest>, work);
  const bool good = numbers_are(std::vector<float>(work.result, work.result + values), q, work.step);
  expect(good, quad ? "lanes of quads, encode and decode" : "lanes of rows, encode and decode", field);
  work.out = sum.bytes;
  run(lanes::fold<quad, widest>, work);
  work.in = sum.bytes;
  run(lanes::decode<quad, widest>, work);
  Points twice = q;
  for (std::int32_t& p : twice) p *= 2;
  expect(numbers_are(std::vector<float>(work.result, work.result + values), twice, work.step),
         quad ? "lanes of quads, fold" : "lanes of rows, fold", field);
}

template <unsigned widest>
void check_votes(const char* field, Work work, const Points& q) {
  static Memory out;
  std::vector<std::uint16_t> index(blocks);
  std::vector<std::uint64_t> place(blocks);
  std::vector<std::uint16_t> widths(32 * blocks);
  for (unsigned b = 0; b < blocks; ++b) place[b] = 4096 * b;
  for (unsigned row = 0; row < 32 * blocks; ++row) {
    std::uint32_t z[16];
    const std::int32_t* block = q.data() + row / 32 * 1024;
    const unsigned first = width(block, row % 32 * 2, 1, z);
    widths[row] = static_cast<std::uint16_t>(first | width(block, row % 32 * 2 + 1, 1, z) << 8);
  }
  // This kernel counts from 0, so the first value of every block is 0 here.
  work.place = work.place_in = place.data();
  work.index = index.data();
  work.index_in = widths.data();
  work.out = out.bytes;
  work.in = out.bytes;
  run(votes::encode<widest>, work);
  run(votes::decode<widest>, work);
  Points from_first = q;
  for (std::size_t i = 0; i < values; ++i) from_first[i] -= q[i / 1024 * 1024];
  expect(numbers_are(std::vector<float>(work.result, work.result + values), from_first, work.step),
         "votes, encode and decode", field);
}

template <unsigned widest>
void check(const char* field, double noise, double drift, unsigned zeros) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  const float step = 0x1.8p-9f;
  std::vector<float> x(values);
  std::vector<float> result(values);
  Points q(values);
  double walk = 0;
  for (std::size_t i = 0; i < values; ++i) {
    walk += drift * normal(random);
    const double at = i / 1024 < zeros ? 0 : std::clamp(walk + noise * normal(random), -15000.0, 15000.0);
    x[i] = static_cast<float>(at * static_cast<double>(step));
    q[i] = static_cast<std::int32_t>(std::nearbyint(x[i] * (1 / step)));
  }
  Work work{};
  work.numbers = x.data();
  work.result = result.data();
  work.inverse = 1 / step;
  work.step = step;
  check_planes<widest>(field, work, q);
  if (widest == 8) check_planes<32>(field, work, q);
  check_lanes<false, widest>(field, work, q);
  check_lanes<true, widest>(field, work, q);
  if constexpr (widest <= 16) check_votes<widest>(field, work, q);
}

}  // namespace

int main() {
  check<8>("smooth", 0, 9, 2);
  check<8>("sparse", 0, 0.2, 1);
  check<16>("noisy", 2000, 5, 0);
  check<32>("wide", 14000, 0, 0);
  return failures == 0 ? 0 : 1;
}
