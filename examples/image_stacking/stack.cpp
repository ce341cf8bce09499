// Stacks the partial images of all ranks: once with MPI_Allreduce, and with laconic_allreduce at several
// error bounds, in turns, and compares time, bytes and error.
//
// Exits with 1 if a promise of Laconic does not hold: an error above the bound, or different bits on two
// ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <laconic/laconic.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "files.hpp"

namespace {

using stacking::Arguments;

struct Quality {
  double max_error = 0;
  double nrmse = 0;  // root mean square error over (max - min)
  double psnr = 0;   // decibels, of the same
};

struct Variant {
  std::string name = "plain";
  double share = 0;   // bound as a share of the largest value of the stacked image; 0: none
  double rate = 0;    // bits per value, without a bound; 0: none
  std::string codec;  // empty: as the library chooses
  double bound = 0;
  std::vector<double> seconds;  // of the slowest rank, per repetition
  bool equal_bits = true;
  std::uint64_t bytes_sent = 0;  // by all ranks in one call, with headers
  std::uint64_t bytes_uncompressed = 0;
  laconic_stats stats = {};
  Quality quality;

  bool is_plain() const { return share == 0 && rate == 0; }
  double median() const {
    std::vector<double> s = seconds;
    std::sort(s.begin(), s.end());
    const std::size_t n = s.size();
    return n % 2 == 1 ? s[n / 2] : (s[n / 2 - 1] + s[n / 2]) / 2;
  }
  double fastest() const { return *std::min_element(seconds.begin(), seconds.end()); }
  double slowest() const { return *std::max_element(seconds.begin(), seconds.end()); }
  double ratio() const {
    return bytes_sent == 0 ? 1 : static_cast<double>(bytes_uncompressed) / static_cast<double>(bytes_sent);
  }
  // Rounding the exact sum to float is not Laconic's error.
  bool within_bound(double scale) const {
    return share == 0 || quality.max_error <= bound + scale * std::numeric_limits<float>::epsilon();
  }
};

struct Stack {
  std::size_t count = 0;
  std::vector<float> partial;
  std::vector<float> result;
  std::vector<double> exact;
  double largest = 0;  // of the exact stack's absolute values
  double range = 0;    // its max - min
};

void check(int code, const char* what) {
  if (code != MPI_SUCCESS) {
    char text[1024];
    laconic_error_string(code, text, sizeof text);
    throw std::runtime_error(std::string(what) + ": " + text);
  }
}

template <class T>
T over_ranks(T value, MPI_Datatype type, MPI_Op op) {
  check(MPI_Allreduce(MPI_IN_PLACE, &value, 1, type, op, MPI_COMM_WORLD), "MPI_Allreduce");
  return value;
}

// FNV-1a over words: enough to see whether two ranks hold the same bits.
std::uint64_t fingerprint(const std::vector<float>& values) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const float value : values) {
    std::uint32_t word = 0;
    std::memcpy(&word, &value, sizeof word);
    hash = (hash ^ word) * 0x100000001b3u;
  }
  return hash;
}

bool same_on_all_ranks(std::uint64_t value) {
  return over_ranks(value, MPI_UINT64_T, MPI_MIN) == over_ranks(value, MPI_UINT64_T, MPI_MAX);
}

// The sum in double, in which adding a few floats is exact for our purposes.
void sum_exactly(Stack& stack) {
  stack.exact.assign(stack.partial.begin(), stack.partial.end());
  check(MPI_Allreduce(MPI_IN_PLACE, stack.exact.data(), static_cast<int>(stack.count), MPI_DOUBLE, MPI_SUM,
                      MPI_COMM_WORLD),
        "MPI_Allreduce");
  const auto [low, high] = std::minmax_element(stack.exact.begin(), stack.exact.end());
  stack.range = *high - *low;
  stack.largest = std::max(std::fabs(*low), std::fabs(*high));
  if (!(stack.range > 0 && std::isfinite(stack.range))) {
    throw std::runtime_error("the stacked image is empty or not finite: run migrate anew");
  }
}

Quality compare(const Stack& stack) {
  Quality quality;
  double squares = 0;
  for (std::size_t i = 0; i < stack.count; ++i) {
    const double error = std::fabs(stack.result[i] - stack.exact[i]);
    quality.max_error = error <= quality.max_error ? quality.max_error : error;  // keeps a NaN
    squares += error * error;
  }
  const double rmse = std::sqrt(squares / static_cast<double>(stack.count));
  quality.nrmse = rmse / stack.range;
  quality.psnr = -20 * std::log10(quality.nrmse);
  return quality;
}

// One stacking, timed from a common start to the slowest rank's end.
double run_once(Variant& variant, Stack& stack) {
  laconic_options options;
  laconic_options_init(&options);
  options.bound = variant.rate > 0 ? laconic_bound{LACONIC_BOUND_RATE, variant.rate}
                                   : laconic_bound{LACONIC_BOUND_ABS, variant.bound};
  if (!variant.codec.empty()) check(laconic_options_set(&options, "codec", variant.codec.c_str()), "--bounds");
  options.stats = &variant.stats;
  options.tune = LACONIC_TUNE_OFF;  // compressed calls are compared here, also where they are slower
  std::fill(stack.result.begin(), stack.result.end(), 0.0f);

  check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  const double start = MPI_Wtime();
  if (variant.is_plain()) {
    check(MPI_Allreduce(stack.partial.data(), stack.result.data(), static_cast<int>(stack.count), MPI_FLOAT, MPI_SUM,
                        MPI_COMM_WORLD),
          "MPI_Allreduce");
  } else {
    check(laconic_allreduce(stack.partial.data(), stack.result.data(), static_cast<MPI_Count>(stack.count), MPI_FLOAT,
                            MPI_SUM, MPI_COMM_WORLD, &options),
          "laconic_allreduce");
  }
  const double seconds = over_ranks(MPI_Wtime() - start, MPI_DOUBLE, MPI_MAX);

  variant.equal_bits = variant.equal_bits && same_on_all_ranks(fingerprint(stack.result));
  variant.bytes_sent = over_ranks(variant.stats.bytes_sent, MPI_UINT64_T, MPI_SUM);
  variant.bytes_uncompressed = over_ranks(variant.stats.bytes_uncompressed, MPI_UINT64_T, MPI_SUM);
  return seconds;
}

struct Pictures {
  std::string folder;
  std::size_t nx, nz, offsets, gather_x;
};

// What a person looks at: the image at zero offset, and how one column depends on the offset.
void write_pictures(const Pictures& p, const std::string& name, const std::vector<float>& image) {
  const std::size_t plane = p.nx * p.nz;
  stacking::write_array(p.folder + "/image_" + name + ".f32", image.data() + p.offsets / 2 * plane, plane);
  std::vector<float> gather;
  for (std::size_t h = 0; h < p.offsets; ++h) {
    const float* column = image.data() + h * plane + p.gather_x * p.nz;
    gather.insert(gather.end(), column, column + p.nz);
  }
  stacking::write_array(p.folder + "/gather_" + name + ".f32", gather.data(), gather.size());
}

std::string number(double value) {
  if (!std::isfinite(value)) {
    return "null";
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::string json(const Variant& v, const Variant& plain, const Stack& stack) {
  const bool coded = !v.is_plain() && v.stats.plain_reason == LACONIC_PLAIN_NOT;
  std::ostringstream out;
  out << "    {\"name\": \"" << v.name << "\", \"bound_share\": " << number(v.share)
      << ", \"bound\": " << number(v.bound) << ",\n     \"seconds\": [";
  for (std::size_t i = 0; i < v.seconds.size(); ++i) {
    out << (i == 0 ? "" : ", ") << number(v.seconds[i]);
  }
  out << "], \"median\": " << number(v.median()) << ", \"speedup\": " << number(plain.median() / v.median())
      << ",\n     \"ratio\": " << number(v.ratio()) << ", \"bytes_sent_all_ranks\": " << v.bytes_sent
      << ", \"max_error\": " << number(v.quality.max_error)
      << ", \"error_over_bound\": " << (v.share == 0 ? "null" : number(v.quality.max_error / v.bound))
      << ",\n     \"achieved_bound\": " << (coded ? number(v.stats.achieved_bound) : "null")
      << ", \"psnr\": " << number(v.quality.psnr) << ", \"nrmse\": " << number(v.quality.nrmse)
      << ",\n     \"equal_bits\": " << (v.equal_bits ? "true" : "false")
      << ", \"within_bound\": " << (v.within_bound(stack.largest) ? "true" : "false");
  if (coded) {
    out << ", \"codec\": \"" << laconic_codec_name(v.stats.codec) << "\", \"algorithm\": \""
        << laconic_algorithm_name(v.stats.algorithm) << "\"";
  } else if (!v.is_plain()) {
    out << ", \"ran_as_plain\": \"" << laconic_plain_reason_string(v.stats.plain_reason) << "\"";
  }
  out << "}";
  return out.str();
}

void write_report(const std::string& path, const std::vector<Variant>& variants, const Stack& stack, int ranks,
                  double wire_seconds) {
  int version[3] = {};
  laconic_version(&version[0], &version[1], &version[2]);
  std::ostringstream out;
  out << "{\n  \"laconic\": \"" << version[0] << "." << version[1] << "." << version[2] << "\", \"ranks\": " << ranks
      << ", \"values\": " << stack.count << ", \"bytes_per_rank\": " << stack.count * sizeof(float)
      << ",\n  \"largest_value\": " << number(stack.largest) << ", \"range\": " << number(stack.range)
      << ", \"plain_wire_seconds\": " << (wire_seconds > 0 ? number(wire_seconds) : "null") << ",\n  \"variants\": [\n";
  for (std::size_t i = 0; i < variants.size(); ++i) {
    out << json(variants[i], variants[0], stack) << (i + 1 < variants.size() ? ",\n" : "\n");
  }
  out << "  ]\n}\n";
  const std::string text = out.str();
  stacking::write_array(path, text.data(), text.size());
}

// A word of --bounds: SHARE, CODEC:SHARE or CODEC:rate:BITS.
Variant variant_of(const std::string& word, double largest) {
  Variant v;
  const std::size_t colon = word.rfind(':');
  std::string prefix = colon == std::string::npos ? "" : word.substr(0, colon);
  const std::string value = word.substr(prefix.empty() ? 0 : colon + 1);
  const bool has_rate = prefix.size() > 5 && prefix.substr(prefix.size() - 5) == ":rate";
  if (has_rate) prefix.resize(prefix.size() - 5);
  v.codec = prefix;
  try {
    (has_rate ? v.rate : v.share) = std::stod(value);
  } catch (const std::exception&) {
  }
  if (!(v.share > 0) && !(v.rate > 0)) {
    throw std::runtime_error(
        "--bounds must be SHARE, CODEC:SHARE or CODEC:rate:BITS, with commas between them and "
        "numbers above 0, not \"" +
        word + "\"");
  }
  v.bound = v.share * largest;
  v.name = word;
  std::replace(v.name.begin(), v.name.end(), ':', '-');  // it is part of a file's name
  return v;
}

std::vector<Variant> plan(const std::string& words, double largest) {
  std::vector<Variant> variants(1);
  std::istringstream list(words);
  for (std::string word; std::getline(list, word, ',');) variants.push_back(variant_of(word, largest));
  return variants;
}

bool stack_images(const Arguments& arguments, int rank, int ranks) {
  const Pictures pictures{arguments.text("out"), static_cast<std::size_t>(arguments.count("nx")),
                          static_cast<std::size_t>(arguments.count("nz")),
                          static_cast<std::size_t>(arguments.count("planes")),
                          static_cast<std::size_t>(arguments.count("gather"))};
  Stack stack;
  stack.count = pictures.nx * pictures.nz * pictures.offsets;
  if (stack.count == 0 || stack.count > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw std::runtime_error("the image must have between 1 and 2^31 - 1 values");
  }
  if (pictures.gather_x >= pictures.nx) {
    throw std::runtime_error("--gather must be below --nx");
  }
  stack.partial = stacking::read_array<float>(arguments.text("partials") + "/partial_" + std::to_string(rank) + ".f32",
                                              stack.count);
  stack.result.resize(stack.count);
  sum_exactly(stack);

  std::vector<Variant> variants = plan(arguments.text("bounds"), stack.largest);
  const int repeat = std::max(1, arguments.count("repeat"));
  const int warm_up = arguments.count("warm-up");
  for (int round = -warm_up; round < repeat; ++round) {
    if (rank == 0) {
      std::printf(round < 0 ? "stacking: warm-up\n" : "stacking: round %d of %d\n", round + 1, repeat);
      std::fflush(stdout);
    }
    for (Variant& variant : variants) {
      const double seconds = run_once(variant, stack);
      if (round >= 0) {
        variant.seconds.push_back(seconds);
      }
      if (round + 1 == repeat) {
        variant.quality = compare(stack);
        if (rank == 0) {
          write_pictures(pictures, variant.name, stack.result);
        }
      }
    }
  }

  if (rank == 0) {
    const double bits_per_second = arguments.number("link");
    const double bits = 8.0 * static_cast<double>(stack.count * sizeof(float)) * 2 * (ranks - 1) / ranks;
    write_report(pictures.folder + "/stack.json", variants, stack, ranks,
                 bits_per_second > 0 ? bits / bits_per_second : 0);
  }
  // The quality is that of this rank's result: every rank must agree that it is good.
  bool good = true;
  for (const Variant& v : variants) {
    good = good && (v.is_plain() || v.equal_bits) && v.within_bound(stack.largest);
  }
  return over_ranks<int>(good, MPI_INT, MPI_LAND) != 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  bool good = false;
  try {
    good = stack_images(Arguments(argc, argv,
                                  {{"partials", ""},  // folder with partial_<rank>.f32
                                   {"nx", ""},
                                   {"nz", ""},
                                   {"planes", ""},                // offsets of the extended image
                                   {"gather", "0"},               // x of the column to write for all offsets
                                   {"out", ""},                   // an existing folder for stack.json and pictures
                                   {"bounds", "1e-2,1e-3,1e-4"},  // as variant_of() reads them
                                   {"repeat", "5"},
                                   {"warm-up", "1"},
                                   {"link", "0"}}),  // bits per second of every rank's link, if known
                        rank, ranks);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "stack, rank %d: %s\n", rank, e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (!good && rank == 0) {
    std::fprintf(stderr, "stack: a promise does not hold (see within_bound and equal_bits in stack.json)\n");
  }
  MPI_Finalize();
  return good ? 0 : 1;
}
