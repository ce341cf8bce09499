// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include <algorithm>

namespace laconic::bench {
namespace {

constexpr int warm_ups = 3;

// Seconds for which the stream is kept busy, long enough that the host can enqueue the timed work.
constexpr double head_start = 2e-3;

class Event {
 public:
  Event() { must(cudaEventCreate(&event_)); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record(cudaStream_t stream) { must(cudaEventRecord(event_, stream)); }
  double since(const Event& earlier) const {
    float milliseconds = 0;
    must(cudaEventElapsedTime(&milliseconds, earlier.event_, event_));
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace

std::size_t free_memory() {
  std::size_t unused = 0, total = 0;
  must(cudaMemGetInfo(&unused, &total));
  return unused;
}

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  const double median = n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
  return {median, values.front(), values.back()};
}

std::size_t slots_beyond_l2(const Machine& machine, std::size_t bytes) {
  return std::clamp<std::size_t>((4 * machine.l2 + bytes - 1) / bytes, 1, 8192);
}

std::vector<double> time_launches(cudaStream_t stream, const Machine& machine, int repetitions, std::size_t slots,
                                  const std::function<void(std::size_t slot)>& launch) {
  std::size_t slot = 0;
  const auto next = [&] { return slot++ % slots; };
  for (int k = 0; k < warm_ups; ++k) launch(next());
  must(cudaStreamSynchronize(stream));
  std::vector<Event> events(static_cast<std::size_t>(repetitions) + 1);
  constexpr std::size_t idle = std::size_t{64} << 20;
  const bool known = machine.copy_rate > 0 && !emulated;
  const DeviceBytes memory(known ? 2 * idle : 0);
  for (double busy = 0; known && busy < head_start; busy += 2 * static_cast<double>(idle) / machine.copy_rate)
    must(cudaMemcpyAsync(memory.get() + idle, memory.get(), idle, cudaMemcpyDeviceToDevice, stream));
  events[0].record(stream);
  for (int k = 0; k < repetitions; ++k) {
    launch(next());
    events[static_cast<std::size_t>(k) + 1].record(stream);
  }
  must(cudaStreamSynchronize(stream));
  std::vector<double> seconds;
  for (std::size_t k = 1; k < events.size(); ++k) seconds.push_back(events[k].since(events[k - 1]));
  return seconds;
}

Machine examine(std::size_t copied, int repetitions) {
  Machine m;
  cudaDeviceProp properties{};
  must(cudaSetDevice(0));
  must(cudaGetDeviceProperties(&properties, 0));
  must(cudaDriverGetVersion(&m.driver));
  must(cudaRuntimeGetVersion(&m.runtime));
  m.name = properties.name;
  m.processors = properties.multiProcessorCount;
  // The emulator has no cache, so two slots are enough to show that they are not mixed up.
  m.l2 = emulated ? 4096 : static_cast<std::size_t>(properties.l2CacheSize);
  m.memory = properties.totalGlobalMem;
  copied = std::min(copied, free_memory() / 4);
  const std::size_t slots = slots_beyond_l2(m, 2 * copied);
  const Slots from(slots, copied), to(slots, copied);
  test::OneQueue queue;
  const auto stream = static_cast<cudaStream_t>(queue.native());
  const Spread s = spread_of(time_launches(
      stream, m, repetitions, slots, [&](std::size_t slot) { must(queue.copy(to.at(slot), from.at(slot), copied)); }));
  m.copy_rate = 2 * static_cast<double>(copied) / s.median;
  return m;
}

}  // namespace laconic::bench
