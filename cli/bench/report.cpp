// SPDX-License-Identifier: BSD-3-Clause
#include "bench/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "text.hpp"

namespace laconic::cli::bench {
namespace {

constexpr double void_above = 1.15;  // plain MPI's time / bandwidth bound: above this, the link was not measured

// The traffic of the busiest link, as a multiple of the bytes of the call.
double share(const Request& r, int ranks, int window) {
  const double n = ranks;
  switch (r.operation.kind) {
    case Kind::latency: return 1;
    case Kind::bandwidth:
    case Kind::bidirectional: return window;
    case Kind::stencil: {
      double faces = 0;
      for (const int side : r.grid) faces += std::min(side - 1, 2);
      return faces;
    }
    case Kind::collective: break;
  }
  const CollectiveTraits& t = traits_of(r.operation.collective());
  if (t.neighborhood()) {
    const auto crossed = std::count_if(r.grid.begin(), r.grid.end(), [](int side) { return side > 1; });
    return static_cast<double>(crossed) / static_cast<double>(r.grid.size());
  }
  if (!t.cut_freely()) return (n - 1) / n;
  if (t.reduces && t.replicates()) return 2 * (n - 1) / n;
  return n > 1 ? 1 : 0;
}

bool messages(const Request& r) { return r.operation.kind != Kind::collective; }

// The bytes of numbers that are transferred per second.
double speed(const Request& r, const Measurement& m) {
  return messages(r) ? messages_each_way(r, m.window) * static_cast<double>(m.bytes) / m.median() : 0;
}

// Whether plain MPI's usual algorithms reach the bound. Those for bcast, reduce and scans send up to twice as much or
// more.
bool within_reach(const Request& r) {
  if (messages(r)) return true;
  const CollectiveTraits& t = traits_of(r.operation.collective());
  return !t.cut_freely() || (t.reduces && t.replicates());
}

std::string heading(const Request& r, const Setting& s, const Measurement& plain) {
  std::string what = fmt::format("{}, float32", r.operation.name);
  if (r.operation.kind == Kind::collective && reduces(r.operation.collective())) what += " " + r.op;
  if (r.operation.kind == Kind::bandwidth || r.operation.kind == Kind::bidirectional)
    what += fmt::format(", window {}", plain.window);
  if (r.operation.on_grid()) what += fmt::format(", grid {}x{}x{}", r.grid[0], r.grid[1], r.grid[2]);
  if (r.on_device) what += s.mpi_takes_memory ? ", on devices" : ", on devices (plain MPI by copies to the host)";
  std::string text = fmt::format("{}, {} ({} bytes), {} ranks, {}, {} iterations\n", what,
                                 bytes_text(static_cast<double>(plain.bytes)), plain.bytes, s.ranks,
                                 s.field.substr(s.field.rfind('/') + 1), r.iterations);
  if (const double bound = bandwidth_bound(r, s.ranks, plain.bytes, plain.window); bound > 0)
    text += fmt::format("plain MPI takes {:.3f} x its bandwidth bound of {}{}\n", plain.median() / bound,
                        seconds_text(bound),
                        plain.median() / bound <= void_above ? ""
                        : within_reach(r)                    ? ": ABOVE 1.15, THE COMPARISON IS VOID"
                                                             : ", which MPI's usual algorithms do not reach");
  return text;
}

// The text that distinguishes variants of one codec.
std::string way(const Request& r, const Measurement& m) {
  if (!messages(r)) return m.algorithm;
  return m.variant.plain() ? "" : m.variant.chunks > 0 ? std::to_string(m.variant.chunks) : "auto";
}

std::string milliseconds(double seconds) { return fmt::format("{:.{}f}", seconds * 1e3, seconds < 1e-2 ? 3 : 1); }

std::string results(const Request& r, const std::vector<Measurement>& all) {
  std::vector<Cells> rows{{"variant", messages(r) ? "chunks" : "algorithm", "bound", "median ms", "min", "max",
                           "speed-up", "ratio", "MB sent", "max error", "its bound", "kept", "bits", "cores"}};
  if (messages(r)) rows[0].push_back("MB/s");
  const double plain = all[0].median();
  for (const Measurement& m : all) {
    const bool coded = !m.variant.plain() && !m.ran_plain;
    rows.push_back({m.variant.label(), way(r, m), m.variant.bound, milliseconds(m.median()), milliseconds(m.least()),
                    milliseconds(m.most()), fmt::format("{:.2f}", plain / m.median()), fmt::format("{:.2f}", m.ratio),
                    coded ? fmt::format("{:.2f}", m.wire_bytes / 1e6) : "-", fmt::format("{:.3g}", m.max_error),
                    !std::isfinite(m.bound) ? "none"
                    : coded                 ? fmt::format("{:.3g}", m.bound)
                                            : "-",
                    m.bound_kept ? "yes" : "NO", m.bits_equal ? "equal" : "differ", fmt::format("{:.2f}", m.cores())});
    if (messages(r)) rows.back().push_back(fmt::format("{:.1f}", speed(r, m) / 1e6));
  }
  std::string text = aligned(rows, 3);
  for (const Measurement& m : all)
    if (m.ran_plain)
      text += fmt::format("{} ran as plain MPI: {}\n", m.variant.label(),
                          laconic_plain_reason_string(m.stats.plain_reason));
    else if (m.variant.codec == "auto")
      text += fmt::format("{} ran with {}\n", m.variant.label(), m.codec);
  return text;
}

std::string breakdown(const Request& r, const std::vector<Measurement>& all) {
  std::vector<Cells> rows{{"ms per call, mean of ranks", "", "", "ComDecom", "Allgather", "Memcpy", "Wait", "Reduction",
                           "Others", "total", "(distribute)", "chunks", "memory"}};
  for (const Measurement& m : all) {
    if (m.variant.plain() || m.ran_plain) continue;
    const Phases& p = m.phases;
    Cells row{m.variant.label(), way(r, m), m.variant.bound};
    for (const double seconds :
         {p.comdecom, p.allgather, p.memcpy, p.wait, p.reduction, p.others, p.total, p.distribute})
      row.push_back(fmt::format("{:.2f}", seconds * 1e3));
    row.push_back(fmt::format("{}", m.stats.most_chunks));
    row.push_back(bytes_text(m.memory_bytes));
    rows.push_back(row);
  }
  return rows.size() > 1 ? aligned(rows, 3) : "";
}

}  // namespace

double bandwidth_bound(const Request& r, int ranks, std::size_t bytes, int window) {
  return r.rate > 0 ? share(r, ranks, window) * static_cast<double>(bytes) * 8 / r.rate : 0;
}

std::string table(const Request& r, const Setting& s, const std::vector<Measurement>& all) {
  return heading(r, s, all[0]) + results(r, all) + breakdown(r, all);
}

// The times of the measured iterations, in their order.
std::string series(const std::vector<double>& seconds) { return fmt::format("[{:.9g}]", fmt::join(seconds, ", ")); }

std::vector<std::string> json_rows(const Request& r, const Setting& s, const std::vector<Measurement>& all) {
  std::vector<std::string> rows;
  const double plain = all[0].median();
  for (const Measurement& m : all) {
    const bool coded = !m.variant.plain() && !m.ran_plain;
    const double bound = bandwidth_bound(r, s.ranks, m.bytes, m.window);
    const double unknown = std::nan("");
    const Phases& p = m.phases;
    JsonObject phases;
    phases.number("comdecom", p.comdecom).number("allgather", p.allgather).number("memcpy", p.memcpy);
    phases.number("wait", p.wait).number("reduction", p.reduction).number("others", p.others);
    phases.number("total", p.total);
    JsonObject row;
    row.text("collective", r.operation.name)
        .text("variant", m.variant.name)
        .text("algorithm", messages(r) ? (m.variant.plain() ? "plain" : "none") : m.algorithm)
        .text("codec", m.variant.codec)
        .text("ran_codec", m.codec)
        .text("bound", m.variant.bound)
        .whole("ranks", static_cast<unsigned long long>(s.ranks))
        .whole("bytes", m.bytes)
        .raw("seconds", series(m.seconds))
        .number("median_s", m.median())
        .number("min_s", m.least())
        .number("max_s", m.most())
        .number("speedup_over_plain", plain / m.median())
        .number("ratio", m.ratio)
        .number("wire_bytes", coded ? m.wire_bytes : unknown)
        .number("max_error", m.max_error)
        .number("bound_result", m.bound)
        .truth("bound_kept", m.bound_kept)
        .truth("bits_equal", m.bits_equal)
        .raw("phases_s", phases.take())
        .number("distribute_s", p.distribute)
        .number("wait_reducing_s", p.wait_reducing)
        .whole("most_chunks", m.stats.most_chunks)
        .number("memory_bytes", m.memory_bytes)
        .number("cores", m.cores())
        .number("plain_over_bound", bound > 0 ? plain / bound : unknown)
        .number("rate_bit_s", r.rate)
        .truth("ran_plain", m.ran_plain)
        .text("memory", s.memory)
        .truth("mpi_takes_memory", s.mpi_takes_memory)
        .text("field", s.field)
        .text("mpi", s.mpi)
        .whole("iterations", static_cast<unsigned long long>(r.iterations))
        .whole("warmup", static_cast<unsigned long long>(r.warmup));
    if (messages(r)) {
      row.whole("window", static_cast<unsigned long long>(m.window))
          .raw("chunks", m.variant.chunks > 0 ? std::to_string(m.variant.chunks) : "null")
          .number("bandwidth", speed(r, m));
    } else {
      row.text("op", reduces(r.operation.collective()) ? r.op : "none")
          .whole("root", static_cast<unsigned long long>(r.root));
    }
    if (r.operation.on_grid()) row.raw("grid", fmt::format("[{}, {}, {}]", r.grid[0], r.grid[1], r.grid[2]));
    rows.push_back(row.take());
  }
  return rows;
}

}  // namespace laconic::cli::bench
