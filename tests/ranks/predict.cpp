// SPDX-License-Identifier: BSD-3-Clause
// laconic_predict_error: before MPI_Init and after, compared with the statistics of calls, and its errors for bad
// arguments.
#include <cmath>
#include <functional>

#include "support.hpp"

namespace {

using namespace ranks;

laconic_options with(const char* bound) {
  laconic_options o;
  laconic_options_init(&o);
  laconic_options_set(&o, "bound", bound);
  return o;
}

// A ring of 8 ranks adds 8 numbers, each with an error of a 16th of the bound, and rounds the result once more, with an
// error of half of the bound.  Returns a description of the failure, or nullptr.
const char* known_case() {
  laconic_options o = with("abs:1e-3");
  laconic_options_set(&o, "algorithm", "ring");
  laconic_prediction p;
  if (laconic_predict_error("allreduce", "sum", 8, 0, &o, &p) != MPI_SUCCESS) return "an error";
  if (p.size != sizeof p) return "size";
  if (p.codec != LACONIC_CODEC_QUANT || p.algorithm != LACONIC_ALGORITHM_RING || p.terms != 8) return "names or terms";
  if (std::fabs(p.allowance - 1e-3 / 16) > 1e-15 || p.last_allowance != 8 * p.allowance) return "allowances";
  if (p.worst_case != 1e-3 || p.drift != 0) return "worst case or drift";
  // In units of an allowance the variances are 1/3 for each of the 8 numbers and (8^2 + 2) / 3 for the rounding.
  if (std::fabs(p.deviation - 1e-3 / 16 * std::sqrt((8 + 66) / 3.0)) > 1e-9) return "deviation";
  if (!(p.likely < 2 * p.deviation) || p.likely < 1.7 * p.deviation) return "likely";
  return nullptr;
}

void mistakes(Test& t) {
  struct Mistake {
    const char* name;
    int error_class;
    std::function<int(laconic_prediction*)> call;
    std::vector<const char*> words;
  };
  static laconic_options good = with("abs:1e-3");
  const auto with_options = [](const char* name, const char* value) {
    laconic_options o = with("abs:1e-3");
    if (laconic_options_set(&o, name, value) != MPI_SUCCESS) o.size = 1;
    return o;
  };
  const auto asks = [](laconic_options o) {
    return [o](laconic_prediction* p) { return laconic_predict_error("allreduce", "sum", 4, 0, &o, p); };
  };
  laconic_options rate = with("rate:8");
  rate.codec = LACONIC_CODEC_ZFP;
  laconic_options broken = good;
  broken.codec = static_cast<laconic_codec>(99);
  laconic_options small = good;
  small.size = 8;
  const std::vector<Mistake> all{
      {"no such collective",
       MPI_ERR_ARG,
       [](auto* p) { return laconic_predict_error("reduce-scatter", "sum", 4, 0, &good, p); },
       {"collective", "reduce-scatter", "allreduce", "reduce_scatter", "alltoall"}},
      {"collective NULL",
       MPI_ERR_ARG,
       [](auto* p) { return laconic_predict_error(nullptr, "sum", 4, 0, &good, p); },
       {"collective is NULL", "allreduce"}},
      {"op prod",
       MPI_ERR_OP,
       [](auto* p) { return laconic_predict_error("reduce", "prod", 4, 0, &good, p); },
       {"op", "prod", "sum, avg, max, min"}},
      {"op NULL",
       MPI_ERR_OP,
       [](auto* p) { return laconic_predict_error("reduce", nullptr, 4, 0, &good, p); },
       {"op is NULL", "sum, avg, max, min"}},
      {"op of a bcast",
       MPI_ERR_OP,
       [](auto* p) { return laconic_predict_error("bcast", "sum", 4, 0, &good, p); },
       {"op", "sum", "bcast", "NULL"}},
      {"0 ranks",
       MPI_ERR_ARG,
       [](auto* p) { return laconic_predict_error("allreduce", "sum", 0, 0, &good, p); },
       {"ranks", "'0'", "from 1"}},
      {"-1 bytes",
       MPI_ERR_COUNT,
       [](auto* p) { return laconic_predict_error("allreduce", "sum", 4, -1, &good, p); },
       {"bytes", "-1"}},
      {"no bound",
       MPI_ERR_ARG,
       [](auto* p) { return laconic_predict_error("allreduce", "sum", 4, 0, nullptr, p); },
       {"bound", "not set", "abs:E", "rel:R", "lossless"}},
      {"rms", MPI_ERR_ARG, asks(with("rms:0.1")), {"rms:0.1", "abs:E", "rel:R"}},
      {"rate", MPI_ERR_ARG, asks(rate), {"rate:8", "abs:E", "rel:R"}},
      {"rate with quant", MPI_ERR_ARG, asks(with("rate:8")), {"rate:8", "needs the codec zfp"}},
      {"algorithm of others",
       MPI_ERR_ARG,
       asks(with_options("algorithm", "chain")),
       {"algorithm 'chain'", "allreduce", "4 ranks", "ring, recursive-doubling"}},
      {"codec 99", MPI_ERR_ARG, asks(broken), {"codec", "99", "quant"}},
      {"options size", MPI_ERR_ARG, asks(small), {"options->size", "laconic_options_init"}},
  };
  for (const Mistake& m : all) {
    t.doing(m.name);
    t.count_case();
    laconic_prediction p;
    std::memset(&p, 0x7f, sizeof p);
    const laconic_prediction before = p;
    const int rc = m.call(&p);
    if (!CHECK(t, rc != MPI_SUCCESS)) continue;
    CHECK(t, class_of(rc) == m.error_class, "class %d, expected %d: %s", class_of(rc), m.error_class,
          message_of(rc).c_str());
    for (const char* word : m.words)
      CHECK(t, message_of(rc).find(word) != std::string::npos, "no '%s' in '%s'", word, message_of(rc).c_str());
    CHECK(t, std::memcmp(&p, &before, sizeof p) == 0, "the prediction was changed");
  }
  t.doing("prediction NULL");
  const int rc = laconic_predict_error("allreduce", "sum", 4, 0, &good, nullptr);
  CHECK(t, rc != MPI_SUCCESS && message_of(rc).find("prediction is NULL") != std::string::npos, "%s",
        message_of(rc).c_str());
}

// The bound, codec and algorithm that calls report are those that were predicted.
void like_the_statistics(Test& t, MPI_Comm comm) {
  struct Named {
    const char* name;
    MPI_Op op;
  };
  constexpr int count = 20000;
  std::vector<float> x(count);
  for (int i = 0; i < count; ++i) x[static_cast<std::size_t>(i)] = static_cast<float>(i % 997 + t.rank()) * 0.37F;
  std::vector<float> y(count);
  for (const Named& named : {Named{"sum", MPI_SUM}, Named{"avg", LACONIC_AVG}, Named{"max", MPI_MAX}})
    for (const char* target : {"result", "input"})
      for (const char* codec : {"quant", "szx", "lossless"})
        for (const char* algorithm : {"auto", "ring", "recursive-doubling", "plain"})
          for (const char* variant : {"overlap", "cpr-p2p"}) {
            t.doing(text("%s, target %s, %s, %s, %s", named.name, target, codec, algorithm, variant));
            t.count_case();
            laconic_options o = with("abs:1e-2");
            laconic_options_set(&o, "target", target);
            laconic_options_set(&o, "codec", codec);
            laconic_options_set(&o, "algorithm", algorithm);
            laconic_options_set(&o, "variant", variant);
            laconic_prediction p;
            int rc = laconic_predict_error("allreduce", named.name, t.size(), count * 4, &o, &p);
            if (!CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str())) continue;
            laconic_stats stats{};
            o.stats = &stats;
            o.min_bytes = 1;
            rc = laconic_allreduce(x.data(), y.data(), count, MPI_FLOAT, named.op, comm, &o);
            if (!CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str())) continue;
            CHECK(t, p.algorithm == stats.algorithm, "%d, not %d", p.algorithm, stats.algorithm);
            CHECK(t, p.codec == stats.codec, "%d, not %d", p.codec, stats.codec);
            const bool rounds = stats.plain_calls == 0 && stats.codec != LACONIC_CODEC_LOSSLESS;
            CHECK(t, p.worst_case == (rounds ? stats.bound : 0), "%g, not %g", p.worst_case, stats.bound);
            CHECK(t, p.likely <= p.worst_case && (p.likely > 0) == rounds, "%g of %g", p.likely, p.worst_case);
          }
}

void other_bounds(Test& t) {
  t.doing("rel and lossless");
  laconic_prediction absolute;
  laconic_prediction relative;
  laconic_prediction lossless;
  const laconic_options o = with("abs:1e-3");
  const laconic_options r = with("rel:1e-3");
  const laconic_options l = with("lossless");
  CHECK(t, laconic_predict_error("gather", nullptr, 8, 0, &o, &absolute) == MPI_SUCCESS);
  CHECK(t, laconic_predict_error("gather", nullptr, 8, 0, &r, &relative) == MPI_SUCCESS);
  CHECK(t, laconic_predict_error("allreduce", "sum", 8, 0, &l, &lossless) == MPI_SUCCESS);
  CHECK(t, absolute.terms == 1 && std::fabs(absolute.likely - 0.9544e-3) < 1e-9, "%g", absolute.likely);
  CHECK(t, std::memcmp(&absolute, &relative, sizeof absolute) == 0, "shares of the range are other figures");
  CHECK(t, lossless.codec == LACONIC_CODEC_LOSSLESS && lossless.worst_case == 0 && lossless.likely == 0);
  t.doing("bound and algorithm from the environment");
  setenv("LACONIC_BOUND", "abs:0.5", 1);
  setenv("LACONIC_ALGORITHM", "chain", 1);  // an allreduce has no such algorithm, and takes another
  laconic_prediction p;
  int rc = laconic_predict_error("allreduce", "max", 8, 0, nullptr, &p);
  CHECK(t, rc == MPI_SUCCESS && p.worst_case == 0.5 && p.algorithm != LACONIC_ALGORITHM_CHAIN, "%s",
        message_of(rc).c_str());
  rc = laconic_predict_error("bcast", nullptr, 8, 0, nullptr, &p);
  CHECK(t, rc == MPI_SUCCESS && p.algorithm == LACONIC_ALGORITHM_CHAIN, "%s", message_of(rc).c_str());
  unsetenv("LACONIC_BOUND");
  unsetenv("LACONIC_ALGORITHM");
}

}  // namespace

int main(int argc, char** argv) {
  const char* early = known_case();
  laconic_prediction p;
  const bool early_error = laconic_predict_error("allreduce", "sum", 0, 0, nullptr, &p) != MPI_SUCCESS;
  Test t(&argc, &argv, "predict");
  CHECK(t, early == nullptr, "before MPI_Init: %s", early);
  CHECK(t, early_error, "before MPI_Init: no ranks are no error");
  const char* late = known_case();
  CHECK(t, late == nullptr, "after MPI_Init: %s", late);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  mistakes(t);
  other_bounds(t);
  like_the_statistics(t, comm);
  MPI_Comm_free(&comm);
  return t.finish();
}
