// SPDX-License-Identifier: BSD-3-Clause
// options.effort: what it selects, on every face; that light and dense give the same bits; and that the ranks choose
// alike.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "clock.hpp"
#include "collective_case.hpp"
#include "learnt.hpp"

namespace {

using namespace ranks;

// Every collective, algorithm and type of numbers: quant and dense give the same bits.  Values are far below 2^31
// times the bound; beyond(), below, has the exception.
void same_bits(Test& t) {
  Random random(t.seed());
  constexpr std::size_t largest = 6000;
  for (int f = 0; f < static_cast<int>(laconic::num_routines); ++f)
    for (const laconic_algorithm algorithm : algorithms_of(static_cast<Routine>(f)))
      for (const bool wide : {false, true}) {
        Setting s = random_setting(random, t.size(), largest);
        s.routine = static_cast<Routine>(f);
        s.algorithm = algorithm;
        s.variant = LACONIC_VARIANT_OVERLAP;
        s.bound = {random.pick(std::vector{LACONIC_BOUND_ABS, LACONIC_BOUND_REL, LACONIC_BOUND_RMS}), 1e-3};
        s.field = random.pick(std::vector<Kind>{Kind::normal, Kind::walk, Kind::sparse, Kind::ramp, Kind::real});
        if (!s.reduces()) s.op = Op::sum;
        s.mean = s.mean && s.has_mean();
        s.in_place = s.in_place && s.may_be_in_place();
        s.mode = Mode::blocking;
        s.denormals = LACONIC_DENORMALS_UNSET;
        std::map<laconic_codec, std::uint64_t> hashes;
        for (const laconic_codec codec : {LACONIC_CODEC_QUANT, LACONIC_CODEC_DENSE}) {
          s.codec = codec;
          t.doing(describe(s));
          t.count_case();
          const auto call = make_call(s, wide, MPI_COMM_WORLD);
          const int rc = call->run();
          CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
          call->check(t);
          const bool coded = call->stats().plain_calls == 0;
          CHECK(t, !coded || call->stats().codec == codec, "codec %d", call->stats().codec);
          hashes[codec] = call->hash();
        }
        CHECK(t, hashes[LACONIC_CODEC_QUANT] == hashes[LACONIC_CODEC_DENSE], "other bits with dense");
      }
}

struct Outcome {
  int rc = 0;
  laconic_stats stats{};
  std::vector<float> result;
};

Outcome sum_of(Test& t, const std::vector<float>& mine, laconic_options o) {
  Outcome out;
  out.result.resize(mine.size());
  o.stats = &out.stats;
  out.rc = laconic_allreduce(mine.data(), out.result.data(), static_cast<MPI_Count>(mine.size()), MPI_FLOAT, MPI_SUM,
                             MPI_COMM_WORLD, &o);
  CHECK(t, out.rc == MPI_SUCCESS, "%s", message_of(out.rc).c_str());
  return out;
}

// Points beyond 31 bits: quant keeps them on the lattice in sums, dense keeps their blocks raw.  Both keep the bound.
// The bits are equal in blocks without such points, and everywhere where data only move.
void beyond(Test& t) {
  t.doing("points beyond 31 bits");
  t.count_case();
  constexpr std::size_t count = 5000;
  constexpr double bound = 1e-3;
  std::vector<float> mine(count);
  for (std::size_t i = 0; i < count; ++i)
    mine[i] = i < 2048 ? 1e7F + static_cast<float>(i) * 3 + static_cast<float>(t.rank()) : number_of(t.rank(), i);
  std::map<laconic_codec, std::vector<float>> sums, moved;
  for (const laconic_codec codec : {LACONIC_CODEC_QUANT, LACONIC_CODEC_DENSE}) {
    laconic_options o = options_with(LACONIC_BOUND_ABS, bound);
    o.codec = codec;
    sums[codec] = sum_of(t, mine, o).result;
    moved[codec] = mine;
    CHECK(t, laconic_bcast(moved[codec].data(), count, MPI_FLOAT, 0, MPI_COMM_WORLD, &o) == MPI_SUCCESS);
    for (std::size_t i = 0; i < count; ++i) {
      double exact = 0;
      double magnitude = 0;
      for (int r = 0; r < t.size(); ++r) {
        const double x = i < 2048 ? static_cast<double>(1e7F + static_cast<float>(i) * 3 + static_cast<float>(r))
                                  : static_cast<double>(number_of(r, i));
        exact += x;
        magnitude += std::fabs(x);
      }
      const double error = std::fabs(static_cast<double>(sums[codec][i]) - exact);
      if (!CHECK(t, error <= bound + t.size() * 0x1p-24 * magnitude, "element %zu is off by %g", i, error)) break;
    }
  }
  CHECK(t, moved[LACONIC_CODEC_QUANT] == moved[LACONIC_CODEC_DENSE]);
  for (std::size_t i = 2048 + 1024; i < count; ++i)
    if (!CHECK(t, sums[LACONIC_CODEC_QUANT][i] == sums[LACONIC_CODEC_DENSE][i], "element %zu", i)) break;
}

// The codec of a call with these settings, in options and in the environment; UNSET after an error, whose message
// `error` holds.
struct Source {
  const char* codec = nullptr;
  const char* effort = nullptr;
  const char* bound = "abs:1e-3";
};

void set(laconic_options& o, const char* name, const char* value) {
  if (value != nullptr) laconic_options_set(&o, name, value);
}

laconic_codec codec_of(const Source& options, const Source& environment, const char* hint, std::string& error) {
  if (environment.codec != nullptr) setenv("LACONIC_CODEC", environment.codec, 1);
  if (environment.effort != nullptr) setenv("LACONIC_EFFORT", environment.effort, 1);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int rc = MPI_SUCCESS;
  if (hint != nullptr) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "laconic_effort", hint);
    rc = laconic_comm_set_info(comm, info);
    MPI_Info_free(&info);
  }
  laconic_options o;
  laconic_options_init(&o);
  o.min_bytes = 1;
  o.tune = LACONIC_TUNE_OFF;
  set(o, "bound", options.bound);
  set(o, "codec", options.codec);
  set(o, "effort", options.effort);
  laconic_stats stats{};
  o.stats = &stats;
  std::vector<float> numbers(5000, 1), result(5000);
  if (rc == MPI_SUCCESS) rc = laconic_allreduce(numbers.data(), result.data(), 5000, MPI_FLOAT, MPI_SUM, comm, &o);
  error = rc == MPI_SUCCESS ? "" : message_of(rc);
  MPI_Comm_free(&comm);
  unsetenv("LACONIC_CODEC");
  unsetenv("LACONIC_EFFORT");
  return rc == MPI_SUCCESS ? stats.codec : LACONIC_CODEC_UNSET;
}

void selects(Test& t) {
  struct Case {
    Source options, environment;
    laconic_codec codec;
    std::vector<const char*> words{};  // of the error
    const char* hint = nullptr;
  };
  const std::vector<Case> cases{
      {{}, {}, LACONIC_CODEC_QUANT},
      {{nullptr, "auto"}, {}, LACONIC_CODEC_QUANT},  // nothing is tuned, so nothing is known about the links
      {{nullptr, "light"}, {}, LACONIC_CODEC_QUANT},
      {{nullptr, "dense"}, {}, LACONIC_CODEC_DENSE},
      {{"dense"}, {}, LACONIC_CODEC_DENSE},
      {{"dense", "dense"}, {}, LACONIC_CODEC_DENSE},
      {{"quant", "auto"}, {}, LACONIC_CODEC_QUANT},
      {{"szx", "auto"}, {}, LACONIC_CODEC_SZX},
      {{nullptr, "light", "lossless"}, {}, LACONIC_CODEC_LOSSLESS},
      {{nullptr, "dense", "lossless"}, {}, LACONIC_CODEC_DENSE},
      {{nullptr, "auto", "lossless"}, {}, LACONIC_CODEC_LOSSLESS},
      {{}, {nullptr, "dense"}, LACONIC_CODEC_DENSE},
      {{}, {"dense", "dense"}, LACONIC_CODEC_DENSE},
      // The nearer source counts.
      {{"quant"}, {nullptr, "dense"}, LACONIC_CODEC_QUANT},
      {{nullptr, "dense"}, {"szx"}, LACONIC_CODEC_DENSE},
      {{nullptr, "light"}, {"szx", "auto"}, LACONIC_CODEC_QUANT},
      {{}, {"szx"}, LACONIC_CODEC_DENSE, {}, "dense"},
      {{"quant"}, {}, LACONIC_CODEC_QUANT, {}, "dense"},
      {{nullptr, "light"}, {}, LACONIC_CODEC_QUANT, {}, "dense"},
      // No effort.
      {{}, {}, LACONIC_CODEC_UNSET, {"effort", "'heavy'", "auto, light, dense"}, "heavy"},
      {{}, {nullptr, "heavy"}, LACONIC_CODEC_UNSET, {"LACONIC_EFFORT", "heavy", "auto, light, dense"}},
      // Contradictions within one source.
      {{"szx", "dense"}, {}, LACONIC_CODEC_UNSET, {"effort 'dense'", "codec 'szx'", "valid"}},
      {{"szx", "light"}, {}, LACONIC_CODEC_UNSET, {"effort 'light'", "codec 'szx'", "valid"}},
      {{}, {"quant", "dense"}, LACONIC_CODEC_UNSET, {"effort 'dense'", "codec 'quant'", "auto and light"}},
      {{}, {"dense", "light"}, LACONIC_CODEC_UNSET, {"effort 'light'", "codec 'dense'", "auto and dense"}},
  };
  for (const Case& c : cases) {
    const auto name = [](const char* value) { return value != nullptr ? value : "none"; };
    t.doing(text("codec %s and effort %s, in the environment %s and %s, hint %s, bound %s", name(c.options.codec),
                 name(c.options.effort), name(c.environment.codec), name(c.environment.effort), name(c.hint),
                 c.options.bound));
    t.count_case();
    std::string error;
    const laconic_codec codec = codec_of(c.options, c.environment, c.hint, error);
    for (const char* word : c.words) CHECK(t, error.find(word) != std::string::npos, "'%s'", error.c_str());
    CHECK(t, c.words.empty() == error.empty(), "'%s'", error.c_str());
    if (t.size() > 1) CHECK(t, codec == c.codec, "codec %d", codec);
  }
}

// The functions that make no collective call.
void elsewhere(Test& t) {
  t.doing("codecs alone, predictions and messages");
  t.count_case();
  for (const auto& [effort, codec] :
       {std::pair{"auto", LACONIC_CODEC_QUANT}, {"light", LACONIC_CODEC_QUANT}, {"dense", LACONIC_CODEC_DENSE}}) {
    laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-3);
    o.tune = LACONIC_TUNE_OFF;
    CHECK(t, laconic_options_set(&o, "effort", effort) == MPI_SUCCESS);
    CHECK(t, std::string(laconic_effort_name(o.effort)) == effort);
    std::vector<float> numbers(20000);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = number_of(0, i);
    std::vector<unsigned char> frames(laconic_max_compressed_size(20000, MPI_FLOAT, &o));
    std::size_t bytes = 0;
    CHECK(t,
          laconic_compress(numbers.data(), 20000, MPI_FLOAT, frames.data(), frames.size(), &bytes, &o) == MPI_SUCCESS);
    laconic_frames_info info{};
    CHECK(t, laconic_frames_describe(frames.data(), bytes, &info) == LACONIC_OK && info.codec == codec);
    laconic_prediction p{};
    CHECK(t, laconic_predict_error("allreduce", "sum", 4, 0, &o, &p) == MPI_SUCCESS && p.codec == codec);
    if (t.size() == 1) continue;
    laconic_stats stats{};
    o.stats = &stats;
    std::vector<float> received(numbers.size());
    CHECK(t, laconic_comm_set_info(MPI_COMM_WORLD, MPI_INFO_NULL) == MPI_SUCCESS);
    const int right = (t.rank() + 1) % t.size();
    const int left = (t.rank() + t.size() - 1) % t.size();
    CHECK(t, laconic_sendrecv(numbers.data(), 20000, MPI_FLOAT, right, 1, received.data(), 20000, MPI_FLOAT, left, 1,
                              MPI_COMM_WORLD, MPI_STATUS_IGNORE, &o) == MPI_SUCCESS);
    CHECK(t, stats.codec == codec, "codec %d", stats.codec);
    for (const Mode mode : {Mode::nonblocking, Mode::persistent}) {
      laconic_request request = LACONIC_REQUEST_NULL;
      const int rc = mode == Mode::nonblocking
                         ? laconic_iallreduce(numbers.data(), received.data(), 20000, MPI_FLOAT, MPI_SUM,
                                              MPI_COMM_WORLD, &request, &o)
                         : laconic_allreduce_init(numbers.data(), received.data(), 20000, MPI_FLOAT, MPI_SUM,
                                                  MPI_COMM_WORLD, &request, &o);
      CHECK(t, rc == MPI_SUCCESS);
      if (mode == Mode::persistent) CHECK(t, laconic_start(&request) == MPI_SUCCESS);
      stats = {};
      CHECK(t, laconic_wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && stats.codec == codec, "%d", stats.codec);
      if (mode == Mode::persistent) CHECK(t, laconic_request_free(&request) == MPI_SUCCESS);
    }
  }
}

// One call that is tuned; the codec, UNSET where it was left to MPI, after a check that all ranks have the same.
// plain_seconds: what MPI's call is said to take, by a correct clock.
laconic_codec tuned_call(Test& t, MPI_Comm comm, const char* effort, double plain_seconds, std::vector<float>& result) {
  constexpr int count = 60000;
  std::vector<float> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = number_of(t.rank(), i);
  laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-3);
  o.tune = LACONIC_TUNE_ON;
  set(o, "effort", effort);
  laconic_stats stats{};
  laconic_plain_reason reason = LACONIC_PLAIN_NOT;
  o.stats = &stats;
  o.plain = &reason;
  result.assign(count, 0);
  const int rc = laconic_allreduce(numbers.data(), result.data(), count, MPI_FLOAT, MPI_SUM, comm, &o);
  CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  if (reason != LACONIC_PLAIN_NOT) {
    CHECK(t, laconic_plain_took(comm, plain_seconds * ranks::clock.speed()) == MPI_SUCCESS);
    result.clear();
  }
  const laconic_codec codec = reason != LACONIC_PLAIN_NOT ? LACONIC_CODEC_UNSET : stats.codec;
  CHECK(t, same_everywhere(static_cast<std::uint64_t>(codec), comm), "codec %d", codec);
  return codec;
}

// How often each codec was used in some calls.  A change of the codec between calls changes no bit.
std::map<laconic_codec, int> tuned_calls(Test& t, const char* effort, double plain_seconds) {
  t.doing(text("effort %s, plain MPI takes %g s, clocks run at %g", effort, plain_seconds, ranks::clock.speed()));
  t.count_case();
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::map<laconic_codec, int> counts;
  std::vector<float> first, result;
  for (int k = 0; k < 45; ++k) {
    ++counts[tuned_call(t, comm, effort, plain_seconds, result)];
    if (first.empty()) first = result;
    CHECK(t, result.empty() || result == first, "call %d has other bits", k);
  }
  const laconic_tuning tuning = learnt(t, comm);
  CHECK(t,
        tuning.codec == LACONIC_CODEC_UNSET ? tuning.algorithm == LACONIC_ALGORITHM_PLAIN : counts[tuning.codec] > 0);
  MPI_Comm_free(&comm);
  return counts;
}

// On a link that takes seconds for a call only the size of the frames counts, and dense has the smaller ones.
void ranks_choose_alike(Test& t) {
  constexpr double slow = 10;
  constexpr double fast = 1e-9;
  auto counts = tuned_calls(t, "auto", slow);
  CHECK(t, counts[LACONIC_CODEC_DENSE] > 0 && counts[LACONIC_CODEC_UNSET] > 0);
  counts = tuned_calls(t, "auto", fast);
  CHECK(t, counts[LACONIC_CODEC_DENSE] == 0, "%d calls", counts[LACONIC_CODEC_DENSE]);
  counts = tuned_calls(t, "light", slow);
  CHECK(t, counts[LACONIC_CODEC_QUANT] > 15 && counts[LACONIC_CODEC_DENSE] == 0);
  counts = tuned_calls(t, "dense", slow);
  CHECK(t, counts[LACONIC_CODEC_DENSE] > 15 && counts[LACONIC_CODEC_QUANT] == 0);
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "effort");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  same_bits(t);
  beyond(t);
  selects(t);
  elsewhere(t);
  // On one rank nothing is compressed.
  for (const double speed : {1.0, 100.0}) {
    if (t.size() == 1) break;
    ranks::clock.run(t.rank() % 2 == 1 ? speed : 1);
    ranks_choose_alike(t);
  }
  return t.finish();
}
