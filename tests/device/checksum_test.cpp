// SPDX-License-Identifier: BSD-3-Clause
// The checksum of bytes on a device equals the host's.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "base/checksum.hpp"
#include "device/scratch.hpp"
#include "support/fields.hpp"
#include "support/frames.hpp"
#include "support/on_device.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

using DeviceChecksum = laconic::DeviceTest;  // skipped where there is no device

TEST_F(DeviceChecksum, IsThatOfTheHost) {
  Random random(base_seed());
  OneQueue queue;
  for (const std::size_t n : {0u, 1u, 7u, 8u, 9u, 1000u, 1023u, 1024u, 1025u, 5000u, 270001u})
    for (const std::size_t most : {n, n / 2, n + 100}) {
      // The size comes first, as in a frame; the device buffer has no byte more.
      Bytes bytes(8 + n);
      for (std::byte& b : bytes) b = std::byte(random.below(256));
      const auto size = static_cast<std::uint32_t>(n);
      std::memcpy(bytes.data(), &size, sizeof size);
      DeviceBytes there(bytes.size());
      there.write(bytes.data());
      const unsigned place = static_cast<unsigned>(random.below(Queue::sums));
      must(queue.sum(there.get() + 8, reinterpret_cast<const std::uint32_t*>(there.get()), most, place));
      Status status;
      ASSERT_TRUE(queue.reached(status) && status.ok()) << status.message();
      const auto expected = std::span<const std::byte>(bytes).subspan(8, std::min(n, most));
      EXPECT_EQ(queue.summed(place), checksum::sum(expected)) << n << " bytes, at most " << most;
    }
}

}  // namespace
}  // namespace laconic::test
