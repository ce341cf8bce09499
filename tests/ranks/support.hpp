// SPDX-License-Identifier: BSD-3-Clause
// A small harness for programs under mpiexec.  A failed check is printed at once by the rank that sees it,
// and every rank ends with a non-zero code when any rank failed.  A watchdog ends a run that is stuck and
// says in what.
//
// Environment: TEST_SEED (of everything random), TEST_CASES (how many random cases), TEST_WATCHDOG (seconds).
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "basics.hpp"
#include "laconic/laconic.h"

namespace ranks {

inline long long environment_number(const char* name, long long otherwise) {
  const char* value = std::getenv(name);
  return value && *value ? std::atoll(value) : otherwise;
}

class Test {
 public:
  // Starts MPI.  All ranks use the seed of rank 0.
  Test(int* argc, char*** argv, const char* name, int threads = MPI_THREAD_FUNNELED) : name_(name) {
    MPI_Init_thread(argc, argv, threads, &provided_);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    seed_ = static_cast<std::uint64_t>(environment_number("TEST_SEED", 1));
    MPI_Bcast(&seed_, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    began_ = std::chrono::steady_clock::now();
    watchdog_ = std::thread([this] { watch(); });
    if (rank_ == 0) {
      std::printf("%s: %d ranks, TEST_SEED=%llu\n", name, size_, static_cast<unsigned long long>(seed_));
      std::fflush(stdout);
    }
  }
  Test(const Test&) = delete;
  Test& operator=(const Test&) = delete;
  ~Test() { stop_watching(); }

  int rank() const { return rank_; }
  int size() const { return size_; }
  int provided() const { return provided_; }
  std::uint64_t seed() const { return seed_; }

  // The current step of this rank, for failure messages and for the watchdog.
  void doing(std::string what) {
    std::lock_guard lock(mutex_);
    doing_ = std::move(what);
  }
  std::string what() {
    std::lock_guard lock(mutex_);
    return doing_;
  }

  // Local: other ranks learn of it in finish().
  void fail(const char* file, int line, const std::string& message) {
    std::lock_guard lock(mutex_);
    if (++failures_ > most_printed) return;
    const char* slash = std::strrchr(file, '/');
    std::fprintf(stderr, "%s: rank %d of %d: FAILED %s:%d: %s\n    in: %s\n", name_, rank_, size_,
                 slash ? slash + 1 : file, line, message.c_str(), doing_.c_str());
    if (first_.empty()) first_ = text("%.500s: %.500s", doing_.c_str(), message.c_str());
  }

  void count_case() { ++cases_; }

  // Ends MPI; returns the exit code of main.
  int finish() {
    doing("the summary");
    long long all = 0;
    MPI_Allreduce(&failures_, &all, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    const int failed = failures_ > 0 ? rank_ : size_;
    int lowest = 0;
    MPI_Allreduce(&failed, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (all > 0) {
      char first[1024] = "";
      first_.copy(first, sizeof first - 1);
      MPI_Bcast(first, sizeof first, MPI_CHAR, lowest, MPI_COMM_WORLD);
      if (rank_ == 0) std::printf("%s: FAILED %lld checks; first, on rank %d: %s\n", name_, all, lowest, first);
    } else if (rank_ == 0) {
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
      std::printf("%s: ok, %d ranks, %lld cases, %.1f s\n", name_, size_, cases_, seconds);
    }
    std::fflush(stdout);
    doing("MPI_Finalize");
    MPI_Finalize();
    stop_watching();
    return all > 0 ? 1 : 0;
  }

 private:
  static constexpr long long most_printed = 10;

  void watch() {
    const auto limit = std::chrono::seconds(environment_number("TEST_WATCHDOG", 100));
    std::unique_lock lock(mutex_);
    if (ended_.wait_for(lock, limit, [this] { return over_; })) return;
    std::fprintf(stderr, "%s: rank %d of %d: STUCK for %lld s in: %s\n", name_, rank_, size_,
                 static_cast<long long>(limit.count()), doing_.c_str());
    std::abort();
  }
  void stop_watching() {
    {
      std::lock_guard lock(mutex_);
      over_ = true;
    }
    ended_.notify_all();
    if (watchdog_.joinable()) watchdog_.join();
  }

  const char* name_;
  int rank_ = 0;
  int size_ = 1;
  int provided_ = 0;
  std::uint64_t seed_ = 1;
  long long cases_ = 0;
  std::chrono::steady_clock::time_point began_;

  std::mutex mutex_;  // guards the state that the watchdog and other threads also access
  std::condition_variable ended_;
  bool over_ = false;
  std::string doing_ = "nothing yet";
  std::string first_;
  long long failures_ = 0;
  std::thread watchdog_;
};

inline std::string message_of(int code) {
  char buffer[1024] = "";
  laconic_error_string(code, buffer, sizeof buffer);
  return buffer;
}

inline int class_of(int code) {
  int error_class = 0;
  MPI_Error_class(code, &error_class);
  return error_class;
}

inline laconic_options options_with(laconic_bound_mode mode, double value) {
  laconic_options o;
  laconic_options_init(&o);
  o.bound = {mode, value};
  o.min_bytes = 1;
  return o;
}

// True when all ranks hold the same 64 bits.
inline bool same_everywhere(std::uint64_t bits, MPI_Comm comm) {
  std::uint64_t mine[2] = {bits, ~bits};
  std::uint64_t most[2];
  MPI_Allreduce(mine, most, 2, MPI_UINT64_T, MPI_MAX, comm);
  return most[0] == ~most[1];
}

// Where the build has unpacked the real fields, for tests/support/fields.hpp; the library refuses variables that it
// does not know, so this one is not set from outside.
inline std::string data_folder() {
  char path[4096] = "";
  const auto length = readlink("/proc/self/exe", path, sizeof path - 1);
  std::string name(path, length > 0 ? static_cast<std::size_t>(length) : 0);
  for (int up = 0; up < 2; ++up) name.resize(std::min(name.size(), name.rfind('/')));
  return name + "/data";
}
#ifndef LACONIC_TEST_DATA_DIR
#define LACONIC_TEST_DATA_DIR ::ranks::data_folder()
#endif

template <class T>
MPI_Datatype mpi_type();
template <>
inline MPI_Datatype mpi_type<float>() {
  return MPI_FLOAT;
}
template <>
inline MPI_Datatype mpi_type<double>() {
  return MPI_DOUBLE;
}

// Waits for all requests, one at a time, in an order that `random` draws.
inline void wait_in_any_order(Test& t, std::vector<laconic_request>& requests, Random& random) {
  for (;;) {
    std::vector<std::size_t> open;
    for (std::size_t k = 0; k < requests.size(); ++k)
      if (requests[k] != LACONIC_REQUEST_NULL) open.push_back(k);
    if (open.empty()) return;
    const int rc = laconic_wait(&requests[open[random.below(open.size())]], MPI_STATUS_IGNORE);
    CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  }
}

}  // namespace ranks
