// SPDX-License-Identifier: BSD-3-Clause
// The operations that the drop-in knows, by name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace laconic::dropin {

enum class Operation : std::uint8_t {
  allreduce,
  reduce,
  reduce_scatter,
  reduce_scatter_block,
  bcast,
  allgather,
  allgatherv,
  scatter,
  scatterv,
  gather,
  gatherv,
  alltoall,
  alltoallv,
  send  // with it everything that sends a message from one rank to one other
};

inline constexpr std::size_t operations = 14;

inline constexpr std::array<std::string_view, operations> operation_names{
    "allreduce", "reduce",    "reduce_scatter", "reduce_scatter_block",
    "bcast",     "allgather", "allgatherv",     "scatter",
    "scatterv",  "gather",    "gatherv",        "alltoall",
    "alltoallv", "send"};

inline std::size_t index_of(Operation operation) { return static_cast<std::size_t>(operation); }
inline std::string_view name_of(Operation operation) { return operation_names[index_of(operation)]; }

inline bool is_collective(Operation operation) { return operation != Operation::send; }
inline bool reduces(Operation operation) { return operation <= Operation::reduce_scatter_block; }

// MPI has each of them in three forms.
enum class Form : std::uint8_t { blocking, nonblocking, persistent };
inline constexpr std::size_t forms = 3;
inline constexpr std::array<std::string_view, forms> form_names{"blocking", "nonblocking", "persistent"};
inline std::size_t index_of(Form form) { return static_cast<std::size_t>(form); }

}  // namespace laconic::dropin
