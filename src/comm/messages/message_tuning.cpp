// SPDX-License-Identifier: BSD-3-Clause
#include "comm/messages/message_tuning.hpp"

#include "base/clock.hpp"
#include "comm/core/asked.hpp"
#include "comm/core/process.hpp"
#include "comm/core/used_profile.hpp"

namespace laconic {
namespace {

CodingCosts sample(Binding& binding, const MessageClass& known, const Data& numbers, Dtype dtype,
                   const laconic_options& settings) {
  const RangeJob::Part all{numbers.buffer, static_cast<std::size_t>(numbers.count)};
  const auto coding = [&](const Codec&, const Range& range) {
    Coding c = asked_coding(settings, dtype);
    c.greatest = greatest_magnitude(range);
    c.allowance = absolute_bound(settings, range);
    return c;
  };
  return binding.sampler.measure_efforts(codecs_of(settings), dtype, coding, {&all, 1}, false,
                                         known.plain_seconds() / known.bytes());
}

}  // namespace

MessageClass& message_class(Binding& binding, std::size_t bytes, const laconic_options& settings) {
  const Codec* codec = asked_codec(settings);
  const CodecName name = codec != nullptr ? codec->api_name() : CodecName::unset;
  return binding.message_tuner.class_of(bytes, {tuning_key(settings), name, effort_of(settings)},
                                        settings.tune == LACONIC_TUNE_PROFILE ? used_profile() : nullptr);
}

Decision begin_message_of(MessageClass& known, Binding& binding, std::size_t bytes) {
  if (binding.message_tuner.passes(known)) return Decision::plain;
  return binding.message_tuner.begin(known, static_cast<double>(bytes), now(),
                                     Process::instance().received_elsewhere());
}

bool left_to_mpi(MessageClass& known, Binding& binding, const Data& numbers, Dtype dtype, laconic_options& settings,
                 std::optional<Decision> decision) {
  if (!decision) decision = begin_message_of(known, binding, numbers.bytes());
  if (decision == Decision::survey)
    known.surveyed(sample(binding, known, numbers, dtype, settings), binding.tuner.within_node());
  if (decision == Decision::compressed && effort_of(settings) == Effort::automatic)
    settings.effort = in_api(known.effort());
  return decision != Decision::compressed;
}

}  // namespace laconic
