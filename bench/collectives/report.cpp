// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

namespace {

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return 0.5 * (v[v.size() / 2] + v[(v.size() - 1) / 2]);
}
double smallest(const std::vector<double>& v) { return *std::min_element(v.begin(), v.end()); }
double largest(const std::vector<double>& v) { return *std::max_element(v.begin(), v.end()); }

double cores(const Variant& v) {
  double total = 0;
  for (const double s : v.seconds) total += s;
  return v.cpu_seconds / total;
}

std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.9g", value);
  return text.data();
}

std::string json_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out + '"';
}

}  // namespace

void print_table(const Run& run, const std::vector<Variant>& variants) {
  const double plain = median(variants[0].seconds);
  std::printf("allreduce, float32 sum, %zu bytes, %d ranks, %s\n", run.bytes, run.ranks,
              run.field.substr(run.field.rfind('/') + 1).c_str());
  if (run.bandwidth_bound > 0)
    std::printf("plain MPI takes %.3f x its bandwidth bound of %.1f ms%s\n", plain / run.bandwidth_bound,
                run.bandwidth_bound * 1e3,
                plain / run.bandwidth_bound > 1.15 ? ": ABOVE 1.15, THE COMPARISON IS VOID" : "");
  std::printf("%-36s %9s %9s %9s %6s %8s %7s %9s %10s %10s %5s %5s %5s\n", "variant", "median ms", "min", "max",
              "spread", "speed-up", "ratio", "MB sent", "max error", "bound", "kept", "bits", "cores");
  for (const Variant& v : variants) {
    std::printf("%-36s %9.1f %9.1f %9.1f %6.2f %8.2f %7.2f %9.2f %10.3g %10.3g %5s %5s %5.2f\n", v.name.c_str(),
                median(v.seconds) * 1e3, smallest(v.seconds) * 1e3, largest(v.seconds) * 1e3,
                largest(v.seconds) / smallest(v.seconds), plain / median(v.seconds), v.ratio, v.wire_bytes / 1e6,
                v.max_error, v.bound, v.bound_kept ? "yes" : "NO", v.bits_equal ? "equal" : "DIFFER", cores(v));
    if (v.stats.plain_calls > 0)
      std::printf("%-36s ran as plain MPI: %s\n", "", laconic_plain_reason_string(v.stats.plain_reason));
  }
  std::printf("phases, ms per call, mean of the ranks:\n");
  for (const Variant& v : variants) {
    if (v.plain) continue;
    std::printf("  %-34s", v.name.c_str());
    for (std::size_t p = 0; p < phase_names.size(); ++p) std::printf("  %s %.1f", phase_names[p], v.phases[p] * 1e3);
    std::printf("\n");
  }
}

bool write_json(const std::string& file, const Run& run, const std::vector<Variant>& variants) {
  const double plain = median(variants[0].seconds);
  std::ofstream out(file);
  out << "{\"field\": " << json_text(run.field) << ",\n \"mpi\": " << json_text(run.mpi)
      << ",\n \"rate_bit_s\": " << json_number(run.rate) << ", \"iterations\": " << run.iterations
      << ", \"warmup\": " << run.warmup << ",\n \"results\": [";
  const char* separator = "\n";
  for (const Variant& v : variants) {
    out << separator << "  {\"collective\": \"allreduce\", \"variant\": " << json_text(v.name)
        << ", \"algorithm\": " << json_text(v.algorithm) << ", \"codec\": " << json_text(v.codec)
        << ", \"bound\": " << json_text(v.bound_text) << ", \"ranks\": " << run.ranks << ", \"bytes\": " << run.bytes
        << ",\n   \"median_s\": " << json_number(median(v.seconds))
        << ", \"min_s\": " << json_number(smallest(v.seconds)) << ", \"max_s\": " << json_number(largest(v.seconds))
        << ", \"speedup_over_plain\": " << json_number(plain / median(v.seconds))
        << ", \"ratio\": " << json_number(v.ratio)
        << ", \"wire_bytes\": " << (v.wire_bytes > 0 ? json_number(v.wire_bytes) : "null")
        << ",\n   \"max_error\": " << json_number(v.max_error) << ", \"bound_result\": " << json_number(v.bound)
        << ", \"bound_kept\": " << (v.bound_kept ? "true" : "false")
        << ", \"bits_equal\": " << (v.bits_equal ? "true" : "false") << ", \"cores\": " << json_number(cores(v))
        << ", \"plain_over_bound\": " << (run.bandwidth_bound > 0 ? json_number(plain / run.bandwidth_bound) : "null")
        << ", \"plain_calls\": " << v.stats.plain_calls << ",\n   \"phases_s\": {";
    for (std::size_t p = 0; p < phase_names.size(); ++p)
      out << (p ? ", " : "") << json_text(phase_names[p]) << ": " << json_number(v.phases[p]);
    out << "}}";
    separator = ",\n";
  }
  out << "\n ]}\n";
  out.close();
  return !out.fail();
}
