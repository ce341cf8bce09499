#include <gtest/gtest.h>

#include "engine/plan.hpp"
#include "tune/choose.hpp"

namespace laconic::test {
namespace {

TEST(Choice, OfAlgorithmServesTheSize) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64})
    for (const int size : {1, 2, 3, 7, 8, 64, 65, 1000, 4096})
      for (const std::size_t count :
           {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{1} << 20, std::size_t{1} << 33}) {
        const Facts facts{count, dtype, size};
        const Algorithm& algorithm = choose_allreduce(facts);
        EXPECT_TRUE(algorithm.fits(size));
        EXPECT_EQ(&algorithm, find_algorithm(algorithm.name));
        EXPECT_EQ(&algorithm, &choose_allreduce(facts)) << "ranks would disagree";
      }
}

TEST(Choice, OfAlgorithmDependsOnTheBytes) {
  EXPECT_EQ(choose_allreduce({1000, Dtype::f32, 64}).name, "recursive-doubling");
  EXPECT_EQ(choose_allreduce({1 << 26, Dtype::f32, 64}).name, "ring");
}

// A frame is never empty for lack of a chunk, never so large that little overlaps or that its size overflows.
TEST(Choice, OfChunkIsReasonable) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64})
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{5000}, std::size_t{1} << 20,
                                    std::size_t{1} << 30, std::size_t{1} << 40})
      for (const std::int32_t blocks : {1, 2, 8, 1000})
        for (const int depth : {1, default_depth, 64}) {
          const std::size_t chunk = choose_chunk({count, dtype, blocks}, blocks, depth);
          EXPECT_GE(chunk, 1024u);
          EXPECT_LE(chunk * size_of(dtype), std::size_t{1} << 20);
          EXPECT_EQ(chunk, choose_chunk({count, dtype, blocks}, blocks, depth));
          // Large blocks are cut into enough rows to keep every lane busy.
          const std::size_t block = count / static_cast<std::size_t>(blocks);
          if (block >= std::size_t{1} << 20) {
            EXPECT_GE(block / chunk, static_cast<std::size_t>(depth));
          }
        }
}

}  // namespace
}  // namespace laconic::test
