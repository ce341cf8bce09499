// SPDX-License-Identifier: BSD-3-Clause
// A resolved call as it is carried out: with staging buffers where the data have to be on the host, with numbers in
// place of types that the application composed of them, and with a copy of data that would be overwritten before they
// are sent.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "base/status.hpp"
#include "codec/codec.hpp"
#include "comm/collectives/flat_call.hpp"
#include "comm/collectives/resolved_call.hpp"
#include "comm/core/binding.hpp"
#include "comm/core/staging_buffer.hpp"
#include "engine/plan.hpp"
#include "engine/range_job.hpp"
#include "engine/run.hpp"
#include "laconic/laconic.h"

namespace laconic {

class Placement {
 public:
  // Forgets the call before, and takes the arguments of this one, whose buffers are checked and placed by place().
  void set(const ResolvedCall& resolved);

  // Finds the memory of the buffers.  They stay on a device if its kernels serve a call that is to be compressed, or if
  // MPI takes device memory; otherwise they are staged.  plain: MPI carries out the call.
  Status place(Binding& binding, bool plain);

  const CollectiveCall& call() const { return call_; }
  const Shape& shape() const { return shape_; }
  void set_dtype(Dtype dtype) { shape_.set_dtype(dtype); }

  // The device that works on the numbers; nullptr: the host does.
  Device* device() const { return device_; }

  // Stages buffers that are still on a device, for this reason.
  Status stage(laconic_through_host reason);

  // Why buffers were staged.
  laconic_through_host through_host() const { return through_host_; }

  // Packs what this rank sends, and unpacks what it has received, where types have gaps.  comm: the private
  // communicator.
  bool packs() const { return flat_.packs(); }
  Status pack(MPI_Comm comm) { return flat_.pack(comm); }
  Status unpack(MPI_Comm comm, bool rounds_input) { return flat_.unpack(comm, rounds_input); }

  // The memory of the application that holds what this rank sends, from first to last byte; empty where it sends
  // nothing, and between groups.
  std::span<const std::byte> input() const { return input_; }

  // Begins to find the range of the numbers on the device.
  void begin_range(RangeJob& job) const;

  // Copies aside what would be overwritten before it is sent.
  Status set_aside();
  // The memory of the blocks of a plan.
  void regions(const Plan& plan, std::span<Region> out) const { shape_.regions(plan, aside(), out); }
  // The call for an exchange without a plan, after set_aside().
  CollectiveCall exchangeable() const;

  // Copies staged results back to the device.
  Status put_back();
  void release();

  // Bytes of all copies.
  std::size_t size() const;
  double seconds_copy() const { return seconds_copy_; }

 private:
  Status flatten(Binding& binding);
  Status check_intercomm_buffers() const;
  laconic_through_host why_through_host(const MemoryType& of_call, const MemoryType& at,
                                        std::span<const std::byte> extent, int ranks) const;
  const std::byte* aside() const;

  const ResolvedCall* resolved_ = nullptr;
  CollectiveCall call_;
  Shape shape_;
  FlatCall flat_;
  Device* holder_ = nullptr;  // the device that holds buffers of this rank
  Device* device_ = nullptr;
  laconic_through_host through_host_ = LACONIC_THROUGH_HOST_NOT;
  StagingBuffer sent_;
  StagingBuffer received_;
  std::vector<std::byte> aside_;
  std::span<std::byte> aside_on_device_;
  std::span<const std::byte> input_;
  double seconds_copy_ = 0;
};

// The coding as far as it is known before the ranks have agreed.  ranks: of the communicator.
Coding coding_of(const ResolvedCall& resolved, const Shape& shape, int ranks);

}  // namespace laconic
