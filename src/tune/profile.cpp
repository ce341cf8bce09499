// SPDX-License-Identifier: BSD-3-Clause
#include "tune/profile.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>
#include <type_traits>
#include <utility>

namespace laconic {
namespace {

constexpr std::string_view first_line = "laconic profile 3";
constexpr std::string_view last_line = "end";  // a file without it was cut

// The words of a line.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const auto begin = line.find_first_not_of(' ');
    if (begin == std::string_view::npos) break;
    const auto end = std::min(line.find(' ', begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
  return words;
}

template <class Number>
bool read_number(std::string_view word, Number& number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return false;
  if constexpr (std::is_floating_point_v<Number>) return std::isfinite(number) && number >= 0;
  return number >= 0;
}

// The shortest text that reads back as the same number.
std::string text_of(double number) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), end};
}

std::array<double*, 6> fields_of(CodingCost& c) { return {&c.encode, &c.decode, &c.fold, &c.add, &c.read, &c.frame}; }

bool read_effort(std::string_view word, Effort& effort) {
  const auto named = std::find_if(efforts.begin(), efforts.end(), [&](Effort known) { return text_of(known) == word; });
  if (named == efforts.end()) return false;
  effort = *named;
  return true;
}

bool read_coding(const std::vector<std::string_view>& words, CodingCosts& coding) {
  Effort effort = Effort::light;
  if (words.size() < 2 || !read_effort(words[1], effort) || coding.of(effort).known()) return false;
  const auto fields = fields_of(coding.of(effort));
  if (words.size() != 2 + fields.size()) return false;
  for (std::size_t k = 0; k < fields.size(); ++k)
    if (!read_number(words[2 + k], *fields[k])) return false;
  return coding.of(effort).known();
}

bool read_class(const std::vector<std::string_view>& words, Profile::Class& c) {
  if (words.size() != 8) return false;
  const auto named = std::find_if(std::begin(all_collectives), std::end(all_collectives),
                                  [&](Collective known) { return name_of(known) == words[1]; });
  if (named == std::end(all_collectives)) return false;
  c.collective = *named;
  c.algorithm = find_algorithm(c.collective, words[5]);
  return read_number(words[2], c.bytes) && c.bytes == class_bytes(c.bytes) && read_number(words[3], c.plain) &&
         c.plain > 0 && read_effort(words[4], c.effort) && c.algorithm != nullptr && read_number(words[6], c.rows) &&
         c.rows > 0 && read_number(words[7], c.compressed) && c.compressed > 0;
}

}  // namespace

std::string Profile::text() const {
  std::ostringstream out;
  out << first_line << "\n# " << remark << "\nranks " << ranks << "\nwithin_node " << (within_node ? 1 : 0);
  out << "\n# effort, seconds per byte: encode decode fold add read; bytes of frames per byte\n";
  for (const Effort effort : efforts) {
    CodingCost cost = coding.of(effort);
    if (!cost.known()) continue;
    out << "coding " << laconic::text_of(effort);
    for (const double* field : fields_of(cost)) out << ' ' << text_of(*field);
    out << '\n';
  }
  out << "# collective, bytes, seconds of plain MPI, fastest effort and algorithm with compression, rows and seconds\n";
  for (const Class& c : classes)
    out << "class " << name_of(c.collective) << ' ' << text_of(c.bytes) << ' ' << text_of(c.plain) << ' '
        << laconic::text_of(c.effort) << ' ' << c.algorithm->name() << ' ' << c.rows << ' ' << text_of(c.compressed)
        << '\n';
  out << last_line << '\n';
  return out.str();
}

Status Profile::parse(std::string_view text, Profile& profile) {
  Profile read;
  int number = 0;
  bool ended = false;
  const auto wrong = [&](const std::string& what) {
    return Status{Code::argument, "line " + std::to_string(number) + ": " + what};
  };
  while (!text.empty()) {
    ++number;
    const auto end = text.find('\n');
    if (end == std::string_view::npos) return wrong("it has no end; the file may be cut");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (number == 1) {
      if (line != first_line)
        return wrong("'" + std::string(line.substr(0, first_line.size())) + "' is not valid; valid is '" +
                     std::string(first_line) + "', as `laconic tune` of this version writes it");
      continue;
    }
    if (line.starts_with("# ") && read.remark.empty()) read.remark = line.substr(2);
    const auto words = words_of(line);
    if (words.empty() || words[0].starts_with('#')) continue;
    if (ended) return wrong("it comes after the end");
    ended = line == last_line;
    if (ended) continue;
    Class c;
    int flag = 0;
    if (words[0] == "ranks" && words.size() == 2 && read_number(words[1], read.ranks) && read.ranks > 1) continue;
    if (words[0] == "within_node" && words.size() == 2 && read_number(words[1], flag) && flag <= 1) {
      read.within_node = flag == 1;
      continue;
    }
    if (words[0] == "coding" && read_coding(words, read.coding)) continue;
    if (words[0] != "class" || !read_class(words, c))
      return wrong("'" + std::string(line) + "' is not valid; `laconic tune` writes valid profiles");
    read.classes.push_back(c);
  }
  if (read.ranks == 0 || !read.coding.known() || read.classes.empty() || !ended)
    return {Code::argument, "it needs the lines ranks, coding, class and end; the file may be cut"};
  for (const Class& c : read.classes) {
    if (!read.coding.of(c.effort).known())
      return {Code::argument, "a class has the effort " + std::string(laconic::text_of(c.effort)) +
                                  ", but there is no line 'coding " + std::string(laconic::text_of(c.effort)) + "'"};
    if (!c.algorithm->by_nodes() && !c.algorithm->fits(read.ranks))
      return {Code::argument, "the algorithm " + std::string(c.algorithm->name()) + " of " +
                                  std::string(name_of(c.collective)) + " does not serve " + std::to_string(read.ranks) +
                                  " ranks"};
  }
  profile = std::move(read);
  return {};
}

Status Profile::read(const std::string& file, Profile& profile) {
  std::ifstream in(file, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  if (!in.is_open() || in.bad()) return {Code::argument, "profile '" + file + "' cannot be read"};
  if (Status s = parse(text, profile); !s) return {s.code(), "profile '" + file + "': " + s.message()};
  return {};
}

const Profile::Class& Profile::nearest(const CallModel& call) const {
  const auto distance = [&](const Class& c) {
    return std::pair{c.collective != call.collective, std::abs(std::log2(c.bytes / class_bytes(call.bytes)))};
  };
  return *std::min_element(classes.begin(), classes.end(),
                           [&](const Class& a, const Class& b) { return distance(a) < distance(b); });
}

CallModel Profile::model_of(const Class& c) const {
  CallModel model;
  model.collective = c.collective;
  model.bytes = c.bytes;
  model.size = ranks;
  return model;
}

Path Profile::path_of(const Class& c) const {
  return laconic::path_of(model_of(c), c.plain, within_node ? path_within_node() : path_between_nodes());
}

std::optional<double> Profile::predicted(const Class& c) const {
  for (const Candidate& candidate : candidates(model_of(c), coding.only(c.effort), path_of(c)))
    if (candidate.algorithm == c.algorithm) return candidate.predicted;  // with the rows that are predicted to be best
  return {};
}

Path Profile::path_for(const CallModel& call) const { return path_of(nearest(call)); }

// The costs of the efforts that a call may use.  Where none of them was measured, the profile was made with another
// codec, and its costs are all that is known.
CodingCosts Profile::coding_for(Effort effort) const {
  const CodingCosts allowed = coding.only(effort);
  return allowed.known() ? allowed : coding;
}

Profile::Verdict Profile::decide(const CallModel& call) const {
  const Class& like = nearest(call);
  // The ranks of the call may be on other nodes than those that were measured.
  const bool serves = like.algorithm->fits({call.size, call.nodes});
  const CodingCosts costs = coding_for(call.effort);
  // The calls of an effort that was not measured have that effort all the same.
  const auto effort_of = [&](Effort found) { return call.effort == Effort::automatic ? found : call.effort; };
  if (serves && costs.of(like.effort).known() && like.collective == call.collective &&
      like.bytes == class_bytes(call.bytes) && ranks == call.size)
    return {like.compressed < like.plain ? like.algorithm : nullptr,
            like.rows,
            effort_of(like.effort),
            like.plain,
            like.compressed,
            true};
  const Path path = path_of(like);
  CallModel rounded = call;
  rounded.bytes = class_bytes(call.bytes);
  const auto plain = uncompressed_candidates(rounded, path);
  const auto compressed = candidates(rounded, costs, path);
  if (plain.empty() || compressed.empty()) return {};
  const double correction = like.compressed / predicted(like).value_or(like.compressed);
  const double seconds = compressed[0].predicted * correction;
  const Candidate& best = compressed[0];
  return {seconds < plain[0].predicted ? best.algorithm : nullptr,
          best.rows,
          effort_of(best.effort),
          plain[0].predicted,
          seconds,
          false};
}

double Profile::predicted_from_others(const Class& c) const {
  Profile others = *this;
  std::erase_if(others.classes, [&](const Class& o) { return o.collective == c.collective && o.bytes == c.bytes; });
  CallModel model = model_of(c);
  model.effort = Effort::automatic;
  return others.decide(model).compressed;
}

Profile::Verdict Profile::decide_on_messages(double bytes, Effort effort) const {
  CallModel model;
  model.collective = Collective::bcast;
  model.bytes = bytes;
  model.size = 2;
  model.effort = effort;
  return decide(model);
}

}  // namespace laconic
