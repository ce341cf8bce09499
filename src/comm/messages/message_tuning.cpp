// SPDX-License-Identifier: BSD-3-Clause
#include "comm/messages/message_tuning.hpp"

#include "base/clock.hpp"
#include "comm/core/asked.hpp"
#include "comm/core/process.hpp"
#include "comm/core/used_profile.hpp"

namespace laconic {
namespace {

CodingCost sample(Binding& binding, const Data& numbers, Dtype dtype, const laconic_options& settings) {
  const Codec* codec = asked_codec(settings);
  if (codec == nullptr) return {};
  const auto coding = [&](const Range& range) {
    Coding c = asked_coding(settings, dtype);
    c.greatest = greatest_magnitude(range);
    c.allowance = absolute_bound(settings, range);
    return c;
  };
  const RangeJob::Part all{numbers.buffer, static_cast<std::size_t>(numbers.count)};
  return binding.sampler.measure(*codec, dtype, coding, {&all, 1}, false);
}

}  // namespace

MessageClass& message_class(Binding& binding, std::size_t bytes, const laconic_options& settings) {
  return binding.message_tuner.class_of(bytes, tuning_key(settings),
                                        settings.tune == LACONIC_TUNE_PROFILE ? used_profile() : nullptr);
}

Decision begin_message_of(MessageClass& known, Binding& binding, std::size_t bytes) {
  return binding.message_tuner.begin(known, static_cast<double>(bytes), now(),
                                     Process::instance().received_elsewhere());
}

bool left_to_mpi(Binding& binding, const Data& numbers, Dtype dtype, const laconic_options& settings) {
  if (!tuned(settings)) return false;
  const std::size_t bytes = numbers.bytes();
  MessageClass& known = message_class(binding, bytes, settings);
  const Decision decision = begin_message_of(known, binding, bytes);
  if (decision == Decision::survey)
    known.surveyed(sample(binding, numbers, dtype, settings), binding.tuner.within_node());
  return decision != Decision::compressed;
}

}  // namespace laconic
