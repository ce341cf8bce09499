// SPDX-License-Identifier: BSD-3-Clause
// MPI_Alltoallw and MPI_Neighbor_alltoallw, blocking: where all parts of all ranks hold one kind of number, they are
// alltoallv and neighbor_alltoallv of packed parts, under all rules and in all reports. Their nonblocking and
// persistent forms are only counted (counted_only.cpp): whether the parts fit is known to each rank alone, and only
// blocking calls can tell it to the others (docs/design/0011).
#include <mpi.h>

#include <vector>

#include "calls/carried.hpp"
#include "calls/filter.hpp"
#include "calls/intercept.hpp"
#include "calls/typed_parts.hpp"
#include "core/process.hpp"
#include "mpi/exports.hpp"

using namespace laconic::dropin;

namespace {

// The numbers that both sides hold. A rank whose parts are empty holds what the others do, which it does not know: if
// it is wrong, the ranks' agreement leaves the call to MPI.
Numbers numbers_of_both(const TypedParts& send, const TypedParts& recv) {
  if (send.empty() && recv.empty()) return numbers_of(MPI_DOUBLE);
  if (send.empty()) return recv.numbers();
  if (recv.empty()) return send.numbers();
  return send.numbers() == recv.numbers() ? send.numbers() : Numbers{};
}

int profile(const Call& call, const TypedParts& send, Communicator& communicator, Plain plain) {
  Carried carried = carried_by(call, communicator);
  carried.items = send.first();
  return CountedCall(carried, reason_in_profile(call, communicator), communicator.tallies()).make(plain);
}

class PackedParts final : public Packing {
 public:
  PackedParts(TypedParts& send, TypedParts& recv, const Numbers& numbers)
      : send_(send), recv_(recv), numbers_(numbers) {}

  bool packed() const { return packed_; }

  void pack(Call& call) override {
    packed_ = numbers_.known() && send_.make_room() && recv_.make_room() && send_.take() == MPI_SUCCESS;
    if (packed_) {
      call.send.buffer = send_.buffer();
      call.recv.buffer = recv_.buffer();
    } else {  // the other ranks may have begun: bytes tell them that this one does not take part
      call.send = send_.as({});
      call.recv = recv_.as({});
    }
  }

 private:
  TypedParts& send_;
  TypedParts& recv_;
  const Numbers numbers_;
  bool packed_ = false;
};

int with_packed_parts(Call call, TypedParts& send, TypedParts& recv, const Numbers& numbers, bool in_place,
                      Plain plain) {
  PackedParts parts(send, recv, numbers);
  call.packing = &parts;
  const bool audits = Process::instance().settings().audit > 0;
  bool made = false;
  // The result of MPI's call is in the program's memory. An audit compares it in the packed parts. In place it has
  // overwritten what a second call would send.
  const auto itself = [&] {
    if (made && in_place && parts.packed()) send.put();
    made = true;
    const int code = plain();
    return code == MPI_SUCCESS && audits && parts.packed() ? recv.take() : code;
  };
  const int code = intercept(call, itself);
  return code == MPI_SUCCESS && parts.packed() && (audits || !made) ? recv.put() : code;
}

int exchange(Operation operation, const TypedSide& send, const TypedSide& recv, MPI_Comm comm, const void* site,
             Plain plain) {
  if (from_library(site) || !Process::instance().running() || comm == MPI_COMM_NULL) return plain();
  Communicator& communicator = Communicator::of(comm);
  if (communicator.unfit() == Reason::intercomm) return plain();
  const bool in_place = send.buffer == MPI_IN_PLACE;
  const int sources = communicator.num_parts(traits_of(operation), false);
  const int destinations = communicator.num_parts(traits_of(operation), true);
  const auto complete = [](const TypedSide& side, int parts) {
    return parts == 0 || (side.counts.given() && side.displs.given() && side.types != nullptr);
  };
  const TypedSide& sent = in_place ? recv : send;
  if (!complete(sent, destinations) || !complete(recv, sources)) return plain();
  TypedParts to(sent, destinations);
  const bool among_neighbors = traits_of(operation).neighborhood();
  TypedParts from(recv, sources, among_neighbors ? communicator.sources() : std::vector<int>{});
  const Numbers numbers = numbers_of_both(to, from);
  const Call call{operation, to.as(numbers), from.as(numbers), MPI_OP_NULL, 0, comm, Form::blocking, nullptr, site};
  return profiles() ? profile(call, to, communicator, plain)
                    : with_packed_parts(call, to, from, numbers, in_place, plain);
}

}  // namespace

#define LACONIC_DEFINITIONS "calls/alltoallw.inl"
#include "mpi/both_counts.inl"
