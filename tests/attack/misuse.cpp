// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "mistakes.hpp"
#include "scenes.hpp"

namespace attack {
namespace {

using ranks::text;

// A call that is surely compressed, so that the ranks agree before anything happens.
Call draw_compressed(Random& random, const Group& group, const Offer& offer) {
  for (;;) {
    Call call = draw_call(random, group.least_size, group.most_size, offer);
    call.by_hints = false;
    call.rounds = 1;
    call.bundled = false;
    call.count = std::clamp<std::size_t>(call.count, 1, 3000);
    call.options.min_bytes = 1;
    if (call.options.algorithm == LACONIC_ALGORITHM_PLAIN) call.options.algorithm = LACONIC_ALGORITHM_AUTO;
    if (call.options.variant == LACONIC_VARIANT_PLAIN) call.options.variant = LACONIC_VARIANT_ND;
    if (call.options.bound.mode == LACONIC_BOUND_UNSET || call.reduction == Reduction::product) continue;
    const bool coded = is_floating(call.type->number) || call.codes_integers();
    if (coded && Layout(call, 0, group.least_size).most_bytes() > 0 &&
        Layout(call, 0, group.most_size).most_bytes() > 0)
      return call;
  }
}

int finish(Random& own, laconic_request& request) {
  switch (own.below(3)) {
    case 0: {
      int flag = 0;
      int rc = MPI_SUCCESS;
      while (flag == 0 && rc == MPI_SUCCESS) rc = laconic_test(&request, &flag, MPI_STATUS_IGNORE);
      return rc;
    }
    case 1: {
      MPI_Status status{};
      status.MPI_ERROR = MPI_SUCCESS;
      const int rc = laconic_waitall(1, &request, &status);
      return rc == MPI_ERR_IN_STATUS ? status.MPI_ERROR : rc;
    }
    default: return laconic_wait(&request, MPI_STATUS_IGNORE);
  }
}

// Runs the operation to its end in any mode, and returns its error code.
int run(Operation& operation, const Arguments& arguments, Random& own) {
  laconic_request request = LACONIC_REQUEST_NULL;
  int rc = operation.begin(arguments, &request);
  if (operation.call().mode == Mode::blocking || rc != MPI_SUCCESS) return rc;
  if (operation.call().mode == Mode::persistent) rc = laconic_start(&request);
  if (rc == MPI_SUCCESS) rc = finish(own, request);
  if (request != LACONIC_REQUEST_NULL) laconic_request_free(&request);
  return rc;
}

void good_call_follows(World& world, const Group& group, std::uint64_t seed, Random& own) {
  Call call;
  call.mode = static_cast<Mode>(seed % 3);
  call.type = &named_types()[seed % 2];
  call.options = ranks::options_with(LACONIC_BOUND_ABS, 1e-3);
  call.count = 100;
  call.seed = seed;
  Operation operation(world, group, call);
  const int rc = run(operation, operation.arguments(), own);
  if (CHECK(world.journal, rc == MPI_SUCCESS, "a good call afterwards: %s", ranks::message_of(rc).c_str()))
    operation.check();
}

}  // namespace

void play_misuse(World& world, Random& random) {
  std::vector<const Group*> possible;
  for (const Group& g : world.groups)
    if (g.least_size >= 2) possible.push_back(&g);
  if (possible.empty()) return;
  const Group& group = *possible[random.below(possible.size())];
  Random own(random.bits() + static_cast<std::uint64_t>(world.rank));
  const auto& mistakes = all_mistakes();
  for (;;) {
    const Call call = draw_compressed(random, group, world.offer);
    const Mistake& mistake = mistakes[random.below(mistakes.size())];
    const int culprit = static_cast<int>(random.below(static_cast<std::uint64_t>(group.least_size)));
    const bool on_all = !mistake.differs && random.below(6) == 0;
    const std::uint64_t seed = random.bits() >> 24;
    if (!mistake.applies(call, Layout(call, culprit, group.least_size)) ||
        !mistake.applies(call, Layout(call, culprit, group.most_size)))
      continue;
    world.journal.begin(text("%s on %s of %s: %s", mistake.name,
                             on_all ? "all ranks that can" : text("rank %d", culprit).c_str(), group.name,
                             describe(call).c_str()));
    world.journal.count("misuse", mistake.name);
    if (group.rank < 0) return;
    constexpr std::size_t room = 64;  // for other types and counts than the right ones
    Operation operation(world, group, call, call.count * static_cast<std::size_t>(group.size) * 8 + room * 8);
    Spoilt spoilt{operation.arguments(), operation.options(), {}};
    const Layout layout(call, group.rank, group.size);
    if (group.rank == culprit || (on_all && mistake.applies(call, layout))) mistake.spoil(call, layout, spoilt, random);
    spoilt.arguments.options = &spoilt.options;
    int rc = run(operation, spoilt.arguments, own);
    if (world.plant == Plant::quiet_error) {
      rc = MPI_SUCCESS;
      world.planted = true;
    }
    CHECK(world.journal, rc != MPI_SUCCESS, "no error");
    CHECK(world.journal, rc == MPI_SUCCESS || ranks::message_of(rc).size() > 10, "the message is '%s'",
          ranks::message_of(rc).c_str());
    operation.check_unchanged();
    good_call_follows(world, group, seed, own);
    return;
  }
}

}  // namespace attack
