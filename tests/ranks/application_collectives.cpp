// SPDX-License-Identifier: BSD-3-Clause
// The application's own nonblocking collectives on a communicator whose first compressed call is under way: neither may
// meet the messages of the other, nor those that make Laconic's communicator.
#include "support.hpp"

namespace {

using namespace ranks;

constexpr std::size_t count = 4096;
constexpr double bound = 1e-3;

class Sum {
 public:
  explicit Sum(const Test& t) : in_(count, static_cast<float>(t.rank() + 1)), out_(count), size_(t.size()) {}

  int begin(MPI_Comm comm) {
    laconic_options o = options_with(LACONIC_BOUND_ABS, bound);
    o.stats = &stats;
    return laconic_iallreduce(in_.data(), out_.data(), count, MPI_FLOAT, MPI_SUM, comm, &request, &o);
  }
  int make(MPI_Comm comm) {
    const laconic_options o = options_with(LACONIC_BOUND_ABS, bound);
    return laconic_allreduce_init(in_.data(), out_.data(), count, MPI_FLOAT, MPI_SUM, comm, &request, &o);
  }
  int block(MPI_Comm comm) {
    const laconic_options o = options_with(LACONIC_BOUND_ABS, bound);
    return laconic_allreduce(in_.data(), out_.data(), count, MPI_FLOAT, MPI_SUM, comm, &o);
  }
  bool good() const {
    const float exact = static_cast<float>(size_ * (size_ + 1)) / 2;
    return std::all_of(out_.begin(), out_.end(), [&](float x) { return std::abs(x - exact) <= 2 * bound; });
  }

  laconic_request request = LACONIC_REQUEST_NULL;
  laconic_stats stats{};

 private:
  std::vector<float> in_;
  std::vector<float> out_;
  int size_;
};

MPI_Comm duplicate() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  return comm;
}

// Each rank makes progress at random moments of its own between the calls.
void dawdle(Random& random, laconic_request* request) {
  for (std::size_t k = random.below(4); k > 0; --k) {
    usleep(static_cast<useconds_t>(random.below(200)));
    int done = 0;
    if (*request != LACONIC_REQUEST_NULL) laconic_test(request, &done, MPI_STATUS_IGNORE);
  }
}

void beside_nonblocking(Test& t, Random& random) {
  for (int round = 0; round < 60; ++round) {
    t.doing(text("sums of the application beside the first nonblocking call, round %d", round));
    t.count_case();
    const MPI_Comm comm = duplicate();
    Sum sum(t);
    CHECK(t, sum.begin(comm) == MPI_SUCCESS);
    for (int k = 0; k < 3; ++k) {
      dawdle(random, &sum.request);
      int one = 1;
      int all = 0;
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Iallreduce(&one, &all, 1, MPI_INT, MPI_SUM, comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      CHECK(t, all == t.size(), "the application's sum is %d", all);
    }
    CHECK(t, laconic_wait(&sum.request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(t, sum.good());
    MPI_Comm copy = comm;
    MPI_Comm_free(&copy);
  }
}

void beside_persistent(Test& t, Random& random) {
  for (int round = 0; round < 20; ++round) {
    t.doing(text("sums of the application beside the first persistent operation, round %d", round));
    t.count_case();
    MPI_Comm comm = duplicate();
    Sum sum(t);
    CHECK(t, sum.make(comm) == MPI_SUCCESS);
    dawdle(random, &sum.request);
    int one = 1;
    int all = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(&one, &all, 1, MPI_INT, MPI_SUM, comm, &request);
    CHECK(t, laconic_start(&sum.request) == MPI_SUCCESS);
    dawdle(random, &sum.request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(t, all == t.size(), "the application's sum is %d", all);
    CHECK(t, laconic_wait(&sum.request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(t, sum.good());
    laconic_request_free(&sum.request);
    MPI_Comm_free(&comm);
  }
}

using Prepare = void (*)(Test&, MPI_Comm);

void by_nothing(Test&, MPI_Comm) {}
void by_hints(Test& t, MPI_Comm comm) { CHECK(t, laconic_comm_set_info(comm, MPI_INFO_NULL) == MPI_SUCCESS); }
void by_blocking(Test& t, MPI_Comm comm) { CHECK(t, Sum(t).block(comm) == MPI_SUCCESS); }
void by_persistent(Test& t, MPI_Comm comm) {
  Sum sum(t);
  CHECK(t, sum.make(comm) == MPI_SUCCESS);
  laconic_request_free(&sum.request);
}

void after(Test& t, const char* what, Prepare prepare, bool prepares) {
  t.doing(text("a nonblocking call after %s", what));
  t.count_case();
  MPI_Comm comm = duplicate();
  prepare(t, comm);
  const bool compresses = t.size() == 1 || prepares;
  int prepared = -1;
  CHECK(t, laconic_comm_prepared(comm, &prepared) == MPI_SUCCESS && prepared == (compresses ? 1 : 0), "%d", prepared);
  Sum sum(t);
  CHECK(t, sum.begin(comm) == MPI_SUCCESS);
  CHECK(t, laconic_wait(&sum.request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(t, sum.good());
  const laconic_plain_reason expected = t.size() == 1 ? LACONIC_PLAIN_ONE_RANK
                                        : prepares    ? LACONIC_PLAIN_NOT
                                                      : LACONIC_PLAIN_UNPREPARED;
  CHECK(t, sum.stats.plain_reason == expected, "plain because %s", laconic_plain_reason_string(sum.stats.plain_reason));
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "application_collectives");
  Random random(t.seed() * 1000 + static_cast<std::uint64_t>(t.rank()));
  after(t, "nothing", by_nothing, false);
  after(t, "laconic_comm_set_info", by_hints, true);
  after(t, "a blocking call", by_blocking, true);
  after(t, "the _init of a persistent one", by_persistent, true);
  beside_nonblocking(t, random);
  beside_persistent(t, random);
  return t.finish();
}
