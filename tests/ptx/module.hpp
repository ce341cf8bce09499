// SPDX-License-Identifier: BSD-3-Clause
// The text of PTX, cut into functions and statements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace laconic::ptx {

// PTX that this reader does not know, or a fault of the kernel that runs.
struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A variable that the text declares: a parameter, or memory of a block or of a lane.
struct Variable {
  std::string name;
  std::size_t bytes = 0;
  std::size_t alignment = 1;
};

struct Function {
  std::string name;
  bool entry = false;
  std::vector<Variable> results;
  std::vector<Variable> parameters;
  std::string_view body;  // between its braces
};

class Module {
 public:
  // Keeps the text.  Throws Fault where it declares what this reader does not know.
  explicit Module(std::string text);
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  const std::map<std::string, Function, std::less<>>& functions() const { return functions_; }
  const std::vector<Variable>& shared() const { return shared_; }

 private:
  void read_header(std::string_view header, std::string_view body);

  std::string text_;
  std::map<std::string, Function, std::less<>> functions_;
  std::vector<Variable> shared_;
};

// The statements of a body, one after the other.
struct Statement {
  enum class Kind { label, directive, instruction } kind;
  std::string_view text;  // without the colon or semicolon
};
std::vector<Statement> statements_of(std::string_view body);

// `.align 8 .b8 name[24]` and the like; what follows the word that says where it is.
Variable read_variable(std::string_view declaration);

// The parts of a text between commas that no bracket encloses.
std::vector<std::string_view> split(std::string_view list);

std::string_view trimmed(std::string_view text);

}  // namespace laconic::ptx
