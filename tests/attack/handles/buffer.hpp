// SPDX-License-Identifier: BSD-3-Clause
// A buffer of an operation: what it holds before, what it has to hold afterwards, and that nothing else changes.
#pragma once

#include <optional>

#include "memory.hpp"
#include "types.hpp"

namespace handles {

struct Way {  // of numbers: the world ranks of their sender and of their receiver (-1: all)
  int from = -1;
  int to = -1;
};

enum class Reduce { sum, max, min };

struct Block {
  std::size_t at = 0;       // in items
  std::size_t numbers = 0;  // which items of the type divide
  std::optional<Way> before;
  std::vector<Way> after;  // empty: it stays as it is
  Reduce op = Reduce::sum;
  bool any_after = false;  // it may hold anything afterwards
};

class Buffer {
 public:
  Buffer(Run& run, Random& random, Signature signature, std::shared_ptr<Type> type, std::vector<Block> blocks,
         std::size_t room = 0);

  // Writes what is to be there before, for the operation with this key.
  void fill(std::uint64_t key);
  void make_read_only() { memory_->make_read_only(), read_only_ = true; }
  bool read_only() const { return read_only_; }

  // Checks it after the operation.
  void check(const std::string& what);
  std::uint64_t bits() const;  // of the numbers that it has to hold afterwards

  std::size_t bytes() const { return bytes_; }
  void* data() { return memory_->data(); }
  Type& type() { return *type_; }
  int items(std::size_t numbers) const { return static_cast<int>(numbers / type_->numbers()); }
  const std::vector<Block>& blocks() const { return blocks_; }

 private:
  unsigned char* place(const Block& b, std::size_t i) const {
    return memory_->data() + b.at * type_->extent() + type_->offset(i);
  }
  void plant();
  bool right(double got, double want, Kind kind, std::size_t terms) const;

  Run& run_;
  Signature signature_;
  std::shared_ptr<Type> type_;
  std::vector<Block> blocks_;
  std::unique_ptr<Memory> memory_;
  std::vector<unsigned char> image_;  // of its pages, before the operation
  std::size_t bytes_ = 0;
  std::uint64_t key_ = 0;
  bool read_only_ = false;
};

}  // namespace handles
