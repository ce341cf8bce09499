// SPDX-License-Identifier: BSD-3-Clause
// The profile as text and as JSON.
#include <laconic/laconic.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "core/process.hpp"
#include "report/figures.hpp"
#include "report/profile.hpp"
#include "report/text.hpp"

namespace laconic::dropin {
namespace {

constexpr std::size_t most_lines = 40;  // about calls; JSON has all

unsigned long long u(std::uint64_t x) { return x; }

double percent(std::uint64_t some, std::uint64_t all) {
  return all > 0 ? 100 * static_cast<double>(some) / static_cast<double>(all) : 0;
}

std::string ratio_text(double ratio) { return ratio > 0 ? format("%8.2f", ratio) : "       -"; }

std::string text_of(const ProfiledCalls& c, std::uint64_t all) {
  const Sample& sample = c.traffic.sample;
  std::string text =
      format("%5.1f %%  %-20s %-8s %8s %9llu %11.3f %9.3f  %-13s", percent(c.traffic.bytes, all),
             std::string(name_of(c.of.activity)).c_str(), name_of(c.of.content), size_text(c.of.least_size()).c_str(),
             u(c.traffic.calls), megabytes(c.traffic.bytes), c.traffic.seconds, text_of(sample.looks()));
  for (const std::size_t b : profile_bounds) text += ' ' + ratio_text(sample.ratio(b));
  text += format("  %-20s", text_of(*c.group).c_str());
  if (const std::string caller = name_of(c.of.caller); !caller.empty()) text += "  " + caller;
  return c.lasting != nullptr ? text + "; stays plain: " + c.lasting : text;
}

// Lines without "laconic: " before them, for print().
std::string table_of(const Profile& profile) {
  std::string text = format("%5s    %-20s %-8s %8s %9s %11s %9s  %-13s", "bytes", "operation", "type", "size from",
                            "calls", "MB", "s", "contents");
  for (const std::size_t b : profile_bounds) text += format(" %8s", sample_bounds[b]);
  text += format("  %-20s  called by\n", "communicator (ranks)");
  std::uint64_t rest = 0;
  for (std::size_t k = 0; k < profile.calls.size(); ++k) {
    if (k < most_lines)
      text += text_of(profile.calls[k], profile.bytes) + '\n';
    else
      rest += profile.calls[k].traffic.bytes;
  }
  if (profile.calls.size() > most_lines)
    text += format("%5.1f %%  in %zu further lines, which LACONIC_REPORT=profile:json:FILE would have\n",
                   percent(rest, profile.bytes), profile.calls.size() - most_lines);
  return text;
}

std::string settings_of(const Profile& profile) {
  std::string text;
  for (const BytesOf& of : profile.alone)
    text += format("%5.1f %% of the bytes would be included by %s\n", percent(of.bytes, profile.bytes),
                   of.settings.c_str());
  for (const BytesOf& of : profile.plain)
    if (percent(of.bytes, profile.bytes) >= 0.05)
      text += format("%5.1f %% of the bytes stay plain with any settings: %s\n", percent(of.bytes, profile.bytes),
                     of.what.c_str());
  return text;
}

// The table of bounds. print() puts "laconic: " before each line.
std::string advice_of(const Profile& profile) {
  std::string text = format("  %-10s %11s %7s %7s %10s %14s %9s\n", "bound", "MB sent", "ratio", "saved", "s saved",
                            "largest error", "PSNR dB");
  for (std::size_t b = 0; b < sample_bounds.size(); ++b) {
    const ExpectedWith& expected = profile.expected[b];
    const std::uint64_t sent = profile.included - std::min(profile.saved[b], profile.included);
    text += format("%c %-10s %11.3f %7.2f %5.1f %% %10.3f %14.2g %9s\n", b == profile.chosen ? '*' : ' ',
                   sample_bounds[b], megabytes(sent),
                   static_cast<double>(profile.included) / static_cast<double>(std::max<std::uint64_t>(sent, 1)),
                   percent(profile.saved[b], profile.included), expected.seconds, expected.worst,
                   expected.rms > 0 ? format("%.1f", expected.psnr()).c_str() : "exact");
  }
  text += "of samples; errors are shares of the range of the numbers; s saved on one rank, at most\n";
  if (!profile.reached) text += "no bound reaches LACONIC_ADVICE; the command line is lossless\n";
  return text;
}

// Empty if the goal has chosen the bound.
std::string note_of(const Settings& settings) {
  if (settings.goal.kind != Goal::Kind::none) return "";
  return settings.advises ? only_a_start("choose with --error, --psnr or --saved (LACONIC_ADVICE)") : only_a_start();
}

std::string savings_of(const Profile& profile) {
  std::string text = "of the bytes that are included below, bounds would save, by the samples: ";
  for (const std::size_t b : profile_bounds)
    text += format("%s%s %.1f %%", b == profile_bounds.front() ? "" : ", ", sample_bounds[b],
                   percent(profile.saved[b], profile.included));
  return text + '\n';
}

// "rel:1e-6" as a bound of the range of a call.
std::string range_bound() { return std::string("range") + std::strchr(sample_bounds[usual_bound], ':'); }

std::string ranges_of(const Profile& profile) {
  if (profile.of_one_kind.empty()) return "";
  const char* const usual = sample_bounds[usual_bound];
  std::string text = format("%s takes the range of each block of 512 numbers; with that of each call, %s would send:\n",
                            usual, range_bound().c_str());
  for (const OfOneKind& kind : profile.of_one_kind) {
    const Sample& sample = kind.sample;
    text += format("  %-24s ratio %.2f instead of %.2f, for %.3f MB; ", kind.item.c_str(), sample.ratio_by_range(),
                   sample.ratio(usual_bound), megabytes(kind.bytes));
    text += sample.narrow_blocks == 0 ? std::string("its blocks differ little\n")
                                      : format("%.0f %% of its blocks have less than a tenth of that range\n",
                                               percent(sample.narrow_blocks, sample.blocks));
  }
  return text +
         format(
             "all numbers of a call then have an error of %s of its range, small ones beside large ones, too: choose "
             "it where a call sends one quantity, as in LACONIC_BOUND=%s=%s,%s\n",
             std::strchr(usual, ':') + 1, profile.of_one_kind.front().item.c_str(), range_bound().c_str(), usual);
}

std::string suggestion_of(const Settings& settings, const Profile& profile) {
  if (profile.options.empty()) return "no settings would include 1 % of the bytes\n";
  std::string text = settings.advises ? advice_of(profile) : savings_of(profile);
  if (!profile.exclude.empty())
    text += "left out, because the contents are whole numbers or other data: " + profile.exclude + '\n';
  if (!profile.lossless.empty())
    text += "without loss, because the contents are whole numbers or other data: " + profile.lossless + '\n';
  text += ranges_of(profile);
  if (const std::string note = note_of(settings); !note.empty()) text += note + '\n';
  text +=
      format("%s to use, which would include %.1f %% of the bytes and save %.3f MB (%.1f %%):\n",
             profile.command.empty() ? "the settings" : "the command line", percent(profile.included, profile.bytes),
             megabytes(profile.saved[profile.chosen]), percent(profile.saved[profile.chosen], profile.bytes));
  return text;
}

void print(const Settings& settings, const Profile& profile, bool complete) {
  const ProfileTimes& t = profile.times;
  std::string lines = format(
      "%s%s: %.3f MB in calls that carry data; on the slowest rank %.3f s, of which waiting %.3f s, and %.3f s "
      "of sampling\n",
      settings.advises ? "advice" : "profile", complete ? "" : " of rank 0 alone, for MPI was not finalized",
      megabytes(profile.bytes), t.program(), t.waiting(), t.sampling());
  if (profile.bytes > 0 && !settings.advises) lines += table_of(profile) + settings_of(profile);
  if (profile.bytes > 0) lines += suggestion_of(settings, profile);
  std::string out;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at);
    out += "laconic: " + lines.substr(at, end - at) + '\n';
    at = end + 1;
  }
  // A line of its own, to be copied as it is.
  if (!profile.options.empty())
    out += (profile.command.empty() ? "  " + profile.variables : "  " + profile.command) + '\n';
  std::fwrite(out.data(), 1, out.size(), stderr);
}

std::string json_of(const ProfiledCalls& c) {
  const Sample& sample = c.traffic.sample;
  std::string ratios;
  for (const std::size_t b : profile_bounds)
    ratios += format("%s\"%s\": ", b == profile_bounds.front() ? "" : ", ", sample_bounds[b]) +
              (sample.ratio(b) > 0 ? number(sample.ratio(b)) : "null");
  return "    {\"operation\": " + quoted(std::string(name_of(c.of.activity))) +
         ", \"type\": " + quoted(name_of(c.of.content)) + format(", \"least_size\": %llu", u(c.of.least_size())) +
         ", \"called_by\": " + quoted(name_of(c.of.caller)) + ", \"communicator\": " + quoted(c.group->name) +
         format(", \"ranks\": %d, \"calls\": %llu, \"bytes\": %llu, \"seconds\": ", c.group->ranks, u(c.traffic.calls),
                u(c.traffic.bytes)) +
         number(c.traffic.seconds) + format(", \"samples\": %llu, \"contents\": ", u(sample.taken)) +
         quoted(key_of(sample.looks())) + ", \"ratios\": {" + ratios +
         "}, \"settings\": " + (c.lasting != nullptr ? "null" : quoted(text_of(c.needs))) +
         ", \"stays_plain\": " + (c.lasting != nullptr ? quoted(c.lasting) : "null") + "}";
}

std::string json_of(const BytesOf& of) {
  return "    {\"what\": " + quoted(of.what) + ", \"settings\": " + quoted(of.settings) +
         format(", \"bytes\": %llu}", u(of.bytes));
}

std::string json_of(const OfOneKind& kind) {
  return "    {\"item\": " + quoted(kind.item) + format(", \"bytes\": %llu, \"ratio\": ", u(kind.bytes)) +
         number(kind.sample.ratio(usual_bound)) + ", \"ratio_by_range\": " + number(kind.sample.ratio_by_range()) +
         format(", \"blocks\": %llu, \"narrow_blocks\": %llu}", u(kind.sample.blocks), u(kind.sample.narrow_blocks));
}

template <class T>
std::string list_of(const std::vector<T>& all) {
  std::string text;
  for (const T& one : all) text += (text.empty() ? "\n" : ",\n") + json_of(one);
  return "[" + text + (text.empty() ? "]" : "\n  ]");
}

std::string advice_json(const Settings& settings, const Profile& profile) {
  if (!settings.advises) return "";
  std::string bounds;
  for (std::size_t b = 0; b < sample_bounds.size(); ++b) {
    const ExpectedWith& expected = profile.expected[b];
    bounds +=
        format("%s\"%s\": {\"saved\": %llu, \"seconds\": ", b == 0 ? "" : ", ", sample_bounds[b], u(profile.saved[b])) +
        number(expected.seconds) + ", \"largest_error\": " + number(expected.worst) +
        ", \"psnr\": " + (expected.rms > 0 ? number(expected.psnr()) : "null") + "}";
  }
  return std::string(", \"bound\": ") + quoted(sample_bounds[profile.chosen]) +
         ", \"reached\": " + (profile.reached ? "true" : "false") + ", \"bounds\": {" + bounds + "}";
}

std::string suggestion_json(const Settings& settings, const Profile& profile) {
  if (profile.options.empty()) return "null";
  std::string saved;
  for (const std::size_t b : profile_bounds)
    saved += format("%s\"%s\": %llu", b == profile_bounds.front() ? "" : ", ", sample_bounds[b], u(profile.saved[b]));
  return "{\"options\": " + quoted(profile.options) + ", \"variables\": " + quoted(profile.variables) +
         ", \"command\": " + (profile.command.empty() ? "null" : quoted(profile.command)) +
         ", \"note\": " + (note_of(settings).empty() ? "null" : quoted(note_of(settings))) +
         ", \"by_range\": " + list_of(profile.of_one_kind) + ", \"excluded\": " + quoted(profile.exclude) +
         ", \"lossless\": " + quoted(profile.lossless) +
         format(", \"bytes\": %llu, \"saved\": {", u(profile.included)) + saved + "}" + advice_json(settings, profile) +
         "}";
}

bool write_json(const Settings& settings, const Profile& profile, bool complete) {
  std::FILE* out = std::fopen(settings.report_file.c_str(), "w");
  if (out == nullptr) return false;
  const ProfileTimes& t = profile.times;
  std::fprintf(out, "{\n  \"laconic\": \"%d.%d.%d\",\n  \"complete\": %s,\n  \"bytes\": %llu,\n", LACONIC_VERSION_MAJOR,
               LACONIC_VERSION_MINOR, LACONIC_VERSION_PATCH, complete ? "true" : "false", u(profile.bytes));
  std::fprintf(out, "  \"seconds\": %s,\n  \"waiting_seconds\": %s,\n  \"sampling_seconds\": %s,\n",
               number(t.program()).c_str(), number(t.waiting()).c_str(), number(t.sampling()).c_str());
  std::fprintf(out, "  \"calls\": %s,\n  \"included\": %s,\n  \"stays_plain\": %s,\n  \"suggestion\": %s\n}\n",
               list_of(profile.calls).c_str(), list_of(profile.alone).c_str(), list_of(profile.plain).c_str(),
               suggestion_json(settings, profile).c_str());
  return std::fclose(out) == 0;
}

}  // namespace

void put_profile(const Settings& settings, const Profile& profile, bool complete) {
  const std::string& file = settings.report_file;
  if (!file.empty() && !write_json(settings, profile, complete))
    say("LACONIC_REPORT: the file " + file + " could not be written");
  print(settings, profile, complete);
}

}  // namespace laconic::dropin
