// SPDX-License-Identifier: BSD-3-Clause
#include "report/tally.hpp"

#include <algorithm>
#include <bit>
#include <sstream>

namespace laconic::dropin {
namespace {

struct Words {
  const char* key;
  const char* text;
};

constexpr std::array<Words, reasons> words{{
    {"compressed", "compressed"},
    {"no_bound", "without a bound"},
    {"rule", "not included, or excluded"},
    {"type", "numbers of another type"},
    {"op", "another operation than SUM, MAX, MIN"},
    {"small", "smaller than min_bytes"},
    {"one_rank", "a communicator of one rank"},
    {"itself", "from a rank to itself"},
    {"intercomm", "an intercommunicator"},
    {"foreign", "ranks of another job"},
    {"differ", "hints that differ or are not valid"},
    {"asked", "plain was requested"},
    {"audit", "LACONIC_AUDIT=N:plain, and the call cannot be audited"},
    {"arguments", "arguments that MPI has to check"},
    {"memory", "no copy of the numbers could be made"},
    {"longer", "no shorter when compressed"},
    {"threads", "no thread to make progress"},
    {"form", "rules or counts that need an agreement"},
    {"device", "buffers on a GPU that would have to be packed or compared"},
    {"unprepared",
     "Laconic has no communicator for these ranks: before the first blocking call, or as many as it may have"},
    {"slower", "compression is slower, or not measured yet"},
    {"bounds", "the ranks find different items of LACONIC_BOUND"},
    {"neighbors", "a rank has the same neighbor twice"},
    {"read_only", "numbers that would be rounded where they must not be written"},
    {"refused", "refused by Laconic"},
}};

void count_one(std::vector<std::uint64_t>& counts, std::size_t k) {
  if (counts.size() <= k) counts.resize(k + 1);
  ++counts[k];
}

void keep_class(TallyGroup& group, const laconic_tuning& c) {
  const auto [known, fresh] = group.classes.try_emplace({c.collective, c.bytes}, c);
  if (!fresh && c.calls >= known->second.calls) known->second = c;
  known->second.collective = known->first.first.c_str();  // it stays as long as the entry
}

// A class as a line for other ranks, and back.
constexpr const char* class_mark = "class";
constexpr const char* traffic_mark = "traffic";

void write_class(std::ostream& out, const laconic_tuning& c) {
  out << class_mark << ' ' << c.collective << ' ' << c.bytes << ' ' << c.calls << ' ' << c.compressed_calls << ' '
      << static_cast<int>(c.algorithm) << ' ' << c.plain_seconds << ' ' << c.predicted_seconds << ' '
      << c.measured_seconds << ' ' << c.ratio << ' ' << static_cast<int>(c.codec);
}

bool read_class(std::istream& in, std::string& collective, laconic_tuning& c) {
  std::string mark;
  int algorithm = 0;
  int codec = 0;
  in >> mark >> collective >> c.bytes >> c.calls >> c.compressed_calls >> algorithm >> c.plain_seconds >>
      c.predicted_seconds >> c.measured_seconds >> c.ratio >> codec;
  c.collective = collective.c_str();
  c.algorithm = static_cast<laconic_algorithm>(algorithm);
  c.codec = static_cast<laconic_codec>(codec);
  return static_cast<bool>(in);
}

// The name of a group comes last in a line, because it may contain any character except a newline.
void end_line(std::ostream& out, const TallyGroup& group) {
  std::string name = group.name;
  std::replace(name.begin(), name.end(), '\n', ' ');
  out << ' ' << group.ranks << ' ' << name << '\n';
}

TallyGroup& group_at_end(std::istream& in, std::map<std::string, TallyGroup>& groups) {
  int ranks = 0;
  std::string name;
  in >> ranks;
  in.get();
  std::getline(in, name);
  TallyGroup& group = groups[name + '\n' + std::to_string(ranks)];
  group.name = name;
  group.ranks = ranks;
  return group;
}

}  // namespace

const char* text_of(Reason reason) { return words[static_cast<std::size_t>(reason)].text; }
const char* key_of(Reason reason) { return words[static_cast<std::size_t>(reason)].key; }

Tallies& Tallies::instance() {
  static Tallies& tallies = *new Tallies;  // never destroyed, like Process
  return tallies;
}

TallyGroup& Tallies::group(const std::string& name, int ranks) {
  const std::lock_guard lock(mutex_);
  TallyGroup& group = groups_[name + '\n' + std::to_string(ranks)];
  group.name = name;
  group.ranks = ranks;
  return group;
}

template <class F>
void Tallies::count(TallyGroup& group, Operation operation, F f) {
  const std::lock_guard lock(mutex_);
  f(group.by_operation[index_of(operation)]);
  for (Tally* tally : watchers_[index_of(operation)]) f(*tally);
}

void Tallies::plain(TallyGroup& group, Operation operation, Reason reason) {
  count(group, operation, [&](Tally& tally) {
    ++tally.calls;
    ++tally.plain[static_cast<std::size_t>(reason)];
  });
}

void Tallies::compressed(TallyGroup& group, Operation operation, const laconic_stats& stats, const CallBound& bound) {
  count(group, operation, [&](Tally& tally) {
    ++tally.calls;
    ++tally.compressed;
    ++tally.by_codec[static_cast<std::size_t>(stats.codec)];
    ++tally.through_host[static_cast<std::size_t>(stats.through_host)];
    if (bound.item != CallBound::no_item) count_one(tally.by_bound, static_cast<std::size_t>(bound.item));
    tally.bytes += stats.bytes_in;
    tally.sent += stats.bytes_sent;
    tally.uncompressed += stats.bytes_uncompressed;
    tally.seconds += stats.seconds_total;
    tally.bound = std::max(tally.bound, stats.bound);
    tally.achieved = std::max(tally.achieved, stats.achieved_bound);
  });
}

void Tallies::audited(TallyGroup& group, Operation operation, double error, double seconds) {
  count(group, operation, [&](Tally& tally) {
    ++tally.audits;
    tally.error = std::max(tally.error, error);
    tally.plain_seconds += seconds;
  });
}

void Tallies::carried(TallyGroup& group, const TrafficKey& of, std::uint64_t bytes, double seconds) {
  const std::lock_guard lock(mutex_);
  Traffic& traffic = group.traffic[of];
  ++traffic.calls;
  traffic.bytes += bytes;
  traffic.seconds += seconds;
}

Tallies::Due Tallies::sample_due(TallyGroup& group, const TrafficKey& of) {
  const std::lock_guard lock(mutex_);
  const Traffic& traffic = group.traffic[of];
  if (!traffic.sample.is_due(traffic.calls)) return Due::no;
  return traffic.sample.taken == 0 ? Due::first : Due::again;
}

void Tallies::sampled(TallyGroup& group, const TrafficKey& of, const Sample& sample) {
  const std::lock_guard lock(mutex_);
  group.traffic[of].sample += sample;
}

// Calls 1, 2, 4, 8, ...
bool Tallies::look_due(TallyGroup& group, Operation operation) {
  const std::lock_guard lock(mutex_);
  return std::has_single_bit(group.by_operation[index_of(operation)].compressed);
}

void Tallies::looked(TallyGroup& group, Operation operation, bool exceeds) {
  const std::lock_guard lock(mutex_);
  Tally& tally = group.by_operation[index_of(operation)];
  ++tally.looked;
  tally.exceeds += exceeds ? 1 : 0;
}

void Tallies::tuned(TallyGroup& group, MPI_Comm comm) {
  std::array<laconic_tuning, 64> known{};
  int count = 0;
  if (laconic_tuning_get(comm, known.data(), static_cast<int>(known.size()), &count) != MPI_SUCCESS) return;
  const std::lock_guard lock(mutex_);
  for (std::size_t k = 0; k < std::min(known.size(), static_cast<std::size_t>(count)); ++k) keep_class(group, known[k]);
}

void Tallies::watch(Operation operation, Tally& tally) {
  const std::lock_guard lock(mutex_);
  watchers_[index_of(operation)].push_back(&tally);
}

void Tallies::unwatch(Operation operation, Tally& tally) {
  const std::lock_guard lock(mutex_);
  std::erase(watchers_[index_of(operation)], &tally);
}

std::string Tallies::to_text() {
  const std::lock_guard lock(mutex_);
  std::ostringstream out;
  out.precision(17);
  for (const auto& [key, group] : groups_) {
    for (std::size_t o = 0; o < num_operations; ++o) {
      const Tally& t = group.by_operation[o];
      if (t.calls == 0) continue;
      out << o << ' ' << t.calls << ' ' << t.compressed << ' ' << t.bytes << ' ' << t.sent << ' ' << t.uncompressed
          << ' ' << t.seconds << ' ' << t.bound << ' ' << t.achieved << ' ' << t.audits << ' ' << t.error << ' '
          << t.plain_seconds;
      for (const std::uint64_t count : t.by_codec) out << ' ' << count;
      for (const std::uint64_t count : t.through_host) out << ' ' << count;
      for (const std::uint64_t count : t.plain) out << ' ' << count;
      out << ' ' << t.looked << ' ' << t.exceeds << ' ' << t.by_bound.size();
      for (const std::uint64_t count : t.by_bound) out << ' ' << count;
      end_line(out, group);
    }
    for (const auto& [class_key, c] : group.classes) {
      write_class(out, c);
      end_line(out, group);
    }
    for (const auto& [of, traffic] : group.traffic) {
      out << traffic_mark << ' ';
      write(out, of, traffic);
      end_line(out, group);
    }
  }
  return out.str();
}

void Tallies::merge(const std::string& text, std::map<std::string, TallyGroup>& into) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    if (line.starts_with(class_mark)) {
      std::string collective;
      laconic_tuning c{};
      if (read_class(in, collective, c)) keep_class(group_at_end(in, into), c);
      continue;
    }
    if (line.starts_with(traffic_mark)) {
      std::string mark;
      TrafficKey of;
      Traffic traffic;
      in >> mark;
      if (read(in, of, traffic)) dropin::merge(group_at_end(in, into).traffic, of, traffic);
      continue;
    }
    Tally t;
    std::size_t o = 0;
    std::string bound;
    std::string achieved;
    std::string error;
    in >> o >> t.calls >> t.compressed >> t.bytes >> t.sent >> t.uncompressed >> t.seconds >> bound >> achieved >>
        t.audits >> error >> t.plain_seconds;
    for (std::uint64_t& count : t.by_codec) in >> count;
    for (std::uint64_t& count : t.through_host) in >> count;
    for (std::uint64_t& count : t.plain) in >> count;
    std::size_t items = 0;
    in >> t.looked >> t.exceeds >> items;
    if (!in || items > line.size()) continue;
    t.by_bound.resize(items);
    for (std::uint64_t& count : t.by_bound) in >> count;
    if (!in) continue;
    // Streams can write infinity but cannot read it.
    t.bound = std::strtod(bound.c_str(), nullptr);
    t.achieved = std::strtod(achieved.c_str(), nullptr);
    t.error = std::strtod(error.c_str(), nullptr);
    Tally& sum = group_at_end(in, into).by_operation[o % num_operations];
    sum.calls = std::max(sum.calls, t.calls);
    sum.compressed = std::max(sum.compressed, t.compressed);
    for (std::size_t k = 0; k < codecs; ++k) sum.by_codec[k] = std::max(sum.by_codec[k], t.by_codec[k]);
    for (std::size_t k = 0; k < through_host_reasons; ++k)
      sum.through_host[k] = std::max(sum.through_host[k], t.through_host[k]);
    sum.looked += t.looked;
    sum.exceeds += t.exceeds;
    if (sum.by_bound.size() < items) sum.by_bound.resize(items);
    for (std::size_t k = 0; k < items; ++k) sum.by_bound[k] = std::max(sum.by_bound[k], t.by_bound[k]);
    for (std::size_t k = 0; k < reasons; ++k) sum.plain[k] = std::max(sum.plain[k], t.plain[k]);
    sum.bytes += t.bytes;
    sum.sent += t.sent;
    sum.uncompressed += t.uncompressed;
    sum.seconds = std::max(sum.seconds, t.seconds);
    sum.bound = std::max(sum.bound, t.bound);
    sum.achieved = std::max(sum.achieved, t.achieved);
    sum.audits = std::max(sum.audits, t.audits);
    sum.error = std::max(sum.error, t.error);
    sum.plain_seconds = std::max(sum.plain_seconds, t.plain_seconds);
  }
}

}  // namespace laconic::dropin
