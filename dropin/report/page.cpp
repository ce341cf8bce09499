// SPDX-License-Identifier: BSD-3-Clause
#include "report/page.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "report/text.hpp"

namespace laconic::dropin {
namespace {

// Shares below are left out of the list of suggestions.
constexpr double worth_a_suggestion = 0.05;
// Below this ratio compression saves little on any network.
constexpr double low_ratio = 1.2;

constexpr std::string_view style = R"(
:root { color-scheme: light dark; --ink: #1b1f24; --faint: #66707b; --line: #d5dae0; --page: #fff;
  --wire: #2f6fb5; --saved: #a8c8ea; --could: #e09f3e; --plain: #b9c0c8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e7eb; --faint: #98a2ad; --line: #3a424b; --page: #16191d;
  --wire: #5c9fe6; --saved: #2c4a6b; --could: #c98a2b; --plain: #59626c; } }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 84rem; color: var(--ink); background: var(--page);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
p, li { max-width: 48rem; } .faint { color: var(--faint); } code { overflow-wrap: anywhere; }
.table { overflow-x: auto; } table { border-collapse: collapse; font-size: .85rem; }
th, td { padding: .3rem .6rem .3rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { font-weight: 600; white-space: nowrap; } .n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
svg { display: block; max-width: 100%; } td svg { max-width: none; margin-top: .3em; }
.why { min-width: 11rem; } rect.wire { fill: var(--wire); } rect.saved { fill: var(--saved); }
rect.could { fill: var(--could); } rect.plain { fill: var(--plain); }
.key { display: inline-block; width: .8em; height: .8em; margin-right: .4em; }
.key.wire { background: var(--wire); } .key.saved { background: var(--saved); } .key.could { background: var(--could); }
.key.plain { background: var(--plain); }
)";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string cell(const std::string& text) { return "<td>" + escaped(text) + "</td>"; }
std::string number_cell(const std::string& text) { return "<td class=\"n\">" + escaped(text) + "</td>"; }
std::string count_cell(std::uint64_t n) { return number_cell(std::to_string(n)); }
std::string megabytes_cell(std::uint64_t bytes) { return number_cell(format("%.3f", megabytes(bytes))); }

struct Part {
  const char* kind;  // a class of the style
  double share;
};

// A bar of parts, of a width that is all of them.
std::string bar(const std::vector<Part>& parts, int width, int height, const std::string& label) {
  std::string text = format("<svg width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", width,
                            height, width, height) +
                     escaped(label) + "\">";
  double at = 0;
  for (const Part& part : parts) {
    const double wide = std::clamp(part.share, 0.0, 1.0) * width;
    if (wide > 0)
      text +=
          format("<rect class=\"%s\" x=\"%.2f\" y=\"0\" width=\"%.2f\" height=\"%d\"/>", part.kind, at, wide, height);
    at += wide;
  }
  return text + "</svg>";
}

std::string percent(double share) { return format("%.1f %%", 100 * share); }

void put_coverage(std::FILE* out, const Coverage& coverage) {
  std::fputs("<h2>Bytes</h2>\n", out);
  if (coverage.bytes == 0) {
    std::fputs("<p>No operation that Laconic counts has sent any bytes.</p>\n", out);
    return;
  }
  const auto share = [&](std::uint64_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(coverage.bytes);
  };
  std::uint64_t could = 0;
  for (const BytesOf& of : coverage.plain)
    if (!of.settings.empty()) could += of.bytes;
  const double compressed = share(coverage.compressed);
  const std::string label = percent(compressed) + " of the bytes were compressed";
  std::fprintf(
      out, "<p>All ranks sent %.3f MB; %s.</p>\n%s\n<ul>\n", megabytes(coverage.bytes), escaped(label).c_str(),
      bar({{"wire", compressed}, {"could", share(could)}, {"plain", 1 - compressed - share(could)}}, 640, 22, label)
          .c_str());
  std::fprintf(out, "<li><span class=\"key wire\"></span>%s compressed</li>\n", percent(compressed).c_str());
  for (const BytesOf& of : coverage.plain) {
    if (share(of.bytes) < 0.0005) continue;  // would be shown as 0
    const bool setting = !of.settings.empty();
    std::fprintf(out, "<li><span class=\"key %s\"></span>%s %s: %s</li>\n", setting ? "could" : "plain",
                 percent(share(of.bytes)).c_str(), setting ? "would be compressed with other settings" : "stay plain",
                 escaped(of.what).c_str());
  }
  std::fputs("</ul>\n", out);
}

// Changes of settings that may compress more, or lose less. Each is a line of HTML.
std::vector<std::string> suggestions(const Groups& groups, const Coverage& coverage) {
  std::vector<std::string> all;
  bool names_a_bound = false;
  for (const BytesOf& of : coverage.plain) {
    const double share = static_cast<double>(of.bytes) / static_cast<double>(coverage.bytes);
    if (of.settings.empty() || share < worth_a_suggestion) continue;
    all.push_back(percent(share) + " of the bytes are " + escaped(of.what) + ": try <code>" + escaped(of.settings) +
                  "</code>");
    names_a_bound = names_a_bound || of.names_a_bound();
  }
  if (names_a_bound) all.push_back(escaped(only_a_start()));
  for (const auto& [key, group] : groups)
    for (std::size_t o = 0; o < num_operations; ++o) {
      const Tally& t = group.by_operation[o];
      const std::string name(name_of(static_cast<Operation>(o)));
      const std::string which = name + " on " + escaped(text_of(group));
      if (t.compressed > 0 && ratio_of(t) < low_ratio)
        all.push_back(which + format(": ratio %.2f at this bound. A larger bound may be worth it; else leave them out: "
                                     "<code>LACONIC_EXCLUDE=%s</code>",
                                     ratio_of(t), name.c_str()));
      if (t.exceeds > 0)
        all.push_back(which +
                      format(": in %llu of %llu calls that were looked at, the bound exceeds the median magnitude "
                             "of the numbers, most of which may become 0. Give them another bound: "
                             "<code>LACONIC_BOUND=%s=BOUND,...</code>",
                             static_cast<unsigned long long>(t.exceeds), static_cast<unsigned long long>(t.looked),
                             name.c_str()));
    }
  return all;
}

void put_suggestions(std::FILE* out, const std::vector<std::string>& all) {
  std::fputs("<h2>Suggestions</h2>\n", out);
  if (all.empty()) std::fputs("<p>None.</p>\n", out);
  if (!all.empty()) std::fputs("<ul>\n", out);
  for (const std::string& one : all) std::fprintf(out, "<li>%s</li>\n", one.c_str());
  if (!all.empty()) std::fputs("</ul>\n", out);
}

std::string row_of(const TallyGroup& group, std::size_t o) {
  const Tally& t = group.by_operation[o];
  std::string row = "<tr>" + cell(std::string(name_of(static_cast<Operation>(o)))) + cell(text_of(group)) +
                    count_cell(t.calls) + count_cell(t.compressed);
  if (t.compressed > 0) {
    const double wire = t.uncompressed > 0 ? static_cast<double>(t.sent) / static_cast<double>(t.uncompressed) : 0;
    row += megabytes_cell(t.uncompressed) + megabytes_cell(t.sent) + number_cell(format("%.2f", ratio_of(t))) + "<td>" +
           bar({{"wire", wire}, {"saved", 1 - wire}}, 120, 14, percent(wire) + " of the bytes on the wire") + "</td>" +
           number_cell(format("%.3f", t.seconds)) + number_cell(format("%.3g", t.bound)) +
           number_cell(format("%.3g", t.achieved)) + cell(by_codec(t, "%s %llu"));
  } else {
    row += "<td colspan=\"8\"></td>";
  }
  return row + "<td class=\"why\">" + escaped(why_plain(t, bytes_by_reason(group, o))) + "</td></tr>\n";
}

void put_operations(std::FILE* out, const Groups& groups) {
  std::fputs("<h2>Operations</h2>\n", out);
  std::string rows;
  for (const auto& [key, group] : groups)
    for (std::size_t o = 0; o < num_operations; ++o)
      if (group.by_operation[o].calls > 0) rows += row_of(group, o);
  if (rows.empty()) {
    std::fputs("<p>No operation that can be compressed was called.</p>\n", out);
    return;
  }
  std::fprintf(
      out,
      "<p class=\"faint\">Calls and seconds are the most of any rank, bytes are of all. MB: as the same messages "
      "would be without compression; on the wire: as they were sent. Bound and worst case: the largest of any "
      "call.</p>\n<div class=\"table\"><table>\n<tr><th>operation</th><th>communicator (ranks)</th><th class=\"n\">"
      "calls</th><th class=\"n\">compressed</th><th class=\"n\">MB</th><th class=\"n\">on the wire</th><th "
      "class=\"n\">ratio</th><th></th><th class=\"n\">seconds</th><th class=\"n\">bound</th><th class=\"n\">worst "
      "case</th><th>with</th><th>plain</th></tr>\n%s</table></div>\n",
      rows.c_str());
}

std::string row_of(const TallyGroup& group, const laconic_tuning& c) {
  const auto seconds = [](double s) { return number_cell(s > 0 ? time_text(s) : "-"); };
  return "<tr>" + cell(c.collective) + number_cell(size_text(c.bytes)) + cell(text_of(group)) + count_cell(c.calls) +
         count_cell(c.compressed_calls) + cell(algorithm_text(c.algorithm) + codec_text(c.codec)) +
         seconds(c.plain_seconds) + seconds(c.measured_seconds) + seconds(c.predicted_seconds) +
         number_cell(c.ratio > 0 ? format("%.2f", c.ratio) : "-") + "</tr>\n";
}

void put_classes(std::FILE* out, const Groups& groups) {
  std::string rows;
  for (const auto& [key, group] : groups)
    for (const auto& [class_key, c] : group.classes) rows += row_of(group, c);
  if (rows.empty()) return;
  std::fprintf(
      out,
      "<h2>What the tuner has learnt</h2>\n<p class=\"faint\">Calls of about one size, and the seconds of one "
      "call: without compression, compressed, and as it was predicted.</p>\n<div class=\"table\"><table>\n<tr><th>"
      "collective</th><th class=\"n\">size</th><th>communicator (ranks)</th><th class=\"n\">calls</th><th "
      "class=\"n\">compressed</th><th>now</th><th class=\"n\">plain</th><th class=\"n\">compressed</th><th "
      "class=\"n\">predicted</th><th class=\"n\">ratio</th></tr>\n%s</table></div>\n",
      rows.c_str());
}

void put_never_compressed(std::FILE* out, const Groups& groups) {
  std::string rows;
  for (const auto& [key, group] : groups)
    for (const auto& [activity, traffic] : never_compressed(group))
      rows += "<tr>" + cell(std::string(name_of(activity))) + cell(text_of(group)) + count_cell(traffic.calls) +
              megabytes_cell(traffic.bytes) + "</tr>\n";
  if (rows.empty()) return;
  std::fprintf(
      out,
      "<h2>Never compressed</h2>\n<div class=\"table\"><table>\n<tr><th>operation</th><th>communicator (ranks)</th>"
      "<th class=\"n\">calls</th><th class=\"n\">MB</th></tr>\n%s</table></div>\n",
      rows.c_str());
}

}  // namespace

void write_page(std::FILE* out, const Settings& settings, const Groups& groups, const Coverage& coverage,
                bool complete) {
  std::fprintf(out,
               "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
               "content=\"width=device-width, initial-scale=1\">\n<title>Laconic: report</title>\n<style>%s</style>\n"
               "</head>\n<body>\n<h1>Laconic: report</h1>\n<p class=\"faint\">Version %d.%d.%d%s</p>\n",
               std::string(style).c_str(), LACONIC_VERSION_MAJOR, LACONIC_VERSION_MINOR, LACONIC_VERSION_PATCH,
               complete ? "" : "; of rank 0 alone, for MPI was not finalized");
  std::string bounds;
  for (std::size_t k = 0; k < settings.bounds.size(); ++k) bounds += (k > 0 ? "," : "") + settings.bounds.text(k);
  if (bounds.empty())
    std::fputs("<p>No bound is set, so no call was compressed.</p>\n", out);
  else
    std::fprintf(out, "<p>Bound: <code>%s</code></p>\n", escaped(bounds).c_str());
  put_coverage(out, coverage);
  put_suggestions(out, suggestions(groups, coverage));
  put_operations(out, groups);
  put_classes(out, groups);
  put_never_compressed(out, groups);
  std::fputs("</body>\n</html>\n", out);
}

}  // namespace laconic::dropin
