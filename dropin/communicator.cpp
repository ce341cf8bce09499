// SPDX-License-Identifier: BSD-3-Clause
#include "communicator.hpp"

#include <algorithm>
#include <array>
#include <mutex>

#include "process.hpp"

namespace laconic::dropin {
namespace {

constexpr std::string_view prefix = "laconic_";

int attribute_key(MPI_Comm_copy_attr_function* on_copy, MPI_Comm_delete_attr_function* on_delete) {
  static const int key = [&] {
    int made = MPI_KEYVAL_INVALID;
    PMPI_Comm_create_keyval(on_copy, on_delete, &made, nullptr);
    return made;
  }();
  return key;
}

// Names that the program gave, not those that MPI made up.
std::string name_of(MPI_Comm comm) {
  std::array<char, MPI_MAX_OBJECT_NAME + 1> text{};
  int length = 0;
  PMPI_Comm_get_name(comm, text.data(), &length);
  const std::string name = text.data();
  return name.empty() || name.starts_with("MPI COMMUNICATOR ") ? "unnamed" : name;
}

// Whether all members were started together with this process: only then is it known that they have the same settings.
bool of_this_job(MPI_Comm comm, int size) {
  MPI_Group members = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &members);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::vector<int> found(static_cast<std::size_t>(size));
  for (int r = 0; r < size; ++r) ranks[static_cast<std::size_t>(r)] = r;
  PMPI_Group_translate_ranks(members, size, ranks.data(), world, found.data());
  PMPI_Group_free(&members);
  PMPI_Group_free(&world);
  return std::find(found.begin(), found.end(), MPI_UNDEFINED) == found.end();
}

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

Communicator::Communicator(MPI_Comm comm) : comm_(comm) {
  PMPI_Comm_rank(comm, &rank_);
  PMPI_Comm_size(comm, &size_);
  int between_groups = 0;
  PMPI_Comm_test_inter(comm, &between_groups);
  if (between_groups)
    unfit_ = Reason::intercomm;
  else if (size_ == 1)
    unfit_ = Reason::one_rank;
  else if (!of_this_job(comm, size_))
    unfit_ = Reason::foreign;
  tallies_ = &Tallies::instance().group(name_of(comm), size_);
  merge();
}

// A duplicate learns which communicator it is.
void Communicator::settle(MPI_Comm comm) {
  comm_ = comm;
  tallies_ = &Tallies::instance().group(name_of(comm), size_);
}

Communicator& Communicator::of(MPI_Comm comm) {
  static std::mutex making;
  const std::lock_guard lock(making);
  const int key = attribute_key(on_copy, on_delete);
  void* value = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(comm, key, static_cast<void*>(&value), &found);
  if (found) {
    auto* known = static_cast<Communicator*>(value);
    if (known->comm_ != comm) known->settle(comm);
    return *known;
  }
  auto* made = new Communicator(comm);
  PMPI_Comm_set_attr(comm, key, made);
  return *made;
}

// A duplicate has the hints of its original, as MPI has it. The rest it finds out when it is first used; which
// communicator it is, is not known here.
int Communicator::on_copy(MPI_Comm, int, void*, void* from, void* to, int* flag) {
  const auto* original = static_cast<const Communicator*>(from);
  *flag = !original->hints_.empty() || original->differ_;
  if (!*flag) return MPI_SUCCESS;
  auto* copy = new Communicator(*original);
  copy->audited = 0;
  copy->complained_ = false;
  *static_cast<void**>(to) = copy;
  return MPI_SUCCESS;
}

int Communicator::on_delete(MPI_Comm, int, void* self, void*) {
  delete static_cast<Communicator*>(self);
  return MPI_SUCCESS;
}

void Communicator::merge() {
  read_hints(hints_, options_);
  const laconic_options& environment = Process::instance().settings().options;
  if (options_.bound.mode == LACONIC_BOUND_UNSET) options_.bound = environment.bound;
  if (options_.min_bytes == 0) options_.min_bytes = environment.min_bytes;
}

Reason Communicator::unfit() const {
  if (unfit_ != Reason::touched) return unfit_;
  if (differ_) return Reason::differ;
  return options_.bound.mode == LACONIC_BOUND_UNSET ? Reason::no_bound : Reason::touched;
}

std::uint64_t Communicator::min_bytes() const {
  return static_cast<std::uint64_t>(options_.min_bytes > 0 ? options_.min_bytes : default_min_bytes);
}

void Communicator::set_hints(MPI_Info info) {
  Hints wanted = hints_of(info);
  laconic_options options{};
  std::string problem = read_hints(wanted, options);
  std::string all;
  for (const auto& [name, value] : wanted) all += name + '=' + value + '\n';
  // Who is wrong, and whether all say the same.
  const std::uint64_t signature = hash_of(all);
  const std::uint64_t lowest = problem.empty() ? 0 : UINT64_MAX - static_cast<std::uint64_t>(rank_);
  std::array<std::uint64_t, 3> mine{lowest, signature, ~signature};
  std::array<std::uint64_t, 3> most{};
  PMPI_Allreduce(mine.data(), most.data(), 3, MPI_UINT64_T, MPI_MAX, comm_);
  differ_ = most[0] != 0 || most[1] != ~most[2];
  if (most[0] != 0 && most[0] == lowest)
    say(problem + "; calls on this communicator are left to MPI");
  else if (most[0] == 0 && differ_ && rank_ == 0)
    say("the ranks of a communicator were given different hints laconic_...; its calls are left to MPI");
  if (differ_) return;
  hints_ = std::move(wanted);
  merge();
  if (!hints_.empty() && options_.bound.mode != LACONIC_BOUND_UNSET) Process::instance().hinted(min_bytes());
}

}  // namespace laconic::dropin
