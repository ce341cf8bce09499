// SPDX-License-Identifier: BSD-3-Clause
// Exact frames: every number keeps its bits, for all types.  They are combined as numbers.
#pragma once

#include <cstddef>

#include "codec/codec.hpp"
#include "codec/dense/kernels.hpp"
#include "codec/quant/scaled_block.hpp"

namespace laconic::dense::exact {

using quant::scaled::Payload;

// The most bytes of the payload of a frame.
std::size_t capacity(std::size_t count, std::size_t number_bytes);

// The functions of Codec, for frames whose headers were checked.  T is one of AllTypes.
template <class T>
Payload encode(const Kernels& k, const T* x, std::size_t count, Blob out);
template <class T>
Payload fold(const Kernels& k, Frame frame, const T* x, std::size_t count, const Coding& coding, Blob out);
template <class T>
Payload add(const Kernels& k, Frame a, Frame b, std::size_t count, const Coding& coding, Blob out);
template <class T>
Status decode(const Kernels& k, Frame frame, T* x, std::size_t count, const Coding& coding);

}  // namespace laconic::dense::exact
