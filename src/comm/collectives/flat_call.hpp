// SPDX-License-Identifier: BSD-3-Clause
// A call whose types the application has composed of numbers of one kind, rewritten as a call of these numbers.  Where
// the numbers lie one after another, only counts change; otherwise they are packed, and unpacked when the operation has
// ended.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "base/status.hpp"
#include "call/neighborhood.hpp"
#include "comm/collectives/call.hpp"
#include "comm/collectives/shape.hpp"
#include "comm/core/datatypes.hpp"
#include "comm/core/own_message.hpp"

namespace laconic {

// One side of a call.
class FlatSide {
 public:
  // parts: one for each rank or neighbor, or 1.  sources: of the parts, where they come from neighbors; parts of
  // neighbors that do not exist are never written.
  void set(const Side& side, const Layout& layout, int parts, const std::vector<Neighbor>* sources);
  void clear() { packs_ = false; }
  bool packs() const { return packs_; }

  // The side in terms of numbers.  Its buffer is known after make_room().
  Side numbers() const;
  Status make_room();

  // Pack and unpack one part.
  Status pack(int part, int rank, MPI_Comm comm);
  Status unpack(int part, int rank, MPI_Comm comm);

  int parts() const { return parts_; }
  std::size_t size() const { return packs_ ? copy_.size() : 0; }

 private:
  MPI_Count items(int part) const { return side_.counts != nullptr ? side_.counts[part] : side_.count; }
  Typed composed(int part) const;
  Typed packed(int part);

  Side side_;
  Layout layout_;
  int parts_ = 1;
  const std::vector<Neighbor>* sources_ = nullptr;
  bool packs_ = false;
  std::vector<MPI_Count> counts_;
  std::vector<MPI_Aint> displs_;
  std::vector<std::byte> copy_;
};

class FlatCall {
 public:
  // Rewrites `call` in terms of numbers.  shape: the shape of the original call, after look_into_types().  topology: of
  // the communicator, or nullptr.
  void set(CollectiveCall& call, const Shape& shape, int rank, const Neighborhood* topology);
  void clear();
  bool packs() const { return send_.packs() || recv_.packs(); }

  // Makes room for the packed numbers, and points `call` to it.
  Status make_room(CollectiveCall& call);

  // Copy the data that this rank sends into that room, and the received data out of it.  comm: the private
  // communicator.  rounds_input: also what this rank has sent, in the same memory.
  Status pack(MPI_Comm comm);
  Status unpack(MPI_Comm comm, bool rounds_input);

  // The size of the room in bytes.
  std::size_t size() const { return send_.size() + recv_.size(); }

 private:
  enum class Input { none, part, all };
  static void flatten(Side& side, FlatSide& flat, int parts, const std::vector<Neighbor>* sources = nullptr);

  FlatSide send_;
  FlatSide recv_;
  bool one_buffer_ = false;    // one buffer for both sides
  bool moves_ = false;         // results are numbers that a rank has sent
  Input input_ = Input::none;  // the share of the receiving side that is packed beforehand
  int rank_ = 0;
};

}  // namespace laconic
