// SPDX-License-Identifier: BSD-3-Clause
#include "messages/unexpected.hpp"

#include <climits>
#include <list>
#include <mutex>
#include <new>
#include <unordered_map>

#include "core/records.hpp"
#include "messages/envelope.hpp"
#include "mpi/mpi_itself.hpp"

namespace laconic::dropin {

std::atomic<int> unexpected_messages{0};

namespace {

// A received message that match() returned. The program's handle for it is that of an empty message of this process to
// itself, whose send request is `token`.
struct Matched {
  UnexpectedMessage unexpected;
  MPI_Request token = MPI_REQUEST_NULL;
};

std::shared_mutex gate;
std::atomic<bool> threads{false};
std::mutex mutex;
using Messages = std::pmr::list<UnexpectedMessage>;
using Matches = std::pmr::unordered_map<MPI_Message, Matched>;
Messages& messages = *new Messages(&records());
Matches& matched = *new Matches(&records());
std::atomic<int> matched_messages{0};

class Excluding {
 public:
  Excluding() : locked_(threads.load(std::memory_order_relaxed)) {
    if (locked_) gate.lock();
  }
  ~Excluding() {
    if (locked_) gate.unlock();
  }
  Excluding(const Excluding&) = delete;
  Excluding& operator=(const Excluding&) = delete;

 private:
  bool locked_;
};

bool matches(const UnexpectedMessage& unexpected, int source, int tag, MPI_Comm comm) {
  return unexpected.comm == comm && (source == MPI_ANY_SOURCE || unexpected.status.MPI_SOURCE == source) &&
         (tag == MPI_ANY_TAG || unexpected.status.MPI_TAG == tag);
}

Messages::iterator find(int source, int tag, MPI_Comm comm) {
  auto at = messages.begin();
  while (at != messages.end() && !matches(*at, source, tag, comm)) ++at;
  return at;
}

// Receives a message that may be an envelope, so that the status can be set to the length of its content.
int open_if_envelope(UnexpectedMessage& unexpected) {
  const MPI_Count bytes = bytes_of(unexpected.status);
  if (!may_be_envelope(bytes) || bytes > INT_MAX) return MPI_SUCCESS;
  unexpected.content = Buffer(static_cast<std::size_t>(bytes));
  const int code = mpi::Mrecv(unexpected.content.data(), static_cast<int>(bytes), MPI_PACKED, &unexpected.message,
                              MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS) return code;
  unexpected.bytes = bytes;
  if (const auto envelope = read_envelope(unexpected.content.data(), bytes))
    set_bytes(unexpected.status, envelope->bytes());
  return MPI_SUCCESS;
}

// Takes from MPI all messages of `source`, up to the first one with this tag.
int hold(int source, int tag, MPI_Comm comm) {
  for (int flag = 1; flag;) {
    UnexpectedMessage unexpected;
    unexpected.comm = comm;
    int code = mpi::Improbe(source, MPI_ANY_TAG, comm, &flag, &unexpected.message, &unexpected.status);
    if (code != MPI_SUCCESS || !flag) return code;
    const bool last = unexpected.status.MPI_TAG == tag;
    code = open_if_envelope(unexpected);
    const std::lock_guard lock(mutex);
    messages.push_back(std::move(unexpected));
    unexpected_messages.fetch_add(1);
    if (code != MPI_SUCCESS || last) return code;
  }
  return MPI_SUCCESS;
}

void put(MPI_Status* to, const MPI_Status& status) {
  if (to != MPI_STATUS_IGNORE) tell(status, *to);
}

// Makes a substitute handle for a message that MPI no longer holds.
int give_out(UnexpectedMessage unexpected, MPI_Message* message) {
  Matched one;
  static std::atomic<unsigned> next{0};
  const int tag = static_cast<int>(2 + next.fetch_add(1) % 32000);
  int code = mpi::Isend(nullptr, 0, MPI_BYTE, 0, tag, self(), &one.token);
  if (code == MPI_SUCCESS) code = mpi::Mprobe(0, tag, self(), message, MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS) return code;
  one.unexpected = std::move(unexpected);
  const std::lock_guard lock(mutex);
  matched.emplace(*message, std::move(one));
  matched_messages.fetch_add(1);
  return MPI_SUCCESS;
}

int hand_out(UnexpectedMessage unexpected, MPI_Message* message, MPI_Status* status) {
  put(status, unexpected.status);
  if (unexpected.was_received()) return give_out(std::move(unexpected), message);
  *message = unexpected.message;
  return MPI_SUCCESS;
}

}  // namespace

void Gate::set_threads(bool many) { threads = many; }
bool many_threads() { return threads.load(std::memory_order_relaxed); }
Gate::Gate() {
  if (many_threads()) gate.lock_shared();
}
Gate::~Gate() {
  if (many_threads()) gate.unlock_shared();
}

bool holds(int source, int tag, MPI_Comm comm) {
  const std::lock_guard lock(mutex);
  return find(source, tag, comm) != messages.end();
}

std::optional<UnexpectedMessage> take_unexpected(int source, int tag, MPI_Comm comm) {
  const std::lock_guard lock(mutex);
  const auto at = find(source, tag, comm);
  if (at == messages.end()) return std::nullopt;
  UnexpectedMessage mine = std::move(*at);
  messages.erase(at);
  unexpected_messages.fetch_sub(1);
  return mine;
}

int look_for(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  const Excluding others;
  while (true) {
    if (has_unexpected()) {
      const std::lock_guard lock(mutex);
      const auto at = find(source, tag, comm);
      if (at != messages.end()) {
        put(status, at->status);
        *flag = 1;
        return MPI_SUCCESS;
      }
    }
    MPI_Status found{};
    int code = mpi::Iprobe(source, tag, comm, flag, &found);
    if (code != MPI_SUCCESS || !*flag) return code;
    if (!may_be_envelope(bytes_of(found)) || found.MPI_SOURCE < 0) {
      put(status, found);
      return MPI_SUCCESS;
    }
    code = hold(found.MPI_SOURCE, found.MPI_TAG, comm);
    if (code != MPI_SUCCESS) return code;
  }
}

int match(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  const Excluding others;
  if (has_unexpected()) {
    if (auto unexpected = take_unexpected(source, tag, comm)) {
      *flag = 1;
      return hand_out(std::move(*unexpected), message, status);
    }
  }
  UnexpectedMessage unexpected;
  unexpected.comm = comm;
  int code = mpi::Improbe(source, tag, comm, flag, &unexpected.message, &unexpected.status);
  if (code != MPI_SUCCESS || !*flag) return code;
  if (unexpected.status.MPI_SOURCE >= 0) code = open_if_envelope(unexpected);
  return code == MPI_SUCCESS ? hand_out(std::move(unexpected), message, status) : code;
}

int receive_unexpected(UnexpectedMessage& unexpected, const ReceiveBuffer& receive_buffer, MPI_Status& status) {
  if (unexpected.was_received()) {
    tell(unexpected.status, status);
    return deliver(receive_buffer, unexpected.content.data(), unexpected.bytes, status);
  }
#if MPI_VERSION >= 4
  return mpi::Mrecv_c(receive_buffer.buffer, receive_buffer.count, receive_buffer.type, &unexpected.message, &status);
#else
  return mpi::Mrecv(receive_buffer.buffer, static_cast<int>(receive_buffer.count), receive_buffer.type,
                    &unexpected.message, &status);
#endif
}

std::optional<UnexpectedMessage> take_matched(MPI_Message* message) {
  if (matched_messages.load(std::memory_order_acquire) == 0) return std::nullopt;
  Matched mine;
  {
    const std::lock_guard lock(mutex);
    const auto at = matched.find(*message);
    if (at == matched.end()) return std::nullopt;
    mine = std::move(at->second);
    matched.erase(at);
    matched_messages.fetch_sub(1);
  }
  mpi::Mrecv(nullptr, 0, MPI_BYTE, message, MPI_STATUS_IGNORE);
  mpi::Wait(&mine.token, MPI_STATUS_IGNORE);
  return std::move(mine.unexpected);
}

}  // namespace laconic::dropin
