// Once warm, an operation allocates nothing.  operator new is replaced in this whole binary; it counts while asked to.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

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

TEST(Allocation, NothingIsAllocatedOnceWarm) {
  for (const Algorithm& algorithm : all_algorithms())
    for (const Codec* codec : all_codecs())
      for (const int size : {1, 2, 3, 4, 8}) {
        World world(size, 1, base_seed(), std::chrono::microseconds(0));
        Operation o;
        o.algorithm = &algorithm;
        o.codec = codec;
        o.bound = 1e-2;
        o.count = 9000;
        o.chunk = 300;
        o.depth = 3;
        SCOPED_TRACE(to_text(o, size));
        Bench<float> bench(o, size, Kind::special, 1);
        auto works = bench.works(world.next_sequence());
        const auto again = [&] {
          const std::uint64_t sequence = world.next_sequence();
          for (Work& work : works) work.sequence = sequence;
          world.drive_in_turns(works);
        };
        for (int warm = 0; warm < 3; ++warm) again();
        const std::size_t leased = world.footprint();
        allocations = 0;
        counting = true;
        for (int k = 0; k < 3; ++k) again();
        counting = false;
        EXPECT_EQ(allocations, 0);
        EXPECT_EQ(world.footprint(), leased);
        // A smaller operation fits into what is there.
        counting = true;
        for (Work& work : works) work.count = 100;
        again();
        counting = false;
        EXPECT_EQ(allocations, 0);
      }
}

}  // namespace
}  // namespace laconic::test

#endif
