// SPDX-License-Identifier: BSD-3-Clause
#include "comm/core/settings.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "base/device_use.hpp"
#include "base/number.hpp"
#include "codec/codec.hpp"
#include "codec/quant/kernels.hpp"
#include "coder/settings.hpp"
#include "comm/core/asked.hpp"
#include "comm/core/known_options.hpp"
#include "comm/core/used_profile.hpp"
#include "device/devices.hpp"
#include "schedule/schedule.hpp"
#include "wire/frame.hpp"

extern char** environ;

namespace laconic {
namespace {

template <class Value>
struct Named {
  std::string_view name;
  Value value;
};

// The spellings of base/names.hpp, whose numbers are those of laconic.h.
template <class Value, class Name>
constexpr auto spelled() {
  std::array<Named<Value>, spellings<Name>.size() - 1> names{};
  for (std::size_t k = 0; k < names.size(); ++k) names[k] = {spellings<Name>[k + 1], static_cast<Value>(k + 1)};
  return names;
}
constexpr auto codec_names = spelled<laconic_codec, CodecName>();
constexpr auto effort_names = spelled<laconic_effort, Effort>();
constexpr auto algorithm_names = spelled<laconic_algorithm, AlgorithmName>();
constexpr auto target_names = spelled<laconic_target, BoundTarget>();

constexpr bool same(int in_api, auto name) { return in_api == static_cast<int>(name); }
static_assert(same(LACONIC_TARGET_RESULT, BoundTarget::result) && same(LACONIC_TARGET_INPUT, BoundTarget::input) &&
              same(LACONIC_TARGET_LIKELY, BoundTarget::likely));
static_assert(same(LACONIC_EFFORT_AUTO, Effort::automatic) && same(LACONIC_EFFORT_LIGHT, Effort::light) &&
              same(LACONIC_EFFORT_DENSE, Effort::dense));
static_assert(same(LACONIC_ALGORITHM_AUTO, AlgorithmName::automatic) &&
              same(LACONIC_ALGORITHM_PLAIN, AlgorithmName::plain) &&
              same(LACONIC_ALGORITHM_RING, AlgorithmName::ring) &&
              same(LACONIC_ALGORITHM_RECURSIVE_DOUBLING, AlgorithmName::recursive_doubling) &&
              same(LACONIC_ALGORITHM_DIRECT, AlgorithmName::direct) &&
              same(LACONIC_ALGORITHM_RECURSIVE_HALVING, AlgorithmName::recursive_halving) &&
              same(LACONIC_ALGORITHM_BINOMIAL, AlgorithmName::binomial) &&
              same(LACONIC_ALGORITHM_CHAIN, AlgorithmName::chain) &&
              same(LACONIC_ALGORITHM_BRUCK, AlgorithmName::bruck) &&
              same(LACONIC_ALGORITHM_PAIRWISE, AlgorithmName::pairwise) &&
              same(LACONIC_ALGORITHM_HIERARCHICAL, AlgorithmName::hierarchical));

constexpr std::array<Named<laconic_variant>, 5> variant_names{{
    {"overlap", LACONIC_VARIANT_OVERLAP},
    {"nd", LACONIC_VARIANT_ND},
    {"cpr-p2p", LACONIC_VARIANT_CPR_P2P},
    {"plain", LACONIC_VARIANT_PLAIN},
    {"host-centric", LACONIC_VARIANT_HOST_CENTRIC},
}};

constexpr std::array<Named<laconic_denormals>, 2> denormals_names{{
    {"round", LACONIC_DENORMALS_ROUND},
    {"exact", LACONIC_DENORMALS_EXACT},
}};

constexpr std::array<Named<laconic_progress>, 2> progress_names{{
    {"calls", LACONIC_PROGRESS_CALLS},
    {"thread", LACONIC_PROGRESS_THREAD},
}};

constexpr std::array<Named<laconic_checksum>, 2> checksum_names{{
    {"on", LACONIC_CHECKSUM_ON},
    {"off", LACONIC_CHECKSUM_OFF},
}};

constexpr std::array<Named<laconic_tune>, 3> tune_names{{
    {"on", LACONIC_TUNE_ON},
    {"off", LACONIC_TUNE_OFF},
    {"profile", LACONIC_TUNE_PROFILE},
}};

template <class Names>
std::string list_of(const Names& names) {
  std::string list;
  for (const auto& entry : names) list += (list.empty() ? "" : ", ") + std::string(entry.name);
  return list;
}

Status not_valid(std::string_view name, std::string_view value, std::string_view valid) {
  return {Code::argument,
          std::string(name) + " '" + std::string(value) + "' is not valid; valid are " + std::string(valid)};
}

template <class Names, class Value>
Status parse_name(const Names& names, std::string_view option, std::string_view text, Value& value) {
  for (const auto& entry : names)
    if (entry.name == text) {
      value = entry.value;
      return {};
    }
  return not_valid(option, text, list_of(names));
}

// nullptr where no name has the value.
template <class Names, class Value>
const char* find_name(const Names& names, Value value) {
  for (const auto& entry : names)
    if (entry.value == value) return entry.name.data();
  return nullptr;
}

template <class Names, class Value>
bool known(const Names& names, Value value) {
  return find_name(names, value) != nullptr;
}

// "on", "off", or the file of a profile.
Status parse_tune(std::string_view text, laconic_tune& tune) {
  if (text == "on" || text == "off") return parse_name(tune_names, "tune", text, tune);
  if (Status s = use_profile(std::string(text)); !s)
    return not_valid("tune", text, "on, off and the file of a profile: " + s.message());
  tune = LACONIC_TUNE_PROFILE;
  return {};
}

// A whole number in least..greatest.
template <class Value>
Status parse_whole(std::string_view option, std::string_view text, std::int64_t least, std::int64_t greatest,
                   Value& value) {
  std::int64_t n = 0;
  if (parse_number(text, n) && n >= least && n <= greatest) {
    value = static_cast<Value>(n);
    return {};
  }
  return not_valid(option, text, "whole numbers from " + std::to_string(least) + " to " + std::to_string(greatest));
}

constexpr std::int64_t largest_depth = 64;
constexpr std::int64_t largest_threads = 256;
constexpr std::int64_t largest_min_bytes = std::int64_t{1} << 62;

Status set_bound_by(Status (*parse)(std::string_view, Bound&), laconic_options& o, std::string_view text) {
  Bound bound;
  if (Status s = parse(text, bound); !s) return s;
  o.bound = {static_cast<laconic_bound_mode>(bound.mode), bound.value};
  return {};
}

using Setter = Status (*)(laconic_options&, std::string_view);

constexpr std::array<Named<Setter>, 14> options_by_name{{
    {"bound", [](laconic_options& o, std::string_view v) { return set_bound_by(parse_bound, o, v); }},
    {"codec", [](laconic_options& o, std::string_view v) { return parse_name(codec_names, "codec", v, o.codec); }},
    {"algorithm",
     [](laconic_options& o, std::string_view v) { return parse_name(algorithm_names, "algorithm", v, o.algorithm); }},
    {"variant",
     [](laconic_options& o, std::string_view v) { return parse_name(variant_names, "variant", v, o.variant); }},
    {"target", [](laconic_options& o, std::string_view v) { return parse_name(target_names, "target", v, o.target); }},
    {"denormals",
     [](laconic_options& o, std::string_view v) { return parse_name(denormals_names, "denormals", v, o.denormals); }},
    {"progress",
     [](laconic_options& o, std::string_view v) { return parse_name(progress_names, "progress", v, o.progress); }},
    {"checksum",
     [](laconic_options& o, std::string_view v) { return parse_name(checksum_names, "checksum", v, o.checksum); }},
    {"tune", [](laconic_options& o, std::string_view v) { return parse_tune(v, o.tune); }},
    {"effort", [](laconic_options& o, std::string_view v) { return parse_name(effort_names, "effort", v, o.effort); }},
    {"min_bytes", [](laconic_options& o,
                     std::string_view v) { return parse_whole("min_bytes", v, 1, largest_min_bytes, o.min_bytes); }},
    {"threads",
     [](laconic_options& o, std::string_view v) { return parse_whole("threads", v, 1, largest_threads, o.threads); }},
    {"depth",
     [](laconic_options& o, std::string_view v) { return parse_whole("depth", v, 1, largest_depth, o.depth); }},
    {"chunk_elements",
     [](laconic_options& o, std::string_view v) {
       return parse_whole("chunk_elements", v, 1, wire::largest_chunk, o.chunk_elements);
     }},
}};

// Variables that other parts of Laconic read: the kernels, the devices, and the drop-in.
constexpr std::array<std::string_view, 9> variables_of_others{
    {"LACONIC_ISA", "LACONIC_DEVICE_MEMORY", "LACONIC_REPORT", "LACONIC_INCLUDE", "LACONIC_EXCLUDE", "LACONIC_AUDIT",
     "LACONIC_P2P", "LACONIC_ADVICE", "LACONIC_PROFILE_COMMAND"}};

constexpr std::string_view variable_prefix = "LACONIC_";
constexpr std::string_view hint_prefix = "laconic_";

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return result;
}

Status with_source(const Status& status, const std::string& source) {
  return {status.code(), source + ": " + status.message()};
}

Status check_range(std::string_view name, std::int64_t value, std::int64_t greatest) {
  if (value >= 0 && value <= greatest) return {};
  return not_valid(name, std::to_string(value), "0 (chosen by the library) to " + std::to_string(greatest));
}

}  // namespace

Status set_option(laconic_options& options, std::string_view name, std::string_view value) {
  for (const auto& option : options_by_name)
    if (option.name == name) return option.value(options, value);
  return not_valid("option", name, list_of(options_by_name));
}

Status check_options(const laconic_options& o) {
  if (Status s = check_sizes(o); !s) return s;
  if (o.bound.mode < LACONIC_BOUND_UNSET || o.bound.mode > LACONIC_BOUND_RANGE)
    return not_valid("options->bound.mode", std::to_string(o.bound.mode), bound_forms);
  if (Status s = check_bound(bound_of(o)); !s) return with_source(s, "options");
  if (o.codec != LACONIC_CODEC_UNSET && !known(codec_names, o.codec))
    return not_valid("options->codec", std::to_string(o.codec), list_of(codec_names));
  if (o.algorithm != LACONIC_ALGORITHM_UNSET && !known(algorithm_names, o.algorithm))
    return not_valid("options->algorithm", std::to_string(o.algorithm), list_of(algorithm_names));
  if (o.variant != LACONIC_VARIANT_UNSET && !known(variant_names, o.variant))
    return not_valid("options->variant", std::to_string(o.variant), list_of(variant_names));
  if (o.target != LACONIC_TARGET_UNSET && !known(target_names, o.target))
    return not_valid("options->target", std::to_string(o.target), list_of(target_names));
  if (o.denormals != LACONIC_DENORMALS_UNSET && !known(denormals_names, o.denormals))
    return not_valid("options->denormals", std::to_string(o.denormals), list_of(denormals_names));
  if (o.progress != LACONIC_PROGRESS_UNSET && !known(progress_names, o.progress))
    return not_valid("options->progress", std::to_string(o.progress), list_of(progress_names));
  if (o.checksum != LACONIC_CHECKSUM_UNSET && !known(checksum_names, o.checksum))
    return not_valid("options->checksum", std::to_string(o.checksum), list_of(checksum_names));
  if (o.tune != LACONIC_TUNE_UNSET && !known(tune_names, o.tune))
    return not_valid("options->tune", std::to_string(o.tune), list_of(tune_names));
  if (o.effort != LACONIC_EFFORT_UNSET && !known(effort_names, o.effort))
    return not_valid("options->effort", std::to_string(o.effort), list_of(effort_names));
  if (o.tune == LACONIC_TUNE_PROFILE && used_profile() == nullptr)
    return {Code::argument,
            "options->tune is LACONIC_TUNE_PROFILE, but no profile has been read; laconic_options_set(&options, "
            "\"tune\", FILE) reads one"};
  if (Status s = check_range("options->chunk_elements", o.chunk_elements, wire::largest_chunk); !s) return s;
  if (Status s = check_range("options->depth", o.depth, largest_depth); !s) return s;
  if (Status s = check_range("options->threads", o.threads, largest_threads); !s) return s;
  if (Status s = check_range("options->min_bytes", o.min_bytes, largest_min_bytes); !s) return s;
  if (o.plain != nullptr && *o.plain < LACONIC_PLAIN_NOT)
    return {Code::argument, "*options->plain is " + std::to_string(*o.plain) + "; valid are 0 and above"};
  if (!has_devices() && o.stream != nullptr)
    return {Code::argument, "options->stream is set, but this build has no device code (LACONIC_CUDA); valid is NULL"};
  return {};
}

Status plain_not_allowed() {
  return {Code::argument, "options->plain is set; valid is NULL, except for blocking collectives"};
}

Status check_effort(const laconic_options& o) {
  const bool free = o.codec == LACONIC_CODEC_UNSET || o.effort <= LACONIC_EFFORT_AUTO;
  const laconic_codec meant = o.effort == LACONIC_EFFORT_DENSE ? LACONIC_CODEC_DENSE : LACONIC_CODEC_QUANT;
  if (free || o.codec == meant) return {};
  const std::string valid = o.codec == LACONIC_CODEC_QUANT   ? "auto and light"
                            : o.codec == LACONIC_CODEC_DENSE ? "auto and dense"
                                                             : "auto";
  return {Code::argument, "effort '" + std::string(find_name(effort_names, o.effort)) + "' with codec '" +
                              find_name(codec_names, o.codec) + "'; valid with this codec " +
                              (valid == "auto" ? "is " : "are ") + valid + ", with this effort the codec " +
                              find_name(codec_names, meant) + " or none"};
}

Status check_together(const laconic_options& o) {
  // Such a variant decodes and encodes at each hop, so the later errors are relative to values that have already
  // changed.
  if (of_blocks(bound_of(o).mode) && per_hop(o.variant))
    return {Code::argument, "bound '" + to_string(bound_of(o)) + "' with variant '" + laconic_variant_name(o.variant) +
                                "'; valid are the variants overlap and nd, or abs:E and rel:E"};
  if (Status s = check_effort(o); !s) return s;
  const Codec* codec = asked_codec(o);
  return codec == nullptr ? Status{} : check_bound_of(*codec, bound_of(o));
}

void fill_unset(laconic_options& o, const laconic_options& fallback) {
  if (o.bound.mode == LACONIC_BOUND_UNSET) o.bound = fallback.bound;
  if (o.target == LACONIC_TARGET_UNSET) o.target = fallback.target;
  // Both say which codec it is, so the nearer source overrides the other one's effort with its codec, and its codec
  // with its effort.
  if (o.codec == LACONIC_CODEC_UNSET && o.effort == LACONIC_EFFORT_UNSET) {
    o.codec = fallback.codec;
    o.effort = fallback.effort;
  }
  if (o.algorithm == LACONIC_ALGORITHM_UNSET) o.algorithm = fallback.algorithm;
  if (o.variant == LACONIC_VARIANT_UNSET) o.variant = fallback.variant;
  if (o.denormals == LACONIC_DENORMALS_UNSET) o.denormals = fallback.denormals;
  if (o.progress == LACONIC_PROGRESS_UNSET) o.progress = fallback.progress;
  if (o.checksum == LACONIC_CHECKSUM_UNSET) o.checksum = fallback.checksum;
  if (o.tune == LACONIC_TUNE_UNSET) o.tune = fallback.tune;
  if (o.chunk_elements == 0) o.chunk_elements = fallback.chunk_elements;
  if (o.depth == 0) o.depth = fallback.depth;
  if (o.threads == 0) o.threads = fallback.threads;
  if (o.min_bytes == 0) o.min_bytes = fallback.min_bytes;
}

Status read_environment(laconic_options& options) {
  Status problem;
  const auto keep_first = [&problem](Status s) {
    if (problem.ok()) problem = std::move(s);
  };
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    if (!text.starts_with(variable_prefix) || equals == std::string_view::npos) continue;
    const std::string_view name = text.substr(0, equals);
    const std::string_view value = text.substr(equals + 1);
    if (name == "LACONIC_ISA") {
      keep_first(quant::check_isa(value));
      continue;
    }
    if (name == "LACONIC_DEVICE_MEMORY") {
      keep_first(check_device_use(value));
      continue;
    }
    if (std::find(variables_of_others.begin(), variables_of_others.end(), name) != variables_of_others.end()) continue;
    const auto option = std::find_if(options_by_name.begin(), options_by_name.end(), [&](const auto& known_option) {
      return name.substr(variable_prefix.size()) == upper(known_option.name);
    });
    if (option == options_by_name.end()) {
      std::string valid;
      for (const auto& known_option : options_by_name) valid += "LACONIC_" + upper(known_option.name) + ", ";
      for (const auto other : variables_of_others)
        valid += std::string(other) + (other == variables_of_others.back() ? "" : ", ");
      keep_first(not_valid("environment variable", name, valid));
      continue;
    }
    Status s = option->name == "bound" ? set_bound_by(parse_bounds, options, value) : option->value(options, value);
    if (!s) keep_first(with_source(s, std::string(name)));
  }
  return problem;
}

Status read_info(MPI_Info info, laconic_options& options) {
  if (info == MPI_INFO_NULL) return {};
  Status problem;
  int keys = 0;
  MPI_Info_get_nkeys(info, &keys);
  for (int k = 0; k < keys; ++k) {
    char key[MPI_MAX_INFO_KEY + 1] = "";
    MPI_Info_get_nthkey(info, k, key);
    const std::string_view name = key;
    if (!name.starts_with(hint_prefix)) continue;
    int length = 0;
    int found = 0;
    MPI_Info_get_valuelen(info, key, &length, &found);
    if (!found) continue;
    std::vector<char> value(static_cast<std::size_t>(length) + 1, '\0');
    MPI_Info_get(info, key, length, value.data(), &found);
    Status s = set_option(options, name.substr(hint_prefix.size()), value.data());
    if (!s && problem.ok()) problem = with_source(s, "hint " + std::string(name));
  }
  return problem;
}

Bound bound_of(const laconic_options& options) {
  return {static_cast<BoundMode>(options.bound.mode), options.bound.value};
}

}  // namespace laconic

// The option names of the public API.
extern "C" LACONIC_API const char* laconic_algorithm_name(laconic_algorithm algorithm) {
  return laconic::find_name(laconic::algorithm_names, algorithm);
}

extern "C" LACONIC_API const char* laconic_variant_name(laconic_variant variant) {
  return laconic::find_name(laconic::variant_names, variant);
}

extern "C" LACONIC_API const char* laconic_denormals_name(laconic_denormals denormals) {
  return laconic::find_name(laconic::denormals_names, denormals);
}

extern "C" LACONIC_API const char* laconic_progress_name(laconic_progress progress) {
  return laconic::find_name(laconic::progress_names, progress);
}

extern "C" LACONIC_API const char* laconic_checksum_name(laconic_checksum checksum) {
  return laconic::find_name(laconic::checksum_names, checksum);
}

extern "C" LACONIC_API const char* laconic_tune_name(laconic_tune tune) {
  return laconic::find_name(laconic::tune_names, tune);
}

extern "C" LACONIC_API const char* laconic_effort_name(laconic_effort effort) {
  return laconic::find_name(laconic::effort_names, effort);
}
