// SPDX-License-Identifier: BSD-3-Clause
// Every collective, in every form, mode, algorithm, variant and codec: the bound is held, exact codecs are exact, and a
// result that several ranks receive has the same bits on all of them.
#include "collective_case.hpp"

namespace {

using namespace ranks;

void complete(Test& t, AnyCall& call, Random& random) {
  laconic_request request = LACONIC_REQUEST_NULL;
  const Setting& s = call.setting();
  const auto good = [&](int rc) { return CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str()); };
  const auto finish = [&] {
    if (random.below(2) == 0) return good(laconic_wait(&request, MPI_STATUS_IGNORE));
    for (int flag = 0; !flag;)
      if (!good(laconic_test(&request, &flag, MPI_STATUS_IGNORE))) return false;
    return true;
  };
  if (s.mode == Mode::blocking) {
    if (good(call.run())) call.check(t);
  } else if (s.mode == Mode::nonblocking) {
    if (good(call.begin(&request)) && finish()) call.check(t);
    CHECK(t, request == LACONIC_REQUEST_NULL);
  } else {
    if (!good(call.init(&request))) return;
    for (int k = 0; k < 2; ++k) {
      call.prepare();
      if (good(laconic_start(&request)) && finish()) call.check(t);
      CHECK(t, request != LACONIC_REQUEST_NULL, "a persistent request is gone");
    }
    good(laconic_request_free(&request));
    CHECK(t, request == LACONIC_REQUEST_NULL);
  }
}

void one(Test& t, const Setting& s, bool wide, Random& local) {
  t.doing(describe(s));
  t.count_case();
  const auto call = make_call(s, wide, MPI_COMM_WORLD);
  complete(t, *call, local);
  // The content of gaps and the result of plain maxima with NaN are not specified.
  if (s.traits().replicates() && s.variant != LACONIC_VARIANT_CPR_P2P && s.field != Kind::special &&
      s.field != Kind::integers)
    CHECK(t, same_everywhere(call->hash(), MPI_COMM_WORLD), "other bits than on other ranks");
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "collectives");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  Random random(t.seed());
  Random local(t.seed() * 77 + static_cast<std::uint64_t>(t.rank()));
  // Every topology with every form of the neighborhood collectives.
  for (int f = 0; f < static_cast<int>(laconic::num_routines); ++f)
    for (int kind = 0; kind < Topology::kinds; ++kind)
      for (const Mode mode : {Mode::blocking, Mode::nonblocking, Mode::persistent}) {
        if (!laconic::traits_of(static_cast<Routine>(f)).neighborhood()) continue;
        Setting s = random_setting(random, t.size(), 3000);
        s.routine = static_cast<Routine>(f);
        s.algorithm = LACONIC_ALGORITHM_AUTO;
        s.topology = static_cast<Topology::Kind>(kind);
        s.mode = mode;
        s.op = Op::sum, s.mean = s.in_place = false;
        one(t, s, random.below(2) == 0, local);
      }
  // Every form with every algorithm at least once, then random settings.
  for (int f = 0; f < static_cast<int>(laconic::num_routines); ++f)
    for (const laconic_algorithm algorithm : algorithms_of(static_cast<Routine>(f)))
      for (const laconic_variant variant : {LACONIC_VARIANT_OVERLAP, LACONIC_VARIANT_ND, LACONIC_VARIANT_CPR_P2P}) {
        Setting s = random_setting(random, t.size(), 3000);
        s.routine = static_cast<Routine>(f);
        s.algorithm = algorithm;
        s.variant = variant;
        if (!s.reduces()) s.op = Op::sum;
        s.mean = s.mean && s.has_mean();
        s.in_place = s.in_place && s.may_be_in_place();
        one(t, s, random.below(2) == 0, local);
      }
  const long long cases = environment_number("TEST_CASES", t.size() > 4 ? 150 : 300);
  for (long long k = 0; k < cases; ++k)
    one(t, random_setting(random, t.size(), random.below(20) == 0 ? 40000 : 3000), random.below(2) == 0, local);
  return t.finish();
}
