// SPDX-License-Identifier: BSD-3-Clause
// One side of MPI_Alltoallw or MPI_Neighbor_alltoallw, whose parts have datatypes of their own. Where all of them hold
// one kind of number, packed parts make it a side of an alltoallv.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "calls/call.hpp"
#include "core/datatypes.hpp"
#include "report/sample.hpp"

namespace laconic::dropin {

// The arguments of the program; displacements are bytes.
struct TypedSide {
  void* buffer = nullptr;
  Counts counts;
  Displs displs;
  const MPI_Datatype* types = nullptr;
};

class TypedParts {
 public:
  // sources: of the parts, where they come from neighbors; parts of neighbors that do not exist are never written.
  TypedParts(const TypedSide& side, int parts, const std::vector<int>& sources = {});

  // The numbers of all parts that are not empty; unknown if there are none, several kinds, or what cannot be packed.
  const Numbers& numbers() const { return numbers_; }
  bool empty() const { return bytes_ == 0 && fits_; }
  MPI_Count bytes() const { return bytes_; }
  Items first() const;  // the first part that is not empty

  // The side of an alltoallv of these numbers; of bytes, which are never compressed, if they are unknown. Its buffer
  // holds numbers after make_room(), which is false if there is no memory.
  Side as(const Numbers& numbers);
  bool make_room();
  void* buffer() { return copy_.data(); }

  // Pack all parts from the program's memory into the buffer, and unpack those that MPI writes.
  int take();
  int put();

 private:
  struct Part {
    std::byte* address = nullptr;
    MPI_Count count = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    Layout layout;
    MPI_Count bytes = 0;
    bool is_written = true;
  };

  template <class Move>
  int for_each_part(Move move);

  std::vector<Part> parts_;
  Numbers numbers_;
  bool fits_ = true;
  MPI_Count bytes_ = 0;
  std::vector<MPI_Count> counts_;
  std::vector<MPI_Aint> displs_;
  std::vector<std::byte> copy_;
};

}  // namespace laconic::dropin
