#include <mutex>

#include "comm/collective.hpp"
#include "comm/errors.hpp"
#include "comm/requests.hpp"

namespace laconic {
namespace {

Status check_request(const laconic_request* request) {
  if (request != nullptr) return {};
  return {Code::request, "request is NULL; valid is the address of a laconic_request"};
}

CollectiveOperation* make(const std::shared_ptr<Binding>& binding, const CollectiveCall& call,
                          const laconic_options* options) {
  auto* operation = take_operation<CollectiveOperation>(binding->idle_collectives);
  operation->set(binding, call, options);
  return operation;
}

}  // namespace

void CollectiveOperation::release() {
  persistent = false;
  const std::shared_ptr<Binding> keep = binding;
  const std::lock_guard lock(keep->mutex);
  give_back(this, keep->idle_collectives);
}

int run_collective(const CollectiveCall& call, const laconic_options* options) {
  std::shared_ptr<Binding> binding;
  if (Status s = bind(call.comm, binding); !s) return report(call.comm, s);
  CollectiveOperation* operation = nullptr;
  {
    const std::lock_guard lock(binding->mutex);
    operation = make(binding, call, options);
    operation->begin(true);
    launch(*operation);
  }
  drive(*operation);
  const int code = outcome(*operation);
  operation->pending = false;
  operation->release();
  return code;
}

int begin_collective(const CollectiveCall& call, laconic_request* request, const laconic_options* options) {
  if (Status s = check_request(request); !s) return report(call.comm, s);
  std::shared_ptr<Binding> binding;
  if (Status s = bind(call.comm, binding); !s) return report(call.comm, s);
  const std::lock_guard lock(binding->mutex);
  CollectiveOperation* operation = make(binding, call, options);
  operation->begin(false);
  launch(*operation);
  binding->progress();
  *request = operation;
  return MPI_SUCCESS;
}

int init_collective(const CollectiveCall& call, laconic_request* request, const laconic_options* options) {
  if (Status s = check_request(request); !s) return report(call.comm, s);
  std::shared_ptr<Binding> binding;
  if (Status s = bind(call.comm, binding); !s) return report(call.comm, s);
  const std::lock_guard lock(binding->mutex);
  CollectiveOperation* operation = make(binding, call, options);
  operation->persistent = true;
  *request = operation;
  return MPI_SUCCESS;
}

}  // namespace laconic
