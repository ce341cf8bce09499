// SPDX-License-Identifier: BSD-3-Clause
// The state that Laconic keeps for one MPI communicator, cached as an attribute of it: settings from hints and
// environment, statistics, operations in flight and, from the first compressed call on, a private communicator and the
// machinery.
#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "call/neighborhood.hpp"
#include "call/node_shape.hpp"
#include "comm/core/operation.hpp"
#include "comm/core/peer_facts.hpp"
#include "comm/core/repeated_calls.hpp"
#include "comm/core/repeated_messages.hpp"
#include "comm/core/slots.hpp"
#include "device/devices.hpp"
#include "device/host/host_device.hpp"
#include "engine/run.hpp"
#include "engine/sequencer.hpp"
#include "laconic/laconic.h"
#include "transport/mpi/mpi_transport.hpp"
#include "tune/choose_device.hpp"
#include "tune/chunk_counts.hpp"
#include "tune/coding_cost.hpp"
#include "tune/message_tuner.hpp"
#include "tune/tuner.hpp"

namespace laconic {

// The number of compressed collectives that may be in flight at a time on a communicator, and the number of messages
// that each can tell apart.  Tags of the private communicator lie in the range that every MPI library has (up to
// 32767), whose lower half is for collectives.
inline constexpr std::uint64_t collective_operations = 8;
inline constexpr std::uint64_t collective_messages = 2048;

// The division of the private communicator's tags: first collectives, which are told apart by their turns, then
// messages, then persistent collectives, which are told apart by their slots.
struct Tags {
  static Tags on(MPI_Comm comm);
  std::uint64_t messages = 0;  // messages that may be in flight
  std::uint64_t slots = 0;
  std::uint64_t first_of_slots = 0;   // the first tag for frames of persistent collectives
  std::uint64_t first_agreement = 0;  // the first tag for agreements of persistent collectives
};

// The kind of operation that a Run serves.
enum class Purpose : std::uint8_t { collective, persistent, sending, receiving };

// A question to the model of devices.
struct DeviceQuestion {
  const DeviceModel* device;   // the same on all ranks
  const Algorithm* algorithm;  // nullptr: any algorithm of the collective
  Collective collective;
  int root;
  Travel travel;
  const Codec* codec;
  Dtype dtype;
  std::size_t bytes;  // size of the whole data
  bool operator==(const DeviceQuestion&) const = default;
};

// The transports, plans, devices and runs of one communicator: made once and used by every call.
class Machinery {
 public:
  // comm: the private communicator, which the machinery takes over.
  // neighborhood: of this rank, nodes: of all ranks, where they are known; both outlive the machinery.
  Machinery(MPI_Comm comm, const Tags& tags, const Neighborhood* neighborhood, const NodeShape* nodes);
  ~Machinery();
  Machinery(const Machinery&) = delete;
  Machinery& operator=(const Machinery&) = delete;

  MPI_Comm comm() const { return comm_; }
  // The number of blocks among all ranks.
  std::int32_t cut(const Algorithm& algorithm, int root) const;
  // most: the most blocks in a message.
  const Plan& plan(const Algorithm& algorithm, int root, Travel travel, std::uint32_t most);

  // The fastest algorithm and chunks for numbers that are on devices on every rank.  The first request computes the
  // answer, which takes a while.
  const DeviceChoice& device_choice(const DeviceQuestion& question);

  // key_of() the model of this device.
  std::uint64_t model_key(const Device& device);

  // A Run for exclusive use until it is released.  A Run that served the same purpose before already has its
  // memory.  device: the device that holds the numbers, which outlives the machinery, or nullptr for the host.
  Run& acquire_run(int threads, Purpose purpose, Device* device = nullptr);
  void release_run(Run& run);

  // Tags that only the persistent operation of this slot uses: for its agreements, and for messages without frames.
  int agreement_tag(int slot) const;
  int exchange_tag(int slot) const;

  // The number of the next compressed message to a rank, which tells its frames from those of other messages.
  std::uint64_t next_message(int dest) { return messages_[static_cast<std::size_t>(dest)]++; }

  // The tag of a message from this rank to itself; such a message never consists of frames.
  static constexpr int own_tag = static_cast<int>(collective_operations * collective_messages);

  // Leaves the communicator to MPI_Finalize, because MPI itself may be gone.
  void abandon() { comm_ = MPI_COMM_NULL; }

 private:
  struct RunPool {
    int threads;
    Purpose purpose;
    Device* device;  // or nullptr
    std::unique_ptr<HostDevice> host;
    std::vector<std::unique_ptr<Run>> runs;
    std::vector<Run*> idle;
  };
  MpiTransport& transport_for(Purpose purpose);
  Place place(const Algorithm& algorithm, int root) const;
  struct KnownPlan {
    const Algorithm* algorithm;
    int root;
    Travel travel;
    std::uint32_t most;
    std::unique_ptr<Plan> plan;
  };

  MPI_Comm comm_;  // private: its messages cannot match the application's
  Tags tags_;
  const Neighborhood* neighborhood_;
  const NodeShape* nodes_;
  MpiTransport transport_;
  MpiTransport persistent_transport_;
  MpiTransport message_transport_;
  std::vector<std::uint64_t> messages_;  // number of compressed messages so far, to each rank
  std::vector<KnownPlan> plans_;
  std::vector<std::pair<DeviceQuestion, DeviceChoice>> choices_;
  std::vector<std::pair<const Device*, std::uint64_t>> model_keys_;
  std::vector<std::unique_ptr<RunPool>> run_pools_;
};

// The latest call that was left to the caller (laconic_options.plain).
struct LeftToCaller {
  CallClass* call_class = nullptr;
  double bytes = 0;                  // the size of the call
  RepeatedCalls::Number number = 0;  // 0: the call could not be recognised if it were repeated
};

struct Binding : std::enable_shared_from_this<Binding> {
  Binding();
  ~Binding();

  MPI_Comm comm = MPI_COMM_NULL;  // the application's communicator
  int rank = 0;
  int size = 1;
  bool intercomm = false;
  std::optional<Neighborhood> neighborhood;  // where the application has attached a topology
  const Neighborhood* topology() const { return neighborhood ? &*neighborhood : nullptr; }
  laconic_options inherited{};   // settings from hints, then environment
  Status inherited_status;       // why they could not be read; every call reports this error
  std::uint64_t read_hints = 0;  // how often hints were read
  laconic_stats stats{};

  // Threads may drive operations of different communicators at the same time, but those of one communicator only in
  // turn.
  std::mutex mutex;
  std::vector<Operation*> operations;  // operations in flight, in the order of their beginning
  std::atomic<int> in_flight{0};       // the number of operations in flight
  bool nonblocking = false;            // a nonblocking or persistent collective was made: the same on all ranks

  Tags tags;
  Sequencer sequencer;  // orders the compressed collectives that are not persistent
  Slots slots;          // tells the persistent collectives apart

  // Operations that are not in use, kept for later calls.
  std::vector<std::unique_ptr<Operation>> idle_collectives;
  std::vector<std::unique_ptr<Operation>> idle_sends;
  std::vector<std::unique_ptr<Operation>> idle_sends_left;  // to MPI
  std::vector<std::unique_ptr<Operation>> idle_receives;

  ChunkCounts chunk_counts;  // chunk counts of the messages that this rank sends

  Tuner tuner{has_devices()};
  RepeatedCalls repeated_calls;
  RepeatedMessages repeated_sends;
  RepeatedMessages repeated_receives;
  MessageTuner message_tuner;
  CodingSampler sampler;
  LeftToCaller left_to_caller;
  MessageClass* sampled_by_caller = nullptr;  // of the latest message that the caller has to sample

  // The first compressed call that waits for all ranks makes the machinery, collectively over comm.  The caller polls;
  // the result is true once the machinery exists or the ranks have found that they cannot make it, which is the same on
  // all ranks.  Then, too, machinery() is nullptr, and all calls on comm are plain from then on.
  bool poll_machinery();
  // Whether a call that must not wait for other ranks can be compressed.  Such a call creates nothing: MPI_Comm_idup
  // would copy the application's attributes and so call its functions, and with Open MPI (4.1.4, 5.0.11) it disturbs
  // the application's nonblocking collectives.  All ranks get the same answer in the same call.
  bool prepared() const { return size == 1 || intercomm || machinery_ != nullptr; }
  // Whether the ranks could not make the machinery.
  bool cannot_prepare() const { return cannot_prepare_; }
  bool making_machinery() const { return making_ != MPI_REQUEST_NULL; }
  // Whether a rank has the same neighbor twice; known once the machinery exists.  MPI libraries match the blocks of
  // such neighbors in different ways, so the calls among neighbors are left to MPI: plain and compressed calls would
  // differ.
  bool repeats_neighbors() const { return repeats_neighbors_; }
  // The nodes of the ranks; nullptr before the machinery exists.  All ranks get the same answer in the same call.
  const NodeShape* nodes() const { return nodes_ ? &*nodes_ : nullptr; }
  Ranks ranks() const { return {size, nodes()}; }
  // Whether a blocking call that begins now will know them if it is compressed.
  bool finds_nodes() const { return !machinery_ && !cannot_prepare_; }
  Machinery* machinery() { return machinery_.get(); }

  // The device of this memory, opened at the first request; nullptr, and the reason in `status`, where it cannot be
  // opened.
  Device* device(const MemoryType& at, Status& status);
  // Called inside MPI_Finalize: all calls that follow are plain.
  void abandon();

  // Polls every operation in flight; true when any of them moved.  The caller holds the lock.
  bool progress();
  // Whether MPI alone moves all of them on for now.
  bool awaits_mpi() const;

  // Reads hints (those MPI kept, then `info`) and environment again.
  Status read_settings(MPI_Info info, laconic_options& out) const;

 private:
  struct OpenDevice {
    int number;
    void* context;
    std::unique_ptr<Device> device;
  };

  std::vector<OpenDevice> devices_;  // they outlive the machinery
  std::optional<NodeShape> nodes_;   // outlives the machinery
  std::unique_ptr<Machinery> machinery_;
  // What the ranks do to make the machinery.
  enum class Making : std::uint8_t { nothing, facts, agreement };
  MPI_Comm create() const;
  void end_making(bool made);

  Making stage_ = Making::nothing;
  MPI_Request making_ = MPI_REQUEST_NULL;
  PeerFacts facts_;
  MPI_Comm made_ = MPI_COMM_NULL;
  int own_success_ = 0;
  int success_ = 0;  // of all ranks
  bool has_place_ = false;
  bool cannot_prepare_ = false;
  bool repeats_neighbors_ = false;
};

// The binding of comm, made at first use.  Local.
Status bind(MPI_Comm comm, std::shared_ptr<Binding>& binding);

}  // namespace laconic
