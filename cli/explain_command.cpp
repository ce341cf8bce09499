// SPDX-License-Identifier: BSD-3-Clause
// laconic explain: predicts and explains the library's choices for a collective call.  Arguments and order of work.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codec_spec.hpp"
#include "coder/settings.hpp"
#include "collectives.hpp"
#include "commands.hpp"
#include "explain/explain.hpp"
#include "explain/explain_report.hpp"
#include "explain/on_device.hpp"
#include "failure.hpp"
#include "field.hpp"
#include "options.hpp"
#include "output_file.hpp"
#include "text.hpp"
#include "variants.hpp"

namespace laconic::cli {
namespace {

constexpr int most_ranks = 1 << 20;

struct Arguments {
  std::string collective;
  int ranks = 4;
  int nodes = 0;
  int rank = -1;
  int root = 0;
  std::string algorithm = "auto";
  std::string codec;  // empty: by the effort
  std::string effort = "auto";
  std::string bound = "rel:1e-3";
  std::string bytes = "16M";
  std::string op = "sum";
  std::string variant = "overlap";
  std::string dtype = "f32";
  std::string target = "result";
  std::optional<double> latency;
  std::optional<double> bandwidth;
  std::optional<double> message;
  std::optional<std::string> device;
  std::optional<double> ratio;
  std::string profile;
  std::size_t chunk = 0;
  int depth = default_depth;
  bool as_json = false;
  std::string json_file;
};

std::string one_of(std::string_view what, const std::string& value, const std::vector<std::string>& valid) {
  for (const std::string& name : valid)
    if (name == value) return value;
  throw not_valid(what, value, fmt::format("{}", fmt::join(valid, ", ")));
}

Collective collective_named(const std::string& name) {
  if (const auto found = find_collective(name)) return traits_of(*found).pattern;
  const std::string valid = collective_list() + ", and their forms as in iallreduce and allreduce_init";
  if (name.empty()) throw usage("explain: COLLECTIVE is missing; valid are " + valid);
  throw not_valid("collective", name, valid);
}

Path path_given(const Arguments& a, Path path) {
  path.latency = a.latency.value_or(path.latency);
  path.bytes_per_second = a.bandwidth.value_or(path.bytes_per_second);
  path.per_message = a.message.value_or(path.per_message);
  return path;
}

void take_profile(const Arguments& a, explain::Question& q) {
  if (a.latency || a.bandwidth || a.message || a.ratio || a.device)
    throw usage(
        "--profile holds the links and the ratio; leave out --latency, --bandwidth, --message, --ratio, --device");
  Profile profile;
  if (Status s = Profile::read(a.profile, profile); !s) throw Failure(s.message());
  CallModel call;
  call.collective = q.collective;
  call.bytes = static_cast<double>(q.bytes);
  call.size = q.ranks;
  q.path = profile.path_for(call);
  const CodingCosts allowed = profile.coding.only(q.effort);
  q.coding = allowed.known() ? allowed : profile.coding;
  q.ratio = 1 / (q.coding.light.known() ? q.coding.light : q.coding.dense).frame;
  q.profile = std::move(profile);
}

// The codec and the effort, which the bound has to suit.
void take_codec(const Arguments& a, explain::Question& q) {
  one_of("--effort", a.effort, {"auto", "light", "dense"});
  const bool named = !a.codec.empty();
  Bound asked;
  if (Status s = parse_bound(a.bound, asked); !s) throw usage(s.message());
  const std::string by_effort(a.effort == "dense" ? "dense" : codec_for(CodecName::unset, asked.mode)->name());
  q.codec_name = named ? a.codec : by_effort;
  if (named && a.effort != "auto" && a.codec != by_effort)
    throw usage(fmt::format("--effort {} with --codec {}; valid with this effort are --codec {} and none", a.effort,
                            a.codec, by_effort));
  const CodecSpec spec = parse_codec_spec(q.codec_name);
  q.codec = find_codec(spec.codec);
  if (Status s = parse_bound(spec.bound.empty() ? a.bound : spec.bound, q.bound); !s) throw usage(s.message());
  q.bound = library_bound(q.bound);
  const Codec& dense = *find_codec(CodecName::dense);
  if (q.codec == &dense)
    q.effort = Effort::dense;
  else if (!named && a.effort == "auto" && dense.supports_bound(q.bound.mode))
    q.effort = Effort::automatic;
}

explain::Question question_of(const Arguments& a) {
  explain::Question q;
  q.collective = collective_named(a.collective);
  q.name = a.collective;
  q.ranks = a.ranks;
  if (a.nodes > 0) {
    if (a.ranks % a.nodes != 0) throw not_valid("--nodes", std::to_string(a.nodes), "divisors of --ranks");
    q.nodes = contiguous_nodes(a.nodes, a.ranks / a.nodes);
  }
  const auto rank = [&](const char* name, int value) {
    if (value >= a.ranks)
      throw not_valid(name, std::to_string(value), fmt::format("0 to {} on {} ranks", a.ranks - 1, a.ranks));
    return value;
  };
  q.root = rank("--root", a.root);
  q.rank_given = a.rank != -1;
  q.rank = q.rank_given ? rank("--rank", a.rank) : has_root(q.collective) ? q.root : 0;
  take_codec(a, q);
  q.dtype = parse_dtype(a.dtype);
  if (!q.codec->supports(q.dtype)) throw usage(not_supported(*q.codec, q.dtype).message());
  q.bytes = parse_bytes("--bytes", a.bytes);
  one_of("--op", a.op, {"sum", "max", "min", "avg"});
  q.op = a.op == "max" ? Op::max : a.op == "min" ? Op::min : Op::sum;
  q.mean = a.op == "avg";
  if (q.mean && traits_of(q.collective).prefix()) throw not_valid("--op of " + a.collective, a.op, "sum, max, min");
  q.variant = a.variant;
  if (find_variant(a.variant) == nullptr) throw not_valid("--variant", a.variant, variant_list());
  one_of("--target", a.target, {"result", "input", "likely"});
  q.target = a.target == "input"    ? BoundTarget::input
             : a.target == "likely" ? BoundTarget::likely
                                    : BoundTarget::result;
  q.chunk = a.chunk;
  q.depth = a.depth;
  if (a.profile.empty()) {
    q.path = path_given(a, path_between_nodes());
    q.ratio = a.ratio.value_or(q.ratio);
    q.coding = CodingCosts(assumed_cost(q.ratio), assumed_dense_cost(q.ratio)).only(q.effort);
    if (q.effort == Effort::dense) q.coding.dense.frame = 1 / q.ratio;
  } else {
    take_profile(a, q);
  }
  return q;
}

// Links between devices are different links, so options that are not given have separate defaults.
explain::DeviceQuestion device_of(const Arguments& a) {
  explain::DeviceQuestion d;
  std::vector<std::string_view> names;
  for (const DeviceModel& m : all_device_models()) names.push_back(m.name);
  d.device = find_device_model(*a.device);
  if (!d.device) throw not_valid("--device", *a.device, fmt::format("{}", fmt::join(names, ", ")));
  if (a.variant == "host-centric")
    throw usage("--device: the model of devices does not support the variant host-centric");
  d.path = path_given(a, d.path);
  return d;
}

std::vector<const Algorithm*> algorithms_of(const Arguments& a, const explain::Question& q, const Algorithm& chosen) {
  if (a.algorithm == "auto") return {&chosen};
  std::vector<const Algorithm*> there;
  std::string valid = "auto, all";
  for (const Algorithm& algorithm : all_algorithms()) {
    if (algorithm.collective != q.collective || !algorithm.fits({q.ranks, q.shape()})) continue;
    if (algorithm.name() == a.algorithm) return {&algorithm};
    valid += ", " + std::string(algorithm.name());
    there.push_back(&algorithm);
  }
  if (a.algorithm == "all") return there;
  throw not_valid(fmt::format("algorithm of {} on {} ranks", name_of(q.collective), q.ranks), a.algorithm, valid);
}

void run(const Arguments& a) {
  const explain::Question q = question_of(a);
  const explain::Comparison all = explain::compare(q);
  const auto algorithms = algorithms_of(a, q, *all.chosen);
  std::optional<explain::DeviceQuestion> device;
  if (a.device) device = device_of(a);
  if (!a.json_file.empty()) check_replaceable(a.json_file);
  std::string text = explain::heading(q, all);
  std::string on_device;
  if (device) {
    const explain::DeviceAnswer answer = explain::answer_on_device(q, *device);
    text += explain::device_text(q, *device, answer);
    on_device = explain::device_json(*device, answer);
  }
  std::vector<std::string> objects;
  for (const Algorithm* algorithm : algorithms) {
    const explain::Answer answer = explain::answer(q, *algorithm);
    text += explain::text(q, answer);
    if (a.as_json) objects.push_back(explain::json(q, all, answer, on_device));
  }
  const bool in_place_of_text = a.as_json && a.json_file.empty();
  fmt::print("{}", in_place_of_text ? json_list(objects) : text);
  if (a.json_file.empty()) return;
  OutputFile out(a.json_file);
  out.write(json_list(objects));
  out.commit();
}

}  // namespace

void add_explain_command(Command& app) {
  auto a = std::make_shared<Arguments>();
  Command command =
      app.add_subcommand("explain", "Show how a collective call would run: schedule, memory, errors, time");
  command.add_option("COLLECTIVE", a->collective, collective_list());
  add_whole(command, "--ranks", a->ranks, 2, most_ranks, "number of ranks");
  add_whole(command, "--nodes", a->nodes, 1, most_ranks, "nodes with equal numbers of ranks, which follow one another");
  add_whole(command, "--rank", a->rank, 0, "list the steps of this rank, whatever their number");
  add_whole(command, "--root", a->root, 0, "root of reduce, bcast, scatter, gather");
  command.add_option("--algorithm", a->algorithm, "algorithm: a name, auto, or all").capture_default_str();
  command.add_option("--codec", a->codec,
                     "quant, dense, szx, zfp-abs, zfp-rateN, raw, lossless (default: by --effort)");
  command.add_option("--effort", a->effort, "auto: light and dense are candidates; light: quant, or lossless; dense")
      .capture_default_str();
  command.add_option("--bound", a->bound, std::string(bound_forms)).capture_default_str();
  command.add_option("--bytes", a->bytes, "size of the largest buffer of the call").capture_default_str();
  command.add_option("--dtype", a->dtype, "f32, f64, ...").capture_default_str();
  command.add_option("--op", a->op, "operation of reductions: sum, max, min, avg").capture_default_str();
  command.add_option("--variant", a->variant, variant_list()).capture_default_str();
  command.add_option("--target", a->target, "numbers that the bound applies to: result, input, likely")
      .capture_default_str();
  add_real(command, "--latency", a->latency, false, "seconds per message (30e-6; --device 5e-6)");
  add_real(command, "--bandwidth", a->bandwidth, false, "bytes per second of a link (1e9; --device 12.5e9)");
  std::string devices;
  for (const DeviceModel& m : all_device_models()) devices += (devices.empty() ? "" : ", ") + std::string(m.name);
  command.add_option("--device", a->device, "also predict for numbers on devices: " + devices);
  add_real(command, "--message", a->message, true,
           "seconds that a sender is busy with a message (5e-6; --device 1e-6)");
  add_real(command, "--ratio", a->ratio, false, "compression ratio (4)");
  command.add_option("--profile", a->profile, "a file that `laconic tune` has written: links, codec, ratio, decisions");
  add_whole(command, "--chunk", a->chunk, std::size_t{0}, "numbers in a frame; 0: chosen by the library");
  add_whole(command, "--depth", a->depth, 1, 64, "rows under way at a time");
  const auto json =
      command.add_option("--json", a->json_file, "print JSON; with FILE: print the text and write JSON to FILE")
          .expected(0, 1);
  command.callback([a, json] {
    a->as_json = json.count() > 0;
    run(*a);
  });
}

}  // namespace laconic::cli
