// SPDX-License-Identifier: BSD-3-Clause
#include "bench/numbers.hpp"

#include "device/devices.hpp"
#include "failure.hpp"
#include "transport/mpi/device_memory.hpp"

namespace laconic::cli::bench {
namespace {

void require(const Status& status) {
  if (!status.ok()) throw Failure("--memory device: " + status.message());
}

}  // namespace

BufferMemory device_memory(MPI_Comm comm) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int rank_on_node = 0;
  MPI_Comm_rank(node, &rank_on_node);
  MPI_Comm_free(&node);
  if (!has_devices()) throw usage("--memory device: this build has no code for devices; valid is host");
  Status status;
  // Ranks beyond the devices of a node share the first.
  for (const int number : {rank_on_node, 0})
    if (std::shared_ptr<Device> device = open_device(number, status, 1))
      return {std::move(device), mpi_takes_device_memory()};
  require(status);
  return {};
}

Numbers::~Numbers() {
  if (!on_device_.empty()) device_->give_back(on_device_);
}

void Numbers::to_device() {
  if (!device_ || host_.empty()) return;
  const std::size_t bytes = host_.size() * sizeof(float);
  if (bytes > on_device_.size()) {
    if (!on_device_.empty()) device_->give_back(on_device_);
    on_device_ = device_->lease(bytes);
    if (on_device_.empty()) throw Failure("--memory device: no memory for a buffer of the operation");
  }
  require(device_->copy(on_device_.data(), host_.data(), bytes));
}

void Numbers::to_host() {
  if (device_ && !host_.empty()) require(device_->copy(host_.data(), on_device_.data(), host_.size() * sizeof(float)));
}

float* Numbers::data() { return device_ && !staged_ ? reinterpret_cast<float*>(on_device_.data()) : host_.data(); }

}  // namespace laconic::cli::bench
