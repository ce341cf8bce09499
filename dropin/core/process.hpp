// SPDX-License-Identifier: BSD-3-Clause
// The state of the drop-in in this process: what calls have to pass through before they reach MPI.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "calls/operation.hpp"
#include "core/settings.hpp"

namespace laconic::dropin {

// Set where calls of an operation have to be looked at. All that a call pays while they are not is this load.
extern std::array<std::array<std::atomic<bool>, num_forms>, num_operations> attention;

inline bool watched(Operation operation, Form form = Form::blocking) {
  return __builtin_expect(attention[index_of(operation)][index_of(form)].load(std::memory_order_relaxed), false);
}

// Set where messages may come in envelopes.
extern std::atomic<bool> messages_attention;
inline bool messages_watched() { return __builtin_expect(messages_attention.load(std::memory_order_relaxed), false); }

// True for calls that Laconic's own library makes, and MPI's: they are never touched.
bool from_library(const void* site);

class Process {
 public:
  static Process& instance();

  const Settings& settings() const { return settings_; }

  // Before MPI is initialised: true when operations may be touched that need a thread of ours.
  bool wants_thread();
  void set_raised() { raised_ = true; }
  bool raised() const { return raised_; }

  // After MPI has been initialised: collective over MPI_COMM_WORLD. May end the job, when settings are not valid.
  void start();
  // Before MPI is finalised: collective over MPI_COMM_WORLD.
  void finish();
  // The program ends without it.
  void give_up();

  bool running() const { return running_.load(std::memory_order_acquire); }

  // Nonblocking and persistent calls can be touched: someone makes progress while the program blocks in MPI.
  bool progresses() const { return progresses_; }
  void set_progresses(bool value) { progresses_ = value; }

  // Hints have made calls of this size interesting.
  void hinted(std::uint64_t min_bytes);
  std::uint64_t least_bytes() const { return least_bytes_.load(std::memory_order_relaxed); }

  // Calls that are not touched are counted only where someone wants to know.
  bool counts() const { return settings_.report != Report::none || tools_count_.load(); }
  // A tool does, or no longer does; before, while and after MPI is initialised.
  void set_tools_count(bool value);

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
  bool messages_ = false;  // may come in envelopes
  bool raised_ = false;    // more threads are allowed than the program asked for
  std::atomic<bool> tools_count_{false};
  std::mutex attention_;  // one at a time decides what is watched
  bool read_ = false;
  std::string problem_;  // with the settings
  std::atomic<std::uint64_t> least_bytes_{UINT64_MAX};
};

// One line on stderr.
void say(const std::string& message);

}  // namespace laconic::dropin
