// SPDX-License-Identifier: BSD-3-Clause
// options.tune: the ranks learn together which calls are faster uncompressed.  The test says how long MPI's calls took,
// and the ranks' clocks run at very different speeds.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "clock.hpp"
#include "emulated_nodes.hpp"
#include "learnt.hpp"

namespace {

int agreements = 0;
double seconds_in_mpi = 0;  // of MPI's own MPI_Iallreduce of numbers, besides what it takes
bool agreements_as_well = false;

void take_long(double times = 1) { ranks::clock.pass(times * seconds_in_mpi); }

}  // namespace

extern "C" __attribute__((visibility("default"))) int MPI_Iallreduce(const void* send, void* recv, int count,
                                                                     MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                                                     MPI_Request* request) {
  static auto* const next =
      reinterpret_cast<int (*)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request*)>(
          dlsym(RTLD_NEXT, "MPI_Iallreduce"));
  if (type == MPI_FLOAT) {
    take_long();
  } else {
    ++agreements;
    if (agreements_as_well) take_long(2);
  }
  return next(send, recv, count, type, op, comm, request);
}

#if MPI_VERSION >= 4
extern "C" __attribute__((visibility("default"))) int MPI_Iallreduce_c(const void* send, void* recv, MPI_Count count,
                                                                       MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                                                       MPI_Request* request) {
  take_long();
  return PMPI_Iallreduce_c(send, recv, count, type, op, comm, request);
}
#endif

namespace {

using namespace ranks;

constexpr int count = 60000;  // of the largest buffer
constexpr double bound = 1e-3;

laconic_tune tune = LACONIC_TUNE_ON;

// A collective, MPI's own and Laconic's, and the result that rank `rank` of `size` ranks expects.
struct Routine {
  const char* name;
  int (*run)(const float* send, float* recv, int size, MPI_Comm comm, const laconic_options* options);
  int (*plain)(const float* send, float* recv, int size, MPI_Comm comm);
  double (*expected)(std::size_t i, int rank, int size);
};

double sum_of(std::size_t i, int, int size) {
  double sum = 0;
  for (int r = 0; r < size; ++r) sum += static_cast<double>(number_of(r, i));
  return sum;
}

const std::vector<Routine> routines{
    {"allreduce",
     [](const float* send, float* recv, int, MPI_Comm comm, const laconic_options* o) {
       return laconic_allreduce(send, recv, count, MPI_FLOAT, MPI_SUM, comm, o);
     },
     [](const float* send, float* recv, int, MPI_Comm comm) {
       return MPI_Allreduce(send, recv, count, MPI_FLOAT, MPI_SUM, comm);
     },
     sum_of},
    {"bcast",
     [](const float* send, float* recv, int size, MPI_Comm comm, const laconic_options* o) {
       int rank = 0;
       MPI_Comm_rank(comm, &rank);
       if (rank == size - 1) std::copy_n(send, count, recv);
       return laconic_bcast(recv, count, MPI_FLOAT, size - 1, comm, o);
     },
     [](const float*, float* recv, int size, MPI_Comm comm) {
       return MPI_Bcast(recv, count, MPI_FLOAT, size - 1, comm);
     },
     [](std::size_t i, int, int size) { return static_cast<double>(number_of(size - 1, i)); }},
    {"alltoall",
     [](const float* send, float* recv, int size, MPI_Comm comm, const laconic_options* o) {
       return laconic_alltoall(send, count / size, MPI_FLOAT, recv, count / size, MPI_FLOAT, comm, o);
     },
     [](const float* send, float* recv, int size, MPI_Comm comm) {
       return MPI_Alltoall(send, count / size, MPI_FLOAT, recv, count / size, MPI_FLOAT, comm);
     },
     [](std::size_t i, int rank, int size) {
       const auto each = static_cast<std::size_t>(count / size);
       return static_cast<double>(
           number_of(static_cast<int>(i / each), static_cast<std::size_t>(rank) * each + i % each));
     }},
    {"gatherv",
     [](const float* send, float* recv, int size, MPI_Comm comm, const laconic_options* o) {
       const std::vector<MPI_Count> counts(static_cast<std::size_t>(size), count / size);
       std::vector<MPI_Aint> displs(static_cast<std::size_t>(size));
       for (std::size_t p = 0; p < displs.size(); ++p) displs[p] = static_cast<MPI_Aint>(p) * (count / size);
       return laconic_gatherv(send, count / size, MPI_FLOAT, recv, counts.data(), displs.data(), MPI_FLOAT, 0, comm, o);
     },
     [](const float* send, float* recv, int size, MPI_Comm comm) {
       return MPI_Gather(send, count / size, MPI_FLOAT, recv, count / size, MPI_FLOAT, 0, comm);
     },
     [](std::size_t i, int rank, int size) {
       const auto each = static_cast<std::size_t>(count / size);
       return rank == 0 ? static_cast<double>(number_of(static_cast<int>(i / each), i % each)) : -1.0;
     }},
};

struct Called {
  laconic_plain_reason reason;
  bool right;
};

// Makes one call and checks its result.  plain_seconds: what MPI's call is said to take, by a correct clock; negative:
// Laconic makes MPI's call itself.
Called call(Test& t, const Routine& routine, MPI_Comm comm, double plain_seconds) {
  const auto n = static_cast<std::size_t>(count / t.size() * t.size());
  std::vector<float> send(n);
  for (std::size_t i = 0; i < n; ++i) send[i] = number_of(t.rank(), i);
  send.resize(count, 0);
  std::vector<float> recv(count, -1);
  laconic_stats stats{};
  laconic_plain_reason reason = LACONIC_PLAIN_NOT;
  laconic_options o = options_with(LACONIC_BOUND_ABS, bound);
  o.tune = tune;
  o.stats = &stats;
  if (plain_seconds >= 0) o.plain = &reason;
  CHECK(t, routine.run(send.data(), recv.data(), t.size(), comm, &o) == MPI_SUCCESS);
  if (plain_seconds < 0) reason = stats.plain_calls > 0 ? stats.plain_reason : LACONIC_PLAIN_NOT;
  if (plain_seconds >= 0 && reason != LACONIC_PLAIN_NOT) {
    routine.plain(send.data(), recv.data(), t.size(), comm);
    CHECK(t, laconic_plain_took(comm, plain_seconds * ranks::clock.speed()) == MPI_SUCCESS);
  }
  bool right = true;
  for (std::size_t i = 0; i < n; ++i) {
    const double expected = routine.expected(i, t.rank(), t.size());
    right = right && std::abs(static_cast<double>(recv[i]) - expected) <= bound + 1e-6 * std::abs(expected);
  }
  return {reason, right};
}

// The reason of this call, after checking that all ranks have the same and the right result.
laconic_plain_reason agreed(Test& t, const Routine& routine, MPI_Comm comm, double plain_seconds) {
  const Called mine = call(t, routine, comm, plain_seconds);
  CHECK(t, mine.right);
  CHECK(t, mine.reason == LACONIC_PLAIN_NOT || mine.reason == LACONIC_PLAIN_SLOWER, "reason %d", mine.reason);
  int same[2] = {mine.reason, -mine.reason};
  MPI_Allreduce(MPI_IN_PLACE, same, 2, MPI_INT, MPI_MAX, comm);
  CHECK(t, same[0] == -same[1], "ranks have reasons %d and %d", same[0], -same[1]);
  return mine.reason;
}

bool iallreduce_is_compressed(Test& t, MPI_Comm comm) {
  std::vector<float> send(count, 1);
  std::vector<float> recv(count);
  laconic_stats stats{};
  laconic_options o = options_with(LACONIC_BOUND_ABS, bound);
  o.tune = tune;
  o.stats = &stats;
  laconic_request request = LACONIC_REQUEST_NULL;
  CHECK(t, laconic_iallreduce(send.data(), recv.data(), count, MPI_FLOAT, MPI_SUM, comm, &request, &o) == MPI_SUCCESS);
  CHECK(t, laconic_wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  return stats.plain_calls == 0;
}

void slow_network(Test& t, const Routine& routine) {
  t.doing(text("%s on a slow network", routine.name));
  t.count_case();
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  CHECK(t, agreed(t, routine, comm, 10) == LACONIC_PLAIN_SLOWER, "plain is measured first");
  int compressed = 0;
  for (int k = 0; k < 45; ++k) compressed += agreed(t, routine, comm, 10) == LACONIC_PLAIN_NOT ? 1 : 0;
  CHECK(t, compressed > 15, "%d of 45 calls compressed", compressed);
  const laconic_tuning tuning = learnt(t, comm);
  CHECK(t, std::string(routine.name).starts_with(tuning.collective), "%s", tuning.collective);
  CHECK(t, tuning.calls == 46, "%d calls", static_cast<int>(tuning.calls));
  CHECK(t, tuning.compressed_calls == static_cast<std::uint64_t>(compressed));
  CHECK(t, tuning.algorithm > LACONIC_ALGORITHM_PLAIN);
  CHECK(t, tuning.plain_seconds >= 10 && tuning.measured_seconds > 0 && tuning.predicted_seconds > 0);
  CHECK(t, tuning.ratio > 1, "ratio %g", tuning.ratio);
  if (routine.name == std::string("allreduce")) CHECK(t, iallreduce_is_compressed(t, comm));
  MPI_Comm_free(&comm);
}

void fast_network(Test& t, const Routine& routine) {
  t.doing(text("%s on a fast network", routine.name));
  t.count_case();
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int k = 0; k < 30; ++k) agreed(t, routine, comm, 1e-9);
  agreements = 0;
  for (int k = 0; k < 5; ++k) CHECK(t, agreed(t, routine, comm, 1e-9) == LACONIC_PLAIN_SLOWER);
  CHECK(t, learnt(t, comm).algorithm == LACONIC_ALGORITHM_PLAIN);
  CHECK(t, agreements <= 1, "%d agreements in 5 calls", agreements);
  if (routine.name == std::string("allreduce")) CHECK(t, !iallreduce_is_compressed(t, comm));
  MPI_Comm_free(&comm);
}

// Whatever is faster on this machine.
void real_network(Test& t, const Routine& routine) {
  t.doing(text("%s on the real network", routine.name));
  t.count_case();
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int k = 0; k < 40; ++k) agreed(t, routine, comm, -1);
  MPI_Comm_free(&comm);
}

// Off: every call that can be compressed is.
void off(Test& t) {
  t.doing("tune off");
  t.count_case();
  std::vector<float> send(count, 1);
  std::vector<float> recv(count);
  laconic_stats stats{};
  laconic_options o = options_with(LACONIC_BOUND_ABS, bound);
  o.tune = LACONIC_TUNE_OFF;
  o.stats = &stats;
  for (int k = 0; k < 5; ++k) {
    CHECK(t, laconic_allreduce(send.data(), recv.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &o) == MPI_SUCCESS);
    CHECK(t, t.size() == 1 || stats.plain_calls == 0);
  }
}

// The error of laconic_options_set(options, "tune", value), and an empty text if there is none.
std::string error_of_tune(laconic_options& o, const std::string& value) {
  const int rc = laconic_options_set(&o, "tune", value.c_str());
  return rc == MPI_SUCCESS ? "" : message_of(rc);
}

// A profile decides on every call of a collective alike, whatever its calls take, and two runs do the same.
void profile(Test& t) {
  t.doing("a profile");
  t.count_case();
  laconic_options o = options_with(LACONIC_BOUND_ABS, bound);
  o.tune = LACONIC_TUNE_PROFILE;
  float send[4]{};
  float recv[4]{};
  MPI_Comm returns = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &returns);
  MPI_Comm_set_errhandler(returns, MPI_ERRORS_RETURN);
  const int early = laconic_allreduce(send, recv, 4, MPI_FLOAT, MPI_SUM, returns, &o);
  MPI_Comm_free(&returns);
  CHECK(t, early != MPI_SUCCESS && message_of(early).find("no profile has been read") != std::string::npos);
  o.tune = LACONIC_TUNE_UNSET;
  CHECK(t, error_of_tune(o, "onn").find("on, off and the file of a profile") != std::string::npos);
  CHECK(t, o.tune == LACONIC_TUNE_UNSET);

  char file[] = "/tmp/laconic-profile-XXXXXX";
  const int descriptor = mkstemp(file);
  CHECK(t, descriptor >= 0);
  std::string bad = "laconic profile 3\n# a test\nranks " + std::to_string(t.size()) +
                    "\nwithin_node 0\ncoding light 1e-9 1e-9 1e-9 1e-9 1e-10 0.2\n";
  const std::string good =
      bad + "class allreduce 262144 10 light direct 2 1e-3\nclass bcast 262144 1e-9 light binomial 1 1\n" +
      "class alltoall 262144 1e-9 light pairwise 1 1\nclass gather 1048576 1e-9 light binomial 1 1\nend\n";
  bad += "class allreduce 262144 10 light no-such-algorithm 1 1\nend\n";
  CHECK(t, pwrite(descriptor, bad.data(), bad.size(), 0) == static_cast<ssize_t>(bad.size()));
  CHECK(t, error_of_tune(o, file).find("no-such-algorithm") != std::string::npos);
  CHECK(t, ftruncate(descriptor, 0) == 0);
  CHECK(t, pwrite(descriptor, good.data(), good.size(), 0) == static_cast<ssize_t>(good.size()));
  CHECK(t, error_of_tune(o, file).empty(), "%s", error_of_tune(o, file).c_str());
  CHECK(t, o.tune == LACONIC_TUNE_PROFILE && std::string(laconic_tune_name(o.tune)) == "profile");
  CHECK(t, error_of_tune(o, "/tmp/another").find("this process uses the profile") != std::string::npos);
  CHECK(t, o.tune == LACONIC_TUNE_PROFILE);
  close(descriptor);
  unlink(file);

  tune = LACONIC_TUNE_PROFILE;
  for (const Routine& routine : routines) {
    t.doing(text("%s with a profile", routine.name));
    for (int run = 0; run < 2; ++run) {
      MPI_Comm comm = MPI_COMM_NULL;
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      const bool compressed = routine.name == std::string("allreduce");
      agreements = 0;
      for (int k = 0; k < 100; ++k) {
        // Times that would have changed the decision long ago.
        const double seconds = k % 2 == 0 ? -1 : compressed ? 1e-9 : 10;
        const laconic_plain_reason expected = compressed ? LACONIC_PLAIN_NOT : LACONIC_PLAIN_SLOWER;
        CHECK(t, agreed(t, routine, comm, seconds) == expected, "call %d", k);
      }
      CHECK(t, compressed || agreements == 0, "%d agreements", agreements);
      const laconic_tuning tuning = learnt(t, comm);
      CHECK(t, tuning.calls == 100 && tuning.compressed_calls == (compressed ? 100u : 0u));
      CHECK(t, tuning.algorithm == (compressed ? LACONIC_ALGORITHM_DIRECT : LACONIC_ALGORITHM_PLAIN));
      CHECK(t, tuning.plain_seconds == (compressed ? 10 : 1e-9));
      // Nonblocking calls need no blocking ones to learn from.
      if (compressed) CHECK(t, iallreduce_is_compressed(t, comm));
      MPI_Comm_free(&comm);
    }
  }
  tune = LACONIC_TUNE_ON;
}

// Nonblocking calls that have no blocking ones to learn from.  Several are in flight at a time, and each rank waits for
// them in an order of its own.
void nonblocking(Test& t, bool compressible) {
  t.doing(text("nonblocking calls, numbers are %scompressible", compressible ? "" : "not "));
  t.count_case();
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  CHECK(t, laconic_comm_set_info(comm, MPI_INFO_NULL) == MPI_SUCCESS);
  seconds_in_mpi = 30e-3;
  agreements_as_well = !compressible;  // compressed calls then take twice as long as plain ones
  Random bits(t.seed());
  Random order(t.seed() * 77 + static_cast<std::uint64_t>(t.rank()));
  constexpr std::size_t most = 3;
  std::vector<std::vector<float>> send(most, std::vector<float>(count));
  std::vector<std::vector<float>> recv(most, std::vector<float>(count));
  for (std::size_t k = 0; k < most; ++k)
    for (std::size_t i = 0; i < count; ++i)
      send[k][i] = compressible ? number_of(t.rank(), i + k) : static_cast<float>(1e6 * bits.uniform());
  std::vector<double> expected(most * count);
  for (std::size_t k = 0; k < most; ++k)
    for (std::size_t i = 0; i < count; ++i) expected[k * count + i] = static_cast<double>(send[k][i]);
  PMPI_Allreduce(MPI_IN_PLACE, expected.data(), static_cast<int>(expected.size()), MPI_DOUBLE, MPI_SUM, comm);
  int calls = 0;
  int compressed = 0;
  for (int round = 0; round < 40; ++round) {
    const std::size_t here = 1 + static_cast<std::size_t>(round) % most;
    if (round == 35) agreements = 0;
    std::vector<laconic_request> requests(here, LACONIC_REQUEST_NULL);
    std::vector<laconic_stats> stats(here);
    for (std::size_t k = 0; k < here; ++k) {
      laconic_options o = options_with(LACONIC_BOUND_ABS, bound);
      o.tune = LACONIC_TUNE_ON;
      o.stats = &stats[k];
      CHECK(t, laconic_iallreduce(send[k].data(), recv[k].data(), count, MPI_FLOAT, MPI_SUM, comm, &requests[k], &o) ==
                   MPI_SUCCESS);
    }
    for (std::size_t left = here; left > 0; --left) {
      std::size_t k = order.below(here);
      while (requests[k] == LACONIC_REQUEST_NULL) k = (k + 1) % here;
      CHECK(t, laconic_wait(&requests[k], MPI_STATUS_IGNORE) == MPI_SUCCESS);
    }
    for (std::size_t k = 0; k < here; ++k) {
      ++calls;
      const bool plain = stats[k].plain_calls > 0;
      compressed += plain ? 0 : 1;
      CHECK(t, !plain || stats[k].plain_reason == LACONIC_PLAIN_SLOWER, "%d", stats[k].plain_reason);
      CHECK(t, calls > 1 || plain, "plain is measured first");
      int same[2] = {plain, !plain};
      PMPI_Allreduce(MPI_IN_PLACE, same, 2, MPI_INT, MPI_MAX, comm);
      CHECK(t, same[0] + same[1] == 1, "call %d is plain on some ranks only", calls);
      double worst = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const double right = expected[k * count + i];
        worst = std::max(worst, std::fabs(static_cast<double>(recv[k][i]) - right) - 1e-6 * std::fabs(right));
      }
      CHECK(t, worst <= bound, "%g in call %d", worst, calls);
    }
  }
  seconds_in_mpi = 0;
  agreements_as_well = false;
  CHECK(t, compressible ? compressed > calls / 2 : compressed < calls / 2, "%d of %d compressed", compressed, calls);
  CHECK(t, compressible || agreements <= 1, "%d agreements", agreements);
  const laconic_tuning tuning = learnt(t, comm);
  CHECK(t, tuning.calls == static_cast<std::uint64_t>(calls) &&
               tuning.compressed_calls == static_cast<std::uint64_t>(compressed));
  CHECK(t, tuning.plain_seconds > 25e-3, "%g", tuning.plain_seconds);
  MPI_Comm_free(&comm);
}

void wrong_seconds(Test& t) {
  t.doing("seconds that are not valid");
  t.count_case();
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  for (const double seconds : {-1.0, std::nan("")}) {
    const int rc = laconic_plain_took(comm, seconds);
    CHECK(t, rc != MPI_SUCCESS && message_of(rc).find("seconds") != std::string::npos);
  }
  int classes = -1;
  CHECK(t, laconic_tuning_get(comm, nullptr, 0, &classes) == MPI_SUCCESS && classes == 0);
  for (const int rc : {laconic_tuning_get(comm, nullptr, 1, &classes), laconic_tuning_get(comm, nullptr, -1, &classes)})
    CHECK(t, rc != MPI_SUCCESS &&
                 message_of(laconic_tuning_get(comm, nullptr, 1, &classes)).find("capacity") != std::string::npos);
  CHECK(t, laconic_plain_took(comm, 0) == MPI_SUCCESS, "without a call there is nothing to learn");
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "tuning");
  // Networks that are slow connect nodes: within one, surveys come after many more calls.
  const bool emulated = emulate_nodes(t, t.rank());
  if (!emulated && t.rank() == 0) std::printf("tuning: no namespaces here; without nonblocking calls\n");
  // On one rank nothing is compressed.
  for (const double speed : {1.0, 100.0}) {
    if (t.size() == 1) break;
    const double mine = t.rank() % 2 == 1 ? speed : 1;
    ranks::clock.run(mine);
    for (const Routine& routine : routines) {
      slow_network(t, routine);
      fast_network(t, routine);
      real_network(t, routine);
    }
    ranks::clock.run(mine, 0.1);
    for (const bool compressible : {true, false})
      if (emulated) nonblocking(t, compressible);
  }
  ranks::clock.run(1);
  off(t);
  if (t.size() > 1) profile(t);
  wrong_seconds(t);
  return t.finish();
}
