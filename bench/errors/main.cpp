// SPDX-License-Identifier: BSD-3-Clause
// Predicted and measured errors of operations on ranks in this process, as lines of CSV.
// tools/figures/error_prediction.py makes the figure and the tables of docs/error-model.md from them.  All errors are
// fractions of the bound, which is on every contribution (target input), as in C-Coll's theorems.
//
//   bench_errors [most ranks]
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "engine/predict.hpp"
#include "support/error_trial.hpp"

namespace {

using namespace laconic;
using namespace laconic::test;

constexpr std::size_t fields = 5;
constexpr const char* field_names[fields] = {"vorticity", "temperature", "shots", "precipitation", "gradients"};
constexpr std::size_t numbers = 32768;

struct Reduction {
  const char* name;
  Op op;
  bool mean;
};
constexpr Reduction reductions[] = {
    {"SUM", Op::sum, false}, {"AVG", Op::sum, true}, {"MAX", Op::max, false}, {"MIN", Op::min, false}};

// Prints one line. data: "independent" ranks hold different parts of a field, "same" ranks all hold the same numbers.
void measure(const char* data, const char* codec, const char* algorithm, const Reduction& reduction, int ranks,
             std::size_t field, double relative, bool per_hop = false) {
  Operation o;
  o.algorithm = find_algorithm(Collective::allreduce, algorithm);
  o.codec = find_codec(codec);
  if (o.codec == nullptr) return;  // a build without libzfp
  o.per_hop = per_hop;
  o.op = reduction.op;
  o.mean = reduction.mean;
  o.bound = relative * range_of(detail::real_field(field));
  o.target = BoundTarget::input;
  o.count = numbers;
  o.chunk = 16384;
  const Bring independent = parts_of_field(field, 1);
  const bool same = std::string(data) == "same";
  ErrorTrial trial(o, ranks, [&](int rank, std::size_t n) { return independent(same ? 0 : rank, n); });
  const ErrorSummary s = summarise(trial.run());
  const Prediction p = predict_error(o.bound, o.target, o.op, o.mean, *o.algorithm, ranks, *o.codec, per_hop);
  std::printf("%s,%s,%s,%s,%s,%d,%s,%g,%d,%.5f,%.5f,%.5f,%.5f,%.5f,%.5f\n", data, codec, algorithm,
              per_hop ? "cpr-p2p" : "overlap", reduction.name, ranks, field_names[field], relative, p.terms.all(),
              p.worst_case / o.bound, p.likely / o.bound, s.worst / o.bound, s.likely / o.bound, s.mean / o.bound,
              s.deviation / o.bound);
  std::fflush(stdout);
}

void measure_all(int most) {
  std::printf(
      "data,codec,algorithm,variant,op,ranks,field,relative,terms,worst_case,predicted,worst,measured,mean,"
      "deviation\n");
  for (int ranks = 2; ranks <= most; ranks *= 2)
    for (std::size_t field = 0; field < fields; ++field)
      for (const char* codec : {"quant", "szx", "zfp"})
        for (const Reduction& reduction : reductions)
          measure("independent", codec, "ring", reduction, ranks, field, 1e-4);
  // Cases in which the argument of the model does not hold, or a different one is needed.
  const Reduction sum = reductions[0];
  for (int ranks = 2; ranks <= most; ranks *= 2) {
    for (const char* codec : {"quant", "szx", "zfp"}) measure("same", codec, "ring", sum, ranks, 0, 1e-4);
    measure("independent", "quant", "ring", sum, ranks, 3, 1e-2);
    measure("independent", "quant", "ring", sum, ranks, 0, 1e-4, true);
    for (const char* codec : {"szx", "zfp"}) measure("independent", codec, "recursive-doubling", sum, ranks, 0, 1e-4);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (!have_real_fields()) {
      std::fprintf(stderr, "no fields in %s (LACONIC_TEST_DATA names another folder)\n", detail::data_folder().c_str());
      return 1;
    }
    measure_all(argc > 1 ? std::atoi(argv[1]) : 64);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
