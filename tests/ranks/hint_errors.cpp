// SPDX-License-Identifier: BSD-3-Clause
// Bad hints: every rank gets an error that names the hint and the valid values, also in the calls that follow, until
// good hints replace them.
#include <string>
#include <vector>

#include "errors_call.hpp"

namespace {

using namespace ranks;

// A call after hints that could not be read: an error on every rank, with a bound in its options and without.
void bad_call_follows(Test& t, const std::vector<const char*>& words) {
  Call with;
  Call without;
  without.given = nullptr;
  for (Call* c : {&with, &without}) {
    const int rc = run(*c);
    CHECK(t, rc != MPI_SUCCESS && untouched(*c));
    check_message(t, rc, words);
  }
}

// Hints that cannot be read are an error of every call until good ones replace them.
void bad_hints(Test& t) {
  struct Hint {
    const char* key;
    const char* value;
    bool good;
    std::vector<const char*> words;
  };
  const std::vector<Hint> hints{
      {"laconic_bound", "abs", false, {"laconic_bound", "abs:E", "rel:E"}},
      {"laconic_bound", "abs:-1", false, {"laconic_bound"}},
      {"laconic_bound", "rms:0", false, {"laconic_bound", "abs:E"}},
      {"laconic_algorithm", "rings", false, {"laconic_algorithm", "rings", "ring", "direct"}},
      {"laconic_target", "output", false, {"laconic_target", "result", "input"}},
      {"laconic_min_bytes", "0", false, {"laconic_min_bytes"}},
      {"laconic_min_bytes", "12k", false, {"laconic_min_bytes", "12k"}},
      {"laconic_threads", "1.5", false, {"laconic_threads"}},
      {"laconic_depth", "65", false, {"laconic_depth", "64"}},
      {"laconic_chunk_elements", "", false, {"laconic_chunk_elements"}},
      {"laconic_nonsense", "1", false, {"nonsense", "bound", "codec", "algorithm"}},
      {"other_library", "whatever", true, {}},
      {"laconic_depth", "2", true, {}},
  };
  for (const auto& hint : hints) {
    t.doing(text("hint %s=%s", hint.key, hint.value));
    t.count_case();
    MPI_Info info;
    MPI_Info_create(&info);
    // MPI libraries may refuse empty values themselves.
    const int kept = MPI_Info_set(info, hint.key, hint.value);
    if (kept == MPI_SUCCESS) {
      const int rc = laconic_comm_set_info(comm, info);
      CHECK(t, (rc == MPI_SUCCESS) == hint.good, "%s", message_of(rc).c_str());
      if (!hint.good) {
        CHECK(t, class_of(rc) == MPI_ERR_ARG, "class %d", class_of(rc));
        check_message(t, rc, hint.words);
        bad_call_follows(t, hint.words);
        CHECK(t, laconic_comm_set_info(comm, MPI_INFO_NULL) == MPI_SUCCESS);
      }
    }
    MPI_Info_free(&info);
    good_call_follows(t);
  }
  CHECK(t, laconic_comm_set_info(comm, MPI_INFO_NULL) == MPI_SUCCESS);
}

// Bad hints on one rank: the other ranks are told at once, and no rank waits in the calls that follow.
void bad_hint_on_one_rank(Test& t) {
  if (t.size() == 1) return;
  for (const int culprit : {0, t.size() - 1})
    for (const bool first_call : {true, false}) {
      t.doing(text("a bad hint on rank %d%s", culprit, first_call ? ", in the first call on a communicator" : ""));
      t.count_case();
      const MPI_Comm usual = comm;
      if (first_call) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
      }
      MPI_Info info;
      MPI_Info_create(&info);
      MPI_Info_set(info, "laconic_depth", t.rank() == culprit ? "65" : "4");
      // Operations in flight are not affected.
      Call flying;
      laconic_request request = LACONIC_REQUEST_NULL;
      laconic_iallreduce(flying.sendbuf, flying.recvbuf, count, MPI_FLOAT, MPI_SUM, comm, &request, flying.given);
      const int rc = laconic_comm_set_info(comm, info);
      MPI_Info_free(&info);
      CHECK(t, laconic_wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && !untouched(flying));
      const std::string named = text("rank %d", culprit);
      const std::vector<const char*> words =
          t.rank() == culprit ? std::vector<const char*>{"laconic_depth", "65", "64"} : std::vector{named.c_str()};
      CHECK(t, class_of(rc) == MPI_ERR_ARG, "class %d: %s", class_of(rc), message_of(rc).c_str());
      check_message(t, rc, words);
      bad_call_follows(t, words);
      CHECK(t, laconic_comm_set_info(comm, MPI_INFO_NULL) == MPI_SUCCESS);
      good_call_follows(t);
      if (first_call) MPI_Comm_free(&comm);
      comm = usual;
    }
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "hint_errors");
  // MPI_Info_set reports errors to the handler of MPI_COMM_WORLD; duplicates inherit it.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  bad_hints(t);
  bad_hint_on_one_rank(t);
  MPI_Comm_free(&comm);
  return t.finish();
}
