// SPDX-License-Identifier: BSD-3-Clause
// options.tune: which messages are compressed, as the sender learns from its own clock.
#include <cmath>
#include <string>
#include <vector>

#include "clock.hpp"
#include "learnt.hpp"

namespace {

using namespace ranks;

constexpr int count = 60000;
constexpr double bound = 1e-3;

// Advice on messages, as a caller asks that sends envelopes of its own: here every rank to itself, with times that it
// makes up.
void advice(Test& t) {
  ranks::clock.run(1, 0.01);
  for (const double coding : {1e-9, 1.0}) {
    t.doing(text("advice on messages, coding takes %g s per byte", coding));
    t.count_case();
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    laconic_options o;
    laconic_options_init(&o);
    o.bound = {LACONIC_BOUND_ABS, bound};
    o.tune = LACONIC_TUNE_ON;
    constexpr std::uint64_t bytes = 1 << 20;
    int compressed = 0;
    int samples = 0;
    for (int k = 0; k < 60; ++k) {
      laconic_advice advice = LACONIC_ADVICE_PLAIN;
      CHECK(t, laconic_send_advice(comm, bytes, &o, &advice) == MPI_SUCCESS);
      if (advice == LACONIC_ADVICE_SAMPLE) {
        ++samples;
        CHECK(t, laconic_send_sampled(comm, coding, 4) == MPI_SUCCESS);
      }
      if (advice == LACONIC_ADVICE_COMPRESS) ++compressed;
      ranks::clock.pass(advice == LACONIC_ADVICE_COMPRESS ? 1e-3 : 4e-3);
      laconic_receive_ended();
    }
    CHECK(t, samples > 0 && (coding < 1 ? compressed > 30 : compressed == 0), "%d samples, %d of 60 compressed",
          samples, compressed);
    const laconic_tuning tuning = learnt(t, comm);
    CHECK(t, tuning.collective == std::string("send") && tuning.bytes == bytes && tuning.calls == 60);
    CHECK(t, tuning.compressed_calls == static_cast<std::uint64_t>(compressed));
    CHECK(t, tuning.plain_seconds > 3e-3, "%g", tuning.plain_seconds);
    o.tune = LACONIC_TUNE_OFF;
    laconic_advice advice = LACONIC_ADVICE_PLAIN;
    CHECK(t, laconic_send_advice(comm, bytes, &o, &advice) == MPI_SUCCESS && advice == LACONIC_ADVICE_COMPRESS);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    CHECK(t, class_of(laconic_send_advice(comm, bytes, &o, nullptr)) == MPI_ERR_ARG);
    for (const double wrong : {0.0, -1.0, std::nan("")}) {
      CHECK(t, class_of(laconic_send_sampled(comm, wrong, 4)) == MPI_ERR_ARG);
      CHECK(t, class_of(laconic_send_sampled(comm, 1, wrong)) == MPI_ERR_ARG);
    }
    MPI_Comm_free(&comm);
  }
  ranks::clock.run(1);
}

// Messages with the default setting: the first are left to MPI, and whatever follows is within the bound.
void messages(Test& t) {
  t.doing("messages");
  t.count_case();
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  CHECK(t, laconic_comm_set_info(comm, MPI_INFO_NULL) == MPI_SUCCESS);
  const int next = (t.rank() + 1) % t.size();
  const int previous = (t.rank() + t.size() - 1) % t.size();
  std::vector<float> out(count);
  std::vector<float> in(count);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = number_of(t.rank(), i);
  laconic_options o;
  laconic_options_init(&o);
  o.bound = {LACONIC_BOUND_ABS, bound};
  o.tune = LACONIC_TUNE_ON;
  laconic_stats stats{};
  o.stats = &stats;
  for (int k = 0; k < 100; ++k) {
    CHECK(t, laconic_sendrecv(out.data(), count, MPI_FLOAT, next, 1, in.data(), count, MPI_FLOAT, previous, 1, comm,
                              MPI_STATUS_IGNORE, &o) == MPI_SUCCESS);
    if (k == 0) CHECK(t, stats.plain_reason == LACONIC_PLAIN_SLOWER, "%d", stats.plain_reason);
    double worst = 0;
    for (std::size_t i = 0; i < in.size(); ++i)
      worst = std::max(worst, std::fabs(static_cast<double>(in[i]) - number_of(previous, i)));
    CHECK(t, worst <= bound, "%g in message %d", worst, k);
  }
  const laconic_tuning tuning = learnt(t, comm);
  CHECK(t, tuning.collective == std::string("send") && tuning.calls == 100 && tuning.plain_seconds > 0);
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "tuning_messages");
  if (t.size() > 1) messages(t);
  advice(t);
  return t.finish();
}
