// SPDX-License-Identifier: BSD-3-Clause
// The MPI library, its launcher, and a job of two ranks.
#include "doctor/finding.hpp"

#ifndef LACONIC_CLI_MPI

namespace laconic::cli::doctor {

std::string mpi_library() { return ""; }
int be_a_rank() { return 1; }
void check_job(Findings& findings, const std::string&, const std::string&, bool) {
  findings.push_back({"mpi", State::note, "not in this build (LACONIC_MPI=OFF): there are no collectives", ""});
}

}  // namespace laconic::cli::doctor

#else

#include <dlfcn.h>
#include <fmt/format.h>
#include <laconic/laconic.h>
#include <mpi.h>

#include <cmath>
#include <cstdlib>

#include "child.hpp"
#include "run_launch.hpp"
#include "settings_info.hpp"

namespace laconic::cli::doctor {
namespace {

constexpr double job_seconds = 60;
constexpr double bound = 1e-3;
constexpr const char* mark = "laconic-doctor:";  // precedes the report of rank 0

const char* level_name(int level) {
  switch (level) {
    case MPI_THREAD_SINGLE: return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED: return "MPI_THREAD_FUNNELED";
    case MPI_THREAD_SERIALIZED: return "MPI_THREAD_SERIALIZED";
    case MPI_THREAD_MULTIPLE: return "MPI_THREAD_MULTIPLE";
    default: return "an unknown level";
  }
}

// Ranks that an outer launcher has started cannot start others.
bool within_a_job() {
  for (const char* name : {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"})
    if (std::getenv(name) != nullptr) return true;
  return false;
}

Launcher launcher_for(const std::string& library) {
  if (library.find("Open MPI") != std::string::npos) return Launcher::open_mpi;
  if (library.find("MPICH") != std::string::npos || library.find("Intel(R) MPI") != std::string::npos)
    return Launcher::hydra;
  return Launcher::unknown;
}

std::string first_lines(const std::string& text, int lines) {
  std::string shown;
  for (std::size_t at = 0; at < text.size() && lines > 0;) {
    const auto end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.find_first_not_of(" -=*\t\r") == std::string::npos) continue;
    shown += (shown.empty() ? "" : " | ") + line.substr(line.find_first_not_of(" \t"));
    --lines;
  }
  return shown.empty() ? "it printed nothing" : shown;
}

// The numbers that rank 0 reports: ranks, thread level, calls that ran plain, largest error.
struct Answer {
  int ranks = 0;
  int level = 0;
  unsigned long long plain = 0;
  double error = 0;
};

bool read_answer(const std::string& text, Answer& a) {
  const auto at = text.find(mark);
  return at != std::string::npos &&
         std::sscanf(text.c_str() + at, "laconic-doctor: %d %d %llu %lf", &a.ranks, &a.level, &a.plain, &a.error) == 4;
}

void judge(Findings& findings, const Said& said, int ranks, const std::string& command) {
  Answer a;
  if (said.timed_out)
    return findings.push_back({"job", State::broken, fmt::format("'{}' did not end within {} s", command, job_seconds),
                               "check whether its ranks can reach each other (firewall, network interface)"});
  if (!said.good() || !read_answer(said.text, a))
    return findings.push_back(
        {"job", State::broken,
         fmt::format("'{}' ended with code {}: {}", command, said.code, first_lines(said.text, 3)),
         "MPI itself does not work here; make this command work first"});
  if (a.ranks != ranks)
    return findings.push_back(
        {"job", State::broken,
         fmt::format("'{}' started jobs of {} rank instead of one of {}", command, a.ranks, ranks),
         "use the launcher of the MPI that Laconic was built for"});
  if (ranks > 1 && (a.plain > 0 || !(a.error <= bound * (1 + 1e-6))))
    return findings.push_back({"job", State::broken,
                               a.plain > 0
                                   ? "an allreduce with a bound ran as plain MPI"
                                   : fmt::format("an allreduce has an error of {} under abs:{}", a.error, bound),
                               "please report this"});
  findings.push_back(
      {"job", State::ok,
       ranks > 1 ? fmt::format("an allreduce of {} ranks under abs:{} has an error of {:.3g}", ranks, bound, a.error)
                 : "MPI can be initialised",
       ""});
  findings.push_back(
      {"threads", a.level == MPI_THREAD_MULTIPLE ? State::ok : State::warning, level_name(a.level),
       a.level == MPI_THREAD_MULTIPLE
           ? ""
           : "nonblocking calls of unmodified programs are left to MPI; use an MPI with MPI_THREAD_MULTIPLE"});
}

}  // namespace

std::string mpi_library() {
  // One of the few functions that may be called before MPI_Init.
  std::string text(MPI_MAX_LIBRARY_VERSION_STRING + 1, '\0');
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  return text.c_str();
}

int be_a_rank() {
  Answer a;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &a.level);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &a.ranks);
  std::vector<float> sum(1 << 16);
  const auto input = [&](std::size_t i, int r) {
    return std::sin(0.001F * static_cast<float>(i)) + static_cast<float>(r);
  };
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = input(i, rank);
  laconic_options options;
  laconic_options_init(&options);
  options.tune = LACONIC_TUNE_OFF;  // the call has to be compressed
  options.bound = {LACONIC_BOUND_ABS, bound};
  options.min_bytes = 1;
  laconic_stats stats{};
  const int code = laconic_allreduce(MPI_IN_PLACE, sum.data(), static_cast<MPI_Count>(sum.size()), MPI_FLOAT, MPI_SUM,
                                     MPI_COMM_WORLD, &options);
  if (code == MPI_SUCCESS) laconic_stats_get(MPI_COMM_WORLD, &stats);
  for (std::size_t i = 0; i < sum.size(); ++i) {
    double exact = 0;
    for (int r = 0; r < a.ranks; ++r) exact += static_cast<double>(input(i, r));
    a.error = std::fmax(a.error, std::fabs(static_cast<double>(sum[i]) - exact));
  }
  double worst = 0;
  MPI_Reduce(&a.error, &worst, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    fmt::print("{} {} {} {} {:.9g}\n", mark, a.ranks, a.level, static_cast<unsigned long long>(stats.plain_calls),
               worst);
    std::fflush(stdout);
  }
  MPI_Finalize();
  return code == MPI_SUCCESS ? 0 : 1;
}

void check_job(Findings& findings, const std::string& library, const std::string& asked, bool start) {
  Dl_info place{};
  const bool placed = dladdr(reinterpret_cast<void*>(&MPI_Get_library_version), &place) != 0;
  findings.push_back({"mpi", State::ok,
                      fmt::format("{}, MPI {}.{}, {}", mpi_name(), MPI_VERSION, MPI_SUBVERSION,
                                  placed && place.dli_fname != nullptr ? place.dli_fname : "its file is unknown"),
                      ""});
  std::string launcher = asked.empty() ? in_path("mpiexec") : in_path(asked);
  if (launcher.empty()) {
    findings.push_back({"launcher", asked.empty() ? State::warning : State::broken,
                        asked.empty() ? "there is no mpiexec in PATH" : fmt::format("'{}' cannot be run", asked),
                        "name the mpiexec of this MPI with --mpiexec"});
  } else if (const Launcher kind = launcher_of(launcher); kind != launcher_for(library) && kind != Launcher::unknown) {
    findings.push_back({"launcher", State::broken,
                        fmt::format("{} belongs to {}, but Laconic was built for {}", launcher, cli::name_of(kind),
                                    cli::name_of(launcher_for(library))),
                        "put the mpiexec of this MPI first in PATH, or name it with --mpiexec"});
    launcher.clear();
  } else {
    findings.push_back({"launcher", State::ok, fmt::format("{} ({})", launcher, cli::name_of(kind)), ""});
  }
  if (!start || within_a_job()) {
    findings.push_back({"job", State::note,
                        start ? "not checked: this process is itself a rank of a job" : "not checked: --no-job", ""});
    return;
  }
  // Settings are checked separately; this job only shows that MPI and the library work.
  std::vector<std::string> words{own_file(), "doctor", "--be-a-rank"};
  const int ranks = launcher.empty() ? 1 : 2;
  if (!launcher.empty()) words.insert(words.begin(), {launcher, "-n", "2"});
  judge(findings, ask(words, environment_without("LACONIC_"), job_seconds), ranks,
        fmt::format("{}", fmt::join(words, " ")));
}

}  // namespace laconic::cli::doctor

#endif
