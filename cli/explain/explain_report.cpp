// SPDX-License-Identifier: BSD-3-Clause
#include "explain/explain_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "text.hpp"

namespace laconic::cli::explain {
namespace {

// Above this number, steps are listed only for a rank that the user named.
constexpr std::size_t most_steps_unasked = 64;

std::string_view name_of(Verb verb) {
  switch (verb) {
    case Verb::send: return "send";
    case Verb::receive: return "receive";
    case Verb::reduce: return "reduce";
  }
  return "?";
}

std::string_view name_of(Location location) {
  switch (location) {
    case Location::none: return "";
    case Location::input: return "input";
    case Location::output: return "output";
    case Location::spare: return "spare";
  }
  return "";
}

std::string_view name_of(Travel travel) {
  switch (travel) {
    case Travel::homomorphic: return "homomorphic";
    case Travel::reencoding: return "reencoding";
    case Travel::per_hop: return "per hop";
  }
  return "?";
}

std::string_view meaning_of(Travel travel) {
  switch (travel) {
    case Travel::homomorphic: return "frames are forwarded, and added exactly";
    case Travel::reencoding: return "frames are forwarded, but sums are encoded again";
    case Travel::per_hop: return "every hop encodes numbers before a send and decodes them after a receive";
  }
  return "?";
}

std::string op_name(const Question& q) {
  if (!reduces(q.collective)) return "";
  return q.mean ? " avg" : q.op == Op::max ? " max" : q.op == Op::min ? " min" : " sum";
}

// The unit of an error: relative bounds are fractions of a range that is not known here.
std::string error_text(const Question& q, double error) {
  return fmt::format("{:.4g}{}", error, q.bound.mode == BoundMode::rel ? " of the range" : "");
}

std::string budget_text(const Question& q, const Answer& a) {
  const char* unit = a.terms.all() == 1 ? "error" : "errors";
  std::string text = fmt::format("  travel: {} ({}); a result holds {} {} of one encode", name_of(a.travel),
                                 meaning_of(a.travel), a.terms.all(), unit);
  if (a.terms.intermediate > 0 && a.terms.final > 0)
    text += fmt::format(": {} on the way, {} of results", a.terms.intermediate, a.terms.final);
  text += "\n";
  if (!a.budgeted) {
    switch (q.bound.mode) {
      case BoundMode::lossless: return text + "  budget: no error is made\n";
      case BoundMode::block:
      case BoundMode::rms: return text + "  budget: the error of each contribution may be its share of its own block\n";
      case BoundMode::rate: return text + "  budget: none; the number of bits is fixed, the error has no bound\n";
      default: return text + "  budget: without a bound the call is plain MPI\n";
    }
  }
  const bool on_the_way = a.terms.intermediate > 0;
  text += fmt::format("  budget: the error of an encode may be {}",
                      error_text(q, on_the_way ? a.budget.allowance : a.budget.last_allowance));
  if (on_the_way && a.terms.final > 0)
    text += fmt::format(", of an encode of a result {}", error_text(q, a.budget.last_allowance));
  if (a.budget.coarser > 0)
    text += fmt::format(", of rounding a result once more {}", error_text(q, a.budget.last_allowance));
  return text + fmt::format("; in the worst case a result has an error of {}\n", error_text(q, a.budget.worst_case));
}

std::string work_text(const Question& q, const Answer& a) {
  const Work& w = a.work;
  std::string text =
      fmt::format("  rows: {} blocks of at most {} numbers, {} numbers in a frame: {} rows, {} under way at a time\n",
                  w.plan.cut, w.largest, w.chunk, w.rows, w.depth);
  text += fmt::format("  memory: {} frames held at most in a row, {} in all\n", w.plan.most_held,
                      bytes_text(static_cast<double>(w.memory)));
  text += fmt::format(
      "  rank {}: {} sends in {} messages, {} receives and {} reduces from {} messages a row; {} frames sent, {} of "
      "numbers, {} on the wire at ratio {}\n",
      q.rank, w.verbs[0], w.messages_sent, w.verbs[1], w.verbs[2], w.messages_taken, w.frames, bytes_text(w.sent),
      bytes_text(w.wire), q.ratio);
  std::map<std::string_view, std::size_t> acts;
  for (const Action& action : w.plan.actions) ++acts[laconic::name_of(action.act)];
  std::string list;
  for (const auto& [name, count] : acts) list += fmt::format("{}{} {}", list.empty() ? "" : ", ", count, name);
  return text + fmt::format("  actions a row: {}\n", list.empty() ? "none" : list);
}

std::string steps_text(const Question& q, const Answer& a) {
  const Work& w = a.work;
  std::vector<Cells> steps{{"  steps", "block", "peer"}};
  for (const Step& s : w.schedule.steps)
    steps.push_back({"  " + std::string(name_of(s.verb)), std::to_string(s.block), std::to_string(s.peer)});
  std::vector<Cells> actions{{"  actions", "block", "peer", "from", "to"}};
  for (const Action& act : w.plan.actions)
    actions.push_back({"  " + std::string(laconic::name_of(act.act)) + (act.last ? " (result)" : ""),
                       std::to_string(w.plan.blocks[static_cast<std::size_t>(act.block)]),
                       act.peer >= 0 ? std::to_string(act.peer) : "", std::string(name_of(act.from)),
                       std::string(name_of(act.to))});
  return fmt::format("  steps and actions of rank {} for every row:\n", q.rank) + aligned(steps, 1) +
         aligned(actions, 1);
}

std::string verdict_text(const Question& q, const Profile::Verdict& v) {
  const std::string decision = v.algorithm != nullptr ? fmt::format("is compressed with {} and {} in {} rows",
                                                                    v.algorithm->name(), q.codec_of(v.effort), v.rows)
                                                      : "is left to MPI";
  std::string text = fmt::format("profile: {}\nwith it the call {}", q.profile->remark, decision);
  if (v.compressed <= 0) return text + ": the plans of the ranks are too large to be walked\n";
  return text + fmt::format(": {} compressed, {} as plain MPI, both {}\n", seconds_text(v.compressed),
                            seconds_text(v.plain),
                            v.measured ? "measured" : "predicted from the most similar class of the profile");
}

std::string verdict_json(const Question& q, const Profile::Verdict& v) {
  JsonObject o;
  o.text("algorithm", v.algorithm != nullptr ? v.algorithm->name() : "plain");
  o.text("codec", v.algorithm != nullptr ? q.codec_of(v.effort) : "none");
  o.number("plain_s", v.plain).raw("compressed_s", v.compressed > 0 ? json_number(v.compressed) : "null");
  return o.truth("measured", v.measured).take();
}

// Why auto would take one of the efforts.
std::string effort_text(const Question& q, const Comparison& all) {
  if (all.fastest.size() < 2) return "";
  const Candidate& first = all.fastest[0];
  const Candidate& other = all.fastest[1];
  const auto parts = [](double Timing::*part, const Candidate& a, const Candidate& b) {
    return seconds_text(a.timing.*part) + " against " + seconds_text(b.timing.*part);
  };
  const std::string small =
      other.predicted < first.predicted ? fmt::format(", less than {:.0f} % faster", 100 * (1 - clear_gain)) : "";
  return fmt::format(
      "effort auto tries {}: {} with {}, the fastest with {} is {} with {}{}; coding {}, wire {}, latency {}\n",
      first.effort == Effort::dense ? "dense before light" : "light only", first.algorithm->name(),
      seconds_text(first.predicted), q.codec_of(other.effort), other.algorithm->name(), seconds_text(other.predicted),
      small, parts(&Timing::codec, first, other), parts(&Timing::wire, first, other),
      parts(&Timing::latency, first, other));
}

}  // namespace

std::string heading(const Question& q, const Comparison& all) {
  const char* const on_target = q.target == BoundTarget::input    ? "inputs"
                                : q.target == BoundTarget::likely ? "result of most elements"
                                                                  : "result";
  std::string text =
      fmt::format("{}{} of {} ({} {}) on {} ranks", q.name, op_name(q), bytes_text(static_cast<double>(q.bytes)),
                  q.bytes / size_of(q.dtype), laconic::name_of(q.dtype), q.ranks);
  if (q.nodes) text += fmt::format(" on {} nodes", q.nodes->nodes());
  if (has_root(q.collective)) text += fmt::format(", root {}", q.root);
  text += fmt::format("; codec {}, bound {} on the {}, variant {}\n",
                      q.effort == Effort::automatic ? q.codec_name + " or dense (effort auto)" : q.codec_name,
                      to_string(q.bound), on_target, q.variant);
  if (q.name != laconic::name_of(q.collective))
    text += fmt::format("{} has the schedules of {}; parts are taken to be equal\n", q.name,
                        laconic::name_of(q.collective));
  if (traits_of(q.collective).neighborhood())
    text +=
        fmt::format("the ranks are taken to form a periodic grid of {}\n", fmt::join(balanced_grid(q.ranks), " x "));
  if (all.verdict)
    text += verdict_text(q, *all.verdict);
  else
    text += fmt::format("auto takes {} where nothing is measured\n", all.chosen->name());
  std::vector<Cells> rows{
      {"algorithm", "codec", "terms", "rows", "predicted", "coding", "wire", "latency", "without compression"}};
  for (const Row& r : all.rows) {
    Cells cells{std::string(r.algorithm->name()),
                std::string(q.codec_of(r.effort)),
                std::to_string(r.terms.all()),
                "",
                "-",
                "",
                "",
                "",
                "-"};
    if (r.compressed) {
      const Timing& t = r.compressed->timing;
      cells = {cells[0],
               cells[1],
               cells[2],
               std::to_string(r.compressed->rows),
               seconds_text(r.compressed->predicted) + (r.ranks < q.ranks ? fmt::format(" ({} ranks)", r.ranks) : ""),
               seconds_text(t.codec),
               seconds_text(t.wire),
               seconds_text(t.latency),
               cells[8]};
    }
    if (r.uncompressed) cells[8] = seconds_text(r.uncompressed->predicted);
    rows.push_back(cells);
  }
  text += aligned(rows, 1);
  text += fmt::format("predicted by a walk along the plans: messages take {} and {:.4g} GB/s\n",
                      seconds_text(q.path.latency), 1e-9 * q.path.bytes_per_second);
  for (const Effort effort : efforts)
    if (const CodingCost& cost = q.coding.of(effort); cost.known())
      text += fmt::format("frames of {} have ratio {:.4g}; a core encodes {:.2g} GB/s and decodes {:.2g} GB/s\n",
                          q.codec_of(effort), 1 / cost.frame, 1e-9 / cost.encode, 1e-9 / cost.decode);
  text += effort_text(q, all);
  if (q.nodes)
    text += "predicted with shared memory within nodes, and one link of this speed for all ranks of a node\n";
  if (!all.plain || std::any_of(all.rows.begin(), all.rows.end(), [](const Row& r) { return !r.compressed; }))
    text += "-: the plans are too large to be walked\n";
  if (all.plain)
    text += fmt::format("plain MPI is taken for the fastest without compression: {}\n", seconds_text(*all.plain));
  return text;
}

std::string text(const Question& q, const Answer& a) {
  std::string out = fmt::format("\n{}\n{}", a.algorithm->name(), budget_text(q, a));
  if (!a.worked_out) return out + "  the plan of one rank is large: --rank shows it\n";
  out += work_text(q, a);
  if (q.rank_given || a.work.schedule.steps.size() <= most_steps_unasked)
    out += steps_text(q, a);
  else
    out += fmt::format("  {} steps: --rank lists them\n", a.work.schedule.steps.size());
  return out;
}

std::string json(const Question& q, const Comparison& all, const Answer& a, const std::string& on_device) {
  std::vector<std::string> rows;
  for (const Row& r : all.rows) {
    const auto seconds = [&](double Timing::*part) {
      return r.compressed ? json_number(r.compressed->timing.*part) : std::string("null");
    };
    JsonObject row;
    row.text("algorithm", r.algorithm->name())
        .text("codec", q.codec_of(r.effort))
        .number("terms", r.terms.all())
        .raw("rows", r.compressed ? std::to_string(r.compressed->rows) : "null")
        .raw("predicted_s", r.compressed ? json_number(r.compressed->predicted) : "null")
        .raw("codec_s", seconds(&Timing::codec))
        .raw("wire_s", seconds(&Timing::wire))
        .raw("latency_s", seconds(&Timing::latency))
        .number("predicted_ranks", r.ranks)
        .raw("uncompressed_s", r.uncompressed ? json_number(r.uncompressed->predicted) : "null");
    rows.push_back(row.take());
  }
  JsonObject out;
  out.text("collective", q.name)
      .text("schedules_of", laconic::name_of(q.collective))
      .text("algorithm", a.algorithm->name());
  out.text("auto", all.chosen->name())
      .text("codec", q.codec_name)
      .text("effort", text_of(q.effort))
      .text("bound", to_string(q.bound));
  out.text("variant", q.variant).text("target", text_of(q.target));
  out.number("ranks", q.ranks)
      .raw("nodes", q.nodes ? std::to_string(q.nodes->nodes()) : "null")
      .number("rank", q.rank)
      .number("root", q.root)
      .whole("bytes", q.bytes);
  out.text("travel", name_of(a.travel))
      .number("terms_intermediate", a.terms.intermediate)
      .number("terms_final", a.terms.final);
  const auto budget = [&](double value) { return a.budgeted ? json_number(value) : std::string("null"); };
  out.raw("allowance", budget(a.budget.allowance)).raw("last_allowance", budget(a.budget.last_allowance));
  out.raw("worst_case", budget(a.budget.worst_case)).truth("relative_to_range", q.bound.mode == BoundMode::rel);
  out.number("ratio", q.ratio).number("latency_s", q.path.latency);
  out.number("bandwidth_bytes_s", q.path.bytes_per_second).number("message_s", q.path.per_message);
  if (all.verdict) out.raw("profile", verdict_json(q, *all.verdict));
  out.raw("plain_s", all.plain ? json_number(*all.plain) : "null");
  out.raw("candidates", fmt::format("[{}]", fmt::join(rows, ", ")));
  if (!on_device.empty()) out.raw("device", on_device);
  if (!a.worked_out) return out.take();
  const Work& w = a.work;
  out.number("blocks", w.plan.cut).whole("rows", w.rows).whole("chunk_elements", w.chunk).whole("depth", w.depth);
  out.whole("frames_sent", w.frames)
      .whole("messages_sent", w.messages_sent * w.rows)
      .number("bytes_uncompressed", w.sent)
      .number("bytes_sent", w.wire);
  out.whole("memory_bytes", w.memory);
  std::vector<std::string> steps;
  for (const Step& s : w.schedule.steps)
    steps.push_back(fmt::format("[{}, {}, {}]", json_text(name_of(s.verb)), s.block, s.peer));
  std::vector<std::string> actions;
  for (const Action& act : w.plan.actions)
    actions.push_back(fmt::format("[{}, {}, {}]", json_text(laconic::name_of(act.act)),
                                  w.plan.blocks[static_cast<std::size_t>(act.block)],
                                  act.peer >= 0 ? std::to_string(act.peer) : "null"));
  if (q.rank_given || steps.size() <= most_steps_unasked) {
    out.raw("steps", fmt::format("[{}]", fmt::join(steps, ", ")));
    out.raw("actions", fmt::format("[{}]", fmt::join(actions, ", ")));
  }
  return out.take();
}

}  // namespace laconic::cli::explain
