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
struct Flight : Record {
  Call call;
  NumberSides numbers;
  OwnType send_type;  // datatypes of sides that are packed
  OwnType recv_type;
  TallyGroup* tallies = nullptr;
  bool speaks = false;  // this rank prints the report of the call
  laconic_request request = LACONIC_REQUEST_NULL;
  laconic_stats stats{};
  MPI_Request generalized = MPI_REQUEST_NULL;
  int code = MPI_SUCCESS;
  bool flying = false;
  bool freed = false;  // the program freed the request before completion
  bool persistent = false;

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

// Guards the list of flights, not the flights: the thread that holds `turn` makes progress on them.
std::mutex mutex;
std::vector<Flight*> flying;
std::atomic_flag turn = ATOMIC_FLAG_INIT;
std::size_t next_flight = 0;

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
  return static_cast<Flight*>(state)->code;
}

int on_free(void* state) {
  auto* flight = static_cast<Flight*>(state);
  if (!flight->persistent) delete flight;
  return MPI_SUCCESS;
}

// A collective cannot be cancelled.
int on_cancel(void*, int) { return MPI_SUCCESS; }

// The reason why Laconic's own agreement left a call uncompressed.
Reason reason_of(laconic_plain_reason reason) {
  if (reason == LACONIC_PLAIN_SMALL) return Reason::small;
  return reason == LACONIC_PLAIN_TYPE ? Reason::type : Reason::refused;
}

void finish(Flight& flight, int code) {
  if (code == MPI_SUCCESS && flight.numbers.recv.used()) code = flight.numbers.recv.put_all();
  // The types are freed here and not in the destructor, which runs within an MPI function (on_free).
  if (!flight.persistent) flight.free_types();
  flight.code = code;
  if (code == MPI_SUCCESS) {
    if (flight.stats.plain_calls == 0)
      Tallies::instance().compressed(*flight.tallies, flight.call.operation, flight.stats);
    else
      Tallies::instance().plain(*flight.tallies, flight.call.operation, reason_of(flight.stats.plain_reason));
    if (flight.speaks && Process::instance().settings().report == Report::each)
      report_call(*flight.tallies, flight.call.operation, flight.call.form, flight.stats.bytes_in, flight.stats);
  }
  MPI_Request generalized = flight.generalized;
  const bool freed = flight.freed;
  // After this call the flight must not be used: the program may complete the request, which deletes it.
  PMPI_Grequest_complete(generalized);
  if (freed) mpi::Request_free(&generalized);
}

// Tests one operation; true if it has finished.
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

// Registers an operation that the library has begun: creates its generalized request and adds it to the polled list.
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
  flight->keep_types();
  flight->tallies = &communicator.tallies();
  flight->speaks = communicator.rank() == 0;
  return flight;
}

// Begins the operation in the library, or makes it if it is persistent, and stores its request in the flight.
int hand_over(Flight& flight, Communicator& communicator) {
  const Quiet ours;
  return dispatch(flight.call, flight.numbers, options_of(communicator, flight.call, flight.numbers, &flight.stats),
                  &flight.request);
}

// Marks an operation in flight as freed by the program; finish() then frees its request. The caller holds `turn`.
bool free_unwatched(MPI_Request* request) {
  const std::lock_guard lock(mutex);
  const auto at = std::find_if(flying.begin(), flying.end(),
                               [&](Flight* f) { return !f->persistent && f->generalized == *request; });
  if (at == flying.end()) return false;
  (*at)->freed = true;
  *request = MPI_REQUEST_NULL;
  return true;
}

class PersistentOperation final : public Persistent {
 public:
  explicit PersistentOperation(std::unique_ptr<Flight> flight) : flight_(std::move(flight)) {
    flight_->persistent = true;
  }
  ~PersistentOperation() override {
    const Quiet ours;
    if (flight_->request != LACONIC_REQUEST_NULL) laconic_request_free(&flight_->request);
  }
  int make(Communicator& communicator) { return hand_over(*flight_, communicator); }

  int start(MPI_Request& active) override {
    if (const int code = flight_->numbers.take(); code != MPI_SUCCESS) return code;
    {
      const Quiet ours;
      if (const int code = laconic_start(&flight_->request); code != MPI_SUCCESS) return code;
    }
    const int code = launch(*flight_);
    active = flight_->generalized;
    return code;
  }

  // Does nothing: MPI does not allow cancelling collectives.
  int cancel(MPI_Request&) override { return MPI_SUCCESS; }

 private:
  std::unique_ptr<Flight> flight_;
};

}  // namespace

void make_progress() {
  helper.polls.fetch_add(1, std::memory_order_relaxed);
  // A flag and not a lock: polling may call functions of the program, which may call this function again.
  if (turn.test_and_set(std::memory_order_acquire)) return;
  // One test makes progress on all of Laconic's operations. Finished flights are then found one after another.
  for (Flight* flight = take_next(); flight != nullptr && poll(*flight); flight = take_next()) {
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
  auto flight = make_flight(call, communicator, numbers);
  if (const int code = hand_over(*flight, communicator); code != MPI_SUCCESS) return code;
  if (const int code = launch(*flight); code != MPI_SUCCESS) return code;
  *request = flight.release()->generalized;
  return MPI_SUCCESS;
}

int make_persistent_operation(const Call& call, Communicator& communicator, NumberSides& numbers,
                              MPI_Request* request) {
  auto operation = std::make_unique<PersistentOperation>(make_flight(call, communicator, numbers));
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
