// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace stacking {

// Compares the propagator with theory; prints a line per check and returns whether all passed.
bool check_propagator();

}  // namespace stacking
