// SPDX-License-Identifier: BSD-3-Clause
// MPI's functions that complete, start and free requests, under their MPI and PMPI names. They poll while operations of
// the drop-in are in flight, replace its active persistent requests by the requests that complete them, and finish
// messages that MPI has completed. In all other cases they call MPI's own functions.
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <thread>
#include <vector>

#include "calls/carried.hpp"
#include "core/process.hpp"
#include "core/records.hpp"
#include "mpi/exports.hpp"
#include "mpi/mpi_itself.hpp"
#include "requests/pending.hpp"
#include "requests/persistent.hpp"
#include "requests/progress.hpp"

using namespace laconic::dropin;

namespace {

// The requests of a call in a form that MPI can complete, and the work that is left after MPI has completed them.
class Requests {
 public:
  Requests(int count, MPI_Request* requests)
      : program_(requests), count_(requests == nullptr || count < 0 ? 0 : count) {
    if (has_persistent()) replace();
    if (has_pending()) look();
  }
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;

  int count() const { return count_; }
  MPI_Request* data() { return copy_.empty() ? program_ : copy_.data(); }

  // The status for MPI to write. Pending messages need it even if the program passes MPI_STATUS_IGNORE.
  MPI_Status* one(MPI_Status* wanted) {
    return wanted == MPI_STATUS_IGNORE && !pending_.empty() ? &own_status_ : wanted;
  }
  MPI_Status* each(MPI_Status* wanted) {
    if (wanted != MPI_STATUSES_IGNORE || pending_.empty()) return wanted;
    own_statuses_.resize(static_cast<std::size_t>(count_));
    return own_statuses_.data();
  }

  // Finishes the request with index k, which MPI has completed with this status.
  int finish(int k, MPI_Status* status) {
    if (pending_.empty() || k < 0 || k >= count_) return MPI_SUCCESS;
    auto& pending = pending_[static_cast<std::size_t>(k)];
    if (pending == nullptr || data()[k] != MPI_REQUEST_NULL) return MPI_SUCCESS;
    const int code = pending->settle(*status);
    comm_ = pending->receive_buffer.comm;
    pending.reset();
    return code;
  }

  // Likewise for MPI_Request_get_status: the request stays, and the program completes it later.
  int look_at(int k, MPI_Status* status) {
    if (pending_.empty() || k < 0 || k >= count_ || pending_[static_cast<std::size_t>(k)] == nullptr)
      return MPI_SUCCESS;
    return pending_[static_cast<std::size_t>(k)]->settle(*status);
  }

  // Called after an MPI function that completes one request; `code` is its error code.
  int finish_one(int code, int k, MPI_Status* status) {
    if (code != MPI_SUCCESS || pending_.empty()) return code;
    const int settled = raise(finish(k, status));
    sweep();
    return settled;
  }

  // Called after an MPI function that completes several: number(j) is the index of the request of statuses[j].
  template <class Number>
  int finish_each(int code, int n, MPI_Status* statuses, Number number) {
    if (pending_.empty() || n == MPI_UNDEFINED) return code;
    const bool in_status = is(code, MPI_ERR_IN_STATUS);
    if (code != MPI_SUCCESS && !in_status) return code;
    std::pmr::vector<int> codes(static_cast<std::size_t>(n), MPI_SUCCESS, &memory_);
    bool failed = false;
    for (int j = 0; j < n; ++j) {
      int& own = codes[static_cast<std::size_t>(j)];
      if (in_status) own = statuses[j].MPI_ERROR;
      if (own == MPI_SUCCESS) own = finish(number(j), &statuses[j]);
      failed = failed || own != MPI_SUCCESS;
    }
    sweep();
    if (!failed) return code;
    for (int j = 0; j < n; ++j) statuses[j].MPI_ERROR = codes[static_cast<std::size_t>(j)];
    return in_status ? code : raise(MPI_ERR_IN_STATUS);
  }

  // Writes completed requests back to the program's array, and returns entries of incomplete ones to their table.
  ~Requests() {
    for (std::size_t k = 0; k < pending_.size(); ++k)
      if (pending_[k] != nullptr && data()[k] != MPI_REQUEST_NULL) put_back(data()[k], std::move(pending_[k]));
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
  void replace() {
    for (int k = 0; k < count_; ++k) {
      const MPI_Request other = stand_in(program_[k]);
      if (other == MPI_REQUEST_NULL) continue;
      if (copy_.empty()) copy_.assign(program_, program_ + count_);
      copy_[static_cast<std::size_t>(k)] = other;
      replaced_.push_back(k);
    }
  }

  void look() {
    for (int k = 0; k < count_; ++k) {
      auto pending = take_pending(data()[k]);
      if (pending == nullptr) continue;
      if (pending_.empty()) pending_.resize(static_cast<std::size_t>(count_));
      pending_[static_cast<std::size_t>(k)] = std::move(pending);
    }
  }

  static bool is(int code, int error) {
    int kind = MPI_SUCCESS;
    if (code != MPI_SUCCESS) PMPI_Error_class(code, &kind);
    return kind == error;
  }

  int raise(int code) const {
    if (code != MPI_SUCCESS) PMPI_Comm_call_errhandler(comm_, code);
    return code;
  }

  MPI_Request* program_;
  int count_;
  // Local memory for calls with few requests. The pool behind it, records(), is shared by all threads and is slower.
  alignas(std::max_align_t) std::byte some_[512];
  std::pmr::monotonic_buffer_resource memory_{some_, sizeof some_, &records()};
  std::pmr::vector<MPI_Request> copy_{&memory_};
  std::pmr::vector<int> replaced_{&memory_};
  std::pmr::vector<std::unique_ptr<Pending>> pending_{&memory_};
  MPI_Comm comm_ = MPI_COMM_WORLD;  // communicator of the last finished request
  MPI_Status own_status_{};
  std::pmr::vector<MPI_Status> own_statuses_{&memory_};
};

// True if MPI's own function can be called directly.
bool ordinary(const void* site) { return (!busy() && !has_persistent() && !has_pending()) || from_library(site); }

// Tests until the requests are done. When no operation of the drop-in is in flight any more, MPI's own wait takes over.
template <class Test, class Wait>
int poll_until_done(Test test, Wait wait) {
  while (busy()) {
    make_progress();
    bool done = false;
    const int code = test(done);
    if (code != MPI_SUCCESS || done) return code;
    std::this_thread::yield();
  }
  return wait();
}

}  // namespace

LACONIC_EXPORT int MPI_Wait(MPI_Request* request, MPI_Status* wanted) {
  const CountedWait counted;
  if (ordinary(LACONIC_SITE) || request == nullptr) return mpi::Wait(request, wanted);
  sweep();
  Requests one(1, request);
  MPI_Status* status = one.one(wanted);
  const int code = poll_until_done(
      [&](bool& done) {
        int flag = 0;
        const int tested = mpi::Test(one.data(), &flag, status);
        done = flag != 0;
        return tested;
      },
      [&] { return mpi::Wait(one.data(), status); });
  return one.finish_one(code, 0, status);
}
LACONIC_ALSO_AS_PMPI(Wait)

LACONIC_EXPORT int MPI_Test(MPI_Request* request, int* flag, MPI_Status* wanted) {
  if (ordinary(LACONIC_SITE) || request == nullptr) return mpi::Test(request, flag, wanted);
  make_progress();
  Requests one(1, request);
  MPI_Status* status = one.one(wanted);
  const int code = mpi::Test(one.data(), flag, status);
  return *flag ? one.finish_one(code, 0, status) : code;
}
LACONIC_ALSO_AS_PMPI(Test)

LACONIC_EXPORT int MPI_Waitall(int count, MPI_Request requests[], MPI_Status wanted[]) {
  const CountedWait counted;
  if (ordinary(LACONIC_SITE)) return mpi::Waitall(count, requests, wanted);
  sweep();
  Requests all(count, requests);
  MPI_Status* statuses = all.each(wanted);
  // MPI_Testall is not used: in MPICH it fails if one of the requests is a persistent collective of MPI's own.
  for (int complete = 0; busy() && complete < all.count();) {
    make_progress();
    for (int flag = 1; flag && complete < all.count(); complete += flag)
      if (mpi::Request_get_status(all.data()[complete], &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS) flag = 1;
    if (complete < all.count()) std::this_thread::yield();
  }
  const int code = mpi::Waitall(count, all.data(), statuses);
  return all.finish_each(code, count, statuses, [](int j) { return j; });
}
LACONIC_ALSO_AS_PMPI(Waitall)

LACONIC_EXPORT int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status wanted[]) {
  if (ordinary(LACONIC_SITE)) return mpi::Testall(count, requests, flag, wanted);
  make_progress();
  Requests all(count, requests);
  MPI_Status* statuses = all.each(wanted);
  const int code = mpi::Testall(count, all.data(), flag, statuses);
  if (code == MPI_SUCCESS && !*flag) return code;
  return all.finish_each(code, count, statuses, [](int j) { return j; });
}
LACONIC_ALSO_AS_PMPI(Testall)

LACONIC_EXPORT int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* wanted) {
  const CountedWait counted;
  if (ordinary(LACONIC_SITE)) return mpi::Waitany(count, requests, index, wanted);
  sweep();
  Requests all(count, requests);
  MPI_Status* status = all.one(wanted);
  const int code = poll_until_done(
      [&](bool& done) {
        int flag = 0;
        const int tested = mpi::Testany(count, all.data(), index, &flag, status);
        done = flag != 0;
        return tested;
      },
      [&] { return mpi::Waitany(count, all.data(), index, status); });
  return all.finish_one(code, *index, status);
}
LACONIC_ALSO_AS_PMPI(Waitany)

LACONIC_EXPORT int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* wanted) {
  if (ordinary(LACONIC_SITE)) return mpi::Testany(count, requests, index, flag, wanted);
  make_progress();
  Requests all(count, requests);
  MPI_Status* status = all.one(wanted);
  const int code = mpi::Testany(count, all.data(), index, flag, status);
  return *flag ? all.finish_one(code, *index, status) : code;
}
LACONIC_ALSO_AS_PMPI(Testany)

LACONIC_EXPORT int MPI_Waitsome(int count, MPI_Request requests[], int* completed, int indices[], MPI_Status wanted[]) {
  const CountedWait counted;
  if (ordinary(LACONIC_SITE)) return mpi::Waitsome(count, requests, completed, indices, wanted);
  sweep();
  Requests all(count, requests);
  MPI_Status* statuses = all.each(wanted);
  const int code = poll_until_done(
      [&](bool& done) {
        const int tested = mpi::Testsome(count, all.data(), completed, indices, statuses);
        done = *completed != 0;
        return tested;
      },
      [&] { return mpi::Waitsome(count, all.data(), completed, indices, statuses); });
  return all.finish_each(code, *completed, statuses, [&](int j) { return indices[j]; });
}
LACONIC_ALSO_AS_PMPI(Waitsome)

LACONIC_EXPORT int MPI_Testsome(int count, MPI_Request requests[], int* completed, int indices[], MPI_Status wanted[]) {
  if (ordinary(LACONIC_SITE)) return mpi::Testsome(count, requests, completed, indices, wanted);
  make_progress();
  Requests all(count, requests);
  MPI_Status* statuses = all.each(wanted);
  const int code = mpi::Testsome(count, all.data(), completed, indices, statuses);
  return all.finish_each(code, *completed, statuses, [&](int j) { return indices[j]; });
}
LACONIC_ALSO_AS_PMPI(Testsome)

LACONIC_EXPORT int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* wanted) {
  if (ordinary(LACONIC_SITE)) return mpi::Request_get_status(request, flag, wanted);
  make_progress();
  Requests one(1, &request);
  MPI_Status* status = one.one(wanted);
  const int code = mpi::Request_get_status(*one.data(), flag, status);
  return code == MPI_SUCCESS && *flag ? one.look_at(0, status) : code;
}
LACONIC_ALSO_AS_PMPI(Request_get_status)

#if LACONIC_HAS_STATUS_OF_MANY
LACONIC_EXPORT int MPI_Request_get_status_all(int count, const MPI_Request requests[], int* flag, MPI_Status wanted[]) {
  if (ordinary(LACONIC_SITE)) return mpi::Request_get_status_all(count, requests, flag, wanted);
  make_progress();
  Requests all(count, const_cast<MPI_Request*>(requests));
  MPI_Status* statuses = all.each(wanted);
  int code = mpi::Request_get_status_all(count, all.data(), flag, statuses);
  for (int k = 0; code == MPI_SUCCESS && *flag && k < count; ++k) code = all.look_at(k, &statuses[k]);
  return code;
}
LACONIC_ALSO_AS_PMPI(Request_get_status_all)

LACONIC_EXPORT int MPI_Request_get_status_any(int count, const MPI_Request requests[], int* index, int* flag,
                                              MPI_Status* wanted) {
  if (ordinary(LACONIC_SITE)) return mpi::Request_get_status_any(count, requests, index, flag, wanted);
  make_progress();
  Requests all(count, const_cast<MPI_Request*>(requests));
  MPI_Status* status = all.one(wanted);
  const int code = mpi::Request_get_status_any(count, all.data(), index, flag, status);
  return code == MPI_SUCCESS && *flag ? all.look_at(*index, status) : code;
}
LACONIC_ALSO_AS_PMPI(Request_get_status_any)

LACONIC_EXPORT int MPI_Request_get_status_some(int count, const MPI_Request requests[], int* completed, int indices[],
                                               MPI_Status wanted[]) {
  if (ordinary(LACONIC_SITE)) return mpi::Request_get_status_some(count, requests, completed, indices, wanted);
  make_progress();
  Requests all(count, const_cast<MPI_Request*>(requests));
  MPI_Status* statuses = all.each(wanted);
  int code = mpi::Request_get_status_some(count, all.data(), completed, indices, statuses);
  const int n = code == MPI_SUCCESS && *completed != MPI_UNDEFINED ? *completed : 0;
  for (int j = 0; code == MPI_SUCCESS && j < n; ++j) code = all.look_at(indices[j], &statuses[j]);
  return code;
}
LACONIC_ALSO_AS_PMPI(Request_get_status_some)
#endif

LACONIC_EXPORT int MPI_Request_free(MPI_Request* request) {
  if (has_counted_requests() && request != nullptr) forget_starts(*request);
  if (ordinary(LACONIC_SITE) || request == nullptr || *request == MPI_REQUEST_NULL) return mpi::Request_free(request);
  int code = MPI_SUCCESS;
  if (free_pending(request) || free_in_flight(request) || free_persistent(request, code)) return code;
  return mpi::Request_free(request);
}
LACONIC_ALSO_AS_PMPI(Request_free)

// MPI waits for the communication on comm, of which requests are a part that the program has freed and that this
// library has yet to complete.
LACONIC_EXPORT int MPI_Comm_disconnect(MPI_Comm* comm) {
  if (comm != nullptr && has_pending() && !from_library(LACONIC_SITE)) finish_freed(*comm);
  return mpi::Comm_disconnect(comm);
}
LACONIC_ALSO_AS_PMPI(Comm_disconnect)

LACONIC_EXPORT int MPI_Cancel(MPI_Request* request) {
  int code = MPI_SUCCESS;
  if (has_persistent() && request != nullptr && cancel_persistent(*request, code)) return code;
  return mpi::Cancel(request);
}
LACONIC_ALSO_AS_PMPI(Cancel)

LACONIC_EXPORT int MPI_Start(MPI_Request* request) {
  if (has_counted_requests() && request != nullptr && !from_library(LACONIC_SITE)) count_start(*request);
  if (!has_persistent() || from_library(LACONIC_SITE) || request == nullptr) return mpi::Start(request);
  int code = MPI_SUCCESS;
  return start_persistent(*request, code) ? code : mpi::Start(request);
}
LACONIC_ALSO_AS_PMPI(Start)

LACONIC_EXPORT int MPI_Startall(int count, MPI_Request requests[]) {
  if (has_counted_requests() && !from_library(LACONIC_SITE))
    for (int k = 0; k < count; ++k) count_start(requests[k]);
  if (!has_persistent() || from_library(LACONIC_SITE)) return mpi::Startall(count, requests);
  for (int k = 0; k < count; ++k) {
    int code = MPI_SUCCESS;
    if (!start_persistent(requests[k], code)) code = mpi::Start(&requests[k]);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}
LACONIC_ALSO_AS_PMPI(Startall)
