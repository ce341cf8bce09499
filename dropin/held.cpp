// SPDX-License-Identifier: BSD-3-Clause
#include "held.hpp"

#include <climits>
#include <list>
#include <mutex>
#include <new>
#include <unordered_map>

#include "envelope.hpp"
#include "mpi_itself.hpp"
#include "records.hpp"

namespace laconic::dropin {

std::atomic<int> held_messages{0};

namespace {

// Of those that were given out: the handle that the program has is of an empty message to ourselves.
struct Matched {
  HeldMessage held;
  MPI_Request token = MPI_REQUEST_NULL;
};

std::shared_mutex gate;
std::atomic<bool> threads{false};
std::mutex mutex;
using Messages = std::pmr::list<HeldMessage>;
using Matches = std::pmr::unordered_map<MPI_Message, Matched>;
Messages& messages = *new Messages(&records());
Matches& matched = *new Matches(&records());
std::atomic<int> matched_messages{0};

class Excluding {
 public:
  Excluding() : held_(threads.load(std::memory_order_relaxed)) {
    if (held_) gate.lock();
  }
  ~Excluding() {
    if (held_) gate.unlock();
  }
  Excluding(const Excluding&) = delete;
  Excluding& operator=(const Excluding&) = delete;

 private:
  bool held_;
};

bool matches(const HeldMessage& held, int source, int tag, MPI_Comm comm) {
  return held.comm == comm && (source == MPI_ANY_SOURCE || held.status.MPI_SOURCE == source) &&
         (tag == MPI_ANY_TAG || held.status.MPI_TAG == tag);
}

Messages::iterator find(int source, int tag, MPI_Comm comm) {
  auto at = messages.begin();
  while (at != messages.end() && !matches(*at, source, tag, comm)) ++at;
  return at;
}

// What may be an envelope is received, so that the status can say what is in it.
int open_if_envelope(HeldMessage& held) {
  const MPI_Count bytes = bytes_of(held.status);
  if (!may_be_envelope(bytes) || bytes > INT_MAX) return MPI_SUCCESS;
  held.content = Buffer(static_cast<std::size_t>(bytes));
  const int code =
      mpi::Mrecv(held.content.data(), static_cast<int>(bytes), MPI_PACKED, &held.message, MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS) return code;
  held.bytes = bytes;
  if (const auto envelope = read_envelope(held.content.data(), bytes)) set_bytes(held.status, envelope->bytes());
  return MPI_SUCCESS;
}

// Takes from MPI everything that `source` has sent, up to the first with this tag.
int hold(int source, int tag, MPI_Comm comm) {
  for (int flag = 1; flag;) {
    HeldMessage held;
    held.comm = comm;
    int code = mpi::Improbe(source, MPI_ANY_TAG, comm, &flag, &held.message, &held.status);
    if (code != MPI_SUCCESS || !flag) return code;
    const bool last = held.status.MPI_TAG == tag;
    code = open_if_envelope(held);
    const std::lock_guard lock(mutex);
    messages.push_back(std::move(held));
    held_messages.fetch_add(1);
    if (code != MPI_SUCCESS || last) return code;
  }
  return MPI_SUCCESS;
}

void put(MPI_Status* to, const MPI_Status& status) {
  if (to != MPI_STATUS_IGNORE) tell(status, *to);
}

// The handle for a message that MPI does not have any more.
int give_out(HeldMessage held, MPI_Message* message) {
  Matched one;
  static std::atomic<unsigned> next{0};
  const int tag = static_cast<int>(2 + next.fetch_add(1) % 32000);
  int code = mpi::Isend(nullptr, 0, MPI_BYTE, 0, tag, self(), &one.token);
  if (code == MPI_SUCCESS) code = mpi::Mprobe(0, tag, self(), message, MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS) return code;
  one.held = std::move(held);
  const std::lock_guard lock(mutex);
  matched.emplace(*message, std::move(one));
  matched_messages.fetch_add(1);
  return MPI_SUCCESS;
}

int hand_out(HeldMessage held, MPI_Message* message, MPI_Status* status) {
  put(status, held.status);
  if (held.was_received()) return give_out(std::move(held), message);
  *message = held.message;
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

std::optional<HeldMessage> take_held(int source, int tag, MPI_Comm comm) {
  const std::lock_guard lock(mutex);
  const auto at = find(source, tag, comm);
  if (at == messages.end()) return std::nullopt;
  HeldMessage mine = std::move(*at);
  messages.erase(at);
  held_messages.fetch_sub(1);
  return mine;
}

int look_for(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  const Excluding others;
  while (true) {
    if (has_held()) {
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
  if (has_held()) {
    if (auto held = take_held(source, tag, comm)) {
      *flag = 1;
      return hand_out(std::move(*held), message, status);
    }
  }
  HeldMessage held;
  held.comm = comm;
  int code = mpi::Improbe(source, tag, comm, flag, &held.message, &held.status);
  if (code != MPI_SUCCESS || !*flag) return code;
  if (held.status.MPI_SOURCE >= 0) code = open_if_envelope(held);
  return code == MPI_SUCCESS ? hand_out(std::move(held), message, status) : code;
}

int receive_held(HeldMessage& held, const Landing& landing, MPI_Status& status) {
  if (held.was_received()) {
    tell(held.status, status);
    return deliver(landing, held.content.data(), held.bytes, status);
  }
#if MPI_VERSION >= 4
  return mpi::Mrecv_c(landing.buffer, landing.count, landing.type, &held.message, &status);
#else
  return mpi::Mrecv(landing.buffer, static_cast<int>(landing.count), landing.type, &held.message, &status);
#endif
}

std::optional<HeldMessage> take_matched(MPI_Message* message) {
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
  return std::move(mine.held);
}

}  // namespace laconic::dropin
