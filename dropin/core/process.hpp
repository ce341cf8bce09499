// SPDX-License-Identifier: BSD-3-Clause
// The state of the drop-in in this process. It decides which calls are intercepted before they reach MPI.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "calls/operation.hpp"
#include "core/settings.hpp"

namespace laconic::dropin {

// Set for the operations and forms whose calls must be inspected. For all others, this load is the only overhead.
extern std::array<std::array<std::atomic<bool>, num_forms>, num_operations> attention;

inline bool watched(Operation operation, Form form = Form::blocking) {
  return __builtin_expect(attention[index_of(operation)][index_of(form)].load(std::memory_order_relaxed), false);
}

// Set if compressed messages (envelopes) are possible between ranks.
extern std::atomic<bool> messages_attention;
inline bool messages_watched() { return __builtin_expect(messages_attention.load(std::memory_order_relaxed), false); }

// True for calls made from within the Laconic library or the MPI library: these are never intercepted.
bool from_library(const void* site);

class Process {
 public:
  static Process& instance();

  const Settings& settings() const { return settings_; }

  // Called before MPI is initialised: true if operations may be compressed that need the progress thread.
  bool wants_thread();
  void set_raised() { raised_ = true; }
  bool raised() const { return raised_; }

  // Called after MPI has been initialised; collective over MPI_COMM_WORLD. Aborts the job if settings are invalid.
  void start();
  // Called inside MPI_Finalize, after the callbacks of the program; collective over MPI_COMM_WORLD.
  void finish();
  // Called if the program ends without MPI_Finalize, or calls MPI_Abort.
  void give_up();

  bool running() const { return running_.load(std::memory_order_acquire); }

  // True if nonblocking and persistent calls can be compressed: a thread can make progress while the program blocks in
  // MPI.
  bool progresses() const { return progresses_; }
  void set_progresses(bool value) { progresses_ = value; }

  // Called when hints allow compression of calls from `min_bytes` on.
  void hinted(std::uint64_t min_bytes);
  // The size from which on calls may be compressed, where the user asks for no other.
  std::uint64_t default_least(bool tuned) const {
    return static_cast<std::uint64_t>(tuned && several_nodes_ ? default_min_bytes_tuned : default_min_bytes);
  }
  std::uint64_t least_bytes() const { return least_bytes_.load(std::memory_order_relaxed); }

  // Whether calls left to MPI are counted: only if a report or a tool asks for it.
  bool counts() const { return settings_.report != Report::none || tools_count_.load(); }
  // Called when a tool allocates a handle and when the last handle is freed; before, during or after MPI_Init.
  void set_tools_count(bool value);

  // Whether calls of this operation in this form may be compressed; the same on all ranks.
  bool may_compress(Operation operation, Form form) const;

  void set_attention();

 private:
  Process() = default;
  bool agree();
  void begin_messages();
  void prepare_world();
  void read_settings();
  void find_library();

  Settings settings_;
  int world_rank_ = 0;
  std::atomic<bool> running_{false};
  bool differ_ = false;
  std::atomic<bool> hinted_{false};
  bool progresses_ = false;
  bool messages_ = false;  // messages may be compressed
  bool raised_ = false;    // more threads are allowed than the program asked for
  std::atomic<bool> tools_count_{false};
  std::mutex attention_;  // serialises set_attention()
  bool read_ = false;
  std::string problem_;  // error in the settings; empty if they are valid
  bool several_nodes_ = false;
  std::atomic<std::uint64_t> least_bytes_{UINT64_MAX};
};

// Prints one line on stderr.
void say(const std::string& message);

}  // namespace laconic::dropin
