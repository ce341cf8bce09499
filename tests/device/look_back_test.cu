// SPDX-License-Identifier: BSD-3-Clause
#include "device/look_back.cuh"

namespace laconic {
namespace {

using LookBack = DeviceTest;

TEST_F(LookBack, SumsAreRightLaunchAfterLaunch) {
  for (unsigned count : {1u, 127u, 128u, 129u, 5000u, 40000u})
    EXPECT_TRUE(scans_are_right<Plant::nothing>(3, count, 5)) << count;
}

}  // namespace
}  // namespace laconic
