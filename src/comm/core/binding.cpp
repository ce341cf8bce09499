// SPDX-License-Identifier: BSD-3-Clause
#include "comm/core/binding.hpp"

#include <algorithm>
#include <string>

#include "comm/core/maximum.hpp"
#include "comm/core/process.hpp"
#include "comm/core/settings.hpp"
#include "comm/core/stats.hpp"
#include "comm/core/topology.hpp"
#include "schedule/messages.hpp"
#include "schedule/schedule.hpp"

namespace laconic {
namespace {

constexpr auto first_message_tag = static_cast<std::uint64_t>(Machinery::own_tag);
constexpr std::uint64_t message_rows = 64;

constexpr std::uint64_t slot_tags = collective_messages + Maximum::most_rounds;

std::uint64_t number_of_tags(MPI_Comm comm) {
  std::uint64_t greatest_tag = 32767;  // guaranteed
  int* value = nullptr;
  int found = 0;
  MPI_Comm_get_attr(comm, MPI_TAG_UB, &value, &found);
  if (found && *value > 0) greatest_tag = static_cast<std::uint64_t>(*value);
  return greatest_tag + 1;
}

// While it exists, MPI returns the errors of functions on comm, as the application's handler may end the program.
class ReturnErrors {
 public:
  explicit ReturnErrors(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_get_errhandler(comm, &before_);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  ~ReturnErrors() {
    MPI_Comm_set_errhandler(comm_, before_);
    MPI_Errhandler_free(&before_);
  }
  ReturnErrors(const ReturnErrors&) = delete;
  ReturnErrors& operator=(const ReturnErrors&) = delete;

 private:
  MPI_Comm comm_;
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

}  // namespace

Tags Tags::on(MPI_Comm comm) {
  Tags tags;
  const std::uint64_t left = number_of_tags(comm) - first_message_tag;
  tags.slots = std::min<std::uint64_t>(left / 2 / slot_tags, Slots::most);
  tags.messages = (left - tags.slots * slot_tags) / message_rows;
  tags.first_of_slots = first_message_tag + tags.messages * message_rows;
  tags.first_agreement = tags.first_of_slots + tags.slots * collective_messages;
  return tags;
}

Machinery::Machinery(MPI_Comm comm, const Tags& tags, const Neighborhood* neighborhood, const NodeShape* nodes)
    : comm_(comm),
      tags_(tags),
      neighborhood_(neighborhood),
      nodes_(nodes),
      transport_(comm, 0, collective_operations, collective_messages),
      persistent_transport_(comm, tags.first_of_slots, tags.slots, collective_messages),
      message_transport_(comm, first_message_tag, tags.messages, message_rows, Sends::synchronous),
      messages_(static_cast<std::size_t>(transport_.size()), 0) {}

Machinery::~Machinery() {
  run_pools_.clear();
  if (comm_ == MPI_COMM_NULL) return;
  MPI_Comm_free(&comm_);
  Process::instance().give_back_communicator();
}

Place Machinery::place(const Algorithm& algorithm, int root) const {
  return {transport_.rank(), transport_.size(), has_root(algorithm.collective) ? root : 0, neighborhood_, nodes_};
}

std::int32_t Machinery::cut(const Algorithm& algorithm, int root) const {
  for (const KnownPlan& known : plans_)
    if (known.algorithm == &algorithm) return known.plan->cut;
  return algorithm.build(place(algorithm, root)).blocks;
}

const Plan& Machinery::plan(const Algorithm& algorithm, int root, Travel travel, std::uint32_t most) {
  const Place at = place(algorithm, root);
  for (const KnownPlan& known : plans_)
    if (known.algorithm == &algorithm && known.root == at.root && known.travel == travel && known.most == most)
      return *known.plan;
  Schedule schedule = join(algorithm.build(at), most);
  plans_.push_back(
      {&algorithm, at.root, travel, most, std::make_unique<Plan>(lower(schedule, algorithm.collective, at, travel))});
  return *plans_.back().plan;
}

const DeviceChoice& Machinery::device_choice(const DeviceQuestion& q) {
  for (const auto& [question, choice] : choices_)
    if (question == q) return choice;
  Journey journey;
  journey.bytes = static_cast<double>(q.bytes);
  journey.size = transport_.size();
  journey.nodes = nodes_;
  journey.root = has_root(q.collective) ? q.root : 0;
  journey.travel = q.travel;
  journey.ratio = assumed_ratio;
  const Coder coder = coder_of(*q.device, q.codec->name(), q.dtype, assumed_ratio);
  DeviceChoice choice;
  if (q.algorithm == nullptr)
    choice = choose_on_device(q.collective, journey, coder, {});
  else
    choice = best_rows(*q.algorithm, journey, coder, {}).value_or(DeviceChoice{q.algorithm, 1, {}});
  choices_.emplace_back(q, choice);
  return choices_.back().second;
}

std::uint64_t Machinery::model_key(const Device& device) {
  for (const auto& [known, key] : model_keys_)
    if (known == &device) return key;
  model_keys_.emplace_back(&device, key_of(device_model_named(device.name())));
  return model_keys_.back().second;
}

int Machinery::agreement_tag(int slot) const {
  return static_cast<int>(tags_.first_agreement) + slot * Maximum::most_rounds;
}

int Machinery::exchange_tag(int slot) const {
  return static_cast<int>(tags_.first_of_slots) + slot * static_cast<int>(collective_messages);
}

MpiTransport& Machinery::transport_for(Purpose purpose) {
  switch (purpose) {
    case Purpose::collective: return transport_;
    case Purpose::persistent: return persistent_transport_;
    default: return message_transport_;
  }
}

Run& Machinery::acquire_run(int threads, Purpose purpose, Device* device) {
  auto at = std::find_if(run_pools_.begin(), run_pools_.end(), [&](const auto& w) {
    return w->device == device && w->purpose == purpose && (device != nullptr || w->threads == threads);
  });
  if (at == run_pools_.end()) {
    run_pools_.push_back(std::make_unique<RunPool>());
    at = run_pools_.end() - 1;
    (*at)->threads = threads;
    (*at)->purpose = purpose;
    (*at)->device = device;
    if (device == nullptr) (*at)->host = std::make_unique<HostDevice>(threads);
  }
  RunPool& pool = **at;
  if (pool.idle.empty()) {
    pool.runs.push_back(std::make_unique<Run>(transport_for(purpose), device != nullptr ? *device : *pool.host));
    pool.idle.reserve(pool.runs.capacity());
    pool.idle.push_back(pool.runs.back().get());
  }
  Run& run = *pool.idle.back();
  pool.idle.pop_back();
  return run;
}

void Machinery::release_run(Run& run) {
  for (auto& pool : run_pools_)
    for (auto& mine : pool->runs)
      if (mine.get() == &run) return pool->idle.push_back(&run);
}

Binding::Binding() : sequencer(collective_operations) {
  // The number of operations in flight depends on timing: a list that grew with it would allocate late.
  operations.reserve(64);
}
Binding::~Binding() = default;

Device* Binding::device(const MemoryType& at, Status& status) {
  for (const OpenDevice& open : devices_)
    if (open.number == at.device && open.context == at.context) return open.device.get();
  std::unique_ptr<Device> device = open_device(at.device, status, usual_queues, at.context);
  if (device == nullptr) return nullptr;
  devices_.push_back({at.device, at.context, std::move(device)});
  return devices_.back().device.get();
}

// A communicator of the same ranks, or MPI_COMM_NULL.  MPI_Comm_dup would copy the application's attributes, calling
// its functions, and hints that are promises about the application's messages, not about Laconic's.
// MPI_Comm_create hangs in MPICH 5.0.2 where a topology has fewer ranks than the communicator that it was made of.
MPI_Comm Binding::create() const {
  const ReturnErrors on(comm);
  MPI_Comm made = MPI_COMM_NULL;
  return MPI_Comm_split(comm, 0, rank, &made) == MPI_SUCCESS ? made : MPI_COMM_NULL;
}

bool Binding::poll_machinery() {
  if (machinery_ || cannot_prepare_) return true;
  if (stage_ == Making::nothing) {
    // A rank must know that the others are there, or they may wait elsewhere for its progress: hence an allgather,
    // which is a barrier, before MPI_Comm_create, which blocks.
    stage_ = Making::facts;
    has_place_ = Process::instance().take_communicator();
    if (facts_.begin(comm, size, has_place_, topology() != nullptr && topology()->repeats(), &making_) != MPI_SUCCESS)
      return end_making(false), true;
  }
  for (;;) {
    int done = 0;
    if (MPI_Test(&making_, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return end_making(false), true;
    if (!done) return false;
    if (stage_ == Making::agreement) return end_making(success_ != 0), true;
    if (!facts_.all_can_prepare()) return end_making(false), true;
    made_ = create();
    own_success_ = made_ != MPI_COMM_NULL ? 1 : 0;
    stage_ = Making::agreement;
    if (MPI_Iallreduce(&own_success_, &success_, 1, MPI_INT, MPI_MIN, comm, &making_) != MPI_SUCCESS)
      return end_making(false), true;
  }
}

void Binding::end_making(bool made) {
  making_ = MPI_REQUEST_NULL;
  stage_ = Making::nothing;
  cannot_prepare_ = !made;
  if (made) {
    nodes_.emplace(facts_.nodes());
    tuner.set_within_node(nodes_->nodes() == 1);
    repeats_neighbors_ = facts_.any_repeats_neighbors();
    MPI_Comm_set_errhandler(made_, MPI_ERRORS_RETURN);
    machinery_ = std::make_unique<Machinery>(made_, tags, topology(), nodes());
  } else if (has_place_ && made_ == MPI_COMM_NULL) {
    // Where only this rank has a communicator, it keeps it: to free it is collective.
    Process::instance().give_back_communicator();
  }
  // Sends were left to MPI without it, or by a default of min_bytes that depends on the nodes.
  repeated_sends.forget();
}

void Binding::abandon() {
  if (machinery_) machinery_->abandon();
  if (in_flight == 0) machinery_.reset();
  cannot_prepare_ = true;
}

bool Binding::progress() {
  bool moved = false;
  for (std::size_t k = 0; k < operations.size();) {
    Operation* operation = operations[k];
    if (!operation->poll()) {
      moved = operation->moved() || moved;
      ++k;
      continue;
    }
    moved = true;
    operations.erase(operations.begin() + static_cast<std::ptrdiff_t>(k));
    in_flight.fetch_sub(1);
    operation->in_flight = false;
    if (operation->wants_thread) Process::instance().progress_thread().operation_ends();
  }
  return moved;
}

bool Binding::awaits_mpi() const {
  return std::all_of(operations.begin(), operations.end(), [](const Operation* o) { return o->awaits_mpi(); });
}

Status Binding::read_settings(MPI_Info info, laconic_options& out) const {
  laconic_options hints{};
  laconic_options_init(&hints);
  Status problem;
  MPI_Info kept = MPI_INFO_NULL;
  if (MPI_Comm_get_info(comm, &kept) == MPI_SUCCESS && kept != MPI_INFO_NULL) {
    problem = read_info(kept, hints);
    MPI_Info_free(&kept);
  }
  if (Status s = read_info(info, hints); problem.ok()) problem = std::move(s);
  laconic_options environment{};
  laconic_options_init(&environment);
  if (Status s = read_environment(environment); problem.ok()) problem = std::move(s);
  fill_unset(hints, environment);
  // Where other settings are not valid, `tune` still decides whether the ranks agree on the error.
  if (problem.ok())
    out = hints;
  else
    out.tune = hints.tune;
  return problem;
}

namespace {

std::shared_ptr<Binding> make_binding(MPI_Comm comm) {
  auto binding = std::make_shared<Binding>();
  binding->comm = comm;
  int intercomm = 0;
  MPI_Comm_test_inter(comm, &intercomm);
  binding->intercomm = intercomm != 0;
  MPI_Comm_size(comm, &binding->size);
  MPI_Comm_rank(comm, &binding->rank);
  if (!binding->intercomm) binding->neighborhood = find_neighborhood(comm);
  binding->tags = Tags::on(comm);
  binding->slots.set_number(binding->tags.slots);
  binding->stats = empty_stats();
  laconic_options_init(&binding->inherited);
  binding->inherited_status = binding->read_settings(MPI_INFO_NULL, binding->inherited);
  return binding;
}

}  // namespace

Status bind(MPI_Comm comm, std::shared_ptr<Binding>& binding) {
  if (comm == MPI_COMM_NULL) return {Code::comm, "comm is MPI_COMM_NULL; valid is any communicator"};
  Process& process = Process::instance();
  binding = process.find(comm);
  if (binding != nullptr) return {};
  return process.keep(comm, make_binding(comm), binding);
}

}  // namespace laconic
