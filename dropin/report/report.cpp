// SPDX-License-Identifier: BSD-3-Clause
#include "report/report.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <utility>
#include <vector>

#include "core/process.hpp"
#include "report/coverage.hpp"
#include "report/figures.hpp"
#include "report/page.hpp"
#include "report/profile.hpp"
#include "report/text.hpp"

namespace laconic::dropin {
namespace {

// How many compressed calls have the bound of each item of LACONIC_BOUND: "send=abs:1e-9 12, abs:1e-6 3".
std::string by_bound(const Tally& t, const Settings& settings, const char* separator, bool json) {
  std::string text;
  if (!settings.bounds.by_rule()) return text;
  for (std::size_t k = 0; k < std::min(t.by_bound.size(), settings.bounds.size()); ++k) {
    if (t.by_bound[k] == 0) continue;
    const std::string& item = settings.bounds.text(k);
    text += (text.empty() ? "" : ", ") + (json ? quoted(item) : item) + separator + std::to_string(t.by_bound[k]);
  }
  return text;
}

void print_operation(std::FILE* out, const Settings& settings, const TallyGroup& group, std::size_t o) {
  const Tally& t = group.by_operation[o];
  const std::string name(name_of(static_cast<Operation>(o)));
  std::fprintf(out, "laconic: %-20s %-24s %8llu calls %8llu compressed", name.c_str(), text_of(group).c_str(),
               static_cast<unsigned long long>(t.calls), static_cast<unsigned long long>(t.compressed));
  if (t.compressed > 0)
    std::fprintf(out, ", %.3f MB, %.3f MB on the wire, ratio %.2f, %.3f s, bound %.3g, worst case %.3g",
                 megabytes(t.bytes), megabytes(t.sent), ratio_of(t), t.seconds, t.bound, t.achieved);
  if (const std::string with = by_codec(t, "%s %llu"); !with.empty()) std::fprintf(out, "; with %s", with.c_str());
  for (std::size_t k = 1; k < through_host_reasons; ++k)
    if (t.through_host[k] > 0)
      std::fprintf(out, "; %llu through the host because %s", static_cast<unsigned long long>(t.through_host[k]),
                   laconic_through_host_string(static_cast<laconic_through_host>(k)));
  if (const std::string bounds = by_bound(t, settings, " ", false); !bounds.empty())
    std::fprintf(out, "; bounds: %s", bounds.c_str());
  if (t.audits > 0)
    std::fprintf(out, "; %llu audits: error %.3g, plain %.3f s", static_cast<unsigned long long>(t.audits), t.error,
                 t.plain_seconds);
  if (const std::string why = why_plain(t, bytes_by_reason(group, o)); !why.empty())
    std::fprintf(out, "; plain: %s", why.c_str());
  std::fputc('\n', out);
}

void warn_of_bound(std::FILE* out, const TallyGroup& group, std::size_t o) {
  const Tally& t = group.by_operation[o];
  if (t.exceeds == 0) return;
  const std::string name(name_of(static_cast<Operation>(o)));
  std::fprintf(out,
               "laconic: warning: %s on %.60s (%d): in %llu of %llu calls that were looked at, the bound exceeds the "
               "median magnitude of the numbers, most of which may become 0; LACONIC_BOUND=%s=BOUND,... gives these "
               "calls another one\n",
               name.c_str(), group.name.c_str(), group.ranks, static_cast<unsigned long long>(t.exceeds),
               static_cast<unsigned long long>(t.looked), name.c_str());
}

void print_never_compressed(std::FILE* out, const TallyGroup& group) {
  for (const auto& [activity, traffic] : never_compressed(group))
    std::fprintf(out, "laconic: %-20s %-24s %8llu calls, %.3f MB: never compressed\n",
                 std::string(name_of(activity)).c_str(), text_of(group).c_str(),
                 static_cast<unsigned long long>(traffic.calls), megabytes(traffic.bytes));
}

std::uint64_t least_bytes(const Settings& settings) {
  const laconic_options& options = settings.options;
  return options.min_bytes > 0 ? static_cast<std::uint64_t>(options.min_bytes)
                               : Process::instance().default_least(options.tune != LACONIC_TUNE_OFF);
}

Coverage coverage_of(const Settings& settings, const Groups& groups) {
  return coverage_of(groups, settings, least_bytes(settings));
}

// Shares that would be printed as 0 are left out.
void print_coverage(std::FILE* out, const Coverage& coverage) {
  if (coverage.bytes == 0) return;
  const auto percent = [&](std::uint64_t bytes) {
    return 100 * static_cast<double>(bytes) / static_cast<double>(coverage.bytes);
  };
  std::fprintf(out, "laconic: coverage: %.3f MB in all, %.1f %% of them compressed\n", megabytes(coverage.bytes),
               percent(coverage.compressed));
  bool names_a_bound = false;
  for (const BytesOf& of : coverage.plain) {
    const double share = percent(of.bytes);
    if (share < 0.05) continue;
    names_a_bound = names_a_bound || of.names_a_bound();
    if (of.settings.empty())
      std::fprintf(out, "laconic: coverage: %.1f %% of the bytes stay plain: %s\n", share, of.what.c_str());
    else
      std::fprintf(out, "laconic: coverage: %.1f %% of the bytes are %s: %s\n", share, of.what.c_str(),
                   of.settings.c_str());
  }
  if (names_a_bound) std::fprintf(out, "laconic: coverage: %s\n", only_a_start().c_str());
}

void print_class(std::FILE* out, const TallyGroup& group, const laconic_tuning& c) {
  const auto u = [](std::uint64_t x) { return static_cast<unsigned long long>(x); };
  std::fprintf(out, "laconic: tuner: %s of %s on %.60s (%d): %llu calls, %llu compressed, now %s", c.collective,
               size_text(c.bytes).c_str(), group.name.c_str(), group.ranks, u(c.calls), u(c.compressed_calls),
               (algorithm_text(c.algorithm) + codec_text(c.codec)).c_str());
  std::fprintf(out, "; %s",
               c.plain_seconds > 0 ? ("plain " + time_text(c.plain_seconds)).c_str() : "nothing agreed yet");
  if (c.measured_seconds > 0) std::fprintf(out, ", compressed %s", time_text(c.measured_seconds).c_str());
  if (c.predicted_seconds > 0) std::fprintf(out, ", predicted %s", time_text(c.predicted_seconds).c_str());
  if (c.ratio > 0) std::fprintf(out, ", ratio %.2f", c.ratio);
  std::fputc('\n', out);
}

void print_summary(std::FILE* out, const Settings& settings, const Groups& groups, const char* remark) {
  std::fprintf(out, "laconic: report%s; counts and times are the most of any rank, bytes are of all\n", remark);
  bool any = false;
  for (const auto& [key, group] : groups)
    for (std::size_t o = 0; o < num_operations; ++o)
      if (group.by_operation[o].calls > 0) print_operation(out, settings, group, o), any = true;
  for (const auto& [key, group] : groups) print_never_compressed(out, group);
  for (const auto& [key, group] : groups)
    for (std::size_t o = 0; o < num_operations; ++o) warn_of_bound(out, group, o);
  for (const auto& [key, group] : groups)
    for (const auto& [class_key, c] : group.classes) print_class(out, group, c);
  if (!any) std::fprintf(out, "laconic: no operation that it can compress was called\n");
  print_coverage(out, coverage_of(settings, groups));
  std::fflush(out);
}

std::string json_of(const Settings& settings, const TallyGroup& group, std::size_t o) {
  const Tally& t = group.by_operation[o];
  const auto u = [](std::uint64_t x) { return static_cast<unsigned long long>(x); };
  const BytesByReason bytes = bytes_by_reason(group, o);
  std::string plain;
  std::string plain_bytes;
  for (std::size_t k = 1; k < reasons; ++k) {
    if (t.plain[k] == 0 && bytes[k] == 0) continue;
    const char* comma = plain.empty() ? "" : ", ";
    plain += format("%s\"%s\": %llu", comma, key_of(static_cast<Reason>(k)), u(t.plain[k]));
    plain_bytes += format("%s\"%s\": %llu", comma, key_of(static_cast<Reason>(k)), u(bytes[k]));
  }
  return "    {\"operation\": " + quoted(std::string(name_of(static_cast<Operation>(o)))) +
         ", \"communicator\": " + quoted(group.name) +
         format(", \"ranks\": %d, \"calls\": %llu", group.ranks, u(t.calls)) +
         format(", \"compressed\": %llu, \"bytes\": %llu, \"wire_bytes\": %llu", u(t.compressed), u(t.bytes),
                u(t.sent)) +
         format(", \"uncompressed_bytes\": %llu, \"ratio\": ", u(t.uncompressed)) + number(ratio_of(t)) +
         ", \"seconds\": " + number(t.seconds) + ", \"bound\": " + number(t.bound) +
         ", \"worst_case\": " + number(t.achieved) +
         format(", \"looked_at\": %llu, \"exceeded\": %llu, \"audits\": %llu", u(t.looked), u(t.exceeds), u(t.audits)) +
         ", \"audit_error\": " + number(t.error) + ", \"audit_plain_seconds\": " + number(t.plain_seconds) +
         ", \"codecs\": {" + by_codec(t, "\"%s\": %llu") +
         format("}, \"through_host\": %llu, \"bounds\": {",
                u(std::accumulate(t.through_host.begin() + 1, t.through_host.end(), std::uint64_t{0}))) +
         by_bound(t, settings, ": ", true) + "}, \"plain\": {" + plain + "}, \"plain_bytes\": {" + plain_bytes + "}}";
}

std::string json_of(const TallyGroup& group, Activity activity, const Traffic& traffic) {
  const auto u = [](std::uint64_t x) { return static_cast<unsigned long long>(x); };
  return "    {\"operation\": " + quoted(std::string(name_of(activity))) + ", \"communicator\": " + quoted(group.name) +
         format(", \"ranks\": %d, \"calls\": %llu, \"bytes\": %llu}", group.ranks, u(traffic.calls), u(traffic.bytes));
}

std::string json_of(const Coverage& coverage) {
  const auto u = [](std::uint64_t x) { return static_cast<unsigned long long>(x); };
  std::string plain;
  for (const BytesOf& of : coverage.plain)
    plain += (plain.empty() ? "\n    {\"what\": " : ",\n    {\"what\": ") + quoted(of.what) +
             ", \"settings\": " + quoted(of.settings) + format(", \"bytes\": %llu}", u(of.bytes));
  return format("{\"bytes\": %llu, \"compressed\": %llu, \"plain\": [", u(coverage.bytes), u(coverage.compressed)) +
         plain + "]}";
}

std::string json_of(const TallyGroup& group, const laconic_tuning& c) {
  const auto u = [](std::uint64_t x) { return static_cast<unsigned long long>(x); };
  const char* algorithm = laconic_algorithm_name(c.algorithm);
  const char* codec = laconic_codec_name(c.codec);
  return "    {\"collective\": " + quoted(c.collective) + format(", \"bytes\": %llu", u(c.bytes)) +
         ", \"communicator\": " + quoted(group.name) +
         format(", \"ranks\": %d, \"calls\": %llu, \"compressed\": %llu", group.ranks, u(c.calls),
                u(c.compressed_calls)) +
         ", \"algorithm\": " + quoted(algorithm != nullptr ? algorithm : "") +
         ", \"codec\": " + (codec != nullptr ? quoted(codec) : "null") +
         ", \"plain_seconds\": " + number(c.plain_seconds) + ", \"measured_seconds\": " + number(c.measured_seconds) +
         ", \"predicted_seconds\": " + number(c.predicted_seconds) + ", \"ratio\": " + number(c.ratio) + "}";
}

void write_json(std::FILE* out, const Settings& settings, const Groups& groups, bool complete) {
  std::fprintf(out, "{\n  \"laconic\": \"%d.%d.%d\",\n  \"complete\": %s,\n  \"operations\": [\n",
               LACONIC_VERSION_MAJOR, LACONIC_VERSION_MINOR, LACONIC_VERSION_PATCH, complete ? "true" : "false");
  std::string lines;
  for (const auto& [key, group] : groups)
    for (std::size_t o = 0; o < num_operations; ++o)
      if (group.by_operation[o].calls > 0) lines += (lines.empty() ? "" : ",\n") + json_of(settings, group, o);
  std::string classes;
  for (const auto& [key, group] : groups)
    for (const auto& [class_key, c] : group.classes) classes += (classes.empty() ? "" : ",\n") + json_of(group, c);
  std::string never;
  for (const auto& [key, group] : groups)
    for (const auto& [activity, traffic] : never_compressed(group))
      never += (never.empty() ? "" : ",\n") + json_of(group, activity, traffic);
  std::fprintf(out,
               "%s%s  ],\n  \"never_compressed\": [\n%s%s  ],\n  \"classes\": [\n%s%s  ],\n  \"coverage\": %s\n}\n",
               lines.c_str(), lines.empty() ? "" : "\n", never.c_str(), never.empty() ? "" : "\n", classes.c_str(),
               classes.empty() ? "" : "\n", json_of(coverage_of(settings, groups)).c_str());
}

void write_file(const Settings& settings, const Groups& groups, bool complete) {
  std::FILE* out = std::fopen(settings.report_file.c_str(), "w");
  if (out == nullptr) {
    say("LACONIC_REPORT: the file " + settings.report_file + " cannot be written; the summary follows");
    return print_summary(stderr, settings, groups, "");
  }
  if (settings.report == Report::page)
    write_page(out, settings, groups, coverage_of(settings, groups), complete);
  else
    write_json(out, settings, groups, complete);
  if (std::fclose(out) != 0)
    say("LACONIC_REPORT: the file " + settings.report_file + " could not be written to its end");
}

void put(const Settings& settings, const Groups& groups, const ProfileTimes& times, bool complete) {
  if (settings.report == Report::profile)
    return put_profile(settings, profile_of(groups, settings, least_bytes(settings), times), complete);
  if (!settings.report_file.empty()) return write_file(settings, groups, complete);
  print_summary(stderr, settings, groups, complete ? "" : " of rank 0 alone, for MPI was not finalized");
}

}  // namespace

void report_all(const Settings& settings) {
  if (settings.report == Report::none) return;
  int rank = 0;
  int size = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::string mine = Tallies::instance().to_text();
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(static_cast<std::size_t>(size));
  PMPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::vector<int> places(lengths.size());
  int total = 0;
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    places[k] = total;
    total += lengths[k];
  }
  std::string all(static_cast<std::size_t>(rank == 0 ? total : 0), ' ');
  PMPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), places.data(), MPI_CHAR, 0, MPI_COMM_WORLD);
  const ProfileTimes own = ProfileTimes::of_this_process();
  ProfileTimes times;
  if (settings.report == Report::profile)
    PMPI_Reduce(own.seconds.data(), times.seconds.data(), static_cast<int>(own.seconds.size()), MPI_DOUBLE, MPI_MAX, 0,
                MPI_COMM_WORLD);
  if (rank != 0) return;
  Groups groups;
  Tallies::merge(all, groups);
  put(settings, groups, times, true);
}

void report_own(const Settings& settings) {
  if (settings.report == Report::none) return;
  Groups groups;
  Tallies::merge(Tallies::instance().to_text(), groups);
  put(settings, groups, ProfileTimes::of_this_process(), false);
}

void report_call(const TallyGroup& group, Operation operation, Form form, std::uint64_t bytes,
                 const laconic_stats& stats, const CallBound& bound) {
  const std::string name(name_of(operation));
  const Bounds& bounds = Process::instance().settings().bounds;
  const std::string item = bounds.by_rule() && bound.item != CallBound::no_item
                               ? " of " + bounds.text(static_cast<std::size_t>(bound.item))
                               : "";
  const std::string how(form_names[index_of(form)]);
  say(format("%s (%s) on %.60s (%d)%s: %llu bytes, ratio %.2f, %.6f s, bound %.3g%s, worst case %.3g", name.c_str(),
             how.c_str(), group.name.c_str(), group.ranks, codec_text(stats.codec).c_str(),
             static_cast<unsigned long long>(bytes), ratio_of(stats.bytes_uncompressed, stats.bytes_sent),
             stats.seconds_total, stats.bound, item.c_str(), stats.achieved_bound));
}

}  // namespace laconic::dropin
