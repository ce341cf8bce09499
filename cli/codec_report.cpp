// SPDX-License-Identifier: BSD-3-Clause
#include "codec_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "text.hpp"

namespace laconic::cli {
namespace {

std::string number(double value, const char* format) {
  return std::isnan(value) ? "-" : fmt::format(fmt::runtime(format), value);
}

// "25.1 [24.3] 1.17x": best, median, and the best as a multiple of memcpy's best.
std::string speed(const Speed& s, const Speed& copy) {
  if (std::isnan(s.best)) return "-";
  return fmt::format("{:.3g} [{:.3g}] {:.2f}x", s.best, s.median, s.best / copy.best);
}

std::string heading(const FieldReport& report, const Setup& setup, std::string_view isa) {
  const double megabytes = static_cast<double>(report.count * size_of(report.dtype)) * 1e-6;
  std::string text = fmt::format("{}: {} {}, {:.4g} MB, ", report.file, report.count, name_of(report.dtype), megabytes);
  text += report.range.least <= report.range.greatest
              ? fmt::format("from {:.6g} to {:.6g}\n", report.range.least, report.range.greatest)
              : std::string("none of them finite\n");
  for (const Measurement& m : report.rows) {
    if (std::isnan(m.copy.best)) continue;
    const auto threads =
        setup.threads == 1 ? std::string("one thread's time") : fmt::format("{} threads", setup.threads);
    const auto frames = setup.chunk == 0 ? std::string("one frame") : fmt::format("frames of {} numbers", setup.chunk);
    text += fmt::format(
        "GB/s of uncompressed numbers, best of {} [median] and best / memcpy's best; {}, {}, {:.4g} MB, kernels {}\n",
        setup.repeat, threads, frames, static_cast<double>(m.speed_bytes) * 1e-6, isa);
    break;
  }
  return text;
}

Cells cells(const Measurement& m, Dtype dtype) {
  const Errors& e = m.errors;
  return {m.codec,
          m.bound,
          number(m.ratio(dtype), "{:.2f}"),
          speed(m.encode, m.copy),
          speed(m.decode, m.copy),
          speed(m.fold, m.copy),
          speed(m.add, m.copy),
          number(m.copy.best, "{:.3g}"),
          number(e.max_error, "{:.3g}"),
          m.allowance > 0 ? number(e.max_error / m.allowance, "{:.3f}") : "-",
          fmt::format("{}{}", e.violations, e.violations > e.beyond_rounding ? "*" : ""),
          number(e.psnr, "{:.1f}"),
          number(e.nrmse, "{:.2e}")};
}

}  // namespace

std::string table(const FieldReport& report, const Setup& setup, std::string_view isa) {
  std::vector<Cells> rows{{"codec", "bound", "ratio", "encode", "decode", "fold", "add", "memcpy", "max error",
                           "/bound", "violations", "PSNR dB", "NRMSE"}};
  std::string notes;
  for (const Measurement& m : report.rows) {
    if (m.status) {
      rows.push_back(cells(m, report.dtype));
      if (m.errors.violations > m.errors.beyond_rounding)
        notes +=
            fmt::format("* {} {}: {} of {} are within the bound and the rounding of {}\n", m.codec, m.bound,
                        m.errors.violations - m.errors.beyond_rounding, m.errors.violations, name_of(report.dtype));
    } else {
      notes += fmt::format("{} {}: {}\n", m.codec, m.bound, m.status.message());
    }
  }
  std::string text = heading(report, setup, isa);
  if (rows.size() > 1) text += aligned(rows, 2);
  return text + notes;
}

std::string json(const std::vector<FieldReport>& reports, const Setup& setup, std::string_view isa) {
  std::vector<std::string> rows;
  for (const FieldReport& report : reports)
    for (const Measurement& m : report.rows) {
      const std::vector<std::pair<std::string_view, std::string>> members{
          {"file", json_text(report.file)},
          {"codec", json_text(m.codec)},
          {"bound", json_text(m.bound)},
          {"count", fmt::format("{}", m.count)},
          {"bytes", m.status ? fmt::format("{}", m.bytes) : "null"},
          {"ratio", json_number(m.status ? m.ratio(report.dtype) : unknown)},
          {"encode_gbs", json_number(m.encode.best)},
          {"decode_gbs", json_number(m.decode.best)},
          {"memcpy_gbs", json_number(m.copy.best)},
          {"max_error", json_number(m.status ? m.errors.max_error : unknown)},
          {"violations", m.status ? fmt::format("{}", m.errors.violations) : "null"},
          {"psnr", json_number(m.status ? m.errors.psnr : unknown)},
          {"nrmse", json_number(m.status ? m.errors.nrmse : unknown)},
          {"beyond_rounding", m.status ? fmt::format("{}", m.errors.beyond_rounding) : "null"},
          {"fold_gbs", json_number(m.fold.best)},
          {"add_gbs", json_number(m.add.best)},
          {"encode_median_gbs", json_number(m.encode.median)},
          {"decode_median_gbs", json_number(m.decode.median)},
          {"memcpy_median_gbs", json_number(m.copy.median)},
          {"fold_median_gbs", json_number(m.fold.median)},
          {"add_median_gbs", json_number(m.add.median)},
          {"dtype", json_text(name_of(report.dtype))},
          {"allowance", json_number(m.allowance)},
          {"least", json_number(report.range.least)},
          {"greatest", json_number(report.range.greatest)},
          {"chunk", fmt::format("{}", setup.chunk)},
          {"threads", fmt::format("{}", setup.threads)},
          {"speed_bytes", fmt::format("{}", m.speed_bytes)},
          {"isa", json_text(isa)},
          {"problem", m.status ? "null" : json_text(m.status.message())},
      };
      JsonObject row;
      for (const auto& [name, value] : members) row.raw(name, value);
      rows.push_back(row.take());
    }
  return json_list(rows);
}

}  // namespace laconic::cli
