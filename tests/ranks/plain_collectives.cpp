// SPDX-License-Identifier: BSD-3-Clause
// Calls of every collective that are left to MPI: the results match plain MPI, and the statistics give the reason.
// Also calls of which the ranks only find out together that they are not compressed.
#include "collective_case.hpp"

namespace {

using namespace ranks;

bool good(Test& t, int rc) { return CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str()); }

void run(Test& t, Setting s, laconic_plain_reason reason, Random& random) {
  t.doing(describe(s) + ", plain because " + laconic_plain_reason_string(reason));
  t.count_case();
  const auto call = make_call(s, random.below(2) == 0, MPI_COMM_WORLD);
  if (s.mode == Mode::blocking) {
    if (!good(t, call->run())) return;
  } else {
    laconic_request request = LACONIC_REQUEST_NULL;
    if (!good(t, call->begin(&request)) || !good(t, laconic_wait(&request, MPI_STATUS_IGNORE))) return;
  }
  call->check(t);
  const laconic_stats& stats = call->stats();
  CHECK(t, stats.plain_calls == 1 && stats.plain_reason == reason, "plain because %s",
        laconic_plain_reason_string(stats.plain_reason));
  CHECK(t, stats.bytes_sent == 0 && stats.algorithm == LACONIC_ALGORITHM_PLAIN);
}

// Elements of two integers with a gap behind them.  This bound is not valid for integers, so all ranks exchange
// uncompressed.
void gaps(Test& t, bool nonblocking) {
  t.doing("types with gaps");
  t.count_case();
  const auto p = static_cast<std::size_t>(t.size());
  const auto me = static_cast<std::size_t>(t.rank());
  MPI_Datatype pair;
  MPI_Datatype spaced;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_create_resized(pair, 0, 3 * sizeof(int), &spaced);
  MPI_Type_commit(&spaced);
  laconic_stats stats{};
  laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-3);
  o.stats = &stats;
  laconic_request request = LACONIC_REQUEST_NULL;
  const auto done = [&](int rc) {
    if (good(t, rc) && nonblocking) good(t, laconic_wait(&request, MPI_STATUS_IGNORE));
    const auto reason = t.size() == 1 ? LACONIC_PLAIN_ONE_RANK : LACONIC_PLAIN_TYPE;
    CHECK(t, stats.plain_calls == 1 && stats.plain_reason == reason, "plain because %s",
          laconic_plain_reason_string(stats.plain_reason));
    stats = {};
  };
  std::vector<MPI_Count> counts(p);
  std::vector<MPI_Aint> at(p);
  MPI_Aint next = 0;
  for (std::size_t k = 0; k < p; ++k) {
    counts[k] = static_cast<MPI_Count>(k % 3);
    at[k] = next;
    next += static_cast<MPI_Aint>(counts[k]) + 1;
  }
  const auto total = static_cast<std::size_t>(next) * 3;
  const auto value = [](std::size_t from, std::size_t to, std::size_t i) {
    return static_cast<int>(from * 10000 + to * 100 + i);
  };

  // Only the root has the type with the gap; the others send floats.
  std::vector<int> mine(static_cast<std::size_t>(counts[me]) * 2);
  for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = value(me, 0, i);
  std::vector<int> all(total, -1);
  const int root = t.size() - 1;
  const auto n = static_cast<MPI_Count>(mine.size());
  done(nonblocking ? laconic_igatherv(mine.data(), n, MPI_INT, all.data(), counts.data(), at.data(), spaced, root,
                                      MPI_COMM_WORLD, &request, &o)
                   : laconic_gatherv(mine.data(), n, MPI_INT, all.data(), counts.data(), at.data(), spaced, root,
                                     MPI_COMM_WORLD, &o));
  if (t.rank() == root)
    for (std::size_t k = 0; k < p; ++k)
      for (std::size_t i = 0; i < static_cast<std::size_t>(counts[k]) * 2; ++i)
        CHECK(t, all[(static_cast<std::size_t>(at[k]) + i / 2) * 3 + i % 2] == value(k, 0, i));

  // The reverse direction.
  std::vector<int> back(mine.size(), -1);
  done(nonblocking ? laconic_iscatterv(all.data(), counts.data(), at.data(), spaced, back.data(), n, MPI_INT, root,
                                       MPI_COMM_WORLD, &request, &o)
                   : laconic_scatterv(all.data(), counts.data(), at.data(), spaced, back.data(), n, MPI_INT, root,
                                      MPI_COMM_WORLD, &o));
  CHECK(t, back == mine);

  // All-to-all in place: a number just received must not be sent on.
  std::vector<MPI_Count> ones(p, 1);
  std::vector<MPI_Aint> places(p);
  std::vector<int> grid(p * 3, -1);
  for (std::size_t k = 0; k < p; ++k) {
    places[k] = static_cast<MPI_Aint>(k);
    grid[k * 3] = value(me, k, 0);
    grid[k * 3 + 1] = value(me, k, 1);
  }
  done(nonblocking ? laconic_ialltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, grid.data(), ones.data(),
                                        places.data(), spaced, MPI_COMM_WORLD, &request, &o)
                   : laconic_alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, grid.data(), ones.data(),
                                       places.data(), spaced, MPI_COMM_WORLD, &o));
  for (std::size_t k = 0; k < p; ++k) {
    CHECK(t, grid[k * 3] == value(k, me, 0) && grid[k * 3 + 1] == value(k, me, 1), "from rank %zu: %g %g", k,
          static_cast<double>(grid[k * 3]), static_cast<double>(grid[k * 3 + 1]));
    CHECK(t, grid[k * 3 + 2] == -1, "a gap was written");
  }
  MPI_Type_free(&spaced);
  MPI_Type_free(&pair);
}

// A plain call while a compressed one is in flight: both must make progress, in whichever order a rank waits for them.
void among_others(Test& t, Random& random) {
  t.doing("plain among compressed");
  Setting compressed = random_setting(random, t.size(), 3000);
  Setting plain = random_setting(random, t.size(), 3000);
  // A blocking plain call makes progress on operations of its own communicator only.
  while (plain.traits().neighborhood() != compressed.traits().neighborhood())
    plain = random_setting(random, t.size(), 3000);
  plain.topology = compressed.topology;
  plain.bound = {LACONIC_BOUND_UNSET, 0};
  plain.codec = LACONIC_CODEC_UNSET;
  const auto a = make_call(compressed, false, MPI_COMM_WORLD);
  const auto b = make_call(plain, false, MPI_COMM_WORLD);
  laconic_request request = LACONIC_REQUEST_NULL;
  if (!good(t, a->begin(&request))) return;
  if (t.rank() % 2 == 0) {
    if (good(t, laconic_wait(&request, MPI_STATUS_IGNORE))) a->check(t);
    if (good(t, b->run())) b->check(t);
  } else {
    if (good(t, b->run())) b->check(t);
    if (good(t, laconic_wait(&request, MPI_STATUS_IGNORE))) a->check(t);
  }
}

// An alltoallv in place by MPI's own rules for one: counts[p] elements are exchanged with rank p.
void exchange_in_place(Test& t, const char* what, const std::vector<int>& counts, bool asked_to_be_plain) {
  t.doing(text("alltoallv in place, %s%s", what, asked_to_be_plain ? ", algorithm plain" : ""));
  t.count_case();
  const auto size = static_cast<std::size_t>(t.size());
  std::vector<MPI_Count> many(counts.begin(), counts.end());
  std::vector<MPI_Aint> displs(size, 0);
  for (std::size_t p = 1; p < size; ++p) displs[p] = displs[p - 1] + counts[p - 1];
  const auto of = [](int from, int to, int i) { return 1000.0 * from + 10.0 * to + i; };
  std::vector<double> numbers;
  for (int p = 0; p < t.size(); ++p)
    for (int i = 0; i < counts[static_cast<std::size_t>(p)]; ++i) numbers.push_back(of(t.rank(), p, i));
  laconic_stats stats{};
  laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-3);
  o.min_bytes = 64;
  if (asked_to_be_plain) o.algorithm = LACONIC_ALGORITHM_PLAIN;
  o.stats = &stats;
  laconic_request request = LACONIC_REQUEST_NULL;
  if (!good(t, laconic_ialltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, numbers.data(), many.data(),
                                  displs.data(), MPI_DOUBLE, MPI_COMM_WORLD, &request, &o)))
    return;
  if (!good(t, laconic_wait(&request, MPI_STATUS_IGNORE))) return;
  std::size_t k = 0;
  for (int p = 0; p < t.size(); ++p)
    for (int i = 0; i < counts[static_cast<std::size_t>(p)]; ++i, ++k)
      CHECK(t, numbers[k] == of(p, t.rank(), i), "number %d from rank %d is %g", i, p, numbers[k]);
  const auto reason = asked_to_be_plain ? LACONIC_PLAIN_ASKED
                      : t.size() == 1   ? LACONIC_PLAIN_ONE_RANK
                                        : LACONIC_PLAIN_SMALL;
  CHECK(t, stats.plain_calls == 1 && stats.plain_reason == reason, "plain because %s",
        laconic_plain_reason_string(stats.plain_reason));
  // This hangs if the ranks disagree on how many calls they have begun.
  int one = 1;
  int all = 0;
  MPI_Request after = MPI_REQUEST_NULL;
  MPI_Iallreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &after);
  MPI_Wait(&after, MPI_STATUS_IGNORE);
  CHECK(t, all == t.size(), "%d", all);
}

void little_in_place(Test& t) {
  for (const bool asked_to_be_plain : {false, true}) {
    std::vector<int> counts(static_cast<std::size_t>(t.size()), 0);
    exchange_in_place(t, "nothing", counts, asked_to_be_plain);
    // Rank 0 contributes nothing; every other rank has one number for each of the others.
    if (t.rank() != 0)
      for (int p = 1; p < t.size(); ++p) counts[static_cast<std::size_t>(p)] = 1;
    exchange_in_place(t, "nothing on rank 0", counts, asked_to_be_plain);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "plain_collectives");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  Random random(t.seed());
  for (int f = 0; f < static_cast<int>(laconic::num_routines); ++f)
    for (const Mode mode : {Mode::blocking, Mode::nonblocking}) {
      Setting s = random_setting(random, t.size(), 3000);
      s.routine = static_cast<Routine>(f);
      s.algorithm = LACONIC_ALGORITHM_AUTO;
      s.codec = LACONIC_CODEC_UNSET;
      s.variant = LACONIC_VARIANT_UNSET;
      s.mode = mode;
      s.bound = {LACONIC_BOUND_ABS, 1e-3};
      if (!s.reduces()) s.op = Op::sum;
      s.mean = s.mean && s.has_mean();
      s.in_place = s.in_place && s.may_be_in_place();
      const auto or_one_rank = [&](laconic_plain_reason r) { return t.size() == 1 ? LACONIC_PLAIN_ONE_RANK : r; };
      s.min_bytes = std::int64_t{1} << 40;
      run(t, s, or_one_rank(LACONIC_PLAIN_SMALL), random);
      s.min_bytes = 1;
      s.variant = LACONIC_VARIANT_PLAIN;
      run(t, s, LACONIC_PLAIN_ASKED, random);
      s.variant = LACONIC_VARIANT_UNSET;
      s.bound = {LACONIC_BOUND_UNSET, 0};
      run(t, s, LACONIC_PLAIN_NO_BOUND, random);
    }
  little_in_place(t);
  for (int k = 0; k < 3; ++k) gaps(t, k % 2 == 1);
  for (int k = 0; k < 30; ++k) among_others(t, random);
  return t.finish();
}
