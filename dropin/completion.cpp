// SPDX-License-Identifier: BSD-3-Clause
// MPI's functions that complete, start and free requests. While operations of ours are in flight they poll, and
// persistent requests of ours that are active are replaced by what completes them. Otherwise they are MPI's own.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <vector>

#include "process.hpp"
#include "progress.hpp"

using namespace laconic::dropin;

#define LACONIC_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

// The requests of a call as MPI can complete them.
class Requests {
 public:
  Requests(int count, MPI_Request* requests)
      : program_(requests), count_(requests == nullptr || count < 0 ? 0 : count) {
    if (!has_persistent()) return;
    for (int k = 0; k < count_; ++k) {
      const MPI_Request other = stand_in(program_[k]);
      if (other == MPI_REQUEST_NULL) continue;
      if (copy_.empty()) copy_.assign(program_, program_ + count_);
      copy_[static_cast<std::size_t>(k)] = other;
      replaced_.push_back(k);
    }
  }
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;

  MPI_Request* data() { return copy_.empty() ? program_ : copy_.data(); }

  // What has been completed, the program sees.
  ~Requests() {
    if (copy_.empty()) return;
    std::size_t next = 0;
    for (int k = 0; k < count_; ++k) {
      const MPI_Request now = copy_[static_cast<std::size_t>(k)];
      if (next < replaced_.size() && replaced_[next] == k) {
        ++next;
        if (now == MPI_REQUEST_NULL) deactivate(program_[k]);
      } else {
        program_[k] = now;
      }
    }
  }

 private:
  MPI_Request* program_;
  int count_;
  std::vector<MPI_Request> copy_;
  std::vector<int> replaced_;
};

// True when MPI's own function will do.
bool ordinary(const void* site) { return (!busy() && !has_persistent()) || from_library(site); }

#define LACONIC_SITE __builtin_return_address(0)

// Tests until it is done, or nothing of ours is in flight any more: then MPI may wait by itself.
template <class Test, class Wait>
int poll_until_done(Test test, Wait wait) {
  while (busy()) {
    make_progress();
    bool done = false;
    const int code = test(done);
    if (code != MPI_SUCCESS || done) return code;
  }
  return wait();
}

}  // namespace

LACONIC_EXPORT int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  if (ordinary(LACONIC_SITE) || request == nullptr) return PMPI_Wait(request, status);
  Requests one(1, request);
  return poll_until_done(
      [&](bool& done) {
        int flag = 0;
        const int code = PMPI_Test(one.data(), &flag, status);
        done = flag != 0;
        return code;
      },
      [&] { return PMPI_Wait(one.data(), status); });
}

LACONIC_EXPORT int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  if (ordinary(LACONIC_SITE) || request == nullptr) return PMPI_Test(request, flag, status);
  make_progress();
  Requests one(1, request);
  return PMPI_Test(one.data(), flag, status);
}

LACONIC_EXPORT int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  if (ordinary(LACONIC_SITE)) return PMPI_Waitall(count, requests, statuses);
  Requests all(count, requests);
  return poll_until_done(
      [&](bool& done) {
        int flag = 0;
        const int code = PMPI_Testall(count, all.data(), &flag, statuses);
        done = flag != 0;
        return code;
      },
      [&] { return PMPI_Waitall(count, all.data(), statuses); });
}

LACONIC_EXPORT int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  if (ordinary(LACONIC_SITE)) return PMPI_Testall(count, requests, flag, statuses);
  make_progress();
  Requests all(count, requests);
  return PMPI_Testall(count, all.data(), flag, statuses);
}

LACONIC_EXPORT int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  if (ordinary(LACONIC_SITE)) return PMPI_Waitany(count, requests, index, status);
  Requests all(count, requests);
  return poll_until_done(
      [&](bool& done) {
        int flag = 0;
        const int code = PMPI_Testany(count, all.data(), index, &flag, status);
        done = flag != 0;
        return code;
      },
      [&] { return PMPI_Waitany(count, all.data(), index, status); });
}

LACONIC_EXPORT int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  if (ordinary(LACONIC_SITE)) return PMPI_Testany(count, requests, index, flag, status);
  make_progress();
  Requests all(count, requests);
  return PMPI_Testany(count, all.data(), index, flag, status);
}

LACONIC_EXPORT int MPI_Waitsome(int count, MPI_Request requests[], int* completed, int indices[],
                                MPI_Status statuses[]) {
  if (ordinary(LACONIC_SITE)) return PMPI_Waitsome(count, requests, completed, indices, statuses);
  Requests all(count, requests);
  return poll_until_done(
      [&](bool& done) {
        const int code = PMPI_Testsome(count, all.data(), completed, indices, statuses);
        done = *completed != 0;
        return code;
      },
      [&] { return PMPI_Waitsome(count, all.data(), completed, indices, statuses); });
}

LACONIC_EXPORT int MPI_Testsome(int count, MPI_Request requests[], int* completed, int indices[],
                                MPI_Status statuses[]) {
  if (ordinary(LACONIC_SITE)) return PMPI_Testsome(count, requests, completed, indices, statuses);
  make_progress();
  Requests all(count, requests);
  return PMPI_Testsome(count, all.data(), completed, indices, statuses);
}

LACONIC_EXPORT int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  if (ordinary(LACONIC_SITE)) return PMPI_Request_get_status(request, flag, status);
  make_progress();
  const MPI_Request other = has_persistent() ? stand_in(request) : MPI_REQUEST_NULL;
  return PMPI_Request_get_status(other != MPI_REQUEST_NULL ? other : request, flag, status);
}

LACONIC_EXPORT int MPI_Request_free(MPI_Request* request) {
  if (ordinary(LACONIC_SITE) || request == nullptr || *request == MPI_REQUEST_NULL) return PMPI_Request_free(request);
  int code = MPI_SUCCESS;
  return free_request(request, code) ? code : PMPI_Request_free(request);
}

LACONIC_EXPORT int MPI_Cancel(MPI_Request* request) {
  // MPI does not allow it for collectives; ours must not be taken for receives, as which they are known to MPI.
  if (!has_persistent() || request == nullptr || stand_in(*request) == MPI_REQUEST_NULL) return PMPI_Cancel(request);
  return MPI_SUCCESS;
}

LACONIC_EXPORT int MPI_Start(MPI_Request* request) {
  if (!has_persistent() || from_library(LACONIC_SITE) || request == nullptr) return PMPI_Start(request);
  int code = MPI_SUCCESS;
  return start_persistent(*request, code) ? code : PMPI_Start(request);
}

LACONIC_EXPORT int MPI_Startall(int count, MPI_Request requests[]) {
  if (!has_persistent() || from_library(LACONIC_SITE)) return PMPI_Startall(count, requests);
  for (int k = 0; k < count; ++k) {
    int code = MPI_SUCCESS;
    if (!start_persistent(requests[k], code)) code = PMPI_Start(&requests[k]);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}
