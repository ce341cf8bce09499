// SPDX-License-Identifier: BSD-3-Clause
#include "comm/core/datatypes.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace laconic {
namespace {

int combiner_of(MPI_Datatype datatype) {
  int combiner = MPI_COMBINER_NAMED;
#if MPI_VERSION >= 4
  MPI_Count integers = 0;
  MPI_Count addresses = 0;
  MPI_Count large = 0;
  MPI_Count inner = 0;
  MPI_Type_get_envelope_c(datatype, &integers, &addresses, &large, &inner, &combiner);
#else
  int integers = 0;
  int addresses = 0;
  int inner = 0;
  MPI_Type_get_envelope(datatype, &integers, &addresses, &inner, &combiner);
#endif
  return combiner;
}

bool is_named(int combiner) {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX ||
         combiner == MPI_COMBINER_F90_INTEGER;
}

MPI_Count bytes_of(MPI_Datatype datatype) {
  MPI_Count bytes = 0;
  return MPI_Type_size_x(datatype, &bytes) == MPI_SUCCESS ? bytes : 0;
}

// The contents of a composed type.  MPI 4 has types with large counts, which only its own functions can decode.
class Recipe {
 public:
  explicit Recipe(MPI_Datatype datatype) {
    std::vector<int> integers;
    std::vector<MPI_Aint> addresses;
#if MPI_VERSION >= 4
    MPI_Count numbers[4] = {0, 0, 0, 0};  // integers, addresses, large counts, types
    MPI_Type_get_envelope_c(datatype, &numbers[0], &numbers[1], &numbers[2], &numbers[3], &combiner_);
    std::vector<MPI_Count> large(static_cast<std::size_t>(numbers[2]) + 1);
    integers.resize(static_cast<std::size_t>(numbers[0]) + 1);
    addresses.resize(static_cast<std::size_t>(numbers[1]) + 1);
    types_.resize(static_cast<std::size_t>(numbers[3]));
    MPI_Type_get_contents_c(datatype, numbers[0], numbers[1], numbers[2], numbers[3], integers.data(), addresses.data(),
                            large.data(), types_.data());
    // MPI returns the counts in one of the two arrays.
    counts_.assign(integers.begin(), integers.end() - 1);
    if (numbers[0] == 0) counts_.assign(large.begin(), large.end() - 1);
#else
    int numbers[3] = {0, 0, 0};  // integers, addresses, types
    MPI_Type_get_envelope(datatype, &numbers[0], &numbers[1], &numbers[2], &combiner_);
    integers.resize(static_cast<std::size_t>(numbers[0]) + 1);
    addresses.resize(static_cast<std::size_t>(numbers[1]) + 1);
    types_.resize(static_cast<std::size_t>(numbers[2]));
    MPI_Type_get_contents(datatype, numbers[0], numbers[1], numbers[2], integers.data(), addresses.data(),
                          types_.data());
    counts_.assign(integers.begin(), integers.end() - 1);
#endif
  }
  Recipe(const Recipe&) = delete;
  Recipe& operator=(const Recipe&) = delete;
  // The types are new references, except the predefined ones.
  ~Recipe() {
    for (MPI_Datatype& type : types_)
      if (!is_named(combiner_of(type))) MPI_Type_free(&type);
  }

  // The elements follow each other without gaps where those of the inner type do.
  bool keeps_order() const { return combiner_ == MPI_COMBINER_CONTIGUOUS || combiner_ == MPI_COMBINER_DUP; }

  const std::vector<MPI_Datatype>& types() const { return types_; }

  // An empty part does not affect the kind of the numbers.
  bool counts(std::size_t part) const {
    if (combiner_ == MPI_COMBINER_STRUCT && part + 1 < counts_.size() && counts_[part + 1] == 0) return false;
    return bytes_of(types_[part]) > 0;
  }

 private:
  int combiner_ = MPI_COMBINER_NAMED;
  std::vector<MPI_Count> counts_;
  std::vector<MPI_Datatype> types_;
};

// The predefined pair MPI_2INT has the signature of two MPI_INT.
MPI_Datatype number_of(MPI_Datatype datatype) { return datatype == MPI_2INT ? MPI_INT : datatype; }

// The function that made a composed type.
const char* maker_of(MPI_Datatype datatype) {
  switch (combiner_of(datatype)) {
    case MPI_COMBINER_DUP: return "MPI_Type_dup";
    case MPI_COMBINER_CONTIGUOUS: return "MPI_Type_contiguous";
    case MPI_COMBINER_VECTOR: return "MPI_Type_vector";
    case MPI_COMBINER_HVECTOR: return "MPI_Type_create_hvector";
    case MPI_COMBINER_INDEXED: return "MPI_Type_indexed";
    case MPI_COMBINER_HINDEXED: return "MPI_Type_create_hindexed";
    case MPI_COMBINER_INDEXED_BLOCK: return "MPI_Type_create_indexed_block";
    case MPI_COMBINER_HINDEXED_BLOCK: return "MPI_Type_create_hindexed_block";
    case MPI_COMBINER_STRUCT: return "MPI_Type_create_struct";
    case MPI_COMBINER_SUBARRAY: return "MPI_Type_create_subarray";
    case MPI_COMBINER_DARRAY: return "MPI_Type_create_darray";
    case MPI_COMBINER_RESIZED: return "MPI_Type_create_resized";
    default: return "another function of MPI";
  }
}

// What follows the word "datatype" in a message. Codecs may be called when MPI is not running, which knows the names.
std::string text_of(MPI_Datatype datatype) {
  if (datatype == MPI_DATATYPE_NULL) return " 'MPI_DATATYPE_NULL'";
  int initialized = 0;
  int finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (!initialized || finalized) return "";
  char name[MPI_MAX_OBJECT_NAME + 1] = "";
  int length = 0;
  MPI_Type_get_name(datatype, name, &length);
  return length > 0 ? " '" + std::string(name) + "'" : std::string(" made by ") + maker_of(datatype);
}

// False where the type holds numbers of another kind than those found before, or of an unknown kind.
bool find_numbers(MPI_Datatype datatype, Layout& found) {
  if (const std::optional<Dtype> dtype = find_dtype(number_of(datatype))) {
    const bool same = found.number == MPI_DATATYPE_NULL || found.dtype == *dtype;
    found.dtype = *dtype;
    found.number = number_of(datatype);
    return same;
  }
  if (!is_composed(datatype)) return false;
  const Recipe recipe(datatype);
  found.in_a_row = found.in_a_row && recipe.keeps_order();
  for (std::size_t part = 0; part < recipe.types().size(); ++part)
    if (recipe.counts(part) && !find_numbers(recipe.types()[part], found)) return false;
  return true;
}

}  // namespace

std::optional<Layout> layout_of(MPI_Datatype datatype) {
  Layout found;
  found.in_a_row = true;
  if (!find_numbers(datatype, found) || found.number == MPI_DATATYPE_NULL) return std::nullopt;
  found.each = bytes_of(datatype) / static_cast<MPI_Count>(size_of(found.dtype));
  return found;
}

bool is_composed(MPI_Datatype datatype) { return datatype == MPI_2INT || !is_named(combiner_of(datatype)); }

MPI_Datatype OwnType::keep(MPI_Datatype datatype) {
  release();
  // Duplicates of predefined types would not be recognized.
  if (datatype == MPI_DATATYPE_NULL || find_dtype(datatype) || is_named(combiner_of(datatype))) return datatype;
  // MPI_Type_dup would copy the attributes of the type, which calls functions of the application.
  if (MPI_Type_contiguous(1, datatype, &type_) != MPI_SUCCESS) return datatype;
  MPI_Type_commit(&type_);
  return type_;
}

void OwnType::release() {
  if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  type_ = MPI_DATATYPE_NULL;
}

std::optional<Dtype> find_dtype(MPI_Datatype datatype) {
#define LACONIC_DATATYPE(type, dtype) \
  if (datatype == (type)) return dtype;
#include "comm/core/datatypes.def"
  return std::nullopt;
}

Status unsupported(MPI_Datatype datatype) {
  std::string expected;
#define LACONIC_DATATYPE(type, dtype) expected += expected.empty() ? #type : ", " #type;
#include "comm/core/datatypes.def"
  return {Code::type, "unsupported datatype" + text_of(datatype) + ": expected " + expected};
}

}  // namespace laconic
