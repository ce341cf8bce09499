// SPDX-License-Identifier: BSD-3-Clause
#include "types.hpp"

#include <algorithm>
#include <numeric>

#include "play.hpp"

namespace handles {

Type::Type(Run& run, Random& random, Signature signature, int keyval, Callbacks& callbacks)
    : run_(run), callbacks_(callbacks) {
  if (signature.mixed)
    draw_mixed(random);
  else
    draw_uniform(random, signature.kind);
  if (!own_) return;
  // 4.0 itself runs the callbacks of a type that a send was the last to use in the middle of its progress, without its
  // lock: another thread that makes progress meanwhile is an error in UCX.
  if (random.below(4) == 0 && !old_mpich) {
    run.good(MPI_Type_set_attr(handle_, keyval, &callbacks_), "MPI_Type_set_attr");
    attribute_ = true;
  }
  if (random.below(4) == 0) {  // the copy is used, and the original is gone
    MPI_Datatype copy = MPI_DATATYPE_NULL;
    run.good(MPI_Type_dup(handle_, &copy), "MPI_Type_dup");
    run.good(MPI_Type_free(&handle_), "MPI_Type_free");
    callbacks_.due_copies += attribute_;
    callbacks_.due_deletes += attribute_;
    handle_ = copy;
  }
  run.good(MPI_Type_commit(&handle_), "MPI_Type_commit");
}

Type::Type(Run& run, Kind kind, Callbacks& callbacks)
    : run_(run), callbacks_(callbacks), handle_(basic(kind)), own_(false) {
  true_extent_ = width(kind);
  place({0}, width(kind));
  name_ = "basic";
}

void Type::place(std::vector<std::size_t> offsets, std::size_t extent) {
  offsets_ = std::move(offsets);
  extent_ = extent;
}

void Type::draw_uniform(Random& random, Kind kind) {
  const std::size_t w = width(kind);
  const MPI_Datatype base = basic(kind);
  constexpr std::size_t divisors[] = {1, 2, 3, 4, 6, 12};
  const std::size_t n = divisors[random.below(6)];
  const int count = static_cast<int>(n);
  const std::size_t gap = 1 + random.below(3);
  std::vector<std::size_t> at(n);
  std::iota(at.begin(), at.end(), std::size_t{0});
  std::size_t extent = n;
  const auto which = random.below(9);
  switch (which) {
    case 0:
    case 1:
      own_ = false;
      handle_ = base;
      name_ = "basic";
      at = {0};
      extent = 1;
      break;
    case 2:
      MPI_Type_contiguous(count, base, &handle_);
      name_ = "contiguous";
      break;
    case 3:
      MPI_Type_vector(count, 1, static_cast<int>(1 + gap), base, &handle_);
      name_ = "vector";
      for (std::size_t& a : at) a *= 1 + gap;
      extent = (n - 1) * (1 + gap) + 1;
      break;
    case 4: {  // the numbers in the opposite order, with gaps
      std::vector<int> displacements(n);
      for (std::size_t k = 0; k < n; ++k) displacements[k] = static_cast<int>(at[k] = (n - 1 - k) * (1 + gap));
      MPI_Type_create_indexed_block(count, 1, displacements.data(), base, &handle_);
      name_ = "indexed_block";
      extent = (n - 1) * (1 + gap) + 1;
      break;
    }
    case 5: {
      MPI_Datatype inner = MPI_DATATYPE_NULL;
      MPI_Type_contiguous(count, base, &inner);
      MPI_Type_create_resized(inner, 0, static_cast<MPI_Aint>((n + gap) * w), &handle_);
      MPI_Type_free(&inner);
      name_ = "resized";
      extent = n + gap;
      break;
    }
    case 6: {  // two blocks with a gap between
      const int first = count / 2;
      const int lengths[] = {first, count - first};
      const int displacements[] = {0, first + static_cast<int>(gap)};
      MPI_Type_indexed(2, lengths, displacements, base, &handle_);
      name_ = "indexed";
      for (std::size_t k = n / 2; k < n; ++k) at[k] += gap;
      if (n == 1) at = {gap};
      // An item of one number begins where its number does: MPI makes no gap before the first block of length 0.
      extent = n + gap;
      if (n == 1) {
        MPI_Type_free(&handle_);
        const MPI_Aint shift = static_cast<MPI_Aint>(gap * w);
        const int one = 1;
        MPI_Datatype inner = MPI_DATATYPE_NULL;
        MPI_Type_create_hindexed(1, &one, &shift, base, &inner);
        MPI_Type_create_resized(inner, 0, static_cast<MPI_Aint>(extent * w), &handle_);
        MPI_Type_free(&inner);
      }
      break;
    }
    case 7: {  // a struct of two numbers' kinds that are the same
      const int first = (count + 1) / 2;
      const int lengths[] = {first, count - first};
      const MPI_Aint displacements[] = {0, static_cast<MPI_Aint>((static_cast<std::size_t>(first) + gap) * w)};
      const MPI_Datatype types[] = {base, base};
      MPI_Datatype inner = MPI_DATATYPE_NULL;
      MPI_Type_create_struct(2, lengths, displacements, types, &inner);
      extent = n + 2 * gap;
      MPI_Type_create_resized(inner, 0, static_cast<MPI_Aint>(extent * w), &handle_);
      MPI_Type_free(&inner);
      for (std::size_t k = static_cast<std::size_t>(first); k < n; ++k) at[k] += gap;
      name_ = "struct";
      break;
    }
    default: {  // a vector of vectors
      const std::size_t inner_count = n % 2 == 0 ? 2 : 1;
      MPI_Datatype inner = MPI_DATATYPE_NULL;
      MPI_Type_vector(static_cast<int>(inner_count), 1, 2, base, &inner);
      MPI_Type_create_hvector(static_cast<int>(n / inner_count), 1, static_cast<MPI_Aint>((3 + gap) * w), inner,
                              &handle_);
      MPI_Type_free(&inner);
      for (std::size_t k = 0; k < n; ++k) at[k] = k / inner_count * (3 + gap) + k % inner_count * 2;
      extent = (n / inner_count - 1) * (3 + gap) + (inner_count - 1) * 2 + 1;
      name_ = "hvector of vector";
      break;
    }
  }
  true_extent_ = (*std::ranges::max_element(at) + 1) * w;
  for (std::size_t& a : at) a *= w;
  place(std::move(at), extent * w);
}

// A struct of an int, a double and a float, with gaps; several of them in an array, or with room behind.
void Type::draw_mixed(Random& random) {
  constexpr std::size_t one = 24;
  const int lengths[] = {1, 1, 1};
  const MPI_Aint displacements[] = {0, 8, 16};
  const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_FLOAT};
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  MPI_Datatype sized = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(3, lengths, displacements, types, &inner);
  const std::size_t room = 8 * random.below(3);
  MPI_Type_create_resized(inner, 0, static_cast<MPI_Aint>(one + room), &sized);
  MPI_Type_free(&inner);
  constexpr std::size_t arrays[] = {1, 2, 4};
  const std::size_t n = arrays[random.below(3)];
  MPI_Type_contiguous(static_cast<int>(n), sized, &handle_);
  MPI_Type_free(&sized);
  std::vector<std::size_t> at;
  for (std::size_t k = 0; k < n; ++k)
    for (const std::size_t field : {0, 8, 16}) at.push_back(k * (one + room) + field);
  true_extent_ = at.back() + sizeof(float);
  place(std::move(at), n * (one + room));
  name_ = "struct of three kinds";
}

void Type::free() {
  if (freed_ || !own_) return;
  freed_ = true;
  run_.good(MPI_Type_free(&handle_), "MPI_Type_free");
  callbacks_.due_deletes += attribute_;
  for (int k = 0; k < 2; ++k) {
    MPI_Datatype other = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(k + 2, MPI_CHAR, &other);
    MPI_Type_commit(&other);
    MPI_Type_free(&other);
  }
}

}  // namespace handles
