// SPDX-License-Identifier: BSD-3-Clause
// Completion of requests on several communicators: whichever of them finishes first, and whatever their order in the
// array, the others make progress.
#include "support.hpp"

namespace {

using namespace ranks;

constexpr std::size_t small = 64;
constexpr std::size_t large = std::size_t{1} << 16;

// One allreduce for each communicator; the first finishes before the others can.
class Several {
 public:
  Several(Test& t, const std::vector<MPI_Comm>& comms, bool persistent) : t_(t) {
    for (std::size_t k = 0; k < comms.size(); ++k) {
      const std::size_t n = k == 0 ? small : large;
      in_.emplace_back(n, static_cast<float>(t.rank() + 1));
      out_.emplace_back(n, -1.0F);
    }
    requests_.resize(comms.size(), LACONIC_REQUEST_NULL);
    const laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-3);
    for (std::size_t k = 0; k < comms.size(); ++k) {
      const auto n = static_cast<MPI_Count>(in_[k].size());
      if (persistent)
        laconic_allreduce_init(in_[k].data(), out_[k].data(), n, MPI_FLOAT, MPI_SUM, comms[k], &requests_[k], &o);
      else
        laconic_iallreduce(in_[k].data(), out_[k].data(), n, MPI_FLOAT, MPI_SUM, comms[k], &requests_[k], &o);
      if (persistent) laconic_start(&requests_[k]);
      // No rank waits for the second before all ranks have completed the first.
      if (k == 0) finish_first();
    }
  }

  std::vector<laconic_request>& requests() { return requests_; }

  void check() {
    const float exact = static_cast<float>(t_.size() * (t_.size() + 1)) / 2;
    for (const auto& numbers : out_)
      CHECK(t_,
            std::all_of(numbers.begin(), numbers.end(),
                        [&](float x) { return x >= exact - 2e-3F && x <= exact + 2e-3F; }),
            "a sum is wrong");
  }

  void free_all() {
    for (laconic_request& r : requests_) CHECK(t_, laconic_request_free(&r) == MPI_SUCCESS);
  }

 private:
  // Does not complete the request: its operation ends while that of another communicator is polled.
  void finish_first() {
    std::vector<float> x(small, 1.0F);
    const laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-3);
    MPI_Comm comm = MPI_COMM_WORLD;
    for (int k = 0; k < 4; ++k) {
      laconic_allreduce(MPI_IN_PLACE, x.data(), small, MPI_FLOAT, MPI_MAX, comm, &o);
      MPI_Barrier(comm);
    }
  }

  Test& t_;
  std::vector<std::vector<float>> in_;
  std::vector<std::vector<float>> out_;
  std::vector<laconic_request> requests_;
};

using Complete = void (*)(Test&, std::vector<laconic_request>&);

void by_testall(Test& t, std::vector<laconic_request>& r) {
  for (int flag = 0; !flag;)
    if (!CHECK(t, laconic_testall(static_cast<int>(r.size()), r.data(), &flag, MPI_STATUSES_IGNORE) == MPI_SUCCESS))
      return;
}
void by_waitall(Test& t, std::vector<laconic_request>& r) {
  CHECK(t, laconic_waitall(static_cast<int>(r.size()), r.data(), MPI_STATUSES_IGNORE) == MPI_SUCCESS);
}
void by_waitany(Test& t, std::vector<laconic_request>& r) {
  for (std::size_t k = 0; k < r.size(); ++k) {
    int index = -1;
    if (!CHECK(t, laconic_waitany(static_cast<int>(r.size()), r.data(), &index, MPI_STATUS_IGNORE) == MPI_SUCCESS))
      return;
    CHECK(t, index >= 0 && index < static_cast<int>(r.size()), "index %d", index);
  }
}
// Waits for the last one first: the others are complete already, or make progress meanwhile.
void by_test(Test& t, std::vector<laconic_request>& r) {
  for (std::size_t k = r.size(); k-- > 0;)
    for (int flag = 0; !flag;)
      if (!CHECK(t, laconic_test(&r[k], &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS)) return;
}
void by_wait(Test& t, std::vector<laconic_request>& r) {
  for (laconic_request& one : r) CHECK(t, laconic_wait(&one, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "completion");
  std::vector<MPI_Comm> comms(3);
  for (MPI_Comm& comm : comms) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  struct Way {
    const char* name;
    Complete complete;
  };
  const Way ways[] = {
      {"testall", by_testall}, {"waitall", by_waitall}, {"waitany", by_waitany}, {"test", by_test}, {"wait", by_wait}};
  for (const bool persistent : {false, true})
    for (const bool backwards : {false, true})
      for (const Way& way : ways) {
        t.doing(text("%s%s%s", persistent ? "persistent, " : "", way.name, backwards ? ", backwards" : ""));
        t.count_case();
        Several several(t, comms, persistent);
        auto& requests = several.requests();
        if (backwards) std::reverse(requests.begin(), requests.end());
        way.complete(t, requests);
        several.check();
        if (persistent) several.free_all();
      }
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  return t.finish();
}
