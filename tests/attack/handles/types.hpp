// SPDX-License-Identifier: BSD-3-Clause
// Datatypes of every kind, and where their numbers lie.
#pragma once

#include <memory>

#include "numbers.hpp"
#include "run.hpp"

namespace handles {

constexpr std::size_t grain = 12;  // messages have a multiple of so many numbers, which all types divide

// Counts the calls of attribute callbacks. The program's own calls say how many there have to be.
struct Callbacks {
  long copies = 0;
  long deletes = 0;
  long due_copies = 0;
  long due_deletes = 0;
};

// A type with all that its maker may do to it: it may be freed while operations use it.
class Type {
 public:
  Type(Run& run, Random& random, Signature signature, int keyval, Callbacks& callbacks);
  Type(Run& run, Kind kind, Callbacks& callbacks);  // one of MPI's own
  Type(const Type&) = delete;
  Type& operator=(const Type&) = delete;
  ~Type() { free(); }

  MPI_Datatype handle() const { return handle_; }
  bool freed() const { return freed_; }
  std::size_t numbers() const { return offsets_.size(); }  // in one item
  std::size_t offset(std::size_t i) const {                // of a number, in bytes
    return i / offsets_.size() * extent_ + offsets_[i % offsets_.size()];
  }
  std::size_t extent() const { return extent_; }
  std::size_t bytes(std::size_t items) const { return items == 0 ? 0 : (items - 1) * extent_ + true_extent_; }
  const char* name() const { return name_; }

  // Frees the handle, if it is not one of MPI's own, and makes other types that may get the same.
  void free();

 private:
  void draw_uniform(Random& random, Kind kind);
  void draw_mixed(Random& random);
  void place(std::vector<std::size_t> offsets, std::size_t extent);

  Run& run_;
  Callbacks& callbacks_;
  MPI_Datatype handle_ = MPI_DATATYPE_NULL;
  bool own_ = true;
  bool freed_ = false;
  bool attribute_ = false;
  std::vector<std::size_t> offsets_;  // of the numbers of one item, in the order of the type
  std::size_t extent_ = 0;
  std::size_t true_extent_ = 0;
  const char* name_ = "";
};

}  // namespace handles
