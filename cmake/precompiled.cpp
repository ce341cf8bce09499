// SPDX-License-Identifier: BSD-3-Clause
// Carries the precompiled headers of LaconicPrecompiled.cmake.
