// SPDX-License-Identifier: BSD-3-Clause
// From the name of an instruction to the function that does it.
#pragma once

#include <string_view>
#include <vector>

#include "ptx/warp.hpp"

namespace laconic::ptx {

enum class Type : std::uint8_t { none, u8, s8, u16, s16, u32, s32, u64, s64, f32, f64, pred };
Type type_of(std::string_view name);  // .b32 is .u32
std::size_t bytes_of(Type type);
bool is_signed(Type type);

// `setp.lt.and.s32`: its name, and what follows it.
struct Opcode {
  explicit Opcode(std::string_view text);
  bool has(std::string_view part) const;
  Type type() const { return type_of(parts.back()); }

  std::string_view name;
  std::vector<std::string_view> parts;
};

// Each returns null for what it does not know, and sets the fields of the instruction that its action reads.  Operands
// are in the order of the text.
Action arithmetic(const Opcode& op, Instruction& i);
Action conversion(const Opcode& op, Instruction& i);
Action comparison(const Opcode& op, Instruction& i);  // at: predicate, a, b, and the predicate to combine it with
Action meeting(const Opcode& op, Instruction& i);  // at: result, predicate of a shuffle, inputs; the mask is the last

// at: address, registers.  `i.number` is added to the address.
Action access(const Opcode& op, Instruction& i);
// at: result or nothing, address, one or two inputs.
Action atomic(const Opcode& op, Instruction& i, bool has_result);

// Registers alone.
void move_row(Warp& w, const Instruction& i, Lanes act);        // at: to, from
void move_address(Warp& w, const Instruction& i, Lanes act);    // at: to, base; adds `number`
void move_predicate(Warp& w, const Instruction& i, Lanes act);  // at: to, from
void pack(Warp& w, const Instruction& i, Lanes act);            // at: to, parts; `count` parts of `bytes`
void unpack(Warp& w, const Instruction& i, Lanes act);          // at: from, parts

}  // namespace laconic::ptx
