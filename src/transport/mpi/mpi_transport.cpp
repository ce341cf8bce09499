// SPDX-License-Identifier: BSD-3-Clause
#include "transport/mpi/mpi_transport.hpp"

#include <climits>
#include <string>

#include "transport/mpi/device_memory.hpp"

namespace laconic {
namespace {

// Enough for the engine at its greatest depth, so that no memory is allocated while an operation runs.
constexpr std::size_t usual_requests = 512;

Status mpi_failure(const std::string& what, int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return {Code::transport, what + " failed: " + text};
}

std::string name_of(bool sending, int peer) {
  return (sending ? "the send of a frame to rank " : "the receive of a frame from rank ") + std::to_string(peer);
}

class MpiChannel final : public Channel {
 public:
  MpiChannel(MPI_Comm comm, std::uint64_t first_tag, std::uint64_t operations, std::uint64_t messages, Sends sends)
      : comm_(comm), base_tag_(first_tag), operations_(operations), messages_(messages), sends_(sends) {
    requests_.reserve(usual_requests);
    transfers_.reserve(usual_requests);
    indices_.reserve(usual_requests);
    statuses_.reserve(usual_requests);
  }

  void open(std::uint64_t sequence) override { first_tag_ = base_tag_ + sequence % operations_ * messages_; }

  Status send(std::span<const std::byte> bytes, int peer, std::uint64_t message, std::uint64_t cookie) override {
    if (bytes.size() > INT_MAX) return {Code::transport, "a frame is larger than 2 GiB"};
    MPI_Request request;
    const auto send = sends_ == Sends::synchronous ? MPI_Issend : MPI_Isend;
    const int rc = send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, peer, tag(message), comm_, &request);
    if (rc != MPI_SUCCESS) return mpi_failure(name_of(true, peer), rc);
    track(request, {cookie, peer, true});
    return {};
  }

  Status receive(std::span<std::byte> room, int peer, std::uint64_t message, std::uint64_t cookie) override {
    if (room.size() > INT_MAX) return {Code::transport, "a frame is larger than 2 GiB"};
    MPI_Request request;
    const int rc = MPI_Irecv(room.data(), static_cast<int>(room.size()), MPI_BYTE, peer, tag(message), comm_, &request);
    if (rc != MPI_SUCCESS) return mpi_failure(name_of(false, peer), rc);
    track(request, {cookie, peer, false});
    return {};
  }

  Status poll(std::vector<Completion>& done) override { return some(MPI_Testsome, done); }
  Status wait(std::vector<Completion>& done) override { return some(MPI_Waitsome, done); }

 private:
  Status some(decltype(&MPI_Testsome) test_or_wait, std::vector<Completion>& done) {
    if (requests_.empty()) return {};
    indices_.resize(requests_.size());
    statuses_.resize(requests_.size());
    int completed = 0;
    const int rc = test_or_wait(static_cast<int>(requests_.size()), requests_.data(), &completed, indices_.data(),
                                statuses_.data());
    if (rc != MPI_SUCCESS) return failure(rc, completed);
    if (completed == MPI_UNDEFINED || completed == 0) return {};
    for (int k = 0; k < completed; ++k) {
      const auto at = static_cast<std::size_t>(indices_[static_cast<std::size_t>(k)]);
      int bytes = 0;
      MPI_Get_count(&statuses_[static_cast<std::size_t>(k)], MPI_BYTE, &bytes);
      done.push_back({transfers_[at].cookie, bytes > 0 ? static_cast<std::size_t>(bytes) : 0});
    }
    forget_completed();
    return {};
  }

  int tag(std::uint64_t message) const { return static_cast<int>(first_tag_ + message % messages_); }

  struct Transfer {
    std::uint64_t cookie;
    int peer;
    bool sending;
  };

  void track(MPI_Request request, const Transfer& transfer) {
    requests_.push_back(request);
    transfers_.push_back(transfer);
  }

  // The error of the transfer that failed, which is found by the statuses.
  Status failure(int code, int completed) const {
    int error_class = MPI_SUCCESS;
    MPI_Error_class(code, &error_class);
    for (int k = 0; error_class == MPI_ERR_IN_STATUS && completed != MPI_UNDEFINED && k < completed; ++k) {
      const int own = statuses_[static_cast<std::size_t>(k)].MPI_ERROR;
      if (own == MPI_SUCCESS || own == MPI_ERR_PENDING) continue;
      const Transfer& t = transfers_[static_cast<std::size_t>(indices_[static_cast<std::size_t>(k)])];
      return mpi_failure(name_of(t.sending, t.peer), own);
    }
    return mpi_failure("a test of sends and receives of frames", code);
  }

  void forget_completed() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] == MPI_REQUEST_NULL) continue;
      requests_[kept] = requests_[i];
      transfers_[kept] = transfers_[i];
      ++kept;
    }
    requests_.resize(kept);
    transfers_.resize(kept);
  }

  MPI_Comm comm_;
  std::uint64_t base_tag_;
  std::uint64_t operations_;
  std::uint64_t messages_;
  Sends sends_;
  std::uint64_t first_tag_ = 0;
  std::vector<MPI_Request> requests_;
  std::vector<Transfer> transfers_;
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
};

}  // namespace

MpiTransport::MpiTransport(MPI_Comm comm, std::uint64_t first_tag, std::uint64_t operations, std::uint64_t messages,
                           Sends sends)
    : comm_(comm),
      first_tag_(first_tag),
      operations_(operations),
      messages_(messages),
      sends_(sends),
      device_memory_(mpi_takes_device_memory()) {
  MPI_Comm_rank(comm, &rank_);
  MPI_Comm_size(comm, &size_);
}

std::unique_ptr<Channel> MpiTransport::make_channel() {
  return std::make_unique<MpiChannel>(comm_, first_tag_, operations_, messages_, sends_);
}

}  // namespace laconic
