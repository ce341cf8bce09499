// SPDX-License-Identifier: BSD-3-Clause
// Helpers of the functions of the C API: the coder behind a handle, errors and messages.
#pragma once

#include <cmath>
#include <new>
#include <string>
#include <system_error>

#include "coder/frame_coder.hpp"
#include "coder/stream_coder.hpp"
#include "laconic/codec.h"

struct laconic_coder_s {
  explicit laconic_coder_s(const laconic::CoderSettings& settings) : coder(settings), on_stream(coder.settings()) {}
  laconic::FrameCoder coder;
  laconic::StreamCoder on_stream;
};

namespace laconic {

// The latest error of this thread.  Like errno it is kept per thread, so that it costs no lock.
std::string& latest_message();

inline int in_api(Code code) {
  switch (code) {
    case Code::ok: return LACONIC_OK;
    case Code::argument:
    case Code::buffer:
    case Code::op: return LACONIC_ERROR_ARGUMENT;
    case Code::type: return LACONIC_ERROR_TYPE;
    case Code::truncate: return LACONIC_ERROR_CAPACITY;
    case Code::count: return LACONIC_ERROR_COUNT;
    case Code::mismatch:
    case Code::frame: return LACONIC_ERROR_FRAME;
    case Code::memory: return LACONIC_ERROR_MEMORY;
    case Code::device: return LACONIC_ERROR_DEVICE;
    default: return LACONIC_ERROR_INTERNAL;
  }
}

// Runs body, which returns a Status.  Exceptions (in practice: no memory, no thread) end here.
template <class Body>
int guarded(Body&& body) noexcept {
  try {
    const Status status = body();
    if (status.ok()) return LACONIC_OK;
    latest_message() = "laconic: " + status.message();
    return in_api(status.code());
  } catch (const std::bad_alloc&) {
    latest_message() = "out of memory";  // too short to be allocated
    return LACONIC_ERROR_MEMORY;
  } catch (const std::system_error&) {
    latest_message() = "no thread";
    return LACONIC_ERROR_MEMORY;
  } catch (...) {
    latest_message() = "internal error";
    return LACONIC_ERROR_INTERNAL;
  }
}

inline Status null(const char* name, const char* valid) {
  return {Code::argument, std::string(name) + " is NULL; valid is " + valid};
}

// Whether frames of several calls can be combined.
inline Status check_combines(const FrameCoder& coder) {
  if (coder.settings().bound.mode != BoundMode::rel) return {};
  return {Code::argument,
          "frames of the bound rel cannot be added, because their steps differ; valid are abs:E with "
          "E = rel * (greatest - least) of all arrays (laconic_finite_range), block:R, rms:R and lossless"};
}

inline Status check_divisor(double divisor) {
  if (divisor > 0 && std::isfinite(divisor)) return {};
  return {Code::argument, "divisor is " + std::to_string(divisor) + "; valid are finite numbers above 0"};
}

}  // namespace laconic
