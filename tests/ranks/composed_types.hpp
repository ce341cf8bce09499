// SPDX-License-Identifier: BSD-3-Clause
// Types that are composed of numbers of one kind, and buffers of their items.
#pragma once

#include <cmath>
#include <type_traits>

#include "support.hpp"

namespace ranks {

inline constexpr double bound = 1e-3;
inline constexpr MPI_Count unit = 12;  // numbers, which every kind of type divides

// Types of numbers with gaps, in another order, or in a row.
struct Kind {
  const char* name;
  std::vector<int> at;  // the places of the numbers of an item
  int extent;           // in numbers
  MPI_Datatype (*make)(MPI_Datatype number, int width);
};

inline MPI_Datatype plain_type(MPI_Datatype number, int) {
  MPI_Datatype made;
  MPI_Type_dup(number, &made);
  return made;
}
inline MPI_Datatype contiguous_type(MPI_Datatype number, int) {
  MPI_Datatype made;
  MPI_Type_contiguous(4, number, &made);
  return made;
}
inline MPI_Datatype vector_type(MPI_Datatype number, int) {
  MPI_Datatype made;
  MPI_Type_vector(3, 2, 5, number, &made);
  return made;
}
// Its size equals its extent, and yet its numbers are not in order.
inline MPI_Datatype reversed_type(MPI_Datatype number, int) {
  const int displs[4] = {3, 2, 1, 0};
  MPI_Datatype made;
  MPI_Type_create_indexed_block(4, 1, displs, number, &made);
  return made;
}
inline MPI_Datatype struct_type(MPI_Datatype number, int width) {
  const int lengths[3] = {2, 0, 1};
  const MPI_Aint displs[3] = {0, 0, MPI_Aint{3} * width};
  const MPI_Datatype types[3] = {number, MPI_CHAR, number};
  MPI_Datatype parts;
  MPI_Datatype made;
  MPI_Type_create_struct(3, lengths, displs, types, &parts);
  MPI_Type_create_resized(parts, 0, MPI_Aint{5} * width, &made);
  MPI_Type_free(&parts);
  return made;
}
inline MPI_Datatype nested_type(MPI_Datatype number, int width) {
  MPI_Datatype inner = vector_type(number, width);
  MPI_Datatype made;
  MPI_Type_contiguous(2, inner, &made);
  MPI_Type_free(&inner);
  return made;
}

inline const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {"predefined", {0}, 1, nullptr},
      {"duplicate", {0}, 1, plain_type},
      {"contiguous", {0, 1, 2, 3}, 4, contiguous_type},
      {"vector", {0, 1, 5, 6, 10, 11}, 12, vector_type},
      {"reversed", {3, 2, 1, 0}, 4, reversed_type},
      {"struct", {0, 1, 3}, 5, struct_type},
      {"nested", {0, 1, 5, 6, 10, 11, 12, 13, 17, 18, 22, 23}, 24, nested_type},
  };
  return all;
}

template <class T>
struct Number;
template <>
struct Number<float> {
  static MPI_Datatype type() { return MPI_FLOAT; }
};
template <>
struct Number<double> {
  static MPI_Datatype type() { return MPI_DOUBLE; }
};
template <>
struct Number<int> {
  static MPI_Datatype type() { return MPI_INT; }
};

template <class T>
T number(int from, int to, MPI_Count i) {
  return static_cast<T>(from * 1000 + to * 100 + static_cast<int>(i % 89));
}

// One side of a call: memory for `numbers[p]` numbers of every part, in items of a type.
template <class T>
class Room {
 public:
  Room(const Kind& kind, const std::vector<MPI_Count>& numbers, bool backwards)
      : kind_(kind), type_(kind.make ? kind.make(Number<T>::type(), sizeof(T)) : Number<T>::type()) {
    if (kind.make) MPI_Type_commit(&type_);
    const auto each = static_cast<MPI_Count>(kind.at.size());
    MPI_Count all = 0;
    counts.resize(numbers.size());
    displs.resize(numbers.size());
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const std::size_t p = backwards ? numbers.size() - 1 - k : k;
      counts[p] = numbers[p] / each;
      displs[p] = static_cast<MPI_Aint>(all);
      all += counts[p] + (backwards ? 1 : 0);  // with an item between them
    }
    memory_.assign(static_cast<std::size_t>(all * kind.extent), gap);
  }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  ~Room() { free_type(); }

  void free_type() {
    if (kind_.make && type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  }
  void* buffer() { return memory_.data(); }
  MPI_Datatype type() const { return type_; }
  MPI_Count count() const { return counts.empty() ? 0 : counts[0]; }
  T& at(std::size_t part, MPI_Count i) {
    const auto each = static_cast<MPI_Count>(kind_.at.size());
    const MPI_Count item = displs[part] + i / each;
    return memory_[static_cast<std::size_t>(item * kind_.extent + kind_.at[static_cast<std::size_t>(i % each)])];
  }
  void fill(std::size_t part, int from, int to) {
    for (MPI_Count i = 0; i < numbers_of(part); ++i) at(part, i) = number<T>(from, to, i);
  }
  MPI_Count numbers_of(std::size_t part) const { return counts[part] * static_cast<MPI_Count>(kind_.at.size()); }

  // Checks that a part has the numbers that were sent, and clears it.
  void check(Test& t, std::size_t part, int from, int to) {
    for (MPI_Count i = 0; i < numbers_of(part); ++i) {
      T& x = at(part, i);
      const double off = std::fabs(static_cast<double>(x) - static_cast<double>(number<T>(from, to, i)));
      const bool right = std::is_integral_v<T> ? off == 0 : off <= bound + 1e-3;
      x = gap;
      if (!CHECK(t, right, "number %lld of part %zu is off by %g", static_cast<long long>(i), part, off)) return;
    }
  }
  // Checks that nothing else was written.
  void check_gaps(Test& t) {
    CHECK(t, std::all_of(memory_.begin(), memory_.end(), [](T x) { return x == gap; }), "a gap was written");
  }

  std::vector<MPI_Count> counts;
  std::vector<MPI_Aint> displs;

 private:
  static constexpr T gap = static_cast<T>(-77777);
  const Kind& kind_;
  MPI_Datatype type_;
  std::vector<T> memory_;
};

}  // namespace ranks
