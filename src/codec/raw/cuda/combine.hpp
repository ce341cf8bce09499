// SPDX-License-Identifier: BSD-3-Clause
// Numbers combined with numbers on a GPU.
#pragma once

#include <cstddef>

#include "base/dtype.hpp"
#include "base/op.hpp"
#include "base/status.hpp"
#include "codec/report.hpp"
#include "device/queue.hpp"
#include "wire/frame.hpp"

namespace laconic::raw {

// result[i] = a[i] op b[i], bit for bit as combine_pair().  Each pointer has the alignment of its number type; result
// may be equal to a or b.
Status combine_on_device(Dtype dtype, Op op, const void* a, const void* b, void* result, std::size_t count,
                         Queue& queue);

// Writes the header of a frame of this size, and the report on it.
Status write_header_on_device(const wire::Header& header, std::byte* out, Report* report, Queue& queue);

}  // namespace laconic::raw
