// SPDX-License-Identifier: BSD-3-Clause
// What Laconic keeps for one MPI communicator, cached as an attribute of it: settings from hints and environment,
// statistics, operations in flight, and, from the first compressed call on, a communicator of its own and the
// machinery.
#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "comm/core/operation.hpp"
#include "comm/core/slots.hpp"
#include "device/devices.hpp"
#include "device/host/host_device.hpp"
#include "engine/run.hpp"
#include "engine/sequencer.hpp"
#include "laconic/laconic.h"
#include "transport/mpi/mpi_transport.hpp"
#include "tune/choose_device.hpp"
#include "tune/chunk_counts.hpp"

namespace laconic {

// How many compressed collectives are under way at a time on a communicator, and the messages that each can tell apart.
// Tags of our communicator are in the range that every MPI library has (32767), its lower half for collectives.
inline constexpr std::uint64_t collective_operations = 8;
inline constexpr std::uint64_t collective_messages = 2048;

// How the tags of our communicator are divided: among collectives that are told apart by their turns, then messages,
// then persistent collectives, which are told apart by their slots.
struct Tags {
  static Tags on(MPI_Comm comm);
  std::uint64_t messages = 0;  // in flight
  std::uint64_t slots = 0;
  std::uint64_t first_of_slots = 0;   // for frames
  std::uint64_t first_agreement = 0;  // of slots
};

// What a Run is for.
enum class Purpose : std::uint8_t { collective, persistent, sending, receiving };

// What is asked of the model of devices.
struct DeviceQuestion {
  const Algorithm* algorithm;  // nullptr: any of the collective
  Collective collective;
  int root;
  Travel travel;
  const Codec* codec;
  Dtype dtype;
  std::size_t bytes;  // of the whole data
  bool operator==(const DeviceQuestion&) const = default;
};

// The rooms bound together for one communicator: made once, used again by every call.
class Machinery {
 public:
  // comm: of our own, handed over.
  Machinery(MPI_Comm comm, const Tags& tags);
  ~Machinery();
  Machinery(const Machinery&) = delete;
  Machinery& operator=(const Machinery&) = delete;

  MPI_Comm comm() const { return comm_; }
  const Plan& plan(const Algorithm& algorithm, int root, Travel travel);

  // The fastest way for numbers that are on devices on every rank.  Worked out when first asked, which takes a while.
  const DeviceChoice& device_choice(const DeviceQuestion& question);

  // A Run that nobody else uses, until it is given back.  One that was used for the same purpose before has the memory
  // for it.  device: where the numbers are, which outlives the machinery, or nullptr: on the host.
  Run& lend(int threads, Purpose purpose, Device* device = nullptr);
  void give_back(Run& run);

  // Tags that only the persistent operation of this slot has: for its agreements, and for messages without frames.
  int agreement_tag(int slot) const;
  int exchange_tag(int slot) const;

  // The number of the next message to be compressed for a rank: what tells its frames from those of others.
  std::uint64_t next_message(int dest) { return messages_[static_cast<std::size_t>(dest)]++; }

  // Of a message from this rank to itself, which is never one of frames.
  static constexpr int own_tag = static_cast<int>(collective_operations * collective_messages);

  // MPI itself may be gone: leave its objects to MPI_Finalize.
  void abandon() { comm_ = MPI_COMM_NULL; }

 private:
  struct Workshop {
    int threads;
    Purpose purpose;
    Device* device;  // or nullptr
    std::unique_ptr<HostDevice> host;
    std::vector<std::unique_ptr<Run>> runs;
    std::vector<Run*> idle;
  };
  MpiTransport& transport_for(Purpose purpose);
  struct KnownPlan {
    const Algorithm* algorithm;
    int root;
    Travel travel;
    std::unique_ptr<Plan> plan;
  };

  MPI_Comm comm_;  // ours alone: messages cannot meet the application's
  Tags tags_;
  MpiTransport transport_;
  MpiTransport persistent_transport_;
  MpiTransport message_transport_;
  std::vector<std::uint64_t> messages_;  // compressed so far, for each rank
  std::vector<KnownPlan> plans_;
  std::vector<std::pair<DeviceQuestion, DeviceChoice>> choices_;
  std::vector<std::unique_ptr<Workshop>> workshops_;
};

struct Binding : std::enable_shared_from_this<Binding> {
  Binding();
  ~Binding();

  MPI_Comm comm = MPI_COMM_NULL;  // the application's
  int rank = 0;
  int size = 1;
  bool intercomm = false;
  laconic_options inherited{};  // from hints, then environment
  Status inherited_status;      // why they could not be read: an error of every call
  laconic_stats stats{};

  // Threads may drive operations of different communicators at the same time; of one, in turns.
  std::mutex mutex;
  std::vector<Operation*> operations;  // in flight, in the order in which they were begun
  std::atomic<int> in_flight{0};       // how many
  bool nonblocking = false;            // a collective was begun that was not blocking: the same on all ranks

  Tags tags;
  Sequencer sequencer;  // of compressed collectives that are not persistent
  Slots slots;          // of those that are

  // Operations that are not in use, to be used again.
  std::vector<std::unique_ptr<Operation>> idle_collectives;
  std::vector<std::unique_ptr<Operation>> idle_sends;
  std::vector<std::unique_ptr<Operation>> idle_receives;

  ChunkCounts chunk_counts;  // of messages that this rank sends

  // The machinery is made by the first call that needs it, which is collective over comm: by one that may block for
  // all ranks to come to it, or by one that may not.  Both are polled, and true once the machinery is there or cannot
  // be.
  bool poll_machinery(bool may_block, Status& status);
  // Whether a call that must not wait for other ranks can be compressed.  All ranks get the same answer in the same
  // call.
  bool serves_nonblocking() const;
  // The application frees its communicator: what is made of it has to be there first.
  void finish_making();
  bool making_machinery() const { return making_ != MPI_REQUEST_NULL; }
  Machinery* machinery() { return machinery_.get(); }

  // A device that buffers are on, opened when it is first asked for; nullptr, and why, where it cannot be had.
  Device* device(int number, Status& status);
  void abandon();

  // Polls every operation in flight.  True when any of them moved.  With the lock held.
  bool progress();

  // Reads hints (those MPI kept, then `info`) and environment again.
  Status read_settings(MPI_Info info, laconic_options& out) const;

 private:
  struct OpenDevice {
    int number;
    std::unique_ptr<Device> device;
  };

  std::vector<OpenDevice> devices_;  // they outlive the machinery
  std::unique_ptr<Machinery> machinery_;
  Status make_blocking();

  MPI_Request making_ = MPI_REQUEST_NULL;  // a barrier before, or the duplication itself
  bool making_by_barrier_ = false;
  std::atomic<bool> making_begun_{false};  // and not ended, for those who do not hold the lock
  std::atomic<std::thread::id> tester_;    // the thread that is within MPI's test of making_
  MPI_Comm made_ = MPI_COMM_NULL;
};

// The binding of comm, made at first use.  Local.
Status bind(MPI_Comm comm, std::shared_ptr<Binding>& binding);

}  // namespace laconic
