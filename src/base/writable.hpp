// SPDX-License-Identifier: BSD-3-Clause
// Whether memory may be written, for memory that MPI only reads and a compressed call would round: it may be a mapped
// file (docs/design/0045-memory-that-mpi-only-reads.md).
#pragma once

#include <cstddef>
#include <span>

namespace laconic {

// Whether every page of the memory may be written now.  True where the system does not tell.  Takes no lock, allocates
// nothing, and does not touch the memory.
bool is_writable(std::span<const std::byte> memory);

}  // namespace laconic
