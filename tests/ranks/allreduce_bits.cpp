// SPDX-License-Identifier: BSD-3-Clause
// The bits of a result: with the integer lattice they are the same for every algorithm, chunk, depth and number of
// threads; they are the same on all ranks for zeros and NaNs of every kind, and where the application changes the
// rounding mode.
#include "allreduce_check.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace {

using namespace ranks;

template <class T>
void check_variants(Test& t, Case c, std::uint64_t seed, Random& random, int variants) {
  const Truth<T> truth(c, seed, t.size());
  c.chunk = 1 << 16;
  if (!CHECK(t, surely_on_lattice(c, truth, t.size()), "the test itself: %s", describe(c, "").c_str())) return;
  const std::uint64_t first = check_case<T>(t, c, seed, truth);
  for (int k = 0; k < variants; ++k) {
    static const std::vector<std::int64_t> chunks{7, 64, 100, 1000, 1024, 4096, 777, 1 << 16};
    c.algorithm = algorithms[static_cast<std::size_t>(k) % algorithms.size()];
    c.chunk = random.pick(chunks);
    if (c.count > 10000) c.chunk = std::max<std::int64_t>(c.chunk, 777);
    c.depth = 1 + static_cast<int>(random.below(8));
    c.threads = 1 + static_cast<int>(random.below(2));
    c.in_place = random.below(2) == 1;
    const std::uint64_t again = check_case<T>(t, c, seed, truth);
    CHECK(t, again == first, "other bits than with ring and defaults");
  }
}

// With the lattice, only the numbers and the bound may determine the bits.
void same_bits_whatever_the_way(Test& t, Random& random, laconic_codec codec) {
  Case base;
  base.algorithm = LACONIC_ALGORITHM_RING;
  base.codec = codec;
  for (const auto op : reductions) {
    base.op = op;
    base.field = Kind::normal;
    base.bound = {LACONIC_BOUND_ABS, 0.02};
    base.count = 4096;
    check_variants<float>(t, base, random.bits() % 1000, random, 8);
    base.field = Kind::real;
    base.bound = {LACONIC_BOUND_ABS, 0.7};
    base.count = 1000;
    check_variants<double>(t, base, random.bits() % 1000, random, 8);
  }
  base.op = Reduction::sum;
  base.field = Kind::sparse;
  base.bound = {LACONIC_BOUND_REL, 1e-2};
  base.count = 50021;
  check_variants<double>(t, base, 7, random, 8);
}

// Zeros of both signs and NaNs of many kinds meet: IEEE leaves open which of them results, but Laconic must always give
// the same one.
template <class T>
void special_bits(Test& t) {
  for (const auto algorithm : algorithms)
    for (const auto codec : {LACONIC_CODEC_QUANT, LACONIC_CODEC_DENSE, LACONIC_CODEC_RAW, LACONIC_CODEC_SZX})
      for (const auto op : reductions) {
        Case c;
        c.algorithm = algorithm;
        c.codec = codec;
        c.op = op;
        c.bound = {LACONIC_BOUND_ABS, 1e-3};
        c.count = 600;
        t.doing("zeros and NaNs: " + describe(c, sizeof(T) == 4 ? "float" : "double"));
        t.count_case();
        std::vector<T> x(c.count);
        for (std::size_t i = 0; i < c.count; ++i) {
          const auto mix = i * 31 + static_cast<std::size_t>(t.rank()) * 17;
          const T sign = mix % 7 < 3 ? T(-1) : T(1);
          if (i % 3 == 2 && mix % 5 == 0) {
            unsigned char bits[sizeof(T)];
            const T nan = std::copysign(std::numeric_limits<T>::quiet_NaN(), sign);
            std::memcpy(bits, &nan, sizeof nan);
            bits[0] = static_cast<unsigned char>(mix);  // little-endian: the payload
            std::memcpy(&x[i], bits, sizeof nan);
          } else if (i % 3 == 1 && mix % 5 < 2) {
            x[i] = sign * std::numeric_limits<T>::infinity();
          } else {
            x[i] = sign * T(0);
          }
        }
        const Outcome<T> out = call(t, c, x);
        const std::uint64_t hash = hash_of(out.result.data(), c.count * sizeof(T));
        CHECK(t, same_everywhere(hash, MPI_COMM_WORLD), "other bits on other ranks");
      }
}

// Programs flush denormals or round otherwise (-ffast-math does the former); here only some ranks do, which is worse.
template <class T>
void odd_arithmetic(Test& t, Random& random) {
#if defined(__SSE2__)
  const unsigned standard = _mm_getcsr();
  for (const unsigned mode : {0x8040U, 0x4000U, 0x2000U, 0x6000U})  // flush and treat as zero; up; down; to zero
    for (const auto field : {Kind::normal, Kind::denormal, Kind::special, Kind::huge_range})
      for (const bool relative : {false, true}) {
        Case c;
        c.field = field;
        c.op = random.pick(reductions);
        c.algorithm = random.pick(algorithms);
        c.count = 1500;
        c.bound = {relative ? LACONIC_BOUND_REL : LACONIC_BOUND_ABS, 1e-3};
        c.threads = 1 + static_cast<int>(random.below(2));
        t.doing(text("arithmetic mode %#x on odd ranks: ", mode) + describe(c, sizeof(T) == 4 ? "float" : "double"));
        t.count_case();
        const Truth<T> truth(c, 5, t.size());
        if (t.rank() % 2 == 1) _mm_setcsr(standard | mode);
        const unsigned asked = _mm_getcsr();
        const Outcome<T> out = call(t, c, truth.inputs[static_cast<std::size_t>(t.rank())]);
        const unsigned left = _mm_getcsr();
        _mm_setcsr(standard);
        CHECK(t, (asked & ~0x3fU) == (left & ~0x3fU), "the mode was %#x, is %#x", asked, left);
        check_same(t, c, truth, out);
        if (out.stats.plain_calls == 0) check_values(t, c, truth, out);
      }
#else
  (void)t, (void)random;
#endif
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "allreduce_bits");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  Random random(t.seed());
  for (const auto codec : {LACONIC_CODEC_QUANT, LACONIC_CODEC_DENSE}) same_bits_whatever_the_way(t, random, codec);
  special_bits<float>(t);
  special_bits<double>(t);
  odd_arithmetic<float>(t, random);
  odd_arithmetic<double>(t, random);
  return t.finish();
}
