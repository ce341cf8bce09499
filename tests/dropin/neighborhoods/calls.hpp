// SPDX-License-Identifier: BSD-3-Clause
// The neighborhood collectives in every form, with int and with large counts: the program's functions, and those of MPI
// itself (PMPI_), which the drop-in does not see.
#pragma once

#include "memory.hpp"

namespace neighborhoods {

enum class Operation { allgather, allgatherv, alltoall, alltoallv, alltoallw };
enum class Form { blocking, nonblocking, persistent };
enum class Whose { program, mpi };

constexpr std::array<const char*, 5> operation_names{"allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"};
constexpr std::array<const char*, 3> form_names{"blocking", "nonblocking", "persistent"};

// Arrays have one element more than there are blocks: Open MPI takes no null pointer, not even for no neighbors.
template <class Count, class Displ>
struct Part {
  std::byte* buffer = nullptr;
  Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::vector<Count> counts;
  std::vector<Displ> displs;        // in items of the type
  std::vector<MPI_Aint> distances;  // in bytes
  std::vector<MPI_Datatype> types;

  Part(const Side& side, const Types& all)
      : buffer(side.address()),
        count(static_cast<Count>(side.each.items())),
        type(all.of(side.each.scalar, side.each.spaced)) {
    for (const Block& block : side.blocks) {
      const auto distance = static_cast<MPI_Aint>(block.at) - static_cast<MPI_Aint>(side.base);
      counts.push_back(static_cast<Count>(block.items()));
      displs.push_back(static_cast<Displ>(distance / static_cast<MPI_Aint>(block.extent())));
      distances.push_back(distance);
      types.push_back(all.of(block.scalar, block.spaced));
    }
    counts.push_back(0);
    displs.push_back(0);
    distances.push_back(0);
    types.push_back(MPI_INT);
  }
};

struct Request {
  Operation operation = Operation::allgather;
  Form form = Form::blocking;
  bool large = false;
};

#if MPI_VERSION >= 4
#define NEIGHBORHOODS_SINCE_4(...) __VA_ARGS__
#else
#define NEIGHBORHOODS_SINCE_4(...) MPI_ERR_INTERN
#endif
#define NEIGHBORHOODS_FORMS(Prefix, name, suffix, ...)                                                                 \
  switch (form) {                                                                                                      \
    case Form::blocking: return Prefix##Neighbor_##name##suffix(__VA_ARGS__, comm);                                    \
    case Form::nonblocking: return Prefix##Ineighbor_##name##suffix(__VA_ARGS__, comm, request);                       \
    case Form::persistent:                                                                                             \
      return NEIGHBORHOODS_SINCE_4(Prefix##Neighbor_##name##_init##suffix(__VA_ARGS__, comm, MPI_INFO_NULL, request)); \
  }                                                                                                                    \
  break
#define NEIGHBORHOODS_OPERATIONS(Prefix, suffix)                                                                    \
  switch (operation) {                                                                                              \
    case Operation::allgather:                                                                                      \
      NEIGHBORHOODS_FORMS(Prefix, allgather, suffix, s.buffer, s.count, s.type, r.buffer, r.count, r.type);         \
    case Operation::allgatherv:                                                                                     \
      NEIGHBORHOODS_FORMS(Prefix, allgatherv, suffix, s.buffer, s.count, s.type, r.buffer, r.counts.data(),         \
                          r.displs.data(), r.type);                                                                 \
    case Operation::alltoall:                                                                                       \
      NEIGHBORHOODS_FORMS(Prefix, alltoall, suffix, s.buffer, s.count, s.type, r.buffer, r.count, r.type);          \
    case Operation::alltoallv:                                                                                      \
      NEIGHBORHOODS_FORMS(Prefix, alltoallv, suffix, s.buffer, s.counts.data(), s.displs.data(), s.type, r.buffer,  \
                          r.counts.data(), r.displs.data(), r.type);                                                \
    case Operation::alltoallw:                                                                                      \
      NEIGHBORHOODS_FORMS(Prefix, alltoallw, suffix, s.buffer, s.counts.data(), s.distances.data(), s.types.data(), \
                          r.buffer, r.counts.data(), r.distances.data(), r.types.data());                           \
  }                                                                                                                 \
  return MPI_ERR_INTERN

// One call, complete if it blocks. The arrays must outlive operations in flight.
class Call {
 public:
  Call(const Request& what, const Side& send, const Side& recv, const Types& types, MPI_Comm comm)
      : what_(what),
        comm_(comm),
        send_(send, types),
        recv_(recv, types),
        large_send_(send, types),
        large_recv_(recv, types) {}

  int begin(Whose whose, MPI_Request* request) const {
    return what_.large ? with_large(whose, what_.operation, what_.form, large_send_, large_recv_, comm_, request)
                       : with_int(whose, what_.operation, what_.form, send_, recv_, comm_, request);
  }

 private:
  using Small = Part<int, int>;
  using Large = Part<MPI_Count, MPI_Aint>;

  static int with_int(Whose whose, Operation operation, Form form, const Small& s, const Small& r, MPI_Comm comm,
                      MPI_Request* request) {
    if (whose == Whose::program) {
      NEIGHBORHOODS_OPERATIONS(MPI_, );
    }
    NEIGHBORHOODS_OPERATIONS(PMPI_, );
  }
#if MPI_VERSION >= 4
  static int with_large(Whose whose, Operation operation, Form form, const Large& s, const Large& r, MPI_Comm comm,
                        MPI_Request* request) {
    if (whose == Whose::program) {
      NEIGHBORHOODS_OPERATIONS(MPI_, _c);
    }
    NEIGHBORHOODS_OPERATIONS(PMPI_, _c);
  }
#else
  static int with_large(Whose, Operation, Form, const Large&, const Large&, MPI_Comm, MPI_Request*) {
    return MPI_ERR_INTERN;
  }
#endif

  Request what_;
  MPI_Comm comm_;
  Small send_;
  Small recv_;
  Large large_send_;
  Large large_recv_;
};

#undef NEIGHBORHOODS_SINCE_4
#undef NEIGHBORHOODS_FORMS
#undef NEIGHBORHOODS_OPERATIONS

}  // namespace neighborhoods
