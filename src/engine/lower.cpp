// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>

#include "engine/plan.hpp"

namespace laconic {
namespace {

constexpr std::size_t never = static_cast<std::size_t>(-1);

// For every step, the index of the next step that names the same block.
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

// For every step, whether it or a later step of the same block receives or reduces.
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
    plan_.adds = reduces(collective);
    // In a scan every rank has another result, so no frame of one is sent on.
    plan_.forwards = travel != Travel::per_hop && !traits_of(collective).prefix();
    plan_.cut = schedule.blocks;
    // The first rank of an exclusive scan has no result, but it encodes its own contribution.
    plan_.whole = static_cast<std::uint32_t>(std::max(contributions_of(collective, at), 1));
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
        case Verb::send: send(block, {step, sent[peer]}, !takes[i]); break;
        case Verb::receive: receive(block, {step, received[peer]}, next[i] == never || !takes[next[i]]); break;
        case Verb::reduce: reduce(block, {step, received[peer]}, next[i] == never || !takes[next[i]]); break;
      }
      if (step.part + 1 == step.parts) ++(step.verb == Verb::send ? sent : received)[peer];
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
    std::int32_t local = -1;  // its index in Plan::blocks
    Ownership ownership;
    bool frame = false;
    std::size_t reduced = never;  // the index of the fold or add that made the frame, if nothing has read it
    std::size_t arrivals = 0;     // in that frame, since something read the one before
    Location numbers = Location::none;
  };

  // The message of a step: its number among the messages of the same direction between the two ranks.
  struct Message {
    const Step& step;
    std::uint32_t number;
  };

  State& touch(std::int32_t block) {
    State& state = states_[static_cast<std::size_t>(block)];
    if (state.local < 0) {
      state.local = static_cast<std::int32_t>(plan_.blocks.size());
      state.ownership = ownership_of(collective_, at_, block);
      state.numbers = state.ownership.has ? Location::input : Location::none;
      plan_.blocks.push_back(block);
      plan_.labels.push_back(label_of(collective_, at_, block));
      plan_.passing.push_back(!state.ownership.has && !state.ownership.wants);
    }
    return state;
  }

  Action& add(Act act, const State& block) {
    plan_.actions.push_back({act, block.local});
    return plan_.actions.back();
  }

  void put_into(const Message& message, Action& action) {
    action.peer = message.step.peer;
    action.message = message.number;
    action.part = message.step.part;
    action.parts = message.step.parts;
    plan_.most_parts = std::max(plan_.most_parts, action.parts);
  }

  Action& add_receive(Act act, const State& block, const Message& message) {
    if (message.step.part == 0) plan_.receives.push_back(plan_.actions.size());
    Action& action = add(act, block);
    put_into(message, action);
    if (act != Act::take) plan_.reduced = plan_.actions.size();
    return action;
  }

  void encode(State& block, bool last) {
    if (block.numbers == Location::input) plan_.encodes_of_input.push_back(plan_.actions.size());
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
    if (block.numbers == Location::spare) add(Act::forget, block);
    block.numbers = Location::none;
  }

  // A rank computes partial results of a block that it wants directly in the output, which saves spare memory.
  Location location_of(const State& block) const { return block.ownership.wants ? Location::output : Location::spare; }

  void send(State& block, const Message& message, bool final) {
    const bool per_hop = plan_.travel == Travel::per_hop;
    if (!block.frame) {
      // What a rank sends in a scan is never the result of another rank.
      const bool result = !reduces(collective_) || (block.ownership.wants && final && !traits_of(collective_).prefix());
      encode(block, !per_hop && result);
      if (!per_hop) forget(block);
    }
    put_into(message, add(Act::send, block));
    block.reduced = never;
    if (per_hop) drop(block);
  }

  void receive(State& block, const Message& message, bool complete) {
    add_receive(Act::take, block, message).complete = complete;
    block.frame = true;
    block.reduced = never;
    if (plan_.travel != Travel::per_hop) return;
    block.numbers = location_of(block);
    add(Act::unpack, block).to = block.numbers;
    block.frame = false;
  }

  void reduce(State& block, const Message& message, bool complete) {
    if (plan_.travel == Travel::homomorphic) {
      Action& action = add_receive(block.frame ? Act::add : Act::fold, block, message);
      action.from = block.frame ? Location::none : block.numbers;
      // Every rank of an allreduce needs the result: after its last reduction of a block it has it.  The results of
      // other reductions are not sent.
      action.last = collective_ == Collective::allreduce && complete;
      block.frame = true;
      const bool unread = block.reduced != never;
      if (unread) plan_.actions[block.reduced].more = true;
      block.reduced = plan_.actions.size() - 1;
      block.arrivals = unread ? block.arrivals + 1 : 1;
      plan_.most_arrivals = std::max(plan_.most_arrivals, block.arrivals);
      return;
    }
    Action& action = add_receive(Act::merge, block, message);
    action.from = block.frame ? Location::none : block.numbers;
    action.to = location_of(block);
    block.numbers = action.to;
    block.frame = false;
  }

  // Releases the value of the block before another value replaces it.
  void let_go(State& block) {
    drop(block);
    forget(block);
  }

  void finish(State& block) {
    if (!block.ownership.wants) return let_go(block);
    if (block.frame) {
      add(Act::decode, block);
      ++plan_.decodes;
      block.frame = false;
      return forget(block);
    }
    add(Act::copy, block).from = block.numbers;
    forget(block);
  }

  // Finishes a block that no step names.  In collectives that only move data, a rank encodes and decodes its own block
  // as if it had been sent, so that the result does not depend on which rank holds it.
  void leave(std::int32_t b) {
    const Ownership ownership = ownership_of(collective_, at_, b);
    if (states_[static_cast<std::size_t>(b)].local >= 0 || !ownership.has || !ownership.wants) return;
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
          h.spare = action.to == Location::spare;
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

namespace {

// Counts the slots of one row as the actions of the plan take and release them, in the worst case: receives are posted
// as far ahead as allowed, and frames that are no longer needed are still being sent.
class Slots {
 public:
  explicit Slots(const Plan& plan) : plan_(plan), blocks_(plan.blocks.size()) {}

  std::size_t most() {
    std::size_t most = in_use(0);
    for (const Action& action : plan_.actions) {
      Block& block = blocks_[static_cast<std::size_t>(action.block)];
      const bool job = makes_frame(action.act) || action.act == Act::merge;
      // A frame that shared its message gets a slot when it is taken; until then it stays in the message.
      taken_ += waits_for_message(action.act) && action.part == 0;
      if (action.to == Location::spare && !block.spare) ++held_, block.spare = true;
      if (action.act == Act::take) replace(block);
      // The arrived frame that a job reads besides the current one, the frame that it makes, and its scratch slot.
      const std::size_t working =
          (job && waits_for_message(action.act)) + makes_frame(action.act) + (action.act == Act::merge);
      most = std::max(most, in_use(working));
      finish(action, block);
      most = std::max(most, in_use(0));
    }
    return most;
  }

 private:
  struct Block {
    bool frame = false;
    bool sent = false;  // the frame has been sent
    bool spare = false;
  };

  static bool makes_frame(Act act) { return act == Act::encode || act == Act::fold || act == Act::add; }

  std::size_t in_use(std::size_t working) const {
    return held_ + std::min(lingering_, sends_ahead) + posted() + working;
  }

  // Slots of posted receives.
  std::size_t posted() const {
    std::size_t slots = 0;
    for (std::size_t k = taken_; k < std::min(taken_ + receives_ahead, plan_.receives.size()); ++k)
      slots += plan_.actions[plan_.receives[k]].parts == 1;
    return slots;
  }

  void release(Block& block) {
    if (!block.frame) return;
    --held_;
    lingering_ += block.sent;
    block.frame = block.sent = false;
  }

  void replace(Block& block) {
    release(block);
    block.frame = true;
    ++held_;
  }

  void finish(const Action& action, Block& block) {
    switch (action.act) {
      case Act::encode:
      case Act::fold:
      case Act::add: replace(block); break;
      case Act::send: block.sent = block.sent || action.parts == 1; break;
      case Act::merge:
      case Act::unpack:
      case Act::drop:
      case Act::decode: release(block); break;
      case Act::forget:
        if (block.spare) --held_;
        block.spare = false;
        break;
      case Act::take:
      case Act::copy: break;
    }
  }

  const Plan& plan_;
  std::vector<Block> blocks_;
  std::size_t held_ = 0;
  std::size_t lingering_ = 0;  // all frames so far that were sent and are no longer current
  std::size_t taken_ = 0;
};

}  // namespace

Plan lower(const Schedule& schedule, Collective collective, Place at, Travel travel) {
  Plan plan = Lowering(schedule, collective, at, travel).run();
  plan.slots = Slots(plan).most();
  return plan;
}

// A gather of one block between two ranks.
Plan plan_of_message(bool sending) {
  constexpr int sender = 0;
  constexpr int receiver = 1;
  const Place at{sending ? sender : receiver, 2, receiver};
  Builder s(1);
  if (sending)
    s.send(0, receiver);
  else
    s.receive(0, sender);
  return lower(s.take(), Collective::gather, at, Travel::homomorphic);
}

}  // namespace laconic
