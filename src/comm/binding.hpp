// What Laconic keeps for one MPI communicator, cached as an attribute of it: settings from hints and environment,
// statistics, and, from the first compressed call on, a communicator of its own and the machinery.
#pragma once

#include <mpi.h>

#include <array>
#include <memory>
#include <optional>

#include "device/host/host_device.hpp"
#include "engine/run.hpp"
#include "laconic/laconic.h"
#include "transport/mpi/mpi_transport.hpp"

namespace laconic {

// The rooms bound together for one communicator: made once, used again by every call.
class Machinery {
 public:
  static Status make(MPI_Comm comm, std::unique_ptr<Machinery>& out);
  ~Machinery();
  Machinery(const Machinery&) = delete;
  Machinery& operator=(const Machinery&) = delete;

  MPI_Comm comm() const { return comm_; }
  Transport& transport() { return transport_; }
  const Plan& plan(const Algorithm& algorithm);
  Run& run(int threads);
  std::uint64_t next_sequence() { return sequence_++; }

  // MPI itself may be gone: leave its objects to MPI_Finalize.
  void abandon() { comm_ = MPI_COMM_NULL; }

 private:
  explicit Machinery(MPI_Comm comm) : comm_(comm), transport_(comm) {}

  MPI_Comm comm_;  // ours alone: messages cannot meet the application's
  MpiTransport transport_;
  std::vector<std::optional<Plan>> plans_;  // by place in all_algorithms()
  std::unique_ptr<HostDevice> device_;
  std::unique_ptr<Run> run_;
  std::uint64_t sequence_ = 0;
};

struct Binding {
  MPI_Comm comm = MPI_COMM_NULL;  // the application's
  int size = 1;
  bool intercomm = false;
  laconic_options inherited{};  // from hints, then environment
  Status inherited_status;      // why they could not be read: an error of every call
  laconic_stats stats{};
  std::unique_ptr<Machinery> machinery;

  // Reads hints (those MPI kept, then `info`) and environment again.
  Status read_settings(MPI_Info info, laconic_options& out) const;
};

// The binding of comm, made at first use.  Local.
Status bind(MPI_Comm comm, Binding*& binding);

}  // namespace laconic
