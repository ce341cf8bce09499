// SPDX-License-Identifier: BSD-3-Clause
// laconic tune: measures collectives with and without compression on this machine, and writes a profile.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bound.hpp"
#include "bench/arguments.hpp"
#include "coder/settings.hpp"
#include "commands.hpp"
#include "failure.hpp"
#include "options.hpp"
#include "output_file.hpp"
#include "text.hpp"
#include "variants.hpp"

#ifdef LACONIC_CLI_MPI
#include <unistd.h>

#include "bench/job.hpp"
#include "bench/measure.hpp"
#include "codec/resolve_bound.hpp"
#include "codec_spec.hpp"
#include "engine/ledger.hpp"
#include "settings_info.hpp"
#include "tune/profile.hpp"
#endif

namespace laconic::cli {
namespace {

struct Arguments {
  std::string profile;
  std::vector<std::string> collectives;
  std::vector<std::string> sizes{"16K", "64K", "256K", "1M", "4M", "16M"};
  std::string field = "wave";
  std::string bound = "rel:1e-3";
  std::string codec;  // empty: by the effort
  std::string effort = "auto";
  int iterations = 7;
};

// The collectives that have algorithms of their own.
std::vector<std::string> all_patterns() {
  std::vector<std::string> names;
  for (const Collective c : all_collectives) names.emplace_back(name_of(c));
  return names;
}

#ifdef LACONIC_CLI_MPI

// The codecs to be measured: one for each effort.
std::vector<std::pair<Effort, std::string>> codecs_of(const Arguments& a) {
  if (a.effort != "auto" && a.effort != "light" && a.effort != "dense")
    throw not_valid("--effort", a.effort, "auto, light, dense");
  if (!a.codec.empty() && a.effort != "auto")
    throw usage(fmt::format("--effort {} with --codec {}; valid are one of both, or --effort auto", a.effort, a.codec));
  if (!a.codec.empty()) return {{a.codec == "dense" ? Effort::dense : Effort::light, a.codec}};
  std::vector<std::pair<Effort, std::string>> codecs;
  Bound bound;
  if (Status s = parse_bound(a.bound, bound); !s) throw usage(s.message());
  if (a.effort != "dense") codecs.emplace_back(Effort::light, codec_for(CodecName::unset, bound.mode)->name());
  if (a.effort != "light") codecs.emplace_back(Effort::dense, "dense");
  return codecs;
}

// How much is done, in one line of a terminal.
class ProgressBar {
 public:
  ProgressBar(std::size_t steps, bool shown) : steps_(steps), shown_(shown && isatty(STDERR_FILENO) == 1) {}
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void begin(const std::string& what) {
    if (!shown_) return;
    const std::size_t filled = width * done_ / steps_;
    fmt::print(stderr, "\r[{:=<{}}{:{}}] {} of {}: {:<40}", "", filled, "", width - filled, done_ + 1, steps_, what);
    std::fflush(stderr);
    ++done_;
  }
  void clear() {
    if (shown_) fmt::print(stderr, "\r{:<{}}\r", "", width + 60);
  }

 private:
  static constexpr std::size_t width = 30;
  std::size_t steps_;
  std::size_t done_ = 0;
  bool shown_;
};

bench::Request request_of(const Arguments& a, const std::string& collective, int ranks) {
  bench::Arguments b;
  b.operation = collective;
  b.sizes = a.sizes;
  b.bounds = {a.bound};
  b.codecs = {codecs_of(a)[0].second};
  b.algorithms = {"all"};
  b.settings = {"min_bytes=1"};
  b.field = a.field;
  b.iterations = a.iterations;
  return bench::expand(b, ranks);
}

// The cost of coding the numbers of the field on the slowest rank.
CodingCost coding_cost(const Arguments& a, Effort effort, const std::string& named, const bench::Input& input,
                       const bench::Ranks& ranks) {
  constexpr std::size_t numbers = std::size_t{1} << 20;
  const CodecSpec spec = parse_codec_spec(named);
  const Codec* const codec = find_codec(spec.codec);
  Bound bound;
  if (Status s = parse_bound(spec.bound.empty() ? a.bound : spec.bound, bound); !s) throw usage(s.message());
  std::vector<float> values(numbers);
  input.fill(values, ranks.rank, 0);
  const Algorithm* const ring = find_algorithm(Collective::allreduce, AlgorithmName::ring);
  const auto coding_of = [&](const Range& range) {
    const Budget budget =
        divide_bound(absolute_bound(bound, range), false, Op::sum, false, *ring, ranks.size, travel_of(*codec, false));
    Coding coding = coding_for(bound, Dtype::f32);
    coding.allowance = budget.allowance;
    coding.terms = budget.terms;
    return coding;
  };
  const std::vector<RangeJob::Part> parts{{values.data(), values.size()}};
  CodingSampler sampler;
  const auto sample = [&] {
    const CodingCost c =
        sampler.measure(*codec, Dtype::f32, coding_of, parts, true, SampleSize::of(effort, numbers, 0));
    return std::array<double, 6>{c.encode, c.decode, c.fold, c.add, c.read, c.frame};
  };
  // Medians: the first sample includes loading code, and any may be disturbed.
  std::array<std::array<double, 6>, 9> samples{};
  for (auto& s : samples) s = sample();
  std::array<double, 6> all{};
  for (std::size_t f = 0; f < all.size(); ++f) {
    const auto middle = samples.begin() + samples.size() / 2;
    std::nth_element(samples.begin(), middle, samples.end(), [f](const auto& x, const auto& y) { return x[f] < y[f]; });
    all[f] = (*middle)[f];
  }
  MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_DOUBLE, MPI_MAX, ranks.comm);
  return {all[0], all[1], all[2], all[3], all[4], all[5]};
}

bool on_one_node(const bench::Ranks& ranks) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(ranks.comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int here = 0;
  MPI_Comm_size(node, &here);
  MPI_Comm_free(&node);
  int least = 0;
  MPI_Allreduce(&here, &least, 1, MPI_INT, MPI_MIN, ranks.comm);
  return least == ranks.size;
}

// Another file, for example a field, is not replaced.
void check_is_profile(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  if (std::getline(in, line) && !line.starts_with("laconic profile"))
    throw usage(fmt::format("PROFILE {}: the file exists and is not a profile", file));
}

double miss(double predicted, double measured) { return std::max(predicted / measured, measured / predicted); }

std::vector<double> misses_of_others(const Profile& profile) {
  std::vector<double> misses;
  if (profile.classes.size() < 2) return misses;
  for (const Profile::Class& c : profile.classes)
    if (const double predicted = profile.predicted_from_others(c); predicted > 0)
      misses.push_back(miss(predicted, c.compressed));
  return misses;
}

std::string spread_text(std::vector<double> factors) {
  std::sort(factors.begin(), factors.end());
  return fmt::format("{:.2f} (median), {:.2f} (9 of 10), {:.2f} (most)", factors[factors.size() / 2],
                     factors[factors.size() * 9 / 10], factors.back());
}

// Measures plain MPI, which comes first, and the other variants of a request.
std::vector<bench::Measurement> measure(const bench::Request& request, const bench::Ranks& ranks,
                                        const bench::Input& input, std::size_t bytes) {
  std::vector<bench::Measurement> all = bench::Bench(request, ranks, input, {}).measure(bytes, 1);
  if (!std::all_of(all.begin(), all.end(), [](const auto& m) { return m.right(); }))
    throw Failure("the error of a result exceeded its bound, or ranks that must hold the same bits do not");
  return all;
}

const bench::Measurement& fastest(const std::vector<bench::Measurement>& all) {
  return *std::min_element(all.begin() + 1, all.end(),
                           [](const auto& a, const auto& b) { return a.median() < b.median(); });
}

// The fastest algorithm with the usual chunks, and then the fastest number of rows and effort.
Profile::Class measure_class(const std::vector<std::pair<Effort, std::string>>& codecs, const bench::Request& request,
                             const bench::Ranks& ranks, const bench::Input& input, std::size_t bytes) {
  const std::vector<bench::Measurement> algorithms = measure(request, ranks, input, bytes);
  const bench::Variant& best = fastest(algorithms).variant;
  Profile::Class c;
  c.collective = request.operation.collective();
  c.bytes = class_bytes(static_cast<double>(bytes));
  c.algorithm = find_algorithm(c.collective, best.algorithm);
  const auto hops = Hops::find(*c.algorithm, ranks.size, 0, Travel::homomorphic);
  const int parts = hops ? num_parts(c.collective, hops->plan(0).cut, ranks.size) : ranks.size;
  const std::size_t block = std::max<std::size_t>(bytes / static_cast<std::size_t>(parts), sizeof(float));
  const std::vector<int> counts = row_counts(static_cast<double>(block));
  bench::Request with_rows = request;
  with_rows.variants = {request.variants[0]};
  for (const auto& [effort, codec] : codecs)
    for (const int rows : counts) {
      bench::Variant v = best;
      const std::size_t chunk = host_chunk_of(block / sizeof(float), rows, Dtype::f32);
      v.codec = codec;
      v.options.emplace_back("codec", parse_codec_spec(codec).codec);
      v.options.emplace_back("chunk_elements", std::to_string(chunk));
      with_rows.variants.push_back(std::move(v));
    }
  const std::vector<bench::Measurement> all = measure(with_rows, ranks, input, bytes);
  c.plain = all[0].median();
  c.compressed = fastest(all).median();
  const std::size_t k = static_cast<std::size_t>(&fastest(all) - all.data()) - 1;
  c.rows = counts[k % counts.size()];
  c.effort = codecs[k / counts.size()].first;
  return c;
}

void run(const Arguments& a) {
  const bench::Job job;
  const bench::Ranks& ranks = job.ranks();
  const bool speaks = ranks.rank == 0;
  if (a.profile.empty()) throw usage("tune: PROFILE is missing, the file to write");
  if (ranks.size < 2) throw usage("tune: start it on at least two ranks, with mpiexec as the programs");
  const auto codecs = codecs_of(a);
  const std::vector<std::string> names = a.collectives.empty() ? all_patterns() : a.collectives;
  std::vector<bench::Request> requests;
  for (const std::string& name : names) {
    const auto patterns = all_patterns();
    if (std::find(patterns.begin(), patterns.end(), name) == patterns.end())
      throw not_valid("--collective", name, fmt::format("{}", fmt::join(patterns, ", ")));
    requests.push_back(request_of(a, name, ranks.size));
  }
  for (const std::size_t bytes : requests[0].sizes)
    if (class_bytes(static_cast<double>(bytes)) != static_cast<double>(bytes))
      throw not_valid("--bytes", std::to_string(bytes), "powers of two, which are the sizes of classes of calls");
  std::optional<bench::Input> input;
  std::unique_ptr<OutputFile> file;
  bench::together(ranks, [&] {
    input.emplace(a.field, ranks.size);
    // Opened before a long measurement: it may not be possible to write it.
    if (speaks) check_is_profile(a.profile);
    if (speaks) file = std::make_unique<OutputFile>(a.profile);
  });

  Profile profile;
  profile.ranks = ranks.size;
  profile.within_node = on_one_node(ranks);
  std::string list;
  for (const auto& [effort, codec] : codecs) list += (list.empty() ? "" : " and ") + codec;
  profile.remark =
      fmt::format("{}, {} ranks, field {}, codec {}, bound {}", mpi_name(), ranks.size, input->name(), list, a.bound);
  if (speaks) fmt::print("{}\n", profile.remark);
  for (const auto& [effort, codec] : codecs) {
    CodingCost& cost = profile.coding.of(effort);
    cost = coding_cost(a, effort, codec, *input, ranks);
    if (!cost.known()) throw usage(fmt::format("codec {} cannot code the field {} within {}", codec, a.field, a.bound));
    if (speaks)
      fmt::print("{}: one core encodes {:.3g} GB/s, decodes {:.3g} GB/s, ratio {:.3g}\n", codec, 1e-9 / cost.encode,
                 1e-9 / cost.decode, 1 / cost.frame);
  }
  std::vector<Cells> rows{
      {"collective", "bytes", "plain", "compressed", "with", "codec", "rows", "takes", "predicted", "then"}};
  std::vector<double> misses;  // ratios of predicted and measured times, those above 1
  {
    ProgressBar bar(requests.size() * requests[0].sizes.size(), speaks);
    for (const bench::Request& request : requests) {
      for (const std::size_t bytes : request.sizes) {
        bar.begin(fmt::format("{} {}", request.operation.name, bytes_text(static_cast<double>(bytes))));
        const Profile::Class c = measure_class(codecs, request, ranks, *input, bytes);
        profile.classes.push_back(c);
        const std::optional<double> predicted = profile.predicted(c);
        if (predicted) misses.push_back(miss(*predicted, c.compressed));
        rows.push_back({std::string(request.operation.name), bytes_text(static_cast<double>(bytes)),
                        seconds_text(c.plain), seconds_text(c.compressed), std::string(c.algorithm->name()),
                        c.effort == Effort::dense ? "dense" : codecs[0].second, std::to_string(c.rows),
                        fmt::format("{:.2f}", c.compressed / c.plain), predicted ? seconds_text(*predicted) : "-",
                        c.compressed < c.plain ? "compressed" : "left to MPI"});
      }
    }
  }
  if (speaks) fmt::print("{}", aligned(rows, 1));
  if (speaks && !misses.empty())
    fmt::print("predicted and measured times differ by a factor of {}\n", spread_text(std::move(misses)));
  if (std::vector<double> others = misses_of_others(profile); speaks && !others.empty())
    fmt::print("predicted from the other classes, as for sizes between them, by a factor of {}\n",
               spread_text(std::move(others)));
  bench::together(ranks, [&] {
    if (!file) return;
    file->write(profile.text());
    file->commit();
  });
  if (speaks) fmt::print("LACONIC_TUNE={} uses these decisions\n", a.profile);
}

#else

void run(const Arguments&) { throw usage("tune is not in this build, which was made without MPI (LACONIC_MPI=OFF)"); }

#endif

}  // namespace

void add_tune_command(Command& app) {
  auto a = std::make_shared<Arguments>();
  Command command =
      app.add_subcommand("tune", "Measure which collectives compression makes faster, under mpiexec, into a profile");
  command.add_option("PROFILE", a->profile, "file to write; LACONIC_TUNE=PROFILE uses it");
  add_list(command, "--collective", a->collectives, fmt::format("{} (default: all)", fmt::join(all_patterns(), ", ")));
  add_list(command, "--bytes,--sizes", a->sizes, "sizes of the largest buffer (default: 16K,64K,256K,1M,4M,16M)");
  command.add_option("--field", a->field, "a file of float32, or a generator: wave, noise").capture_default_str();
  command.add_option("--bound", a->bound, std::string(bound_forms)).capture_default_str();
  command.add_option("--codec", a->codec,
                     "quant, dense, szx, zfp-abs, zfp-rateN, raw, lossless (default: by --effort)");
  command
      .add_option("--effort", a->effort,
                  "light: quant, or lossless; dense; auto: both, and the faster for each class of calls")
      .capture_default_str();
  add_whole(command, "--iterations", a->iterations, 1, "measured iterations");
  command.callback([a] { run(*a); });
}

}  // namespace laconic::cli
