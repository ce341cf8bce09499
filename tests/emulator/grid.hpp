// SPDX-License-Identifier: BSD-3-Clause
// The execution model of CUDA: thread blocks that consist of warps of 32 lanes.  Only some blocks are resident at a
// time.  Each lane is a fiber.  Whenever lanes meet, or access words that thread blocks share, another lane of the same
// warp or of another warp or block may go on instead.  A seeded random number selects the lane.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "emulator/fiber.hpp"
#include "emulator/where.hpp"

namespace laconic::emulator {

constexpr unsigned warp_size = 32;

struct Coordinates {
  unsigned x = 0, y = 0, z = 0;
};

// Collective functions of the lanes of a warp.
enum class Meeting : std::uint8_t {
  syncwarp,
  shfl,
  shfl_up,
  shfl_down,
  shfl_xor,
  ballot,
  any,
  all,
  match_any,
  reduce_add,
  reduce_and,
  reduce_or,
  reduce_xor,
  reduce_min,
  reduce_max,
  reduce_min_signed,
  reduce_max_signed,
};
const char* name(Meeting meeting);

// Collective functions of all threads of a block.
enum class Barrier : std::uint8_t { sync, count, every, some };
const char* name(Barrier barrier);

struct Block;
struct Warp;
class Grid;

struct Lane {
  Fiber fiber;
  Grid* grid = nullptr;
  Warp* warp = nullptr;
  Coordinates thread;
  Coordinates block;
  unsigned number = 0;  // index in the warp
  enum class State : std::uint8_t { ready, meets, waits, finished } state = State::ready;
  Where where;  // where the lane waits, or where it last accessed shared words
};

// A meeting under way: the lanes of `arrived` wait for the other lanes of `mask`.
struct Rendezvous {
  Meeting meeting;
  std::uint32_t mask;
  std::uint32_t arrived;
  Where where;
};

struct Warp {
  Block* block = nullptr;
  std::uint32_t exists = 0;
  std::uint32_t ready = 0;
  std::uint32_t finished = 0;
  std::size_t place = 0;  // index in Grid::ready_, if any lane is ready
  std::vector<Rendezvous> meetings;
  std::array<std::uint64_t, warp_size> value;
  std::array<std::uint32_t, warp_size> source;  // for a shuffle: the lane that is read
  std::array<std::uint64_t, warp_size> result;
  std::array<Lane, warp_size> lanes;
};

struct Shared {
  const void* site;
  std::size_t bytes;
  std::size_t alignment;
  void* memory;
};

struct Block {
  std::vector<std::unique_ptr<Warp>> warps;
  unsigned index = 0;
  bool resident = false;
  unsigned finished = 0;
  std::uint64_t held_until = 0;  // until this turn, other blocks are preferred
  unsigned waiting = 0;          // number of threads at the barrier
  Barrier barrier = Barrier::sync;
  Where where;
  unsigned sum = 0;  // sum of the values that threads pass to the barrier
  unsigned result = 0;
  std::vector<Shared> shared;
};

// The size of a launch, its seed, and its limit on waiting.
struct Launch {
  unsigned blocks = 1;
  unsigned threads = 1;
  std::uint64_t seed = 0;
  std::uint64_t patience = 0;  // most loads of shared words in a row without a write
};

class Grid {
 public:
  Grid(const Launch& launch, const std::function<void()>& body);
  ~Grid();
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;

  // Runs all blocks.  Returns an empty string, or the description of a fault, after which some blocks are unfinished.
  std::string run();

  // The functions that the running lane calls.
  std::uint64_t meet(Meeting meeting, std::uint32_t mask, std::uint64_t value, std::uint32_t source, Where where);
  unsigned barrier(Barrier barrier, bool yes, Where where);
  void* shared(const void* site, std::size_t bytes, std::size_t alignment);
  void before_read(Where where);
  void before_write(Where where);
  void after_write(bool changed);
  // Ends the launch.  Destructors of objects on the stack of a lane that leaves never run.  The message is therefore
  // made by a callable, and is destroyed before the lane leaves.
  template <class Message>
  void fail_if(bool bad, Message message) {
    if (!bad) return;
    note(message());
    leave();
  }
  unsigned threads() const { return launch_.threads; }
  unsigned blocks() const { return launch_.blocks; }

 private:
  void fill();
  void start(Block& block, std::size_t slot);
  void retire(Block& block);
  static void enter(void* lane);
  void finish(Lane& lane);
  void set_ready(Warp& warp, std::uint32_t lanes);
  void set_waiting(Lane& lane, Lane::State state, Where where);
  void hand_over(bool far);
  bool held(const Block& block) const;
  Warp& pick();
  Lane& choose(Warp& warp);
  void expect_mask(const Lane& lane, Meeting meeting, std::uint32_t mask, Where where);
  void complete(Warp& warp, std::size_t index);
  void release(Block& block);
  std::string standings() const;
  void note(const std::string& what);
  [[noreturn]] void leave();

  const Launch launch_;
  const std::function<void()>& body_;
  Random random_;
  std::unique_ptr<Stacks> stacks_;
  std::vector<std::unique_ptr<Block>> slots_;
  std::vector<unsigned> waiting_;  // blocks that have not started, the next one last
  std::vector<Warp*> ready_;
  Fiber outside_;
  std::uint64_t turn_ = 0;
  unsigned restless_;  // after a meeting, any warp may go on once in 2^restless_ times
  std::uint64_t idle_ = 0;
  std::string fault_;
};

// The running lane while a kernel runs.  The runtime's lock ensures that only one kernel runs at a time.
LACONIC_EMULATOR_API extern Lane* running;

}  // namespace laconic::emulator
