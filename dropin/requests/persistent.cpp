// SPDX-License-Identifier: BSD-3-Clause
#include "requests/persistent.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "mpi/mpi_itself.hpp"

namespace laconic::dropin {

std::atomic<int> persistent_requests{0};

namespace {

struct Entry {
  MPI_Request handle = MPI_REQUEST_NULL;
  MPI_Request active = MPI_REQUEST_NULL;
  std::unique_ptr<Persistent> what;
};

std::mutex mutex;
std::vector<std::unique_ptr<Entry>> entries;

// The caller holds the lock.
Entry* find(MPI_Request handle) {
  const auto at =
      std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry->handle == handle; });
  return at == entries.end() ? nullptr : at->get();
}

// The entry stays where it is until the program frees it.
Entry* known(MPI_Request handle) {
  const std::lock_guard lock(mutex);
  return find(handle);
}

std::unique_ptr<Entry> forget(Entry* entry) {
  const std::lock_guard lock(mutex);
  const auto at = std::find_if(entries.begin(), entries.end(), [&](const auto& one) { return one.get() == entry; });
  std::unique_ptr<Entry> mine = std::move(*at);
  entries.erase(at);
  persistent_requests.fetch_sub(1);
  return mine;
}

}  // namespace

int make_persistent(std::unique_ptr<Persistent> made, MPI_Request* request) {
  auto entry = std::make_unique<Entry>();
  entry->what = std::move(made);
  // A request of MPI that is never started, which provides a unique handle. (It does not use MPI_PROC_NULL: after such
  // a request has been freed, MPICH 4.0 no longer completes its own persistent collectives.)
  const int code = mpi::Send_init(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_SELF, &entry->handle);
  if (code != MPI_SUCCESS) return code;
  *request = entry->handle;
  const std::lock_guard lock(mutex);
  entries.push_back(std::move(entry));
  persistent_requests.fetch_add(1);
  return MPI_SUCCESS;
}

bool start_persistent(MPI_Request request, int& code) {
  Entry* entry = known(request);
  if (entry == nullptr) return false;
  code = entry->active == MPI_REQUEST_NULL ? MPI_SUCCESS : MPI_ERR_REQUEST;  // it is active already
  if (code == MPI_SUCCESS) code = entry->what->start(entry->active);
  return true;
}

bool cancel_persistent(MPI_Request request, int& code) {
  Entry* entry = known(request);
  if (entry == nullptr) return false;
  code = entry->active == MPI_REQUEST_NULL ? MPI_ERR_REQUEST : entry->what->cancel(entry->active);
  return true;
}

bool free_persistent(MPI_Request* request, int& code) {
  Entry* entry = known(*request);
  if (entry == nullptr) return false;
  code = entry->active == MPI_REQUEST_NULL ? MPI_SUCCESS : entry->what->free(entry->active);
  forget(entry);
  if (const int freed = mpi::Request_free(request); freed != MPI_SUCCESS) code = freed;
  return true;
}

MPI_Request stand_in(MPI_Request request) {
  const std::lock_guard lock(mutex);
  const Entry* entry = find(request);
  return entry != nullptr ? entry->active : MPI_REQUEST_NULL;
}

void deactivate(MPI_Request request) {
  Entry* const entry = known(request);
  if (entry == nullptr) return;
  entry->active = MPI_REQUEST_NULL;
  entry->what->completed();
}

}  // namespace laconic::dropin
