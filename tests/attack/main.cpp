// SPDX-License-Identifier: BSD-3-Clause
// The random attack on the public API: ./dev attack starts it, tests/attack/README.md says what it covers.
//
//   attack [--seconds N] [--seed S] [--first K] [--cases N] [--watchdog SECONDS] [--label TEXT] [--with bundles]
//   [--isa mixed]
//          [--self-test]
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "scenes.hpp"
#include "watchdog.hpp"

namespace attack {
namespace {

struct Arguments {
  double seconds = 5;
  std::uint64_t seed = 1;
  std::uint64_t first = 0;
  std::uint64_t cases = 0;  // 0: until the time is over
  unsigned watchdog = 60;
  std::string label;
  bool bundles = false;
  bool mixed = false;  // a different instruction set on every rank
  bool self_test = false;
  Plant plant = Plant::none;
};

const std::vector<std::pair<Plant, const char*>> plants{
    {Plant::bound, "bound"},       {Plant::swap, "swap"},
    {Plant::bit, "bit"},           {Plant::large_bit, "large-bit"},
    {Plant::gap, "gap"},           {Plant::input, "input"},
    {Plant::achieved, "achieved"}, {Plant::quiet_error, "quiet-error"}};

[[noreturn]] void usage(const std::string& what) {
  std::fprintf(stderr, "attack: %s\n", what.c_str());
  std::exit(2);
}

std::uint64_t number(const std::string& option, const char* value) {
  char* end = nullptr;
  const std::uint64_t n = std::strtoull(value, &end, 10);
  if (*value == '\0' || *end != '\0') usage(option + " takes a whole number, not '" + value + "'");
  return n;
}

Arguments parse(int argc, char** argv) {
  Arguments a;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--self-test") {
      a.self_test = true;
      continue;
    }
    if (i + 1 == argc) usage(option + " needs a value");
    const char* value = argv[++i];
    if (option == "--seconds")
      a.seconds = static_cast<double>(number(option, value));
    else if (option == "--seed")
      a.seed = number(option, value);
    else if (option == "--first")
      a.first = number(option, value);
    else if (option == "--cases")
      a.cases = number(option, value);
    else if (option == "--watchdog")
      a.watchdog = static_cast<unsigned>(number(option, value));
    else if (option == "--label")
      a.label = std::string(value) + " ";
    else if (option == "--with" && std::string(value) == "bundles")
      a.bundles = true;
    else if (option == "--isa" && std::string(value) == "mixed")
      a.mixed = true;
    else if (option == "--plant" && std::string(value) == "hang")
      a.plant = Plant::hang;
    else
      usage("unknown option " + option);
  }
  return a;
}

// One case is drawn from only the seed and its number.
void play(World& world, const Arguments& a, std::uint64_t number) {
  const std::string origin =
      ranks::text("%s--seed %llu --case %llu --ranks %d", a.label.c_str(), static_cast<unsigned long long>(a.seed),
                  static_cast<unsigned long long>(number), world.size);
  world.journal.origin = ranks::text("on rank %d, see ./dev attack %s", world.rank, origin.c_str());
  Random random(Random(a.seed).bits() ^ Random(~number).bits());
  const Scene scene = world.plant == Plant::quiet_error ? Scene::misuse
                      : world.plant != Plant::none      ? Scene::collectives
                                                        : draw_scene(random);
  world.planted = false;
  world.journal.on_begin = [origin, rank = world.rank](const std::string& what) {
    under_way("on rank " + std::to_string(rank) + ", see ./dev attack " + origin + "\n    in: " + what);
  };
  world.journal.begin("drawing");
  alarm(a.watchdog);
  if (world.plant == Plant::hang && world.rank == 0)
    for (;;) pause();
  if (scene == Scene::collectives) play_collectives(world, random);
  if (scene == Scene::misuse) play_misuse(world, random);
  if (scene == Scene::messages) play_messages(world, random);
}

// Frames are the same whatever instruction set encoded them, so ranks on unlike machines work together.
void mix_instructions(Arguments& a) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<const char*> all{"baseline", "generic"};
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) all.push_back("avx2");
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) all.push_back("avx512");
#endif
  const auto which = (a.seed + static_cast<std::uint64_t>(rank)) % all.size();
  setenv("LACONIC_ISA", all[which], 1);
  a.label += "--isa mixed ";
}

// Faults planted into results: every one of them has to be found.
int self_test(World& world, Arguments a) {
  world.journal.quiet = true;
  bool all = true;
  for (const auto& [plant, name] : plants) {
    world.plant = plant;
    if (plant == Plant::quiet_error && world.size == 1) continue;
    if (plant == Plant::bit && world.size == 1) continue;
    int planted = 0;
    int found = 0;
    for (std::uint64_t k = a.first; planted < 12 && k < a.first + 5000; ++k) {
      play(world, a, k);
      if (!world.any(world.planted)) continue;
      ++planted;
      found += world.any(world.journal.found() > 0);
    }
    // A bound larger than the one checked can be detected only where errors come near it.
    const bool good = planted >= 5 && (plant == Plant::bound ? found > 0 : found == planted);
    all = all && good;
    if (world.rank == 0)
      std::printf("self-test %s: %d planted, %d found%s\n", name, planted, found, good ? "" : ": FAILED");
  }
  return all ? 0 : 1;
}

void print_counts(World& world) {
  // Each rank counts only its own values.
  std::vector<std::uint64_t> values;
  for (const NamedType& type : named_types()) values.push_back(world.journal.counted("values", type.name));
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (world.rank != 0) return;
  for (std::size_t k = 0; k < values.size(); ++k)
    std::printf("count\tvalues\t%s\t%llu\n", named_types()[k].name, static_cast<unsigned long long>(values[k]));
  for (const auto& [group, names] : world.journal.counts())
    for (const auto& [name, n] : names)
      if (group != "values")
        std::printf("count\t%s\t%s\t%llu\n", group.c_str(), name.c_str(), static_cast<unsigned long long>(n));
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

int attack(World& world, const Arguments& a) {
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t faults = 0;
  std::uint64_t k = a.first;
  for (;; ++k) {
    if (a.cases != 0 && k == a.first + a.cases) break;
    const double before = seconds_since(begin);
    play(world, a, k);
    const double passed = seconds_since(begin);
    constexpr double slow = 5;
    if (passed - before > slow && world.rank == 0)
      std::printf("attack: slow, %.1f s, %s\n    in: %s\n", passed - before, world.journal.origin.c_str(),
                  world.journal.description().c_str());
    std::vector<std::uint64_t> state{world.journal.found() > 0, a.cases == 0 && world.rank == 0 && passed > a.seconds};
    world.greatest(state);
    faults += state[0];
    constexpr std::uint64_t most_faults = 5;  // further faults are repetitions
    if (state[1] != 0 || faults == most_faults) {
      ++k;
      break;
    }
  }
  alarm(a.watchdog);
  world.journal.count("total", "cases", k - a.first);
  world.journal.count("total", "faults", faults);
  print_counts(world);
  const double seconds = seconds_since(begin);
  if (world.rank == 0)
    std::printf("attack: %llu cases, %llu with faults, %d ranks, %s--seed %llu, %.1f s\n",
                static_cast<unsigned long long>(k - a.first), static_cast<unsigned long long>(faults), world.size,
                a.label.c_str(), static_cast<unsigned long long>(a.seed), seconds);
  return faults == 0 ? 0 : 1;
}

}  // namespace
}  // namespace attack

int main(int argc, char** argv) {
  attack::Arguments a = attack::parse(argc, argv);
  if (a.bundles) a.label += "--with bundles ";
  MPI_Init(&argc, &argv);
  if (a.mixed) attack::mix_instructions(a);
  attack::watch();
  int rc = 0;
  {
    attack::World world;
    world.plant = a.plant;
    world.offer.bundles = a.bundles;
    rc = a.self_test ? attack::self_test(world, a) : attack::attack(world, a);
    std::fflush(stdout);
  }
  alarm(a.watchdog);
  MPI_Finalize();
  return rc;
}
