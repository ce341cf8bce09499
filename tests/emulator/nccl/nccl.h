// SPDX-License-Identifier: BSD-3-Clause
// As much of NCCL as bench/nccl needs, for ranks in one process on emulated devices.  As in NCCL, a message has to have
// the size of the room for it, messages between two ranks match in order, and nothing happens before the end of the
// group.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "device/cuda/runtime.hpp"

using ncclResult_t = int;
using ncclDataType_t = int;
using ncclRedOp_t = int;
inline constexpr ncclResult_t ncclSuccess = 0, ncclUnhandledCudaError = 1, ncclInvalidArgument = 4,
                              ncclInvalidUsage = 5;
inline constexpr ncclDataType_t ncclUint8 = 1, ncclFloat32 = 7;
inline constexpr ncclRedOp_t ncclSum = 0;

namespace laconic::emulator::nccl {

struct Group {
  struct Transfer {
    int from, to;
    std::byte* bytes;
    std::size_t size;
    cudaStream_t stream;
  };
  struct Sum {
    const void* in;
    void* out;
    std::size_t count;
    cudaStream_t stream;
  };
  std::vector<Transfer> sends, receives;
  std::vector<Sum> sums;
  int depth = 0;
};

inline Group& group() {
  static Group all;
  return all;
}

inline bool good(cudaError_t error) { return error == cudaSuccess; }

// Later work on the stream `later` waits for all work that is on the stream `earlier` now.
inline bool order(cudaStream_t earlier, cudaStream_t later) {
  cudaEvent_t event = nullptr;
  const bool ordered = good(cudaEventCreateWithFlags(&event, cudaEventDisableTiming)) &&
                       good(cudaEventRecord(event, earlier)) && good(cudaStreamWaitEvent(later, event, 0));
  return good(cudaEventDestroy(event)) && ordered;
}

inline ncclResult_t deliver(Group& all) {
  for (const Group::Transfer& receive : all.receives) {
    const auto send = std::find_if(all.sends.begin(), all.sends.end(), [&](const Group::Transfer& s) {
      return s.from == receive.from && s.to == receive.to;
    });
    if (send == all.sends.end()) return ncclInvalidUsage;
    if (send->size != receive.size) return ncclInvalidArgument;  // NCCL hangs, or writes beyond the room
    const bool done =
        order(send->stream, receive.stream) &&
        good(cudaMemcpyAsync(receive.bytes, send->bytes, send->size, cudaMemcpyDeviceToDevice, receive.stream)) &&
        order(receive.stream, send->stream);
    all.sends.erase(send);
    if (!done) return ncclUnhandledCudaError;
  }
  return all.sends.empty() ? ncclSuccess : ncclInvalidUsage;
}

inline ncclResult_t add_up(const std::vector<Group::Sum>& sums) {
  if (sums.empty()) return ncclSuccess;
  std::vector<float> total(sums[0].count), one(sums[0].count);
  for (const Group::Sum& s : sums) {
    if (s.count != total.size()) return ncclInvalidArgument;
    if (!good(cudaStreamSynchronize(s.stream)) ||
        !good(cudaMemcpy(one.data(), s.in, s.count * sizeof(float), cudaMemcpyDeviceToHost)))
      return ncclUnhandledCudaError;
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += one[i];
  }
  for (const Group::Sum& s : sums)
    if (!good(cudaMemcpy(s.out, total.data(), s.count * sizeof(float), cudaMemcpyHostToDevice)))
      return ncclUnhandledCudaError;
  return ncclSuccess;
}

}  // namespace laconic::emulator::nccl

struct ncclComm {
  int rank, size;
};
using ncclComm_t = ncclComm*;

inline const char* ncclGetErrorString(ncclResult_t code) {
  return code == ncclSuccess ? "no error" : "an error of the stand-in";
}

inline ncclResult_t ncclCommInitAll(ncclComm_t* comms, int size, const int*) {
  for (int r = 0; r < size; ++r) comms[r] = std::make_unique<ncclComm>(ncclComm{r, size}).release();
  return ncclSuccess;
}

inline ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  const std::unique_ptr<ncclComm> gone(comm);
  return ncclSuccess;
}

inline ncclResult_t ncclGroupStart() {
  ++laconic::emulator::nccl::group().depth;
  return ncclSuccess;
}

inline ncclResult_t ncclGroupEnd() {
  auto& all = laconic::emulator::nccl::group();
  if (--all.depth > 0) return ncclSuccess;
  const ncclResult_t delivered = laconic::emulator::nccl::deliver(all);
  const ncclResult_t added = laconic::emulator::nccl::add_up(all.sums);
  all = {};
  return delivered != ncclSuccess ? delivered : added;
}

inline ncclResult_t ncclSend(const void* bytes, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                             cudaStream_t stream) {
  if (type != ncclUint8) return ncclInvalidArgument;
  laconic::emulator::nccl::group().sends.push_back(
      {comm->rank, peer, static_cast<std::byte*>(const_cast<void*>(bytes)), count, stream});
  return ncclSuccess;
}

inline ncclResult_t ncclRecv(void* bytes, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                             cudaStream_t stream) {
  if (type != ncclUint8) return ncclInvalidArgument;
  laconic::emulator::nccl::group().receives.push_back(
      {peer, comm->rank, static_cast<std::byte*>(bytes), count, stream});
  return ncclSuccess;
}

inline ncclResult_t ncclAllReduce(const void* in, void* out, std::size_t count, ncclDataType_t type, ncclRedOp_t op,
                                  ncclComm_t, cudaStream_t stream) {
  if (type != ncclFloat32 || op != ncclSum) return ncclInvalidArgument;
  laconic::emulator::nccl::group().sums.push_back({in, out, count, stream});
  return ncclSuccess;
}
