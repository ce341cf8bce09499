// SPDX-License-Identifier: BSD-3-Clause
// A tool that reads performance variables through MPI_T: those of the drop-in stand among MPI's own, and count.
// Arguments: "absent" where there is no drop-in, "plain" where nothing is compressed, "within E" where sums may be.
#include <atomic>
#include <cstdint>
#include <map>
#include <set>

#include "support.hpp"

namespace {

using namespace dropin;
using ranks::Test;

constexpr int count = 4000;
constexpr int kinds = 35;           // the variables of an operation: 11 numbers, and 24 reasons
constexpr int num_operations = 20;  // 19 collectives, and messages

struct Info {
  std::string name;
  int pvar_class = 0;
  int bind = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int readonly = 0, continuous = 0, atomic = 0;
  int code = MPI_SUCCESS;
  bool operator==(const Info& other) const { return name == other.name && pvar_class == other.pvar_class; }
  bool ours() const { return name.starts_with("laconic_"); }
};

using GetInfo = decltype(&MPI_T_pvar_get_info);

Info info_of(int index, GetInfo get) {
  Info info;
  char name[256] = "";
  char text[1024] = "";
  int name_length = sizeof name;
  int text_length = sizeof text;
  int verbosity = 0;
  MPI_T_enum items = MPI_T_ENUM_NULL;
  info.code = get(index, name, &name_length, &verbosity, &info.pvar_class, &info.type, &items, text, &text_length,
                  &info.bind, &info.readonly, &info.continuous, &info.atomic);
  info.name = name;
  if (info.ours() && (std::string(text).empty() || name_length != static_cast<int>(info.name.size()) + 1))
    info.code = -1;
  return info;
}

std::vector<Info> all_infos(GetInfo get, int (*get_num)(int*)) {
  int number = 0;
  if (get_num(&number) != MPI_SUCCESS) return {};
  std::vector<Info> infos;
  for (int k = 0; k < number; ++k) infos.push_back(info_of(k, get));
  return infos;
}

std::vector<Info> seen() { return all_infos(MPI_T_pvar_get_info, MPI_T_pvar_get_num); }
std::vector<Info> in_mpi() { return all_infos(PMPI_T_pvar_get_info, PMPI_T_pvar_get_num); }

int index_of(const std::string& name, int pvar_class) {
  int index = -1;
  return MPI_T_pvar_get_index(name.c_str(), pvar_class, &index) == MPI_SUCCESS ? index : -1;
}

// A handle on one of the drop-in's variables.
class Counter {
 public:
  Counter(MPI_T_pvar_session session, const std::string& name, int pvar_class = MPI_T_PVAR_CLASS_COUNTER)
      : session_(session) {
    int number = 0;
    const int index = index_of("laconic_" + name, pvar_class);
    good_ = index >= 0 && MPI_T_pvar_handle_alloc(session, index, nullptr, &handle_, &number) == MPI_SUCCESS &&
            number == 1 && handle_ != MPI_T_PVAR_HANDLE_NULL;
  }
  bool good() const { return good_; }
  MPI_T_pvar_handle handle() const { return handle_; }
  bool start() { return MPI_T_pvar_start(session_, handle_) == MPI_SUCCESS; }
  bool stop() { return MPI_T_pvar_stop(session_, handle_) == MPI_SUCCESS; }
  bool reset() { return MPI_T_pvar_reset(session_, handle_) == MPI_SUCCESS; }
  template <class T = unsigned long long>
  T read() {
    T value = static_cast<T>(-1);
    return MPI_T_pvar_read(session_, handle_, &value) == MPI_SUCCESS ? value : static_cast<T>(-2);
  }
  bool free() {
    const bool done = MPI_T_pvar_handle_free(session_, &handle_) == MPI_SUCCESS;
    return done && handle_ == MPI_T_PVAR_HANDLE_NULL;
  }

 private:
  MPI_T_pvar_session session_;
  MPI_T_pvar_handle handle_ = MPI_T_PVAR_HANDLE_NULL;
  bool good_ = false;
};

void sum(int numbers_in_it) {
  std::vector<double> mine(static_cast<std::size_t>(numbers_in_it), 0.25);
  MPI_Allreduce(MPI_IN_PLACE, mine.data(), numbers_in_it, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

// The variables shown to tools must be one list in which no index moves and none is missing.
void lists(Test& t, const std::vector<Info>& before, bool absent) {
  t.doing("the list of variables");
  const auto now = seen();
  const auto mpi = in_mpi();
  const int ours = static_cast<int>(std::count_if(now.begin(), now.end(), [](const Info& i) { return i.ours(); }));
  CHECK(t, ours == (absent ? 0 : kinds * num_operations), "%d", ours);
  CHECK(t, now.size() == mpi.size() + static_cast<std::size_t>(ours));
  CHECK(t, now.size() >= before.size(), "%zu before MPI_Init, then %zu", before.size(), now.size());
  // Indices of Open MPI become valid and invalid together with the objects that they describe.
  for (std::size_t k = 0; k < before.size() && k < now.size(); ++k)
    CHECK(t, before[k].code != MPI_SUCCESS || now[k].code != MPI_SUCCESS || before[k] == now[k],
          "%zu was %s, and is %s", k, before[k].name.c_str(), now[k].name.c_str());
  std::vector<Info> others;
  for (std::size_t k = 0; k < now.size(); ++k) {
    if (!now[k].ours()) {
      others.push_back(now[k]);
      continue;
    }
    CHECK(t,
          now[k].code == MPI_SUCCESS && now[k].bind == MPI_T_BIND_NO_OBJECT && now[k].readonly == 0 &&
              now[k].continuous == 0 && now[k].atomic == 1,
          "%s", now[k].name.c_str());
    CHECK(t, index_of(now[k].name, now[k].pvar_class) == static_cast<int>(k), "%s", now[k].name.c_str());
    CHECK(t, index_of(now[k].name, MPI_T_PVAR_CLASS_STATE) == -1);
  }
  CHECK(t, others == mpi, "MPI's own variables are not all there, or in another order");
  for (std::size_t k = 0; k < mpi.size(); ++k) {
    int index = -1;
    if (PMPI_T_pvar_get_index(mpi[k].name.c_str(), mpi[k].pvar_class, &index) != MPI_SUCCESS) continue;
    const int here = index_of(mpi[k].name, mpi[k].pvar_class);
    CHECK(t, here >= 0 && now[static_cast<std::size_t>(here)] == mpi[static_cast<std::size_t>(index)], "%s",
          mpi[k].name.c_str());
  }
}

void arguments(Test& t, MPI_T_pvar_session session) {
  t.doing("arguments that are missing, short or wrong");
  const auto all = seen();
  const int end = static_cast<int>(all.size());
  const int index = index_of("laconic_allreduce_calls", MPI_T_PVAR_CLASS_COUNTER);
  const auto ask = [&](int at, char* name, int* length) {
    return MPI_T_pvar_get_info(at, name, length, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                               nullptr, nullptr);
  };
  char name[8] = "unknown";
  int length = sizeof name;
  CHECK(t, ask(index, name, &length) == MPI_SUCCESS && std::string(name) == "laconic" && length == 24, "%s, %d", name,
        length);
  length = 0;
  CHECK(t, ask(index, nullptr, &length) == MPI_SUCCESS && length == 24, "%d", length);
  CHECK(t, ask(index, nullptr, nullptr) == MPI_SUCCESS);
  CHECK(t, ask(end, nullptr, nullptr) == MPI_T_ERR_INVALID_INDEX);
  CHECK(t, ask(-1, nullptr, nullptr) == MPI_T_ERR_INVALID_INDEX);
  int number = 0;
  CHECK(t, MPI_T_pvar_get_index("laconic_nothing", MPI_T_PVAR_CLASS_COUNTER, &number) != MPI_SUCCESS);
  MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
  CHECK(t, MPI_T_pvar_handle_alloc(session, end, nullptr, &handle, &number) != MPI_SUCCESS);
  CHECK(t, MPI_T_pvar_handle_alloc(MPI_T_PVAR_SESSION_NULL, index, nullptr, &handle, &number) ==
               MPI_T_ERR_INVALID_SESSION);
  t.doing("a handle in another session");
  MPI_T_pvar_session other = MPI_T_PVAR_SESSION_NULL;
  MPI_T_pvar_session_create(&other);
  Counter counter(session, "allreduce_calls");
  unsigned long long value = 0;
  handle = counter.handle();
  CHECK(t, MPI_T_pvar_start(other, handle) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(t, MPI_T_pvar_read(other, handle, &value) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(t, MPI_T_pvar_handle_free(other, &handle) == MPI_T_ERR_INVALID_HANDLE && handle == counter.handle());
  MPI_T_pvar_session_free(&other);
  CHECK(t, counter.start() && counter.start() && counter.stop() && counter.stop() && counter.free());
}

void counts(Test& t, MPI_T_pvar_session session, double bound) {
  t.doing("what is counted");
  const bool compresses = bound > 0 && t.size() > 1;
  Counter calls(session, "allreduce_calls");
  Counter compressed(session, "allreduce_compressed");
  Counter small(session, "allreduce_plain_small");
  Counter types(session, "allreduce_plain_type");
  Counter unbound(session, "allreduce_plain_no_bound");
  Counter bytes(session, "allreduce_bytes", MPI_T_PVAR_CLASS_AGGREGATE);
  Counter wire(session, "allreduce_wire_bytes", MPI_T_PVAR_CLASS_AGGREGATE);
  Counter seconds(session, "allreduce_seconds", MPI_T_PVAR_CLASS_TIMER);
  Counter largest(session, "allreduce_bound", MPI_T_PVAR_CLASS_HIGHWATERMARK);
  Counter worst(session, "allreduce_worst_case", MPI_T_PVAR_CLASS_HIGHWATERMARK);
  Counter gathers(session, "allgather_calls");
  std::vector<Counter*> all{&calls, &compressed, &small,   &types, &unbound, &bytes,
                            &wire,  &seconds,    &largest, &worst, &gathers};
  for (Counter* one : all) CHECK(t, one->good());
  sum(count);
  CHECK(t, calls.read() == 0, "%llu before it was started", calls.read());
  for (Counter* one : all) CHECK(t, one->start());
  for (int k = 0; k < 3; ++k) sum(count);
  sum(2);
  std::vector<long double> longs(count, 1.0L);
  MPI_Allreduce(MPI_IN_PLACE, longs.data(), count, MPI_LONG_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  std::vector<double> mine(count, 0.5);
  std::vector<double> got(count);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(mine.data(), got.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  const int one = 1;
  std::vector<int> everybody(static_cast<std::size_t>(t.size()));
  MPI_Allgather(&one, 1, MPI_INT, everybody.data(), 1, MPI_INT, MPI_COMM_WORLD);
  CHECK(t, calls.read() == 6, "%llu", calls.read());
  CHECK(t, gathers.read() == 1, "%llu", gathers.read());
  // Where MPI has no thread-safe mode, the nonblocking one stays plain.
  const unsigned long long done = compressed.read();
  CHECK(t, compresses ? done == 3 || done == 4 : done == 0, "%llu", done);
  CHECK(t, !compresses || (small.read() == 1 && types.read() == 1), "%llu, %llu", small.read(), types.read());
  CHECK(t, unbound.read() == (bound > 0 ? 0 : 5), "%llu", unbound.read());
  CHECK(t, bytes.read() == done * count * sizeof(double), "%llu", bytes.read());
  CHECK(t, compresses == (wire.read() > 0) && wire.read() <= 2 * bytes.read(), "%llu", wire.read());
  CHECK(t, compresses == (seconds.read<double>() > 0));
  CHECK(t, largest.read<double>() == (compresses ? bound : 0), "%g", largest.read<double>());
  CHECK(t, worst.read<double>() <= largest.read<double>() && compresses == (worst.read<double>() > 0));
  t.doing("start, stop, reset and write");
  CHECK(t, calls.stop());
  sum(count);
  CHECK(t, calls.read() == 6);
  CHECK(t, calls.start());
  sum(count);
  CHECK(t, calls.read() == 7);
  CHECK(t, calls.reset() && calls.read() == 0);
  const unsigned long long written = 40;
  CHECK(t, MPI_T_pvar_write(session, calls.handle(), &written) == MPI_SUCCESS);
  sum(count);
  unsigned long long value = 0;
  CHECK(t, MPI_T_pvar_readreset(session, calls.handle(), &value) == MPI_SUCCESS && value == 41, "%llu", value);
  sum(count);
  CHECK(t, calls.read() == 1);
  for (Counter* each : all) CHECK(t, each->free());
}

void sessions(Test& t, bool absent) {
  t.doing("all handles of one session");
  MPI_T_pvar_session sessions[2];
  for (auto& session : sessions) MPI_T_pvar_session_create(&session);
  // One of MPI's own beside the drop-in's, where there is one that needs no object.
  MPI_T_pvar_handle own = MPI_T_PVAR_HANDLE_NULL;
  const auto all = seen();
  for (std::size_t k = 0; k < all.size() && own == MPI_T_PVAR_HANDLE_NULL; ++k) {
    int number = 0;
    if (all[k].ours() || all[k].bind != MPI_T_BIND_NO_OBJECT) continue;
    const int code = MPI_T_pvar_handle_alloc(sessions[0], static_cast<int>(k), nullptr, &own, &number);
    char buffer[4096];
    CHECK(t, code == MPI_SUCCESS, "%s: %d", all[k].name.c_str(), code);
    CHECK(t, number * 8 > 4096 || MPI_T_pvar_read(sessions[0], own, buffer) == MPI_SUCCESS, "%s", all[k].name.c_str());
  }
  if (!absent) {
    Counter first(sessions[0], "allreduce_calls");
    Counter second(sessions[0], "bcast_calls");
    Counter other(sessions[1], "allreduce_calls");
    MPI_T_pvar_start(sessions[0], MPI_T_PVAR_ALL_HANDLES);
    sum(count);
    MPI_Bcast(nullptr, 0, MPI_INT, 0, MPI_COMM_WORLD);
    CHECK(t, first.read() == 1 && second.read() == 1 && other.read() == 0, "%llu, %llu, %llu", first.read(),
          second.read(), other.read());
    CHECK(t, other.start());
    MPI_T_pvar_stop(sessions[0], MPI_T_PVAR_ALL_HANDLES);
    sum(count);
    CHECK(t, first.read() == 1 && other.read() == 1, "%llu, %llu", first.read(), other.read());
    MPI_T_pvar_reset(sessions[0], MPI_T_PVAR_ALL_HANDLES);
    CHECK(t, first.read() == 0 && second.read() == 0 && other.read() == 1);
  }
  if (own != MPI_T_PVAR_HANDLE_NULL) CHECK(t, MPI_T_pvar_handle_free(sessions[0], &own) == MPI_SUCCESS);
  // Handles of the drop-in that are left are freed with their session.
  for (auto& session : sessions)
    CHECK(t, MPI_T_pvar_session_free(&session) == MPI_SUCCESS && session == MPI_T_PVAR_SESSION_NULL);
}

void threads(Test& t, MPI_T_pvar_session session, int provided) {
  t.doing("threads that come and go while the program calls");
  if (provided < MPI_THREAD_MULTIPLE) return;
  std::atomic<bool> over{false};
  std::atomic<int> wrong{0};
  // On one rank only: threads that never block starve ranks that share their cores.
  std::vector<std::thread> tools;
  for (int k = 0; k < (t.rank() == 0 ? 3 : 0); ++k)
    tools.emplace_back([&] {
      while (!over) {
        Counter counter(session, "allreduce_calls");
        if (!counter.good() || !counter.start() || counter.read() > 200 || !counter.free()) ++wrong;
      }
    });
  for (int k = 0; k < 100; ++k) sum(k % 10 == 0 ? count : 1);
  over = true;
  for (auto& tool : tools) tool.join();
  CHECK(t, wrong == 0, "%d", wrong.load());
}

void categories(Test& t, bool absent) {
  t.doing("categories");
  int number = 0;
  int of_mpi = 0;
  CHECK(t, MPI_T_category_get_num(&number) == MPI_SUCCESS && PMPI_T_category_get_num(&of_mpi) == MPI_SUCCESS);
  CHECK(t, number == of_mpi + (absent ? 0 : 1));
  int ours = -1;
  const bool found = MPI_T_category_get_index("laconic", &ours) == MPI_SUCCESS;
  CHECK(t, found == !absent);
  const auto all = seen();
  for (int k = 0; k < number; ++k) {
    char name[256] = "";
    char text[1024] = "";
    int lengths[2] = {sizeof name, sizeof text};
    int members[3] = {0, 0, 0};
    const int code =
        MPI_T_category_get_info(k, name, &lengths[0], text, &lengths[1], &members[0], &members[1], &members[2]);
    if (k != ours) {  // some indices of Open MPI are empty
      int zero[2] = {0, 0};
      const int in_mpi = ours >= 0 && k > ours ? k - 1 : k;
      CHECK(t,
            code == PMPI_T_category_get_info(in_mpi, nullptr, &zero[0], nullptr, &zero[1], nullptr, nullptr, nullptr),
            "%d: %d", k, code);
      if (code != MPI_SUCCESS) continue;
    }
    CHECK(t, code == MPI_SUCCESS);
    CHECK(t, (std::string(name) == "laconic") == (k == ours), "%d: %s", k, name);
    std::vector<int> indices(static_cast<std::size_t>(members[1]) + 1, -7);
    CHECK(t, MPI_T_category_get_pvars(k, members[1], indices.data()) == MPI_SUCCESS, "%s", name);
    CHECK(t, indices.back() == -7);
    indices.pop_back();
    for (const int index : indices)
      CHECK(t,
            index >= 0 && index < static_cast<int>(all.size()) &&
                all[static_cast<std::size_t>(index)].ours() == (k == ours),
            "%s: %d", name, index);
    if (k == ours) CHECK(t, std::set<int>(indices.begin(), indices.end()).size() == kinds * num_operations);
    std::vector<int> others(static_cast<std::size_t>(std::max(members[0], members[2])) + 1);
    CHECK(t, MPI_T_category_get_cvars(k, members[0], others.data()) == MPI_SUCCESS, "%s", name);
    CHECK(t, MPI_T_category_get_categories(k, members[2], others.data()) == MPI_SUCCESS, "%s", name);
#if MPI_VERSION >= 4
    int events = 0;
    CHECK(t, MPI_T_category_get_num_events(k, &events) == MPI_SUCCESS, "%s", name);
    std::vector<int> of_it(static_cast<std::size_t>(events) + 1);
    CHECK(t, MPI_T_category_get_events(k, events, of_it.data()) == MPI_SUCCESS, "%s", name);
#endif
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool absent = argc > 1 && std::string(argv[1]) == "absent";
  const double bound = Expectation(argc, argv).bound;
  int number = 0;
  const bool too_early = MPI_T_pvar_get_num(&number) != MPI_SUCCESS;
  const bool as_mpi = too_early == (PMPI_T_pvar_get_num(&number) != MPI_SUCCESS);
  int provided = 0;
  MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
  const auto before = seen();
  MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
  MPI_T_pvar_session_create(&session);
  Counter early(session, absent ? "" : "allreduce_calls");
  const bool started = absent || early.start();
  Test t(&argc, &argv, "dropin tool variables", MPI_THREAD_MULTIPLE);
  CHECK(t, as_mpi && started);
  lists(t, before, absent);
  sessions(t, absent);
  categories(t, absent);
  if (!absent) {
    const auto so_far = early.read();
    sum(2);
    CHECK(t, so_far > 0 && early.read() == so_far + 1, "%llu, %llu", so_far, early.read());
    arguments(t, session);
    counts(t, session, bound);
    threads(t, session, std::min(provided, t.provided()));
  }
  const auto last = absent ? 0 : early.read();
  const int code = t.finish();
  // finish() has called it twice before MPI_Finalize, and three times after failed checks.
  const bool readable = absent || (early.read() >= last + 2 && early.stop() && early.free());
  const bool freed = MPI_T_pvar_session_free(&session) == MPI_SUCCESS;
#ifndef OPEN_MPI  // 4.1 crashes when this is the last of the two ends
  MPI_T_finalize();
#endif
  if (readable && freed) return code;
  std::fprintf(stderr, "after MPI_Finalize: variables %s, session %s\n", readable ? "right" : "wrong",
               freed ? "freed" : "not freed");
  return 1;
}
