// SPDX-License-Identifier: BSD-3-Clause
#include "core/process.hpp"

#include <link.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <thread>

#include "calls/carried.hpp"
#include "calls/dispatch.hpp"
#include "core/communicator.hpp"
#include "messages/envelope.hpp"
#include "messages/receive_buffer.hpp"
#include "mpi/mpi_itself.hpp"
#include "report/report.hpp"
#include "requests/pending.hpp"
#include "requests/progress.hpp"

namespace laconic::dropin {

std::array<std::array<std::atomic<bool>, num_forms>, num_operations> attention{};
std::atomic<bool> messages_attention{false};

namespace {

// The address range of a library's code. Written once, before any call is intercepted.
struct Code {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool holds(std::uintptr_t at) const { return at >= begin && at < end; }
};
Code library;
Code mpi_library;

struct Search {
  std::uintptr_t wanted;
  Code found;
};

int on_object(struct dl_phdr_info* info, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  for (int k = 0; k < info->dlpi_phnum; ++k) {
    const auto& segment = info->dlpi_phdr[k];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const Code code{info->dlpi_addr + segment.p_vaddr, info->dlpi_addr + segment.p_vaddr + segment.p_memsz};
    if (!code.holds(search.wanted)) continue;
    search.found = code;
    return 1;
  }
  return 0;
}

// Whether not all ranks share a node; the same on every rank.
bool spans_nodes(MPI_Comm comm) {
  int ranks = 0;
  int here = 0;
  int others = 0;
  MPI_Comm node = MPI_COMM_NULL;
  PMPI_Comm_size(comm, &ranks);
  if (PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) == MPI_SUCCESS) {
    PMPI_Comm_size(node, &here);
    PMPI_Comm_free(&node);
  }
  const int mine = here < ranks ? 1 : 0;
  PMPI_Allreduce(&mine, &others, 1, MPI_INT, MPI_MAX, comm);
  return others != 0;
}

Code code_with(const void* address) {
  Search search{reinterpret_cast<std::uintptr_t>(address), {}};
  dl_iterate_phdr(on_object, &search);
  return search.found;
}

}  // namespace

bool from_library(const void* site) {
  const auto at = reinterpret_cast<std::uintptr_t>(site);
  return library.holds(at) || mpi_library.holds(at);
}

void say(const std::string& message) {
  const std::string line = "laconic: " + message + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

Process& Process::instance() {
  // Never destroyed: a program may call MPI while it exits.
  static Process& process = *new Process;
  return process;
}

void Process::find_library() {
  library = code_with(reinterpret_cast<void*>(&laconic_version));
  mpi_library = code_with(mpi::code());
}

void Process::read_settings() {
  if (!read_) problem_ = settings_.read();
  read_ = true;
}

bool Process::may_compress(Operation operation, Form form) const {
  if (!settings_.rules.may_touch(operation, form)) return false;
  return hinted_ || settings_.bounds.may_bound(operation, form);
}

bool Process::wants_thread() {
  read_settings();
  if (!problem_.empty() || !settings_.bounds.set()) return false;
  for (std::size_t o = 0; o < num_operations; ++o)
    for (const Form form : {Form::nonblocking, Form::persistent})
      if (is_collective(static_cast<Operation>(o)) && may_compress(static_cast<Operation>(o), form)) return true;
  return false;
}

// The format of frames, which a drop-in of another release may not read.
std::uint64_t format_of_frames() {
  int major = 0;
  int minor = 0;
  laconic_wire_format(&major, &minor);
  return static_cast<std::uint64_t>(major) << 32 | static_cast<std::uint32_t>(minor);
}

// Compares the settings of all ranks, and the format of their frames. An invalid setting on any rank aborts the job; if
// they differ between ranks, all calls are left to MPI.
bool Process::agree() {
  read_settings();
  PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank_);
  const std::uint64_t signature = settings_.signature() + format_of_frames();
  const std::uint64_t complaint = complaint_of(!problem_.empty(), world_rank_);
  const char* why = nullptr;
  const auto may = [&](Form form) { return settings_.rules.may_touch(Operation::send, form); };
  const bool messages = may(Form::blocking) || may(Form::nonblocking) || may(Form::persistent);
  const bool blind = messages && !mpi::sees_all_receives(why);
  if (blind) say(std::string("messages are left to MPI: ") + why);
  std::array<std::uint64_t, 5> mine{complaint, signature, ~signature, progresses_ ? 0U : 1U, blind ? 1U : 0U};
  std::array<std::uint64_t, 5> most{};
  PMPI_Allreduce(mine.data(), most.data(), static_cast<int>(mine.size()), MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  progresses_ = most[3] == 0;
  messages_ = messages && most[4] == 0;
  if (most[0] != 0) {
    if (most[0] == complaint) {
      say(problem_);
      // Launchers may drop the ranks' output when a job aborts; this gives them time to read it.
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      PMPI_Abort(MPI_COMM_WORLD, 1);
    }
    PMPI_Barrier(MPI_COMM_WORLD);
  }
  const bool same = most[1] == ~most[2];
  if (!same && world_rank_ == 0)
    say("the settings LACONIC_... differ between ranks, or the releases of Laconic; all calls are left to MPI");
  return same;
}

void Process::start() {
  find_datatypes();
  find_library();
  differ_ = !agree();
  const laconic_options& options = settings_.options;
  if (!differ_) several_nodes_ = spans_nodes(MPI_COMM_WORLD);
  if (settings_.bounds.set())
    least_bytes_ = options.min_bytes > 0 ? static_cast<std::uint64_t>(options.min_bytes)
                                         : default_least(options.tune != LACONIC_TUNE_OFF);
  if (!differ_ && messages_) begin_messages();
  // A nonblocking call cannot prepare the communicator.
  if (!differ_ && progresses_ && wants_thread()) prepare_world();
  running_.store(!differ_);
  set_attention();
}

void Process::prepare_world() {
  const Quiet ours;
  laconic_comm_set_info(MPI_COMM_WORLD, MPI_INFO_NULL);
}

// Distributes the mark of envelopes. All ranks must know it before any rank sends an envelope.
void Process::begin_messages() {
  Mark mark{};
  if (world_rank_ == 0) {
    std::random_device random;
    for (std::uint64_t& word : mark) word = (std::uint64_t{random()} << 32) | random();
  }
  PMPI_Bcast(mark.data(), static_cast<int>(mark.size()), MPI_UINT64_T, 0, MPI_COMM_WORLD);
  set_mark(mark);
  open_self();
}

void Process::set_tools_count(bool value) {
  // Before start(), the settings have not been read, so only the flag is set; start() then takes it into account.
  if (tools_count_.exchange(value) != value && running_.load()) set_attention();
}

void Process::set_attention() {
  const std::lock_guard lock(attention_);
  for (std::size_t o = 0; o < num_operations; ++o)
    for (std::size_t f = 0; f < num_forms; ++f) {
      const bool can = progresses_ || static_cast<Form>(f) == Form::blocking;
      const bool touchable = can && may_compress(static_cast<Operation>(o), static_cast<Form>(f));
      attention[o][f].store(running() && (touchable || counts()), std::memory_order_relaxed);
    }
  messages_attention.store(running() && messages_, std::memory_order_relaxed);
  traffic_counted.store(running() && settings_.report != Report::none, std::memory_order_relaxed);
  profiled.store(running() && settings_.report == Report::profile, std::memory_order_relaxed);
  advised.store(running() && settings_.advises, std::memory_order_relaxed);
}

void Process::hinted(std::uint64_t min_bytes) {
  std::uint64_t least = least_bytes_.load(std::memory_order_relaxed);
  while (min_bytes < least && !least_bytes_.compare_exchange_weak(least, min_bytes)) {
  }
  hinted_ = true;
  set_attention();
}

void Process::finish() {
  if (!running()) return;
  Proposal::finish_all();
  drain();
  stop_thread();
  if (messages_) sweep(), close_self();
  running_.store(false, std::memory_order_release);
  set_attention();
  report_all(settings_);
}

void Process::give_up() {
  if (!running()) return;
  stop_thread();
  running_.store(false, std::memory_order_release);
  set_attention();
  if (world_rank_ == 0) report_own(settings_);
}

}  // namespace laconic::dropin
