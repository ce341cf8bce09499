// SPDX-License-Identifier: BSD-3-Clause
#include "core/datatypes.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <vector>

namespace laconic::dropin {
namespace {

struct Known {
  MPI_Datatype type;
  Numbers numbers;
};

// Written once, by find_datatypes(). Handles are not compile-time constants in every MPI, and several names of a type
// may share one handle.
std::vector<Known> known_types;

int size_of(MPI_Datatype type) {
  int bytes = 0;
  return type != MPI_DATATYPE_NULL && PMPI_Type_size(type, &bytes) == MPI_SUCCESS ? bytes : 0;
}

void add(MPI_Datatype type, const Numbers& numbers) {
  if (type == MPI_DATATYPE_NULL || numbers_of(type).known()) return;
  known_types.push_back({type, numbers});
}

void add_real(MPI_Datatype type) {
  const int bytes = size_of(type);
  if (bytes == sizeof(float)) add(type, {Kind::single, MPI_FLOAT, 1, bytes});
  if (bytes == sizeof(double)) add(type, {Kind::real, MPI_DOUBLE, 1, bytes});
}

void add_complex(MPI_Datatype type) {
  const int bytes = size_of(type);
  if (bytes == 2 * sizeof(float)) add(type, {Kind::complex_single, MPI_FLOAT, 2, sizeof(float)});
  if (bytes == 2 * sizeof(double)) add(type, {Kind::complex_real, MPI_DOUBLE, 2, sizeof(double)});
}

// A C type that Laconic supports under the same handle.
void add_integer(MPI_Datatype type) { add(type, {Kind::integer, type, 1, size_of(type)}); }

void add_fortran_integer(MPI_Datatype type) {
  switch (size_of(type)) {
    case 1: return add(type, {Kind::integer, MPI_INT8_T, 1, 1});
    case 2: return add(type, {Kind::integer, MPI_INT16_T, 1, 2});
    case 4: return add(type, {Kind::integer, MPI_INT32_T, 1, 4});
    case 8: return add(type, {Kind::integer, MPI_INT64_T, 1, 8});
    default: return;
  }
}

// The constructor arguments of a derived type. Types made with large counts (MPI 4) can only be decoded by the _c
// functions.
struct Recipe {
  int combiner = MPI_COMBINER_NAMED;
  std::vector<MPI_Count> counts;
  std::vector<MPI_Datatype> types;

  explicit Recipe(MPI_Datatype type) {
#if MPI_VERSION >= 4
    MPI_Count integers = 0;
    MPI_Count addresses = 0;
    MPI_Count large = 0;
    MPI_Count inner = 0;
    if (PMPI_Type_get_envelope_c(type, &integers, &addresses, &large, &inner, &combiner) != MPI_SUCCESS) return;
    if (combiner == MPI_COMBINER_NAMED) return;
    std::vector<int> i(static_cast<std::size_t>(integers) + 1);
    std::vector<MPI_Aint> a(static_cast<std::size_t>(addresses) + 1);
    std::vector<MPI_Count> c(static_cast<std::size_t>(large) + 1);
    types.resize(static_cast<std::size_t>(inner));
    PMPI_Type_get_contents_c(type, integers, addresses, large, inner, i.data(), a.data(), c.data(), types.data());
    counts.assign(i.begin(), i.end() - 1);
    // A type made with large counts has them in the array of large counts instead.
    if (integers == 0) counts.assign(c.begin(), c.end() - 1);
#else
    int integers = 0;
    int addresses = 0;
    int inner = 0;
    if (PMPI_Type_get_envelope(type, &integers, &addresses, &inner, &combiner) != MPI_SUCCESS) return;
    if (combiner == MPI_COMBINER_NAMED) return;
    std::vector<int> i(static_cast<std::size_t>(integers) + 1);
    std::vector<MPI_Aint> a(static_cast<std::size_t>(addresses) + 1);
    types.resize(static_cast<std::size_t>(inner));
    PMPI_Type_get_contents(type, integers, addresses, inner, i.data(), a.data(), types.data());
    counts.assign(i.begin(), i.end() - 1);
#endif
  }
  Recipe(const Recipe&) = delete;
  Recipe& operator=(const Recipe&) = delete;
  // MPI_Type_get_contents returns new references, except to predefined types; they must be freed.
  ~Recipe() {
    for (MPI_Datatype& type : types)
      if (!predefined(type)) PMPI_Type_free(&type);
  }

  static bool predefined(MPI_Datatype type) {
    if (numbers_of(type).known()) return true;
    int kind = MPI_COMBINER_NAMED;
#if MPI_VERSION >= 4
    MPI_Count integers = 0;
    MPI_Count addresses = 0;
    MPI_Count large = 0;
    MPI_Count inner = 0;
    const int code = PMPI_Type_get_envelope_c(type, &integers, &addresses, &large, &inner, &kind);
#else
    int integers = 0;
    int addresses = 0;
    int inner = 0;
    const int code = PMPI_Type_get_envelope(type, &integers, &addresses, &inner, &kind);
#endif
    return code != MPI_SUCCESS || kind == MPI_COMBINER_NAMED || kind == MPI_COMBINER_F90_REAL ||
           kind == MPI_COMBINER_F90_COMPLEX || kind == MPI_COMBINER_F90_INTEGER;
  }

  // False for an empty part: it does not affect the number type of the whole.
  bool counts_for(std::size_t part) const {
    if (combiner == MPI_COMBINER_STRUCT && part + 1 < counts.size() && counts[part + 1] == 0) return false;
    MPI_Count bytes = 0;
    return PMPI_Type_size_x(types[part], &bytes) == MPI_SUCCESS && bytes > 0;
  }
};

// Finds the one number type that a datatype consists of; false if it has several, or an unsupported one.
bool find_numbers(MPI_Datatype type, Numbers& numbers, bool& in_a_row) {
  if (const Numbers here = numbers_of(type); here.known()) {
    const bool same = !numbers.known() || numbers == here;
    numbers = here;
    return same;
  }
  const Recipe recipe(type);
  if (recipe.types.empty()) return false;
  in_a_row = in_a_row && (recipe.combiner == MPI_COMBINER_CONTIGUOUS || recipe.combiner == MPI_COMBINER_DUP);
  for (std::size_t part = 0; part < recipe.types.size(); ++part)
    if (recipe.counts_for(part) && !find_numbers(recipe.types[part], numbers, in_a_row)) return false;
  return numbers.known();
}

// MPI_Pack of MPI 3 packs less than 2 GiB per call.
constexpr MPI_Count largest_piece = MPI_Count{1} << 30;

template <class Move>
int in_pieces(MPI_Count count, const Layout& layout, Move move) {
  const MPI_Count bytes = layout.each * layout.numbers.width;
  const MPI_Count step = std::max<MPI_Count>(1, largest_piece / bytes);
  for (MPI_Count at = 0; at < count; at += step) {
    const int items = static_cast<int>(std::min(step, count - at));
    const int code = move(at * layout.extent, at * bytes, items, static_cast<int>(items * bytes));
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

// Items in the form that MPI_Pack accepts. MPICH's MPI_Pack rejects MPI_BOTTOM, which is used with types of absolute
// addresses: such a type is replaced by one with addresses relative to `anchor`.
class Items {
 public:
  Items(const void* address, MPI_Datatype type)
      : address_(static_cast<const std::byte*>(address)), type_(type), shifted_(address == MPI_BOTTOM) {
    if (!shifted_) return;
    static const std::byte anchor{};
    address_ = &anchor;
    MPI_Aint place = 0;
    code_ = PMPI_Get_address(&anchor, &place);
    place = -place;
    if (code_ == MPI_SUCCESS) code_ = PMPI_Type_create_hindexed_block(1, 1, &place, type, &type_);
    shifted_ = code_ == MPI_SUCCESS;
    if (shifted_) code_ = PMPI_Type_commit(&type_);
  }
  Items(const Items&) = delete;
  Items& operator=(const Items&) = delete;
  ~Items() {
    if (shifted_) PMPI_Type_free(&type_);
  }
  int code() const { return code_; }
  std::byte* address() const { return const_cast<std::byte*>(address_); }
  MPI_Datatype type() const { return type_; }

 private:
  const std::byte* address_;
  MPI_Datatype type_;
  bool shifted_;
  int code_ = MPI_SUCCESS;
};

}  // namespace

void find_datatypes() {
  if (!known_types.empty()) return;
  for (const MPI_Datatype type : {MPI_FLOAT, MPI_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION, MPI_REAL4, MPI_REAL8})
    add_real(type);
  for (const MPI_Datatype type : {MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_COMPLEX, MPI_DOUBLE_COMPLEX,
                                  MPI_COMPLEX8, MPI_COMPLEX16, MPI_CXX_FLOAT_COMPLEX, MPI_CXX_DOUBLE_COMPLEX})
    add_complex(type);
  for (const MPI_Datatype type :
       {MPI_INT,     MPI_UNSIGNED,       MPI_LONG,        MPI_UNSIGNED_LONG, MPI_LONG_LONG, MPI_UNSIGNED_LONG_LONG,
        MPI_SHORT,   MPI_UNSIGNED_SHORT, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_INT8_T,    MPI_UINT8_T,
        MPI_INT16_T, MPI_UINT16_T,       MPI_INT32_T,     MPI_UINT32_T,      MPI_INT64_T,   MPI_UINT64_T,
        MPI_AINT,    MPI_OFFSET,         MPI_COUNT})
    add_integer(type);
  for (const MPI_Datatype type : {MPI_INTEGER, MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4, MPI_INTEGER8})
    add_fortran_integer(type);
}

Numbers numbers_of(MPI_Datatype type) {
  for (const Known& known : known_types)
    if (known.type == type) return known.numbers;
  return {};
}

OwnType::OwnType(MPI_Datatype type) { set(type); }

OwnType::~OwnType() {
  if (mine_) PMPI_Type_free(&type_);
}

void OwnType::set(MPI_Datatype type) {
  if (mine_) PMPI_Type_free(&type_);
  type_ = type;
  // MPI_Type_dup would copy the attributes of the type, which calls functions of the program.
  mine_ =
      type != MPI_DATATYPE_NULL && !Recipe::predefined(type) && PMPI_Type_contiguous(1, type, &type_) == MPI_SUCCESS;
  if (mine_) PMPI_Type_commit(&type_);
}

bool is_plain_memory(const void* buffer, MPI_Datatype type) {
  if (on_device(buffer)) return false;
  if (numbers_of(type).known()) return true;
  if (!Recipe::predefined(type)) return false;
  MPI_Count size = 0;
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  PMPI_Type_size_x(type, &size);
  PMPI_Type_get_extent(type, &lower, &extent);
  return size == extent && lower == 0;
}

Layout layout_of(MPI_Datatype type) {
  Layout layout;
  layout.numbers = numbers_of(type);
  if (layout.numbers.known()) {
    layout.each = layout.numbers.each;
    layout.extent = static_cast<MPI_Aint>(layout.numbers.each) * layout.numbers.width;
    layout.in_a_row = true;
    return layout;
  }
  if (type == MPI_DATATYPE_NULL) return layout;
  Numbers numbers;
  layout.in_a_row = true;
  MPI_Count bytes = 0;
  MPI_Aint lower_bound = 0;
  if (!find_numbers(type, numbers, layout.in_a_row)) return {};
  if (PMPI_Type_size_x(type, &bytes) != MPI_SUCCESS) return {};
  if (PMPI_Type_get_extent(type, &lower_bound, &layout.extent) != MPI_SUCCESS) return {};
  layout.numbers = numbers;
  layout.each = bytes / numbers.width;
  return layout;
}

bool can_pack(const Layout& layout) { return layout.each * layout.numbers.width <= INT_MAX; }

int pack(const void* items, MPI_Count count, MPI_Datatype type, const Layout& layout, std::byte* out) {
  const Items from(items, type);
  if (from.code() != MPI_SUCCESS) return from.code();
  return in_pieces(count, layout, [&](MPI_Count at, MPI_Count to, int pieces, int bytes) {
    int position = 0;
    return PMPI_Pack(from.address() + at, pieces, from.type(), out + to, bytes, &position, MPI_COMM_SELF);
  });
}

int unpack(const std::byte* in, void* items, MPI_Count count, MPI_Datatype type, const Layout& layout) {
  const Items to(items, type);
  if (to.code() != MPI_SUCCESS) return to.code();
  return in_pieces(count, layout, [&](MPI_Count at, MPI_Count from, int pieces, int bytes) {
    int position = 0;
    return PMPI_Unpack(in + from, bytes, &position, to.address() + at, pieces, to.type(), MPI_COMM_SELF);
  });
}

bool on_device(const void* address) {
  // The CUDA driver API, by names and constants that are part of its stable ABI.
  using Query = int (*)(void* data, int attribute, unsigned long long pointer);
  constexpr int memory_type = 2;
  constexpr int is_managed = 8;
  constexpr unsigned device = 2;
  static const auto query = reinterpret_cast<Query>(dlsym(RTLD_DEFAULT, "cuPointerGetAttribute"));
  static const auto loaded = [] {
    void* driver = query == nullptr ? dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY) : nullptr;
    return driver != nullptr ? reinterpret_cast<Query>(dlsym(driver, "cuPointerGetAttribute")) : query;
  }();
  if (loaded == nullptr || address == nullptr || address == MPI_IN_PLACE) return false;
  const auto pointer = static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(address));
  unsigned type = 0;
  unsigned managed = 0;
  if (loaded(&type, memory_type, pointer) != 0 || type != device) return false;
  return loaded(&managed, is_managed, pointer) != 0 || managed == 0;
}

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::single: return "float";
    case Kind::real: return "double";
    case Kind::complex_single:
    case Kind::complex_real: return "complex";
    case Kind::integer: return "integer";
    case Kind::none: break;
  }
  return "other";
}

bool is_predefined(MPI_Datatype type) { return Recipe::predefined(type); }

Content content_of(MPI_Datatype type) {
  // Programs send numbers of all kinds as characters, too.
  if (type == MPI_BYTE || type == MPI_CHAR || type == MPI_CHARACTER) return Content::byte;
  if (type == MPI_PACKED) return Content::packed;
  Numbers numbers = numbers_of(type);
  if (numbers.kind == Kind::integer && numbers.width == 1) return Content::byte;
  if (!numbers.known()) numbers = layout_of(type).numbers;
  switch (numbers.kind) {
    case Kind::single: return Content::single;
    case Kind::real: return Content::real;
    case Kind::complex_single: return Content::complex_single;
    case Kind::complex_real: return Content::complex_real;
    case Kind::integer: return Content::integer;
    case Kind::none: break;
  }
  return Content::other;
}

Kind kind_of(Content content) {
  switch (content) {
    case Content::single: return Kind::single;
    case Content::real: return Kind::real;
    case Content::complex_single: return Kind::complex_single;
    case Content::complex_real: return Kind::complex_real;
    case Content::integer: return Kind::integer;
    default: return Kind::none;
  }
}

const char* name_of(Content content) {
  if (content == Content::byte) return "byte";
  return content == Content::packed ? "packed" : name_of(kind_of(content));
}

}  // namespace laconic::dropin
