// SPDX-License-Identifier: BSD-3-Clause
// What MPI's datatypes hold, in terms of the numbers that Laconic knows.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace laconic::dropin {

enum class Kind : std::uint8_t { none, single, real, complex_single, complex_real, integer };

inline bool is_complex(Kind kind) { return kind == Kind::complex_single || kind == Kind::complex_real; }

// A predefined type as numbers in a row.
struct Numbers {
  Kind kind = Kind::none;
  MPI_Datatype type = MPI_DATATYPE_NULL;  // of one number, as Laconic calls it
  int each = 1;                           // numbers of an item
  int width = 0;                          // bytes of a number
  bool known() const { return kind != Kind::none; }
};

// Any type, all of whose numbers are alike.
struct Layout {
  Numbers numbers;
  MPI_Count each = 0;   // numbers of an item
  MPI_Aint extent = 0;  // from one item to the next
  bool in_a_row = false;
  bool known() const { return numbers.known() && each > 0; }
};

// A type for as long as it is needed: the program may free its own as soon as a call has begun.
class OwnType {
 public:
  OwnType() = default;
  explicit OwnType(MPI_Datatype type);
  OwnType(const OwnType&) = delete;
  OwnType& operator=(const OwnType&) = delete;
  ~OwnType();
  void set(MPI_Datatype type);
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  bool mine_ = false;
};

// True where the items of a type are its bytes, one after another, in memory of the host.
bool is_plain_memory(const void* buffer, MPI_Datatype type);

// MPI is running: asks it for the sizes of the types that other languages bring.
void find_datatypes();

// Of a predefined type; calls nothing of MPI.
Numbers numbers_of(MPI_Datatype type);

// Of any type. The answer of two types with the same signature is the same, but for `in_a_row`.
Layout layout_of(MPI_Datatype type);

// Whether MPI packs items of this size.
bool can_pack(const Layout& layout);

// Moves items of a type between the program's memory and numbers in a row. Returns what MPI returns.
int pack(const void* items, MPI_Count count, MPI_Datatype type, const Layout& layout, std::byte* out);
int unpack(const std::byte* in, void* items, MPI_Count count, MPI_Datatype type, const Layout& layout);

// True for memory that only a GPU can read. Asks the driver, where the program has loaded one.
bool on_device(const void* address);

// "float", "double", "complex", "integer".
const char* name_of(Kind kind);

}  // namespace laconic::dropin
