// SPDX-License-Identifier: BSD-3-Clause
// Bad arguments: every rank gets an error that says what is wrong and which values are valid, no rank waits for ever,
// recvbuf stays unchanged, and the communicator works afterwards.
#include <cmath>
#include <functional>
#include <initializer_list>
#include <limits>

#include "base/build.hpp"
#include "support.hpp"

namespace {

using namespace ranks;

constexpr int count = 1000;

struct Call {
  laconic_options options = options_with(LACONIC_BOUND_ABS, 1e-3);
  std::vector<float> send;
  std::vector<float> receive;
  const void* sendbuf = nullptr;
  void* recvbuf = nullptr;
  MPI_Count count = ::count;
  MPI_Datatype datatype = MPI_FLOAT;
  MPI_Op op = MPI_SUM;
  const laconic_options* given = nullptr;

  // Twice the room, so that a rank may take them for doubles.
  Call() : send(2 * ::count, 1.5F), receive(2 * ::count, -3.0F) {
    sendbuf = send.data();
    recvbuf = receive.data();
    given = &options;
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
};

using Change = std::function<void(Call&)>;

MPI_Comm comm = MPI_COMM_NULL;

int run(Call& c) { return laconic_allreduce(c.sendbuf, c.recvbuf, c.count, c.datatype, c.op, comm, c.given); }

void good_call_follows(Test& t) {
  Call c;
  const int rc = run(c);
  CHECK(t, rc == MPI_SUCCESS, "a good call afterwards: %s", message_of(rc).c_str());
  const float exact = 1.5F * static_cast<float>(t.size());
  bool right = true;
  for (int i = 0; i < count; ++i) right = right && std::fabs(c.receive[static_cast<std::size_t>(i)] - exact) <= 1.1e-3F;
  CHECK(t, right, "a good call afterwards has a wrong result");
}

bool untouched(const Call& c) {
  return std::all_of(c.receive.begin(), c.receive.end(), [](float x) { return x == -3.0F; });
}

struct Bad {
  const char* name;
  int error_class;
  Change change;
  std::vector<const char*> words;  // words that the message must contain: the argument, the valid values
};

void check_message(Test& t, int rc, const std::vector<const char*>& words) {
  const std::string message = message_of(rc);
  for (const char* word : words)
    CHECK(t, message.find(word) != std::string::npos, "no '%s' in the message '%s'", word, message.c_str());
}

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
      with_bound("bound mode 7", bound(7, 1)),
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
  bad_hints(t);
  bad_hint_on_one_rank(t);
  MPI_Comm_free(&comm);
  return t.finish();
}
