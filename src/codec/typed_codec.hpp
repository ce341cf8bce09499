// SPDX-License-Identifier: BSD-3-Clause
// The common base of codecs: it turns the number type in a Coding into a template parameter.
#pragma once

#include <string>

#include "codec/codec.hpp"

namespace laconic {

// A codec for the types of List.  For each of them Self defines the functions of Codec, with the suffix `_as` in their
// names and T* in place of void*.
template <class Self, class List>
class TypedCodec : public Codec {
 public:
  bool supports(Dtype dtype) const final { return List::has(dtype); }

  Coded encode(const void* numbers, std::size_t count, const Coding& coding, Blob out) const final {
    if (Status s = check_coding(*this, coding); !s) return {s, 0};
    return dispatch(List{}, coding.dtype, [&](auto zero) {
      return self().encode_as(static_cast<const decltype(zero)*>(numbers), count, coding, out);
    });
  }

  Coded fold(Frame frame, const void* numbers, std::size_t count, const Coding& coding, Blob out) const final {
    if (Status s = check_coding(*this, coding); !s) return {s, 0};
    return dispatch(List{}, coding.dtype, [&](auto zero) {
      return self().fold_as(frame, static_cast<const decltype(zero)*>(numbers), count, coding, out);
    });
  }

  Coded add(Frame a, Frame b, std::size_t count, const Coding& coding, Blob out) const final {
    if (Status s = check_coding(*this, coding); !s) return {s, 0};
    return dispatch(List{}, coding.dtype,
                    [&](auto zero) { return self().template add_as<decltype(zero)>(a, b, count, coding, out); });
  }

  Status decode(Frame frame, void* numbers, std::size_t count, const Coding& coding) const final {
    if (Status s = check_coding(*this, coding); !s) return s;
    return dispatch(List{}, coding.dtype, [&](auto zero) {
      return self().decode_as(frame, static_cast<decltype(zero)*>(numbers), count, coding);
    });
  }

 protected:
  // Writes the header of a frame whose payload is already written and ends at `end`.
  Coded finish(const std::byte* end, std::size_t count, const Coding& coding, double step, double error, Blob out,
               std::uint8_t flags = 0) const {
    wire::Header header;
    header.codec = id();
    header.dtype = coding.dtype;
    header.flags = flags;
    header.count = static_cast<std::uint32_t>(count);
    header.payload = static_cast<std::uint32_t>(end - out.data() - static_cast<std::ptrdiff_t>(wire::header_bytes));
    header.step = step;
    header.error = error;
    wire::write_header(header, out);
    return {{}, wire::header_bytes + header.payload};
  }

 private:
  const Self& self() const { return static_cast<const Self&>(*this); }
};

}  // namespace laconic
