// SPDX-License-Identifier: BSD-3-Clause
// Checks the promises of every codec, in all its implementations, on large amounts of data; started by ./dev sweep.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "allocations.hpp"
#include "data.hpp"
#include "many_ranks.hpp"
#include "support/seed.hpp"
#include "support/watchdog.hpp"
#include "trial.hpp"

namespace laconic::sweep {
namespace {

constexpr std::chrono::seconds longest_trial{300};

const char* const usage =
    "laconic_sweep --data FOLDER [--quick] [--sums] [--patterns N] [--codec NAME[,NAME...]] [--seed N]\n"
    "  FOLDER holds NAME.f32; N is the number of random bit patterns of each type; --sums: sums of many ranks only\n";

struct Arguments {
  std::string data;
  std::vector<std::string> codecs;
  bool sums_only = false;
  Extent extent{false, 0, test::base_seed()};
};

bool parse(int argc, char** argv, Arguments& a) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--quick") {
      a.extent.quick = true;
      continue;
    }
    if (word == "--sums") {
      a.sums_only = true;
      continue;
    }
    if (i + 1 == argc) return false;
    const std::string value = argv[++i];
    if (word == "--data") {
      a.data = value;
    } else if (word == "--patterns") {
      a.extent.patterns = std::strtoull(value.c_str(), nullptr, 10);
    } else if (word == "--seed") {
      a.extent.seed = std::strtoull(value.c_str(), nullptr, 0);
    } else if (word == "--codec") {
      for (std::size_t at = 0; at <= value.size();) {
        const std::size_t end = std::min(value.find(',', at), value.size());
        a.codecs.push_back(value.substr(at, end - at));
        at = end + 1;
      }
    } else {
      return false;
    }
  }
  if (a.extent.patterns == 0) a.extent.patterns = a.extent.quick ? 1000000 : 100000000;
  return !a.data.empty() && std::all_of(a.codecs.begin(), a.codecs.end(),
                                        [](const std::string& name) { return find_codec(name) != nullptr; });
}

class Sweep {
 public:
  explicit Sweep(const Arguments& arguments) : extent_(arguments.extent) {
    for (const Family& family : families())
      if (arguments.codecs.empty() || std::count(arguments.codecs.begin(), arguments.codecs.end(), family.name) > 0)
        chosen_.push_back(&family);
  }

  // Runs all trials of `feed`, and prints a line for each implementation.
  template <class T, class F>
  bool over(const std::string& data, F&& feed) {
    std::vector<const Family*> able;
    for (const Family* family : chosen_)
      if (family->members[0].codec->supports(dtype_of<T>)) able.push_back(family);
    std::vector<std::vector<Tally>> found;
    for (const Family* family : able) found.emplace_back(family->members.size());
    const bool fed = feed(Try<T>([&](std::span<const T> x, std::span<const T> y, const Coding& coding, bool told) {
      for (std::size_t f = 0; f < able.size(); ++f) {
        const test::Watchdog watchdog(longest_trial, [&] {
          return data + ", " + able[f]->name + ", " + std::to_string(x.size()) + " numbers, allowance " +
                 std::to_string(coding.allowance) + ", seed " + std::to_string(extent_.seed);
        });
        try_numbers<T>(*able[f], x, y, coding, told, found[f]);
      }
    }));
    for (std::size_t f = 0; f < able.size(); ++f)
      for (std::size_t m = 0; m < found[f].size(); ++m)
        print(able[f]->name, able[f]->members[m].isa, data, found[f][m]);
    return fed;
  }

  // Prints a line for the sums of a field on many ranks.
  bool over_many_ranks(const std::string& data, const std::string& path) {
    Tally found;
    if (!try_many_ranks(path, extent_, found)) return false;
    print("quant", "every", data + ", sums", found);
    return true;
  }

  bool has(std::string_view codec) const {
    return std::any_of(chosen_.begin(), chosen_.end(), [&](const Family* family) { return family->name == codec; });
  }

  static void print_head() {
    std::printf("%-8s %-10s %-36s %12s %11s %7s %6s %9s %8s\n", "codec", "isa", "data", "numbers", "> bound",
                "> +ulp/2", "lost", "err/bound", "ratio");
  }

  int conclude() const {
    std::printf("%s: %zu lines, %llu numbers compared, %llu of them as sums of integers; %llu faults; seed %llu\n",
                total_.faults() == 0 ? "PASS" : "FAIL", lines_, static_cast<unsigned long long>(total_.numbers),
                static_cast<unsigned long long>(total_.exact_sums), static_cast<unsigned long long>(total_.faults()),
                static_cast<unsigned long long>(extent_.seed));
    return total_.faults() == 0 ? 0 : 1;
  }

 private:
  void print(const std::string& codec, const std::string& isa, const std::string& data, const Tally& t) {
    const double ratio = t.frame_bytes > 0 ? static_cast<double>(t.bytes) / static_cast<double>(t.frame_bytes) : 0;
    std::printf("%-8s %-10s %-36s %12llu %11llu %7llu %6llu %9.6f %8.3f", codec.c_str(), isa.c_str(), data.c_str(),
                static_cast<unsigned long long>(t.numbers), static_cast<unsigned long long>(t.strict),
                static_cast<unsigned long long>(t.beyond), static_cast<unsigned long long>(t.lost), t.worst, ratio);
    const std::pair<const char*, std::uint64_t> rest[] = {
        {"strict faults", t.strict_fault}, {"wrong sums", t.sums},        {"different", t.differing},
        {"out of bounds", t.outside},      {"allocations", t.allocating}, {"failed", t.failed}};
    for (const auto& [name, count] : rest)
      if (count != 0) std::printf("  %s %llu", name, static_cast<unsigned long long>(count));
    std::printf("\n");
    if (!t.first.empty()) std::printf("    FAULT %s\n", t.first.c_str());
    std::fflush(stdout);
    total_ += t;
    ++lines_;
  }

  const Extent extent_;
  std::vector<const Family*> chosen_;
  Tally total_;
  std::size_t lines_ = 0;
};

int run(const Arguments& arguments) {
  const Extent& extent = arguments.extent;
  const std::vector<std::string> fields = fields_in(arguments.data);
  if (fields.empty()) {
    std::fprintf(stderr, "no *.f32 in %s\n", arguments.data.c_str());
    return 2;
  }
  std::printf("seed %llu, %llu patterns of each type; bounds %s to the bit; allocations %s\n",
              static_cast<unsigned long long>(extent.seed), static_cast<unsigned long long>(extent.patterns),
              greatest_can_be_told() ? "hold" : "are not yet to hold", allocations_are_seen() ? "counted" : "not seen");
  Sweep sweep(arguments);
  Sweep::print_head();
  for (const std::string& path : fields) {
    const std::string name = std::filesystem::path(path).stem().string();
    if (!arguments.sums_only &&
        !sweep.over<float>(name, [&](const Try<float>& attempt) { return try_field(path, extent, attempt); })) {
      std::fprintf(stderr, "cannot read %s\n", path.c_str());
      return 2;
    }
    if (sweep.has("quant") && !sweep.over_many_ranks(name, path)) {
      std::fprintf(stderr, "cannot read %s\n", path.c_str());
      return 2;
    }
  }
  if (arguments.sums_only) return sweep.conclude();
  const auto each_rounded = [&](const std::string& name, auto&& feed) {
    const auto all = [&](const auto& attempt) {
      feed(attempt);
      return true;
    };
    sweep.over<float>(name + ", f32", all);
    sweep.over<double>(name + ", f64", all);
  };
  for (std::size_t k = 0; k < kinds(); ++k)
    each_rounded(name_of_kind(k), [&](const auto& attempt) { try_kind(k, extent, attempt); });
  each_rounded("around powers of two", [&](const auto& attempt) { try_edges(extent, attempt); });
  for (const Dtype dtype : all_dtypes)
    dispatch(AllTypes{}, dtype, [&](auto zero) {
      using T = decltype(zero);
      const auto patterns = [&](const Try<T>& attempt) {
        // For types that are not rounded, all kinds share a line.
        for (std::size_t k = 0; !is_rounded<T> && k < kinds(); ++k) try_kind(k, extent, attempt);
        try_patterns(extent, attempt);
        return true;
      };
      sweep.over<T>((is_rounded<T> ? "random bits, " : "all kinds and random bits, ") + std::string(name_of(dtype)),
                    patterns);
    });
  return sweep.conclude();
}

}  // namespace
}  // namespace laconic::sweep

int main(int argc, char** argv) {
  laconic::sweep::Arguments arguments;
  if (!laconic::sweep::parse(argc, argv, arguments)) {
    std::fputs(laconic::sweep::usage, stderr);
    std::fputs("  Codecs of this build:", stderr);
    for (const laconic::Codec* codec : laconic::all_codecs())
      std::fprintf(stderr, " %s", std::string(codec->name()).c_str());
    std::fputs("\n", stderr);
    return 2;
  }
  return laconic::sweep::run(arguments);
}
