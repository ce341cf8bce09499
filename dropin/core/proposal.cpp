// SPDX-License-Identifier: BSD-3-Clause
#include "core/proposal.hpp"

#include <algorithm>
#include <string_view>

#include "core/process.hpp"
#include "mpi/mpi_itself.hpp"
#include "requests/progress.hpp"

namespace laconic::dropin {
namespace {

constexpr std::string_view prefix = "laconic_";

// Keeps proposals alive even if their communicator is freed: MPI writes into them until the reduction is complete.
struct Undecided {
  std::mutex mutex;
  std::vector<std::shared_ptr<Proposal>> proposals;
};
Undecided& undecided = *new Undecided;

// Converts hints to options. Returns an error message; empty if all hints are valid.
std::string read_hints(const Hints& hints, laconic_options& options) {
  laconic_options_init(&options);
  for (const auto& [name, value] : hints) {
    std::string problem = set_option(options, name.c_str(), value.c_str(), "hint laconic_" + name);
    if (!problem.empty()) return problem;
  }
  return "";
}

}  // namespace

Hints hints_of(MPI_Info info) {
  Hints hints;
  if (info == MPI_INFO_NULL) return hints;
  int keys = 0;
  PMPI_Info_get_nkeys(info, &keys);
  for (int k = 0; k < keys; ++k) {
    std::array<char, MPI_MAX_INFO_KEY + 1> key{};
    PMPI_Info_get_nthkey(info, k, key.data());
    const std::string_view name = key.data();
    if (!name.starts_with(prefix)) continue;
    int length = 0;
    int found = 0;
    PMPI_Info_get_valuelen(info, key.data(), &length, &found);
    if (!found) continue;
    std::vector<char> value(static_cast<std::size_t>(length) + 1, '\0');
    PMPI_Info_get(info, key.data(), length, value.data(), &found);
    hints.emplace_back(name.substr(prefix.size()), value.data());
  }
  std::sort(hints.begin(), hints.end());
  return hints;
}

std::shared_ptr<Proposal> Proposal::begin(MPI_Comm comm, int rank, MPI_Info info) {
  auto made = std::make_shared<Proposal>();
  made->hints_ = hints_of(info);
  made->rank_ = rank;
  made->problem_ = read_hints(made->hints_, made->options_);
  std::string all;
  for (const auto& [name, value] : made->hints_) all += name + '=' + value + '\n';
  // One maximum finds both the lowest rank with invalid hints and whether all ranks have the same hints: the maxima of
  // a signature and of its complement are complements of each other only if all signatures are equal.
  const std::uint64_t signature = hash_of(all);
  made->mine_ = {complaint_of(!made->problem_.empty(), rank), signature, ~signature};
  // If the reduction cannot start on this rank, this rank leaves its calls to MPI and the others keep their result.
  if (PMPI_Iallreduce(made->mine_.data(), made->most_.data(), 3, MPI_UINT64_T, MPI_MAX, comm, &made->request_) !=
      MPI_SUCCESS)
    made->most_ = {1, 0, 0};
  made->watch();
  const std::lock_guard lock(undecided.mutex);
  std::erase_if(undecided.proposals, [](const auto& one) {
    const std::unique_lock held(one->mutex_, std::try_to_lock);
    if (held && !one->decided_) {
      int done = 0;
      mpi::Test(&one->request_, &done, MPI_STATUS_IGNORE);
    }
    return held && one->request_ == MPI_REQUEST_NULL;
  });
  undecided.proposals.push_back(made);
  return made;
}

// Intercepts calls on the communicator from now on: the first of them waits for the result of the comparison.
void Proposal::watch() const {
  const laconic_options& environment = Process::instance().settings().options;
  const bool bound = options_.bound.mode != LACONIC_BOUND_UNSET || Process::instance().settings().bounds.set();
  if (hints_.empty() || !problem_.empty() || !bound) return;
  const std::int64_t least = options_.min_bytes > 0 ? options_.min_bytes : environment.min_bytes;
  Process::instance().hinted(least > 0 ? static_cast<std::uint64_t>(least) : Process::instance().default_least(true));
}

void Proposal::finish_all() {
  std::vector<std::shared_ptr<Proposal>> all;
  {
    const std::lock_guard lock(undecided.mutex);
    all.swap(undecided.proposals);
  }
  for (const auto& one : all) one->accepted();
}

bool Proposal::accepted() {
  const std::lock_guard lock(mutex_);
  if (request_ != MPI_REQUEST_NULL) wait_with_progress(request_);
  if (!std::exchange(decided_, true)) say_what_is_wrong();
  return most_[0] == 0 && most_[1] == ~most_[2];
}

void Proposal::say_what_is_wrong() const {
  if (most_[0] != 0 && most_[0] == mine_[0])
    say(problem_ + "; calls on this communicator are left to MPI");
  else if (most_[0] == 0 && most_[1] != ~most_[2] && rank_ == 0)
    say("the ranks of a communicator were given different hints laconic_...; its calls are left to MPI");
}

}  // namespace laconic::dropin
