// SPDX-License-Identifier: BSD-3-Clause
// Data that only moves and need not be numbers: programs carry integers and addresses, bit-cast, in buffers of
// floating-point numbers, and these must arrive unchanged. Blocking, nonblocking and persistent, and with different
// layouts on different ranks.
//
// One additional argument: "rounded", where LACONIC_DENORMALS allows denormals to be rounded.
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>

#include "support.hpp"

namespace {

using namespace dropin;
using ranks::Random;
using ranks::Test;
using ranks::text;

enum class Way { blocking, nonblocking, persistent };
// MPICH 4.0 itself waits for ever for some of these when they are started again, and loses their types.
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
constexpr Way ways[] = {Way::blocking, Way::nonblocking};
#elif MPI_VERSION >= 4
constexpr Way ways[] = {Way::blocking, Way::nonblocking, Way::persistent};
#else
constexpr Way ways[] = {Way::blocking, Way::nonblocking};
#endif
const char* name_of(Way way) {
  return way == Way::blocking ? "blocking" : way == Way::nonblocking ? "nonblocking" : "persistent";
}

// Calls the function of that name in one of its forms and completes it; a persistent one is started twice.
int completed(MPI_Request request, bool persistent) {
  int code = MPI_SUCCESS;
  for (int round = 0; round < (persistent ? 2 : 1) && code == MPI_SUCCESS; ++round) {
    if (persistent) code = MPI_Start(&request);
    if (code == MPI_SUCCESS) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (persistent) MPI_Request_free(&request);
  return code;
}
#if MPI_VERSION >= 4
#define DO(way, Name, small, ...)                                                                         \
  [&] {                                                                                                   \
    MPI_Request request = MPI_REQUEST_NULL;                                                               \
    if ((way) == Way::blocking) return MPI_##Name(__VA_ARGS__);                                           \
    const int code = (way) == Way::nonblocking ? MPI_I##small(__VA_ARGS__, &request)                      \
                                               : MPI_##Name##_init(__VA_ARGS__, MPI_INFO_NULL, &request); \
    return code == MPI_SUCCESS ? completed(request, (way) == Way::persistent) : code;                     \
  }()
#else
#define DO(way, Name, small, ...)                                  \
  [&] {                                                            \
    MPI_Request request = MPI_REQUEST_NULL;                        \
    if ((way) == Way::blocking) return MPI_##Name(__VA_ARGS__);    \
    const int code = MPI_I##small(__VA_ARGS__, &request);          \
    return code == MPI_SUCCESS ? completed(request, false) : code; \
  }()
#endif

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

// Numbers, and in the first part records of three numbers and an integer: a counter, an address, or a negative integer.
// Some of the rest hold values that are not finite. Large integers have the bits of ordinary numbers and are left out.
// denormal_alone: no negative integers, which would be NaN and by themselves keep their blocks exact.
template <class T>
std::vector<T> carried(std::size_t count, Random& random, bool denormal_alone) {
  constexpr int fraction = std::numeric_limits<T>::digits - 1;
  std::vector<T> x = numbers<T>(count, random);
  for (std::size_t k = 3; k < count / 3; k += 4) {
    const std::uint64_t which = random.below(denormal_alone ? 2 : 3);
    const std::uint64_t whole = which == 0   ? random.below(100000)
                                : which == 1 ? random.bits() >> (64 - fraction)
                                             : 0 - (1 + random.below(1000));
    x[k] = std::bit_cast<T>(static_cast<BitsOf<T>>(whole));
  }
  if (count > 0 && random.below(2) == 0)
    x[count / 3 + random.below(count / 3 + 1)] = -std::numeric_limits<T>::infinity();
  return x;
}

struct Judge {
  Test& t;
  double bound;          // the bound on numbers
  bool rounded;          // denormals may be rounded
  bool changed = false;  // some denormal was changed

  template <class T>
  void check(const std::vector<T>& got, const std::vector<T>& right) {
    if (!CHECK(t, got.size() == right.size())) return;
    for (std::size_t k = 0; k < got.size(); ++k) {
      const bool same = std::memcmp(&got[k], &right[k], sizeof(T)) == 0;
      const bool denormal = std::fpclassify(right[k]) == FP_SUBNORMAL;
      changed = changed || (denormal && !same);
      const bool exact = bound == 0 || !std::isfinite(right[k]) || (denormal && !rounded);
      const bool good = same || (!exact && std::fabs(static_cast<double>(got[k]) - static_cast<double>(right[k])) <=
                                               bound + (sizeof(T) == 4 ? 4e-7 : 1e-15));
      if (!CHECK(t, good, "number %zu of %zu is %a, not %a%s", k, got.size(), static_cast<double>(got[k]),
                 static_cast<double>(right[k]), exact ? " to the bit" : ""))
        return;
    }
  }
};

template <class T>
void movement(Judge& judge, Way way, std::size_t count, Random& random) {
  Test& t = judge.t;
  const MPI_Datatype type = type_of<T>();
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int c = static_cast<int>(count);
  const auto n = static_cast<std::size_t>(t.size());
  const int root = t.size() - 1;
  const bool here = t.rank() == root;
  const auto mine = carried<T>(count, random, judge.rounded);
  const auto all = carried<T>(count * n, random, judge.rounded);
  std::vector<T> one(count);
  std::vector<T> one_right(count);
  std::vector<T> many(count * n);
  std::vector<T> many_right(count * n);
  const auto doing = [&](const char* what) {
    t.doing(text("%s %s of %zu numbers of %zu bytes", name_of(way), what, count, sizeof(T)));
    t.count_case();
    std::fill(one.begin(), one.end(), T(0));
    std::fill(many.begin(), many.end(), T(0));
  };
  const auto good = [&](int code) { return CHECK(t, code == MPI_SUCCESS, "code %d", code); };

  doing("bcast");
  one = one_right = mine;
  PMPI_Bcast(one_right.data(), c, type, root, comm);
  if (good(DO(way, Bcast, bcast, one.data(), c, type, root, comm))) judge.check(one, one_right);

  doing("allgather");
  PMPI_Allgather(mine.data(), c, type, many_right.data(), c, type, comm);
  if (good(DO(way, Allgather, allgather, mine.data(), c, type, many.data(), c, type, comm)))
    judge.check(many, many_right);

  doing("gather");
  if (good(DO(way, Gather, gather, mine.data(), c, type, many.data(), c, type, root, comm)) && here)
    judge.check(many, many_right);

  doing("scatter");
  PMPI_Scatter(all.data(), c, type, one_right.data(), c, type, root, comm);
  if (good(DO(way, Scatter, scatter, all.data(), c, type, one.data(), c, type, root, comm)))
    judge.check(one, one_right);

  doing("alltoall");
  PMPI_Alltoall(all.data(), c, type, many_right.data(), c, type, comm);
  if (good(DO(way, Alltoall, alltoall, all.data(), c, type, many.data(), c, type, comm))) judge.check(many, many_right);

  // Every other rank has half as many.
  std::vector<int> counts;
  std::vector<int> displs;
  for (int r = 0; r < t.size(); ++r) {
    counts.push_back(r % 2 == 0 ? c : c / 2);
    displs.push_back(r * c);
  }
  const int own = counts[static_cast<std::size_t>(t.rank())];
  doing("allgatherv");
  std::fill(many_right.begin(), many_right.end(), T(0));
  PMPI_Allgatherv(mine.data(), own, type, many_right.data(), counts.data(), displs.data(), type, comm);
  if (good(DO(way, Allgatherv, allgatherv, mine.data(), own, type, many.data(), counts.data(), displs.data(), type,
              comm)))
    judge.check(many, many_right);

  doing("gatherv");
  if (good(DO(way, Gatherv, gatherv, mine.data(), own, type, many.data(), counts.data(), displs.data(), type, root,
              comm)) &&
      here)
    judge.check(many, many_right);

  doing("scatterv");
  std::fill(one_right.begin(), one_right.end(), T(0));
  PMPI_Scatterv(all.data(), counts.data(), displs.data(), type, one_right.data(), own, type, root, comm);
  if (good(DO(way, Scatterv, scatterv, all.data(), counts.data(), displs.data(), type, one.data(), own, type, root,
              comm)))
    judge.check(one, one_right);

  doing("alltoallv");
  const std::vector<int> from(n, own);
  std::fill(many_right.begin(), many_right.end(), T(0));
  PMPI_Alltoallv(all.data(), counts.data(), displs.data(), type, many_right.data(), from.data(), displs.data(), type,
                 comm);
  if (good(DO(way, Alltoallv, alltoallv, all.data(), counts.data(), displs.data(), type, many.data(), from.data(),
              displs.data(), type, comm)))
    judge.check(many, many_right);
}

// The same numbers, laid out differently on different ranks.
void layouts(Judge& judge, Way way, Random& random) {
  constexpr int count = 6000;
  Test& t = judge.t;
  MPI_Datatype spread = MPI_DATATYPE_NULL;
  MPI_Datatype row = MPI_DATATYPE_NULL;
  MPI_Type_vector(count, 1, 2, MPI_DOUBLE, &spread);
  MPI_Type_contiguous(count, MPI_DOUBLE, &row);
  MPI_Type_commit(&spread);
  MPI_Type_commit(&row);
  const int kind = t.rank() % 3;
  const MPI_Datatype mine = kind == 0 ? MPI_DOUBLE : kind == 1 ? spread : row;
  const int items = kind == 0 ? count : 1;
  t.doing(text("a %s bcast and allgather, laid out differently on every rank", name_of(way)));
  t.count_case();
  auto got = carried<double>(2 * count, random, judge.rounded);
  auto right = got;
  PMPI_Bcast(right.data(), items, mine, 0, MPI_COMM_WORLD);
  CHECK(t, DO(way, Bcast, bcast, got.data(), items, mine, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
  judge.check(got, right);
  const auto n = static_cast<std::size_t>(t.size());
  std::vector<double> all(2 * count * n);
  std::vector<double> all_right(2 * count * n);
  const MPI_Datatype there = kind == 2 ? MPI_DOUBLE : row;
  const int room = kind == 2 ? count : 1;
  PMPI_Allgather(right.data(), items, mine, all_right.data(), room, there, MPI_COMM_WORLD);
  CHECK(t, DO(way, Allgather, allgather, right.data(), items, mine, all.data(), room, there, MPI_COMM_WORLD) ==
               MPI_SUCCESS);
  judge.check(all, all_right);
  MPI_Type_free(&spread);
  MPI_Type_free(&row);
}

}  // namespace

int main(int argc, char** argv) {
  const bool rounded = argc > 1 && std::string(argv[argc - 1]) == "rounded";
  Test t(&argc, &argv, "dropin movement");
  if (rounded) --argc;
  const Expectation expected(argc, argv);
  Random random(t.seed() * 1000 + static_cast<std::uint64_t>(t.rank()));
  Judge judge{t, expected.movement ? expected.bound : 0, rounded};
  for (const Way way : ways)
    for (const std::size_t count : {std::size_t{5}, std::size_t{7000}}) {
      movement<double>(judge, way, count, random);
      movement<float>(judge, way, count, random);
    }
  for (const Way way : ways) layouts(judge, way, random);
  t.doing("what became of denormals");
  CHECK(t, judge.changed == (rounded && t.size() > 1 && expected.bound > 0), "denormals %s",
        judge.changed ? "were rounded" : "were kept");
  return t.finish();
}
