// SPDX-License-Identifier: BSD-3-Clause
#include "settings_info.hpp"

#ifdef LACONIC_CLI_MPI

#include <mpi.h>

#include <cstdlib>

#include "comm/core/asked.hpp"
#include "comm/core/settings.hpp"
#include "dropin/core/settings.hpp"
#include "failure.hpp"
#include "laconic/laconic.h"

namespace laconic::cli {

std::vector<Setting> environment_settings() {
  laconic_options o;
  laconic_options_init(&o);
  if (Status s = read_environment(o); !s) throw usage(s.message());
  std::vector<Setting> settings;
  const auto add = [&](const char* name, const char* variable, std::string value, const char* otherwise) {
    const bool given = std::getenv(variable) != nullptr;
    settings.push_back({name, given ? std::move(value) : std::string(otherwise), !given, variable});
  };
  const auto text = [](const char* name) { return std::string(name != nullptr ? name : "?"); };
  const char* bounds = std::getenv("LACONIC_BOUND");  // one, or a list for the drop-in
  add("bound", "LACONIC_BOUND", bounds != nullptr ? bounds : "", "none: plain MPI");
  add("target", "LACONIC_TARGET", text_of(target_of(o)).data(), "result");
  add("codec", "LACONIC_CODEC", text(laconic_codec_name(o.codec)), "by effort");
  add("effort", "LACONIC_EFFORT", text(laconic_effort_name(o.effort)), "auto");
  add("algorithm", "LACONIC_ALGORITHM", text(laconic_algorithm_name(o.algorithm)), "auto");
  add("variant", "LACONIC_VARIANT", text(laconic_variant_name(o.variant)), "overlap");
  add("denormals", "LACONIC_DENORMALS", text(laconic_denormals_name(o.denormals)), "round");
  add("progress", "LACONIC_PROGRESS", text(laconic_progress_name(o.progress)), "calls");
  add("checksum", "LACONIC_CHECKSUM", text(laconic_checksum_name(o.checksum)), "on");
  add("tune", "LACONIC_TUNE", text(laconic_tune_name(o.tune)), "on");
  add("min_bytes", "LACONIC_MIN_BYTES", std::to_string(o.min_bytes), "65536, or 16384 with tune=on on several nodes");
  add("chunk_elements", "LACONIC_CHUNK_ELEMENTS", std::to_string(o.chunk_elements), "chosen by size");
  add("depth", "LACONIC_DEPTH", std::to_string(o.depth), "chosen by size");
  add("threads", "LACONIC_THREADS", std::to_string(o.threads), "1");
  return settings;
}

std::string dropin_problem() { return dropin::Settings().read(); }

std::string mpi_name() {
  // One of the few functions that may be called before MPI_Init.
  std::vector<char> text(MPI_MAX_LIBRARY_VERSION_STRING + 1, '\0');
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string name(text.data());
  name = name.substr(0, name.find('\n'));
  for (char& c : name)
    if (c == '\t') c = ' ';
  return name;
}

}  // namespace laconic::cli

#else

namespace laconic::cli {

std::vector<Setting> environment_settings() { return {}; }
std::string dropin_problem() { return ""; }
std::string mpi_name() { return "none: this build has no collectives"; }

}  // namespace laconic::cli

#endif
