// SPDX-License-Identifier: BSD-3-Clause
// Coding on a discrete device: the same steps are enqueued one after another, and the host waits for none of them.
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/clock.hpp"
#include "base/combine.hpp"
#include "device/host/float_environment.hpp"
#include "engine/coding_job.hpp"

namespace laconic {

bool CodingJob::step(Queue& queue) noexcept {
  if (stage_ == Stage::fresh) {
    open(queue);
    status = problem.ok() ? about(begin(queue)) : problem;
    if (!status.ok())
      if (Status s = give_up(queue); !s) return finish_step(s);
  }
  Status reached;
  while (queue.reached(reached)) {
    if (!reached.ok()) return finish_step(reached);
    bool more = false;
    if (Status s = conclude(queue, more); !s) return finish_step(s);
    if (!more) return finish_step({});
  }
  return false;
}

void CodingJob::open(Queue& queue) {
  began_ = now();
  seconds_combined = 0;
  unchecked_count_ = 0;
  blamed_ = nullptr;
  *report_of(queue, report_) = Report{};
}

// Ends a job that has no result.  Work already enqueued is still waited for, because it uses the job's memory.
Status CodingJob::give_up(Queue& queue) {
  bool more = false;
  if (makes_frame(act)) {
    finish_frame(0);
    if (Status s = hand_over(queue, more); !s || more) return s;
  }
  stage_ = Stage::moving;
  return queue.mark();
}

// outcome: the status of the device.  If the device has failed, nothing in its memory may be used any further.
bool CodingJob::finish_step(Status outcome) {
  if (!outcome.ok() && makes_frame(act)) {
    finish_frame(0);
    if (!out->staged()) out->bytes = 0;
    if (seals() && out->staged()) sealing.seal(*out, 0);
  }
  if (status.ok()) status = std::move(outcome);
  stage_ = Stage::fresh;
  seconds = now() - began_;
  return true;
}

// Prepares a frame for the kernels: the header is checked here on the host; the copy of the bytes to the device is
// enqueued ahead of the kernels.
Status CodingJob::load(FrameSlot& slot, DeviceFrame& frame, Queue& queue) {
  if (!codec->supports(dtype())) return not_supported(*codec, dtype());
  blamed_ = &slot;
  if (Status s = slot.read_header(frame.header); !s) return s;
  if (Status s = check_codec_header(frame.header, *codec, count, dtype()); !s) return s;
  blamed_ = nullptr;
  frame.bytes = slot.blob.data();
  frame.size = slot.bytes;
  if (!slot.loaded) {
    slot.loaded = true;
    if (Status s = queue.copy(slot.blob.data(), slot.wire.data(), slot.bytes); !s) return s;
  }
  if (slot.checked) return {};
  // Kernels never read beyond a frame, whatever it contains, so they need not wait until it has been checked.
  unchecked_[unchecked_count_] = &slot;
  return sum_payload(slot, unchecked_count_++, queue);
}

// Names the frame that a problem is about, unless it may be any of several.
Status CodingJob::about(Status found) const {
  return about_frame(std::move(found), blamed_ != nullptr ? blamed_ : earlier.empty() ? read_frame() : nullptr);
}

Status CodingJob::sum_payload(const FrameSlot& slot, unsigned place, Queue& queue) {
  const std::byte* frame = slot.blob.data();
  return queue.sum(frame + wire::header_bytes, reinterpret_cast<const std::uint32_t*>(frame + wire::payload_offset),
                   slot.blob.size() - wire::header_bytes, place);
}

// Checks the seals once the queue has computed the checksums.
Status CodingJob::check_summed(Queue& queue) {
  const unsigned frames = std::exchange(unchecked_count_, 0);
  for (unsigned k = 0; k < frames && sealing.on; ++k) {
    blamed_ = unchecked_[k];
    if (Status s = sealing.check(*unchecked_[k], queue.summed(k)); !s) return s;
  }
  blamed_ = nullptr;
  return {};
}

// Enqueues the first stage of the job.
Status CodingJob::begin(Queue& queue) {
  if (act == Act::copy) {
    stage_ = Stage::moving;
    if (Status s = sealing.check_contributions(contributions, true); !s) return s;
    if (Status s = enqueue_copy(queue); !s) return s;
    return queue.mark();
  }
  if (Status s = check_coding(*codec, coding()); !s) return s;
  if (act == Act::merge) return begin_merge(queue);
  stage_ = Stage::coding;
  if (Status s = enqueue(queue); !s) return s;
  if (makes_frame(act) && seals())
    if (Status s = sum_payload(*out, of_out_, queue); !s) return s;
  return queue.mark();
}

// A merge of two frames first decodes the current frame.
Status CodingJob::begin_merge(Queue& queue) {
  stage_ = from == Location::none ? Stage::decoding : Stage::coding;
  if (from == Location::none) {
    DeviceFrame there;
    if (Status s = load(*current, there, queue); !s) return s;
    if (Status s = codec->on_device()->decode(there, result, count, coding(), queue); !s) return s;
  } else if (Status s = enqueue(queue); !s) {
    return s;
  }
  return queue.mark();
}

Status CodingJob::enqueue(Queue& queue) {
  const DeviceCodec& kernels = *codec->on_device();
  DeviceFrame a;
  DeviceFrame b;
  if (arrived != nullptr)
    if (Status s = load(*arrived, a, queue); !s) return s;
  if (!earlier.empty()) return combine_many(a, queue);
  switch (act) {
    case Act::encode: return kernels.encode(numbers, count, coding(), out->blob.data(), queue);
    case Act::fold: return kernels.fold(a, numbers, count, coding(), out->blob.data(), queue);
    case Act::add:
      if (Status s = load(*current, b, queue); !s) return s;
      return kernels.add(a, b, count, coding(), out->blob.data(), queue);
    case Act::merge:
      if (reduce_on_host) return kernels.decode(a, scratch->blob.data(), count, coding(), queue);
      return kernels.decode_reduce(a, from == Location::none ? result : numbers, result, count, coding(), queue);
    default:
      if (Status s = load(*current, b, queue); !s) return s;
      return kernels.decode(b, result, count, coding(), queue);
  }
}

// Combines all frames in one launch, in the order in which they would be combined one by one.
Status CodingJob::combine_many(const DeviceFrame& arrived_frame, Queue& queue) {
  std::array<DeviceFrame, DeviceCodec::most_combined> frames;
  std::size_t n = 0;
  if (act == Act::add)
    if (Status s = load(*current, frames[n++], queue); !s) return s;
  for (FrameSlot* slot : earlier)
    if (Status s = load(*slot, frames[n++], queue); !s) return s;
  frames[n++] = arrived_frame;
  return codec->on_device()->combine(std::span(frames).first(n), act == Act::fold ? numbers : nullptr, count, coding(),
                                     out->blob.data(), queue);
}

Status CodingJob::enqueue_copy(Queue& queue) const {
  if (coding().divisor != 1 && count > 0) return queue.divide(dtype(), numbers, result, count, coding().divisor);
  if (result == numbers || count == 0) return {};
  return queue.copy(result, numbers, bytes_of_numbers());
}

// Concludes a stage when the queue has reached its mark.  more: another stage follows.
Status CodingJob::conclude(Queue& queue, bool& more) {
  if (stage_ == Stage::combining) {
    more = true;
    return combine_on_host(queue);
  }
  if (stage_ == Stage::moving) return {};
  const Report report = *report_of(queue, report_);
  // The checksum is looked at first: for a damaged frame it says more than the fault that a kernel reports.
  status = check_summed(queue);
  if (status.ok() && report.fault != 0) status = codec->on_device()->status(report.fault);
  if (status.ok() && stage_ == Stage::coding) status = check_contributions();
  status = about(std::move(status));
  if (makes_frame(act)) {
    const bool made = status.ok() && report.bytes >= wire::header_bytes && report.bytes <= out->blob.size();
    if (status.ok() && !made) status = {Code::frame, "a kernel reports a frame larger than its room"};
    if (made) std::memcpy(out->header, report.header, wire::header_bytes);
    finish_frame(made ? report.bytes : 0);
    return hand_over(queue, more);
  }
  if (!status.ok()) return {};
  if (stage_ == Stage::decoding) {
    more = true;
    stage_ = Stage::coding;
    *report_of(queue) = Report{};
    status = about(enqueue(queue));
    return status.ok() ? queue.mark() : give_up(queue);
  }
  if (act == Act::merge && reduce_on_host) {
    more = true;
    return bring_to_host(queue);
  }
  return {};
}

// Copies the frame to the memory that the transport reads.  The header has been written, or rewritten, on the host.
Status CodingJob::hand_over(Queue& queue, bool& more) {
  const std::size_t payload = out->bytes - wire::header_bytes;
  const bool download = out->staged() && travels && payload > 0;
  const bool upload = altered_;
  if (seals()) sealing.seal(*out, payload > 0 ? queue.summed(of_out_) : 0);
  const bool upload_seal = seals() && !out->host_reaches_wire();
  more = download || upload || upload_seal;
  if (!more) return {};
  stage_ = Stage::moving;
  if (download)
    if (Status s = queue.copy(out->wire.data() + wire::header_bytes, out->blob.data() + wire::header_bytes, payload);
        !s)
      return s;
  if (upload)
    if (Status s = queue.copy(out->blob.data(), out->header, wire::header_bytes); !s) return s;
  if (upload_seal)
    if (Status s = queue.copy(out->blob.data() + out->bytes, out->seal_place(), wire::seal_bytes); !s) return s;
  return queue.mark();
}

Status CodingJob::bring_to_host(Queue& queue) {
  stage_ = Stage::combining;
  began_combining_ = now();
  const std::byte* other = from == Location::none ? result : numbers;
  // The arrived frame has been decoded and is no longer needed, so its memory serves as the second staging buffer.
  if (count > 0) {
    if (Status s = queue.copy(scratch->wire.data(), scratch->blob.data(), bytes_of_numbers()); !s) return s;
    if (Status s = queue.copy(arrived->wire.data(), other, bytes_of_numbers()); !s) return s;
  }
  return queue.mark();
}

Status CodingJob::combine_on_host(Queue& queue) {
  const FloatEnvironment standard;
  dispatch(AllTypes{}, dtype(), [&](auto zero) {
    using T = decltype(zero);
    combine(coding().op, reinterpret_cast<T*>(scratch->wire.data()), reinterpret_cast<const T*>(arrived->wire.data()),
            count);
  });
  seconds_combined = now() - began_combining_;
  stage_ = Stage::moving;
  if (count > 0)
    if (Status s = queue.copy(result, scratch->wire.data(), bytes_of_numbers()); !s) return s;
  return queue.mark();
}

void EncodeGroup::reserve(std::size_t jobs) {
  while (jobs_.size() < jobs) {
    const auto index = static_cast<unsigned>(jobs_.size());
    CodingJob& job = *jobs_.emplace_back(std::make_unique<CodingJob>());
    job.report_ = job.of_out_ = index;
  }
  pieces_.reserve(jobs);
}

bool EncodeGroup::step(Queue& queue) noexcept {
  if (stage_ == Stage::fresh)
    if (Status s = begin(queue); !s) return finish_step(s);
  Status reached;
  while (queue.reached(reached)) {
    if (!reached.ok() || stage_ == Stage::moving) return finish_step(reached);
    stage_ = Stage::moving;
    bool more = false;
    for (std::size_t k = 0; k < count_; ++k) {
      bool of_job = false;
      if (Status s = jobs_[k]->conclude(queue, of_job); !s) return finish_step(s);
      more = more || of_job;
    }
    if (!more) return finish_step({});
  }
  return false;
}

// Enqueues the encodes.  Where that fails, every job makes a failed frame.
Status EncodeGroup::begin(Queue& queue) {
  for (std::size_t k = 0; k < count_; ++k) jobs_[k]->open(queue);
  const Status status = encode(queue);
  stage_ = status.ok() ? Stage::coding : Stage::moving;
  for (std::size_t k = 0; k < count_; ++k) {
    jobs_[k]->status = status;
    jobs_[k]->stage_ = CodingJob::Stage::coding;
    if (!status.ok())
      if (Status s = jobs_[k]->give_up(queue); !s) return s;
  }
  return status.ok() ? queue.mark() : Status{};
}

Status EncodeGroup::encode(Queue& queue) {
  const CodingJob& first = *jobs_[0];
  if (Status s = check_coding(*first.codec, first.coding()); !s) return s;
  pieces_.clear();
  for (std::size_t k = 0; k < count_; ++k)
    pieces_.push_back({jobs_[k]->numbers, jobs_[k]->count, jobs_[k]->out->blob.data(), report_of(queue, k)});
  if (Status s = first.codec->on_device()->encode_pieces(pieces_, first.coding(), queue); !s) return s;
  for (std::size_t k = 0; k < count_; ++k)
    if (jobs_[k]->seals())
      if (Status s = CodingJob::sum_payload(*jobs_[k]->out, jobs_[k]->of_out_, queue); !s) return s;
  return {};
}

bool EncodeGroup::finish_step(const Status& outcome) {
  for (std::size_t k = 0; k < count_; ++k) jobs_[k]->finish_step(outcome);
  stage_ = Stage::fresh;
  return true;
}

bool LandingJob::step(Queue& queue) noexcept {
  if (!under_way_) {
    status = queue.copy(slot->header, slot->wire.data(), std::min(slot->bytes, wire::header_bytes));
    if (status.ok()) status = queue.copy(slot->seal_place(), slot->wire.data() + slot->bytes, slot->sealed);
    if (status.ok()) status = queue.mark();
    under_way_ = status.ok();
    if (!under_way_) return true;
  }
  if (!queue.reached(status)) return false;
  under_way_ = false;
  return true;
}

}  // namespace laconic
