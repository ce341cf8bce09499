#include "comm/binding.hpp"

#include <string>

#include "comm/process.hpp"
#include "comm/settings.hpp"
#include "comm/stats.hpp"

namespace laconic {

Status Machinery::make(MPI_Comm comm, std::unique_ptr<Machinery>& out) {
  // MPI_Comm_dup would copy the application's attributes, calling its functions, and hints that are promises about the
  // application's messages, not ours.
  MPI_Group everybody = MPI_GROUP_NULL;
  MPI_Comm inner = MPI_COMM_NULL;
  const bool made = MPI_Comm_group(comm, &everybody) == MPI_SUCCESS &&
                    MPI_Comm_create(comm, everybody, &inner) == MPI_SUCCESS && inner != MPI_COMM_NULL;
  if (everybody != MPI_GROUP_NULL) MPI_Group_free(&everybody);
  if (!made) return {Code::comm, "no communicator could be made beside this one"};
  MPI_Comm_set_errhandler(inner, MPI_ERRORS_RETURN);
  out.reset(new Machinery(inner));
  out->plans_.resize(all_algorithms().size());
  return {};
}

Machinery::~Machinery() {
  run_.reset();
  if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

const Plan& Machinery::plan(const Algorithm& algorithm) {
  auto& plan = plans_[static_cast<std::size_t>(&algorithm - all_algorithms().data())];
  if (!plan) plan = lower(algorithm.build({transport_.rank(), transport_.size(), 0}), transport_.size());
  return *plan;
}

Run& Machinery::run(int threads) {
  if (!device_ || device_->threads() != threads) {
    run_.reset();
    device_ = std::make_unique<HostDevice>(threads);
  }
  if (!run_) run_ = std::make_unique<Run>(transport_, *device_);
  return *run_;
}

Status Binding::read_settings(MPI_Info info, laconic_options& out) const {
  laconic_options hints{};
  laconic_options_init(&hints);
  MPI_Info kept = MPI_INFO_NULL;
  if (MPI_Comm_get_info(comm, &kept) == MPI_SUCCESS && kept != MPI_INFO_NULL) {
    Status s = read_info(kept, hints);
    MPI_Info_free(&kept);
    if (!s) return s;
  }
  if (Status s = read_info(info, hints); !s) return s;
  laconic_options environment{};
  laconic_options_init(&environment);
  if (Status s = read_environment(environment); !s) return s;
  fill_unset(hints, environment);
  out = hints;
  return {};
}

namespace {

std::unique_ptr<Binding> make_binding(MPI_Comm comm) {
  auto binding = std::make_unique<Binding>();
  binding->comm = comm;
  int intercomm = 0;
  MPI_Comm_test_inter(comm, &intercomm);
  binding->intercomm = intercomm != 0;
  MPI_Comm_size(comm, &binding->size);
  binding->stats = empty_stats();
  laconic_options_init(&binding->inherited);
  binding->inherited_status = binding->read_settings(MPI_INFO_NULL, binding->inherited);
  return binding;
}

}  // namespace

Status bind(MPI_Comm comm, Binding*& binding) {
  if (comm == MPI_COMM_NULL) return {Code::comm, "comm is MPI_COMM_NULL; valid is any communicator"};
  Process& process = Process::instance();
  binding = process.find(comm);
  if (binding != nullptr) return {};
  return process.keep(comm, make_binding(comm), binding);
}

}  // namespace laconic
