// SPDX-License-Identifier: BSD-3-Clause
#include "bench/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/bound.hpp"
#include "call/neighborhood.hpp"
#include "codec_spec.hpp"
#include "options.hpp"
#include "text.hpp"
#include "variants.hpp"

namespace laconic::cli::bench {
namespace {

// What a program gets by default: the library decides which calls it leaves to MPI. Other variants compress every call.
constexpr const char* tuned = "tuned";

constexpr std::size_t largest_size = (std::size_t{8} << 30) - 4;  // MPI's counts are ints

OperationName operation_of(const std::string& name) {
  std::string valid;
  for (const OperationName& o : operations) {
    if (o.name == name) return o;
    valid += (valid.empty() ? "" : ", ") + std::string(o.name);
  }
  if (name.empty()) throw usage("bench: OPERATION is missing; valid are " + valid);
  throw not_valid("operation", name, valid);
}

std::vector<std::string> algorithms_of(const Arguments& a, const OperationName& operation, int ranks) {
  if (operation.kind != Kind::collective) {
    if (!a.algorithms.empty())
      throw usage(fmt::format("--algorithm: {} has no algorithms; leave the option out", operation.name));
    return {""};
  }
  std::vector<std::string> there{};
  std::vector<std::string> by_nodes{};  // whether they fit is known to the library when it makes the call
  for (const Algorithm& algorithm : all_algorithms()) {
    if (algorithm.collective != operation.collective()) continue;
    if (algorithm.by_nodes()) by_nodes.emplace_back(algorithm.name());
    if (algorithm.fits(ranks)) there.emplace_back(algorithm.name());
  }
  std::vector<std::string> asked;
  for (const std::string& name : a.algorithms) {
    if (name == "all")
      asked.insert(asked.end(), there.begin(), there.end());
    else if (name == "auto" || std::count(there.begin(), there.end(), name) > 0 ||
             std::count(by_nodes.begin(), by_nodes.end(), name) > 0)
      asked.push_back(name);
    else
      throw not_valid(fmt::format("algorithm of {} on {} ranks", operation.name, ranks), name,
                      fmt::format("auto, all, {}", fmt::join(there, ", ")));
  }
  if (asked.empty()) asked.emplace_back("auto");
  return asked;
}

std::vector<int> chunks_of(const Arguments& a, const OperationName& operation) {
  std::vector<int> chunks;
  for (const std::string& text : a.chunks) {
    if (text != "auto" && operation.kind == Kind::collective)
      throw usage("--chunks is for messages; --set chunk_elements=N is for collectives");
    chunks.push_back(text == "auto" ? 0 : parse_whole("--chunks", text, 1));
  }
  return chunks;
}

// Options of the library for which this command has its own options.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> own_options{{{"variant", "--against"},
                                                                                    {"codec", "--codec"},
                                                                                    {"effort", "--effort"},
                                                                                    {"bound", "--bound"},
                                                                                    {"algorithm", "--algorithm"}}};

std::vector<std::pair<std::string, std::string>> settings_of(const Arguments& a) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const std::string& text : a.settings) {
    const auto equals = text.find('=');
    if (equals == std::string::npos) throw not_valid("--set", text, "OPTION=VALUE");
    const std::string name = text.substr(0, equals);
    // These options distinguish the rows of the table.
    for (const auto& [option, better] : own_options)
      if (name == option) throw usage(fmt::format("--set {}: use {}, which names it in the table", text, better));
    settings.emplace_back(name, text.substr(equals + 1));
  }
  if (a.threads > 0) settings.emplace_back("threads", std::to_string(a.threads));
  if (a.depth > 0) settings.emplace_back("depth", std::to_string(a.depth));
  return settings;
}

class Variants {
 public:
  Variants(const Arguments& a, const OperationName& operation, int ranks)
      : a_(a),
        algorithms_(algorithms_of(a, operation, ranks)),
        chunks_(chunks_of(a, operation)),
        settings_(settings_of(a)) {
    for (const std::string& effort : a.efforts)
      if (!is_effort(effort)) throw not_valid("--effort", effort, "auto, light, dense");
    codecs_ = a.codecs;
    codecs_.insert(codecs_.end(), a.efforts.begin(), a.efforts.end());
    if (codecs_.empty()) codecs_.emplace_back("quant");
  }

  // Every item of --against with every codec, algorithm, bound and number of chunks that it leaves open.
  std::vector<Variant> all() {
    Variant mpi;
    mpi.name = mpi.algorithm = "plain";
    mpi.codec = mpi.bound = "none";
    found_.push_back(mpi);
    for (const std::string& bound : a_.bounds) {
      Bound parsed;
      if (Status s = parse_bound(bound, parsed); !s) throw usage(s.message());
    }
    for (const std::string& item : a_.against) {
      const auto colon = item.find(':');
      const std::string name = item.substr(0, colon);
      if (name == "plain" && colon == std::string::npos) continue;
      if (find_variant(name) == nullptr && name != tuned)
        throw not_valid("--against", item,
                        fmt::format("plain, {}, {}, and each of these but plain with :CODEC ({})", variant_list(),
                                    tuned, codec_specs()));
      if (colon != std::string::npos)
        add(name, item.substr(colon + 1));
      else
        for (const std::string& codec : codecs_) add(name, codec);
    }
    return std::move(found_);
  }

 private:
  static bool is_effort(const std::string& name) { return name == "auto" || name == "light" || name == "dense"; }

  // Whether the codec is that of an effort: `dense` is both, and the codec if it was asked for as one.
  bool by_effort(const std::string& codec) const {
    return is_effort(codec) && std::find(a_.codecs.begin(), a_.codecs.end(), codec) == a_.codecs.end();
  }

  void add(const std::string& name, const std::string& codec) {
    const bool effort = by_effort(codec);
    if (effort && codec == "auto" && name != tuned)
      throw usage("--effort auto is for --against tuned: the other variants do not choose");
    const CodecSpec spec = effort ? CodecSpec{codec, ""} : parse_codec_spec(codec);
    const std::string variant = name == tuned ? "overlap" : name;
    // Only calls whose algorithm the library chooses are tuned.
    const std::vector<std::string> automatic{algorithms_.front().empty() ? "" : "auto"};
    for (const std::string& bound : a_.bounds)
      for (const std::string& algorithm : name == tuned ? automatic : algorithms_)
        for (const int asked : chunks_) {
          // Variants without overlap are not cut into chunks, so one row stands for all values of --chunks.
          const int chunks = asked > 0 && !find_variant(variant)->overlaps ? 1 : asked;
          Variant v{name, codec, algorithm, spec.bound.empty() ? bound : spec.bound, chunks, {}};
          v.options = {{"variant", variant}, {effort ? "effort" : "codec", spec.codec}, {"bound", v.bound}};
          if (name == tuned) v.options.emplace_back("tune", "on");
          if (!algorithm.empty()) v.options.emplace_back("algorithm", algorithm);
          v.options.insert(v.options.end(), settings_.begin(), settings_.end());
          const auto same = [&](const Variant& w) {
            return w.name == v.name && w.codec == v.codec && w.algorithm == v.algorithm && w.bound == v.bound &&
                   w.chunks == v.chunks;
          };
          if (std::none_of(found_.begin(), found_.end(), same)) found_.push_back(std::move(v));
        }
  }

  const Arguments& a_;
  std::vector<std::string> algorithms_;
  std::vector<int> chunks_;
  std::vector<std::string> codecs_;
  std::vector<std::pair<std::string, std::string>> settings_;
  std::vector<Variant> found_;
};

// The grid as given ("4x2x1"), or else as close to a cube as possible.
std::array<int, 3> grid_of(const std::string& text, int ranks) {
  std::array<int, 3> grid{1, 1, 1};
  if (text.empty()) {
    const std::vector<int> balanced = balanced_grid(ranks);
    std::copy(balanced.begin(), balanced.end(), grid.begin());
    return grid;
  }
  std::size_t side = 0;
  std::string_view rest = text;
  for (; side < 3; ++side) {
    const auto cross = rest.find('x');
    if (!parse_number(rest.substr(0, cross), grid[side]) || grid[side] < 1 || (cross == rest.npos) != (side == 2))
      break;
    rest = cross == rest.npos ? std::string_view() : rest.substr(cross + 1);
  }
  if (side < 3 || static_cast<long long>(grid[0]) * grid[1] * grid[2] != ranks)
    throw not_valid("--grid", text, fmt::format("XxYxZ with X*Y*Z = {}, the number of ranks", ranks));
  return grid;
}

}  // namespace

std::string Variant::label() const { return plain() ? name : name + ":" + codec; }

Request expand(const Arguments& a, int ranks) {
  Request r;
  r.operation = operation_of(a.operation);
  const Kind kind = r.operation.kind;
  if (kind != Kind::collective && ranks < 2) throw usage(fmt::format("{} needs 2 ranks or more", a.operation));
  r.variants = Variants(a, r.operation, ranks).all();
  for (const std::string& text : a.sizes) {
    const std::size_t bytes = parse_bytes("--bytes", text);
    if (bytes < 4 || bytes > largest_size) throw not_valid("--bytes", text, "4 to less than 8G");
    r.sizes.push_back(bytes);
  }
  if (kind == Kind::bandwidth || kind == Kind::bidirectional) {
    r.windows.clear();
    for (const std::string& text : a.windows) r.windows.push_back(parse_whole("--window", text, 1));
  }
  if (r.operation.on_grid())
    r.grid = grid_of(a.grid, ranks);
  else if (!a.grid.empty())
    throw usage(fmt::format("--grid is for stencil and neighborhood collectives, not for {}", a.operation));
  if (a.op != "sum" && a.op != "max" && a.op != "min" && a.op != "avg")
    throw not_valid("--op", a.op, "sum, max, min, avg");
  if (kind == Kind::collective && a.op == "avg" && traits_of(r.operation.routine).prefix())
    throw not_valid(fmt::format("--op of {}", a.operation), a.op, "sum, max, min");
  if (a.root >= ranks)
    throw not_valid("--root", std::to_string(a.root), fmt::format("0 to {} on {} ranks", ranks - 1, ranks));
  r.rate = parse_rate("--rate", a.rate);
  r.root = a.root;
  r.op = a.op;
  if (a.memory != "host" && a.memory != "device") throw not_valid("--memory", a.memory, "host, device");
  r.on_device = a.memory == "device";
  if (r.on_device && r.op == "avg") throw usage("--memory device has no --op avg; valid are sum, max, min");
  r.field = a.field;
  r.json = a.json;
  r.iterations = a.iterations;
  r.warmup = a.warmup;
  return r;
}

}  // namespace laconic::cli::bench
