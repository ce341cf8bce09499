#include <algorithm>
#include <cstddef>

#include "engine/plan.hpp"

namespace laconic {
namespace {

constexpr std::size_t never = static_cast<std::size_t>(-1);

// For every step, the next one that names the same block.
std::vector<std::size_t> next_touch(const Schedule& schedule) {
  std::vector<std::size_t> next(schedule.steps.size(), never);
  std::vector<std::size_t> upcoming(static_cast<std::size_t>(schedule.blocks), never);
  for (std::size_t i = schedule.steps.size(); i-- > 0;) {
    auto& latest = upcoming[static_cast<std::size_t>(schedule.steps[i].block)];
    next[i] = latest;
    latest = i;
  }
  return next;
}

// Whether a step or a later one of the same block takes something in.
std::vector<bool> takes_later(const Schedule& schedule, const std::vector<std::size_t>& next) {
  std::vector<bool> takes(schedule.steps.size(), false);
  for (std::size_t i = schedule.steps.size(); i-- > 0;)
    takes[i] = schedule.steps[i].verb != Verb::send || (next[i] != never && takes[next[i]]);
  return takes;
}

class Lowering {
 public:
  Lowering(const Schedule& schedule, Collective collective, Place at, Travel travel)
      : schedule_(schedule), collective_(collective), at_(at), states_(static_cast<std::size_t>(schedule.blocks)) {
    plan_.travel = travel;
    plan_.cut = schedule.blocks;
  }

  Plan run() {
    const auto next = next_touch(schedule_);
    const auto takes = takes_later(schedule_, next);
    std::vector<std::uint32_t> sent(static_cast<std::size_t>(at_.size), 0);
    std::vector<std::uint32_t> received(static_cast<std::size_t>(at_.size), 0);
    for (std::size_t i = 0; i < schedule_.steps.size(); ++i) {
      const Step& step = schedule_.steps[i];
      const auto peer = static_cast<std::size_t>(step.peer);
      State& block = touch(step.block);
      switch (step.verb) {
        case Verb::send: send(block, step.peer, sent[peer]++, !takes[i]); break;
        case Verb::receive: receive(block, step.peer, received[peer]++); break;
        case Verb::reduce: reduce(block, step.peer, received[peer]++); break;
      }
      if (next[i] == never)
        finish(block);
      else if (schedule_.steps[next[i]].verb == Verb::receive)
        let_go(block);
    }
    for (std::int32_t b = 0; b < schedule_.blocks; ++b) leave(b);
    count(sent, received);
    return std::move(plan_);
  }

 private:
  struct State {
    std::int32_t local = -1;  // its place in Plan::blocks
    Stake stake;
    bool frame = false;
    Home numbers = Home::none;
  };

  State& touch(std::int32_t block) {
    State& state = states_[static_cast<std::size_t>(block)];
    if (state.local < 0) {
      state.local = static_cast<std::int32_t>(plan_.blocks.size());
      state.stake = stake_of(collective_, at_, block);
      state.numbers = state.stake.has ? Home::input : Home::none;
      plan_.blocks.push_back(block);
      plan_.passing.push_back(!state.stake.has && !state.stake.wants);
    }
    return state;
  }

  Action& add(Act act, const State& block) {
    plan_.actions.push_back({act, block.local});
    return plan_.actions.back();
  }

  Action& add_receive(Act act, const State& block, std::int32_t peer, std::uint32_t message) {
    plan_.receives.push_back(plan_.actions.size());
    Action& action = add(act, block);
    action.peer = peer;
    action.message = message;
    if (act != Act::take) plan_.reduced = plan_.actions.size();
    return action;
  }

  void encode(State& block, bool last) {
    Action& action = add(Act::encode, block);
    action.from = block.numbers;
    action.last = last;
    block.frame = true;
  }

  void drop(State& block) {
    if (block.frame) add(Act::drop, block);
    block.frame = false;
  }

  void forget(State& block) {
    if (block.numbers == Home::spare) add(Act::forget, block);
    block.numbers = Home::none;
  }

  // What a rank computes of a block that it wants may as well be where the result goes.
  Home home_of(const State& block) const { return block.stake.wants ? Home::output : Home::spare; }

  void send(State& block, std::int32_t peer, std::uint32_t message, bool final) {
    const bool per_hop = plan_.travel == Travel::per_hop;
    if (!block.frame) {
      encode(block, !per_hop && (!reduces(collective_) || (block.stake.wants && final)));
      if (!per_hop) forget(block);
    }
    Action& action = add(Act::send, block);
    action.peer = peer;
    action.message = message;
    if (per_hop) drop(block);
  }

  void receive(State& block, std::int32_t peer, std::uint32_t message) {
    add_receive(Act::take, block, peer, message);
    block.frame = true;
    if (plan_.travel != Travel::per_hop) return;
    block.numbers = home_of(block);
    add(Act::unpack, block).to = block.numbers;
    block.frame = false;
  }

  void reduce(State& block, std::int32_t peer, std::uint32_t message) {
    if (plan_.travel == Travel::adding) {
      add_receive(block.frame ? Act::add : Act::fold, block, peer, message).from =
          block.frame ? Home::none : block.numbers;
      block.frame = true;
      return;
    }
    Action& action = add_receive(Act::merge, block, peer, message);
    action.from = block.frame ? Home::none : block.numbers;
    action.to = home_of(block);
    block.numbers = action.to;
    block.frame = false;
  }

  // Before another value comes in its place.
  void let_go(State& block) {
    drop(block);
    forget(block);
  }

  void finish(State& block) {
    if (!block.stake.wants) return let_go(block);
    if (block.frame) {
      add(Act::decode, block);
      block.frame = false;
      return forget(block);
    }
    add(Act::copy, block).from = block.numbers;
    forget(block);
  }

  // A block that no step names.  Where data moves, what a rank keeps is what it would have sent: the result does not
  // depend on who sits where.
  void leave(std::int32_t b) {
    const Stake stake = stake_of(collective_, at_, b);
    if (states_[static_cast<std::size_t>(b)].local >= 0 || !stake.has || !stake.wants) return;
    State& block = touch(b);
    if (at_.size > 1 && plan_.travel != Travel::per_hop && !reduces(collective_)) encode(block, true);
    finish(block);
  }

  void count(const std::vector<std::uint32_t>& sent, const std::vector<std::uint32_t>& received) {
    struct Held {
      bool frame = false;
      bool spare = false;
    };
    std::vector<Held> held(plan_.blocks.size());
    std::size_t now = 0;
    for (Action& action : plan_.actions) {
      Held& h = held[static_cast<std::size_t>(action.block)];
      const std::size_t before = h.frame + h.spare;
      switch (action.act) {
        case Act::encode:
        case Act::take:
        case Act::fold:
        case Act::add: h.frame = true; break;
        case Act::merge:
        case Act::unpack:
          h.frame = false;
          h.spare = action.to == Home::spare;
          break;
        case Act::drop:
        case Act::decode: h.frame = false; break;
        case Act::forget: h.spare = false; break;
        case Act::send:
        case Act::copy: break;
      }
      now = now + h.frame + h.spare - before;
      plan_.most_held = std::max(plan_.most_held, now);
      if (action.peer < 0) continue;
      const auto peer = static_cast<std::size_t>(action.peer);
      action.messages = action.act == Act::send ? sent[peer] : received[peer];
      plan_.most_messages = std::max(plan_.most_messages, action.messages);
    }
  }

  const Schedule& schedule_;
  Collective collective_;
  Place at_;
  std::vector<State> states_;
  Plan plan_;
};

}  // namespace

std::string_view name_of(Act act) {
  switch (act) {
    case Act::encode: return "encode";
    case Act::send: return "send";
    case Act::take: return "take";
    case Act::fold: return "fold";
    case Act::add: return "add";
    case Act::merge: return "merge";
    case Act::unpack: return "unpack";
    case Act::drop: return "drop";
    case Act::forget: return "forget";
    case Act::decode: return "decode";
    case Act::copy: return "copy";
  }
  return "?";
}

std::size_t slots_of_row(const Plan& plan) {
  std::size_t sends = 0;
  bool makes = false;
  bool reads = false;
  bool merges = false;
  for (const Action& a : plan.actions) {
    sends += a.act == Act::send;
    makes = makes || a.act == Act::encode || a.act == Act::fold || a.act == Act::add;
    reads = reads || a.act == Act::fold || a.act == Act::add || a.act == Act::merge;
    merges = merges || a.act == Act::merge;
  }
  return plan.most_held + std::min(sends, sends_ahead) + std::min(plan.receives.size(), receives_ahead) +
         static_cast<std::size_t>(makes) + static_cast<std::size_t>(reads) + static_cast<std::size_t>(merges);
}

Plan lower(const Schedule& schedule, Collective collective, Place at, Travel travel) {
  return Lowering(schedule, collective, at, travel).run();
}

}  // namespace laconic
