// SPDX-License-Identifier: BSD-3-Clause
#include "run_launch.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

#include "child.hpp"

namespace laconic::cli {
namespace {

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool is_program(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

bool starts_ranks(const std::string& name) {
  for (const char* known : {"mpiexec", "mpirun", "orterun", "prterun"})
    if (name.rfind(known, 0) == 0) return true;
  return false;
}

constexpr std::string_view elf{
    "\x7f"
    "ELF",
    4};

}  // namespace

std::string in_path(const std::string& word) {
  if (word.find('/') != std::string::npos) return is_program(word) ? word : "";
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    const auto colon = rest.find(':');
    const std::string candidate = std::string(rest.substr(0, colon)) + "/" + word;
    if (is_program(candidate)) return candidate;
    rest = colon == std::string_view::npos ? std::string_view{} : rest.substr(colon + 1);
  }
  return "";
}

Launcher launcher_of(const std::string& command) {
  const std::string name = file_name(command);
  if (name == "srun") return Launcher::srun;
  if (!starts_ranks(name)) return Launcher::unknown;
  const std::string said = ask({command, "--version"}).text;
  for (const char* word : {"Open MPI", "OpenRTE", "PRRTE", "open-mpi"})
    if (said.find(word) != std::string::npos) return Launcher::open_mpi;
  for (const char* word : {"HYDRA", "hydra", "MPICH", "Intel(R) MPI"})
    if (said.find(word) != std::string::npos) return Launcher::hydra;
  return Launcher::unknown;
}

const char* name_of(Launcher launcher) {
  switch (launcher) {
    case Launcher::hydra: return "MPICH (Hydra)";
    case Launcher::open_mpi: return "Open MPI";
    case Launcher::srun: return "SLURM (srun)";
    case Launcher::unknown: break;
  }
  return "unknown";
}

Launch launch(const std::vector<std::string>& command, const Variables& variables) {
  Launch result;
  result.command.push_back(command.front());
  switch (launcher_of(command.front())) {
    case Launcher::hydra:
      for (const auto& [name, value] : variables) {
        result.command.emplace_back("-genv");
        result.command.push_back(name);
        result.command.push_back(value);
      }
      break;
    case Launcher::open_mpi:
      for (const auto& [name, value] : variables) {
        result.command.emplace_back("-x");
        result.command.push_back(name + "=" + value);
      }
      break;
    case Launcher::srun:
      // srun forwards its environment unless told otherwise; --export cannot express values with commas.
      result.environment = variables;
      for (const std::string& word : command)
        if (word.rfind("--export", 0) == 0 && word.find("ALL") == std::string::npos)
          result.warnings.push_back(word + " does not pass the settings to the ranks; add ALL to it");
      if (const char* names = std::getenv("SLURM_EXPORT_ENV");
          names != nullptr && std::string_view(names).find("ALL") == std::string_view::npos)
        result.warnings.emplace_back("SLURM_EXPORT_ENV does not pass the settings to the ranks; add ALL to it");
      break;
    case Launcher::unknown:
      result.environment = variables;
      if (starts_ranks(file_name(command.front())))
        result.warnings.push_back("the launcher " + command.front() +
                                  " is not known; it has to pass its environment to the ranks of all hosts");
      break;
  }
  result.command.insert(result.command.end(), command.begin() + 1, command.end());
  return result;
}

Linked linked_to(const std::string& file) {
  Linked linked;
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (bytes.compare(0, elf.size(), elf) != 0) return linked;
  linked.is_program = true;
  // Names of PMPI functions occur in statically linked programs and in tools.
  linked.holds_mpi = bytes.find("PMPI_Init") != std::string::npos && bytes.find("MPIR_") != std::string::npos;
  if (bytes.find("ompi_mpi_init") != std::string::npos) linked.holds_mpi = true;
  const std::string said = ask({"ldd", file}).text;
  for (std::size_t at = 0; at < said.size();) {
    const std::size_t end = std::min(said.find('\n', at), said.size());
    std::string line = said.substr(at, end - at);
    line.erase(0, line.find_first_not_of(" \t"));
    if (const auto place = line.find(" (0x"); place != std::string::npos) line.resize(place);
    const std::string name = line.substr(0, line.find(' '));
    // The C library of an MPI: libmpi.so.12, libmpi.so.40, libmpich.so.12, libmpi_abi.so.1.
    for (const char* known : {"libmpi.so", "libmpich.so", "libmpi_abi.so"})
      if (name.rfind(known, 0) == 0) linked.libraries.push_back(line);
    at = end + 1;
  }
  return linked;
}

std::string program_of(const std::vector<std::string>& command) {
  // Finds the first word after the launcher that is a program and not the value of an option. Words with a slash are
  // tried first, which skips option values that happen to be programs in PATH ("-bootstrap ssh").
  const bool launched = launcher_of(command.front()) != Launcher::unknown || starts_ranks(file_name(command.front()));
  if (!launched) return in_path(command.front());
  for (const bool by_path : {true, false})
    for (std::size_t k = 1; k < command.size(); ++k) {
      const std::string& word = command[k];
      if (word.empty() || word[0] == '-' || (word.find('/') != std::string::npos) != by_path) continue;
      if (const std::string found = in_path(word); !found.empty() && file_name(found) != "env") return found;
    }
  return "";
}

}  // namespace laconic::cli
