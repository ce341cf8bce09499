// SPDX-License-Identifier: BSD-3-Clause
// laconic doctor: checks whether this installation works, and for known faults.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "doctor/finding.hpp"
#include "failure.hpp"
#include "output_file.hpp"
#include "text.hpp"

namespace laconic::cli {

const char* doctor::name_of(State state) {
  switch (state) {
    case State::ok: return "ok";
    case State::note: return "note";
    case State::warning: return "warning";
    case State::broken: return "BROKEN";
  }
  return "?";
}

namespace {

using doctor::Finding;
using doctor::State;

struct Arguments {
  std::string mpiexec;
  std::string dropin;
  bool no_job = false;
  bool be_a_rank = false;
  bool as_json = false;
  std::string json_file;
};

std::string text_of(const doctor::Findings& findings) {
  std::string text;
  for (const Finding& f : findings) {
    text += fmt::format("{:<8} {:<13} {}\n", doctor::name_of(f.state), f.check, f.found);
    if (!f.advice.empty()) text += fmt::format("{:<22} -> {}\n", "", f.advice);
  }
  return text;
}

std::string json_of(const doctor::Findings& findings) {
  std::vector<std::string> rows;
  for (const Finding& f : findings) {
    std::string state = doctor::name_of(f.state);
    std::transform(state.begin(), state.end(), state.begin(), [](unsigned char c) { return std::tolower(c); });
    JsonObject row;
    row.text("check", f.check).text("state", state).text("found", f.found).text("advice", f.advice);
    rows.push_back(row.take());
  }
  return json_list(rows);
}

void run(const Arguments& a) {
  if (a.be_a_rank) {
    if (doctor::be_a_rank() != 0) throw Failure("an allreduce of the job failed");
    return;
  }
  std::unique_ptr<OutputFile> json;
  if (!a.json_file.empty()) {
    check_replaceable(a.json_file);
    json = std::make_unique<OutputFile>(a.json_file);
  }
  const std::string library = doctor::mpi_library();
  doctor::Findings findings;
  doctor::check_build(findings);
  doctor::check_environment(findings);
  doctor::check_machine(findings);
  doctor::check_job(findings, library, a.mpiexec, !a.no_job);
  doctor::check_dropin(findings, a.dropin);
  if (!library.empty()) doctor::check_known_faults(findings, library);
  fmt::print("{}", a.as_json && !json ? json_of(findings) : text_of(findings));
  if (json) {
    json->write(json_of(findings));
    json->commit();
  }
  const auto broken =
      std::count_if(findings.begin(), findings.end(), [](const Finding& f) { return f.state == State::broken; });
  if (broken > 0) throw Failure(fmt::format("{} of {} checks found something broken", broken, findings.size()));
}

}  // namespace

void add_doctor_command(Command& app) {
  const auto a = std::make_shared<Arguments>();
  Command command = app.add_subcommand("doctor", "Check whether this installation, its MPI and this environment work");
  command.add_option("--mpiexec", a->mpiexec, "launcher of the MPI (default: the one in PATH)");
  command.add_option("--library", a->dropin, fmt::format("{} of another build", "liblaconic-mpi.so"));
  command.add_flag("--no-job", a->no_job, "start no MPI job");
  command.add_flag("--be-a-rank", a->be_a_rank).group("");  // a rank of the job that this command starts
  const auto json =
      command.add_option("--json", a->json_file, "print JSON; with FILE: print the text and write JSON to FILE")
          .expected(0, 1);
  command.callback([a, json] {
    a->as_json = json.count() > 0;
    run(*a);
  });
}

}  // namespace laconic::cli
