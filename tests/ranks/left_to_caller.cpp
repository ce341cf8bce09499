// SPDX-License-Identifier: BSD-3-Clause
// options.plain: a rank's own reason not to compress keeps all ranks from it, and the caller makes MPI's call.
#include <sys/mman.h>

#include <cmath>
#include <numeric>

#include "support.hpp"

namespace {

using namespace ranks;

constexpr std::size_t count = 30000;
constexpr double bound = 1e-3;
constexpr auto own_reason = [](int k) { return static_cast<laconic_plain_reason>(LACONIC_PLAIN_CALLER + k); };

std::vector<float> ramp(int rank, std::size_t n) {
  std::vector<float> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(std::sin(0.001 * static_cast<double>(i)) + rank);
  return x;
}

// Memory that ends the program when it is read or written.
class Forbidden {
 public:
  explicit Forbidden(std::size_t bytes)
      : bytes_(bytes), at_(mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  Forbidden(const Forbidden&) = delete;
  Forbidden& operator=(const Forbidden&) = delete;
  ~Forbidden() { munmap(at_, bytes_); }
  void* get() const { return at_; }

 private:
  std::size_t bytes_;
  void* at_;
};

struct Routine {
  const char* name;
  int (*run)(void* send, void* recv, const laconic_options* options);
};

int allreduce(void* send, void* recv, const laconic_options* o) {
  return laconic_allreduce(send, recv, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, o);
}

int bcast(void*, void* recv, const laconic_options* o) {
  return laconic_bcast(recv, count, MPI_FLOAT, 0, MPI_COMM_WORLD, o);
}

int alltoallv(void* send, void* recv, const laconic_options* o) {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto n = static_cast<std::size_t>(size);
  const std::vector<MPI_Count> counts(n, static_cast<MPI_Count>(count / n));
  std::vector<MPI_Aint> displs(n);
  for (std::size_t p = 0; p < n; ++p) displs[p] = static_cast<MPI_Aint>(p * (count / n));
  return laconic_alltoallv(send, counts.data(), displs.data(), MPI_FLOAT, recv, counts.data(), displs.data(), MPI_FLOAT,
                           MPI_COMM_WORLD, o);
}

const std::vector<Routine> routines{{"allreduce", allreduce}, {"bcast", bcast}, {"alltoallv", alltoallv}};

// The first two ranks refuse, each for a reason of its own.
void refuse(Test& t, const Routine& routine) {
  t.doing(text("%s, refused", routine.name));
  t.count_case();
  const Forbidden forbidden(count * sizeof(float));
  std::vector<float> send = ramp(t.rank(), count);
  std::vector<float> recv(count, -7);
  if (t.rank() == 0) recv = ramp(5, count);  // the root of the broadcast
  const std::vector<float> before = recv;
  const bool refuses = t.rank() < 2;
  laconic_plain_reason reason = refuses ? own_reason(3 + 4 * t.rank()) : LACONIC_PLAIN_NOT;
  laconic_stats stats{};
  laconic_options o = options_with(LACONIC_BOUND_REL, bound);
  o.plain = &reason;
  o.stats = &stats;
  const int rc = routine.run(refuses ? forbidden.get() : send.data(), refuses ? forbidden.get() : recv.data(), &o);
  CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  const laconic_plain_reason expected = t.size() == 1 ? LACONIC_PLAIN_ONE_RANK : own_reason(7);
  CHECK(t, reason == expected, "reason %d, not %d", reason, expected);
  CHECK(t, stats.plain_calls == 1 && stats.plain_reason == expected, "%d", stats.plain_reason);
  CHECK(t, recv == before, "the receive buffer was changed");
}

void compress(Test& t, const Routine& routine) {
  t.doing(text("%s, compressed", routine.name));
  t.count_case();
  std::vector<float> send = ramp(t.rank(), count);
  std::vector<float> recv = ramp(t.rank(), count);
  laconic_plain_reason reason = LACONIC_PLAIN_NOT;
  laconic_stats stats{};
  laconic_options o = options_with(LACONIC_BOUND_ABS, bound);
  o.plain = &reason;
  o.stats = &stats;
  const int rc = routine.run(send.data(), recv.data(), &o);
  if (!CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str())) return;
  CHECK(t, reason == (t.size() == 1 ? LACONIC_PLAIN_ONE_RANK : LACONIC_PLAIN_NOT), "reason %d", reason);
  CHECK(t, stats.plain_calls == (t.size() == 1 ? 1U : 0U));
}

// A type that is never compressed is a reason that other ranks do not see: they may give another type for the same
// bytes.
void refuse_for_the_type(Test& t) {
  t.doing("bcast, refused for the type");
  t.count_case();
  const bool refuses = t.rank() % 2 == 1;
  std::vector<float> x = ramp(t.rank(), count);
  laconic_plain_reason reason = refuses ? own_reason(1) : LACONIC_PLAIN_NOT;
  laconic_options o = options_with(LACONIC_BOUND_ABS, bound);
  o.plain = &reason;
  const auto bytes = static_cast<MPI_Count>(count * sizeof(float));
  const int rc = laconic_bcast(x.data(), refuses ? bytes : static_cast<MPI_Count>(count),
                               refuses ? MPI_BYTE : MPI_FLOAT, 0, MPI_COMM_WORLD, &o);
  CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  const laconic_plain_reason expected = t.size() == 1 ? LACONIC_PLAIN_ONE_RANK : own_reason(1);
  CHECK(t, reason == expected, "reason %d, not %d", reason, expected);
}

void small(Test& t) {
  t.doing("a call below min_bytes");
  t.count_case();
  std::vector<float> x(16, 1);
  laconic_plain_reason reason = LACONIC_PLAIN_NOT;
  laconic_options o = options_with(LACONIC_BOUND_ABS, bound);
  o.min_bytes = 1 << 20;
  o.plain = &reason;
  const int rc = laconic_allreduce(MPI_IN_PLACE, x.data(), 16, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &o);
  CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  CHECK(t, reason == (t.size() == 1 ? LACONIC_PLAIN_ONE_RANK : LACONIC_PLAIN_SMALL), "reason %d", reason);
  CHECK(t, x == std::vector<float>(16, 1), "the buffer was changed");
}

// Without options.plain, MPI's own collective follows the agreement; operations in flight move on meanwhile.
void plain_after_agreement(Test& t) {
  t.doing("alltoallv of few bytes beside an allreduce in flight");
  for (int round = 0; round < 20; ++round) {
    t.count_case();
    const laconic_options compressed = options_with(LACONIC_BOUND_ABS, bound);
    const std::vector<float> send = ramp(t.rank(), count);
    std::vector<float> sum(count);
    laconic_request request = LACONIC_REQUEST_NULL;
    int rc =
        laconic_iallreduce(send.data(), sum.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request, &compressed);
    CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
    const auto n = static_cast<std::size_t>(t.size());
    const std::vector<MPI_Count> counts(n, 1);
    std::vector<MPI_Aint> displs(n);
    std::iota(displs.begin(), displs.end(), 0);
    std::vector<double> out(n, t.rank());
    std::vector<double> in(n, -1);
    laconic_stats stats{};
    laconic_options o = options_with(LACONIC_BOUND_ABS, bound);
    o.min_bytes = 1 << 20;
    o.stats = &stats;
    rc = laconic_alltoallv(out.data(), counts.data(), displs.data(), MPI_DOUBLE, in.data(), counts.data(),
                           displs.data(), MPI_DOUBLE, MPI_COMM_WORLD, &o);
    CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
    for (std::size_t p = 0; p < n; ++p) CHECK(t, in[p] == static_cast<double>(p), "from rank %zu: %g", p, in[p]);
    CHECK(t, stats.plain_reason == (t.size() == 1 ? LACONIC_PLAIN_ONE_RANK : LACONIC_PLAIN_SMALL), "%d",
          stats.plain_reason);
    rc = laconic_wait(&request, MPI_STATUS_IGNORE);
    CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
    for (std::size_t i = 0; i < count; i += 999) {
      const double exact = std::sin(0.001 * static_cast<double>(i)) * t.size() + t.size() * (t.size() - 1) / 2.0;
      CHECK(t, std::fabs(sum[i] - exact) <= bound + 1e-5 * t.size(), "element %zu: %g, not %g", i,
            static_cast<double>(sum[i]), exact);
    }
  }
}

void expect_error(Test& t, int rc, const char* needed) {
  CHECK(t, rc != MPI_SUCCESS, "no error");
  CHECK(t, message_of(rc).find(needed) != std::string::npos, "%s", message_of(rc).c_str());
}

// Makes the call as a caller does that makes MPI's calls itself.  number: of the call before, or 0; the new one is
// returned.
laconic_plain_reason call_again(Test& t, MPI_Comm comm, bool by_number, std::uint64_t& number, int& recognised) {
  static const std::vector<float> send = ramp(t.rank(), count);
  static std::vector<float> recv(count);
  int again = 0;
  if (by_number && number != 0) CHECK(t, laconic_plain_again(comm, number, &again) == MPI_SUCCESS);
  recognised += again;
  laconic_plain_reason reason = again != 0 ? LACONIC_PLAIN_SLOWER : LACONIC_PLAIN_NOT;
  if (again == 0) {
    laconic_options o = options_with(LACONIC_BOUND_ABS, bound);
    o.tune = LACONIC_TUNE_ON;
    o.plain = &reason;
    const int rc = laconic_allreduce(send.data(), recv.data(), count, MPI_FLOAT, MPI_SUM, comm, &o);
    CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  }
  if (reason != LACONIC_PLAIN_SLOWER) return reason;
  if (again == 0) CHECK(t, laconic_plain_call(comm, &number) == MPI_SUCCESS);
  MPI_Allreduce(send.data(), recv.data(), count, MPI_FLOAT, MPI_SUM, comm);
  CHECK(t, laconic_plain_took(comm, 1e-9) == MPI_SUCCESS);
  return reason;
}

#ifdef SERVES_DEVICES
constexpr bool recognisable = false;
#else
constexpr bool recognisable = true;
#endif

// Some ranks pass the arguments of every call, the others recognise calls by their number: all count the same calls.
void recognise(Test& t) {
  t.doing("repeated calls by their number");
  t.count_case();
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::uint64_t number = 0;
  int recognised = 0;
  constexpr int calls = 300;
  for (int k = 0; k < calls; ++k) {
    const laconic_plain_reason reason = call_again(t, comm, t.rank() % 2 == 0, number, recognised);
    CHECK(t, reason == LACONIC_PLAIN_SLOWER, "call %d: reason %d", k, reason);
  }
  CHECK(t, (number != 0) == recognisable);
  const bool many = recognisable && t.rank() % 2 == 0;
  CHECK(t, many ? recognised > calls / 2 : recognised == 0, "%d recognised", recognised);
  laconic_tuning learnt{};
  int classes = 0;
  laconic_stats stats{};
  CHECK(t, laconic_tuning_get(comm, &learnt, 1, &classes) == MPI_SUCCESS && classes == 1);
  CHECK(t, learnt.calls == calls, "%d calls", static_cast<int>(learnt.calls));
  CHECK(t, laconic_stats_get(comm, &stats) == MPI_SUCCESS && stats.plain_calls == calls);
  CHECK(t, stats.bytes_in == calls * count * sizeof(float));

  t.doing("numbers that are not known");
  int again = -1;
  for (const std::uint64_t unknown : {std::uint64_t{0}, number + 1, number + 8, UINT64_MAX})
    CHECK(t, laconic_plain_again(comm, unknown, &again) == MPI_SUCCESS && again == 0);
  CHECK(t, laconic_comm_set_info(comm, MPI_INFO_NULL) == MPI_SUCCESS);
  CHECK(t, laconic_plain_again(comm, number, &again) == MPI_SUCCESS && again == 0, "the settings may have changed");
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  expect_error(t, laconic_plain_again(comm, number, nullptr), "again");
  expect_error(t, laconic_plain_call(comm, nullptr), "number");
  MPI_Comm_free(&comm);
}

void errors(Test& t) {
  t.count_case();
  laconic_plain_reason reason = LACONIC_PLAIN_NOT;
  laconic_options o = options_with(LACONIC_BOUND_ABS, bound);
  o.plain = &reason;
  std::vector<float> x = ramp(t.rank(), count);
  laconic_request request = LACONIC_REQUEST_NULL;
  t.doing("options.plain of a nonblocking call");
  int rc = laconic_iallreduce(MPI_IN_PLACE, x.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request, &o);
  if (rc == MPI_SUCCESS) rc = laconic_wait(&request, MPI_STATUS_IGNORE);
  expect_error(t, rc, "options->plain");
  t.doing("options.plain of a message");
  expect_error(t, laconic_send(x.data(), count, MPI_FLOAT, t.rank(), 0, MPI_COMM_WORLD, &o), "options->plain");
  t.doing("a reason below 0");
  if (t.size() > 1) {
    reason = static_cast<laconic_plain_reason>(-1);
    expect_error(t, allreduce(MPI_IN_PLACE, x.data(), &o), "options->plain");
    t.doing("options.plain of one rank alone");
    reason = LACONIC_PLAIN_NOT;
    if (t.rank() == 0) o.plain = nullptr;
    expect_error(t, allreduce(MPI_IN_PLACE, x.data(), &o), "plain");
  }
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "left_to_caller");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (const Routine& routine : routines) {
    compress(t, routine);
    refuse(t, routine);
  }
  refuse_for_the_type(t);
  small(t);
  plain_after_agreement(t);
  if (t.size() > 1) recognise(t);
  errors(t);
  return t.finish();
}
