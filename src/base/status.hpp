// SPDX-License-Identifier: BSD-3-Clause
// The outcome of an operation: ok, or a code and a message that a user can act on.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace laconic {

enum class Code : std::uint8_t {
  ok,
  argument,   // a value that the caller chose is not one of those allowed
  buffer,     // a pointer that may not be used
  count,      // negative, or too large
  type,       // datatype not supported by the operation
  op,         // operation not supported for the type
  comm,       // communicator not usable
  root,       // not a rank of the communicator
  rank,       // of a message: likewise
  tag,        // of a message: out of range
  request,    // not one that may be used here
  truncate,   // more was sent than there is room for
  mismatch,   // ranks disagree on what they are doing
  frame,      // bytes that are not a valid frame
  transport,  // the layer that moves bytes failed
  device,     // a GPU, or what drives it, failed
  memory,     // out of memory
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == Code::ok; }
  explicit operator bool() const { return ok(); }
  Code code() const { return code_; }
  const std::string& message() const { return message_; }

 private:
  Code code_ = Code::ok;
  std::string message_;
};

}  // namespace laconic
