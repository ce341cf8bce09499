#include "engine/plan.hpp"

#include <algorithm>
#include <cstddef>

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

std::size_t most_current_frames(const Plan& plan) {
  std::vector<bool> current(static_cast<std::size_t>(plan.blocks), false);
  std::size_t now = 0;
  std::size_t most = 0;
  for (const Action& action : plan.actions) {
    const bool was = current[static_cast<std::size_t>(action.block)];
    bool is = was;
    switch (action.act) {
      case Act::encode:
      case Act::take:
      case Act::fold:
      case Act::add: is = true; break;
      case Act::drop:
      case Act::decode: is = false; break;
      case Act::send:
      case Act::copy: break;
    }
    now = now + (is ? 1 : 0) - (was ? 1 : 0);
    current[static_cast<std::size_t>(action.block)] = is;
    most = std::max(most, now);
  }
  return most;
}

}  // namespace

std::string_view name_of(Act act) {
  switch (act) {
    case Act::encode: return "encode";
    case Act::send: return "send";
    case Act::take: return "take";
    case Act::fold: return "fold";
    case Act::add: return "add";
    case Act::drop: return "drop";
    case Act::decode: return "decode";
    case Act::copy: return "copy";
  }
  return "?";
}

Plan lower(const Schedule& schedule, int size) {
  Plan plan;
  plan.blocks = schedule.blocks;
  const auto blocks = static_cast<std::size_t>(schedule.blocks);
  std::vector<bool> has_frame(blocks, false);
  std::vector<bool> touched(blocks, false);
  std::vector<std::uint32_t> sent(static_cast<std::size_t>(size), 0);
  std::vector<std::uint32_t> received(static_cast<std::size_t>(size), 0);
  const auto next = next_touch(schedule);

  for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
    const Step& step = schedule.steps[i];
    const auto block = static_cast<std::size_t>(step.block);
    const auto peer = static_cast<std::size_t>(step.peer);
    touched[block] = true;
    if (step.verb == Verb::send) {
      if (!has_frame[block]) plan.actions.push_back({Act::encode, step.block});
      plan.actions.push_back({Act::send, step.block, step.peer, sent[peer]++});
    } else {
      const Act act = step.verb == Verb::receive ? Act::take : has_frame[block] ? Act::add : Act::fold;
      plan.receives.push_back(plan.actions.size());
      plan.actions.push_back({act, step.block, step.peer, received[peer]++});
    }
    has_frame[block] = true;
    if (next[i] == never) {
      plan.actions.push_back({Act::decode, step.block});
    } else if (schedule.steps[next[i]].verb == Verb::receive) {
      plan.actions.push_back({Act::drop, step.block});
      has_frame[block] = false;
    }
  }
  for (std::size_t b = 0; b < blocks; ++b)
    if (!touched[b]) plan.actions.push_back({Act::copy, static_cast<std::int32_t>(b)});

  plan.most_frames = most_current_frames(plan);
  for (Action& action : plan.actions) {
    if (action.peer < 0) continue;
    const auto peer = static_cast<std::size_t>(action.peer);
    action.messages = action.act == Act::send ? sent[peer] : received[peer];
    plan.most_messages = std::max(plan.most_messages, action.messages);
  }
  return plan;
}

}  // namespace laconic
