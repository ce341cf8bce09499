// SPDX-License-Identifier: BSD-3-Clause
// The prototype of an allreduce over NCCL with frames of a fixed rate, beside ncclAllReduce, on all GPUs of a machine.
//
//     bench_nccl [MiB of each rank] [bits per number] [rounds] [FILE.json]
//
// Exit code 1: ranks have different bits, or a result without numbers that are not finite is not used.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "../gpu/rows.hpp"
#include "base/build.hpp"
#include "ring.hpp"

namespace {

using namespace laconic;
using laconic::bench::Ring;
using laconic::test::DeviceBytes;
using laconic::test::must;

void must(ncclResult_t code) {
  if (code != ncclSuccess) throw std::runtime_error(std::string("NCCL: ") + ncclGetErrorString(code));
}

struct Rank {
  int device = 0;
  std::unique_ptr<DeviceBytes> in, out;
  std::unique_ptr<Ring> ring;
};

void sum_compressed(std::vector<Rank>& ranks) {
  const auto each = [&](auto&& f) {
    for (Rank& r : ranks) {
      must(cudaSetDevice(r.device));
      f(r);
    }
  };
  const auto in = [](const Rank& r) { return reinterpret_cast<const float*>(r.in->get()); };
  for (int step = 0; step < ranks[0].ring->steps(); ++step) {
    each([&](Rank& r) { must(r.ring->prepare(step, in(r))); });
    must(ncclGroupStart());
    each([&](Rank& r) { must(r.ring->exchange(step)); });
    must(ncclGroupEnd());
  }
  each([&](Rank& r) { must(r.ring->finish(in(r), reinterpret_cast<float*>(r.out->get()))); });
}

void sum_plainly(std::vector<Rank>& ranks, const std::vector<ncclComm_t>& comms, std::size_t count) {
  must(ncclGroupStart());
  for (std::size_t r = 0; r < ranks.size(); ++r)
    must(ncclAllReduce(ranks[r].in->get(), ranks[r].out->get(), count, ncclFloat32, ncclSum, comms[r],
                       ranks[r].ring->stream()));
  must(ncclGroupEnd());
}

template <class F>
double median_seconds(std::vector<Rank>& ranks, int rounds, F&& sum) {
  std::vector<double> seconds;
  for (int k = 0; k < rounds + 1; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    sum();
    for (Rank& r : ranks) r.ring->fits();  // waits
    if (k > 0) seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + rounds / 2, seconds.end());
  return seconds[static_cast<std::size_t>(rounds / 2)];
}

int run(std::size_t count, double rate, int rounds, const char* out) {
  int devices = 0;
  must(cudaGetDeviceCount(&devices));
  // The emulator lets ranks share a device.
  const int size = LACONIC_CUDA_EMULATED ? 3 : devices;
  std::vector<int> numbers(static_cast<std::size_t>(size));
  for (int r = 0; r < size; ++r) numbers[static_cast<std::size_t>(r)] = r % devices;
  std::vector<ncclComm_t> comms(numbers.size());
  must(ncclCommInitAll(comms.data(), size, numbers.data()));

  std::vector<Rank> ranks(numbers.size());
  std::vector<std::vector<float>> inputs(numbers.size());
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    ranks[r].device = numbers[r];
    must(cudaSetDevice(numbers[r]));
    ranks[r].in = std::make_unique<DeviceBytes>(count * sizeof(float));
    ranks[r].out = std::make_unique<DeviceBytes>(count * sizeof(float));
    ranks[r].ring = std::make_unique<Ring>(comms[r], static_cast<int>(r), size, count, rate);
    for (std::size_t i = 0; i < count; ++i)
      inputs[r].push_back(static_cast<float>(std::sin(1e-3 * static_cast<double>(i)) + 0.1 * static_cast<double>(r)));
    ranks[r].in->write(inputs[r].data());
  }
  const auto results_equal_and_near = [&](double& worst) {
    std::vector<float> first(count), other(count);
    ranks[0].out->read(first.data(), count * sizeof(float));
    worst = 0;
    for (std::size_t i = 0; i < count; ++i) {
      double sum = 0;
      for (const auto& input : inputs) sum += static_cast<double>(input[i]);
      worst = std::max(worst, std::fabs(sum - static_cast<double>(first[i])));
    }
    bool equal = true;
    for (Rank& r : ranks) {
      r.out->read(other.data(), count * sizeof(float));
      equal = equal && std::memcmp(first.data(), other.data(), count * sizeof(float)) == 0;
    }
    return equal;
  };

  const double plain = median_seconds(ranks, rounds, [&] { sum_plainly(ranks, comms, count); });
  const double compressed = median_seconds(ranks, rounds, [&] { sum_compressed(ranks); });
  double worst = 0;
  bool good = results_equal_and_near(worst);
  bool fit = true;
  for (Rank& r : ranks) fit = r.ring->fits() && fit;
  std::printf(
      "%d ranks, %zu bytes each, %g bits per number: %zu bytes sent by a rank, ncclAllReduce %.6f s, "
      "compressed %.6f s (%.2f times as fast), largest error %.3g, bits %s\n",
      size, count * sizeof(float), rate, ranks[0].ring->bytes_sent(), plain, compressed, plain / compressed, worst,
      good ? "equal" : "DIFFERENT");
  good = good && fit;
  if (out != nullptr) {
    laconic::bench::Rows rows(out);
    laconic::bench::Row row("nccl");
    row.number("ranks", size).number("bytes", static_cast<double>(count * sizeof(float))).number("rate", rate);
    row.number("rounds", rounds).number("sent_bytes", static_cast<double>(ranks[0].ring->bytes_sent()));
    row.number("plain_s", plain).number("compressed_s", compressed).number("greatest_error", worst);
    rows.add(row.truth("equal", good));
  }

  // A number that is not finite makes a frame larger than its message, which is noticed.
  inputs[0][count / 2] = std::numeric_limits<float>::infinity();
  must(cudaSetDevice(ranks[0].device));
  ranks[0].in->write(inputs[0].data());
  sum_compressed(ranks);
  fit = true;
  for (Rank& r : ranks) fit = r.ring->fits() && fit;
  std::printf("with an infinity: %s\n", fit ? "NOT NOTICED" : "noticed, so the caller sums plainly");
  good = good && (size == 1 || !fit);

  ranks.clear();
  for (ncclComm_t comm : comms) must(ncclCommDestroy(comm));
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const double mib = argc > 1 ? std::atof(argv[1]) : 64;
  const double rate = argc > 2 ? std::atof(argv[2]) : 8;
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 20;
  const char* out = argc > 4 ? argv[4] : nullptr;
  if (argc > 5 || !(mib > 0 && mib <= 1024) || !(rate > 0 && rate <= 32) || rounds < 1) {
    std::fprintf(stderr, "bench_nccl [MiB, up to 1024] [bits per number, up to 32] [rounds, 1 or more] [FILE.json]\n");
    return 2;
  }
  try {
    return run(static_cast<std::size_t>(mib * (1 << 20)) / sizeof(float), rate, rounds, out);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_nccl: %s\n", e.what());
    return 2;
  }
}
