// SPDX-License-Identifier: BSD-3-Clause
#include "core/settings.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

extern char** environ;

namespace laconic::dropin {
namespace {

std::string error_text(int code) {
  std::array<char, 1024> text{};
  laconic_error_string(code, text.data(), text.size());
  constexpr std::string_view prefix = "laconic: ";
  const std::string_view all = text.data();
  return std::string(all.starts_with(prefix) ? all.substr(prefix.size()) : all);
}

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return result;
}

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string read_report(Settings& s, std::string_view text) {
  constexpr std::string_view json = "json:";
  constexpr std::string_view page = "html:";
  constexpr std::string_view profile = "profile";
  constexpr std::string_view advice = "advice";
  s.advises = text.starts_with(advice);
  const bool profiles = s.advises || text.starts_with(profile);
  const std::string_view rest = profiles ? text.substr(s.advises ? advice.size() : profile.size()) : text;
  if (text.empty()) return "";
  if (text == "summary") {
    s.report = Report::summary;
  } else if (text == "each") {
    s.report = Report::each;
  } else if (profiles && rest.empty()) {
    s.report = Report::profile;
  } else if (constexpr std::string_view to = ":json:"; profiles && rest.starts_with(to) && rest.size() > to.size()) {
    s.report = Report::profile;
    s.report_file = rest.substr(to.size());
  } else if (text.starts_with(json) && text.size() > json.size()) {
    s.report = Report::json;
    s.report_file = text.substr(json.size());
  } else if (text.starts_with(page) && text.size() > page.size()) {
    s.report = Report::page;
    s.report_file = text.substr(page.size());
  } else {
    return "LACONIC_REPORT: '" + std::string(text) +
           "' is not valid; valid are summary, each, json:FILE, html:FILE, profile, profile:json:FILE, advice, "
           "advice:json:FILE";
  }
  return "";
}

std::string read_audit(Settings& s, std::string_view text) {
  if (text.empty()) return "";
  constexpr std::string_view suffix = ":plain";
  std::string_view number = text;
  if (number.ends_with(suffix)) {
    s.keep_plain = true;
    number.remove_suffix(suffix.size());
  }
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), s.audit);
  if (error == std::errc{} && end == number.data() + number.size() && s.audit > 0) return "";
  return "LACONIC_AUDIT: '" + std::string(text) +
         "' is not valid; valid are whole numbers from 1 (every call), alone or followed by :plain (the program "
         "keeps the plain results)";
}

std::string read_messages(Settings& s, std::string_view text) {
  if (text.empty()) return "";
  s.messages = text == "0" ? Messages::excluded : Messages::included;
  return text == "0" || text == "1" ? "" : "LACONIC_P2P: '" + std::string(text) + "' is not valid; valid are 0 and 1";
}

// Text in which %XX stands for a byte, because not all launchers pass every character on.
std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    unsigned byte = 0;
    const char* digits = text.data() + k + 1;
    const bool coded =
        text[k] == '%' && k + 2 < text.size() && std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
    out += coded ? static_cast<char>(byte) : text[k];
    if (coded) k += 2;
  }
  return out;
}

// A profile shows the program without compression, and finds the settings that include calls.
std::string read_profile(Settings& s) {
  const std::string goal = variable("LACONIC_ADVICE");
  if (!goal.empty() && !s.advises) return "LACONIC_ADVICE: not valid without LACONIC_REPORT=advice";
  if (std::string problem = s.goal.read(goal); !problem.empty()) return problem;
  if (s.report != Report::profile) return "";
  s.profile_command = decoded(variable("LACONIC_PROFILE_COMMAND"));
  for (const char* name : {"LACONIC_BOUND", "LACONIC_INCLUDE", "LACONIC_P2P", "LACONIC_MIN_BYTES", "LACONIC_AUDIT"})
    if (*variable(name) != '\0')
      return std::string(name) +
             ": not valid with LACONIC_REPORT=profile, which finds the settings to use; of the rules "
             "only LACONIC_EXCLUDE is valid";
  return "";
}

bool is_ours(std::string_view name) {
  for (const char* other : {"LACONIC_ISA", "LACONIC_REPORT", "LACONIC_INCLUDE", "LACONIC_EXCLUDE", "LACONIC_AUDIT",
                            "LACONIC_P2P", "LACONIC_ADVICE", "LACONIC_PROFILE_COMMAND"})
    if (name == other) return true;
  for (const char* option : option_names)
    if (name == "LACONIC_" + upper(option)) return true;
  return false;
}

std::string unknown_variable() {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    if (!text.starts_with("LACONIC_") || equals == std::string_view::npos || is_ours(text.substr(0, equals))) continue;
    std::string valid;
    for (const char* option : option_names) valid += "LACONIC_" + upper(option) + ", ";
    return "environment variable '" + std::string(text.substr(0, equals)) + "' is not valid; valid are " + valid +
           "LACONIC_ISA, LACONIC_REPORT, LACONIC_ADVICE, LACONIC_INCLUDE, LACONIC_EXCLUDE, LACONIC_AUDIT, LACONIC_P2P";
  }
  return "";
}

}  // namespace

std::uint64_t hash_of(const std::string& text) {
  std::uint64_t h = 0xcbf29ce484222325ULL;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return h ^ (h >> 29);
}

std::uint64_t complaint_of(bool wrong, int rank) {
  return wrong ? std::uint64_t{INT64_MAX} - static_cast<std::uint64_t>(rank) : 0;
}

std::string set_option(laconic_options& options, const char* name, const char* value, const std::string& source) {
  const int code = laconic_options_set(&options, name, value);
  if (code == MPI_SUCCESS) return "";
  return source.empty() ? error_text(code) : source + ": " + error_text(code);
}

std::string check_options(const laconic_options& options) {
  if (options.bound.mode == LACONIC_BOUND_UNSET) return "";
  // Compresses a few numbers, so that codec and bound pass the same checks as in the library.
  laconic_options some = options;
  some.algorithm = LACONIC_ALGORITHM_UNSET;
  const std::array<double, 4> numbers{1, 2, 3, 4};
  std::vector<std::byte> room(laconic_max_compressed_size(numbers.size(), MPI_DOUBLE, &some) + 1);
  std::size_t bytes = 0;
  const int code =
      laconic_compress(numbers.data(), numbers.size(), MPI_DOUBLE, room.data(), room.size(), &bytes, &some);
  return code == MPI_SUCCESS ? "" : error_text(code);
}

std::string Goal::read(const std::string& text) {
  struct Known {
    std::string_view name;
    Kind kind;
    double below;
  };
  if (text.empty()) return "";
  for (const Known& known :
       {Known{"error:", Kind::error, 1}, {"psnr:", Kind::psnr, 1000}, {"saved:", Kind::saved, 100}}) {
    if (!text.starts_with(known.name)) continue;
    const char* const end = text.data() + text.size();
    kind = known.kind;
    const auto [stopped, error] = std::from_chars(text.data() + known.name.size(), end, value);
    if (error == std::errc{} && stopped == end && value > 0 && value < known.below) return "";
  }
  return "LACONIC_ADVICE: '" + text +
         "' is not valid; valid are error:R with R between 0 and 1, psnr:DB between 0 and 1000, "
         "saved:PERCENT between 0 and 100";
}

std::string Settings::read() {
  laconic_options_init(&options);
  std::string problem = unknown_variable();
  for (const char* option : option_names) {
    const std::string name = "LACONIC_" + upper(option);
    const char* value = std::getenv(name.c_str());
    const bool by_rules = std::string_view(option) == "bound";
    if (problem.empty() && value != nullptr && !by_rules) problem = set_option(options, option, value, name);
  }
  if (problem.empty()) problem = check_options(options);
  if (const char* list = std::getenv("LACONIC_BOUND"); problem.empty() && list != nullptr)
    problem = bounds.read(list, options);
  if (problem.empty()) problem = read_messages(*this, variable("LACONIC_P2P"));
  if (problem.empty()) problem = rules.read(variable("LACONIC_INCLUDE"), variable("LACONIC_EXCLUDE"), messages);
  excludes = *variable("LACONIC_EXCLUDE") != '\0';
  if (problem.empty()) problem = read_report(*this, variable("LACONIC_REPORT"));
  if (problem.empty()) problem = read_profile(*this);
  if (problem.empty()) problem = read_audit(*this, variable("LACONIC_AUDIT"));
  return problem;
}

std::uint64_t Settings::signature() const {
  std::string all;
  for (const char* option : option_names) all += std::string(variable(("LACONIC_" + upper(option)).c_str())) + '\n';
  // The report file may differ, because only rank 0 writes it. The kind of report must be the same, because reporting
  // is collective.
  all += std::string(variable("LACONIC_INCLUDE")) + '\n' + variable("LACONIC_EXCLUDE") + '\n';
  all += std::string(variable("LACONIC_AUDIT")) + '\n' + std::to_string(static_cast<int>(messages)) +
         std::to_string(static_cast<int>(report)) + (advises ? "advice" : "");
  // Profiles of one name may differ between nodes.  Ranks that decide differently would wait for each other forever.
  if (options.tune == LACONIC_TUNE_PROFILE) {
    std::ifstream profile(variable("LACONIC_TUNE"), std::ios::binary);
    all.append(std::istreambuf_iterator<char>(profile), {});
  }
  return hash_of(all);
}

}  // namespace laconic::dropin
