// SPDX-License-Identifier: BSD-3-Clause
// effort=auto where numbers are on a device: the ranks do not choose dense, which has no kernels there, and take light
// in its place where they have chosen it for numbers on hosts.  effort=dense codes such numbers on the host.
#include <cmath>

#include "device_memory.hpp"
#include "emulated_nodes.hpp"
#include "learnt.hpp"

namespace {

using namespace ranks;

constexpr int count = 60000;
constexpr double bound = 1e-3;

class Calls {
 public:
  Calls(Test& t, bool nonblocking) : t_(t), nonblocking_(nonblocking) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    // With Open MPI, nonblocking calls are left to MPI before that.
    good(laconic_comm_set_info(comm_, MPI_INFO_NULL));
  }
  ~Calls() { MPI_Comm_free(&comm_); }
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  // The codec of one sum, UNSET where it was left to MPI.  on_device: the last rank's buffers are in device memory.
  laconic_codec sum(bool on_device) {
    std::vector<float> send(count), recv(count, -1);
    for (std::size_t i = 0; i < count; ++i) send[i] = number_of(t_.rank(), i);
    MemoryOf memory(t_, on_device && t_.rank() == t_.size() - 1 ? Memory::device : Memory::pageable, nullptr);
    void* const from = memory.reserve(count * sizeof(float));
    void* const to = memory.reserve(count * sizeof(float));
    memory.push(from, send.data(), count * sizeof(float));
    memory.push(to, recv.data(), count * sizeof(float));
    laconic_options o = options_with(LACONIC_BOUND_ABS, bound);
    o.tune = tune_;
    o.effort = effort_;
    laconic_stats stats{};
    o.stats = &stats;
    laconic_plain_reason reason = LACONIC_PLAIN_NOT;
    if (nonblocking_) {
      laconic_request request = LACONIC_REQUEST_NULL;
      good(laconic_iallreduce(from, to, count, MPI_FLOAT, MPI_SUM, comm_, &request, &o));
      good(laconic_wait(&request, MPI_STATUS_IGNORE));
    } else {
      o.plain = &reason;
      good(laconic_allreduce(from, to, count, MPI_FLOAT, MPI_SUM, comm_, &o));
      // A link that takes so long that only the size of frames counts.
      if (reason != LACONIC_PLAIN_NOT) good(laconic_plain_took(comm_, 10));
    }
    memory.pull(recv.data(), to, count * sizeof(float));
    if (reason == LACONIC_PLAIN_NOT) check(recv);
    const laconic_codec codec = stats.plain_calls > 0 ? LACONIC_CODEC_UNSET : stats.codec;
    CHECK(t_, same_everywhere(static_cast<std::uint64_t>(codec), MPI_COMM_WORLD), "codec %d", codec);
    return codec;
  }

  void set_nonblocking() { nonblocking_ = true; }
  void set(laconic_tune tune, laconic_effort effort) { tune_ = tune, effort_ = effort; }

 private:
  void good(int rc) { CHECK(t_, rc == MPI_SUCCESS, "%s", message_of(rc).c_str()); }

  void check(const std::vector<float>& result) {
    for (std::size_t i = 0; i < count; ++i) {
      double exact = 0;
      for (int r = 0; r < t_.size(); ++r) exact += static_cast<double>(number_of(r, i));
      const double error = std::fabs(static_cast<double>(result[i]) - exact);
      if (!CHECK(t_, error <= bound + 1e-6 * std::fabs(exact), "element %zu is off by %g", i, error)) return;
    }
    CHECK(t_, same_everywhere(hash_of(result.data(), count * sizeof(float)), MPI_COMM_WORLD));
  }

  Test& t_;
  bool nonblocking_;
  laconic_tune tune_ = LACONIC_TUNE_ON;
  laconic_effort effort_ = LACONIC_EFFORT_AUTO;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "device_effort");
  if (!have_device()) {
    if (t.rank() == 0) std::printf("no device\n");
    return t.finish();
  }
  // Within a node the first survey comes after many more calls.
  if (!emulate_nodes(t, t.rank())) {
    if (t.rank() == 0) std::printf("no namespaces\n");
    return t.finish();
  }
  if (t.size() > 1) {
    t.doing("one rank has its numbers on a device");
    t.count_case();
    int compressed = 0;
    Calls mixed(t, false);
    for (int k = 0; k < 40; ++k) {
      const laconic_codec codec = mixed.sum(true);
      CHECK(t, codec == LACONIC_CODEC_UNSET || codec == LACONIC_CODEC_QUANT, "codec %d in call %d", codec, k);
      compressed += codec == LACONIC_CODEC_QUANT;
    }
    CHECK(t, compressed > 0, "no call was compressed");

    t.doing("dense was chosen for numbers on hosts");
    t.count_case();
    Calls changing(t, false);
    laconic_codec codec = LACONIC_CODEC_UNSET;
    int calls = 0;
    while (codec != LACONIC_CODEC_DENSE && calls < 60) codec = changing.sum(false), ++calls;
    CHECK(t, codec == LACONIC_CODEC_DENSE, "it was not, in %d calls", calls);
    t.doing("and then one rank has its numbers on a device");
    t.count_case();
    compressed = 0;
    for (int k = 0; k < 20; ++k) {
      const laconic_codec then = changing.sum(true);
      CHECK(t, k > 0 ? then != LACONIC_CODEC_DENSE : then == LACONIC_CODEC_QUANT, "codec %d in call %d", then, k);
      compressed += then == LACONIC_CODEC_QUANT;
    }
    CHECK(t, compressed > 10, "%d calls were compressed", compressed);

    for (const bool nonblocking : {false, true}) {
      t.doing(text("dense was asked for, %s", nonblocking ? "nonblocking" : "blocking"));
      t.count_case();
      Calls asked(t, nonblocking);
      asked.set(LACONIC_TUNE_OFF, LACONIC_EFFORT_DENSE);
      CHECK(t, asked.sum(true) == LACONIC_CODEC_DENSE);
    }

    t.doing("nonblocking calls after blocking ones that have chosen dense");
    t.count_case();
    Calls following(t, false);
    codec = LACONIC_CODEC_UNSET;
    for (calls = 0; codec != LACONIC_CODEC_DENSE && calls < 60; ++calls) codec = following.sum(false);
    CHECK(t, codec == LACONIC_CODEC_DENSE, "it was not, in %d calls", calls);
    following.set_nonblocking();
    for (int k = 0; k < 20; ++k) {
      const bool on_device = k % 3 != 0;
      const laconic_codec then = following.sum(on_device);
      CHECK(t, then == (on_device ? LACONIC_CODEC_QUANT : LACONIC_CODEC_DENSE), "codec %d in call %d", then, k);
    }
  }
  return t.finish();
}
