// SPDX-License-Identifier: BSD-3-Clause
// The kernels of raw, compared with the host byte for byte, for every type and operation.
#include <gtest/gtest.h>

#include "base/dtype.hpp"
#include "device/scratch.hpp"
#include "support/on_device.hpp"
#include "support/same_frames.hpp"

namespace laconic::test {
namespace {

using RawDevice = DeviceTest;

template <class T>
void same_for_all_kinds() {
  const Codec& host = *find_codec("raw");
  const OnDevice device(host, *host.on_device());
  std::uint64_t seed = base_seed();
  for (const NamedKind& k : all_kinds)
    for (const Op op : {Op::sum, Op::min, Op::max})
      for (const std::size_t count : {std::size_t{1}, std::size_t{33}, std::size_t{3001}}) {
        SCOPED_TRACE(std::string(k.name) + ", count " + std::to_string(count) + ", " + seed_note());
        const Coding coding = coding_for<T>(0, 2, op, ++seed % 3 == 0 && op == Op::sum ? 3 : 1);
        const auto x = make_field<T>(k.kind, count, seed, 0), y = make_field<T>(k.kind, count, seed, 1);
        ASSERT_NO_FATAL_FAILURE(expect_same_frames(device, host, x, y, coding));
      }
}

TEST_F(RawDevice, FramesOfEveryType) {
  for (const Dtype dtype : all_dtypes)
    dispatch(AllTypes{}, dtype, [&](auto zero) {
      SCOPED_TRACE(std::string(name_of(dtype)));
      same_for_all_kinds<decltype(zero)>();
    });
}

}  // namespace
}  // namespace laconic::test
