// SPDX-License-Identifier: BSD-3-Clause
#include "core/communicator.hpp"

#include <algorithm>
#include <array>
#include <mutex>

#include "core/process.hpp"

namespace laconic::dropin {
namespace {

int attribute_key(MPI_Comm_copy_attr_function* on_copy, MPI_Comm_delete_attr_function* on_delete) {
  static const int key = [&] {
    int made = MPI_KEYVAL_INVALID;
    PMPI_Comm_create_keyval(on_copy, on_delete, &made, nullptr);
    return made;
  }();
  return key;
}

// The name that the program gave the communicator. Default names made by MPI do not count.
std::string name_of(MPI_Comm comm) {
  std::array<char, MPI_MAX_OBJECT_NAME + 1> text{};
  int length = 0;
  PMPI_Comm_get_name(comm, text.data(), &length);
  const std::string name = text.data();
  return name.empty() || name.starts_with("MPI COMMUNICATOR ") ? "unnamed" : name;
}

// Whether all members belong to MPI_COMM_WORLD of this process: only then are their settings known to be the same.
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

}  // namespace

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
  if (unfit_ == Reason::touched) find_neighbors();
  tallies_ = &Tallies::instance().group(name_of(comm), size_);
  laconic_options_init(&hinted_);
  merge();
}

void Communicator::find_neighbors() {
  int topology = MPI_UNDEFINED;
  PMPI_Topo_test(comm_, &topology);
  if (topology == MPI_CART) {
    int dimensions = 0;
    PMPI_Cartdim_get(comm_, &dimensions);
    for (int d = 0; d < dimensions; ++d) {
      int negative = MPI_PROC_NULL;
      int positive = MPI_PROC_NULL;
      PMPI_Cart_shift(comm_, d, 1, &negative, &positive);
      sources_.insert(sources_.end(), {negative, positive});
    }
    num_destinations_ = 2 * dimensions;
  } else if (topology == MPI_GRAPH) {
    PMPI_Graph_neighbors_count(comm_, rank_, &num_destinations_);
    sources_.resize(static_cast<std::size_t>(num_destinations_));
    PMPI_Graph_neighbors(comm_, rank_, num_destinations_, sources_.data());
  } else if (topology == MPI_DIST_GRAPH) {
    int num_sources = 0;
    int weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm_, &num_sources, &num_destinations_, &weighted);
    sources_.resize(static_cast<std::size_t>(num_sources));
    std::vector<int> weights(sources_.size());
    std::vector<int> destinations(static_cast<std::size_t>(num_destinations_));
    std::vector<int> other_weights(destinations.size());
    PMPI_Dist_graph_neighbors(comm_, num_sources, sources_.data(), weighted ? weights.data() : MPI_UNWEIGHTED,
                              num_destinations_, destinations.data(), weighted ? other_weights.data() : MPI_UNWEIGHTED);
  }
}

int Communicator::num_parts(const CollectiveTraits& traits, bool sending) const {
  if (!traits.neighborhood()) return size_;
  return sending ? num_destinations_ : static_cast<int>(sources_.size());
}

// Completes the state of a duplicate: on_copy() did not know its handle yet.
void Communicator::settle(MPI_Comm comm) {
  comm_ = comm;
  tallies_ = &Tallies::instance().group(name_of(comm), size_);
}

Communicator& Communicator::find(MPI_Comm comm) {
  static std::mutex making;
  std::unique_lock lock(making);
  const int key = attribute_key(on_copy, on_delete);
  void* value = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(comm, key, static_cast<void*>(&value), &found);
  if (!found) {
    auto* made = new Communicator(comm);
    PMPI_Comm_set_attr(comm, key, made);
    last_ = {comm, made, frees_.load(std::memory_order_relaxed)};
    return *made;
  }
  auto* known = static_cast<Communicator*>(value);
  if (known->comm_ != comm) known->settle(comm);
  if (const auto proposal = known->proposal_; proposal) {
    lock.unlock();  // other threads can proceed during the wait
    proposal->accepted();
    lock.lock();
    if (known->proposal_ == proposal) known->decide(*proposal);
  }
  last_ = {comm, known, frees_.load(std::memory_order_relaxed)};
  return *known;
}

// As in MPI, a duplicate has the hints of its original unless it is given others. MPI does not pass the handle of the
// duplicate to this callback, so settle() sets the rest on first use.
int Communicator::on_copy(MPI_Comm, int, void*, void* from, void* to, int* flag) {
  auto* original = static_cast<Communicator*>(from);
  *flag = !original->hints_.empty() || original->differ_ || original->proposal_ || original->for_duplicate_;
  if (!*flag) return MPI_SUCCESS;
  auto* copy = new Communicator(*original);
  copy->audited = 0;
  copy->audited_messages = 0;
  copy->repeated_calls.forget();
  copy->complained_ = false;
  copy->wants_preparation_ = false;
  if (original->for_duplicate_) copy->proposal_ = std::move(original->for_duplicate_);
  copy->for_duplicate_.reset();
  *static_cast<void**>(to) = copy;
  return MPI_SUCCESS;
}

int Communicator::on_delete(MPI_Comm, int, void* self, void*) {
  frees_.fetch_add(1, std::memory_order_release);
  delete static_cast<Communicator*>(self);
  return MPI_SUCCESS;
}

void Communicator::merge() {
  options_ = hinted_;
  const laconic_options& environment = Process::instance().settings().options;
  if (options_.min_bytes == 0) options_.min_bytes = environment.min_bytes;
  if (options_.denormals == LACONIC_DENORMALS_UNSET) options_.denormals = environment.denormals;
  if (options_.algorithm == LACONIC_ALGORITHM_UNSET) options_.algorithm = environment.algorithm;
  if (options_.codec == LACONIC_CODEC_UNSET && options_.effort == LACONIC_EFFORT_UNSET)
    options_.codec = environment.codec;
  if (options_.variant == LACONIC_VARIANT_UNSET) options_.variant = environment.variant;
  if (options_.tune == LACONIC_TUNE_UNSET) options_.tune = environment.tune;
  // Where integers have a bound of their own, the settings of a call depend on its type. Ranks may give different types
  // for the same bytes, and must not count the call in different classes.
  const Settings& settings = Process::instance().settings();
  tunes_ = settings.audit == 0 && !settings.rules.names_integers() && options_.tune != LACONIC_TUNE_OFF &&
           (options_.algorithm == LACONIC_ALGORITHM_UNSET || options_.algorithm == LACONIC_ALGORITHM_AUTO) &&
           (options_.variant == LACONIC_VARIANT_UNSET || options_.variant == LACONIC_VARIANT_OVERLAP);
}

Reason Communicator::unfit() const {
  if (unfit_ != Reason::touched) return unfit_;
  if (differ_) return Reason::differ;
  return hints_bound() || Process::instance().settings().bounds.set() ? Reason::touched : Reason::no_bound;
}

CallBound Communicator::bound_of(const Facts& facts) const {
  CallBound chosen =
      hints_bound() ? CallBound{options_.bound, CallBound::no_item} : Process::instance().settings().bounds.of(facts);
  if (chosen.bound.mode == LACONIC_BOUND_REL && !reduces(facts.operation) && codes_blocks())
    chosen.bound.mode = LACONIC_BOUND_BLOCK;
  else if (chosen.bound.mode == LACONIC_BOUND_RANGE)
    chosen.bound.mode = LACONIC_BOUND_REL;
  return chosen;
}

bool Communicator::codes_blocks() const {
  const bool codec = options_.codec == LACONIC_CODEC_UNSET || options_.codec == LACONIC_CODEC_QUANT ||
                     options_.codec == LACONIC_CODEC_DENSE;
  return codec && options_.variant != LACONIC_VARIANT_CPR_P2P && options_.variant != LACONIC_VARIANT_HOST_CENTRIC;
}

bool Communicator::may_bound(Operation operation, Form form) const {
  return hints_bound() || Process::instance().settings().bounds.may_bound(operation, form);
}

bool Communicator::bounds_may_differ(Operation operation, Form form) const {
  return !hints_bound() && Process::instance().settings().bounds.may_differ(operation, form);
}

std::uint64_t Communicator::min_bytes() const {
  if (options_.min_bytes > 0) return static_cast<std::uint64_t>(options_.min_bytes);
  return Process::instance().default_least(tunes_);
}

void Communicator::set_hints(MPI_Info info) {
  const auto proposal = Proposal::begin(comm_, rank_, info);
  proposal->accepted();
  decide(*proposal);
}

void Communicator::set_hints_of_duplicate(MPI_Info info) { for_duplicate_ = Proposal::begin(comm_, rank_, info); }

void Communicator::decide(Proposal& proposal) {
  differ_ = !proposal.accepted();
  if (!differ_) {
    hints_ = proposal.hints();
    hinted_ = proposal.options();
    merge();
    repeated_calls.forget();
  }
  proposal_.reset();
}

}  // namespace laconic::dropin
