// SPDX-License-Identifier: BSD-3-Clause
// The machine that runs PTX: small kernels, some with a fault that must be found and named.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "device/scratch.hpp"
#include "ptx/control.hpp"

namespace laconic {
namespace {

constexpr unsigned seeds = 20;

const std::string registers =
    ".reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>, %SP, %SPL;\n.reg .f32 %f<9>;\n";

// A kernel with one pointer in %rd1, the thread in %r1, and four bytes for each thread of the block at %rd2.
std::string kernel(const std::string& name, const std::string& body, const std::string& before = "") {
  return ".version 8.0\n.target sm_90\n.address_size 64\n" + before + ".visible .entry " + name + "(\n.param .u64 " +
         name + "_param_0\n)\n{\n" + registers + ".shared .align 4 .b8 " + name +
         "_shared[256];\nld.param.u64 %rd1, [" + name +
         "_param_0];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd2, %rd1, %rd3;\nshl.b32 %r2, %r1, "
         "2;\n"
         "mov.u32 %r3, " +
         name + "_shared;\nadd.s32 %r4, %r3, %r2; // own word of shared memory\n" + body + "\nret;\n}\n";
}

// The result of 64 threads, or the fault.
struct Result {
  std::vector<std::uint32_t> words;
  std::string fault;
};
Result run(const std::string& name, const std::string& text, unsigned seed) {
  static std::vector<std::string> known;
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    known.push_back(name);
    EXPECT_EQ(ptx::add_text(text), "");
  }
  ptx::set_seed(seed);
  const OnDevice<std::uint32_t> words(64);
  Result result;
  result.fault = ptx::launch(name, 1, 64, {reinterpret_cast<std::uint64_t>(words.data())});
  if (result.fault.empty()) result.words = words.get();
  return result;
}

TEST(PtxMachine, LanesDivergeAndMeetAgain) {
  // Odd threads double their number, even ones add 100; then all add up what the 32 lanes have.
  const std::string text =
      kernel("diverge",
             "and.b32 %r5, %r1, 1;\nsetp.eq.s32 %p1, %r5, 0;\n@%p1 bra $even;\nshl.b32 %r6, %r1, 1;\n"
             "bra.uni $join;\n$even:\nadd.s32 %r6, %r1, 100;\n$join:\n"
             "redux.sync.add.u32 %r7, %r6, -1;\nst.global.u32 [%rd2], %r7;");
  const Result result = run("diverge", text, 1);
  ASSERT_EQ(result.fault, "");
  for (unsigned warp = 0; warp < 2; ++warp) {
    std::uint32_t sum = 0;
    for (unsigned t = 32 * warp; t < 32 * warp + 32; ++t) sum += t % 2 == 0 ? t + 100 : 2 * t;
    EXPECT_EQ(result.words[32 * warp + 5], sum);
  }
}

TEST(PtxMachine, FunctionsHaveMemoryOfTheirLanes) {
  // factor(x): x factorial, by a loop over an array of the lane's own.
  const std::string function =
      std::string(".func (.param .b32 back) fact\n(\n.param .b32 x\n)\n{\n") + registers +
      ".local .align 8 .b8 __local_depot0[16];\n"
      "mov.u64 %SPL, __local_depot0;\ncvta.local.u64 %SP, %SPL;\nld.param.u32 %r1, [x];\nst.local.u32 [%SPL+4], 1;\n"
      "$again:\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra $done;\nld.u32 %r2, [%SP+4];\nmul.lo.s32 %r2, %r2, %r1;\n"
      "st.local.u32 [%SPL+4], %r2;\nadd.s32 %r1, %r1, -1;\nbra.uni $again;\n$done:\nld.local.u32 %r3, [%SPL+4];\n"
      "st.param.b32 [back], %r3;\nret;\n}\n";
  const std::string text =
      kernel("calls",
             "and.b32 %r5, %r1, 7;\n{ // callseq\n.param .b32 param0;\nst.param.b32 [param0], %r5;\n"
             ".param .b32 retval0;\ncall.uni (retval0), fact, (param0);\n"
             "ld.param.b32 %r6, [retval0];\n}\nst.global.u32 [%rd2], %r6;",
             function);
  const Result result = run("calls", text, 1);
  ASSERT_EQ(result.fault, "");
  constexpr std::uint32_t factorial[] = {1, 1, 2, 6, 24, 120, 720, 5040};
  for (unsigned t = 0; t < 64; ++t) EXPECT_EQ(result.words[t], factorial[t % 8]);
}

// What it does not know, it must not pass over.
TEST(PtxMachine, RefusesWhatItDoesNotKnow) {
  for (const char* statement :
       {"tanh.approx.f32 %f1, %f2;", "add.rz.f32 %f1, %f2, %f3;", "add.f32.ftz %f1, %f2, %f3;",
        "cvt.rz.f16.f32 %h1, %f1;", "mov.u32 %r5, %clock;", "mov.u32 %r5, %tid.y;", "ld.const.u32 %r5, [%rd1];",
        "bar.sync 1, 32;", "st.global.u32 [nothing], %r1;", "bra.uni $nowhere;", "call.uni (retval0), %rd5, (param0);",
        "ld.global.v2.u32 %r5, [%rd1];"}) {
    static int number = 0;
    const std::string name = "unknown" + std::to_string(++number);
    EXPECT_NE(run(name, kernel(name, statement), 1).fault.find("PTX: "), std::string::npos) << statement;
  }
  EXPECT_NE(ptx::add_text(".global .align 4 .b8 table[16];"), "");
}

struct Plant {
  std::string name;
  std::string body;
  std::string found;  // part of the fault; empty: there is none
};
void PrintTo(const Plant& plant, std::ostream* out) { *out << plant.name; }

// Every thread writes its own word, which has been written before, and reads that of another.
const std::string own = "st.shared.u32 [%r4], 0;\nbar.sync 0;\nst.shared.u32 [%r4], %r1;\n";
const std::string of_warp =
    "xor.b32 %r5, %r2, 4;\nadd.s32 %r6, %r3, %r5;\nld.shared.u32 %r7, [%r6];\nst.global.u32 [%rd2], %r7;\n";
const std::string of_block =
    "xor.b32 %r5, %r2, 128;\nadd.s32 %r6, %r3, %r5;\nld.shared.u32 %r7, [%r6];\nst.global.u32 [%rd2], %r7;\n";

const std::vector<Plant> plants = {
    {"right_warp", own + "bar.warp.sync -1;\n" + of_warp, ""},
    {"right_block", own + "bar.sync 0;\n" + of_block, ""},
    {"no_warp_barrier", own + of_warp, "a race: "},
    {"no_block_barrier", own + of_block, "a race: "},
    {"warp_barrier_for_block", own + "bar.warp.sync -1;\n" + of_block, "a race: "},
    {"vote_for_barrier", own + "setp.eq.u32 %p1, %r1, 0;\nvote.sync.any.pred %p2, %p1, -1;\n" + of_warp, "a race: "},
    {"overwritten", own + "bar.sync 0;\nld.shared.u32 %r7, [%r3];\nst.shared.u32 [%r4], %r7;", "a race: "},
    {"two_writes", "st.shared.u32 [%r3], %r1;", "a race: two writes"},
    {"global_race", "st.global.u32 [%rd1], %r1;", "a race: two writes"},
    {"outside", "st.global.u32 [%rd2+4], %r1;", "outside of any allocation"},
    {"outside_shared", "st.shared.u32 [%r4+4], %r1;", "outside of shared memory"},
    {"misaligned", "st.global.u16 [%rd2+1], %r1;", "not a multiple"},
    {"misaligned_vector", "ld.global.v2.u32 {%r5, %r6}, [%rd1+4];", "not a multiple"},
    {"writes_parameters", "mov.b64 %rd4, writes_parameters_param_0;\nst.param.u32 [%rd4], %r1;", "parameters"},
    {"lane_outside_mask", "shfl.sync.down.b32 %r5, %r1, 1, 31, 1;", "does not name the lane that calls"},
    {"gone_lane", "setp.eq.u32 %p1, %r1, 3;\n@%p1 ret;\nredux.sync.add.u32 %r5, %r1, -1;", "have returned"},
    {"never_meet",
     "setp.lt.u32 %p1, %r1, 3;\n@%p1 bra $a;\nredux.sync.add.u32 %r5, %r1, -1;\nbra.uni $b;\n$a:\n"
     "redux.sync.add.u32 %r5, %r1, -1;\n$b:\n",
     "of a warp"},
    {"shuffle_reads_outside", "setp.gt.u32 %p1, %r1, 7;\n@%p1 bra $b;\nshfl.sync.bfly.b32 %r5, %r1, 8, 31, 255;\n$b:\n",
     "a shuffle reads"},
    {"barrier_of_some", "setp.gt.u32 %p1, %r1, 31;\n@%p1 ret;\nbar.sync 0;", "never reach"},
    {"different_barriers", "setp.gt.u32 %p1, %r1, 31;\n@%p1 bra $a;\nbar.sync 0;\nbra.uni $b;\n$a:\nbar.sync 0;\n$b:\n",
     "different barriers"},
    {"waits_for_ever", "$a:\nld.relaxed.gpu.u32 %r5, [%rd1];\nsetp.eq.u32 %p1, %r5, 0;\n@%p1 bra $a;", "nobody writes"},
};

// A fault is that of the case that made it, and must not make others skip because there is no device.
class TakesFaults : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo&) override {
    if (const std::string fault = ptx::take_fault(); !fault.empty()) std::printf("%s\n", fault.c_str());
  }
};
[[maybe_unused]] const bool listens = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new TakesFaults);
  return true;
}();

TEST(PtxMachine, IsADevice) {
  int devices = 0;
  EXPECT_EQ(cudaGetDeviceCount(&devices), cudaSuccess);
  EXPECT_EQ(devices, 1);
}

TEST(PtxMachine, FindsReadsOfWhatWasNeverWritten) {
  std::uint32_t* words = nullptr;
  ASSERT_EQ(cudaMalloc(&words, 256), cudaSuccess);
  ASSERT_EQ(cudaMemset(words, 0, 252), cudaSuccess);  // all but the last
  ASSERT_EQ(ptx::add_text(kernel("reads", "ld.global.u32 %r5, [%rd2];")), "");
  const auto pointer = reinterpret_cast<std::uint64_t>(words);
  EXPECT_EQ(ptx::launch("reads", 1, 63, {pointer}), "");
  EXPECT_NE(ptx::launch("reads", 1, 64, {pointer}).find("never written"), std::string::npos);
  cudaFree(words);
}

class PtxPlants : public testing::TestWithParam<Plant> {};
INSTANTIATE_TEST_SUITE_P(Each, PtxPlants, testing::ValuesIn(plants),
                         [](const auto& plant) { return plant.param.name; });

// With every seed: none of these is a matter of luck.
TEST_P(PtxPlants, AreFound) {
  ptx::set_patience(1 << 12);
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    const Plant& plant = GetParam();
    const std::string fault = run(plant.name, kernel(plant.name, plant.body), seed).fault;
    if (plant.found.empty())
      EXPECT_EQ(fault, "") << "seed " << seed;
    else
      EXPECT_NE(fault.find(plant.found), std::string::npos) << "seed " << seed << ": \"" << fault << '"';
  }
  ptx::set_patience(0);
}

}  // namespace
}  // namespace laconic
