// SPDX-License-Identifier: BSD-3-Clause
// Ranks that share a device and its memory: measures the time of their kernels and the bytes sent, without a network.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "codec/codec.hpp"
#include "coded.hpp"
#include "device/devices.hpp"
#include "engine/ledger.hpp"
#include "engine/run.hpp"
#include "measurements.hpp"
#include "schedule/schedule.hpp"
#include "transport/loopback/loopback.hpp"

namespace laconic::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double relative_bound = 1e-3;
constexpr int rounds = 5;  // timed rounds, after one untimed round
constexpr std::chrono::seconds stuck{60};

// The codec of an allreduce.  raw sends numbers uncompressed.  zfp at a fixed rate in a ring is the GPU Allreduce of
// the OSU group, which has no bound on the error.
struct Coder {
  const char* codec;
  double rate;  // bits per number; 0: the bound applies
  const char* mode;
};
constexpr Coder coders[] = {{"quant", 0, "rel:1e-3"}, {"raw", 0, "rel:1e-3"}, {"zfp", 8, "rate:8"}};

// zfp is measured as the others' design has it: in a ring.
bool measured(const Coder& coder, std::string_view algorithm) {
  const Codec* codec = find_codec(coder.codec);
  return codec != nullptr && codec->on_device() != nullptr && (coder.rate == 0 || algorithm == "ring");
}

struct Setting {
  const Algorithm* algorithm;
  const Coder* coder;
  int ranks;
  std::size_t bytes;
  int rows;

  const Codec& codec() const { return *find_codec(coder->codec); }
};

std::unique_ptr<Device> open_device() {
  Status status;
  auto device = laconic::open_device(0, status);
  must(status);
  return device;
}

// One rank: its numbers and its run of the algorithm.
struct Rank {
  Rank(std::unique_ptr<Transport> t, const Setting& s, const Place& at, Travel travel)
      : transport(std::move(t)),
        device(open_device()),
        run(*transport, *device),
        plan(lower(s.algorithm->build(at), Collective::allreduce, at, travel)),
        in(s.bytes),
        out(s.bytes) {
    const std::size_t count = s.bytes / sizeof(float), cut = static_cast<std::size_t>(plan.cut);
    std::vector<std::size_t> begins{0};
    for (std::size_t b = 0; b < cut; ++b) begins.push_back(begins.back() + count / cut + (b < count % cut ? 1 : 0));
    for (const std::int32_t name : plan.blocks) {
      const auto b = static_cast<std::size_t>(name);
      const std::size_t at_byte = begins[b] * sizeof(float);
      regions.push_back({in.get() + at_byte, out.get() + at_byte, begins[b + 1] - begins[b]});
    }
    largest = begins[1];
  }

  std::unique_ptr<Transport> transport;
  std::unique_ptr<Device> device;
  Run run;
  Plan plan;
  DeviceBytes in, out;
  std::vector<Region> regions;
  std::size_t largest = 0;
};

class Job {
 public:
  // numbers: one entry per rank; it may have more entries than there are ranks.
  Job(const Setting& s, const std::vector<Bytes>& numbers)
      : setting_(s),
        numbers_(numbers),
        carrier_(open_device()),
        hub_(s.ranks, 1, std::chrono::microseconds(0), copy()) {
    const Travel travel = travel_of(s.codec(), false);
    for (int r = 0; r < s.ranks; ++r) {
      ranks_.push_back(std::make_unique<Rank>(hub_.transport(r), s, Place{r, s.ranks, 0}, travel));
      ranks_.back()->in.write(numbers_[static_cast<std::size_t>(r)].data());
    }
    must(cudaDeviceSynchronize());  // the copies are not on the streams of the ranks
    coding_.rate = s.coder->rate;
    bound_ = coding_.rate > 0 ? 0 : relative_bound * range_of(numbers_[0], Dtype::f32);
    budget_ = divide_bound(bound_, false, Op::sum, false, *s.algorithm, s.ranks, travel);
    coding_.dtype = Dtype::f32;
    coding_.allowance = budget_.allowance;
    coding_.terms = budget_.terms;
  }

  // Runs one operation and returns its seconds.
  double once() {
    const auto begin = Clock::now();
    for (auto& r : ranks_) r->run.start(work(*r));
    for (bool busy = true; busy;) {
      busy = false;
      for (auto& r : ranks_) busy = !r->run.poll() || busy;
      if (Clock::now() - begin > stuck) throw std::runtime_error("no end: " + ranks_[0]->run.describe());
    }
    ++sequence_;
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    for (auto& r : ranks_) must(r->run.status());
    return seconds;
  }

  // Checks parts of the results: at the beginning, in between, and at the end.  greatest_error: of the numbers in them.
  bool right(double& greatest_error) const {
    const std::size_t part = std::min<std::size_t>(setting_.bytes, std::size_t{4} << 20);
    const std::size_t end = (setting_.bytes - part) / sizeof(float) * sizeof(float);
    greatest_error = 0;
    for (const std::size_t begin : {std::size_t{0}, end / 3 / sizeof(float) * sizeof(float), end})
      if (!right(begin, part, greatest_error)) return false;
    return true;
  }

  // The error that a result may have.  At a fixed rate there is no bound, but frames account for their errors.
  double bound() const { return coding_.rate > 0 ? account().error : bound_; }

  // Checks that all ranks have the same bits, and that they are within the bound.
  bool right(std::size_t begin, std::size_t bytes, double& greatest_error) const {
    const double most = bound();
    Bytes first(bytes), other(bytes);
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      Bytes& found = r == 0 ? first : other;
      must(cudaMemcpy(found.data(), ranks_[r]->out.get() + begin, bytes, cudaMemcpyDeviceToHost));
      if (found != first) return false;
    }
    for (std::size_t at = 0; at < bytes; at += sizeof(float)) {
      double sum = 0;
      for (std::size_t r = 0; r < ranks_.size(); ++r) sum += static_cast<double>(number(numbers_[r], begin + at));
      const double error = std::abs(static_cast<double>(number(first, at)) - sum);
      if (!(error <= most + std::abs(sum) * 0x1p-23)) return false;
      greatest_error = std::max(greatest_error, error);
    }
    return true;
  }

  Account account() const {
    Account total;
    for (const auto& r : ranks_) {
      const Account& a = r->run.account();
      total.bytes_sent += a.bytes_sent;
      total.bytes_uncompressed += a.bytes_uncompressed;
      total.seconds_encode += a.seconds_encode;
      total.seconds_decode += a.seconds_decode;
      total.seconds_reduce += a.seconds_reduce;
      total.seconds_copy += a.seconds_copy;
      total.error = std::max(total.error, a.error);
    }
    return total;
  }

 private:
  LoopbackHub::Copy copy() {
    return [this](void* to, const void* from, std::size_t bytes) { return carrier_->copy(to, from, bytes); };
  }

  static float number(const Bytes& bytes, std::size_t at) {
    float x;
    std::memcpy(&x, bytes.data() + at, sizeof x);
    return x;
  }

  Work work(Rank& r) {
    Work w;
    w.plan = &r.plan;
    w.codec = &setting_.codec();
    w.coding = coding_;
    w.last_allowance = budget_.last_allowance;
    w.regions = r.regions;
    w.largest = r.largest;
    w.depth = setting_.rows;
    w.chunk = std::max<std::size_t>((r.largest + w.depth - 1) / static_cast<std::size_t>(w.depth), 1);
    w.sequence = sequence_;
    return w;
  }

  Setting setting_;
  const std::vector<Bytes>& numbers_;
  std::unique_ptr<Device> carrier_;
  LoopbackHub hub_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  double bound_ = 0;
  Budget budget_;
  Coding coding_;
  std::uint64_t sequence_ = 0;
};

void measure(const Setting& s, const std::vector<Bytes>& numbers, Rows& rows) {
  Job job(s, numbers);
  job.once();
  std::vector<double> seconds;
  for (int k = 0; k < rounds; ++k) seconds.push_back(job.once());
  const Spread t = spread_of(seconds);
  double greatest_error = 0;
  const bool right = job.right(greatest_error);
  const Account a = job.account();
  Row row("allreduce");
  row.text("algorithm", s.algorithm->name())
      .text("codec", s.coder->codec)
      .text("dtype", "f32")
      .text("mode", s.coder->mode);
  row.number("ranks", s.ranks).number("bytes", static_cast<double>(s.bytes)).number("rows", s.rows);
  row.number("repetitions", rounds).number("median_s", t.median).number("least_s", t.least);
  row.number("greatest_s", t.greatest).number("wire_bytes", static_cast<double>(a.bytes_sent));
  row.number("uncompressed_bytes", static_cast<double>(a.bytes_uncompressed)).number("encode_s", a.seconds_encode);
  row.number("decode_s", a.seconds_decode).number("reduce_s", a.seconds_reduce).number("copy_s", a.seconds_copy);
  row.number("bound", job.bound()).number("greatest_error", greatest_error).truth("equal", right);
  right ? rows.add(row) : rows.add_wrong(row);
}

}  // namespace

void measure_allreduce(const Machine&, const Options& options, Rows& rows) {
  int left_out = 0;
  for (const std::size_t bytes : options.allreduce_sizes) {
    std::vector<Bytes> numbers;
    for (int r = 0; r < *std::max_element(options.ranks.begin(), options.ranks.end()) && !options.late(); ++r)
      numbers.push_back(make_numbers(inputs(true)[0], Dtype::f32, bytes / sizeof(float), r));
    for (const int ranks : options.ranks)
      for (const Coder& coder : coders)
        for (const char* algorithm : {"direct", "recursive-doubling", "ring"})
          for (const int cut : {1, 4}) {
            if (!measured(coder, algorithm)) continue;
            // The memory for numbers in and out, and for frames in flight.
            const std::size_t memory = static_cast<std::size_t>(ranks) * bytes * 6;
            if (options.late() || memory > free_memory() / 10 * 9) {
              ++left_out;
              continue;
            }
            measure({find_algorithm(Collective::allreduce, algorithm), &coder, ranks, bytes, cut}, numbers, rows);
          }
  }
  rows.add(Row("left_out").text("topic", "allreduce").number("cases", left_out));
}

}  // namespace laconic::bench
