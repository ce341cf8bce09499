// SPDX-License-Identifier: BSD-3-Clause
// The state kept with a communicator: statistics, hints, and the attributes of the application, which Laconic leaves
// alone.
#include "counted_communicators.hpp"

namespace {

using namespace ranks;

void statistics(Test& t) {
  t.doing("statistics over calls");
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  laconic_stats total{};
  CHECK(t, laconic_stats_get(comm, &total) == MPI_SUCCESS);
  CHECK(t, total.size == sizeof total && total.calls == 0 && total.bytes_in == 0 && total.ratio == 1);
  laconic_stats sum{};
  for (int k = 0; k < 6; ++k) {
    laconic_options o = options_with(LACONIC_BOUND_ABS, k == 2 ? 9e-3 : 1e-3);
    if (k == 4) o.algorithm = LACONIC_ALGORITHM_PLAIN;
    if (k == 5) o.codec = LACONIC_CODEC_RAW;
    laconic_stats one{};
    o.stats = &one;
    std::vector<float> x(1000 + static_cast<std::size_t>(k), 0.1F * static_cast<float>(t.rank()));
    x[0] = 7;
    const int rc =
        laconic_allreduce(MPI_IN_PLACE, x.data(), static_cast<MPI_Count>(x.size()), MPI_FLOAT, MPI_MAX, comm, &o);
    CHECK(t, rc == MPI_SUCCESS);
    CHECK(t, one.calls == 1 && one.bytes_in == 4 * x.size());
    sum.calls += one.calls;
    sum.plain_calls += one.plain_calls;
    sum.bytes_in += one.bytes_in;
    sum.bytes_sent += one.bytes_sent;
    sum.bytes_uncompressed += one.bytes_uncompressed;
    sum.bound = std::max(sum.bound, one.bound);
    sum.achieved_bound = std::max(sum.achieved_bound, one.achieved_bound);
    sum.seconds_total += one.seconds_total;
  }
  // A call that fails is not counted.
  laconic_options wrong = options_with(LACONIC_BOUND_ABS, -1);
  float x = 1;
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  CHECK(t, laconic_allreduce(MPI_IN_PLACE, &x, 1, MPI_FLOAT, MPI_SUM, comm, &wrong) != MPI_SUCCESS);
  laconic_stats_get(comm, &total);
  CHECK(t, total.calls == 6 && total.plain_calls == sum.plain_calls && total.bytes_in == sum.bytes_in);
  CHECK(t, total.bytes_sent == sum.bytes_sent && total.bytes_uncompressed == sum.bytes_uncompressed);
  CHECK(t, total.bound == sum.bound && total.achieved_bound == sum.achieved_bound);
  CHECK(t, std::fabs(total.seconds_total - sum.seconds_total) < 1e-9);
  if (t.size() > 1) {
    CHECK(t, total.plain_calls == 1 && total.plain_reason == LACONIC_PLAIN_ASKED);
    CHECK(t, total.codec == LACONIC_CODEC_RAW && total.algorithm > LACONIC_ALGORITHM_PLAIN);
    CHECK(t, total.bound == 9e-3, "bound %g", total.bound);
  }
  // Other communicators have their own statistics.
  laconic_stats other{};
  MPI_Comm twin;
  MPI_Comm_dup(comm, &twin);
  laconic_stats_get(twin, &other);
  CHECK(t, other.calls == 0);
  CHECK(t, laconic_stats_reset(comm) == MPI_SUCCESS);
  laconic_stats_get(comm, &total);
  CHECK(t, total.calls == 0 && total.bytes_sent == 0 && total.seconds_total == 0 &&
               total.plain_reason == LACONIC_PLAIN_NOT);
  MPI_Comm_free(&twin);
  MPI_Comm_free(&comm);
}

int copies = 0;
int deletions = 0;
int copy_attribute(MPI_Comm, int, void*, void* in, void* out, int* flag) {
  ++copies;
  *static_cast<void**>(out) = in;
  *flag = 1;
  return MPI_SUCCESS;
}
int delete_attribute(MPI_Comm, int, void*, void*) {
  ++deletions;
  return MPI_SUCCESS;
}

// Attributes that the application keeps on its communicator belong to it: Laconic's own duplication must not call their
// callbacks.
void attributes(Test& t) {
  t.doing("the application's attributes");
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(copy_attribute, delete_attribute, &key, nullptr);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  int mine = 42;
  MPI_Comm_set_attr(comm, key, &mine);
  copies = deletions = 0;
  use(t, comm);
  void* value = nullptr;
  int found = 0;
  MPI_Comm_get_attr(comm, key, &value, &found);
  CHECK(t, found && value == &mine);
  CHECK(t, copies == 0, "copied %d times", copies);
  CHECK(t, deletions == 0, "deleted %d times", deletions);
  MPI_Comm_free(&comm);
  CHECK(t, copies == 0 && deletions == 1, "copied %d, deleted %d times", copies, deletions);
  MPI_Comm_free_keyval(&key);
}

MPI_Info info_of(std::initializer_list<std::pair<const char*, const char*>> entries) {
  MPI_Info info;
  MPI_Info_create(&info);
  for (const auto& [key, value] : entries) MPI_Info_set(info, key, value);
  return info;
}

laconic_stats call_with(Test& t, MPI_Comm comm, const laconic_options* options, int count = 20000) {
  std::vector<float> x(static_cast<std::size_t>(count), 1.0F);
  laconic_stats before{};
  laconic_stats after{};
  laconic_stats_reset(comm);
  laconic_stats_get(comm, &before);
  const int rc = laconic_allreduce(MPI_IN_PLACE, x.data(), count, MPI_FLOAT, MPI_SUM, comm, options);
  CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  laconic_stats_get(comm, &after);
  CHECK(t, before.calls == 0 && after.calls == 1);
  return after;
}

// Options > hints > environment > default.
void hints(Test& t) {
  t.doing("hints");
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const laconic_plain_reason one_rank = t.size() == 1 ? LACONIC_PLAIN_ONE_RANK : LACONIC_PLAIN_NOT;
  laconic_stats s = call_with(t, comm, nullptr);
  CHECK(t, s.plain_reason == LACONIC_PLAIN_NO_BOUND, "plain because %s", laconic_plain_reason_string(s.plain_reason));

  MPI_Info info = info_of({{"laconic_bound", "abs:1e-3"},
                           {"laconic_algorithm", "direct"},
                           {"laconic_codec", "raw"},
                           {"laconic_target", "input"},
                           {"laconic_threads", "2"},
                           {"laconic_depth", "3"},
                           {"laconic_chunk_elements", "5000"},
                           {"laconic_denormals", "exact"},
                           {"laconic_progress", "calls"},
                           {"laconic_checksum", "off"},
                           {"laconic_min_bytes", "60000"},
                           {"somebody_else", "1"}});
  CHECK(t, laconic_comm_set_info(comm, info) == MPI_SUCCESS);
  MPI_Info_free(&info);
  s = call_with(t, comm, nullptr);
  CHECK(t, s.plain_reason == one_rank, "plain because %s", laconic_plain_reason_string(s.plain_reason));
  if (t.size() > 1) {
    CHECK(t, s.algorithm == LACONIC_ALGORITHM_DIRECT && s.codec == LACONIC_CODEC_RAW);
    CHECK(t, std::fabs(s.bound - 1e-3 * t.size()) < 1e-12, "bound %g", s.bound);
    s = call_with(t, comm, nullptr, 14999);
    CHECK(t, s.plain_reason == LACONIC_PLAIN_SMALL, "plain because %s", laconic_plain_reason_string(s.plain_reason));
    t.doing("options before hints, one by one");
    laconic_options o;
    laconic_options_init(&o);
    o.algorithm = LACONIC_ALGORITHM_RING;
    s = call_with(t, comm, &o);
    CHECK(t, s.algorithm == LACONIC_ALGORITHM_RING && s.codec == LACONIC_CODEC_RAW);
    laconic_options_init(&o);
    o.bound = {LACONIC_BOUND_ABS, 0.5};
    o.target = LACONIC_TARGET_RESULT;
    o.codec = LACONIC_CODEC_QUANT;
    o.min_bytes = 4;
    s = call_with(t, comm, &o, 1000);
    CHECK(t, s.algorithm == LACONIC_ALGORITHM_DIRECT && s.codec == LACONIC_CODEC_QUANT && s.bound == 0.5);
    // A bound brings its mode and value together.
    laconic_options_init(&o);
    o.bound.mode = LACONIC_BOUND_LOSSLESS;
    o.target = LACONIC_TARGET_RESULT;
    s = call_with(t, comm, &o);
    CHECK(t, s.plain_calls == 0 && s.bound == 0 && s.codec == LACONIC_CODEC_RAW, "bound %g", s.bound);
  }
  t.doing("hints before the environment");
  // Hints and environment are read when a communicator is first used or given hints.
  setenv("LACONIC_ALGORITHM", "recursive-doubling", 1);
  setenv("LACONIC_BOUND", "abs:0.25", 1);
  MPI_Comm fresh;
  MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
  info = info_of({{"laconic_bound", "abs:0.125"}});
  CHECK(t, laconic_comm_set_info(fresh, info) == MPI_SUCCESS);
  MPI_Info_free(&info);
  s = call_with(t, fresh, nullptr);
  if (t.size() > 1)
    CHECK(t, s.algorithm == LACONIC_ALGORITHM_RECURSIVE_DOUBLING && s.bound == 0.125, "bound %g", s.bound);
  t.doing("hints taken back");
  CHECK(t, laconic_comm_set_info(fresh, MPI_INFO_NULL) == MPI_SUCCESS);
  s = call_with(t, fresh, nullptr);
  if (t.size() > 1) CHECK(t, s.bound == 0.25, "bound %g", s.bound);
  unsetenv("LACONIC_ALGORITHM");
  unsetenv("LACONIC_BOUND");
  CHECK(t, laconic_comm_set_info(fresh, MPI_INFO_NULL) == MPI_SUCCESS);
  s = call_with(t, fresh, nullptr);
  CHECK(t, s.plain_reason == LACONIC_PLAIN_NO_BOUND);
  MPI_Comm_free(&fresh);
  MPI_Comm_free(&comm);

  // MPI may keep keys that it does not know, or drop them.
  t.doing("hints through MPI");
  for (const bool at_birth : {true, false}) {
    info = info_of({{"laconic_bound", "abs:0.0625"}, {"laconic_algorithm", "ring"}});
    MPI_Comm hinted;
    if (at_birth) {
      MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &hinted);
    } else {
      MPI_Comm_dup(MPI_COMM_WORLD, &hinted);
      MPI_Comm_set_info(hinted, info);
    }
    MPI_Info_free(&info);
    MPI_Info kept = MPI_INFO_NULL;
    MPI_Comm_get_info(hinted, &kept);
    char value[64] = "";
    int found = 0;
    if (kept != MPI_INFO_NULL) {
      MPI_Info_get(kept, "laconic_bound", sizeof value - 1, value, &found);
      MPI_Info_free(&kept);
    }
    if (t.rank() == 0)
      std::printf("communicators: %s %s unknown keys\n", at_birth ? "MPI_Comm_dup_with_info" : "MPI_Comm_set_info",
                  found ? "keeps" : "drops");
    s = call_with(t, hinted, nullptr);
    if (!found)
      CHECK(t, s.plain_reason == LACONIC_PLAIN_NO_BOUND);
    else if (t.size() > 1)
      CHECK(t, s.bound == 0.0625 && s.algorithm == LACONIC_ALGORITHM_RING, "bound %g", s.bound);
    MPI_Comm_free(&hinted);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "communicator_state");
  const long before = communicators;
  statistics(t);
  attributes(t);
  hints(t);
  CHECK(t, communicators == before, "%ld communicators left behind", communicators - before);
  return t.finish();
}
