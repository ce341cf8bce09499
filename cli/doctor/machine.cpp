// SPDX-License-Identifier: BSD-3-Clause
// Checks of the machine, and of settings of MPI libraries with known faults.
#include <fmt/format.h>
#include <sched.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "doctor/finding.hpp"

namespace laconic::cli::doctor {
namespace {

int cores_allowed() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

// The number of processors whose time the cgroup of this process may use; 0: no limit is known.
double cores_of_cgroup() {
  std::ifstream in("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (!(in >> quota >> period) || quota == "max" || !(period > 0)) return 0;
  return std::strtod(quota.c_str(), nullptr) / period;
}

bool has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

bool is_set_to(const char* name, std::string_view value) {
  const char* found = std::getenv(name);
  return found != nullptr && value == found;
}

// "MPICH Version:      4.0.2" -> "4.0.2"
std::string mpich_version(const std::string& library) {
  const auto at = library.find("MPICH Version:");
  if (at == std::string::npos) return "";
  const auto from = library.find_first_of("0123456789", at);
  return from == std::string::npos ? "" : library.substr(from, library.find_first_not_of("0123456789.", from) - from);
}

}  // namespace

void check_machine(Findings& findings) {
  const int cores = cores_allowed();
  const double limit = cores_of_cgroup();
  if (limit > 0 && limit < cores) {
    findings.push_back({"cores", State::warning,
                        fmt::format("{} are visible, but the cgroup grants the time of {:.3g}", cores, limit),
                        fmt::format("start at most {} ranks here: ranks wait by polling, and take the time from those "
                                    "that compute",
                                    std::max(1, static_cast<int>(std::floor(limit))))});
    return;
  }
  findings.push_back({"cores", cores > 1 ? State::ok : State::warning, fmt::format("{}", cores),
                      cores > 1 ? "" : "two or more ranks here compete for the core: ranks wait by polling"});
}

void check_known_faults(Findings& findings, const std::string& library) {
  const std::size_t before = findings.size();
  const std::string version = mpich_version(library);
  const bool ucx = has(library, "ch4:ucx") && !is_set_to("MPIR_CVAR_CH4_NETMOD", "ofi");
  if (version.starts_with("4.0") && ucx)
    findings.push_back(
        {"known faults", State::warning,
         fmt::format("MPICH {} over UCX hangs in MPI_Finalize in up to half of the jobs over TCP", version),
         "between hosts connected by TCP set MPIR_CVAR_CH4_NETMOD=ofi, or use MPICH 4.1 or newer"});
  if (has(library, "Open MPI") && !is_set_to("OMPI_MCA_mpi_yield_when_idle", "1"))
    findings.push_back({"known faults", State::note, "ranks of Open MPI do not yield their core while they wait",
                        "with more ranks than cores set OMPI_MCA_mpi_yield_when_idle=1"});
  if (!version.empty() && !version.starts_with("4.0"))
    findings.push_back({"known faults", State::note,
                        "ranks of MPICH over shared memory do not yield their core while they wait",
                        "with more ranks than cores set MPIR_CVAR_NOLOCAL=1 and use OFI's TCP (tests/mpirun does)"});
  if (ucx && (!is_set_to("UCX_RNDV_THRESH", "inf") || !is_set_to("UCX_TCP_PUT_ENABLE", "n")))
    findings.push_back(
        {"known faults", State::note,
         "over UCX's TCP, two ranks may send each other large messages only in turns, at half the speed",
         "for a fair comparison with plain MPI over TCP set UCX_RNDV_THRESH=inf and UCX_TCP_PUT_ENABLE=n"});
  if (findings.size() == before)
    findings.push_back({"known faults", State::ok, "none is known for this MPI and its settings", ""});
}

}  // namespace laconic::cli::doctor
