// SPDX-License-Identifier: BSD-3-Clause
// The promises about numbers in calls of every kind: the bound holds for every element, the same bits arise on every
// rank, and the statistics say what happened.
#include "allreduce_check.hpp"

namespace {

using namespace ranks;

// Bounds that suit the field, and some that do not.
laconic_bound pick_bound(Kind field, Random& random) {
  static const std::vector<laconic_bound> any{
      {LACONIC_BOUND_ABS, 1e-3},   {LACONIC_BOUND_ABS, 0.37},  {LACONIC_BOUND_REL, 1e-2}, {LACONIC_BOUND_REL, 1e-4},
      {LACONIC_BOUND_REL, 1e-9},   {LACONIC_BOUND_ABS, 1e-12}, {LACONIC_BOUND_ABS, 1e30}, {LACONIC_BOUND_ABS, 1e-30},
      {LACONIC_BOUND_ABS, 5e-324}, {LACONIC_BOUND_ABS, 1e300}, {LACONIC_BOUND_REL, 3},    {LACONIC_BOUND_LOSSLESS, 0},
      {LACONIC_BOUND_ABS, 1e-310}, {LACONIC_BOUND_REL, 1e-300}};
  if (random.below(3) == 0) return random.pick(any);
  switch (field) {
    case Kind::denormal: return {LACONIC_BOUND_ABS, random.below(2) ? 1e-40 : 1e-310};
    case Kind::huge_range: return {LACONIC_BOUND_ABS, random.below(2) ? 1e26 : 1e3};
    case Kind::random_bits: return {LACONIC_BOUND_ABS, random.below(2) ? 1e36 : 1};
    case Kind::extreme: return {LACONIC_BOUND_REL, 1e-3};
    case Kind::ties: return {LACONIC_BOUND_ABS, 0x1p-10};
    default: return {random.below(2) ? LACONIC_BOUND_ABS : LACONIC_BOUND_REL, random.below(2) ? 1e-2 : 1e-4};
  }
}

std::size_t pick_count(Test& t, Random& random) {
  const auto n = static_cast<std::size_t>(t.size());
  const std::vector<std::size_t> small{0, 1, 2, 3, n - 1, n, n + 1, 2 * n + 1};
  const auto dice = random.below(10);
  return dice < 3 ? random.pick(small) : dice < 6 ? 1000 : dice < 9 ? 4097 : 50021;
}

Case random_case(Test& t, Random& random) {
  Case c;
  c.algorithm = random.pick(algorithms);
  c.codec = random.pick(codecs);
  c.op = random.pick(reductions);
  c.field = random.pick(all_fields);
  c.bound = pick_bound(c.field, random);
  c.target = random.below(3) == 0 ? LACONIC_TARGET_INPUT : LACONIC_TARGET_RESULT;
  c.count = pick_count(t, random);
  static const std::vector<std::int64_t> chunks{0, 0, 7, 100, 1024, 4096, 1 << 20};
  c.chunk = random.pick(chunks);
  if (c.chunk == 7 && c.count > 1000) c.chunk = 700;  // or most of the time goes into tiny messages
  c.depth = static_cast<int>(random.below(9));
  c.threads = random.below(6) == 0 ? 2 : 1;
  c.in_place = random.below(2) == 1;
  return c;
}

void run_case(Test& t, const Case& c, bool wide, std::uint64_t seed) {
  wide ? check_case<double>(t, c, seed) : check_case<float>(t, c, seed);
}

// Every algorithm x codec x operation x type, every field and every count at least once.
void fixed_core(Test& t, Random& random) {
  const auto n = static_cast<std::size_t>(t.size());
  const std::vector<std::size_t> counts{1000, 0, 1, 2, 4097, 3, n - 1, n, n + 1};
  std::size_t k = 0;
  for (const auto algorithm : algorithms)
    for (const auto codec : {LACONIC_CODEC_QUANT, LACONIC_CODEC_RAW, LACONIC_CODEC_SZX})
      for (const auto op : reductions)
        for (const bool wide : {false, true}) {
          Case c;
          c.algorithm = algorithm;
          c.codec = codec;
          c.op = op;
          c.field = all_fields[k % all_fields.size()];
          c.bound = pick_bound(c.field, random);
          c.count = k % 3 == 0 ? counts[k / 3 % counts.size()] : k % 3 == 1 ? 1000 : 4097;
          c.in_place = k % 2 == 1;
          run_case(t, c, wide, t.seed() * 1000 + k++);
        }
}

// Hostile fields through the default codec with every operation.
void hostile_core(Test& t, Random& random) {
  for (const Kind field : all_fields)
    for (const auto op : reductions) {
      Case c;
      c.field = field;
      c.op = op;
      c.algorithm = random.pick(algorithms);
      c.bound = pick_bound(field, random);
      c.count = 2500;
      run_case(t, c, random.below(2) == 1, random.bits() % 1000000);
    }
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "allreduce_property");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (t.rank() == 0)
    std::printf("allreduce_property: the real fields are %s\n",
                laconic::test::have_real_fields() ? "there" : "not unpacked, waves instead");
  Random random(t.seed());
  fixed_core(t, random);
  hostile_core(t, random);
  const long long cases = environment_number("TEST_CASES", 300 - 20 * t.size());
  for (long long k = 0; k < cases; ++k) {
    const Case c = random_case(t, random);
    run_case(t, c, random.below(2) == 1, t.seed() * 100000 + static_cast<std::uint64_t>(k));
  }
  return t.finish();
}
