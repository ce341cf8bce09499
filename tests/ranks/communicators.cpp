// Communicators of every kind, made, used, mixed and freed: Laconic follows them and leaves nothing behind.
#include <dlfcn.h>

#include <atomic>
#include <cmath>
#include <functional>
#include <numeric>
#include <thread>

#include "support.hpp"

// What is made and freed by anybody in this process, Laconic included: the program's definitions come before the MPI
// library's.
namespace {
std::atomic<long> communicators{0};

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}
}  // namespace

#define LACONIC_TEST_MAKES(name, parameters, arguments, made)             \
  extern "C" __attribute__((visibility("default"))) int name parameters { \
    static auto* const next = real<int parameters>(#name);                \
    const int rc = next arguments;                                        \
    if (rc == MPI_SUCCESS && *(made) != MPI_COMM_NULL) ++communicators;   \
    return rc;                                                            \
  }
LACONIC_TEST_MAKES(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm* made), (comm, made), made)
LACONIC_TEST_MAKES(MPI_Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* made), (comm, info, made), made)
LACONIC_TEST_MAKES(MPI_Comm_idup, (MPI_Comm comm, MPI_Comm* made, MPI_Request* request), (comm, made, request), made)
LACONIC_TEST_MAKES(MPI_Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* made), (comm, color, key, made), made)
LACONIC_TEST_MAKES(MPI_Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* made), (comm, group, made), made)
LACONIC_TEST_MAKES(MPI_Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made),
                   (comm, group, tag, made), made)
LACONIC_TEST_MAKES(MPI_Intercomm_create,
                   (MPI_Comm local, int leader, MPI_Comm peer, int remote, int tag, MPI_Comm* made),
                   (local, leader, peer, remote, tag, made), made)

extern "C" __attribute__((visibility("default"))) int MPI_Comm_free(MPI_Comm* comm) {
  static auto* const next = real<int(MPI_Comm*)>("MPI_Comm_free");
  const int rc = next(comm);
  if (rc == MPI_SUCCESS) --communicators;
  return rc;
}

namespace {

using namespace ranks;

int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

// One sum on comm, checked.  The numbers differ by rank in comm, by place and by salt.
laconic_stats use(Test& t, MPI_Comm comm, int salt = 0, int count = 2000, const laconic_options* base = nullptr) {
  const int size = size_of(comm);
  const int rank = rank_in(comm);
  const auto number = [&](int r, int i) { return static_cast<float>(0.25 * ((r + 1) * (i % 37) + salt % 11)); };
  std::vector<float> send(static_cast<std::size_t>(count));
  std::vector<float> receive(static_cast<std::size_t>(count), -1);
  for (int i = 0; i < count; ++i) send[static_cast<std::size_t>(i)] = number(rank, i);
  laconic_stats stats{};
  laconic_options o = base ? *base : options_with(LACONIC_BOUND_ABS, 1e-2);
  o.stats = &stats;
  const int rc = laconic_allreduce(send.data(), receive.data(), count, MPI_FLOAT, MPI_SUM, comm, &o);
  CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    double exact = 0;
    for (int r = 0; r < size; ++r) exact += number(r, i);
    wrong += !(std::fabs(receive[static_cast<std::size_t>(i)] - exact) <= 1.01e-2 + 1e-5 * exact);
  }
  CHECK(t, wrong == 0, "%d of %d numbers are wrong", wrong, count);
  CHECK(t, (size == 1) == (stats.plain_calls == 1), "plain because %s",
        laconic_plain_reason_string(stats.plain_reason));
  return stats;
}

void kinds(Test& t) {
  t.doing("MPI_COMM_WORLD, MPI_COMM_SELF");
  use(t, MPI_COMM_WORLD);
  use(t, MPI_COMM_SELF);
  t.doing("halves");
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, t.rank() % 2, 0, &half);
  use(t, half, 1);
  t.doing("backwards");
  MPI_Comm backwards;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -t.rank(), &backwards);
  use(t, backwards, 2);
  t.doing("a duplicate of a communicator in use");
  MPI_Comm twin;
  MPI_Comm_dup(backwards, &twin);
  use(t, twin, 3);
  use(t, backwards, 4);
  t.doing("all but the last rank");
  MPI_Comm most;
  MPI_Comm_split(MPI_COMM_WORLD, t.rank() == t.size() - 1 ? MPI_UNDEFINED : 0, 0, &most);
  if (most != MPI_COMM_NULL) use(t, most, 5);
  t.doing("a grid");
  int dims[2] = {0, 0};
  int periods[2] = {1, 0};
  MPI_Dims_create(t.size(), 2, dims);
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
  if (grid != MPI_COMM_NULL) {
    ++communicators;  // MPI_Cart_create is not counted
    use(t, grid, 6);
    MPI_Comm_free(&grid);
  }
  if (most != MPI_COMM_NULL) MPI_Comm_free(&most);
  MPI_Comm_free(&half);
  MPI_Comm_free(&backwards);
  use(t, twin, 7);
  MPI_Comm_free(&twin);
}

void many(Test& t) {
  // More communicators than MPICH has contexts, two for each.
  const int cycles = static_cast<int>(environment_number("TEST_CYCLES", 200));
  use(t, MPI_COMM_WORLD);
  const long before = communicators;
  for (int k = 0; k < cycles; ++k) {
    t.doing(text("communicator %d made, used, freed", k));
    MPI_Comm comm;
    if (k % 2 == 0)
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    else
      MPI_Comm_split(MPI_COMM_WORLD, t.rank() % 3, t.rank(), &comm);
    laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-2);
    if (k % 20 == 0) o.threads = 2;
    use(t, comm, k, 200, &o);
    MPI_Comm_free(&comm);
    if (!CHECK(t, communicators == before, "%ld communicators left behind", communicators - before)) break;
    t.count_case();
  }
  t.doing("ten at a time, freed in another order");
  std::vector<MPI_Comm> some(10);
  for (MPI_Comm& comm : some) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int k = 0; k < 30; ++k) use(t, some[static_cast<std::size_t>(k * 7 % 10)], k, 300);
  for (const std::size_t k : {3U, 1U, 9U, 0U, 5U, 7U, 2U, 8U, 4U, 6U}) MPI_Comm_free(&some[k]);
  CHECK(t, communicators == before, "%ld communicators left behind", communicators - before);
}

// A communicator is freed by ranks that are done with it while others still wait in calls on another one.
void freed_early(Test& t) {
  t.doing("freed while others are busy");
  MPI_Comm busy;
  MPI_Comm gone;
  MPI_Comm_split(MPI_COMM_WORLD, t.rank() % 2, 0, &busy);
  MPI_Comm_dup(MPI_COMM_WORLD, &gone);
  use(t, gone);
  use(t, busy);
  if (t.rank() % 2 == 0)
    for (int k = 0; k < 5; ++k) use(t, busy, k, 50000);
  MPI_Comm_free(&gone);
  if (t.rank() % 2 == 1)
    for (int k = 0; k < 5; ++k) use(t, busy, k, 50000);
  use(t, busy);
  MPI_Comm_free(&busy);
}

void interleaved(Test& t) {
  t.doing("two communicators in turn, other messages between");
  MPI_Comm one;
  MPI_Comm two;
  MPI_Comm_dup(MPI_COMM_WORLD, &one);
  MPI_Comm_split(MPI_COMM_WORLD, 0, t.size() - t.rank(), &two);
  const int next = (t.rank() + 1) % t.size();
  const int previous = (t.rank() + t.size() - 1) % t.size();
  for (int k = 0; k < 10; ++k) {
    // The application's own traffic, tags and wildcards included, must not meet Laconic's.
    int token = k;
    int got = -1;
    MPI_Request requests[2];
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, one, &requests[0]);
    use(t, one, k, 3000);
    use(t, two, k, 100);
    MPI_Isend(&token, 1, MPI_INT, next, k, one, &requests[1]);
    use(t, one, k + 1, 50);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(t, got == k, "from rank %d: %d", previous, got);
  }
  MPI_Comm_free(&one);
  MPI_Comm_free(&two);
}

void threads(Test& t) {
  if (t.provided() < MPI_THREAD_MULTIPLE) {
    if (t.rank() == 0) std::printf("communicators: no MPI_THREAD_MULTIPLE, threads not tested\n");
    return;
  }
  constexpr int workers = 3;
  std::vector<MPI_Comm> base(workers);
  for (MPI_Comm& comm : base) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const long before = communicators;
  t.doing("three threads, each with a communicator");
  std::vector<std::thread> crew;
  for (int w = 0; w < workers; ++w)
    crew.emplace_back([&, w] {
      for (int k = 0; k < 20; ++k) {
        laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-2);
        o.threads = 1 + (w == 2);
        use(t, base[static_cast<std::size_t>(w)], w * 100 + k, 500 + 100 * w, &o);
      }
    });
  for (std::thread& thread : crew) thread.join();
  crew.clear();
  // Freeing runs Laconic's callback inside MPI while the other threads look up their communicators.
  t.doing("one thread makes and frees communicators, the others use theirs");
  for (int w = 0; w < workers; ++w)
    crew.emplace_back([&, w] {
      for (int k = 0; k < 20; ++k) {
        MPI_Comm comm = base[static_cast<std::size_t>(w)];
        MPI_Comm inner;
        if (w == 0) {
          MPI_Comm_dup(comm, &inner);
          use(t, inner, k, 200);
          MPI_Comm_free(&inner);
        } else {
          for (int i = 0; i < 3; ++i) use(t, comm, w * 100 + k, 300);
          // Look-ups alone, as often as it goes.
          for (int i = 0; i < 200; ++i) {
            laconic_stats stats;
            laconic_stats_get(comm, &stats);
          }
        }
      }
    });
  for (std::thread& thread : crew) thread.join();
  crew.clear();
  for (MPI_Comm& comm : base) MPI_Comm_free(&comm);
  CHECK(t, communicators == before - workers);
  // Error messages are each thread's own.
  t.doing("messages of two threads");
  std::atomic<int> mixed{0};
  for (int w = 0; w < 2; ++w)
    crew.emplace_back([&, w] {
      for (int k = 0; k < 200; ++k) {
        laconic_options o;
        laconic_options_init(&o);
        const int rc = laconic_options_set(&o, w ? "depth" : "threads", "no");
        if (message_of(rc).find(w ? "depth" : "threads") == std::string::npos) ++mixed;
      }
    });
  for (std::thread& thread : crew) thread.join();
  CHECK(t, mixed == 0, "%d messages of the other thread", mixed.load());
}

void intercommunicator(Test& t) {
  if (t.size() < 2) return;
  t.doing("an intercommunicator of uneven halves");
  const int first = std::max(1, t.size() / 3);
  const bool low = t.rank() < first;
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, low ? 0 : 1, 0, &half);
  MPI_Comm both;
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? first : 0, 7, &both);
  MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
  const int remote = low ? t.size() - first : first;
  laconic_stats stats{};
  laconic_options o = options_with(LACONIC_BOUND_ABS, 0.1);
  o.stats = &stats;
  std::vector<double> send(100, t.rank() + 1.0);
  for (const bool mean : {false, true}) {
    std::vector<double> receive(100, -1);
    const int rc =
        laconic_allreduce(send.data(), receive.data(), 100, MPI_DOUBLE, mean ? LACONIC_AVG : MPI_SUM, both, &o);
    CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
    // The result of one side is what the other side contributed.
    double exact = 0;
    for (int r = low ? first : 0; r < (low ? t.size() : first); ++r) exact += r + 1.0;
    if (mean) exact /= remote;
    CHECK(t, std::fabs(receive[99] - exact) < 1e-12, "%s is %g, expected %g", mean ? "mean" : "sum", receive[99],
          exact);
    CHECK(t, stats.plain_reason == LACONIC_PLAIN_INTERCOMM && stats.plain_calls == 1, "plain because %s",
          laconic_plain_reason_string(stats.plain_reason));
  }
  o.depth = 1000;
  std::vector<double> receive(100, -1);
  const int rc = laconic_allreduce(send.data(), receive.data(), 100, MPI_DOUBLE, MPI_SUM, both, &o);
  CHECK(t, class_of(rc) == MPI_ERR_ARG, "class %d", class_of(rc));
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

void statistics(Test& t) {
  t.doing("statistics over calls");
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  laconic_stats total{};
  CHECK(t, laconic_stats_get(comm, &total) == MPI_SUCCESS);
  CHECK(t, total.size == sizeof total && total.calls == 0 && total.bytes_in == 0 && total.ratio == 1);
  laconic_stats sum{};
  for (int k = 0; k < 6; ++k) {
    laconic_options o = options_with(LACONIC_BOUND_ABS, k == 2 ? 9e-3 : 1e-3);
    if (k == 4) o.algorithm = LACONIC_ALGORITHM_PLAIN;
    if (k == 5) o.codec = LACONIC_CODEC_RAW;
    laconic_stats one{};
    o.stats = &one;
    std::vector<float> x(1000 + static_cast<std::size_t>(k), 0.1F * static_cast<float>(t.rank()));
    x[0] = 7;
    const int rc =
        laconic_allreduce(MPI_IN_PLACE, x.data(), static_cast<MPI_Count>(x.size()), MPI_FLOAT, MPI_MAX, comm, &o);
    CHECK(t, rc == MPI_SUCCESS);
    CHECK(t, one.calls == 1 && one.bytes_in == 4 * x.size());
    sum.calls += one.calls;
    sum.plain_calls += one.plain_calls;
    sum.bytes_in += one.bytes_in;
    sum.bytes_sent += one.bytes_sent;
    sum.bytes_uncompressed += one.bytes_uncompressed;
    sum.bound = std::max(sum.bound, one.bound);
    sum.achieved_bound = std::max(sum.achieved_bound, one.achieved_bound);
    sum.seconds_total += one.seconds_total;
  }
  // A call that fails is not counted.
  laconic_options wrong = options_with(LACONIC_BOUND_ABS, -1);
  float x = 1;
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  CHECK(t, laconic_allreduce(MPI_IN_PLACE, &x, 1, MPI_FLOAT, MPI_SUM, comm, &wrong) != MPI_SUCCESS);
  laconic_stats_get(comm, &total);
  CHECK(t, total.calls == 6 && total.plain_calls == sum.plain_calls && total.bytes_in == sum.bytes_in);
  CHECK(t, total.bytes_sent == sum.bytes_sent && total.bytes_uncompressed == sum.bytes_uncompressed);
  CHECK(t, total.bound == sum.bound && total.achieved_bound == sum.achieved_bound);
  CHECK(t, std::fabs(total.seconds_total - sum.seconds_total) < 1e-9);
  if (t.size() > 1) {
    CHECK(t, total.plain_calls == 1 && total.plain_reason == LACONIC_PLAIN_ASKED);
    CHECK(t, total.codec == LACONIC_CODEC_RAW && total.algorithm > LACONIC_ALGORITHM_PLAIN);
    CHECK(t, total.bound == 9e-3, "bound %g", total.bound);
  }
  // Other communicators count for themselves.
  laconic_stats other{};
  MPI_Comm twin;
  MPI_Comm_dup(comm, &twin);
  laconic_stats_get(twin, &other);
  CHECK(t, other.calls == 0);
  CHECK(t, laconic_stats_reset(comm) == MPI_SUCCESS);
  laconic_stats_get(comm, &total);
  CHECK(t, total.calls == 0 && total.bytes_sent == 0 && total.seconds_total == 0 &&
               total.plain_reason == LACONIC_PLAIN_NOT);
  MPI_Comm_free(&twin);
  MPI_Comm_free(&comm);
}

int copies = 0;
int deletions = 0;
int copy_attribute(MPI_Comm, int, void*, void* in, void* out, int* flag) {
  ++copies;
  *static_cast<void**>(out) = in;
  *flag = 1;
  return MPI_SUCCESS;
}
int delete_attribute(MPI_Comm, int, void*, void*) {
  ++deletions;
  return MPI_SUCCESS;
}

// What the application keeps on its communicator is its own: Laconic's work is not seen there.
void attributes(Test& t) {
  t.doing("the application's attributes");
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(copy_attribute, delete_attribute, &key, nullptr);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  int mine = 42;
  MPI_Comm_set_attr(comm, key, &mine);
  copies = deletions = 0;
  use(t, comm);
  void* value = nullptr;
  int found = 0;
  MPI_Comm_get_attr(comm, key, &value, &found);
  CHECK(t, found && value == &mine);
  CHECK(t, copies == 0, "copied %d times", copies);
  CHECK(t, deletions == 0, "deleted %d times", deletions);
  MPI_Comm_free(&comm);
  CHECK(t, copies == 0 && deletions == 1, "copied %d, deleted %d times", copies, deletions);
  MPI_Comm_free_keyval(&key);
}

MPI_Info info_of(std::initializer_list<std::pair<const char*, const char*>> entries) {
  MPI_Info info;
  MPI_Info_create(&info);
  for (const auto& [key, value] : entries) MPI_Info_set(info, key, value);
  return info;
}

laconic_stats call_with(Test& t, MPI_Comm comm, const laconic_options* options, int count = 20000) {
  std::vector<float> x(static_cast<std::size_t>(count), 1.0F);
  laconic_stats before{};
  laconic_stats after{};
  laconic_stats_reset(comm);
  laconic_stats_get(comm, &before);
  const int rc = laconic_allreduce(MPI_IN_PLACE, x.data(), count, MPI_FLOAT, MPI_SUM, comm, options);
  CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  laconic_stats_get(comm, &after);
  CHECK(t, before.calls == 0 && after.calls == 1);
  return after;
}

// Options > hints > environment > default.
void hints(Test& t) {
  t.doing("hints");
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const laconic_plain_reason one_rank = t.size() == 1 ? LACONIC_PLAIN_ONE_RANK : LACONIC_PLAIN_NOT;
  laconic_stats s = call_with(t, comm, nullptr);
  CHECK(t, s.plain_reason == LACONIC_PLAIN_NO_BOUND, "plain because %s", laconic_plain_reason_string(s.plain_reason));

  MPI_Info info = info_of({{"laconic_bound", "abs:1e-3"},
                           {"laconic_algorithm", "direct"},
                           {"laconic_codec", "raw"},
                           {"laconic_target", "input"},
                           {"laconic_threads", "2"},
                           {"laconic_depth", "3"},
                           {"laconic_chunk_elements", "5000"},
                           {"laconic_min_bytes", "60000"},
                           {"somebody_else", "1"}});
  CHECK(t, laconic_comm_set_info(comm, info) == MPI_SUCCESS);
  MPI_Info_free(&info);
  s = call_with(t, comm, nullptr);
  CHECK(t, s.plain_reason == one_rank, "plain because %s", laconic_plain_reason_string(s.plain_reason));
  if (t.size() > 1) {
    CHECK(t, s.algorithm == LACONIC_ALGORITHM_DIRECT && s.codec == LACONIC_CODEC_RAW);
    CHECK(t, std::fabs(s.bound - 1e-3 * t.size()) < 1e-12, "bound %g", s.bound);
    s = call_with(t, comm, nullptr, 14999);
    CHECK(t, s.plain_reason == LACONIC_PLAIN_SMALL, "plain because %s", laconic_plain_reason_string(s.plain_reason));
    t.doing("options before hints, one by one");
    laconic_options o;
    laconic_options_init(&o);
    o.algorithm = LACONIC_ALGORITHM_RING;
    s = call_with(t, comm, &o);
    CHECK(t, s.algorithm == LACONIC_ALGORITHM_RING && s.codec == LACONIC_CODEC_RAW);
    laconic_options_init(&o);
    o.bound = {LACONIC_BOUND_ABS, 0.5};
    o.target = LACONIC_TARGET_RESULT;
    o.codec = LACONIC_CODEC_QUANT;
    o.min_bytes = 4;
    s = call_with(t, comm, &o, 1000);
    CHECK(t, s.algorithm == LACONIC_ALGORITHM_DIRECT && s.codec == LACONIC_CODEC_QUANT && s.bound == 0.5);
    // A bound brings its mode and value together.
    laconic_options_init(&o);
    o.bound.mode = LACONIC_BOUND_LOSSLESS;
    o.target = LACONIC_TARGET_RESULT;
    s = call_with(t, comm, &o);
    CHECK(t, s.plain_calls == 0 && s.bound == 0 && s.codec == LACONIC_CODEC_RAW, "bound %g", s.bound);
  }
  t.doing("hints before the environment");
  // Read when a communicator is first used or given hints.
  setenv("LACONIC_ALGORITHM", "recursive-doubling", 1);
  setenv("LACONIC_BOUND", "abs:0.25", 1);
  MPI_Comm fresh;
  MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
  info = info_of({{"laconic_bound", "abs:0.125"}});
  CHECK(t, laconic_comm_set_info(fresh, info) == MPI_SUCCESS);
  MPI_Info_free(&info);
  s = call_with(t, fresh, nullptr);
  if (t.size() > 1)
    CHECK(t, s.algorithm == LACONIC_ALGORITHM_RECURSIVE_DOUBLING && s.bound == 0.125, "bound %g", s.bound);
  t.doing("hints taken back");
  CHECK(t, laconic_comm_set_info(fresh, MPI_INFO_NULL) == MPI_SUCCESS);
  s = call_with(t, fresh, nullptr);
  if (t.size() > 1) CHECK(t, s.bound == 0.25, "bound %g", s.bound);
  unsetenv("LACONIC_ALGORITHM");
  unsetenv("LACONIC_BOUND");
  CHECK(t, laconic_comm_set_info(fresh, MPI_INFO_NULL) == MPI_SUCCESS);
  s = call_with(t, fresh, nullptr);
  CHECK(t, s.plain_reason == LACONIC_PLAIN_NO_BOUND);
  MPI_Comm_free(&fresh);
  MPI_Comm_free(&comm);

  // MPI may keep keys that it does not know, or drop them.
  t.doing("hints through MPI");
  for (const bool at_birth : {true, false}) {
    info = info_of({{"laconic_bound", "abs:0.0625"}, {"laconic_algorithm", "ring"}});
    MPI_Comm hinted;
    if (at_birth) {
      MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &hinted);
    } else {
      MPI_Comm_dup(MPI_COMM_WORLD, &hinted);
      MPI_Comm_set_info(hinted, info);
    }
    MPI_Info_free(&info);
    MPI_Info kept = MPI_INFO_NULL;
    MPI_Comm_get_info(hinted, &kept);
    char value[64] = "";
    int found = 0;
    if (kept != MPI_INFO_NULL) {
      MPI_Info_get(kept, "laconic_bound", sizeof value - 1, value, &found);
      MPI_Info_free(&kept);
    }
    if (t.rank() == 0)
      std::printf("communicators: %s %s unknown keys\n", at_birth ? "MPI_Comm_dup_with_info" : "MPI_Comm_set_info",
                  found ? "keeps" : "drops");
    s = call_with(t, hinted, nullptr);
    if (!found)
      CHECK(t, s.plain_reason == LACONIC_PLAIN_NO_BOUND);
    else if (t.size() > 1)
      CHECK(t, s.bound == 0.0625 && s.algorithm == LACONIC_ALGORITHM_RING, "bound %g", s.bound);
    MPI_Comm_free(&hinted);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "communicators", MPI_THREAD_MULTIPLE);
  const long before = communicators;
  kinds(t);
  many(t);
  freed_early(t);
  interleaved(t);
  threads(t);
  intercommunicator(t);
  statistics(t);
  attributes(t);
  hints(t);
  // MPI_COMM_WORLD's own is left; MPI_Finalize has to cope with it and with these.
  CHECK(t, communicators - before <= 1, "%ld communicators left behind", communicators - before);
  t.doing("communicators that are never freed");
  for (int k = 0; k < 3; ++k) {
    MPI_Comm left;
    MPI_Comm_dup(MPI_COMM_WORLD, &left);
    laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-2);
    o.threads = 1 + k;
    use(t, left, k, 500, &o);
  }
  return t.finish();
}
