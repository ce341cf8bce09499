// SPDX-License-Identifier: BSD-3-Clause
// Requests, completed in all of MPI's ways.
#include <sched.h>

#include <algorithm>

#include "play.hpp"

namespace handles {

std::shared_ptr<Op> Play::add(Op op) {
  ops_.push_back(std::make_shared<Op>(std::move(op)));
  return ops_.back();
}

void Play::completed(Op& op, const MPI_Status* status) {
  if (!op.active) return;
  op.active = false;
  if (op.persistent) {
    CHECK(run.journal, op.request != MPI_REQUEST_NULL, "%s: the handle is gone", op.what.c_str());
    if (op.last) run.good(MPI_Request_free(&op.request), "MPI_Request_free");
  } else {
    CHECK(run.journal, op.request == MPI_REQUEST_NULL, "%s: the handle is still there", op.what.c_str());
  }
  const auto done = op.done;
  if (!op.persistent || op.last) ops_.remove_if([&](const std::shared_ptr<Op>& other) { return other.get() == &op; });
  done(status);
}

void Play::finish(Op& op) {
  if (!op.active) return;
  const auto way = own.below(4);
  say("wait for " + op.what);
  MPI_Status status;
  int flag = 0;
  if (way == 0) {
    run.good(MPI_Wait(&op.request, MPI_STATUS_IGNORE), "MPI_Wait");
  } else if (way == 1) {
    run.good(MPI_Waitall(1, &op.request, &status), "MPI_Waitall");
  } else if (way == 2) {
    while (!flag) {
      run.good(MPI_Test(&op.request, &flag, &status), "MPI_Test");
      if (!flag) sched_yield();
    }
  } else {
    run.good(MPI_Wait(&op.request, &status), "MPI_Wait");
  }
  completed(op, way == 0 ? nullptr : &status);
}

void Play::finish_on(const Comm* comm) {
  for (;;) {
    std::vector<std::shared_ptr<Op>> open;
    for (const auto& op : ops_)
      if (op->active && (!comm || op->comm.get() == comm)) open.push_back(op);
    if (open.empty()) return;
    if (!comm && own.below(2) == 0)
      complete_some();
    else
      finish(*open[own.below(open.size())]);
  }
}

void Play::complete_some() {
  std::vector<std::shared_ptr<Op>> some;
  for (const auto& op : ops_)
    if (op->active && own.below(4) != 0) some.push_back(op);
  if (some.empty()) return;
  for (std::size_t i = some.size(); i > 1; --i) std::swap(some[i - 1], some[own.below(i)]);
  // Null handles among them.
  if (own.below(3) == 0) some.insert(some.begin() + static_cast<std::ptrdiff_t>(own.below(some.size() + 1)), nullptr);
  std::vector<MPI_Request> requests;
  std::string names;
  for (const auto& op : some) {
    requests.push_back(op ? op->request : MPI_REQUEST_NULL);
    names += op ? " [" + op->what + "]" : " [null]";
  }
  const int n = static_cast<int>(some.size());
  std::vector<MPI_Status> statuses(some.size());
  std::vector<int> indices(some.size());
  int flag = 0;
  int which = MPI_UNDEFINED;
  int count = 0;
  const auto complete = [&](std::size_t k, const MPI_Status* status) {
    if (!some[k]) return;
    some[k]->request = requests[k];
    completed(*some[k], status);
  };
  const auto complete_listed = [&] {
    if (count == MPI_UNDEFINED) return;
    for (int k = 0; k < count; ++k)
      complete(static_cast<std::size_t>(indices[static_cast<std::size_t>(k)]), &statuses[static_cast<std::size_t>(k)]);
  };
  const auto begin = [&](const char* name) { say(name + names); };
  auto way = own.below(9);
  // A wait needs what will complete: for all of them, or for one.
  const auto waitable = [](const std::shared_ptr<Op>& op) { return op && op->can_wait(); };
  const auto harmless = [&](const std::shared_ptr<Op>& op) { return !op || op->can_wait(); };
  if (way == 0 && !std::ranges::all_of(some, harmless)) way = 1;
  if ((way == 2 || way == 4) && std::ranges::none_of(some, waitable)) ++way;
  // MPICH 5.0 itself: MPI_Testall fails with MPI_ERR_IN_STATUS where a persistent collective is complete, and
  // MPI_Request_get_status of a complete persistent receive takes its status away.
  const auto persistent = [](const std::shared_ptr<Op>& op) { return op && op->persistent; };
  if (mpich && way == 1 && std::ranges::any_of(some, [&](const auto& op) { return persistent(op) && op->collective; }))
    way = 5;
  if (mpich && way == 6 && std::ranges::any_of(some, persistent)) way = 7;
  switch (way) {
    case 0:
      begin("MPI_Waitall");
      run.good(MPI_Waitall(n, requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
      for (std::size_t k = 0; k < some.size(); ++k) complete(k, nullptr);
      break;
    case 1:
      begin("MPI_Testall");
      run.good(MPI_Testall(n, requests.data(), &flag, statuses.data()), "MPI_Testall");
      for (std::size_t k = 0; flag && k < some.size(); ++k) complete(k, &statuses[k]);
      break;
    case 2:
      begin("MPI_Waitany");
      run.good(MPI_Waitany(n, requests.data(), &which, statuses.data()), "MPI_Waitany");
      if (which != MPI_UNDEFINED) complete(static_cast<std::size_t>(which), statuses.data());
      break;
    case 3:
      begin("MPI_Testany");
      run.good(MPI_Testany(n, requests.data(), &which, &flag, statuses.data()), "MPI_Testany");
      if (flag && which != MPI_UNDEFINED) complete(static_cast<std::size_t>(which), statuses.data());
      break;
    case 4:
      begin("MPI_Waitsome");
      run.good(MPI_Waitsome(n, requests.data(), &count, indices.data(), statuses.data()), "MPI_Waitsome");
      complete_listed();
      break;
    case 5:
      begin("MPI_Testsome");
      run.good(MPI_Testsome(n, requests.data(), &count, indices.data(), statuses.data()), "MPI_Testsome");
      complete_listed();
      break;
    case 6: {
      begin("MPI_Request_get_status");
      for (const MPI_Request request : requests)
        run.good(MPI_Request_get_status(request, &flag, own.below(2) == 0 ? MPI_STATUS_IGNORE : statuses.data()),
                 "MPI_Request_get_status");
      break;
    }
    case 7:
      begin("MPI_Test, each");
      for (std::size_t k = 0; k < some.size(); ++k) {
        run.good(MPI_Test(&requests[k], &flag, &statuses[k]), "MPI_Test");
        if (flag) complete(k, &statuses[k]);
      }
      break;
    default:
      if (waitable(some[0])) finish(*some[0]);
  }
}

}  // namespace handles
