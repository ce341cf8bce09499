// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing the blocks of a frame as docs/wire-format.md lays them out: the index, then the bodies.
#pragma once

#include <cstring>
#include <string>

#include "base/status.hpp"
#include "base/target.hpp"
#include "codec/codec.hpp"
#include "codec/quant/kernels.hpp"
#include "codec/quant/layout.hpp"
#include "codec/quant/problem.hpp"

namespace laconic::quant {

constexpr std::size_t blocks_of(std::size_t count, std::size_t values = block_values) {
  return (count + values - 1) / values;
}
constexpr std::size_t index_bytes(std::size_t count, std::size_t values = block_values) {
  return sizeof(Entry) * blocks_of(count, values);
}

class Writer {
 public:
  // values: the numbers in a block.
  Writer(Blob out, std::size_t count, std::size_t values = block_values)
      : index_(out.data() + wire::header_bytes), at_(index_ + index_bytes(count, values)) {}

  std::byte* body() const { return at_; }
  void put(Entry entry) {
    std::memcpy(index_, &entry, sizeof entry);
    index_ += sizeof entry;
    at_ += bytes_of(entry);
  }
  const std::byte* end() const { return at_; }

 private:
  std::byte* index_;
  std::byte* at_;
};

// Writes a staged block.
struct PutStaged {
  void operator()(const Kernels& k, const Staged& block, Writer& out) const {
    out.put(k.blocks.put(block, out.body()));
  }
};

// A Writer preceded by staged blocks: each is written after the next one has been staged.
template <class Put>
class AnyStages {
 public:
  AnyStages(const Kernels& kernels, const Writer& writer) : kernels_(kernels), writer_(writer) {}

  // The memory in which to stage the next block; take() marks it as staged.
  Staged& next() { return staged_[next_]; }
  bool take() {
    write();
    next_ = 1 - next_;
    waiting_ = true;
    return true;
  }

  // The writer for a block that is not staged, or after the last block.
  Writer& writer() {
    write();
    return writer_;
  }

 private:
  void write() {
    if (!waiting_) return;
    put_(kernels_, staged_[1 - next_], writer_);
    waiting_ = false;
  }

  const Kernels& kernels_;
  [[no_unique_address]] Put put_;
  Writer writer_;
  std::size_t next_ = 0;
  bool waiting_ = false;
  Staged staged_[2];
};
using Stages = AnyStages<PutStaged>;

// Its functions are inlined, so that its state is in registers in loops over blocks: a call would keep it in memory.
class Reader {
 public:
  // `frame` has a header that was checked; number_bytes: the size of one number; values: the numbers in a block.
  LACONIC_INLINE Reader(Frame frame, std::size_t count, bool has_lattice, std::size_t number_bytes,
                        std::size_t values = block_values)
      : index_(frame.data() + wire::header_bytes),
        end_(frame.data() + frame.size()),
        at_(static_cast<std::size_t>(end_ - index_) < index_bytes(count, values) ? nullptr
                                                                                 : index_ + index_bytes(count, values)),
        has_lattice_(has_lattice),
        number_bytes_(number_bytes) {}

  // Reads the next block, of n numbers; false when there is none, and then problem() gives the reason.  The contents of
  // a block on the lattice are not checked yet.
  LACONIC_INLINE bool next(std::size_t n, Packed& block) {
    n_ = n;
    if (at_ == nullptr) return false;
    std::memcpy(&block.entry, index_, sizeof block.entry);
    block.body = at_;
    block.end = end_;
    const std::size_t size = bytes_of(block.entry);
    if (size > static_cast<std::size_t>(end_ - at_) || !fits(block.entry)) return false;
    index_ += sizeof block.entry;
    at_ += size;
    return true;
  }

  // True if all blocks were read and nothing comes after them.
  bool at_end() const { return at_ == end_; }

  // The reason why next() failed or, after the last block, why at_end() is false.  For an invalid block that next()
  // returned, see bad_block().
  LACONIC_INLINE Status problem() const {
    if (at_ == nullptr) return status_of(Problem::ends_in_index);
    if (n_ == 0) return status_of(Problem::bytes_after);
    Entry entry;
    std::memcpy(&entry, index_, sizeof entry);
    if (bytes_of(entry) > static_cast<std::size_t>(end_ - at_)) return status_of(Problem::ends_in_block);
    if (needs_lattice(entry) && !has_lattice_) return status_of(Problem::no_lattice);
    return status_of(Problem::other_size);
  }
  static Status bad_block() { return status_of(Problem::bad_block); }

  // The final check, to be called after the last block.
  LACONIC_INLINE Status finish() {
    n_ = 0;
    return at_end() ? Status{} : problem();
  }

 private:
  LACONIC_INLINE bool fits(Entry entry) const {
    switch (kind_of(entry)) {
      case Kind::raw: return bytes_of(entry) == n_ * number_bytes_;
      case Kind::fill: return is_compound(entry) ? has_lattice_ : bytes_of(entry) == number_bytes_;
      default: return has_lattice_;
    }
  }

  const std::byte* index_;
  const std::byte* end_;
  const std::byte* at_;  // null: the index does not fit
  bool has_lattice_;
  std::size_t number_bytes_;
  std::size_t n_ = 0;
};

}  // namespace laconic::quant
