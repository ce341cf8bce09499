// SPDX-License-Identifier: BSD-3-Clause
// Bad arguments: every rank gets an error that says what is wrong and which values are valid, no rank waits for ever,
// recvbuf stays unchanged, and the communicator works afterwards.
#include <cmath>
#include <functional>
#include <initializer_list>
#include <limits>

#include "base/build.hpp"
#include "errors_call.hpp"

namespace {

using namespace ranks;

using Change = std::function<void(Call&)>;

struct Bad {
  const char* name;
  int error_class;
  Change change;
  std::vector<const char*> words;  // words that the message must contain: the argument, the valid values
};

// All ranks make the mistake.
void on_all(Test& t, const Bad& bad) {
  t.doing(text("%s on all ranks", bad.name));
  t.count_case();
  Call c;
  bad.change(c);
  const int rc = run(c);
  CHECK(t, rc != MPI_SUCCESS);
  CHECK(t, class_of(rc) == bad.error_class, "class %d, expected %d: %s", class_of(rc), bad.error_class,
        message_of(rc).c_str());
  check_message(t, rc, bad.words);
  CHECK(t, untouched(c), "recvbuf was changed");
  good_call_follows(t);
}

// One rank makes the mistake: the others must get an error too.
void on_one(Test& t, const Bad& bad, int culprit) {
  if (t.size() == 1) return;
  t.doing(text("%s on rank %d", bad.name, culprit));
  t.count_case();
  Call c;
  if (t.rank() == culprit) bad.change(c);
  const int rc = run(c);
  CHECK(t, rc != MPI_SUCCESS);
  CHECK(t, class_of(rc) == bad.error_class, "class %d, expected %d: %s", class_of(rc), bad.error_class,
        message_of(rc).c_str());
  if (t.rank() == culprit)
    check_message(t, rc, bad.words);
  else
    check_message(t, rc, {text("rank %d", culprit).c_str()});
  CHECK(t, untouched(c), "recvbuf was changed");
  good_call_follows(t);
}

laconic_bound bound(int mode, double value) { return {static_cast<laconic_bound_mode>(mode), value}; }

std::vector<Bad> bad_arguments() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<const char*> bounds{"bound", "abs:E", "rel:E", "lossless"};
  const auto with_bound = [&](const char* name, laconic_bound b) {
    return Bad{name, MPI_ERR_ARG, [b](Call& c) { c.options.bound = b; }, bounds};
  };
  std::vector<Bad> bad{
      with_bound("bound mode 8", bound(8, 1)),
      with_bound("bound mode -1", bound(-1, 1)),
      with_bound("bound NaN", bound(LACONIC_BOUND_ABS, nan)),
      with_bound("bound rel NaN", bound(LACONIC_BOUND_REL, nan)),
      with_bound("bound -1", bound(LACONIC_BOUND_ABS, -1)),
      with_bound("bound 0", bound(LACONIC_BOUND_REL, 0)),
      with_bound("bound -0", bound(LACONIC_BOUND_ABS, -0.0)),
      with_bound("bound Inf", bound(LACONIC_BOUND_ABS, infinity)),
      with_bound("bound rms 0", bound(LACONIC_BOUND_RMS, 0)),
      with_bound("bound rate", bound(LACONIC_BOUND_RATE, 8)),
      {"codec 99",
       MPI_ERR_ARG,
       [](Call& c) { c.options.codec = static_cast<laconic_codec>(99); },
       {"codec", "quant", "raw"}},
      {"algorithm 77",
       MPI_ERR_ARG,
       [](Call& c) { c.options.algorithm = static_cast<laconic_algorithm>(77); },
       {"algorithm", "auto", "ring", "recursive-doubling", "direct", "plain"}},
      {"target 3",
       MPI_ERR_ARG,
       [](Call& c) { c.options.target = static_cast<laconic_target>(4); },
       {"target", "result", "input", "likely"}},
      {"denormals 3",
       MPI_ERR_ARG,
       [](Call& c) { c.options.denormals = static_cast<laconic_denormals>(3); },
       {"denormals", "round", "exact"}},
      {"progress 3",
       MPI_ERR_ARG,
       [](Call& c) { c.options.progress = static_cast<laconic_progress>(3); },
       {"progress", "calls", "thread"}},
      {"checksum 3",
       MPI_ERR_ARG,
       [](Call& c) { c.options.checksum = static_cast<laconic_checksum>(3); },
       {"checksum", "on", "off"}},
      {"effort 4",
       MPI_ERR_ARG,
       [](Call& c) { c.options.effort = static_cast<laconic_effort>(4); },
       {"effort", "auto", "light", "dense"}},
      {"effort dense with codec szx",
       MPI_ERR_ARG,
       [](Call& c) {
         c.options.codec = LACONIC_CODEC_SZX;
         c.options.effort = LACONIC_EFFORT_DENSE;
       },
       {"effort 'dense'", "codec 'szx'", "valid with this codec is auto", "the codec dense or none"}},
      {"effort dense with codec quant",
       MPI_ERR_ARG,
       [](Call& c) {
         c.options.codec = LACONIC_CODEC_QUANT;
         c.options.effort = LACONIC_EFFORT_DENSE;
       },
       {"effort 'dense'", "codec 'quant'", "auto and light"}},
      {"effort light with codec dense",
       MPI_ERR_ARG,
       [](Call& c) {
         c.options.codec = LACONIC_CODEC_DENSE;
         c.options.effort = LACONIC_EFFORT_LIGHT;
       },
       {"effort 'light'", "codec 'dense'", "auto and dense", "the codec quant or none"}},
      {"options size 0", MPI_ERR_ARG, [](Call& c) { c.options.size = 0; }, {"options->size", "laconic_options_init"}},
      {"options size 8", MPI_ERR_ARG, [](Call& c) { c.options.size = 8; }, {"options->size", "laconic_options_init"}},
      {"options size beyond any",
       MPI_ERR_ARG,
       [](Call& c) { c.options.size = 4104; },
       {"options->size is 4104", "4096"}},
      {"options size within a member",
       MPI_ERR_ARG,
       [](Call& c) { c.options.size -= 4; },
       {"options->size", "steps of 8"}},
      {"stats size 0",
       MPI_ERR_ARG,
       [](Call& c) { c.options.stats_size = 0; },
       {"options->stats_size is 0", "laconic_options_init"}},
      {"depth -1", MPI_ERR_ARG, [](Call& c) { c.options.depth = -1; }, {"depth", "64"}},
      {"depth 65", MPI_ERR_ARG, [](Call& c) { c.options.depth = 65; }, {"depth", "64"}},
      {"threads -2", MPI_ERR_ARG, [](Call& c) { c.options.threads = -2; }, {"threads", "256"}},
      {"threads 257", MPI_ERR_ARG, [](Call& c) { c.options.threads = 257; }, {"threads", "256"}},
      {"chunk -1", MPI_ERR_ARG, [](Call& c) { c.options.chunk_elements = -1; }, {"chunk_elements"}},
      {"chunk 2^40",
       MPI_ERR_ARG,
       [](Call& c) { c.options.chunk_elements = std::int64_t{1} << 40; },
       {"chunk_elements"}},
      {"min_bytes -1", MPI_ERR_ARG, [](Call& c) { c.options.min_bytes = -1; }, {"min_bytes"}},
      {"sendbuf NULL", MPI_ERR_BUFFER, [](Call& c) { c.sendbuf = nullptr; }, {"sendbuf", "MPI_IN_PLACE"}},
      {"recvbuf NULL", MPI_ERR_BUFFER, [](Call& c) { c.recvbuf = nullptr; }, {"recvbuf"}},
      {"recvbuf MPI_IN_PLACE", MPI_ERR_BUFFER, [](Call& c) { c.recvbuf = MPI_IN_PLACE; }, {"recvbuf"}},
      {"count -1", MPI_ERR_COUNT, [](Call& c) { c.count = -1; }, {"count", "-1"}},
      {"datatype null", MPI_ERR_TYPE, [](Call& c) { c.datatype = MPI_DATATYPE_NULL; }, {"datatype"}},
      {"op null", MPI_ERR_OP, [](Call& c) { c.op = MPI_OP_NULL; }, {"op"}},
      {"mean of ints",
       MPI_ERR_TYPE,
       [](Call& c) {
         c.datatype = MPI_INT;
         c.op = LACONIC_AVG;
       },
       {"LACONIC_AVG", "MPI_FLOAT", "MPI_DOUBLE"}},
  };
#if !LACONIC_HAS_CUDA
  bad.push_back({"stream", MPI_ERR_ARG, [](Call& c) { c.options.stream = &c; }, {"stream", "NULL"}});
#endif
  return bad;
}

// Arguments that are valid alone and not together.
void disagreement(Test& t) {
  struct Different {
    const char* argument;
    Change change;
  };
  const std::vector<Different> all{
      {"count", [](Call& c) { c.count = count + 1; }},
      {"bound", [](Call& c) { c.options.bound.value = 1e-4; }},
      {"bound", [](Call& c) { c.options.bound.mode = LACONIC_BOUND_REL; }},
      {"op", [](Call& c) { c.op = MPI_MAX; }},
      {"op", [](Call& c) { c.op = LACONIC_AVG; }},
      {"datatype", [](Call& c) { c.datatype = MPI_DOUBLE; }},
      {"algorithm", [](Call& c) { c.options.algorithm = LACONIC_ALGORITHM_DIRECT; }},
      {"codec", [](Call& c) { c.options.codec = LACONIC_CODEC_RAW; }},
      {"effort", [](Call& c) { c.options.effort = LACONIC_EFFORT_DENSE; }},
      {"target", [](Call& c) { c.options.target = LACONIC_TARGET_INPUT; }},
      {"denormals", [](Call& c) { c.options.denormals = LACONIC_DENORMALS_EXACT; }},
      {"checksum", [](Call& c) { c.options.checksum = LACONIC_CHECKSUM_OFF; }},
      {"chunk_elements", [](Call& c) { c.options.chunk_elements = 17; }},
      {"depth", [](Call& c) { c.options.depth = 3; }},
      {"variant", [](Call& c) { c.options.variant = LACONIC_VARIANT_ND; }},
  };
  if (t.size() == 1) return;
  for (const auto& different : all)
    for (const int culprit : {0, t.size() - 1}) {
      t.doing(text("rank %d disagrees on %s", culprit, different.argument));
      t.count_case();
      Call c;
      if (t.rank() == culprit) different.change(c);
      const int rc = run(c);
      CHECK(t, rc != MPI_SUCCESS);
      CHECK(t, class_of(rc) == MPI_ERR_OTHER, "class %d: %s", class_of(rc), message_of(rc).c_str());
      // The message names the argument and a rank whose value differs, and no other argument.
      const std::string culprit_named = text("rank %d", culprit);
      check_message(t, rc, {"disagree on ", different.argument, culprit_named.c_str()});
      const std::string message = message_of(rc);
      for (const auto& other : all)
        CHECK(t,
              std::string(other.argument) == different.argument ||
                  message.find(text(" %s (", other.argument)) == std::string::npos,
              "'%s' in '%s'", other.argument, message.c_str());
      CHECK(t, untouched(c), "recvbuf was changed");
      good_call_follows(t);
    }
  t.doing("ranks disagree on two arguments");
  Call two;
  if (t.rank() == 0) two.op = MPI_MAX;
  if (t.rank() == t.size() - 1) two.options.depth = 3;
  const int rc = run(two);
  CHECK(t, rc != MPI_SUCCESS);
  check_message(t, rc, {"op (", "depth (", "rank 0", text("rank %d", t.size() - 1).c_str()});
  // The number of threads may differ from rank to rank.
  t.doing("rank 0 has more threads");
  Call c;
  if (t.rank() == 0) c.options.threads = 2;
  CHECK(t, run(c) == MPI_SUCCESS);
}

// Two ranks with different mistakes: each gets the error for its own.
void two_mistakes(Test& t) {
  if (t.size() < 3) return;
  t.doing("two ranks, two mistakes");
  Call c;
  if (t.rank() == 0) c.options.depth = 99;
  if (t.rank() == 1) c.recvbuf = nullptr;
  const int rc = run(c);
  CHECK(t, rc != MPI_SUCCESS);
  if (t.rank() == 0) check_message(t, rc, {"depth"});
  if (t.rank() == 1) check_message(t, rc, {"recvbuf"});
  if (t.rank() > 1) check_message(t, rc, {"rank"});
  good_call_follows(t);
}

void null_communicator(Test& t) {
  t.doing("MPI_COMM_NULL");
  // Such an error goes to the handler of MPI_COMM_SELF or MPI_COMM_WORLD; main has set both.
  Call c;
  const auto check = [&](int rc) {
    CHECK(t, rc != MPI_SUCCESS);
    CHECK(t, class_of(rc) == MPI_ERR_COMM, "class %d: %s", class_of(rc), message_of(rc).c_str());
    check_message(t, rc, {"MPI_COMM_NULL"});
  };
  check(laconic_allreduce(c.sendbuf, c.recvbuf, count, MPI_FLOAT, MPI_SUM, MPI_COMM_NULL, c.given));
  laconic_stats stats;
  check(laconic_stats_get(MPI_COMM_NULL, &stats));
  check(laconic_stats_reset(MPI_COMM_NULL));
  check(laconic_comm_set_info(MPI_COMM_NULL, MPI_INFO_NULL));
  const int rc = laconic_stats_get(comm, nullptr);
  CHECK(t, class_of(rc) == MPI_ERR_ARG, "class %d", class_of(rc));
  check_message(t, rc, {"stats"});
}

// Errors of plain calls are found by Laconic or by MPI, on the rank that made them.
void without_bound(Test& t) {
  t.doing("negative count without a bound");
  Call c;
  c.given = nullptr;
  c.count = -5;
  int rc = run(c);
  CHECK(t, class_of(rc) == MPI_ERR_COUNT, "class %d", class_of(rc));
  t.doing("bad options for a communicator of one rank");
  Call alone;
  alone.options.depth = 1000;
  rc = laconic_allreduce(alone.sendbuf, alone.recvbuf, count, MPI_FLOAT, MPI_SUM, MPI_COMM_SELF, alone.given);
  CHECK(t, class_of(rc) == MPI_ERR_ARG, "class %d", class_of(rc));
  CHECK(t, untouched(alone));
  t.doing("zero elements need no buffers");
  rc = laconic_allreduce(nullptr, nullptr, 0, MPI_FLOAT, MPI_SUM, comm, c.given);
  CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  Call bounded;
  rc = laconic_allreduce(nullptr, nullptr, 0, MPI_FLOAT, MPI_SUM, comm, bounded.given);
  CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
}

void error_strings(Test& t) {
  t.doing("laconic_error_string");
  Call c;
  c.options.depth = 70;
  const int rc = run(c);
  char one[1] = {'x'};
  CHECK(t, laconic_error_string(rc, one, 1) == MPI_SUCCESS && one[0] == '\0');
  char few[9] = "zzzzzzzz";
  CHECK(t, laconic_error_string(rc, few, 8) == MPI_SUCCESS && std::strlen(few) == 7 && few[8] == '\0');
  CHECK(t, laconic_error_string(rc, nullptr, 10) != MPI_SUCCESS);
  char text_of[1024] = "";
  CHECK(t, laconic_error_string(MPI_SUCCESS, text_of, sizeof text_of) == MPI_SUCCESS && text_of[0] != '\0');
  CHECK(t, laconic_error_string(MPI_ERR_TRUNCATE, text_of, sizeof text_of) == MPI_SUCCESS && text_of[0] != '\0');
  // The code's own text, for programs that ask MPI; only a code that MPI let us make carries it.
  char mpi_text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  CHECK(t, MPI_Error_string(rc, mpi_text, &length) == MPI_SUCCESS && length > 0);
}

int handled = 0;
int handled_code = 0;
MPI_Comm handled_comm = MPI_COMM_NULL;

void handler(MPI_Comm* where, int* code, ...) {
  ++handled;
  handled_code = *code;
  handled_comm = *where;
}

// The communicator's own handler is called, once, with the code that is returned.
void user_handler(Test& t) {
  t.doing("user's error handler");
  MPI_Errhandler mine;
  MPI_Comm_create_errhandler(handler, &mine);
  MPI_Comm_set_errhandler(comm, mine);
  MPI_Errhandler_free(&mine);
  for (const bool everywhere : {true, false}) {
    handled = 0;
    Call c;
    if (everywhere || t.rank() == 0) c.options.codec = static_cast<laconic_codec>(99);
    const int rc = run(c);
    CHECK(t, rc != MPI_SUCCESS);
    CHECK(t, handled == 1, "called %d times", handled);
    CHECK(t, handled_code == rc, "called with %d, returned %d", handled_code, rc);
    CHECK(t, handled_comm == comm);
    if (t.size() == 1) break;
  }
  handled = 0;
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "laconic_codec", "zip");
  const int rc = laconic_comm_set_info(comm, info);
  MPI_Info_free(&info);
  CHECK(t, rc != MPI_SUCCESS && handled == 1 && handled_code == rc);
  check_message(t, rc, {"laconic_codec", "zip", "quant", "raw"});
  handled = 0;
  // Reading a message is no error, and an error of options alone has no communicator whose handler could be called.
  laconic_options o;
  laconic_options_init(&o);
  CHECK(t, laconic_options_set(&o, "codec", "zip") != MPI_SUCCESS && handled == 0);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  CHECK(t, laconic_comm_set_info(comm, MPI_INFO_NULL) == MPI_SUCCESS);
  good_call_follows(t);
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "errors");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const auto all = bad_arguments();
  // The very first call on the communicator fails, before Laconic has duplicated it.
  on_one(t, all.front(), t.size() - 1);
  for (const Bad& bad : all) {
    on_all(t, bad);
    on_one(t, bad, 0);
    if (t.size() > 2) on_one(t, bad, t.size() - 1);
  }
  disagreement(t);
  two_mistakes(t);
  null_communicator(t);
  without_bound(t);
  error_strings(t);
  user_handler(t);
  MPI_Comm_free(&comm);
  return t.finish();
}
