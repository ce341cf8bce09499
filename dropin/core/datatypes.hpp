// SPDX-License-Identifier: BSD-3-Clause
// The contents of MPI datatypes, in terms of the number types that Laconic supports.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace laconic::dropin {

enum class Kind : std::uint8_t { none, single, real, complex_single, complex_real, integer };

inline bool is_complex(Kind kind) { return kind == Kind::complex_single || kind == Kind::complex_real; }

// A predefined type as contiguous numbers.
struct Numbers {
  Kind kind = Kind::none;
  MPI_Datatype type = MPI_DATATYPE_NULL;  // the type of one number in Laconic's API
  int each = 1;                           // numbers per item
  int width = 0;                          // bytes per number
  bool known() const { return kind != Kind::none; }
  bool operator==(const Numbers& other) const { return kind == other.kind && type == other.type; }
};

// Any datatype whose numbers all have the same type.
struct Layout {
  Numbers numbers;
  MPI_Count each = 0;   // numbers per item
  MPI_Aint extent = 0;  // bytes from one item to the next
  bool in_a_row = false;
  bool known() const { return numbers.known() && each > 0; }
};

// A duplicate of a derived datatype, for operations in flight: the program may free its own type as soon as the call
// that began the operation has returned.
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

// True if the buffer is in host memory and the items of this type are contiguous, without gaps.
bool is_plain_memory(const void* buffer, MPI_Datatype type);

// True if the program cannot free the datatype.
bool is_predefined(MPI_Datatype type);

// Fills the table of supported types. MPI must be initialised, because the sizes of the Fortran and C++ types are
// queried from it.
void find_datatypes();

// The numbers of a predefined type. Calls no MPI function.
Numbers numbers_of(MPI_Datatype type);

// The layout of any type. Types with the same signature agree in `numbers` and `each`.
Layout layout_of(MPI_Datatype type);

// Whether MPI_Pack can pack items of this size.
bool can_pack(const Layout& layout);

// Copies items of a type between the program's memory and contiguous numbers. Returns MPI's error code.
int pack(const void* items, MPI_Count count, MPI_Datatype type, const Layout& layout, std::byte* out);
int unpack(const std::byte* in, void* items, MPI_Count count, MPI_Datatype type, const Layout& layout);

// True for device memory, which the host cannot read. Managed memory does not count. Queries the CUDA driver, if the
// program has loaded it.
bool on_device(const void* address);

// "float", "double", "complex", "integer".
const char* name_of(Kind kind);

// What a datatype says about the data, in reports: the kinds of numbers, and bytes, which may hold anything.
enum class Content : std::uint8_t { other, single, real, complex_single, complex_real, integer, byte, packed };
inline constexpr std::size_t num_contents = 8;
Content content_of(MPI_Datatype type);
// Kind::none for contents that are never compressed as they are declared.
Kind kind_of(Content content);
// As name_of(Kind), and "byte", "packed", "other".
const char* name_of(Content content);

}  // namespace laconic::dropin
