// SPDX-License-Identifier: BSD-3-Clause
// Random neighborhoods, and neighborhood collectives on them in every form, compared with what the text of the MPI
// standard demands (neighborhoods/topology.hpp): every block that arrives, and every byte that must stay as it was.
//
//   neighborhoods exact|within E|within E all [seed=S] [cases=N] [first=K]
//
// Every case is drawn from the seed and its number alone: seed=S cases=1 first=K repeats one.
//
// Where a rank has the same neighbor twice MPI libraries themselves deviate from the standard, and the drop-in leaves
// these topologies to MPI. The result must be that of MPI's own function there, bit for bit. The program calls this
// function in every case, and prints where it deviates.
#include "neighborhoods/calls.hpp"

namespace {

using namespace neighborhoods;
using dropin::Expectation;
using ranks::Test;

// Groups of topologies in the table of deviations.
constexpr std::array<const char*, 8> kinds{
    "grid",  "grid, periodic of 1",   "grid, periodic of 2", "grid, periodic of 1 and 2",
    "graph", "graph, repeated edges", "distributed graph",   "distributed graph, repeated edges"};

// MPICH 4.0 delivers nothing, or hangs, in MPI_Neighbor_alltoallw of ranks with unlike numbers of sources and
// destinations.
bool sound([[maybe_unused]] Operation on_distributed_graph) {
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
  return on_distributed_graph != Operation::alltoallw;
#else
  return true;
#endif
}

int kind_of(const Topology& t) {
  const int repeats = t.repeats() ? 1 : 0;
  if (t.shape == Shape::grid) return (t.of_one ? 1 : 0) + (t.of_two ? 2 : 0);
  return (t.shape == Shape::graph ? 4 : 6) + repeats;
}

struct Arguments {
  std::uint64_t seed = 1;
  std::uint64_t first = 0;
  std::uint64_t cases = 60;

  Arguments(int argc, char** argv, std::uint64_t otherwise) : seed(otherwise) {
    for (int k = 1; k < argc; ++k) {
      const std::string argument = argv[k];
      const auto take = [&](const std::string& name, std::uint64_t& into) {
        if (argument.starts_with(name)) into = std::strtoull(argument.c_str() + name.size(), nullptr, 10);
      };
      take("seed=", seed);
      take("first=", first);
      take("cases=", cases);
    }
  }
};

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) { return Random(Random(a).bits() ^ ~b).bits(); }

// What one rank knows of one call.
class Play {
 public:
  struct World {
    Test& t;
    const Expectation& expected;
    const Types& types;
    const Memory& sent;
    const Memory& received;
  };

  Play(World& world, const Topology& topology, std::uint64_t number, Operation operation)
      : w_(world), topology_(topology), number_(mixed(number, static_cast<std::uint64_t>(operation))) {
    Random alike(number_);  // on all ranks
    what_.operation = operation;
    what_.form = static_cast<Form>(alike.below(MPI_VERSION < 4 ? 2 : 3));
    what_.large = MPI_VERSION >= 4 && chance(alike, 4);
    guarded_ = chance(alike, 3);
    mixed_ = operation == Operation::alltoallw && chance(alike, 4);
    scalar_ = static_cast<Scalar>(alike.below(3));
    phase_ = alike.below(4096);
    const std::vector<std::size_t> sizes{0, 2, 40, 150, 500, 900, 2000};
    numbers_ = guarded_ ? 2048 : alike.pick(sizes);  // whole pages, with and without gaps
    lay_out();
  }

  std::string describe() const {
    return text("neighbor_%s, %s%s%s%s", operation_names[static_cast<std::size_t>(what_.operation)],
                form_names[static_cast<std::size_t>(what_.form)], what_.large ? ", large counts" : "",
                guarded_ ? ", read-only" : "",
                mixed_ ? ", several types" : text(", type %d", static_cast<int>(scalar_)).c_str());
  }
  Form form() const { return what_.form; }

  // Returns whether MPI's own function deviates from the standard here.
  bool go() {
    const int rounds = what_.form == Form::persistent ? 2 : 1;
    bool deviates = false;
    std::vector<std::vector<std::byte>> of_mpi;
    complete(Whose::mpi, rounds, [&](int round) {
      const std::byte* bytes = w_.received.data();
      of_mpi.emplace_back(bytes, bytes + recv_.used);
      std::string why;
      if (!is_right(round, 0, why)) deviates = true;
      if (deviates && !topology_.repeats()) w_.t.doing(w_.t.what() + "\n    plain MPI: " + why);
    });
    complete(Whose::program, rounds, [&](int round) {
      const auto& right = of_mpi[static_cast<std::size_t>(round)];
      std::string why;
      const double bound = w_.expected.movement ? w_.expected.bound : 0;
      const bool same = std::memcmp(w_.received.data(), right.data(), right.size()) == 0;
      const bool is = is_right(round, bound, why);
      if (topology_.repeats())
        CHECK(w_.t, same, "not MPI's own result; by the standard, %s", is ? "it is right" : why.c_str());
      else
        CHECK(w_.t, is, "%s", why.c_str());
    });
    return deviates;
  }

 private:
  std::size_t numbers_of_edge(int from, int to) const {
    if (what_.operation == Operation::allgather || what_.operation == Operation::alltoall) return numbers_;
    // All edges between two ranks have as many: MPIs match them in different ways.
    const int end = what_.operation == Operation::allgatherv ? 0 : to;
    Random random(mixed(number_, static_cast<std::uint64_t>(100 * from + end + 1000)));
    const std::uint64_t kind = random.below(6);
    return kind == 0 ? 0 : 2 * random.below(kind < 3 ? 40 : 800);
  }

  Scalar scalar_of_edge(int from, int to) const {
    if (!mixed_) return scalar_;
    return static_cast<Scalar>(mixed(number_, static_cast<std::uint64_t>(100 * from + to + 5000)) % 3);
  }

  void lay_out() {
    const int me = topology_.rank;
    Random random(mixed(number_, static_cast<std::uint64_t>(me) + 1));
    const bool w = what_.operation == Operation::alltoallw;
    const bool v = what_.operation == Operation::alltoallv;
    const bool gathers = what_.operation == Operation::allgather || what_.operation == Operation::allgatherv;
    const auto lay = [&](Side& side, const std::vector<int>& neighbors, bool sending, bool freely) {
      side.each.numbers = gathers && sending ? numbers_of_edge(me, me) : numbers_;
      side.each.scalar = scalar_;
      side.each.spaced = chance(random, 2);
      for (const int neighbor : neighbors) {
        Block block = side.each;
        block.absent = neighbor == MPI_PROC_NULL;
        if (w) block.spaced = chance(random, 2);
        // What the arguments of an absent block say is the affair of this rank alone.
        const int other = block.absent ? 50 + static_cast<int>(random.below(10)) : neighbor;
        block.numbers = sending ? numbers_of_edge(me, other) : numbers_of_edge(other, me);
        block.scalar = sending ? scalar_of_edge(me, other) : scalar_of_edge(other, me);
        side.blocks.push_back(block);
      }
      side.place(freely, w ? sizeof(double) : 0, random);
    };
    send_.memory = &w_.sent;
    recv_.memory = &w_.received;
    recv_.guarded = guarded_;
    lay(send_, gathers ? std::vector<int>{me} : topology_.my_destinations(), true, v || w);
    lay(recv_, topology_.my_sources(), false, v || w || what_.operation == Operation::allgatherv);
  }

  void fill(int round) {
    send_.fill();
    for (std::size_t k = 0; k < send_.blocks.size(); ++k) {
      const Block& block = send_.blocks[k];
      for (std::size_t n = 0; n < block.numbers; ++n)
        store(w_.sent.data() + block.place(n), block.scalar, value(topology_.rank, k, n, round, phase_));
    }
    before_.assign(w_.sent.data(), w_.sent.data() + send_.used);
    recv_.fill();
    if (guarded_) w_.sent.forbid_writing(0, send_.used);
    recv_.guard();
  }

  // After a call: whatever it is that a call may not do.
  void check_rest(Whose whose) {
    const char* const of = whose == Whose::mpi ? "MPI itself" : "the program's call";
    CHECK(w_.t, !Memory::was_written(), "%s wrote into a read-only page", of);
    CHECK(w_.t, std::memcmp(before_.data(), w_.sent.data(), send_.used) == 0, "%s changed the send buffer", of);
    w_.sent.allow_writing();
    w_.received.allow_writing();
  }

  template <class Look>
  void complete(Whose whose, int rounds, Look look) {
    const Call call(what_, send_, recv_, w_.types, topology_.comm);
    MPI_Request request = MPI_REQUEST_NULL;
    if (what_.form == Form::persistent) succeed(whose, call.begin(whose, &request));
    for (int round = 0; round < rounds; ++round) {
      fill(round);
      succeed(whose, what_.form == Form::persistent ? MPI_Start(&request) : call.begin(whose, &request));
      if (what_.form != Form::blocking) succeed(whose, MPI_Wait(&request, MPI_STATUS_IGNORE));
      check_rest(whose);
      look(round);
    }
    if (what_.form == Form::persistent) succeed(whose, MPI_Request_free(&request));
  }

  // Other ranks would wait for this one.
  void succeed(Whose whose, int code) {
    std::array<char, MPI_MAX_ERROR_STRING> said{};
    int length = 0;
    if (code != MPI_SUCCESS) MPI_Error_string(code, said.data(), &length);
    if (CHECK(w_.t, code == MPI_SUCCESS, "%s: %s", whose == Whose::mpi ? "MPI" : "the program's call", said.data()))
      return;
    MPI_Abort(MPI_COMM_WORLD, 1);
  }

  // Whether the receive buffer is as the standard demands; afterwards the marks are back in it.
  bool is_right(int round, double bound, std::string& why) {
    const std::vector<int>& sources = topology_.my_sources();
    const bool gathers = what_.operation == Operation::allgather || what_.operation == Operation::allgatherv;
    for (std::size_t k = 0; k < recv_.blocks.size(); ++k) {
      const Block& block = recv_.blocks[k];
      if (block.absent) continue;
      const std::size_t label = gathers ? 0 : topology_.origin(topology_.rank, k);
      for (std::size_t n = 0; n < block.numbers; ++n) {
        std::byte* const at = w_.received.data() + block.place(n);
        const double wanted = value(sources[k], label, n, round, phase_);
        if (why.empty() && !is_close(at, block.scalar, wanted, bound))
          why = text("number %d of block %d, from rank %d, round %d, is %g, not %g, number %d of its block %d",
                     static_cast<int>(n), static_cast<int>(k), sources[k], round, load(at, block.scalar), wanted,
                     static_cast<int>(n), static_cast<int>(label));
        for (std::size_t b = 0; b < width_of(block.scalar); ++b) at[b] = Side::mark(block.place(n) + b);
      }
    }
    if (const std::size_t written = recv_.first_written(); why.empty() && written < recv_.used)
      why = text("byte %d, %s, was written", static_cast<int>(written), what_is_at(written).c_str());
    return why.empty();
  }

  std::string what_is_at(std::size_t byte) const {
    for (std::size_t k = 0; k < recv_.blocks.size(); ++k) {
      const Block& block = recv_.blocks[k];
      if (byte >= block.at && byte < block.at + block.bytes())
        return text("%s block %d", block.absent ? "in absent" : "in a gap of", static_cast<int>(k));
    }
    return "outside of all blocks";
  }

  World& w_;
  const Topology& topology_;
  const std::uint64_t number_;
  Request what_;
  bool guarded_ = false;
  bool mixed_ = false;
  Scalar scalar_ = Scalar::real;
  std::size_t phase_ = 0;
  std::size_t numbers_ = 0;
  Side send_;
  Side recv_;
  std::vector<std::byte> before_;
};

// For each call: 0 on ranks outside, else one more than 2 * (form + 3 * kind), and 1 more if MPI deviated on this rank.
void print_table(Test& t, const std::vector<int>& calls, const std::array<int, kinds.size()>& mine) {
  std::array<int, kinds.size()> unusable{};
  PMPI_Reduce(mine.data(), unusable.data(), static_cast<int>(kinds.size()), MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
  std::vector<int> all(calls.size());
  PMPI_Reduce(calls.data(), all.data(), static_cast<int>(calls.size()), MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
  if (t.rank() != 0) return;
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> library{};
  int length = 0;
  MPI_Get_library_version(library.data(), &length);
  std::string version = library.data();
  version = version.substr(0, version.find_first_of(",\n"));
  std::replace(version.begin(), version.end(), '\t', ' ');
  std::printf("where %s deviates from the standard (calls, of all):\n", version.c_str());
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    if (unusable[kind] > 0)
      std::printf("  %-34s made with sources and destinations that do not fit each other: %d\n", kinds[kind],
                  unusable[kind]);
    for (std::size_t operation = 0; operation < operation_names.size(); ++operation)
      for (std::size_t form = 0; form < form_names.size(); ++form) {
        int of = 0;
        int deviates = 0;
        for (std::size_t k = operation; k < all.size(); k += operation_names.size()) {
          if (all[k] == 0 || static_cast<std::size_t>(all[k] - 1) / 2 != form + 3 * kind) continue;
          ++of;
          deviates += (all[k] - 1) % 2;
        }
        if (deviates > 0)
          std::printf("  %-34s neighbor_%-10s %-11s %4d of %4d\n", kinds[kind], operation_names[operation],
                      form_names[form], deviates, of);
      }
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "dropin neighborhoods");
  const Expectation expected(argc, argv);
  const Arguments arguments(argc, argv, t.seed());
  const Memory sent;
  const Memory received;
  Memory::watch();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // of requests that belong to no other communicator
  Types types;
  Play::World world{t, expected, types, sent, received};
  MPI_Comm backwards = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -t.rank(), &backwards);
  if (t.rank() == 0)
    std::printf("neighborhoods: seed=%llu cases=%llu\n", static_cast<unsigned long long>(arguments.seed),
                static_cast<unsigned long long>(arguments.cases));
  std::vector<int> calls;
  std::array<int, kinds.size()> unusable{};
  for (std::uint64_t k = arguments.first; k < arguments.first + arguments.cases; ++k) {
    const std::string origin = text("seed=%llu cases=1 first=%llu", static_cast<unsigned long long>(arguments.seed),
                                    static_cast<unsigned long long>(k));
    t.doing(origin + ", making the topology");
    Random alike(mixed(arguments.seed, k));
    Topology topology = draw(chance(alike, 3) ? backwards : MPI_COMM_WORLD, alike);
    const std::uint64_t number = alike.bits();
    const bool member = topology.comm != MPI_COMM_NULL;
    if (member) MPI_Comm_set_errhandler(topology.comm, MPI_ERRORS_RETURN);
    const int kind = member ? kind_of(topology) : 0;
    const bool usable = member && topology.fits();
    if (member && !usable) ++unusable[static_cast<std::size_t>(kind)];
    for (std::size_t operation = 0; operation < operation_names.size(); ++operation) {
      int& call = calls.emplace_back(0);
      if (!usable || (topology.shape == Shape::distributed && !sound(static_cast<Operation>(operation)))) continue;
      Play play(world, topology, number, static_cast<Operation>(operation));
      t.doing(origin + ", " + topology.name + ", " + play.describe());
      const bool deviates = play.go();
      call = 1 + 2 * (static_cast<int>(play.form()) + 3 * kind) + (deviates ? 1 : 0);
    }
    if (member) MPI_Comm_free(&topology.comm);
    t.count_case();
  }
  print_table(t, calls, unusable);
  MPI_Comm_free(&backwards);
  types.free();
  return t.finish();
}
