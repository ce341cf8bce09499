// SPDX-License-Identifier: BSD-3-Clause
// laconic info: the properties of this build and its settings in this environment.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "codec/codec.hpp"
#include "codec/quant/kernels.hpp"
#include "commands.hpp"
#include "failure.hpp"
#include "schedule/schedule.hpp"
#include "settings_info.hpp"
#include "wire/frame.hpp"

namespace laconic::cli {
namespace {

void line(std::string_view name, std::string_view value) { fmt::print("{:<18}{}\n", name, value); }

std::string types_of(const Codec& codec) {
  std::string names;
  for (const Dtype dtype : all_dtypes)
    if (codec.supports(dtype)) names += fmt::format("{}{}", names.empty() ? "" : ", ", name_of(dtype));
  return names;
}

std::string isa_names() {
  std::string usable;
  for (const quant::Kernels* kernels : quant::available_kernels())
    usable += (usable.empty() ? "" : ", ") + std::string(kernels->name);
  return usable;
}

std::string algorithm_names() {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : all_algorithms())
    if (std::find(names.begin(), names.end(), algorithm.name()) == names.end()) names.emplace_back(algorithm.name());
  return fmt::format("{}", fmt::join(names, ", "));
}

void run() {
  const char* asked = std::getenv("LACONIC_ISA");
  if (asked != nullptr)
    if (Status s = quant::check_isa(asked); !s) throw usage(s.message());
  const auto settings = environment_settings();
  line("version", LACONIC_VERSION_TEXT);
  line("wire format", fmt::format("{}.{}", wire::format_major, wire::format_minor));
  line("mpi", mpi_name());
  std::string codecs;
  for (const Codec* codec : all_codecs()) codecs += (codecs.empty() ? "" : ", ") + std::string(codec->name());
  line("codecs", codecs);
  for (const Codec* codec : all_codecs()) line(fmt::format("  {}", codec->name()), types_of(*codec));
  line("algorithms", algorithm_names());
  line("instruction sets", isa_names() + " (this processor)");
  line("kernels", fmt::format("{} ({})", quant::best_kernels().name, asked != nullptr ? "LACONIC_ISA" : "the fastest"));
  fmt::print("\nsettings of this environment\n");
  for (const Setting& setting : settings)
    line("  " + setting.name,
         fmt::format("{}{}", setting.value, setting.is_default ? "" : "  (" + setting.source + ")"));
}

}  // namespace

void add_info_command(Command& app) {
  app.add_subcommand("info", "Version, codecs, algorithms, instruction sets, and the settings of this environment")
      .callback([] { run(); });
}

}  // namespace laconic::cli
