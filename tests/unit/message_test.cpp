// SPDX-License-Identifier: BSD-3-Clause
// Messages of several frames: what is packed comes out again, and damage to the sizes never leads beyond the message.
#include "wire/message.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/fields.hpp"
#include "support/seed.hpp"
#include "wire/bytes.hpp"

namespace laconic::test {
namespace {

using Bytes = std::vector<std::byte>;

Bytes random_bytes(std::size_t size, Random& random) {
  Bytes bytes(size);
  for (std::byte& b : bytes) b = std::byte(random.below(256));
  return bytes;
}

Bytes packed(const std::vector<Bytes>& frames, std::size_t largest) {
  Bytes room(wire::message_bytes(frames.size(), largest));
  wire::Packer packer;
  packer.begin(room, static_cast<std::uint32_t>(frames.size()));
  for (const Bytes& frame : frames) packer.add(frame);
  return {packer.message().begin(), packer.message().end()};
}

// The layout in docs/wire-format.md.
TEST(Message, HasSizesAndThenFrames) {
  const Bytes a{std::byte{1}, std::byte{2}, std::byte{3}}, b{std::byte{4}};
  const std::vector<int> expected{3, 0, 0, 0, 1, 0, 0, 0, 1, 2, 3, 4};
  const Bytes message = packed({a, b}, 3);
  ASSERT_EQ(message.size(), expected.size());
  for (std::size_t i = 0; i < message.size(); ++i) EXPECT_EQ(std::to_integer<int>(message[i]), expected[i]);
}

TEST(Message, GivesBackItsFrames) {
  Random random(base_seed());
  for (int k = 0; k < 200; ++k) {
    std::vector<Bytes> frames(1 + random.below(20));
    for (Bytes& frame : frames) frame = random_bytes(random.below(100), random);
    const Bytes message = packed(frames, 100);
    wire::Unpacker unpacker;
    unpacker.begin(message, static_cast<std::uint32_t>(frames.size()));
    for (const Bytes& frame : frames) {
      const auto found = unpacker.next();
      ASSERT_EQ(Bytes(found.begin(), found.end()), frame) << seed_note();
    }
  }
}

// Whatever has become of the message, no frame reaches beyond it, and if its length no longer fits there is no frame.
TEST(Message, IsReadSafelyWhenDamaged) {
  Random random(base_seed());
  for (int k = 0; k < 2000; ++k) {
    std::vector<Bytes> frames(2 + random.below(6));
    for (Bytes& frame : frames) frame = random_bytes(1 + random.below(50), random);
    const Bytes whole = packed(frames, 50);
    Bytes message = whole;
    const bool cut = random.below(2) == 0;
    if (cut)
      message.resize(random.below(whole.size()));
    else
      message[random.below(4 * frames.size())] ^= std::byte(1u << random.below(8));
    // A copy of its own size, so that the sanitizers see every read beyond it.
    const Bytes alone(message.begin(), message.end());
    wire::Unpacker unpacker;
    unpacker.begin(alone, static_cast<std::uint32_t>(frames.size()));
    for (std::size_t f = 0; f < frames.size(); ++f) ASSERT_TRUE(unpacker.next().empty()) << seed_note();
  }
}

}  // namespace
}  // namespace laconic::test
