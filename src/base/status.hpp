// SPDX-License-Identifier: BSD-3-Clause
// The outcome of an operation: ok, or a code and a message that a user can act on.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace laconic {

enum class Code : std::uint8_t {
  ok,
  argument,   // a value that the caller chose is not allowed
  buffer,     // a pointer that may not be used
  count,      // a count that is negative or too large
  type,       // datatype not supported by the operation
  op,         // operation not supported for the type
  comm,       // communicator not usable
  root,       // the root is not a rank of the communicator
  topology,   // the communicator has no topology
  rank,       // the source or destination of a message is not a rank of the communicator
  tag,        // the tag of a message is out of range
  request,    // a request that may not be used here
  truncate,   // the message is longer than the receive buffer
  mismatch,   // ranks disagree on the operation or its arguments
  frame,      // bytes that are not a valid frame
  transport,  // the layer that moves bytes failed
  device,     // a GPU or its driver failed
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
