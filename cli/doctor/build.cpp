// SPDX-License-Identifier: BSD-3-Clause
// Checks of this build, its drop-in, and the settings of this environment.
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <utility>

#include "child.hpp"
#include "codec/codec.hpp"
#include "codec/quant/kernels.hpp"
#include "device/devices.hpp"
#include "doctor/finding.hpp"
#include "failure.hpp"
#include "run_dropin.hpp"
#include "run_launch.hpp"
#include "settings_info.hpp"

namespace laconic::cli::doctor {
namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

Variables laconic_variables() {
  Variables variables;
  for (const std::string& entry : environment_without(""))
    if (const auto equals = entry.find('='); entry.starts_with("LACONIC_") && equals != std::string::npos)
      variables.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
  return variables;
}

// While an object exists, these are the only Laconic variables in the environment of this process.
class Only {
 public:
  explicit Only(const Variables& some) : all_(laconic_variables()) {
    put(all_, false);
    put(some, true);
  }
  ~Only() {
    put(laconic_variables(), false);
    put(all_, true);
  }
  Only(const Only&) = delete;
  Only& operator=(const Only&) = delete;

 private:
  static void put(const Variables& variables, bool there) {
    for (const auto& [name, value] : variables) there ? setenv(name.c_str(), value.c_str(), 1) : unsetenv(name.c_str());
  }
  Variables all_;
};

std::string problem_with(const std::string& name, const std::string& value) {
  if (name == "LACONIC_ISA") {
    const Status status = quant::check_isa(value);
    return status.ok() ? "" : std::string(status.message());
  }
  const Only alone({{name, value}});
  return dropin_problem();
}

}  // namespace

void check_build(Findings& findings) {
  findings.push_back({"laconic", State::ok, fmt::format("version {}, {}", LACONIC_VERSION_TEXT, own_file()), ""});
  const char* isa = std::getenv("LACONIC_ISA");
  const bool pinned = isa != nullptr && quant::check_isa(isa).ok();
  findings.push_back({"kernels", State::ok,
                      fmt::format("{} ({})", quant::best_kernels().name, pinned ? "LACONIC_ISA" : "the fastest here"),
                      ""});
  if (find_codec("zfp") != nullptr)
    findings.push_back({"libzfp", State::ok, "the codec zfp is available", ""});
  else
    findings.push_back({"libzfp", State::note, "not in this build: there is no codec zfp",
                        "install libzfp (libzfp-dev) and build again, if you want to compare with it"});
  if (!has_devices()) {
    findings.push_back({"cuda", State::note, "not in this build: buffers on GPUs cannot be used",
                        "build with -DLACONIC_CUDA=ON where there is nvcc 12 or newer"});
    return;
  }
  Status status;
  const std::unique_ptr<Device> device = open_device(0, status, 1);
  if (device != nullptr && device->runs_kernels())
    findings.push_back({"cuda", State::ok, "device 0 can be used", ""});
  else if (device != nullptr)
    findings.push_back({"cuda", State::note, "numbers on device 0 are copied to the host and coded there",
                        "kernels need compute capability 8.0 or later, and LACONIC_DEVICE_MEMORY other than host"});
  else
    findings.push_back({"cuda", State::note, fmt::format("no device can be used: {}", status.message()),
                        "numbers on hosts are not affected"});
}

void check_environment(Findings& findings) {
  std::string names;
  bool good = true;
  for (const auto& [name, value] : laconic_variables()) {
    names += (names.empty() ? "" : ", ") + name + "=" + value;
    const std::string problem = problem_with(name, value);
    if (problem.empty()) continue;
    findings.push_back({"environment", State::broken, problem, fmt::format("correct or unset {}", name)});
    good = false;
  }
  if (!good) return;
  // Each setting is valid alone, but the combination may be invalid.
  if (const std::string problem = dropin_problem(); !problem.empty())
    findings.push_back({"environment", State::broken, problem, "correct or unset one of " + names});
  else
    findings.push_back({"environment", State::ok, names.empty() ? "no variable LACONIC_... is set" : names, ""});
}

void check_dropin(Findings& findings, [[maybe_unused]] const std::string& asked) {
#ifdef LACONIC_CLI_MPI
  std::string library;
  try {
    library = find_library(asked);
  } catch (const Failure& failure) {
    findings.push_back({"drop-in", State::broken, failure.what(), "laconic run cannot work; install the library, too"});
    return;
  }
  const Said said = ask({"ldd", library});
  const auto missing = said.text.find("not found");
  if (missing != std::string::npos) {
    const auto line = said.text.rfind('\n', missing) + 1;
    const auto first = said.text.find_first_not_of(" \t", line);
    findings.push_back({"drop-in", State::broken,
                        fmt::format("{}: {}", library, said.text.substr(first, said.text.find('\n', first) - first)),
                        "put the folder of that library into LD_LIBRARY_PATH"});
    return;
  }
  const std::vector<std::string> warnings = warnings_about(own_file(), library);
  if (!warnings.empty())
    findings.push_back({"drop-in", State::broken, warnings.front(), "install command and drop-in from one build"});
  else
    findings.push_back({"drop-in", State::ok, library, ""});
#else
  findings.push_back({"drop-in", State::note, "not in this build, which was made without MPI (LACONIC_MPI=OFF)", ""});
#endif
}

}  // namespace laconic::cli::doctor
