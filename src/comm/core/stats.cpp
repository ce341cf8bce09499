// SPDX-License-Identifier: BSD-3-Clause
#include "comm/core/stats.hpp"

#include <algorithm>

#include "comm/core/asked.hpp"

namespace laconic {

laconic_stats empty_stats() {
  laconic_stats stats{};
  stats.size = sizeof stats;
  stats.ratio = 1;
  return stats;
}

namespace {

// usual: unless dense was chosen.
template <class Class>
laconic_codec codec_of(const Class& known, Effort effort, CodecName usual) {
  if (!known.compresses()) return LACONIC_CODEC_UNSET;
  return effort == Effort::dense ? LACONIC_CODEC_DENSE : in_api(usual);
}

}  // namespace

laconic_tuning tuning_of(const CallClass& known) {
  const Candidate& best = known.best();
  // Until a candidate is known, the only cost is that of the only effort, or of the first one.
  const double of_best = known.costs().of(best.effort).frame;
  const double frame = of_best > 0 ? of_best : known.costs().dense.frame;
  const Candidate* current = known.compresses() ? known.candidate() : nullptr;
  const Effort effort = current != nullptr ? current->effort : Effort::light;
  laconic_algorithm algorithm = LACONIC_ALGORITHM_PLAIN;
  if (known.compresses())
    algorithm = known.candidate() != nullptr ? in_api(known.candidate()->algorithm->id) : LACONIC_ALGORITHM_AUTO;
  return {name_of(known.model().collective).data(),
          known.model().any_size ? 0 : static_cast<std::uint64_t>(known.model().bytes),
          known.calls(),
          known.compressed_calls(),
          algorithm,
          known.plain_seconds(),
          best.predicted,
          best.measured,
          frame > 0 ? 1 / frame : 0,
          codec_of(known, effort, known.model().codec)};
}

laconic_tuning tuning_of(const MessageClass& known) {
  const double frame = known.cost().frame;
  return {"send",
          static_cast<std::uint64_t>(known.bytes()),
          known.calls(),
          known.compressed_calls(),
          known.compresses() ? LACONIC_ALGORITHM_AUTO : LACONIC_ALGORITHM_PLAIN,
          known.plain_seconds(),
          0,
          known.compressed_seconds(),
          frame > 0 ? 1 / frame : 0,
          codec_of(known, known.effort(), known.codec())};
}

void accumulate(laconic_stats& total, const laconic_stats& call) {
  total.calls += call.calls;
  total.plain_calls += call.plain_calls;
  if (call.plain_reason != LACONIC_PLAIN_NOT) total.plain_reason = call.plain_reason;
  if (call.codec != LACONIC_CODEC_UNSET) total.codec = call.codec;
  if (call.algorithm != LACONIC_ALGORITHM_UNSET) total.algorithm = call.algorithm;
  if (call.variant != LACONIC_VARIANT_UNSET) total.variant = call.variant;
  total.bytes_in += call.bytes_in;
  total.bytes_sent += call.bytes_sent;
  total.bytes_uncompressed += call.bytes_uncompressed;
  total.ratio =
      total.bytes_sent == 0 ? 1 : static_cast<double>(total.bytes_uncompressed) / static_cast<double>(total.bytes_sent);
  total.bound = std::max(total.bound, call.bound);
  if (call.range_of != LACONIC_TARGET_UNSET) total.range_of = call.range_of;
  total.achieved_bound = std::max(total.achieved_bound, call.achieved_bound);
  total.seconds_encode += call.seconds_encode;
  total.seconds_decode += call.seconds_decode;
  total.seconds_reduce += call.seconds_reduce;
  total.seconds_copy += call.seconds_copy;
  total.seconds_wait += call.seconds_wait;
  total.seconds_other += call.seconds_other;
  total.seconds_total += call.seconds_total;
  total.seconds_wait_reducing += call.seconds_wait_reducing;
  total.seconds_distribute += call.seconds_distribute;
  total.most_chunks = std::max(total.most_chunks, call.most_chunks);
  total.memory_bytes = std::max(total.memory_bytes, call.memory_bytes);
  total.through_host_calls += call.through_host_calls;
  if (call.through_host != LACONIC_THROUGH_HOST_NOT) total.through_host = call.through_host;
}

}  // namespace laconic

extern "C" LACONIC_API const char* laconic_plain_reason_string(laconic_plain_reason reason) {
  switch (reason) {
    case LACONIC_PLAIN_NOT: return "the call was not plain";
    case LACONIC_PLAIN_NO_BOUND: return "no bound was given";
    case LACONIC_PLAIN_ASKED: return "algorithm plain was requested";
    case LACONIC_PLAIN_TYPE: return "the datatype is not supported";
    case LACONIC_PLAIN_OP: return "the reduction operation is not supported";
    case LACONIC_PLAIN_SMALL: return "the message is smaller than min_bytes";
    case LACONIC_PLAIN_ONE_RANK: return "no data leaves this rank";
    case LACONIC_PLAIN_INTERCOMM: return "the communicator is an intercommunicator";
    case LACONIC_PLAIN_UNPREPARED:
      return "no call that waits for all ranks, such as laconic_comm_set_info(), has prepared the communicator, or as "
             "many communicators are prepared as a process may have";
    case LACONIC_PLAIN_NEIGHBORS: return "a rank has the same neighbor twice";
    case LACONIC_PLAIN_SLOWER: return "compression is slower here, or has not been measured yet";
    case LACONIC_PLAIN_SENDER: return "the sender of the message left it to MPI";
    case LACONIC_PLAIN_CALLER: return "the caller had a reason of its own";
  }
  return nullptr;
}

extern "C" LACONIC_API const char* laconic_through_host_string(laconic_through_host reason) {
  switch (reason) {
    case LACONIC_THROUGH_HOST_NOT: return "the numbers did not go through the host";
    case LACONIC_THROUGH_HOST_ASKED: return "LACONIC_DEVICE_MEMORY=host was requested";
    case LACONIC_THROUGH_HOST_CAPABILITY: return "the device has a compute capability below 8.0";
    case LACONIC_THROUGH_HOST_ALIGNMENT: return "a buffer is not at a multiple of the size of its numbers";
    case LACONIC_THROUGH_HOST_CODEC: return "the codec has no kernels for this bound and type";
    case LACONIC_THROUGH_HOST_LAYOUT: return "the numbers do not lie in a row as the datatype that codecs take";
    case LACONIC_THROUGH_HOST_BUFFERS: return "the buffers are not in the memory of one device";
    case LACONIC_THROUGH_HOST_MPI: return "MPI moved the numbers without compression";
  }
  return nullptr;
}
