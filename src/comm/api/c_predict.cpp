// SPDX-License-Identifier: BSD-3-Clause
// The C API: prediction of errors.
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/sized.hpp"
#include "comm/api/c_guard.hpp"
#include "comm/core/asked.hpp"
#include "comm/core/errors.hpp"
#include "comm/core/known_options.hpp"
#include "comm/core/settings.hpp"
#include "engine/predict.hpp"
#include "laconic/laconic.h"
#include "tune/choose.hpp"

namespace laconic {
namespace {

struct NamedOp {
  std::string_view name;
  Op op;
  bool mean;
};
constexpr std::array<NamedOp, 4> ops{
    {{"sum", Op::sum, false}, {"avg", Op::sum, true}, {"max", Op::max, false}, {"min", Op::min, false}}};

// The description of a call that has not been made yet.
struct Plans {
  Collective collective = Collective::allreduce;
  Op op = Op::sum;
  bool mean = false;
  int ranks = 1;
  std::size_t bytes = unknown_bytes;
  laconic_options settings{};
};

Status not_valid(const char* name, std::string_view value, const std::string& valid, Code code = Code::argument) {
  return {code, std::string(name) + " '" + std::string(value) + "' is not valid; valid are " + valid};
}

Status read_collective(const char* text, Collective& collective) {
  std::string valid;
  for (const Collective c : all_collectives) {
    if (text != nullptr && name_of(c) == text) {
      collective = c;
      return {};
    }
    valid += (valid.empty() ? "" : ", ") + std::string(name_of(c));
  }
  if (text == nullptr) return {Code::argument, "collective is NULL; valid are " + valid};
  return not_valid("collective", text, valid);
}

Status read_op(const char* text, Plans& plans) {
  if (!reduces(plans.collective)) {
    if (text == nullptr) return {};
    return {Code::op, "op is '" + std::string(text) + "', but " + std::string(name_of(plans.collective)) +
                          " only moves data; valid is NULL"};
  }
  std::string valid;
  for (const NamedOp& o : ops) {
    if (o.mean && traits_of(plans.collective).prefix()) continue;
    if (text != nullptr && o.name == text) {
      plans.op = o.op;
      plans.mean = o.mean;
      return {};
    }
    valid += (valid.empty() ? "" : ", ") + std::string(o.name);
  }
  if (text == nullptr) return {Code::op, "op is NULL; valid for a reduction are " + valid};
  return not_valid("op", text, valid, Code::op);
}

Status read_settings(const laconic_options* options, laconic_options& settings) {
  if (options != nullptr) {
    if (Status s = check_options(*options); !s) return s;
    settings = *options;
  }
  laconic_options environment{};
  if (Status s = read_environment(environment); !s) return s;
  fill_unset(settings, environment);
  fill_defaults(settings, false);
  return check_together(settings);
}

// Only bounds on the error itself are known before the numbers are.
Status check_predictable(const laconic_options& settings) {
  constexpr auto valid = "; valid are abs:E, rel:R and lossless";
  switch (settings.bound.mode) {
    case LACONIC_BOUND_UNSET:
      return {Code::argument, std::string("options->bound is not set, nor is LACONIC_BOUND") + valid};
    case LACONIC_BOUND_BLOCK:
    case LACONIC_BOUND_RMS:
    case LACONIC_BOUND_RATE:
      return {Code::argument, "the errors of bound '" + to_string(bound_of(settings)) +
                                  "' follow the numbers and cannot be predicted without them" + valid};
    default: return {};
  }
}

void fill(const Plans& plans, const Codec& codec, const Algorithm& algorithm, laconic_prediction& out) {
  const laconic_options& s = plans.settings;
  const double bound = s.bound.mode == LACONIC_BOUND_LOSSLESS ? 0 : s.bound.value;
  const Prediction p =
      predict_error(bound, target_of(s), plans.op, plans.mean, algorithm, plans.ranks, codec, per_hop(s.variant));
  out.codec = in_api(codec.api_name());
  out.algorithm = in_api(algorithm.id);
  out.terms = static_cast<int>(p.budget.terms);
  out.allowance = p.budget.allowance;
  out.last_allowance = p.budget.last_allowance;
  out.worst_case = p.worst_case;
  out.likely = p.likely;
  out.drift = p.drift;
  out.deviation = p.deviation;
}

Status predict(const Plans& plans, laconic_prediction* prediction, std::size_t size) {
  const laconic_options& s = plans.settings;
  const Codec* codec = asked_codec(s);
  if (codec == nullptr) return not_built(s.codec);
  laconic_prediction out{};
  out.algorithm = LACONIC_ALGORITHM_PLAIN;
  if (s.algorithm != LACONIC_ALGORITHM_PLAIN) {
    const Algorithm* algorithm = nullptr;
    if (Status status = asked_algorithm(s, plans.collective, plans.ranks, algorithm); !status) return status;
    if (algorithm == nullptr) algorithm = &chosen_algorithm(s, plans.collective, plans.ranks, plans.bytes);
    // A single rank has nothing to send.
    if (plans.ranks > 1) fill(plans, *codec, *algorithm, out);
  }
  write_sized(out, prediction, size);
  return {};
}

Status predict(const char* collective, const char* op, int ranks, MPI_Count bytes, const laconic_options* options,
               laconic_prediction* prediction, std::size_t size) {
  if (prediction == nullptr) return null_argument("prediction", "a laconic_prediction");
  Plans plans;
  if (Status s = read_collective(collective, plans.collective); !s) return s;
  if (Status s = read_op(op, plans); !s) return s;
  if (ranks < 1) return not_valid("ranks", std::to_string(ranks), "whole numbers from 1");
  plans.ranks = ranks;
  if (bytes < 0) return not_valid("bytes", std::to_string(bytes), "whole numbers from 0 (many)", Code::count);
  if (bytes > 0) plans.bytes = static_cast<std::size_t>(bytes);
  const KnownOptions known(options);
  options = known.get();
  if (Status s = read_settings(options, plans.settings); !s) return s;
  // An algorithm from the environment that the collective does not have is meant for other collectives, as in a call.
  const bool inherited = options == nullptr || options->algorithm == LACONIC_ALGORITHM_UNSET;
  const Algorithm* unused = nullptr;
  if (inherited && plans.settings.algorithm > LACONIC_ALGORITHM_PLAIN &&
      !asked_algorithm(plans.settings, plans.collective, ranks, unused))
    plans.settings.algorithm = LACONIC_ALGORITHM_AUTO;
  if (Status s = check_predictable(plans.settings); !s) return s;
  return predict(plans, prediction, size);
}

}  // namespace
}  // namespace laconic

int laconic_predict_error_sized(const char* collective, const char* op, int ranks, MPI_Count bytes,
                                const laconic_options* options, laconic_prediction* prediction, size_t size) {
  return laconic::guarded(MPI_COMM_NULL, [&]() -> int {
    return laconic::remember(laconic::predict(collective, op, ranks, bytes, options, prediction, size));
  });
}
