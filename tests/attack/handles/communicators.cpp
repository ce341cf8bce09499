// SPDX-License-Identifier: BSD-3-Clause
// Communicators of every kind, and attributes on them.
#include <algorithm>
#include <numeric>

#include "play.hpp"

namespace handles {
namespace {

void find_neighbors(Play& p, Comm& comm) {
  int kind = MPI_UNDEFINED;
  p.run.good(MPI_Topo_test(comm.handle, &kind), "MPI_Topo_test");
  std::vector<int> in;
  std::vector<int> out;
  if (kind == MPI_CART) {
    int dimensions = 0;
    MPI_Cartdim_get(comm.handle, &dimensions);
    for (int d = 0; d < dimensions; ++d) {
      int before = 0;
      int behind = 0;
      MPI_Cart_shift(comm.handle, d, 1, &before, &behind);
      in.insert(in.end(), {before, behind});
    }
    out = in;
  } else if (kind == MPI_GRAPH) {
    int n = 0;
    MPI_Graph_neighbors_count(comm.handle, comm.rank, &n);
    in.resize(static_cast<std::size_t>(n));
    MPI_Graph_neighbors(comm.handle, comm.rank, n, in.data());
    out = in;
  } else {
    int n = 0;
    int m = 0;
    int weighted = 0;
    MPI_Dist_graph_neighbors_count(comm.handle, &n, &m, &weighted);
    in.resize(static_cast<std::size_t>(n) + 1);
    out.resize(static_cast<std::size_t>(m) + 1);
    std::vector<int> in_weights(in.size());
    std::vector<int> out_weights(out.size());
    MPI_Dist_graph_neighbors(comm.handle, n, in.data(), weighted ? in_weights.data() : MPI_UNWEIGHTED, m, out.data(),
                             weighted ? out_weights.data() : MPI_UNWEIGHTED);
    in.resize(static_cast<std::size_t>(n));
    out.resize(static_cast<std::size_t>(m));
  }
  const auto world = [&](int rank) {
    return rank == MPI_PROC_NULL ? rank : comm.world[static_cast<std::size_t>(rank)];
  };
  for (const int rank : in) comm.sources.push_back(world(rank));
  for (const int rank : out) comm.destinations.push_back(world(rank));
}

// Edges of a graph of n ranks, none of them twice.
std::vector<std::pair<int, int>> edges_of(std::uint64_t seed, int n) {
  std::vector<std::pair<int, int>> edges;
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b)
      if (mix(seed, static_cast<std::uint64_t>(a * n + b)) % 5 < 2) edges.emplace_back(a, b);
  return edges;
}

MPI_Comm cart(const Comm& c, std::uint64_t seed) {
  const int n = c.size - static_cast<int>(seed % 3 == 0 && c.size > 2);  // without the last rank
  int dims[] = {0, 0};
  const int dimensions = 1 + static_cast<int>(seed / 3 % 2);
  MPI_Dims_create(n, dimensions, dims);
  const int periods[] = {static_cast<int>(seed / 6 % 2), static_cast<int>(seed / 12 % 2)};
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Cart_create(c.handle, dimensions, dims, periods, static_cast<int>(seed / 24 % 2), &made);
  return made;
}

MPI_Comm graph(const Comm& c, std::uint64_t seed) {
  std::vector<int> ends;
  std::vector<int> targets;
  auto edges = edges_of(seed, c.size);
  for (int a = 0; a < c.size; ++a) {  // in both directions
    for (int b = 0; b < c.size; ++b)
      if (std::ranges::count(edges, std::pair{std::min(a, b), std::max(a, b)}) > 0) targets.push_back(b);
    ends.push_back(static_cast<int>(targets.size()));
  }
  targets.push_back(0);  // so that there is an address
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Graph_create(c.handle, c.size, ends.data(), targets.data(), static_cast<int>(seed % 2), &made);
  return made;
}

MPI_Comm dist_graph(const Comm& c, std::uint64_t seed) {
  std::vector<int> in;
  std::vector<int> out;
  for (const auto& [a, b] : edges_of(seed, c.size)) {
    if (b == c.rank) in.push_back(a);
    if (a == c.rank) out.push_back(b);
  }
  const int n = static_cast<int>(in.size());
  const int m = static_cast<int>(out.size());
  in.push_back(0);
  out.push_back(0);
  MPI_Comm made = MPI_COMM_NULL;
  if (seed % 2 == 0) {
    MPI_Dist_graph_create_adjacent(c.handle, n, in.data(), MPI_UNWEIGHTED, m, out.data(), MPI_UNWEIGHTED, MPI_INFO_NULL,
                                   static_cast<int>(seed / 2 % 2), &made);
  } else {  // every rank names its own edges
    MPI_Dist_graph_create(c.handle, 1, &c.rank, &m, out.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
  }
  return made;
}

MPI_Comm by_group(const Comm& c, std::uint64_t seed, bool members_alone, int tag) {
  std::vector<int> members;
  for (int r = 0; r < c.size; ++r)
    if (mix(seed, static_cast<std::uint64_t>(r)) % 3 != 0) members.push_back(r);
  if (members.empty()) members.push_back(0);
  if (seed % 2 == 0) std::ranges::reverse(members);
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group some = MPI_GROUP_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_group(c.handle, &all);
  MPI_Group_incl(all, static_cast<int>(members.size()), members.data(), &some);
  if (!members_alone)
    MPI_Comm_create(c.handle, some, &made);
  else if (std::ranges::count(members, c.rank) > 0)
    MPI_Comm_create_group(c.handle, some, tag, &made);
  MPI_Group_free(&some);
  MPI_Group_free(&all);
  return made;
}

}  // namespace

void Play::adopt(const std::shared_ptr<Comm>& comm, MPI_Comm handle) {
  comm->handle = handle;
  if (handle == MPI_COMM_NULL) return;
  run.good(MPI_Comm_set_errhandler(handle, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  MPI_Comm_rank(handle, &comm->rank);
  MPI_Comm_size(handle, &comm->size);
  MPI_Group mine = MPI_GROUP_NULL;
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Comm_group(handle, &mine);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  std::vector<int> ranks(static_cast<std::size_t>(comm->size));
  std::iota(ranks.begin(), ranks.end(), 0);
  comm->world.resize(ranks.size());
  MPI_Group_translate_ranks(mine, comm->size, ranks.data(), all, comm->world.data());
  MPI_Group_free(&mine);
  MPI_Group_free(&all);
  if (comm->topology) find_neighbors(*this, *comm);
  if (comm->attribute != 0) {
    void* value = nullptr;
    int flag = 0;
    MPI_Comm_get_attr(handle, comm_keyval, static_cast<void*>(&value), &flag);
    CHECK(run.journal, flag && reinterpret_cast<std::intptr_t>(value) == comm->attribute, "an attribute of a copy: %d",
          flag);
  }
}

void Play::check_copies() {
  if (idups > 0) return;
  CHECK(run.journal, comm_callbacks.copies == comm_callbacks.due_copies, "%ld calls of the copy callback, not %ld",
        comm_callbacks.copies, comm_callbacks.due_copies);
}

std::shared_ptr<Comm> Play::duplicate(const std::shared_ptr<Comm>& parent) {
  auto made = std::make_shared<Comm>();
  made->name = "dup of " + parent->name;
  made->topology = parent->topology;
  if (parent->attribute != 0) made->attribute = parent->attribute + 1;
  if (!parent->member()) return made;
  MPI_Comm handle = MPI_COMM_NULL;
  comm_callbacks.due_copies += parent->attribute != 0;
  run.good(MPI_Comm_dup(parent->handle, &handle), "MPI_Comm_dup");
  check_copies();
  adopt(made, handle);
  return made;
}

void Play::make_comm() {
  const auto parent = pick();
  const std::uint64_t seed = shared.bits() >> 8;
  const int number = next();
  auto which = shared.below(10);
  if (open_mpi && which == 2) which = 1;  // 4.1 itself: waiting for MPI_Comm_idup fails or hangs
  if (open_mpi && which == 6) which = 5;  // 4.1 itself copies attributes in MPI_Comm_create_group
  const bool with_attribute = shared.below(3) == 0;
  constexpr const char* names[] = {"dup",    "dup_with_info", "idup", "split", "split of some",
                                   "create", "create_group",  "cart", "graph", "dist_graph"};
  say(text("%d: MPI_Comm_%s of [%s]%s", number, names[which], parent->name.c_str(),
           with_attribute ? ", attribute" : ""));
  auto made = std::make_shared<Comm>();
  const auto finish_made = [this, made, with_attribute, number] {
    made->name += text(" %d", number);
    if (with_attribute) {
      if (made->member()) {
        comm_callbacks.due_deletes += made->attribute != 0;
        run.good(MPI_Comm_set_attr(made->handle, comm_keyval, reinterpret_cast<void*>(std::intptr_t{100})),
                 "MPI_Comm_set_attr");
      }
      made->attribute = 100;
    }
    comms.push_back(made);
  };
  MPI_Comm handle = MPI_COMM_NULL;
  const Comm& c = *parent;
  const bool copies = which < 3;
  made->name = which == 0 ? "" : names[which];
  made->topology = copies ? c.topology : which >= 7;
  if (copies && c.attribute != 0) made->attribute = c.attribute + 1;
  if (copies && c.member()) comm_callbacks.due_copies += c.attribute != 0;
  if (which == 2) {
    ++idups;
    // MPI writes the handle when it is complete.
    const auto place = std::make_shared<MPI_Comm>(MPI_COMM_NULL);
    std::shared_ptr<Op> op;
    if (c.member()) {
      Op o{text("idup %d", number), parent, [place](const MPI_Status*) {}};
      run.good(MPI_Comm_idup(c.handle, place.get(), &o.request), "MPI_Comm_idup");
      op = add(std::move(o));
    }
    later(parent, [this, made, op, place, finish_made] {
      if (op) finish(*op);
      --idups;
      if (op) adopt(made, *place);
      check_copies();
      finish_made();
    });
    return;
  }
  if (c.member()) {
    const int colour = which == 4 && seed / 7 % static_cast<std::uint64_t>(c.size) == static_cast<std::uint64_t>(c.rank)
                           ? MPI_UNDEFINED
                           : c.rank % (1 + static_cast<int>(seed % 3));
    const int turn = seed / 3 % 2 == 0 ? c.rank : -c.rank;
    switch (which) {
      case 0: run.good(MPI_Comm_dup(c.handle, &handle), "MPI_Comm_dup"); break;
      case 1: run.good(MPI_Comm_dup_with_info(c.handle, MPI_INFO_NULL, &handle), "MPI_Comm_dup_with_info"); break;
      case 3:
      case 4: run.good(MPI_Comm_split(c.handle, colour, turn, &handle), "MPI_Comm_split"); break;
      case 5: handle = by_group(c, seed, false, number); break;
      case 6: handle = by_group(c, seed, true, number); break;
      case 7: handle = cart(c, seed); break;
      case 8: handle = graph(c, seed); break;
      default: handle = dist_graph(c, seed);
    }
    check_copies();
    adopt(made, handle);
  }
  finish_made();
}

void Play::free_comm(std::shared_ptr<Comm> comm) {
  run_later(comm.get());
  // Open MPI 4.1 itself fails where operations are under way on a communicator that is freed.
  const bool early = shared.below(2) == 0 && !open_mpi;
  const bool disconnect = shared.below(3) == 0 && !early;  // which needs everything to be complete
  say(text("%s of [%s]%s", disconnect ? "MPI_Comm_disconnect" : "MPI_Comm_free", comm->name.c_str(),
           early ? ", operations may be under way" : ""));
  if (!early) finish_on(comm.get());
  std::erase(comms, comm);
  comm->freed = true;
  if (!comm->member()) return;
  comm_callbacks.due_deletes += comm->attribute != 0;
  run.good(disconnect ? MPI_Comm_disconnect(&comm->handle) : MPI_Comm_free(&comm->handle), "MPI_Comm_free");
  CHECK(run.journal, comm->handle == MPI_COMM_NULL);
}

// As many living communicators as a program may have, each in use: a library must not use up what MPI has of them.
void crowd(Play& p, int living) {
  p.say(text("%d living communicators", living));
  std::vector<MPI_Comm> all(static_cast<std::size_t>(living));
  std::vector<double> mine(64, p.run.rank + 1);
  const double right = p.run.size * (p.run.size + 1) / 2.0;
  for (int k = 0; k < living; ++k) {
    MPI_Comm& comm = all[static_cast<std::size_t>(k)];
    const int rc =
        k % 2 == 0 ? MPI_Comm_split(MPI_COMM_WORLD, 0, p.run.rank, &comm) : MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    p.run.good(rc, k % 2 == 0 ? "MPI_Comm_split" : "MPI_Comm_dup");
    if (rc != MPI_SUCCESS) {  // on all ranks
      all.resize(static_cast<std::size_t>(k));
      break;
    }
    std::vector<double> sum(mine.size());
    p.run.good(MPI_Allreduce(mine.data(), sum.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_SUM, comm),
               "MPI_Allreduce");
    const double error = std::max(std::abs(sum.front() - right), std::abs(sum.back() - right));
    CHECK(p.run.journal, error <= p.run.bound * (1 + 1e-9), "communicator %d: a sum is off by %g", k, error);
  }
  for (MPI_Comm& comm : all) p.run.good(MPI_Comm_free(&comm), "MPI_Comm_free");
}

}  // namespace handles
