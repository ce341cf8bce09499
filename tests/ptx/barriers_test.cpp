// SPDX-License-Identifier: BSD-3-Clause
// Faults planted in the kernels of quant: barriers that an operation passes, left out, must be found.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "ptx/control.hpp"
#include "ptx/operations.hpp"

namespace laconic::test {
namespace {

constexpr unsigned seeds = 12;

// Blocks of all kinds: with points that are near, far and missing, filled, and raw.
template <class T>
std::vector<T> mixed(std::uint64_t seed) {
  std::vector<T> all;
  for (const Kind kind : {Kind::walk, Kind::land, Kind::special, Kind::random_bits, Kind::zero, Kind::outliers,
                          Kind::ramp, Kind::huge_range, Kind::integers, Kind::normal}) {
    const auto part = make_field<T>(kind, 1500, seed, 0);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

// Whether the operation fails, or makes something else.
bool is_wrong(const Operation& operation, const Codec& device, const Bytes& right) {
  Bytes made;
  try {
    testing::TestPartResultArray failures;
    const testing::ScopedFakeTestPartResultReporter quiet(&failures);
    made = operation.run(device);
  } catch (const std::exception&) {
    made.clear();
  }
  return !ptx::take_fault().empty() || made != right;
}

template <class T>
void every_barrier_matters(const char* codec, double allowance, double relative) {
  const Codec& host = *find_codec(codec);
  const OnDevice device(host, *host.on_device());
  Coding coding = coding_for<T>(allowance, 2);
  coding.relative = relative;
  ptx::set_patience(1 << 20);
  const auto all = operations(host, mixed<T>(7), mixed<T>(8), coding);
  for (const Operation& operation : all) {
    const Bytes right = operation.run(host);
    ptx::set_seed(1);
    ptx::take_barriers();
    ASSERT_FALSE(is_wrong(operation, device, right)) << operation.name;
    const auto sites = ptx::take_barriers();
    EXPECT_FALSE(sites.empty()) << operation.name;
    // Each barrier of the threads of a block; and all of a kernel's for its warps at once, because some of those follow
    // each other without an access to memory between them.
    std::map<std::string, std::vector<ptx::Site>> plants;
    for (const ptx::Site& site : sites) {
      const bool of_warp = site.text.find("warp") != std::string::npos;
      plants[site.kernel + (of_warp ? ", its warps" : ", instruction " + std::to_string(site.at))].push_back(site);
    }
    for (const auto& [name, left_out] : plants) {
      for (const ptx::Site& site : left_out) ptx::skip(site);
      bool wrong = false;
      for (unsigned seed = 1; seed <= seeds && !wrong; ++seed) {
        ptx::set_seed(seed);
        wrong = is_wrong(operation, device, right);
      }
      for (const ptx::Site& site : left_out) ptx::restore(site);
      EXPECT_TRUE(wrong) << codec << ' ' << operation.name << ": nothing needs the barriers of " << name;
    }
    // The right kernel is right again.
    EXPECT_FALSE(is_wrong(operation, device, right)) << operation.name;
  }
  ptx::set_patience(0);
}

TEST(PtxBarriers, QuantFloat) { every_barrier_matters<float>("quant", 1e-3, 0); }
TEST(PtxBarriers, QuantDouble) { every_barrier_matters<double>("quant", 1e-3, 0); }
TEST(PtxBarriers, QuantFloat16) { every_barrier_matters<Float16>("quant", 1e-2, 0); }
TEST(PtxBarriers, QuantBfloat16) { every_barrier_matters<Bfloat16>("quant", 1e-2, 0); }
TEST(PtxBarriers, ScaledFloat) { every_barrier_matters<float>("quant", 0, 1e-3); }
TEST(PtxBarriers, ScaledDouble) { every_barrier_matters<double>("quant", 0, 1e-3); }
TEST(PtxBarriers, ScaledFloat16) { every_barrier_matters<Float16>("quant", 0, 1e-2); }
TEST(PtxBarriers, ScaledBfloat16) { every_barrier_matters<Bfloat16>("quant", 0, 1e-2); }

}  // namespace
}  // namespace laconic::test
