// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "perform.hpp"
#include "process.hpp"
#include "report.hpp"

namespace laconic::dropin {

std::atomic<int> in_flight{0};
std::atomic<int> persistent_requests{0};

namespace {

// One operation, from its beginning until the program has completed its request.
struct Flight {
  Call call;
  NumberSides numbers;
  TallyGroup* tallies = nullptr;
  bool speaks = false;  // on this rank
  laconic_request request = LACONIC_REQUEST_NULL;
  laconic_stats stats{};
  MPI_Request generalized = MPI_REQUEST_NULL;
  int code = MPI_SUCCESS;
  bool flying = false;
  bool freed = false;  // by the program, before its time
  bool persistent = false;
  MPI_Request handle = MPI_REQUEST_NULL;  // of a persistent one: what the program has
};

// Guards the lists, not the work: flights are moved on by whoever holds the turn.
std::mutex mutex;
std::vector<Flight*> flying;
std::vector<std::unique_ptr<Flight>> persistent;
std::atomic_flag turn = ATOMIC_FLAG_INIT;
std::size_t next_flight = 0;

// The thread that makes progress when nobody else does.
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
  return static_cast<Flight*>(state)->code;
}

int on_free(void* state) {
  auto* flight = static_cast<Flight*>(state);
  if (!flight->persistent) delete flight;
  return MPI_SUCCESS;
}

// A collective cannot be cancelled.
int on_cancel(void*, int) { return MPI_SUCCESS; }

void finish(Flight& flight, int code) {
  if (code == MPI_SUCCESS && flight.numbers.recv.used()) code = flight.numbers.recv.put_all();
  flight.code = code;
  if (code == MPI_SUCCESS) {
    if (flight.stats.plain_calls == 0)
      Tallies::instance().compressed(*flight.tallies, flight.call.operation, flight.stats);
    else
      Tallies::instance().plain(*flight.tallies, flight.call.operation, Reason::refused);
    if (flight.speaks && Process::instance().settings().report == Report::each)
      report_call(*flight.tallies, flight.call.operation, flight.call.form, flight.stats.bytes_in, flight.stats);
  }
  MPI_Request generalized = flight.generalized;
  const bool freed = flight.freed;
  // From here on the program may complete the request, and the flight is gone.
  PMPI_Grequest_complete(generalized);
  if (freed) PMPI_Request_free(&generalized);
}

// Tests one; true when it has finished.
bool poll(Flight& flight) {
  int done = 0;
  const Quiet ours;
  const int code = laconic_test(&flight.request, &done, MPI_STATUS_IGNORE);
  if (code == MPI_SUCCESS && !done) return false;
  {
    const std::lock_guard lock(mutex);
    flying.erase(std::find(flying.begin(), flying.end(), &flight));
    flight.flying = false;
  }
  finish(flight, code);
  in_flight.fetch_sub(1, std::memory_order_release);
  return true;
}

Flight* take_next() {
  const std::lock_guard lock(mutex);
  if (flying.empty()) return nullptr;
  next_flight = (next_flight + 1) % flying.size();
  return flying[next_flight];
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

// With the request of the operation begun: makes it known, to MPI and to those who poll.
int launch(Flight& flight) {
  const int code = PMPI_Grequest_start(on_query, on_free, on_cancel, &flight, &flight.generalized);
  if (code != MPI_SUCCESS) return code;
  {
    const std::lock_guard lock(mutex);
    flight.flying = true;
    flying.push_back(&flight);
  }
  in_flight.fetch_add(1, std::memory_order_release);
  wake_helper();
  return MPI_SUCCESS;
}

std::unique_ptr<Flight> make_flight(const Call& call, Communicator& communicator, NumberSides& numbers) {
  auto flight = std::make_unique<Flight>();
  flight->call = call;
  flight->numbers = std::move(numbers);
  flight->tallies = &communicator.tallies();
  flight->speaks = communicator.rank() == 0;
  return flight;
}

// Takes over what the library has just begun or made.
int hand_over(Flight& flight, Communicator& communicator) {
  const Quiet ours;
  return perform(flight.call, flight.numbers, options_of(communicator, &flight.stats), &flight.request);
}

Flight* find_persistent(MPI_Request handle) {
  const auto at =
      std::find_if(persistent.begin(), persistent.end(), [&](const auto& flight) { return flight->handle == handle; });
  return at == persistent.end() ? nullptr : at->get();
}

// With the lock held.
std::unique_ptr<Flight> forget(Flight* flight) {
  const auto at =
      std::find_if(persistent.begin(), persistent.end(), [&](const auto& one) { return one.get() == flight; });
  std::unique_ptr<Flight> mine = std::move(*at);
  persistent.erase(at);
  persistent_requests.fetch_sub(1);
  return mine;
}

// One in flight whose request the program gives up.
bool free_unwatched(MPI_Request* request) {
  const std::lock_guard lock(mutex);
  const auto at = std::find_if(flying.begin(), flying.end(),
                               [&](Flight* f) { return !f->persistent && f->generalized == *request; });
  if (at == flying.end()) return false;
  (*at)->freed = true;
  *request = MPI_REQUEST_NULL;
  return true;
}

}  // namespace

void make_progress() {
  helper.polls.fetch_add(1, std::memory_order_relaxed);
  // Not a lock: polling may call functions of the program, and these may come here.
  if (turn.test_and_set(std::memory_order_acquire)) return;
  // One test polls all of Laconic's operations; which flights have finished is found out one after another.
  for (Flight* flight = take_next(); flight != nullptr && poll(*flight); flight = take_next()) {
  }
  turn.clear(std::memory_order_release);
}

int wait_with_progress(MPI_Request& request) {
  for (int done = 0; busy();) {
    make_progress();
    const int code = PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS || done) return code;
  }
  return PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

int begin_operation(const Call& call, Communicator& communicator, NumberSides& numbers, MPI_Request* request) {
  auto flight = make_flight(call, communicator, numbers);
  if (const int code = hand_over(*flight, communicator); code != MPI_SUCCESS) return code;
  if (const int code = launch(*flight); code != MPI_SUCCESS) return code;
  *request = flight.release()->generalized;
  return MPI_SUCCESS;
}

int make_persistent(const Call& call, Communicator& communicator, NumberSides& numbers, MPI_Request* request) {
  auto flight = make_flight(call, communicator, numbers);
  flight->persistent = true;
  if (const int code = hand_over(*flight, communicator); code != MPI_SUCCESS) return code;
  // A request of MPI's own that nothing ever comes of: a handle that no other request has.
  const int code = PMPI_Recv_init(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &flight->handle);
  if (code != MPI_SUCCESS) return code;
  *request = flight->handle;
  const std::lock_guard lock(mutex);
  persistent.push_back(std::move(flight));
  persistent_requests.fetch_add(1);
  return MPI_SUCCESS;
}

bool start_persistent(MPI_Request request, int& code) {
  Flight* flight = nullptr;
  {
    const std::lock_guard lock(mutex);
    flight = find_persistent(request);
  }
  if (flight == nullptr) return false;
  code = flight->generalized == MPI_REQUEST_NULL ? MPI_SUCCESS : MPI_ERR_REQUEST;  // it is active already
  if (code == MPI_SUCCESS) code = flight->numbers.take();
  if (code == MPI_SUCCESS) {
    const Quiet ours;
    code = laconic_start(&flight->request);
  }
  if (code == MPI_SUCCESS) code = launch(*flight);
  return true;
}

MPI_Request stand_in(MPI_Request request) {
  const std::lock_guard lock(mutex);
  const Flight* flight = find_persistent(request);
  return flight != nullptr ? flight->generalized : MPI_REQUEST_NULL;
}

void deactivate(MPI_Request request) {
  const std::lock_guard lock(mutex);
  if (Flight* flight = find_persistent(request); flight != nullptr) flight->generalized = MPI_REQUEST_NULL;
}

bool free_request(MPI_Request* request, int& code) {
  // Nobody may be finishing it at this moment.
  while (turn.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
  const bool freed = free_unwatched(request);
  turn.clear(std::memory_order_release);
  if (freed) {
    code = MPI_SUCCESS;
    return true;
  }
  std::unique_lock lock(mutex);
  if (Flight* flight = find_persistent(*request); flight != nullptr) {
    lock.unlock();
    // MPI does not allow it while the operation is active; it is waited for, so that no memory is used afterwards.
    if (flight->generalized != MPI_REQUEST_NULL) code = wait_with_progress(flight->generalized);
    lock.lock();
    const auto mine = forget(flight);
    lock.unlock();
    const Quiet ours;
    laconic_request_free(&mine->request);
    code = PMPI_Request_free(request);
    return true;
  }
  return false;
}

void drain() {
  while (busy()) make_progress();
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
