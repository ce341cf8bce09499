// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <memory>

#include "operation.hpp"
#include "scenes.hpp"

namespace attack {
namespace {

using ranks::text;

// Calls in flight at a time, the same on all ranks that take part.
class Crowd {
 public:
  Crowd(World& world, Random& random) : world_(world), own_(random.bits() + static_cast<std::uint64_t>(world.rank)) {
    const std::size_t number = random.below(4) == 0 ? 2 + random.below(5) : 1;
    std::string description;
    for (std::size_t k = 0; k < number; ++k) {
      const Group& group = world.groups[random.below(3) == 0 ? random.below(world.groups.size()) : 0];
      Call call = draw_call(random, group.least_size, group.most_size, world.offer);
      if (number > 1) {
        call.by_hints = false;  // which are the communicator's
        call.count = std::min<std::size_t>(call.count, 3000);
      }
      rounds_ = std::max(rounds_, call.rounds);
      description += text("%s%s: %s", k == 0 ? "" : " | ", group.name, describe(call).c_str());
      calls_.push_back({&group, call});
    }
    alternative_ = random.bits();
    world.journal.begin(description);
    world.journal.count("in flight", text("%zu", number));
  }

  void play() {
    for (const auto& [group, call] : calls_) {
      count(call);
      operations_.push_back(group->rank < 0 ? nullptr : std::make_unique<Operation>(world_, *group, call));
    }
    set_hints(true);
    requests_.assign(operations_.size(), LACONIC_REQUEST_NULL);
    for (int round = 0; round < rounds_; ++round) play_round(round);
    for (laconic_request& request : requests_)
      if (request != LACONIC_REQUEST_NULL) succeeded(laconic_request_free(&request), "laconic_request_free");
    if (operations_.size() == 1) try_another_way();
    set_hints(false);
  }

 private:
  struct Drawn {
    const Group* group;
    Call call;
  };

  bool takes_part(std::size_t k, int round) const {
    return operations_[k] != nullptr && (round == 0 || (round < calls_[k].call.rounds));
  }

  void play_round(int round) {
    for (std::size_t k = 0; k < operations_.size(); ++k) {
      if (!takes_part(k, round)) continue;
      Operation& operation = *operations_[k];
      if (round > 0) operation.fill(round);
      if (round == 0) succeeded(operation.begin(&requests_[k]), "the call");
      if (calls_[k].call.mode == Mode::persistent) succeeded(laconic_start(&requests_[k]), "laconic_start");
    }
    complete(world_, own_, requests_, nullptr);
    for (std::size_t k = 0; k < operations_.size(); ++k)
      if (takes_part(k, round)) operations_[k]->check();
    compare(round);
  }

  void succeeded(int rc, const char* what) {
    CHECK(world_.journal, rc == MPI_SUCCESS, "%s: %s", what, ranks::message_of(rc).c_str());
  }

  // For a codec whose sums are exact, the bits do not depend on how a call is carried out.
  void try_another_way() {
    Random random(alternative_);
    const auto& [group, call] = calls_[0];
    if (random.below(3) != 0 || !call.lattice() || call.per_hop() || call.by_hints) return;
    if (call.options.bound.mode != LACONIC_BOUND_ABS && !of_range(call.options.bound)) return;
    if (!is_floating(call.type->number)) return;
    Call other = call;
    other.mode = Mode::blocking;
    other.rounds = 1;
    const laconic_options drawn = draw_options(random, call.type->number, world_.offer);
    other.options.chunk_elements = drawn.chunk_elements;
    if (call.count > 3000 && other.options.chunk_elements < 1000) other.options.chunk_elements = 0;
    other.options.depth = drawn.depth;
    other.options.variant = random.below(2) == 0 ? LACONIC_VARIANT_ND : LACONIC_VARIANT_OVERLAP;
    other.options.algorithm = random.pick(algorithms_of(call.routine, group->least_size, group->most_size));
    if (call.options.algorithm == LACONIC_ALGORITHM_PLAIN || call.options.variant == LACONIC_VARIANT_PLAIN) return;
    if (operations_[0] == nullptr) return;
    Operation again(world_, *group, other);
    again.fill(rounds_ - 1);
    succeeded(again.begin(nullptr), "another way to do it");
    operations_[0]->check_same_results(again);
    world_.journal.count("redone", ranks::routine_name(call.routine));
  }

  // The hints for the only communicator of the case.
  void set_hints(bool on) {
    const auto& [group, call] = calls_[0];
    if (!call.by_hints || group->rank < 0) return;
    const laconic_options& o = call.options;
    MPI_Info info = MPI_INFO_NULL;
    if (on) {
      MPI_Info_create(&info);
      constexpr const char* modes[] = {"", "abs", "rel", "rms", "rate", "lossless", "block", "range"};
      const std::string value = o.bound.mode == LACONIC_BOUND_LOSSLESS
                                    ? "lossless"
                                    : text("%s:%.17g", modes[static_cast<std::size_t>(o.bound.mode)], o.bound.value);
      MPI_Info_set(info, "laconic_bound", value.c_str());
      const auto named = [&](const char* key, const char* name) { MPI_Info_set(info, key, name); };
      if (o.codec != LACONIC_CODEC_UNSET) named("laconic_codec", laconic_codec_name(o.codec));
      if (o.effort != LACONIC_EFFORT_UNSET) named("laconic_effort", laconic_effort_name(o.effort));
      if (o.algorithm != LACONIC_ALGORITHM_UNSET) named("laconic_algorithm", laconic_algorithm_name(o.algorithm));
      if (o.variant != LACONIC_VARIANT_UNSET) named("laconic_variant", laconic_variant_name(o.variant));
      if (o.denormals != LACONIC_DENORMALS_UNSET) named("laconic_denormals", laconic_denormals_name(o.denormals));
      if (o.target != LACONIC_TARGET_UNSET)
        named("laconic_target", o.target == LACONIC_TARGET_INPUT ? "input" : "result");
      const auto number = [&](const char* key, std::int64_t n) {
        if (n != 0) MPI_Info_set(info, key, std::to_string(n).c_str());
      };
      number("laconic_chunk_elements", o.chunk_elements);
      number("laconic_depth", o.depth);
      number("laconic_min_bytes", o.min_bytes);
    }
    succeeded(laconic_comm_set_info(group->comm, info), "laconic_comm_set_info");
    if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  }

  // Results that ranks have in common, in one exchange for all: each as itself and as its complement, both for maxima.
  void compare(int round) {
    constexpr std::size_t colours = 2;
    std::vector<std::uint64_t> mine(calls_.size() * colours * 4, 0);
    for (std::size_t k = 0; k < calls_.size(); ++k) {
      if (!takes_part(k, round)) continue;
      const auto both = operations_[k]->common();
      if (!both.has_value()) continue;
      const std::size_t at = (k * colours + static_cast<std::size_t>(calls_[k].group->colour)) * 4;
      for (std::size_t i = 0; i < 2; ++i) {
        mine[at + 2 * i] = (*both)[i];
        mine[at + 2 * i + 1] = ~(*both)[i];
      }
    }
    std::vector<std::uint64_t> most = mine;
    world_.greatest(most);
    for (std::size_t k = 0; k < calls_.size(); ++k) {
      const std::size_t at = (k * colours + static_cast<std::size_t>(calls_[k].group->colour)) * 4;
      if (mine[at] == 0 && mine[at + 1] == 0) continue;
      CHECK(world_.journal, most[at] == ~most[at + 1], "ranks hold different bits as the result of call %zu", k);
      CHECK(world_.journal, most[at + 2] == ~most[at + 3], "ranks have achieved different bounds in call %zu, here %g",
            k, operations_[k]->stats().achieved_bound);
    }
  }

  void count(const Call& call) {
    Journal& journal = world_.journal;
    journal.count("operation", text("%s %s", name_of(call.mode), ranks::routine_name(call.routine)));
    journal.count("codec", laconic_codec_name(call.codec()));
    journal.count("type", call.type->name);
    journal.count("pattern", name_of(call.pattern));
    if (call.options.algorithm != LACONIC_ALGORITHM_UNSET)
      journal.count("algorithm", laconic_algorithm_name(call.options.algorithm));
    if (call.options.variant != LACONIC_VARIANT_UNSET)
      journal.count("variant", laconic_variant_name(call.options.variant));
  }

  World& world_;
  Random own_;
  std::vector<Drawn> calls_;
  std::vector<std::unique_ptr<Operation>> operations_;
  std::vector<laconic_request> requests_;
  std::uint64_t alternative_ = 0;
  int rounds_ = 1;
};

}  // namespace

void play_collectives(World& world, Random& random) {
  Crowd crowd(world, random);
  crowd.play();
}

}  // namespace attack
