// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/messages.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace laconic {
namespace {

constexpr std::size_t never = static_cast<std::size_t>(-1);

// The steps of a message, as indices.
using Message = std::vector<std::size_t>;

std::vector<Message> messages_of(const std::vector<Step>& steps, std::uint32_t most) {
  std::vector<Message> messages;
  std::map<std::pair<bool, std::int32_t>, std::size_t> latest;  // by direction and peer
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto [known, fresh] = latest.try_emplace({steps[i].verb == Verb::send, steps[i].peer}, messages.size());
    const bool joins = !fresh && steps[i].hop != 0 && messages[known->second].size() < most &&
                       steps[messages[known->second].front()].hop == steps[i].hop;
    if (!joins) {
      known->second = messages.size();
      messages.emplace_back();
    }
    messages[known->second].push_back(i);
  }
  return messages;
}

// The sends of one message, and the step after which they come.
struct Departure {
  std::size_t after;
  const Message* sends;
};

}  // namespace

Schedule join(Schedule schedule, std::uint32_t most) {
  std::vector<Step>& steps = schedule.steps;
  const std::vector<Message> messages = messages_of(steps, most);
  if (messages.size() == steps.size()) return schedule;
  // For each step, the last one before it that takes the same block.
  std::vector<std::size_t> taken(steps.size(), never);
  std::vector<std::size_t> latest(static_cast<std::size_t>(schedule.blocks), never);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    std::size_t& last = latest[static_cast<std::size_t>(steps[i].block)];
    taken[i] = last;
    if (steps[i].verb != Verb::send) last = i;
  }
  std::vector<Departure> departures;
  for (const Message& message : messages) {
    std::size_t after = message.front();
    for (std::size_t k = 0; k < message.size(); ++k) {
      Step& step = steps[message[k]];
      step.part = static_cast<std::uint32_t>(k);
      step.parts = static_cast<std::uint32_t>(message.size());
      if (taken[message[k]] != never) after = std::max(after, taken[message[k]]);
    }
    if (steps[message.front()].verb == Verb::send) departures.push_back({after, &message});
  }
  std::stable_sort(departures.begin(), departures.end(),
                   [](const Departure& a, const Departure& b) { return a.after < b.after; });
  std::vector<Step> joined;
  joined.reserve(steps.size());
  auto departure = departures.begin();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].verb != Verb::send) joined.push_back(steps[i]);
    for (; departure != departures.end() && departure->after == i; ++departure)
      for (const std::size_t send : *departure->sends) joined.push_back(steps[send]);
  }
  steps = std::move(joined);
  return schedule;
}

}  // namespace laconic
