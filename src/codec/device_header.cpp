// SPDX-License-Identifier: BSD-3-Clause
#include "codec/device_header.hpp"

#include <string>

#include "base/build.hpp"
#include "codec/stream_result.hpp"

namespace laconic {

Status status_of(HeaderFault fault) {
  const auto malformed = [](const char* what) { return Status(Code::frame, std::string("malformed frame: ") + what); };
  switch (fault) {
    case HeaderFault::none: return {};
    case HeaderFault::magic: return malformed("wrong magic number");
    case HeaderFault::version: return malformed("of a version that this library does not read");
    case HeaderFault::failed: return {Code::frame, "the frame says that its numbers could not be produced"};
    case HeaderFault::codec: return malformed("of another codec than the coder's");
    case HeaderFault::flags: return malformed("of another kind of bound than the coder's, or with unknown flags");
    case HeaderFault::dtype: return malformed("numbers of another type than the coder's");
    case HeaderFault::count: return malformed("another count than asked for");
    case HeaderFault::payload: return malformed("a payload that does not fit the count, or ends after the capacity");
    case HeaderFault::step:
      return malformed("a step that differs from this operation's, or is not a finite number >= 0");
    case HeaderFault::error: return malformed("error is not a finite number >= 0, or not 0 in a frame without errors");
  }
  return malformed("a fault in the header that has no name");
}

#if !LACONIC_HAS_CUDA

namespace {
Status no_device_code() { return {Code::device, "this build of Laconic has no device code (LACONIC_CUDA)"}; }
}  // namespace

Status read_header_on_device(const std::byte*, const HeaderRules&, DeviceHeader*, Queue&) { return no_device_code(); }

Status settle_result(const Notes&, std::uint8_t, std::byte*, const wire::Header&, StreamResult*, Queue&) {
  return no_device_code();
}

Status settle_nothing(std::uint8_t, StreamResult*, Queue&) { return no_device_code(); }

#endif

}  // namespace laconic
