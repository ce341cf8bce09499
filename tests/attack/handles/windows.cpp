// SPDX-License-Identifier: BSD-3-Clause
// One-sided communication: it stays plain, and has to work beside everything else.
#include "play.hpp"

namespace handles {
namespace {

struct Epoch {
  MPI_Win window = MPI_WIN_NULL;
  void* memory = nullptr;  // of the window
  std::shared_ptr<Buffer> own;
  std::shared_ptr<Buffer> put;
  std::shared_ptr<Buffer> got;
  std::shared_ptr<Buffer> added;
};

// Who does what: every rank puts to one and gets from one, and all add to one.
struct Turn {
  int put_to;
  int put_from;
  int get_from;
  int add_to;
};

constexpr int to_all = -1;
constexpr int stays = -3;

}  // namespace

void window(Play& p) {
  const auto comm = p.pick();
  const int number = p.next();
  const auto turn = p.shared.bits() >> 8;
  const Signature signature = p.draw_signature(false);
  const std::size_t numbers = p.draw_numbers() / 4 / grain * grain;
  const bool allocates = p.shared.below(2) == 0;
  if (comm->attribute != 0) return;  // MPICH copies the communicator, with its attributes
  if (open_mpi) return;              // 4.1 has no windows over TCP, which tests/mpirun asks for
  const auto epoch = std::make_shared<Epoch>();
  const MPI_Datatype base = basic(signature.kind);
  if (comm->member()) {
    const int n = comm->size;
    const int shift = static_cast<int>(turn % static_cast<std::uint64_t>(n));
    const Turn t{(comm->rank + shift) % n, (comm->rank + n - shift) % n, (comm->rank + n - shift) % n,
                 static_cast<int>(turn / 64 % static_cast<std::uint64_t>(n))};
    const auto world = [&](int rank) { return comm->world[static_cast<std::size_t>(rank)]; };
    const int me = world(comm->rank);
    // The window: a part to put to, a part to get from, and a part to add to.
    const auto plain = std::make_shared<Type>(p.run, signature.kind, p.type_callbacks);
    Block adding{2 * numbers, numbers, Way{me, stays - 1}, {}};
    if (comm->rank == t.add_to) {
      adding.after = {Way{me, stays - 1}};
      for (int r = 0; r < n; ++r) adding.after.push_back(Way{world(r), to_all});
    }
    Epoch& e = *epoch;
    e.own = std::make_shared<Buffer>(
        p.run, p.own, signature, plain,
        std::vector<Block>{
            {0, numbers, {}, {Way{world(t.put_from), me}}}, {numbers, numbers, Way{me, stays}, {}}, adding});
    const auto side = [&](Block b) {
      auto buffer =
          std::make_shared<Buffer>(p.run, p.own, signature, p.draw_type(signature), std::vector{std::move(b)});
      buffer->fill(p.key(number));
      return buffer;
    };
    e.own->fill(p.key(number));
    e.put = side({0, numbers, Way{me, world(t.put_to)}, {}});
    e.put->make_read_only();
    e.got = side({0, numbers, {}, {Way{world(t.get_from), stays}}});
    e.added = side({0, numbers, Way{me, to_all}, {}});
    p.say(text("%d: MPI_Win_%s on [%s] of %d, %zu numbers, types %s, %s, %s", number, allocates ? "allocate" : "create",
               comm->name.c_str(), n, numbers, e.put->type().name(), e.got->type().name(), e.added->type().name()));
    const auto bytes = static_cast<MPI_Aint>(e.own->bytes());
    const int unit_bytes = static_cast<int>(width(signature.kind));
    if (allocates) {
      p.run.good(MPI_Win_allocate(bytes, unit_bytes, MPI_INFO_NULL, comm->handle, &e.memory, &e.window),
                 "MPI_Win_allocate");
      std::memcpy(e.memory, e.own->data(), e.own->bytes());
    } else {
      p.run.good(MPI_Win_create(e.own->data(), bytes, unit_bytes, MPI_INFO_NULL, comm->handle, &e.window),
                 "MPI_Win_create");
    }
    const int whole = static_cast<int>(numbers);
    const auto at = static_cast<MPI_Aint>(numbers);
    p.run.good(MPI_Win_fence(0, e.window), "MPI_Win_fence");
    p.run.good(
        MPI_Put(e.put->data(), e.put->items(numbers), e.put->type().handle(), t.put_to, 0, whole, base, e.window),
        "MPI_Put");
    p.run.good(
        MPI_Get(e.got->data(), e.got->items(numbers), e.got->type().handle(), t.get_from, at, whole, base, e.window),
        "MPI_Get");
    p.run.good(MPI_Accumulate(e.added->data(), e.added->items(numbers), e.added->type().handle(), t.add_to, 2 * at,
                              whole, base, MPI_SUM, e.window),
               "MPI_Accumulate");
    for (const auto& b : {e.put, e.got, e.added}) b->type().free();
  }
  p.later(comm, [&p, epoch, number, comm] {
    if (!comm->member()) return;
    Epoch& e = *epoch;
    p.say(text("%d: MPI_Win_fence, MPI_Win_free", number));
    p.run.good(MPI_Win_fence(0, e.window), "MPI_Win_fence");
    if (e.memory) std::memcpy(e.own->data(), e.memory, e.own->bytes());
    p.run.good(MPI_Win_free(&e.window), "MPI_Win_free");
    e.own->check("a window");
    e.put->check("MPI_Put");
    e.got->check("MPI_Get");
    e.added->check("MPI_Accumulate");
  });
}

}  // namespace handles
