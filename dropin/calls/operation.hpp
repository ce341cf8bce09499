// SPDX-License-Identifier: BSD-3-Clause
// The operations that the drop-in supports, and their names.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "call/collective.hpp"

namespace laconic::dropin {

enum class Operation : std::uint8_t {
#define LACONIC_COLLECTIVE(name, ...) name,
#include "call/collectives.def"
  send  // stands for all point-to-point sends
};

inline constexpr std::size_t num_operations = num_routines + 1;

namespace call_detail {
inline constexpr CollectiveTraits message{"send", {}, false, {Contents::whole}, {}};
}

constexpr std::size_t index_of(Operation operation) { return static_cast<std::size_t>(operation); }
constexpr bool is_collective(Operation operation) { return operation != Operation::send; }
constexpr const CollectiveTraits& traits_of(Operation operation) {
  return is_collective(operation) ? laconic::traits_of(static_cast<Routine>(operation)) : call_detail::message;
}
constexpr std::string_view name_of(Operation operation) { return traits_of(operation).name; }
constexpr bool reduces(Operation operation) { return traits_of(operation).reduces; }

// MPI has three forms of each operation.
enum class Form : std::uint8_t { blocking, nonblocking, persistent };
inline constexpr std::size_t num_forms = 3;
inline constexpr std::array<std::string_view, num_forms> form_names{"blocking", "nonblocking", "persistent"};
inline std::size_t index_of(Form form) { return static_cast<std::size_t>(form); }

}  // namespace laconic::dropin
