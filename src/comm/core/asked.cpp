// SPDX-License-Identifier: BSD-3-Clause
#include "comm/core/asked.hpp"

#include <bit>
#include <cmath>
#include <string>

#include "comm/core/settings.hpp"
#include "engine/ledger.hpp"
#include "tune/choose.hpp"

namespace laconic {

bool tuned(const laconic_options& settings) {
  return settings.tune != LACONIC_TUNE_OFF && settings.algorithm == LACONIC_ALGORITHM_AUTO &&
         settings.variant == LACONIC_VARIANT_OVERLAP;
}

void fill_defaults(laconic_options& settings, bool within_node) {
  settings.bound.mode = static_cast<laconic_bound_mode>(library_bound(bound_of(settings)).mode);
  if (settings.target == LACONIC_TARGET_UNSET) settings.target = LACONIC_TARGET_RESULT;
  if (settings.variant == LACONIC_VARIANT_UNSET) settings.variant = LACONIC_VARIANT_OVERLAP;
  if (settings.denormals == LACONIC_DENORMALS_UNSET) settings.denormals = LACONIC_DENORMALS_ROUND;
  if (settings.progress == LACONIC_PROGRESS_UNSET) settings.progress = LACONIC_PROGRESS_CALLS;
  if (settings.checksum == LACONIC_CHECKSUM_UNSET) settings.checksum = LACONIC_CHECKSUM_ON;
  if (settings.tune == LACONIC_TUNE_UNSET) settings.tune = LACONIC_TUNE_ON;
  if (settings.effort == LACONIC_EFFORT_UNSET) settings.effort = LACONIC_EFFORT_AUTO;
  if (settings.variant == LACONIC_VARIANT_PLAIN) settings.algorithm = LACONIC_ALGORITHM_PLAIN;
  if (settings.algorithm == LACONIC_ALGORITHM_UNSET) settings.algorithm = LACONIC_ALGORITHM_AUTO;
  if (settings.min_bytes == 0)
    settings.min_bytes = tuned(settings) && !within_node ? default_min_bytes_tuned : default_min_bytes;
  if (settings.depth == 0) settings.depth = default_depth;
  if (settings.threads == 0) settings.threads = 1;
}

Effort effort_of(const laconic_options& settings) {
  if (settings.codec != LACONIC_CODEC_UNSET)
    return settings.codec == LACONIC_CODEC_DENSE ? Effort::dense : Effort::light;
  const BoundMode mode = bound_of(settings).mode;
  if (settings.effort == LACONIC_EFFORT_DENSE) return Effort::dense;
  const bool chooses =
      settings.effort == LACONIC_EFFORT_AUTO && tuned(settings) && find_codec(CodecName::dense)->supports_bound(mode);
  return chooses ? Effort::automatic : Effort::light;
}

const Codec* asked_codec(const laconic_options& settings) {
  if (effort_of(settings) == Effort::dense) return find_codec(CodecName::dense);
  return codec_for(static_cast<CodecName>(settings.codec), bound_of(settings).mode);
}

EffortCodecs codecs_of(const laconic_options& settings) {
  const Effort effort = effort_of(settings);
  EffortCodecs codecs;
  if (effort != Effort::dense) codecs.light = asked_codec(settings);
  if (effort != Effort::light) codecs.dense = find_codec(CodecName::dense);
  return codecs;
}

namespace {

std::string why_nodes_do_not_fit(Ranks ranks) {
  const std::string number = std::to_string(ranks.size) + " ranks";
  if (ranks.nodes == nullptr)
    return "the nodes of the " + number + " are not known (the first compressed call on a communicator finds them if " +
           "it is blocking)";
  const int nodes = ranks.nodes->nodes();
  if (nodes > 1 && ranks.nodes->per_node() == 0)
    return "the " + number + " are on " + std::to_string(nodes) + " nodes with different numbers of ranks";
  return "the " + number + " are on " + std::to_string(nodes) + (nodes == 1 ? " node" : " nodes");
}

}  // namespace

Status asked_algorithm(const laconic_options& settings, Collective collective, Ranks ranks,
                       const Algorithm*& algorithm) {
  algorithm = nullptr;
  if (settings.algorithm == LACONIC_ALGORITHM_AUTO || settings.algorithm == LACONIC_ALGORITHM_UNSET) return {};
  const auto asked = static_cast<AlgorithmName>(settings.algorithm);
  algorithm = find_algorithm(collective, asked);
  if (algorithm != nullptr && algorithm->fits(ranks)) return {};
  std::string valid = "auto, plain";
  for (const Algorithm& a : all_algorithms())
    if (a.collective == collective && a.fits(ranks)) valid += ", " + std::string(a.name());
  const std::string name = "algorithm '" + std::string(text_of(asked)) + "' ";
  if (algorithm != nullptr && algorithm->by_nodes())
    return {Code::argument, name + "needs several nodes with equal numbers of ranks, at least 2, but " +
                                why_nodes_do_not_fit(ranks) + "; valid are " + valid};
  return {Code::argument, name + "is not one of " + std::string(name_of(collective)) + " on " +
                              std::to_string(ranks.size) + " ranks; valid are " + valid};
}

const Algorithm& chosen_algorithm(const laconic_options& settings, Collective collective, int ranks,
                                  std::size_t bytes) {
  const Codec* codec = asked_codec(settings);
  const Travel travel = codec != nullptr ? travel_of(*codec, per_hop(settings.variant)) : Travel::homomorphic;
  return choose_algorithm(collective, bytes, ranks, travel);
}

Coding asked_coding(const laconic_options& settings, Dtype dtype) {
  Coding coding = coding_for(bound_of(settings), dtype);
  coding.exact_denormals = keeps_denormals(settings);
  return coding;
}

bool codes_integers(const laconic_options& settings, Dtype dtype) {
  const Codec* codec = asked_codec(settings);
  return settings.bound.mode == LACONIC_BOUND_LOSSLESS && codec != nullptr && codec->supports(dtype);
}

double absolute_bound(const laconic_options& settings, const Range& range) {
  const double bound = absolute_bound(bound_of(settings), range);
  return std::isfinite(bound) ? bound : 0;
}

std::uint64_t tuning_key(const laconic_options& o) {
  std::uint64_t hash = 0;
  const auto add = [&hash](std::uint64_t value) {
    hash = ((hash ^ value) + 1) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
  };
  add(static_cast<std::uint64_t>(o.bound.mode));
  add(std::bit_cast<std::uint64_t>(o.bound.value));
  add(static_cast<std::uint64_t>(o.target));
  add(static_cast<std::uint64_t>(o.codec));
  add(static_cast<std::uint64_t>(o.effort));
  add(static_cast<std::uint64_t>(o.checksum));
  add(static_cast<std::uint64_t>(o.chunk_elements));
  add(static_cast<std::uint64_t>(o.depth));
  add(static_cast<std::uint64_t>(o.tune));
  return hash;
}

}  // namespace laconic
