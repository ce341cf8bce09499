// SPDX-License-Identifier: BSD-3-Clause
// Plain MPI_Allreduce and laconic_allreduce, interleaved in one run so that both see the same machine and network.
// `allreduce --help` lists the arguments; run.py starts it in the network lab.
#include <laconic/laconic.h>
#include <mpi.h>
#include <sys/resource.h>

#include "report.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr const char* usage =
    "allreduce [--bytes 64M] [--field FILE.f32] [--bound rel:1e-4,...] [--algorithm auto,...] [--codec quant,...]\n"
    "          [--set OPTION=VALUE]... [--iterations 7] [--warmup 2] [--rate none|1gbit] [--json FILE]\n"
    "  Lists are separated by commas; every combination is measured.  --set: threads, depth, chunk_elements, target,\n"
    "  min_bytes.  --rate: what each cable carries, for the bandwidth bound.  Without --field: a smooth wave with "
    "noise.\n";

struct Arguments {
  std::size_t bytes = 64 << 20;
  std::string field, json;
  std::vector<std::string> bounds{"rel:1e-4"}, algorithms{"auto"}, codecs{"quant"};
  std::vector<std::pair<std::string, std::string>> settings;
  int iterations = 7, warmup = 2;
  double rate = 0;  // bit/s, 0: unknown
};

// ---------------------------------------------------------------- arguments

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  if (parts.empty()) throw std::invalid_argument("empty list");
  return parts;
}

// "64M", "1gbit", "7": the number and what follows it.
std::pair<double, std::string> number(const std::string& name, const std::string& text) {
  char* rest = nullptr;
  const double value = std::strtod(text.c_str(), &rest);
  if (rest == text.c_str() || !(value > 0)) throw std::invalid_argument(name + " " + text + ": a number above 0");
  return {value, rest};
}

double scaled(const std::string& name, const std::string& text,
              std::initializer_list<std::pair<const char*, double>> units) {
  const auto [value, unit] = number(name, text);
  std::string valid;
  for (const auto& [known, factor] : units) {
    if (unit == known) return value * factor;
    valid += std::string(" N") + known;
  }
  throw std::invalid_argument(name + " " + text + ": write" + valid);
}

int whole(const std::string& name, const std::string& text, int least) {
  char* rest = nullptr;
  const long value = std::strtol(text.c_str(), &rest, 10);
  if (*rest != 0 || text.empty() || value < least || value > 1000000)
    throw std::invalid_argument(name + " " + text + ": a whole number, at least " + std::to_string(least));
  return static_cast<int>(value);
}

Arguments parse(int argc, char** argv) {
  Arguments a;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--help") throw std::invalid_argument("help");
    if (i + 1 >= argc) throw std::invalid_argument(name + " lacks a value");
    const std::string value = argv[i + 1];
    if (name == "--bytes") {
      a.bytes =
          static_cast<std::size_t>(scaled(name, value, {{"", 1}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}}));
    } else if (name == "--field") {
      a.field = value;
    } else if (name == "--bound") {
      a.bounds = split(value, ',');
    } else if (name == "--algorithm") {
      a.algorithms = split(value, ',');
    } else if (name == "--codec") {
      a.codecs = split(value, ',');
    } else if (name == "--set") {
      const auto equals = value.find('=');
      if (equals == std::string::npos) throw std::invalid_argument("--set " + value + ": write OPTION=VALUE");
      a.settings.emplace_back(value.substr(0, equals), value.substr(equals + 1));
    } else if (name == "--iterations") {
      a.iterations = whole(name, value, 1);
    } else if (name == "--warmup") {
      a.warmup = whole(name, value, 0);
    } else if (name == "--rate") {
      a.rate = value == "none" ? 0 : scaled("--rate (or none)", value, {{"kbit", 1e3}, {"mbit", 1e6}, {"gbit", 1e9}});
    } else if (name == "--json") {
      a.json = value;
    } else {
      throw std::invalid_argument("unknown argument " + name);
    }
  }
  if (a.bytes < 4 || a.bytes / 4 > std::numeric_limits<int>::max()) throw std::invalid_argument("--bytes: 4 to 8G");
  return a;
}

// ---------------------------------------------------------------- data

// Ranks hold the field shifted and scaled differently: equal inputs would cancel or add up unlike real ones.
class Input {
 public:
  Input(const std::string& file, int ranks) : ranks_(ranks) {
    if (file.empty()) {
      field_.resize(1 << 20);
      std::uint32_t noise = 1;
      for (std::size_t i = 0; i < field_.size(); ++i) {
        noise = noise * 1664525u + 1013904223u;
        const double t = static_cast<double>(i);
        field_[i] = static_cast<float>(std::sin(t * 1e-3) * std::cos(t * 1.7e-5) + 1e-3 * (noise >> 8) / 16777216.0);
      }
      return;
    }
    std::ifstream stream(file, std::ios::binary | std::ios::ate);
    const auto size = stream ? static_cast<std::streamoff>(stream.tellg()) : -1;
    if (size < 4 || size % 4 != 0) throw std::runtime_error(file + ": not a file of float32 values");
    field_.resize(static_cast<std::size_t>(size) / 4);
    stream.seekg(0);
    if (!stream.read(reinterpret_cast<char*>(field_.data()), size)) throw std::runtime_error(file + ": cannot be read");
  }

  float value(int rank, std::size_t i) const {
    const std::size_t shift = field_.size() / static_cast<std::size_t>(ranks_) * static_cast<std::size_t>(rank);
    return field_[(i + shift) % field_.size()] * (1.0f + static_cast<float>(rank) / 16.0f);
  }

 private:
  std::vector<float> field_;
  int ranks_;
};

std::uint64_t hash(const std::vector<float>& values) {
  std::uint64_t h = 1469598103934665603u;
  for (const float v : values) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &v, sizeof bits);
    h = (h ^ bits) * 1099511628211u;
  }
  return h;
}

// ---------------------------------------------------------------- measuring

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "allreduce: %s\n", what.c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

void check(int code, const std::string& what) {
  if (code == MPI_SUCCESS) return;
  std::array<char, 1024> text{};
  laconic_error_string(code, text.data(), text.size());
  fail(what + ": " + text.data());
}

double over_ranks(double value, MPI_Op op) {
  double result = 0;
  MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
  return result;
}

double cpu_seconds() {
  rusage r{};
  getrusage(RUSAGE_SELF, &r);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(r.ru_utime) + seconds(r.ru_stime);
}

class Bench {
 public:
  Bench(const Arguments& a) : a_(a), input_(a.field, size()), in_(a.bytes / 4), out_(a.bytes / 4) {
    for (std::size_t i = 0; i < in_.size(); ++i) in_[i] = input_.value(rank(), i);
  }

  static int rank() {
    int r = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    return r;
  }
  static int size() {
    int n = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    return n;
  }

  void run(std::vector<Variant>& variants) {
    for (int i = -a_.warmup; i < a_.iterations; ++i) {
      for (Variant& v : variants) {
        measure(v, i >= 0);
        if (i == a_.iterations - 1) verify(v);
      }
    }
  }

 private:
  void measure(Variant& v, bool counts) {
    std::fill(out_.begin(), out_.end(), std::numeric_limits<float>::quiet_NaN());  // a result left over must not pass
    v.options.stats = &v.stats;
    v.stats = {};
    MPI_Barrier(MPI_COMM_WORLD);
    const double cpu = cpu_seconds();
    const auto begin = std::chrono::steady_clock::now();
    const int code = v.plain ? MPI_Allreduce(in_.data(), out_.data(), static_cast<int>(in_.size()), MPI_FLOAT, MPI_SUM,
                                             MPI_COMM_WORLD)
                             : laconic_allreduce(in_.data(), out_.data(), static_cast<MPI_Count>(in_.size()), MPI_FLOAT,
                                                 MPI_SUM, MPI_COMM_WORLD, &v.options);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    const double used = cpu_seconds() - cpu;
    check(code, v.name);
    const double slowest = over_ranks(elapsed.count(), MPI_MAX), all_cpu = over_ranks(used, MPI_SUM);
    std::array<double, 6> phases{v.stats.seconds_encode, v.stats.seconds_decode, v.stats.seconds_reduce,
                                 v.stats.seconds_copy,   v.stats.seconds_wait,   v.stats.seconds_other};
    MPI_Allreduce(MPI_IN_PLACE, phases.data(), 6, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (!counts) return;
    v.seconds.push_back(slowest);
    v.cpu_seconds += all_cpu;
    for (std::size_t p = 0; p < phases.size(); ++p) v.phases[p] += phases[p] / size() / a_.iterations;
  }

  void verify(Variant& v) {
    const std::uint64_t mine = hash(out_);
    std::uint64_t low = 0, high = 0;
    MPI_Allreduce(&mine, &low, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &high, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    v.bits_equal = low == high;
    v.bound = v.stats.bound;
    if (!v.plain && v.stats.plain_calls == 0) {
      v.wire_bytes = over_ranks(static_cast<double>(v.stats.bytes_sent), MPI_MAX);
      v.ratio = over_ranks(static_cast<double>(v.stats.bytes_uncompressed), MPI_SUM) /
                std::max(1.0, over_ranks(static_cast<double>(v.stats.bytes_sent), MPI_SUM));
    }
    // Every rank checks its share of the elements; with equal bits that is all of them.
    const std::size_t n = in_.size(), parts = static_cast<std::size_t>(size()), part = static_cast<std::size_t>(rank());
    double worst = 0;
    double broken = 0;
    for (std::size_t i = n / parts * part; i < (part + 1 == parts ? n : n / parts * (part + 1)); ++i) {
      double exact = 0, magnitude = 0;
      for (int r = 0; r < size(); ++r) {
        const double x = input_.value(r, i);
        exact += x;
        magnitude += std::abs(x);
      }
      const double error = std::abs(static_cast<double>(out_[i]) - exact);
      // Rounding of float sums in any order; what the bound promises comes on top of it.
      const double rounding = size() * 0x1p-24 * magnitude;
      if (!(error <= v.bound + rounding)) broken = 1;
      if (!(error <= worst)) worst = error;  // this way round, NaN shows
    }
    v.max_error = over_ranks(worst, MPI_MAX);
    v.bound_kept = over_ranks(broken, MPI_MAX) == 0;
  }

  const Arguments& a_;
  Input input_;
  std::vector<float> in_, out_;
};

std::vector<Variant> variants_of(const Arguments& a) {
  std::vector<Variant> variants(1);
  variants[0].name = variants[0].algorithm = "plain";
  variants[0].codec = "none";
  variants[0].bound_text = "none";
  variants[0].plain = true;
  for (const std::string& bound : a.bounds) {
    for (const std::string& algorithm : a.algorithms) {
      for (const std::string& codec : a.codecs) {
        Variant v;
        v.name = algorithm + " " + codec + " " + bound;
        v.bound_text = bound;
        v.algorithm = algorithm;
        v.codec = codec;
        laconic_options_init(&v.options);
        std::vector<std::pair<std::string, std::string>> settings{
            {"bound", bound}, {"algorithm", algorithm}, {"codec", codec}};
        settings.insert(settings.end(), a.settings.begin(), a.settings.end());
        for (const auto& [name, value] : settings) {
          const int code = laconic_options_set(&v.options, name.c_str(), value.c_str());
          std::array<char, 1024> text{};
          if (code != MPI_SUCCESS) laconic_error_string(code, text.data(), text.size());
          if (code != MPI_SUCCESS) throw std::invalid_argument(text.data());
        }
        variants.push_back(v);
      }
    }
  }
  return variants;
}

int measure_all(const Arguments& a) {
  std::vector<Variant> variants = variants_of(a);
  Bench(a).run(variants);
  for (Variant& v : variants) {
    // "auto" is what was asked for; what ran is what a reader wants to know.
    const char* ran = v.plain ? nullptr : laconic_algorithm_name(v.stats.algorithm);
    if (ran) v.algorithm = ran;
  }
  if (Bench::rank() == 0) {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> mpi{};
    int length = 0;
    MPI_Get_library_version(mpi.data(), &length);
    const double ranks = Bench::size();
    Run run{a.field.empty() ? "generated wave" : a.field,
            split(mpi.data(), '\n')[0],
            a.bytes,
            Bench::size(),
            a.iterations,
            a.warmup,
            a.rate,
            0};
    if (a.rate > 0) run.bandwidth_bound = 2 * (ranks - 1) / ranks * static_cast<double>(a.bytes) * 8 / a.rate;
    print_table(run, variants);
    if (!a.json.empty() && !write_json(a.json, run, variants)) fail("cannot write " + a.json);
  }
  const auto right = [](const Variant& v) { return v.bound_kept && (v.plain || v.bits_equal); };
  return std::all_of(variants.begin(), variants.end(), right) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0, code = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  try {
    code = measure_all(parse(argc, argv));
  } catch (const std::invalid_argument& e) {
    // Every rank sees the same arguments, so all of them come here.
    if (Bench::rank() == 0) std::fprintf(stderr, "allreduce: %s\n%s", e.what(), usage);
    code = 2;
  } catch (const std::exception& e) {
    fail(e.what());
  }
  MPI_Finalize();
  return code;
}
