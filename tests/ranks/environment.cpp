// SPDX-License-Identifier: BSD-3-Clause
// Settings from the environment and from text.  They are read when a communicator is first used, so every case takes a
// fresh one.
#include <cmath>
#include <utility>

#include "support.hpp"

namespace {

using namespace ranks;

using Pairs = std::vector<std::pair<std::string, std::string>>;

struct Variables {
  Pairs all;
  explicit Variables(Pairs variables) : all(std::move(variables)) {
    for (const auto& [name, value] : all) setenv(name.c_str(), value.c_str(), 1);
  }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;
  ~Variables() {
    for (const auto& [name, value] : all) unsetenv(name.c_str());
  }
};

struct Fresh {
  MPI_Comm comm = MPI_COMM_NULL;
  Fresh() {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  ~Fresh() { MPI_Comm_free(&comm); }
};

struct Outcome {
  int rc;
  laconic_stats stats;
  bool right;
};

Outcome call(Test& t, MPI_Comm comm, int count = 20000, const laconic_options* options = nullptr) {
  Outcome out{};
  std::vector<float> x(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 100);
  laconic_stats_reset(comm);
  out.rc = laconic_allreduce(MPI_IN_PLACE, x.data(), count, MPI_FLOAT, MPI_SUM, comm, options);
  laconic_stats_get(comm, &out.stats);
  out.right = true;
  for (std::size_t i = 0; i < x.size(); ++i)
    out.right = out.right && std::fabs(x[i] - static_cast<float>(i % 100) * static_cast<float>(t.size())) < 0.9F;
  return out;
}

void has(Test& t, int rc, const std::vector<const char*>& words) {
  const std::string message = message_of(rc);
  for (const char* word : words)
    CHECK(t, message.find(word) != std::string::npos, "no '%s' in the message '%s'", word, message.c_str());
}

void good(Test& t) {
  const bool alone = t.size() == 1;
  {
    t.doing("LACONIC_BOUND alone, options NULL");
    const Variables v(Pairs{{"LACONIC_BOUND", "abs:1e-3"}});
    const Fresh f;
    Outcome o = call(t, f.comm);
    CHECK(t, o.rc == MPI_SUCCESS && o.right);
    CHECK(t, o.stats.plain_reason == (alone ? LACONIC_PLAIN_ONE_RANK : LACONIC_PLAIN_NOT));
    if (!alone) {
      CHECK(t, o.stats.bound == 1e-3 && o.stats.codec == LACONIC_CODEC_QUANT && o.stats.ratio > 1, "ratio %g",
            o.stats.ratio);
      o = call(t, f.comm, 100);
      CHECK(t, o.stats.plain_reason == LACONIC_PLAIN_SMALL);
    }
    t.doing("options that leave the bound unset");
    laconic_options unset;
    laconic_options_init(&unset);
    unset.codec = LACONIC_CODEC_RAW;
    o = call(t, f.comm, 20000, &unset);
    if (!alone) CHECK(t, o.stats.bound == 1e-3 && o.stats.codec == LACONIC_CODEC_RAW);
  }
  {
    t.doing("every variable");
    const Variables v(Pairs{{"LACONIC_BOUND", "rel:1e-3"},
                            {"LACONIC_TARGET", "input"},
                            {"LACONIC_CODEC", "quant"},
                            {"LACONIC_ALGORITHM", "direct"},
                            {"LACONIC_MIN_BYTES", "1"},
                            {"LACONIC_THREADS", "2"},
                            {"LACONIC_DEPTH", "5"},
                            {"LACONIC_CHUNK_ELEMENTS", "512"},
                            {"LACONIC_DENORMALS", "exact"},
                            {"LACONIC_CHECKSUM", "off"},
                            {"LACONIC_EFFORT", "light"},
                            {"LACONIC_ISA", "baseline"},
                            {"LACONIC_REPORT", "anything"}});
    const Fresh f;
    const Outcome o = call(t, f.comm, 3000);
    CHECK(t, o.rc == MPI_SUCCESS && o.right, "%s", message_of(o.rc).c_str());
    if (!alone) {
      CHECK(t, o.stats.algorithm == LACONIC_ALGORITHM_DIRECT && o.stats.codec == LACONIC_CODEC_QUANT);
      CHECK(t, std::fabs(o.stats.bound - 0.099 * t.size()) < 1e-9, "bound %g", o.stats.bound);
    }
  }
  {
    t.doing("LACONIC_BOUND=lossless");
    const Variables v(Pairs{{"LACONIC_BOUND", "lossless"}});
    const Fresh f;
    const Outcome o = call(t, f.comm);
    CHECK(t, o.rc == MPI_SUCCESS && o.stats.bound == 0);
    CHECK(t, alone || (o.stats.plain_calls == 0 && o.stats.codec == LACONIC_CODEC_LOSSLESS));
  }
  {
    t.doing("LACONIC_ALGORITHM=plain");
    const Variables v(Pairs{{"LACONIC_BOUND", "abs:1"}, {"LACONIC_ALGORITHM", "plain"}});
    const Fresh f;
    const Outcome o = call(t, f.comm);
    CHECK(t, o.rc == MPI_SUCCESS && o.stats.plain_reason == LACONIC_PLAIN_ASKED);
  }
  {
    t.doing("variables of others");
    const Variables v(Pairs{{"LACONICAL", "1"}, {"MY_LACONIC_BOUND", "x"}, {"laconic_bound", "x"}});
    const Fresh f;
    const Outcome o = call(t, f.comm);
    CHECK(t, o.rc == MPI_SUCCESS && o.stats.plain_reason == LACONIC_PLAIN_NO_BOUND);
  }
}

void bad(Test& t) {
  struct Mistake {
    const char* name;
    const char* value;
    std::vector<const char*> words;
  };
  const std::vector<Mistake> mistakes{
      {"LACONIC_BOUND", "garbage", {"garbage", "abs:E", "rel:E", "lossless"}},
      {"LACONIC_BOUND", "", {"abs:E"}},
      {"LACONIC_BOUND", "1e-3", {"1e-3", "abs:E"}},
      {"LACONIC_BOUND", "abs:", {"abs:E"}},
      {"LACONIC_BOUND", "abs:0", {"abs:E"}},
      {"LACONIC_BOUND", "abs:-1", {"abs:E"}},
      {"LACONIC_BOUND", "abs:nan", {"abs:E"}},
      {"LACONIC_BOUND", "abs:inf", {"abs:E"}},
      {"LACONIC_BOUND", "abs:1e-3 ", {"abs:E"}},
      {"LACONIC_BOUND", "abs:1e999", {"abs:E"}},
      {"LACONIC_BOUND", "rms:-0.1", {"abs:E", "rel:E", "lossless"}},
      {"LACONIC_CODEC", "nonsense", {"nonsense", "quant", "raw"}},
      {"LACONIC_ALGORITHM", "Ring", {"Ring", "ring", "recursive-doubling", "direct", "plain", "auto"}},
      {"LACONIC_TARGET", "0", {"result", "input"}},
      {"LACONIC_DENORMALS", "flush", {"flush", "round", "exact"}},
      {"LACONIC_CHECKSUM", "1", {"'1'", "on", "off"}},
      {"LACONIC_EFFORT", "heavy", {"heavy", "auto", "light", "dense"}},
      {"LACONIC_MIN_BYTES", "many", {"many", "1"}},
      {"LACONIC_THREADS", "0", {"1", "256"}},
      {"LACONIC_DEPTH", "65", {"65", "64"}},
      {"LACONIC_CHUNK_ELEMENTS", "99999999999999999999", {"99999999999999999999"}},
      {"LACONIC_ISA", "nonsense", {"nonsense", "baseline"}},
      {"LACONIC_TYPO", "1", {"LACONIC_BOUND", "LACONIC_CODEC", "LACONIC_ISA"}},
      {"LACONIC_", "1", {"LACONIC_BOUND"}},
  };
  for (const auto& mistake : mistakes) {
    t.doing(text("%s=%s", mistake.name, mistake.value));
    t.count_case();
    laconic_options complete = options_with(LACONIC_BOUND_ABS, 1e-3);
    const Fresh f;
    {
      const Variables v(Pairs{{mistake.name, mistake.value}});
      for (const laconic_options* options : {static_cast<const laconic_options*>(nullptr), &std::as_const(complete)})
        for (const int count : {20000, 10}) {
          const Outcome o = call(t, f.comm, count, options);
          CHECK(t, o.rc != MPI_SUCCESS, "count %d, %s options", count, options ? "with" : "no");
          CHECK(t, class_of(o.rc) == MPI_ERR_ARG, "class %d", class_of(o.rc));
          has(t, o.rc, {mistake.name});
          has(t, o.rc, mistake.words);
        }
      const int rc = laconic_comm_set_info(f.comm, MPI_INFO_NULL);
      CHECK(t, rc != MPI_SUCCESS);
      has(t, rc, {mistake.name});
    }
    // After the variable is corrected and read again, the communicator works.
    CHECK(t, laconic_comm_set_info(f.comm, MPI_INFO_NULL) == MPI_SUCCESS);
    const Outcome o = call(t, f.comm, 20000, &complete);
    CHECK(t, o.rc == MPI_SUCCESS && o.right, "%s", message_of(o.rc).c_str());
  }
}

// One rank has a different setting: the other ranks are told.
void bad_on_one_rank(Test& t) {
  if (t.size() == 1) return;
  t.doing("LACONIC_DEPTH=zero on the last rank");
  laconic_options complete = options_with(LACONIC_BOUND_ABS, 1e-3);
  const Fresh f;
  if (t.rank() == t.size() - 1) setenv("LACONIC_DEPTH", "zero", 1);
  for (const int count : {20000, 10}) {
    const Outcome o = call(t, f.comm, count, &complete);
    CHECK(t, o.rc != MPI_SUCCESS, "count %d", count);
    if (t.rank() == t.size() - 1)
      has(t, o.rc, {"LACONIC_DEPTH", "zero"});
    else
      has(t, o.rc, {text("rank %d", t.size() - 1).c_str()});
  }
  unsetenv("LACONIC_DEPTH");
  t.doing("ranks with different bounds in their environment");
  const Fresh g;
  setenv("LACONIC_BOUND", t.rank() == 0 ? "abs:1e-3" : "abs:1e-2", 1);
  const Outcome o = call(t, g.comm);
  CHECK(t, o.rc != MPI_SUCCESS);
  has(t, o.rc, {"disagree"});
  unsetenv("LACONIC_BOUND");
}

struct Text {
  const char* name;
  const char* value;
  bool good;
  std::vector<const char*> words;
};

// Needs no MPI; returns a description of the failure.
std::string options_from_text() {
  const std::vector<Text> all{
      {"bound", "abs:1e-3", true, {}},
      {"bound", "rel:0.5", true, {}},
      {"bound", "lossless", true, {}},
      {"bound", "Lossless", false, {"Lossless", "lossless"}},
      {"bound", "abs:1e-3x", false, {"abs:E"}},
      {"target", "input", true, {}},
      {"target", "inputs", false, {"inputs", "result"}},
      {"denormals", "exact", true, {}},
      {"denormals", "Exact", false, {"Exact", "round", "exact"}},
      {"progress", "thread", true, {}},
      {"progress", "threads", false, {"threads", "calls", "thread"}},
      {"tune", "off", true, {}},
      {"tune", "no", false, {"no", "on", "off"}},
      {"effort", "auto", true, {}},
      {"effort", "dense", true, {}},
      {"effort", "1", false, {"'1'", "auto", "light", "dense"}},
      {"checksum", "off", true, {}},
      {"checksum", "no", false, {"no", "on", "off"}},
      {"codec", "raw", true, {}},
      {"codec", "", false, {"quant", "raw"}},
      {"algorithm", "recursive-doubling", true, {}},
      {"algorithm", "recursive_doubling", false, {"recursive-doubling"}},
      {"chunk_elements", "100", true, {}},
      {"chunk_elements", "0", false, {"chunk_elements"}},
      {"depth", "64", true, {}},
      {"depth", "-1", false, {"depth", "64"}},
      {"threads", "256", true, {}},
      {"threads", "257", false, {"threads", "256"}},
      {"min_bytes", "1", true, {}},
      {"min_bytes", "1e6", false, {"min_bytes"}},
      {"colour", "blue", false, {"colour", "bound", "codec", "min_bytes"}},
      {"", "", false, {"bound"}},
      {nullptr, "x", false, {"name"}},
      {"bound", nullptr, false, {"value"}},
  };
  for (const auto& one : all) {
    laconic_options o;
    laconic_options_init(&o);
    o.depth = 7;
    const laconic_options before = o;
    const int rc = laconic_options_set(&o, one.name, one.value);
    const std::string what = text("%s=%s: ", one.name ? one.name : "NULL", one.value ? one.value : "NULL");
    if ((rc == MPI_SUCCESS) != one.good) return what + "returns " + std::to_string(rc);
    if (one.good == (std::memcmp(&before, &o, sizeof o) == 0)) return what + "options are wrong";
    for (const char* word : one.words)
      if (message_of(rc).find(word) == std::string::npos) return what + "no " + word + " in " + message_of(rc);
  }
  laconic_options o;
  laconic_options_init(&o);
  if (laconic_options_set(nullptr, "bound", "abs:1") == MPI_SUCCESS) return "NULL options accepted";
  laconic_options_set(&o, "bound", "abs:0.125");
  laconic_options_set(&o, "algorithm", "direct");
  laconic_options_set(&o, "min_bytes", "123");
  if (o.bound.mode != LACONIC_BOUND_ABS || o.bound.value != 0.125 || o.algorithm != LACONIC_ALGORITHM_DIRECT ||
      o.min_bytes != 123)
    return "values are not what was set";
  laconic_options_init(nullptr);
  int major = -1;
  laconic_version(&major, nullptr, nullptr);
  if (major != LACONIC_VERSION_MAJOR) return "version";
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string before = options_from_text();
  Test t(&argc, &argv, "environment");
  t.doing("laconic_options_set before MPI_Init");
  CHECK(t, before.empty(), "%s", before.c_str());
  t.doing("laconic_options_set");
  const std::string now = options_from_text();
  CHECK(t, now.empty(), "%s", now.c_str());
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  good(t);
  bad(t);
  bad_on_one_rank(t);
  const int rc = t.finish();
  // Settings from text still work after MPI_Finalize.
  return rc != 0 ? rc : !options_from_text().empty();
}
