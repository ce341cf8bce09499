// SPDX-License-Identifier: BSD-3-Clause
// Random programs of handles: communicators, datatypes, requests, windows and attributes that are made, used, freed
// early and made again. It knows nothing of Laconic: ./dev attack runs it with the drop-in in front of its MPI, and
// README.md says what it covers.
//
//   attack_handles [--bound E] [--seconds N] [--seed S] [--first K] [--cases N] [--steps N] [--faults N] [--watchdog
//   SECONDS]
//                  [--label TEXT] [--trace] [--self-test]
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "../watchdog.hpp"
#include "play.hpp"

namespace handles {
namespace {

struct Arguments {
  double bound = 0;
  double seconds = 5;
  std::uint64_t seed = 1;
  std::uint64_t first = 0;
  std::uint64_t cases = 0;     // 0: until the time is over
  std::uint64_t steps = 1000;  // of a case, at most
  std::uint64_t faults = 5;    // cases with faults after which it ends: further ones are repetitions
  unsigned watchdog = 60;
  std::string label;
  bool self_test = false;
  bool trace = false;
  Plant plant = Plant::none;
};

const std::vector<std::pair<Plant, const char*>> plants{
    {Plant::sentinel, "sentinel"}, {Plant::value, "value"}, {Plant::input, "input"}, {Plant::bits, "bits"}};

Arguments parse(int argc, char** argv) {
  Arguments a;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--self-test") {
      a.self_test = true;
      continue;
    }
    if (option == "--trace") {
      a.trace = true;
      continue;
    }
    const std::string value = i + 1 < argc ? argv[++i] : "";
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);
    const bool is_number = !value.empty() && *end == '\0' && number >= 0;
    const auto whole = static_cast<std::uint64_t>(number);
    if (option == "--label")
      a.label = value + " ";
    else if (option == "--plant" && value == "hang")
      a.plant = Plant::hang;
    else if (is_number && option == "--bound")
      a.bound = number;
    else if (is_number && option == "--seconds")
      a.seconds = number;
    else if (is_number && option == "--seed")
      a.seed = whole;
    else if (is_number && option == "--first")
      a.first = whole;
    else if (is_number && option == "--cases")
      a.cases = whole;
    else if (is_number && option == "--faults")
      a.faults = whole;
    else if (is_number && option == "--steps")
      a.steps = whole;
    else if (is_number && option == "--watchdog")
      a.watchdog = static_cast<unsigned>(whole);
    else {
      std::fprintf(stderr, "attack: %s '%s' is no option with its value\n", option.c_str(), value.c_str());
      std::exit(2);
    }
  }
  return a;
}

std::string origin(const Run& run, const Arguments& a, std::uint64_t number) {
  return text("%s--seed %llu --case %llu --ranks %d", a.label.c_str(), static_cast<unsigned long long>(a.seed),
              static_cast<unsigned long long>(number), run.size);
}

void watch(Run& run, const Arguments& a, std::uint64_t number) {
  const std::string place = text("on rank %d, see ./dev attack ", run.rank) + origin(run, a, number);
  run.journal.origin = place;
  run.journal.on_begin = [place](const std::string& what) { attack::under_way(place + "\n    in: " + what); };
  alarm(a.watchdog);
}

// One case is drawn from only the seed and its number.
void play(Run& run, const Arguments& a, std::uint64_t number) {
  watch(run, a, number);
  run.planted = false;
  run.journal.begin("the beginning");
  Random shared(mix(a.seed, number));
  const Random own(mix(mix(a.seed, number), static_cast<std::uint64_t>(run.rank + 1)));
  if (a.plant == Plant::hang && run.rank == 0)
    for (;;) pause();
  Play game(run, shared, own);
  game.play(a.steps);
}

bool any(const Run& run, bool mine) {
  int all = mine;
  PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MAX, run.control);
  return all != 0;
}

int self_test(Run& run, const Arguments& a) {
  run.journal.quiet = true;
  bool all = true;
  for (const auto& [plant, name] : plants) {
    run.plant = plant;
    int planted = 0;
    int found = 0;
    for (std::uint64_t k = a.first; planted < 8 && k < a.first + 200; ++k) {
      play(run, a, k);
      // Bits are compared between ranks: where all of them are wrong, they are alike.
      if (!any(run, run.planted)) continue;
      ++planted;
      found += any(run, run.journal.found() > 0);
    }
    const bool good = planted >= 5 && (plant == Plant::bits ? found > 0 : found == planted);
    all = all && good;
    if (run.rank == 0)
      std::printf("self-test %s: %d planted, %d found%s\n", name, planted, found, good ? "" : ": FAILED");
  }
  return all ? 0 : 1;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

int attack(Run& run, const Arguments& a) {
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t faults = 0;
  std::uint64_t k = a.first;
  for (bool over = false; !over && (a.cases == 0 || k < a.first + a.cases); ++k) {
    play(run, a, k);
    faults += any(run, run.journal.found() > 0);
    over = faults == a.faults || any(run, a.cases == 0 && run.rank == 0 && seconds_since(begin) > a.seconds);
  }
  run.journal.count("total", "cases", k - a.first);
  if (run.rank == 0) {
    for (const auto& [group, names] : run.journal.counts())
      for (const auto& [name, n] : names)
        std::printf("count\t%s\t%s\t%llu\n", group.c_str(), name.c_str(), static_cast<unsigned long long>(n));
    std::printf("attack: %llu cases, %llu with faults, %d ranks, %s--seed %llu, %.1f s\n",
                static_cast<unsigned long long>(k - a.first), static_cast<unsigned long long>(faults), run.size,
                a.label.c_str(), static_cast<unsigned long long>(a.seed), seconds_since(begin));
  }
  return faults == 0 ? 0 : 1;
}

}  // namespace
}  // namespace handles

int main(int argc, char** argv) {
  const handles::Arguments a = handles::parse(argc, argv);
  MPI_Init(&argc, &argv);
  attack::watch();
  handles::Run run;
  MPI_Comm_rank(MPI_COMM_WORLD, &run.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &run.size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  PMPI_Comm_dup(MPI_COMM_WORLD, &run.control);
  run.bound = a.bound;
  run.trace = a.trace;
  run.plant = a.plant;
  int rc = a.self_test ? handles::self_test(run, a) : handles::attack(run, a);
  std::fflush(stdout);
  run.plant = handles::Plant::none;
  run.journal.quiet = false;
  PMPI_Comm_free(&run.control);
  // The end of the job is the end of every case: the last one's command repeats it.
  handles::watch(run, a, a.first);
  run.journal.begin("MPI_Finalize");
  handles::prepare_finalize(run, handles::Random(handles::mix(a.seed, a.first)));
  MPI_Finalize();
  if (run.journal.found() > 0) rc = 1;
  return rc;
}
