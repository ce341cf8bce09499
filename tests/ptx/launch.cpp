// SPDX-License-Identifier: BSD-3-Clause
#include "ptx/launch.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "emulator/where.hpp"

namespace laconic::ptx {
namespace {

constexpr unsigned most_resident = 48;
constexpr std::size_t shared_alignment = 128;

class Running {
 public:
  Running(const Kernel& kernel, const std::vector<std::byte>& parameters, const Grid& grid, Accesses& accesses)
      : kernel_(kernel),
        parameters_(parameters),
        grid_(grid),
        accesses_(accesses),
        random_(grid.seed),
        launch_(accesses.next_launch()),
        waiting_(grid.blocks) {
    std::iota(waiting_.rbegin(), waiting_.rend(), 0u);
    if (!grid.calm)
      for (std::size_t k = waiting_.size(); k > 1; --k) std::swap(waiting_[k - 1], waiting_[random_.below(k)]);
    slots_ = grid.calm ? 1 : 1 + random_.below(most_resident);
  }

  void all(std::uint64_t& executed) {
    while (!waiting_.empty() || !resident_.empty()) {
      while (!waiting_.empty() && resident_.size() < slots_) start();
      const std::size_t chosen = random_.below(resident_.size());
      turn(*resident_[chosen]);
      if (!is_done(*resident_[chosen])) continue;
      for (const auto& warp : resident_[chosen]->warps) executed += warp->executed();
      unused_.push_back(std::move(resident_[chosen]));
      resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(chosen));
    }
  }

  std::string where() const {
    return kernel_.name + ", block " + std::to_string(block_) + ", `" + (warp_ != nullptr ? warp_->where() : "") + "`";
  }

 private:
  static bool is_done(const Block& block) {
    return std::all_of(block.warps.begin(), block.warps.end(), [](const auto& warp) { return warp->done(); });
  }

  void start() {
    if (unused_.empty()) {
      auto block = std::make_unique<Block>();
      block->threads = grid_.threads;
      block->launch = launch_;
      block->memory.resize(kernel_.shared_bytes + shared_alignment);
      const std::size_t off = reinterpret_cast<std::uintptr_t>(block->memory.data()) % shared_alignment;
      block->shared = block->memory.data() + (shared_alignment - off) % shared_alignment;
      for (unsigned k = 0; k * warp_lanes < grid_.threads; ++k)
        block->warps.push_back(std::make_unique<Warp>(kernel_, *block, k, accesses_));
      unused_.push_back(std::move(block));
    }
    resident_.push_back(std::move(unused_.back()));
    unused_.pop_back();
    Block& block = *resident_.back();
    block.index = waiting_.back();
    waiting_.pop_back();
    block.barriers = 0;
    block.cells.assign(kernel_.shared_bytes, {});
    const auto garbage = static_cast<std::uint8_t>(0x80 | random_.below(0x7f));
    for (std::byte& b : block.memory) b = static_cast<std::byte>(random_.next());
    for (const auto& warp : block.warps) warp->start(parameters_.data(), grid_.blocks, garbage);
  }

  // One of its warps runs for a while.
  void turn(Block& block) {
    block_ = block.index;
    const std::size_t first = grid_.calm ? 0 : random_.below(block.warps.size());
    for (std::size_t k = 0; k < block.warps.size(); ++k) {
      Warp& warp = *block.warps[(first + k) % block.warps.size()];
      if (warp.done() || warp.at_barrier()) continue;
      warp_ = &warp;
      const std::uint32_t most = random_.below(4) == 0 ? 2000 : 40;
      warp.run(grid_.calm ? ~std::uint64_t{0} : 1 + random_.below(most), !grid_.calm && random_.below(2) == 0);
      break;
    }
    if (accesses_.idle_reads() > grid_.patience) throw Fault("a wait for words that nobody writes");
    pass_barrier(block);
  }

  void pass_barrier(Block& block) {
    std::uint32_t sum = 0;
    unsigned there = 0, gone = 0;
    for (const auto& warp : block.warps) {
      there += warp->at_barrier() ? 1 : 0;
      gone += warp->done() ? 1 : 0;
      sum += warp->at_barrier() ? warp->barrier_value() : 0;
    }
    if (there == 0 || there + gone < block.warps.size()) return;
    if (gone > 0) throw Fault("a barrier that some threads of the block never reach");
    for (const auto& warp : block.warps)
      if (warp->place() != block.warps[0]->place()) throw Fault("threads of a block at different barriers");
    ++block.barriers;
    for (const auto& warp : block.warps) warp->pass_barrier(sum);
  }

  const Kernel& kernel_;
  const std::vector<std::byte>& parameters_;
  const Grid grid_;
  Accesses& accesses_;
  emulator::Random random_;
  const std::uint32_t launch_;
  std::vector<unsigned> waiting_;  // the next one last
  std::size_t slots_ = 1;
  std::vector<std::unique_ptr<Block>> resident_, unused_;
  unsigned block_ = 0;
  const Warp* warp_ = nullptr;
};

}  // namespace

std::string run(const Kernel& kernel, const std::vector<std::byte>& parameters, const Grid& grid, Accesses& accesses,
                std::uint64_t& executed) {
  Running running(kernel, parameters, grid, accesses);
  try {
    running.all(executed);
  } catch (const Fault& fault) {
    return std::string(fault.what()) + "; " + running.where();
  }
  return {};
}

}  // namespace laconic::ptx
