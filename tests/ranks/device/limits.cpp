// SPDX-License-Identifier: BSD-3-Clause
// The requests made of a device, and the result of a call when the device cannot fulfil them.  Uses the emulator's
// means to count and to refuse.
#include "base/build.hpp"
#include "device_memory.hpp"

#if LACONIC_CUDA_EMULATED

#include "emulator/control.hpp"

namespace {

using namespace ranks;
using laconic::emulator::calls;

constexpr std::size_t numbers = 30000;

// An allreduce of numbers on the device, by the codec raw, which has kernels, in many chunks.
struct Sum {
  Sum(Test& test, const Stream& stream, Memory memory, std::size_t n = numbers)
      : t(test), count(n), bytes(n * sizeof(float)), buffers(test, memory, stream.get()), mine(n) {
    for (std::size_t i = 0; i < count; ++i) mine[i] = static_cast<float>(i % 1000 + static_cast<std::size_t>(t.rank()));
    send = buffers.reserve(bytes);
    recv = buffers.reserve(bytes);
    buffers.push(send, mine.data(), bytes);
    options = options_with(LACONIC_BOUND_ABS, 1e-3);
    options.codec = LACONIC_CODEC_RAW;
    options.chunk_elements = 1000;
    options.stream = stream.get();
    options.stats = &stats;
  }

  int run(MPI_Comm comm = MPI_COMM_WORLD) {
    return laconic_allreduce(send, recv, static_cast<MPI_Count>(count), MPI_FLOAT, MPI_SUM, comm, &options);
  }

  void check() {
    std::vector<float> found(count);
    buffers.pull(found.data(), recv, bytes);
    const auto p = static_cast<std::size_t>(t.size());
    for (std::size_t i = 0; i < count; ++i) {
      const auto expected = static_cast<float>(p * (i % 1000) + p * (p - 1) / 2);
      if (!CHECK(t, found[i] == expected, "number %zu is %g, not %g", i, found[i], expected)) return;
    }
  }

  Test& t;
  const std::size_t count;
  const std::size_t bytes;
  MemoryOf buffers;
  std::vector<float> mine;
  void* send = nullptr;
  void* recv = nullptr;
  laconic_options options{};
  laconic_stats stats{};
};

// As in gZCCL: no allocation, no memset, no host synchronisation and no pageable memory once everything is warm.
void nothing_but_work(Test& t, const Stream& stream) {
  if (t.size() == 1) return;  // plain MPI, for which the host stands in
  t.doing("an allreduce that is warm");
  Sum sum(t, stream, Memory::device);
  for (int warm = 0; warm < 2; ++warm) CHECK(t, sum.run() == MPI_SUCCESS);
  sum.check();
  const std::vector<std::string> never{"cudaMalloc",
                                       "cudaFree",
                                       "cudaHostAlloc",
                                       "cudaFreeHost",
                                       "cudaMemsetAsync",
                                       "cudaStreamCreate",
                                       "cudaStreamSynchronize",
                                       "cudaEventCreate",
                                       "cudaEventSynchronize",
                                       "cudaDeviceSynchronize"};
  std::vector<std::uint64_t> before;
  for (const std::string& f : never) before.push_back(calls(f));
  const std::uint64_t pageable = laconic::emulator::pageable_copies();
  const std::uint64_t launches = calls("kernel");
  for (int k = 0; k < 3; ++k) CHECK(t, sum.run() == MPI_SUCCESS);
  for (std::size_t k = 0; k < never.size(); ++k)
    CHECK(t, calls(never[k]) == before[k], "%s was called %d times", never[k].c_str(),
          static_cast<int>(calls(never[k]) - before[k]));
  CHECK(t, laconic::emulator::pageable_copies() == pageable);
  CHECK(t, calls("kernel") > launches, "no kernel ran");
  CHECK(t, sum.stats.plain_calls == 0);
  t.count_case();
}

// Where the numbers of all ranks are on devices, where every launch is costly, chunks are few and large.  Where one
// rank has them on the host, all ranks use the chunks of hosts.  The result is the same either way.
void few_chunks(Test& t, const Stream& stream) {
  if (t.size() == 1) return;
  for (const bool all : {true, false}) {
    t.doing(all ? "an allreduce of devices" : "an allreduce of devices and a host");
    const Memory memory = all || t.rank() != 0 ? Memory::device : Memory::pageable;
    Sum sum(t, stream, memory, 300000 * static_cast<std::size_t>(t.size()));
    sum.options.chunk_elements = 0;
    sum.options.depth = 8;
    CHECK(t, sum.run() == MPI_SUCCESS);
    sum.check();
    CHECK(t, sum.stats.plain_calls == 0);
    const auto chunks = static_cast<int>(sum.stats.most_chunks);
    CHECK(t, all ? chunks <= 4 : chunks == 8, "%d chunks under way", chunks);
  }
}

// The rank on which a call fails reports the error, and so do the ranks that needed its numbers; no rank hangs, and the
// next call works.  function: a function of the CUDA runtime.
void refused(Test& t, const Stream& stream, const char* function, unsigned nth, cudaError_t error) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);  // with a device that has no allocations yet
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  t.doing(text("%s refused, call %u", function, nth));
  Sum sum(t, stream, Memory::device);
  cudaStreamSynchronize(stream.get());
  const int unlucky = t.size() / 2;
  if (t.rank() == unlucky) laconic::emulator::fail_call(function, nth, error);
  const int code = sum.run(comm);
  int failures = code != MPI_SUCCESS;
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  const bool alone = t.size() == 1;
  if (t.rank() == unlucky) {
    CHECK(t, code != MPI_SUCCESS, "nobody noticed");
    CHECK(t, error != cudaErrorMemoryAllocation || class_of(code) == MPI_ERR_NO_MEM, "%s", message_of(code).c_str());
  }
  CHECK(t, alone || failures >= 1);
  if (code == MPI_SUCCESS) sum.check();
  CHECK(t, sum.run(comm) == MPI_SUCCESS);
  sum.check();
  MPI_Comm_free(&comm);
  t.count_case();
}

// Freeing a communicator frees everything that was made for it.
void gives_all_back(Test& t, const Stream& stream) {
  t.doing("a communicator that is freed");
  Sum sum(t, stream, Memory::device);
  const auto before = laconic::emulator::holdings();
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  CHECK(t, sum.run(comm) == MPI_SUCCESS);
  CHECK(t, laconic::emulator::holdings().bytes > before.bytes);
  MPI_Comm_free(&comm);
  const auto after = laconic::emulator::holdings();
  CHECK(t, after.bytes == before.bytes && after.allocations == before.allocations, "%zu bytes in %zu allocations left",
        after.bytes - before.bytes, after.allocations - before.allocations);
  sum.check();
  t.count_case();
}

// The codecs called on their own have no stream, and report that they do not accept device memory.
void codecs_alone(Test& t, const Stream& stream) {
  t.doing("the codecs on their own");
  MemoryOf there(t, Memory::device, stream.get());
  std::vector<unsigned char> here(1 << 16);
  void* const x = there.reserve(1000 * sizeof(float));
  const laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-3);
  size_t bytes = 0;
  CHECK(t, class_of(laconic_compress(x, 1000, MPI_FLOAT, here.data(), here.size(), &bytes, &o)) == MPI_ERR_BUFFER);
  CHECK(t, class_of(laconic_decompress(here.data(), 0, x, 0, MPI_FLOAT)) == MPI_ERR_BUFFER);
  t.count_case();
}

// After the device is lost, calls on host memory still work.
void without_devices(Test& t, const Stream& stream) {
  t.doing("no device");
  Sum sum(t, stream, Memory::pageable);
  laconic::emulator::set_devices(0);
  sum.options.stream = nullptr;
  CHECK(t, sum.run() == MPI_SUCCESS);
  laconic::emulator::set_devices(1);
  sum.check();
  t.count_case();
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "device limits");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  {
    const Stream stream;
    nothing_but_work(t, stream);
    few_chunks(t, stream);
    if (t.size() > 1) {
      refused(t, stream, "cudaMalloc", 1, cudaErrorMemoryAllocation);
      refused(t, stream, "cudaHostAlloc", 1, cudaErrorMemoryAllocation);
      refused(t, stream, "cudaStreamCreate", 3, cudaErrorMemoryAllocation);
      for (const unsigned nth : {1u, 2u, 5u, 9u}) refused(t, stream, "cudaMemcpyAsync", nth, cudaErrorInvalidValue);
      for (const unsigned nth : {1u, 3u}) refused(t, stream, "cudaEventRecord", nth, cudaErrorInvalidValue);
    }
    gives_all_back(t, stream);
    codecs_alone(t, stream);
    without_devices(t, stream);
  }
  return t.finish();
}

#else

int main(int argc, char** argv) {
  ranks::Test t(&argc, &argv, "device limits");
  t.doing("nothing: devices cannot be told to fail");
  return t.finish();
}

#endif
