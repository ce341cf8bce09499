// SPDX-License-Identifier: BSD-3-Clause
#include "codec_speed.hpp"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cmath>
#include <cstring>
#include <ctime>
#include <functional>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "coded_field.hpp"

namespace laconic::cli {
namespace {

// The shortest useful sample, in seconds: a shorter one measures the clock rather than the codec.
constexpr double least_sample = 2e-3;

// From this size on, decoded numbers bypass the caches: it is more than one core's share of them.
constexpr std::size_t streaming_bytes = std::size_t{8} << 20;

// One thread's part: a run of chunks, and memory for one frame.
struct Share {
  std::size_t begin = 0;
  std::size_t end = 0;
  Memory frame;
  double began = 0;
  double ended = 0;
};

using Work = std::function<bool(Share&)>;

// The CPU time of this thread, which other threads on the machine do not affect.
double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

bool all_passes(Share& share, int passes, const Work& work) {
  bool good = true;
  for (int pass = 0; pass < passes; ++pass) good = work(share) && good;
  return good;
}

// The seconds that all shares take for `passes` passes; negative if the codec refused. Several threads are measured by
// wall time, because CPU time would show a gain even where there is no core for them.
double run(std::vector<Share>& shares, int passes, const Work& work) {
  if (shares.size() == 1) {
    const double begin = thread_seconds();
    const bool good = all_passes(shares[0], passes, work);
    const double seconds = thread_seconds() - begin;
    return good ? seconds : -1;
  }
  std::atomic<bool> good{true};
  std::barrier start(static_cast<std::ptrdiff_t>(shares.size()));
  std::vector<std::thread> threads;
  threads.reserve(shares.size());
  for (Share& share : shares)
    threads.emplace_back([&] {
      start.arrive_and_wait();
      share.began = now();
      if (!all_passes(share, passes, work)) good = false;
      share.ended = now();
    });
  for (auto& thread : threads) thread.join();
  double began = shares[0].began;
  double ended = shares[0].ended;
  for (const Share& share : shares) {
    began = std::min(began, share.began);
    ended = std::max(ended, share.ended);
  }
  return good ? ended - began : -1;
}

struct Task {
  Work work;
  Speed* speed;
  int passes = 1;
  std::vector<double> seconds;  // times of one pass
};

Memory repeated(const Field& field, std::size_t bytes) {
  Memory memory(bytes);
  const std::size_t own = field.count * size_of(field.dtype);
  for (std::size_t at = 0; at < bytes; at += own)
    std::memcpy(memory.data() + at, field.numbers.data(), std::min(own, bytes - at));
  return memory;
}

// The same numbers from a third of them on, and then the first ones: another contribution to a sum.  The points of a
// sum of equal numbers are all even, which those of other sums are not.
Memory turned(const View& view) {
  Memory memory(view.bytes());
  const std::size_t unit = size_of(view.dtype);
  const std::size_t first = view.bytes() / unit / 3 * unit;
  std::memcpy(memory.data(), view.numbers + first, view.bytes() - first);
  std::memcpy(memory.data() + view.bytes() - first, view.numbers, first);
  return memory;
}

Speed speed_of(std::vector<double> seconds, double bytes) {
  std::sort(seconds.begin(), seconds.end());
  const std::size_t n = seconds.size();
  const double median = (seconds[n / 2] + seconds[(n - 1) / 2]) / 2;
  return {bytes / seconds.front() * 1e-9, bytes / median * 1e-9};
}

}  // namespace

Status measure_speed(const Codec& codec, const Coding& coding, const Field& field, const Setup& setup, Measurement& m) {
  const std::size_t unit = size_of(field.dtype);
  const Memory tile = setup.tile > 0 ? repeated(field, std::max(setup.tile / unit, std::size_t{1}) * unit) : Memory();
  View view{field.numbers.data(), field.count, field.dtype, setup.chunk};
  if (setup.tile > 0) view = {tile.data(), tile.size() / unit, field.dtype, setup.chunk};
  m.speed_bytes = view.bytes();

  // Data that do not fit the caches should not evict other data from them.
  Coding stream = coding;
  stream.streaming = view.bytes() >= streaming_bytes;
  // A sum of two contributions needs room on the lattice for both. Only fold and add should have this cost.
  Coding sum = coding;
  sum.terms = 2;
  CodedField coded;
  CodedField theirs;
  CodedField ours;
  if (Status s = coded.encode(codec, coding, view); !s) return s;
  const Memory other = turned(view);
  View other_view = view;
  other_view.numbers = other.data();
  if (Status s = theirs.encode(codec, sum, other_view); !s) return s;
  if (Status s = ours.encode(codec, sum, view); !s) return s;
  Memory result(view.bytes());

  const std::size_t capacity = codec.capacity(view.chunk_count(), view.dtype);
  const std::size_t threads = std::min(static_cast<std::size_t>(setup.threads), view.chunks());
  std::vector<Share> shares(threads);
  for (std::size_t t = 0; t < threads; ++t)
    shares[t] = {t * view.chunks() / threads, (t + 1) * view.chunks() / threads, Memory(capacity), 0, 0};

  const auto each_chunk = [](auto&& act) {
    return [act](Share& share) {
      bool good = true;
      for (std::size_t k = share.begin; k < share.end; ++k) good = act(share, k) && good;
      return good;
    };
  };
  const auto place = [&](std::size_t k) { return result.data() + view.first(k) * unit; };
  std::vector<Task> tasks;
  tasks.push_back({[&](Share& share) {
                     const std::size_t last = share.end - 1;
                     std::memcpy(
                         place(share.begin), view.at(share.begin),
                         static_cast<std::size_t>(view.at(last) - view.at(share.begin)) + view.size(last) * unit);
                     return true;
                   },
                   &m.copy,
                   1,
                   {}});
  tasks.push_back({each_chunk([&](Share& share, std::size_t k) {
                     return codec.encode(view.at(k), view.size(k), coding, share.frame.span()).status.ok();
                   }),
                   &m.encode,
                   1,
                   {}});
  tasks.push_back({each_chunk([&](Share&, std::size_t k) {
                     return codec.decode(coded.frame(k), place(k), view.size(k), stream).ok();
                   }),
                   &m.decode,
                   1,
                   {}});
  tasks.push_back({each_chunk([&](Share& share, std::size_t k) {
                     return codec.fold(theirs.frame(k), view.at(k), view.size(k), sum, share.frame.span()).status.ok();
                   }),
                   &m.fold,
                   1,
                   {}});
  tasks.push_back(
      {each_chunk([&](Share& share, std::size_t k) {
         return codec.add(theirs.frame(k), ours.frame(k), view.size(k), sum, share.frame.span()).status.ok();
       }),
       &m.add,
       1,
       {}});

  // The first run touches all memory; the time of the second gives the number of passes per sample.
  for (Task& task : tasks) {
    if (run(shares, 1, task.work) < 0) task.passes = 0;
    if (task.passes == 0) continue;
    const double seconds = std::max(run(shares, 1, task.work), 1e-9);
    task.passes = static_cast<int>(std::clamp(std::ceil(least_sample / seconds), 1.0, 1e6));
  }
  // Each sample follows an unmeasured pass of the same work. Otherwise it would depend on the cache lines that the
  // previous task left behind, and on those that still have to be written back.
  for (int r = 0; r < setup.repeat; ++r)
    for (Task& task : tasks) {
      if (task.passes == 0) continue;
      run(shares, 1, task.work);
      task.seconds.push_back(run(shares, task.passes, task.work) / task.passes);
    }
  for (const Task& task : tasks)
    if (task.passes > 0) *task.speed = speed_of(task.seconds, static_cast<double>(view.bytes()));
  return {};
}

}  // namespace laconic::cli
