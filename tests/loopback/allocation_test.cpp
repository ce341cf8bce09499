// Once warm, an operation allocates nothing.  operator new is replaced in this whole binary; it counts while asked to.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "support/bench.hpp"
#include "support/seed.hpp"
#include "support/world.hpp"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

std::atomic<bool> counting{false};
std::atomic<long> allocations{0};

void* counted(std::size_t bytes, std::size_t alignment) {
  if (counting) ++allocations;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  if (void* p = std::aligned_alloc(alignment, rounded > 0 ? rounded : alignment)) return p;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes) { return counted(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t a) { return counted(bytes, static_cast<std::size_t>(a)); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace laconic::test {
namespace {

void repeat(World& world, std::vector<Work>& works) {
  const std::uint64_t sequence = world.next_sequence();
  for (Work& work : works) work.sequence = sequence;
  world.drive_in_turns(works);
}

class Allocation : public ::testing::TestWithParam<std::size_t> {};

INSTANTIATE_TEST_SUITE_P(Loopback, Allocation, ::testing::Range(std::size_t{0}, all_algorithms().size()),
                         [](const auto& i) { return plain_name(all_algorithms()[i.param]); });

TEST_P(Allocation, NothingIsAllocatedOnceWarm) {
  const Algorithm& algorithm = all_algorithms()[GetParam()];
  for (const Codec* codec : all_codecs())
    for (const bool per_hop : {false, true})
      for (const int size : {1, 2, 3, 4, 8}) {
        if (!algorithm.fits(size)) continue;
        World world(size, 1, base_seed(), std::chrono::microseconds(0));
        Operation o;
        o.algorithm = &algorithm;
        o.codec = codec;
        o.per_hop = per_hop;
        o.root = size / 2;
        o.bound = 1e-2;
        o.count = cuts_equally(o.collective()) ? 4500 : 700;
        o.chunk = 150;
        o.depth = 3;
        SCOPED_TRACE(to_text(o, size));
        Bench<float> bench(o, size, Kind::special, 1);
        auto works = bench.works(0);
        o.count = 100;
        Bench<float> smaller(o, size, Kind::special, 1);
        auto smaller_works = smaller.works(0);
        for (int warm = 0; warm < 2; ++warm) repeat(world, works);
        const std::size_t leased = world.footprint();
        allocations = 0;
        counting = true;
        for (int k = 0; k < 3; ++k) repeat(world, works);
        repeat(world, smaller_works);
        repeat(world, works);
        counting = false;
        EXPECT_EQ(allocations, 0);
        EXPECT_EQ(world.footprint(), leased);
        bench.check(world);
        if (HasFailure()) return;
      }
}

}  // namespace
}  // namespace laconic::test

#endif
