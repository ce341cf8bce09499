// SPDX-License-Identifier: BSD-3-Clause
// The numbers of a buffer of a call: in host memory, or in the memory of a device with a copy on the host.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "device/device.hpp"

namespace laconic::cli::bench {

// The memory of the buffers that calls get.
struct BufferMemory {
  std::shared_ptr<Device> device;  // null: host memory
  bool mpi_takes_it = true;        // otherwise a plain call includes copies to host memory and back
  const char* name() const { return device ? "device" : "host"; }
};

// Opens a device for this rank, by its place among the ranks of its node.  Collective.  Throws Failure.
BufferMemory device_memory(MPI_Comm comm);

class Numbers {
 public:
  explicit Numbers(const BufferMemory& memory) : device_(memory.device) {}
  ~Numbers();
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;

  // Sizes and values on the host.  After a change, to_device() has to be called before the next call that reads them.
  void resize(std::size_t count) { host_.resize(count); }
  std::vector<float>& on_host() { return host_; }
  const std::vector<float>& on_host() const { return host_; }

  // Copies the values; nothing where the buffer is on the host.  Throws Failure.
  void to_device();
  void to_host();

  // The address for a call.  stage(true) selects the copy on the host until stage(false).
  float* data();
  void stage(bool staged) { staged_ = staged; }

 private:
  std::shared_ptr<Device> device_;
  std::vector<float> host_;
  std::span<std::byte> on_device_;
  bool staged_ = false;
};

}  // namespace laconic::cli::bench
