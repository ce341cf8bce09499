// SPDX-License-Identifier: BSD-3-Clause
// The state behind the emulated runtime: memory, streams and their pending operations, and faults.  One lock protects
// everything, including the execution of kernels.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "emulator/contexts.hpp"
#include "emulator/control.hpp"
#include "emulator/runtime.hpp"

namespace laconic::emulator {

constexpr std::size_t device_bytes = std::size_t{1} << 32;  // limit for all memory types together

// The completion of an operation, which other operations may wait for.
struct Done {
  bool yes = false;
  Stream* stream = nullptr;  // stream in which it is pending
  double seconds = 0;        // time at which it was done
};
using DonePtr = std::shared_ptr<Done>;

struct Range {
  const std::byte* begin = nullptr;
  std::size_t bytes = 0;
};

struct Operation {
  const char* what;
  std::function<void()> work;
  std::vector<Range> touches;
  bool of_host = false;  // a host function, which runs without the lock
  std::vector<DonePtr> after;
  DonePtr done;
};

struct Stream {
  bool waits_for_legacy = true;
  unsigned flags = 0;
  int device = 0;
  bool destroyed = false;  // destroyed by the user, but operations are pending
  bool busy = false;       // a host function is running
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  std::vector<Operation> captured;
  std::deque<Operation> pending;
};

struct Graph {
  std::vector<Operation> operations;
};

struct GraphExec {
  std::vector<Operation> operations;
};

struct Event {
  int device = 0;
  bool timed = true;
  DonePtr recorded;
};

struct Allocation {
  std::size_t bytes = 0;
  cudaMemoryType type = cudaMemoryTypeUnregistered;
  int device = 0;
  bool registered = false;  // the user's own memory, pinned
  CUcontext context = nullptr;
};

// Is told what becomes of memory.
struct MemoryWatch {
  virtual ~MemoryWatch() = default;
  virtual void allocated(const std::byte* begin, std::size_t bytes, bool on_device) = 0;
  virtual void freed(const std::byte* begin) = 0;
  // From elsewhere, or, where `from` is null, from nowhere.
  virtual void copied(const std::byte* to, const std::byte* from, std::size_t bytes) = 0;
};

class Machine {
 public:
  static Machine& instance();

  // Memory.
  cudaError_t allocate(void** memory, std::size_t bytes, cudaMemoryType type);
  cudaError_t release(void* memory, cudaMemoryType type, const char* call);
  cudaError_t pin(void* memory, std::size_t bytes);
  cudaError_t unpin(void* memory);
  const Allocation* find(const void* pointer, const std::byte** begin = nullptr) const;
  // Whether the whole range is in one allocation, or no part of it is in any.
  bool inside(Range range) const;
  Holdings holdings() const;

  // Streams.
  Stream* checked(cudaStream_t handle);  // null if there is no such stream
  Stream* make_stream(unsigned flags);
  cudaError_t destroy(cudaStream_t handle);
  Event* make_event(unsigned flags);
  bool known(cudaEvent_t event) const { return events_.contains(event); }
  void destroy(Event* event);
  // Null if the stream is captured.
  DonePtr enqueue(Stream& stream, Operation operation);
  cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, Stream& stream, bool wait);
  void run_some();
  void run_until(const DonePtr& done);
  void run_all(Stream& stream);
  void run_everything();
  // The error of work that is enqueued into this stream while it, or a stream that waits for it, is captured.
  cudaError_t check_capture(const Stream& stream);
  // Whether a stream that waits for the legacy default stream is captured.
  bool captures_implicitly() const;
  // Ends all captures as CUDA does where a thread makes a forbidden call; false if there is none.
  bool invalidate_captures();
  bool idle(const Stream& stream) const { return stream.pending.empty(); }

  // Faults.
  void fault(const std::string& what);
  bool faulty() const { return !fault_.empty(); }
  std::string take_fault();
  const char* fault_text();

  std::mutex mutex;
  std::unique_lock<std::mutex>* lock = nullptr;  // lock of the call that is under way
  Random random;
  std::atomic<std::uint64_t> seed;
  std::uint64_t patience = patience_at_start;
  int devices = 1;
  int capability = 9;
  std::string device_name = "emulated device";
  std::uint64_t pageable = 0;
  std::map<std::string, std::uint64_t, std::less<>> calls;
  struct Planned {
    std::string function;
    unsigned left;
    cudaError_t error;
  };
  std::vector<Planned> planned;
  MemoryWatch* watch = nullptr;

  // Only operations of the device may access device memory.  AddressSanitizer detects any other access.
  void open_memory();
  void close_memory();

 private:
  Machine();
  bool can_run(const Stream& stream) const;
  void run_head(Stream& stream);
  Stream* next_needed(const DonePtr& done);
  void sweep();

  std::map<const std::byte*, Allocation> memory_;
  std::vector<std::unique_ptr<Stream>> streams_;  // the first one is the legacy default stream
  std::unordered_set<Event*> events_;
  std::string fault_;
  std::deque<std::string> fault_texts_;  // kept, because callers may hold a pointer to one
  bool open_ = false;
  std::condition_variable host_function_done_;
};

// A call of the API.  It holds the lock, is counted, and fails when a test has requested it or the device is lost.
class Call {
 public:
  // Most calls of the runtime need a context.
  enum class Context { needed, not_needed };
  explicit Call(const char* function, Context context = Context::needed);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  bool bad() const { return error_ != cudaSuccess; }
  cudaError_t error() const { return error_; }
  // Keeps an error for cudaGetLastError(), and returns it.
  cudaError_t end(cudaError_t error);

 private:
  Machine& machine_;
  std::unique_lock<std::mutex> lock_;
  cudaError_t error_ = cudaSuccess;
};

// Implements a call that has a stream argument: `f` does the work and returns the result.
template <class F>
cudaError_t on_stream(const char* function, cudaStream_t handle, F f) {
  Call call(function);
  if (call.bad()) return call.error();
  Stream* stream = Machine::instance().checked(handle);
  return call.end(stream == nullptr ? cudaErrorInvalidResourceHandle : f(*stream));
}

cudaError_t& latest_error();
bool& in_host_function();
double now();

}  // namespace laconic::emulator
