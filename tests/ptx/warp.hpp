// SPDX-License-Identifier: BSD-3-Clause
// Kernels in the form that runs, and the warps that run them.
//
// All lanes of a warp that are at the same place go on together, as one group; a branch that only some take divides a
// group, and groups that arrive at the same place become one again.  A register is a row of 64 bits for every lane; a
// predicate is a row whose first word has a bit for every lane.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ptx/memory.hpp"
#include "ptx/module.hpp"

namespace laconic::ptx {

constexpr unsigned warp_lanes = 32;
using Lanes = std::uint32_t;

class Warp;
struct Instruction;
using Action = void (*)(Warp&, const Instruction&, Lanes);

struct Operand {
  std::uint32_t row = 0;
  bool constant = false;  // a row of Kernel::constants
  bool inverted = false;  // a predicate behind an exclamation mark
};

enum class Flow : std::uint8_t {
  straight,
  branch,
  call,
  leave,    // return, or the end of the lanes
  meeting,  // of the lanes of a warp that a mask names, which is the last of `at`
  barrier,  // of all threads of a block
};

// Bytes of a lane's own memory that a call or a return moves.
struct Move {
  std::uint32_t from, to, bytes;
};

struct Instruction {
  Action action = nullptr;
  Flow flow = Flow::straight;
  bool guarded = false;
  bool word = false;       // communicates between blocks
  std::uint8_t bytes = 0;  // of memory, for each register
  std::uint8_t count = 1;  // of registers in a vector
  bool is_signed = false;
  Space space = Space::generic;
  Operand guard;
  std::array<Operand, 6> at;  // as in the text, the destination first
  std::int64_t number = 0;    // what goes into an address, or chooses a variant
  std::uint32_t target = 0;   // of a branch or call
  std::uint32_t call = 0;     // index of Kernel::calls
};

struct Call {
  std::vector<Move> arguments, results;
};

// Rows that every kernel has, in front of its registers.
enum Row : std::uint32_t { row_tid, row_ctaid, row_ntid, row_nctaid, row_lane, row_parameters, row_own, first_row };

struct Kernel {
  std::string name;
  std::vector<Variable> parameters;
  std::size_t parameter_bytes = 0;
  std::vector<std::size_t> parameter_at;
  std::size_t shared_bytes = 0;
  std::size_t own_bytes = 0;  // of each lane: .local variables and arguments of calls
  std::uint32_t rows = first_row;
  std::vector<std::uint64_t> constants;  // warp_lanes for each
  std::vector<Instruction> code;
  std::vector<std::string> text;  // of each instruction
  std::vector<bool> is_target;    // lanes may arrive here from elsewhere
  std::vector<Call> calls;
  mutable std::vector<bool> met;  // meetings and barriers that lanes have passed
};

// Makes the kernel of that name from its text and that of the functions that it calls.  Throws Fault for what it does
// not know.
Kernel assemble(const Module& module, const std::string& name);

struct Group {
  Lanes lanes = 0;
  std::uint32_t at = 0;
  std::vector<std::uint32_t> callers;  // the calls that these lanes are in
  bool waits = false;                  // for other lanes of a mask
};

struct Block {
  std::uint32_t launch = 0;
  unsigned index = 0;
  unsigned threads = 0;
  std::vector<std::byte> memory;  // holds `shared`, with room for its alignment
  std::byte* shared = nullptr;
  std::vector<Cell> cells;     // of shared memory
  std::uint32_t barriers = 0;  // all threads have passed so many
  std::vector<std::unique_ptr<Warp>> warps;
};

class Warp {
 public:
  Warp(const Kernel& kernel, Block& block, unsigned index, Accesses& accesses);

  // Begins the kernel.  Memory of the lanes holds `garbage`, registers what was in them.
  void start(const std::byte* parameters, unsigned blocks, std::uint8_t garbage);

  // Runs at most that many instructions.  Stops earlier at a barrier and at the end, and, where `restless`, after a
  // word that blocks share.
  void run(std::uint64_t most, bool restless);

  bool done() const { return groups_.empty(); }
  bool at_barrier() const { return at_barrier_; }
  std::uint32_t place() const { return groups_.front().at; }
  // All threads of the block have arrived.  `sum`: of barrier_value() of all warps.
  void pass_barrier(std::uint32_t sum);
  std::uint32_t barrier_value() const { return barrier_value_; }
  std::uint64_t executed() const { return executed_; }
  std::string where() const { return kernel_.text[running_]; }

  // For actions.
  const std::uint64_t* in(const Operand& o) const {
    return (o.constant ? constants_ : rows_.get()) + o.row * warp_lanes;
  }
  std::uint64_t* out(const Operand& o) { return rows_.get() + o.row * warp_lanes; }
  Lanes predicate(const Operand& o) const {
    const auto lanes = static_cast<Lanes>(in(o)[0]);
    return o.inverted ? ~lanes : lanes;
  }
  void set_predicate(const Operand& o, Lanes act, Lanes value) {
    std::uint64_t& word = out(o)[0];
    word = (word & ~std::uint64_t{act}) | (value & act);
  }
  // The memory of a lane at an address of a space.  Throws Fault where it must not access it.
  std::byte* reach(const Instruction& i, unsigned lane, std::uint64_t address, unsigned bytes, Access access);
  std::byte* shared() const { return block_.shared; }
  std::byte* own(unsigned lane) const { return own_.get() + lane * kernel_.own_bytes; }
  Lanes alive() const;
  void passed_warp_barrier(Lanes lanes) { syncs_ += lanes == alive() ? 1 : 0; }

 private:
  std::size_t pick();
  void join();
  bool step(std::size_t group);
  void branch(std::size_t group, const Instruction& i, Lanes act);
  void call(Group& group, const Instruction& i);
  void leave(std::size_t group, const Instruction& i, Lanes act);
  bool meet(std::size_t group, const Instruction& i);
  void arrive(Group& group, const Instruction& i);
  void go_on(std::size_t group, Lanes lanes);
  void move(const Move& move, Lanes lanes);

  const Kernel& kernel_;
  Block& block_;
  const unsigned first_thread_;
  Accesses& accesses_;
  std::unique_ptr<std::uint64_t[]> rows_;
  const std::uint64_t* constants_;
  std::unique_ptr<std::byte[]> own_;
  const std::byte* parameters_ = nullptr;
  std::vector<Group> groups_;
  std::uint32_t running_ = 0;
  std::uint32_t syncs_ = 0;
  std::uint32_t barrier_value_ = 0;
  std::uint64_t executed_ = 0;
  bool at_barrier_ = false;
};

// Calls f(lane) for every lane of a set.
template <class F>
void each(Lanes lanes, F f) {
  if (lanes == ~Lanes{0})
    for (unsigned lane = 0; lane < warp_lanes; ++lane) f(lane);
  else
    for (; lanes != 0; lanes &= lanes - 1) f(static_cast<unsigned>(__builtin_ctz(lanes)));
}

}  // namespace laconic::ptx
