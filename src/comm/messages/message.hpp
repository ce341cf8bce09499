// SPDX-License-Identifier: BSD-3-Clause
// A message from one rank to another, from its arguments to its completion (docs/design/0007-messages.md).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "comm/core/binding.hpp"
#include "comm/core/operation.hpp"
#include "comm/core/staging_buffer.hpp"
#include "comm/core/stats.hpp"
#include "comm/messages/packet.hpp"
#include "engine/range_job.hpp"
#include "laconic/laconic.h"

namespace laconic {

// One end of a message as described by MPI arguments.
struct MessageCall {
  bool sending = false;
  bool paired = false;  // half of a sendrecv, whose arguments have names of their own
  Data data;
  int peer = 0;
  int tag = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  std::optional<Decision> decision;   // of the tuner on a send, where it has been asked already
  std::optional<MPI_Status> arrived;  // of a receive whose message is in the buffer already
};

// A message is local: an error in its arguments concerns no other rank and is reported at once.
Status check_message(const MessageCall& call, const Binding& binding);

class MessageOperation : public Operation {
 public:
  // given: the options of the application, which may be nullptr, and need not stay.
  void begin(const std::shared_ptr<Binding>& binding, const MessageCall& call, const laconic_options& settings,
             const laconic_options* given, StatsSink sink);

  bool poll() override;
  bool moved() const override { return run_ != nullptr && run_->moved(); }
  void restart() override {}  // there are no persistent messages

  bool blocking = false;  // the caller waits for the end before it does anything else

  bool awaits_mpi() const override { return in_flight && needs_packet() && packet_.in_flight(); }

  // Waits inside MPI for the message on the application's communicator if the operation cannot move on without it.
  // The caller makes sure that nothing else needs progress meanwhile.
  void wait_in_mpi() {
    if (awaits_mpi()) packet_.wait();
  }

  // The operation has failed, and no call need wait for it.
  bool failed() const { return finished_ && (!status.ok() || mpi_code != MPI_SUCCESS); }

 protected:
  explicit MessageOperation(bool sending);

  virtual void begin() = 0;
  virtual bool move_on() = 0;  // makes one step; false when it has to wait
  virtual bool needs_packet() const = 0;

  // Finds out whether the data are on a device, and sets holder_ to that device.
  Status find_holder();

  // Whether kernels of the device can code the data, which begin at `numbers`; then they stay on the device.  Otherwise
  // the statistics say why they go through the host.
  bool kernels_serve(const Coding& coding, const void* numbers);

  // Replaces the device's buffer in call_ by a staging buffer.  filled: the staging buffer begins with the data.
  Status stage(bool filled);

  // Reserves a Run for a message in frames.  The caller has filled work_ except its plan and region.  numbers: the
  // buffer that is read or written.
  Status reserve_run(int peer, std::byte* numbers);
  void end(Status outcome);
  void end_plain(laconic_plain_reason reason);
  void end_run(Status outcome, double bound);

  MessageCall call_;
  laconic_options settings_{};
  const laconic_options* given_ = nullptr;  // while the call begins
  laconic_stats stats_{};
  Packet packet_;
  Run* run_ = nullptr;
  Work work_;
  double began_ = 0;
  Device* holder_ = nullptr;  // the device that holds the data
  Device* device_ = nullptr;  // the device that codes the numbers; nullptr: the host does
  StagingBuffer staging_buffer_;

 private:
  Plan plan_;
  Region region_;
  StatsSink sink_;
  bool finished_ = true;
};

class SendOperation final : public MessageOperation {
 public:
  SendOperation() : MessageOperation(true) {}
  void release() override;

 private:
  void begin() override;
  bool move_on() override;
  bool needs_packet() const override { return plain_; }
  wire::Route route() const { return {binding->rank, call_.peer, call_.tag}; }
  laconic_plain_reason plain_reason(std::size_t bytes) const;
  Status begin_frames();
  Status set_coding();
  Status place_numbers();
  Status find_range(Range& range);
  void choose_chunk();
  void end_frames();

  bool plain_ = false;
  laconic_plain_reason reason_ = LACONIC_PLAIN_NOT;
  bool packet_gone_ = false;
  int candidate_ = -1;  // the choice of ChunkCounts; -1: it did not choose
  double bound_ = 0;
  RangeJob range_job_;
};

// A codec that reads no numbers: frames that cannot be used are received all the same, so that the sender can finish.
class Discard final : public Codec {
 public:
  void set_capacity(std::size_t bytes) { capacity_ = bytes; }
  std::string_view name() const override { return "none"; }
  std::uint8_t id() const override { return wire::codec_none; }
  bool supports(Dtype) const override { return true; }
  bool exact_sums() const override { return false; }
  std::size_t capacity(std::size_t, Dtype) const override { return capacity_; }
  Coded encode(const void*, std::size_t, const Coding&, Blob) const override { return {}; }
  Coded fold(Frame, const void*, std::size_t, const Coding&, Blob) const override { return {}; }
  Coded add(Frame, Frame, std::size_t, const Coding&, Blob) const override { return {}; }
  Status decode(Frame, void*, std::size_t, const Coding&) const override { return {}; }

 private:
  std::size_t capacity_ = 0;
};

class ReceiveOperation final : public MessageOperation {
 public:
  ReceiveOperation() : MessageOperation(false) {}
  void release() override;

 private:
  enum class Stage { matching, preparing, running };

  void begin() override;
  bool move_on() override;
  bool needs_packet() const override { return stage_ == Stage::matching; }
  void set_elements(std::size_t bytes);
  void match();
  void end_uncompressed();
  bool prepare();
  Status place_for_numbers(std::byte*& numbers);
  Status put_in_place();
  Status bring_back(std::size_t bytes);

  Stage stage_ = Stage::matching;
  wire::Envelope header_;
  std::uint64_t salt_ = 0;
  Status problem_;  // why the frames cannot be used
  Discard discard_;
  std::vector<std::byte> aside_;   // numbers for a buffer that is not an array of them
  std::byte* original_ = nullptr;  // the buffer on the device
};

// The greatest tag of messages on a communicator.
int greatest_tag(MPI_Comm comm);

// The settings of a message that is sent: from options, which may be nullptr, then hints, then environment; fields that
// are unset everywhere get their defaults.
Status message_settings(const laconic_options* options, const Binding& binding, laconic_options& settings);

// These return MPI error codes; errors have been reported to the communicator's error handler.
int run_message(MessageCall call, MPI_Status* status, const laconic_options* given);
int run_messages(const MessageCall& send, const MessageCall& receive, MPI_Status* status,
                 const laconic_options* options);
int begin_message(MessageCall call, laconic_request* request, const laconic_options* options);

}  // namespace laconic
