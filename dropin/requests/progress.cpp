// SPDX-License-Identifier: BSD-3-Clause
#include "requests/progress.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "calls/carried.hpp"
#include "calls/dispatch.hpp"
#include "core/process.hpp"
#include "core/records.hpp"
#include "mpi/mpi_itself.hpp"
#include "report/report.hpp"
#include "requests/persistent.hpp"

namespace laconic::dropin {

std::atomic<int> in_flight{0};

namespace {

// One operation, from its beginning until the program has completed its request.
struct OperationInFlight : Record {
  Call call;
  NumberSides numbers;
  OwnType send_type;  // datatypes of sides that are packed
  OwnType recv_type;
  TallyGroup* tallies = nullptr;
  CountedCall counted;
  bool reports = false;  // this rank prints the report of the call
  laconic_request request = LACONIC_REQUEST_NULL;
  laconic_stats stats{};
  MPI_Request generalized = MPI_REQUEST_NULL;
  int code = MPI_SUCCESS;
  bool listed = false;  // among the operations that are polled
  bool freed = false;   // the program freed the request before completion
  bool persistent = false;
  OperationInFlight* next = nullptr;  // in `completed`

  // Duplicates the datatypes, because the program may free its own as soon as its call has returned.
  void keep_types() {
    for (auto [side, own] : {std::pair{&numbers.send, &send_type}, {&numbers.recv, &recv_type}}) {
      if (!side->used() || !side->packs()) continue;
      own->set(side->program_type());
      side->set_program_type(own->get());
    }
  }
  void free_types() {
    send_type.set(MPI_DATATYPE_NULL);
    recv_type.set(MPI_DATATYPE_NULL);
  }
};

// Operations whose requests the program has completed, and Laconic's yet have to be. The callbacks that put them here
// run inside functions of MPI.
std::atomic<OperationInFlight*> completed{nullptr};

// The number of threads that are telling MPI of the end of an operation. The program may complete the request before
// such a thread has come out of MPI, which then releases the request there.
std::atomic<int> completing{0};

// Guards the list of operations, not the operations: the thread that holds `turn` makes progress on them.
std::mutex mutex;
std::vector<OperationInFlight*> operations;
std::atomic_flag turn = ATOMIC_FLAG_INIT;
std::size_t next_operation = 0;

// The thread that makes progress when no thread of the program does.
struct Helper {
  std::mutex mutex;
  std::condition_variable wake;
  std::thread thread;
  bool stop = false;
  std::atomic<std::uint64_t> polls{0};
};
Helper& helper = *new Helper;  // never destroyed: the program may end in any way
constexpr std::chrono::microseconds patience{50};

int on_query(void* state, MPI_Status* status) {
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_ANY_SOURCE;
  status->MPI_TAG = MPI_ANY_TAG;
  return static_cast<OperationInFlight*>(state)->code;
}

int on_free(void* state) {
  auto* operation = static_cast<OperationInFlight*>(state);
  operation->next = completed.load(std::memory_order_relaxed);
  while (!completed.compare_exchange_weak(operation->next, operation, std::memory_order_release)) {
  }
  return MPI_SUCCESS;
}

// MPI may call it in the thread that ends the operation, after the program has completed the request and freed the
// persistent one.
int on_free_persistent(void*) { return MPI_SUCCESS; }

// A collective cannot be cancelled.
int on_cancel(void*, int) { return MPI_SUCCESS; }

void finish(OperationInFlight& operation, int code) {
  if (code == MPI_SUCCESS && operation.numbers.recv.used()) code = operation.numbers.recv.put_all();
  // The types are freed here and not in the destructor, which runs within an MPI function (on_free).
  if (!operation.persistent) operation.free_types();
  operation.code = code;
  if (code == MPI_SUCCESS) {
    operation.numbers.bound.complete(operation.stats);
    if (operation.stats.plain_calls == 0)
      Tallies::instance().compressed(*operation.tallies, operation.call.operation, operation.stats,
                                     operation.numbers.bound);
    else
      Tallies::instance().plain(*operation.tallies, operation.call.operation, reason_of(operation.stats.plain_reason));
    if (operation.stats.plain_calls == 0)
      operation.counted.made_with(operation.numbers.bound, operation.stats.bound);
    else
      operation.counted.made(reason_of(operation.stats.plain_reason));
    if (operation.reports && Process::instance().settings().report == Report::each)
      report_call(*operation.tallies, operation.call.operation, operation.call.form, operation.stats.bytes_in,
                  operation.stats, operation.numbers.bound);
  }
  MPI_Request generalized = operation.generalized;
  const bool freed = operation.freed;
  // After this call the operation must not be used: the program may complete the request, which deletes it.
  completing.fetch_add(1);
  PMPI_Grequest_complete(generalized);
  completing.fetch_sub(1);
  if (freed) mpi::Request_free(&generalized);
}

// Tests one operation; true if it has finished.
bool poll(OperationInFlight& operation) {
  int done = 0;
  MPI_Status status{};
  const Quiet ours;
  int code = laconic_request_get_status(operation.request, &done, &status);
  if (code == MPI_SUCCESS && !done) return false;
  if (code == MPI_SUCCESS) code = status.MPI_ERROR;
  {
    const std::lock_guard lock(mutex);
    operations.erase(std::find(operations.begin(), operations.end(), &operation));
    operation.listed = false;
  }
  finish(operation, code);
  in_flight.fetch_sub(1, std::memory_order_release);
  return true;
}

OperationInFlight* take_next() {
  const std::lock_guard lock(mutex);
  if (operations.empty()) return nullptr;
  next_operation = (next_operation + 1) % operations.size();
  return operations[next_operation];
}

void help() {
  std::unique_lock lock(helper.mutex);
  while (!helper.stop) {
    helper.wake.wait(lock, [] { return helper.stop || busy(); });
    lock.unlock();
    const std::uint64_t before = helper.polls.load();
    std::this_thread::sleep_for(patience);
    if (helper.polls.load() == before && busy()) make_progress();
    lock.lock();
  }
}

void wake_helper() {
  const std::lock_guard lock(helper.mutex);
  if (!helper.thread.joinable() && !helper.stop) helper.thread = std::thread(help);
  helper.wake.notify_one();
}

// Registers an operation that the library has begun: creates its generalized request and adds it to the polled list.
int launch(OperationInFlight& operation) {
  const int code = PMPI_Grequest_start(on_query, operation.persistent ? on_free_persistent : on_free, on_cancel,
                                       &operation, &operation.generalized);
  if (code != MPI_SUCCESS) return code;
  {
    const std::lock_guard lock(mutex);
    operation.listed = true;
    operations.push_back(&operation);
  }
  in_flight.fetch_add(1, std::memory_order_release);
  wake_helper();
  return MPI_SUCCESS;
}

std::unique_ptr<OperationInFlight> make_operation(const Call& call, Communicator& communicator, NumberSides& numbers) {
  auto operation = std::make_unique<OperationInFlight>();
  operation->call = call;
  operation->numbers = std::move(numbers);
  operation->keep_types();
  operation->tallies = &communicator.tallies();
  if (counts_traffic()) operation->counted = {carried_by(call, communicator), Reason::touched, communicator.tallies()};
  operation->counted.forget_derived_type();
  operation->reports = communicator.rank() == 0;
  return operation;
}

// Begins the operation in the library, or makes it if it is persistent, and stores its request in the operation.
int hand_over(OperationInFlight& operation, Communicator& communicator) {
  const Quiet ours;
  return dispatch(operation.call, operation.numbers,
                  options_of(communicator, operation.call, operation.numbers, &operation.stats), &operation.request);
}

// Marks an operation in flight as freed by the program; finish() then frees its request. The caller holds `turn`.
bool free_unwatched(MPI_Request* request) {
  const std::lock_guard lock(mutex);
  const auto at = std::find_if(operations.begin(), operations.end(),
                               [&](OperationInFlight* f) { return !f->persistent && f->generalized == *request; });
  if (at == operations.end()) return false;
  (*at)->freed = true;
  *request = MPI_REQUEST_NULL;
  return true;
}

class PersistentOperation final : public Persistent {
 public:
  explicit PersistentOperation(std::unique_ptr<OperationInFlight> operation) : operation_(std::move(operation)) {
    operation_->persistent = true;
  }
  ~PersistentOperation() override {
    completed();
    const Quiet ours;
    if (operation_->request != LACONIC_REQUEST_NULL) laconic_request_free(&operation_->request);
  }
  int make(Communicator& communicator) { return hand_over(*operation_, communicator); }

  int start(MPI_Request& active) override {
    if (const int code = operation_->numbers.take(); code != MPI_SUCCESS) return code;
    {
      const Quiet ours;
      if (const int code = laconic_start(&operation_->request); code != MPI_SUCCESS) return code;
    }
    const int code = launch(*operation_);
    active = operation_->generalized;
    return code;
  }

  void completed() override {
    const Quiet ours;
    laconic_wait(&operation_->request, MPI_STATUS_IGNORE);
  }

  // Does nothing: MPI does not allow cancelling collectives.
  int cancel(MPI_Request&) override { return MPI_SUCCESS; }

  // MPI does not allow freeing it while it is active, but the wait ensures that it does not use freed memory. MPI_Wait
  // and not mpi::Wait, because only the former completes operations of the drop-in.
  int free(MPI_Request& active) override { return MPI_Wait(&active, MPI_STATUS_IGNORE); }

 private:
  std::unique_ptr<OperationInFlight> operation_;
};

}  // namespace

void make_progress() {
  helper.polls.fetch_add(1, std::memory_order_relaxed);
  // A flag and not a lock: polling may call functions of the program, which may call this function again.
  if (turn.test_and_set(std::memory_order_acquire)) return;
  // One test makes progress on all of Laconic's operations. Finished operations are then found one after another.
  for (OperationInFlight* operation = take_next(); operation != nullptr && poll(*operation); operation = take_next()) {
  }
  turn.clear(std::memory_order_release);
}

int wait_with_progress(MPI_Request& request) {
  for (int done = 0; busy();) {
    make_progress();
    const int code = mpi::Test(&request, &done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS || done) return code;
  }
  return mpi::Wait(&request, MPI_STATUS_IGNORE);
}

int begin_operation(const Call& call, Communicator& communicator, NumberSides& numbers, MPI_Request* request) {
  complete_in_laconic();
  auto operation = make_operation(call, communicator, numbers);
  if (const int code = hand_over(*operation, communicator); code != MPI_SUCCESS) return code;
  if (const int code = launch(*operation); code != MPI_SUCCESS) return code;
  *request = operation.release()->generalized;
  return MPI_SUCCESS;
}

int make_persistent_operation(const Call& call, Communicator& communicator, NumberSides& numbers,
                              MPI_Request* request) {
  auto operation = std::make_unique<PersistentOperation>(make_operation(call, communicator, numbers));
  if (const int code = operation->make(communicator); code != MPI_SUCCESS) return code;
  return make_persistent(std::move(operation), request);
}

bool free_in_flight(MPI_Request* request) {
  // Takes the turn, so that no other thread can be finishing the operation at this moment.
  while (turn.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
  const bool freed = free_unwatched(request);
  turn.clear(std::memory_order_release);
  return freed;
}

void complete_in_laconic() {
  while (completing.load() > 0) std::this_thread::yield();
  OperationInFlight* operation = completed.exchange(nullptr, std::memory_order_acquire);
  while (operation != nullptr) {
    OperationInFlight* const one = std::exchange(operation, operation->next);
    const Quiet ours;
    laconic_wait(&one->request, MPI_STATUS_IGNORE);
    delete one;
  }
}

void drain() {
  while (busy()) make_progress();
  complete_in_laconic();
}

void stop_thread() {
  {
    const std::lock_guard lock(helper.mutex);
    helper.stop = true;
    helper.wake.notify_one();
  }
  if (helper.thread.joinable() && helper.thread.get_id() != std::this_thread::get_id()) helper.thread.join();
}

}  // namespace laconic::dropin
