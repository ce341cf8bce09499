// SPDX-License-Identifier: BSD-3-Clause
#include "requests/pending.hpp"

#include <algorithm>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "mpi/mpi_itself.hpp"
#include "requests/progress.hpp"

namespace laconic::dropin {

std::atomic<int> pending_messages{0};

namespace {

std::mutex mutex;  // guards the table and its memory
using Requests = std::pmr::unordered_map<MPI_Request, std::unique_ptr<Pending>>;
Requests& all = *new Requests(new std::pmr::unsynchronized_pool_resource);

struct Freed {
  MPI_Request request = MPI_REQUEST_NULL;
  std::unique_ptr<Pending> pending;
};
std::mutex freed_turn;
std::vector<Freed>& freed = *new std::vector<Freed>;

std::unique_ptr<Pending> received(const MPI_Status& result, int code, const ReceiveBuffer& receive_buffer) {
  auto pending = std::make_unique<Pending>();
  pending->receive_buffer = receive_buffer;
  pending->receives = true;
  pending->settled = true;
  pending->result = result;
  pending->code = code;
  return pending;
}

bool is_complete(MPI_Request request) {
  int done = 0;
  return mpi::Request_get_status(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done;
}

bool finish(Freed& one) {
  MPI_Status status{};
  int done = 0;
  const int code = mpi::Test(&one.request, &done, &status);
  if (code == MPI_SUCCESS && !done) return false;
  if (code == MPI_SUCCESS) one.pending->settle(status);
  return true;
}

}  // namespace

int Pending::settle(MPI_Status& status) {
  if (!receives) return MPI_SUCCESS;
  if (!settled) {
    code = dropin::settle(receive_buffer, status);
    result = status;
    settled = true;
  }
  tell(result, status);
  return code;
}

void expect(MPI_Request request, const ReceiveBuffer& receive_buffer) {
  auto pending = std::make_unique<Pending>();
  pending->receive_buffer = receive_buffer;
  pending->receives = true;
  pending->type.set(receive_buffer.type);
  pending->receive_buffer.type = pending->type.get();
  put_back(request, std::move(pending));
}

void keep(MPI_Request request, Buffer memory, MPI_Comm comm) {
  // MPI may use one shared handle for all requests that are complete from the start.
  if (is_complete(request)) return;
  auto pending = std::make_unique<Pending>();
  pending->receive_buffer.comm = comm;
  pending->memory = std::move(memory);
  put_back(request, std::move(pending));
}

int make_completed(const MPI_Status& result, int code, const ReceiveBuffer& receive_buffer, MPI_Request* request) {
  if (const int made = mpi::Irecv(nullptr, 0, MPI_BYTE, 0, 1, self(), request); made != MPI_SUCCESS) return made;
  if (const int sent = mpi::Send(nullptr, 0, MPI_BYTE, 0, 1, self()); sent != MPI_SUCCESS) return sent;
  put_back(*request, received(result, code, receive_buffer));
  return MPI_SUCCESS;
}

std::unique_ptr<Pending> take_pending(MPI_Request request) {
  const std::lock_guard lock(mutex);
  const auto at = all.find(request);
  if (at == all.end()) return nullptr;
  std::unique_ptr<Pending> mine = std::move(at->second);
  all.erase(at);
  return mine;
}

void put_back(MPI_Request request, std::unique_ptr<Pending> pending) {
  const std::lock_guard lock(mutex);
  all[request] = std::move(pending);
}

bool free_pending(MPI_Request* request) {
  auto pending = take_pending(*request);
  if (pending == nullptr) return false;
  const std::lock_guard lock(freed_turn);
  freed.push_back({*request, std::move(pending)});
  *request = MPI_REQUEST_NULL;
  return true;
}

void give_up(MPI_Request sending, Buffer memory, MPI_Comm comm) {
  auto pending = std::make_unique<Pending>();
  pending->receive_buffer.comm = comm;
  pending->memory = std::move(memory);
  const std::lock_guard lock(freed_turn);
  freed.push_back({sending, std::move(pending)});
}

void sweep() {
  if (!has_pending()) return;
  const std::unique_lock lock(freed_turn, std::try_to_lock);
  if (!lock.owns_lock()) return;
  std::erase_if(freed, finish);
}

void finish_freed(MPI_Comm comm) {
  for (bool some = has_pending(); some;) {
    if (busy()) make_progress();
    const std::lock_guard lock(freed_turn);
    std::erase_if(freed, finish);
    some = std::any_of(freed.begin(), freed.end(),
                       [&](const Freed& one) { return one.pending->receive_buffer.comm == comm; });
    if (some) std::this_thread::yield();
  }
}

}  // namespace laconic::dropin
