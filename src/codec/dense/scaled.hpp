// SPDX-License-Identifier: BSD-3-Clause
// Scaled frames: the blocks of scaled frames of `quant` are the parts of those of `dense`, so results are the same.
#pragma once

#include <cstddef>

#include "base/status.hpp"
#include "codec/dense/kernels.hpp"
#include "codec/quant/kernels.hpp"
#include "codec/quant/scaled_block.hpp"

namespace laconic::dense::scaled {

using quant::scaled::Payload;

// Both tables of kernels: the coder's, and those for numbers to points and back.
struct AllKernels {
  const Kernels& dense;
  const quant::Kernels& quant;
};

// The functions of Codec for frames whose headers were checked.  inherited: the error of these frames.  T is one of
// FloatingTypes.
template <class T>
Payload encode(const AllKernels& k, const T* x, std::size_t count, const Coding& coding, Blob out);
template <class T>
Payload fold(const AllKernels& k, Frame frame, double inherited, const T* x, std::size_t count, const Coding& coding,
             Blob out);
template <class T>
Payload add(const AllKernels& k, Frame a, Frame b, double inherited, std::size_t count, const Coding& coding, Blob out);
template <class T>
Status decode(const AllKernels& k, Frame frame, T* x, std::size_t count, const Coding& coding);

}  // namespace laconic::dense::scaled
