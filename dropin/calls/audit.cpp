// SPDX-License-Identifier: BSD-3-Clause
#include "calls/audit.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "core/no_traps.hpp"
#include "core/process.hpp"

namespace laconic::dropin {
namespace {

template <class T>
double difference(const std::byte* a, const std::byte* b, std::size_t bytes) {
  const NoTraps traps;
  double most = 0;
  for (std::size_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
    if (std::memcmp(a + at, b + at, sizeof(T)) == 0) continue;
    T x;
    T y;
    std::memcpy(&x, a + at, sizeof x);
    std::memcpy(&y, b + at, sizeof y);
    if (std::isnan(x) && std::isnan(y)) continue;
    const double d = std::fabs(static_cast<double>(x) - static_cast<double>(y));
    // A NaN or an infinity on one side only is reported as an infinite error, because no finite size describes it.
    most = std::isnan(d) ? std::numeric_limits<double>::infinity() : std::fmax(most, d);
    if (std::isinf(most)) return most;
  }
  return most;
}

}  // namespace

double largest_difference(const Numbers& numbers, const std::byte* a, const std::byte* b, std::size_t bytes) {
  if (numbers.type == MPI_FLOAT) return difference<float>(a, b, bytes);
  if (numbers.type == MPI_DOUBLE) return difference<double>(a, b, bytes);
  return std::memcmp(a, b, bytes) == 0 ? 0 : std::numeric_limits<double>::infinity();
}

Audit::Audit(const Call& call, Communicator& communicator, NumberSides& numbers)
    : call_(call), communicator_(communicator), numbers_(numbers) {
  const std::int64_t every = Process::instance().settings().audit;
  on_ = every > 0 && communicator.audited++ % every == 0;
  if (!on_) return;
  // The first rank of an exclusive scan has no result.
  if (call.traits().recv.contents == Contents::exclusive_prefix && communicator.rank() == 0) return;
  if (call.traits().keeps_block() && numbers.in_place) {
    const Side mine = own_block(call, communicator.rank());
    result_.set(mine, 1);
  } else {
    result_ = numbers.recv;
  }
}

int Audit::before(Plain plain) {
  if (!on_) return MPI_SUCCESS;
  // True if the plain call overwrites what the compressed one reads: in-place calls, and the buffer of a broadcast.
  const bool overwrites = (numbers_.in_place || call_.traits().one_buffer()) && numbers_.recv.used();
  std::vector<std::byte> input;
  if (overwrites) numbers_.recv.save(input);
  const double begin = PMPI_Wtime();
  const int code = plain();
  seconds_ = PMPI_Wtime() - begin;
  if (code != MPI_SUCCESS) return code;
  if (result_.used()) result_.save(plain_);
  if (overwrites) numbers_.recv.restore(input);
  return MPI_SUCCESS;
}

void Audit::after() {
  if (!on_) return;
  double error = 0;
  if (result_.used()) {
    std::vector<std::byte> found;
    result_.save(found);
    error = largest_difference(result_.layout().numbers, plain_.data(), found.data(), plain_.size());
    if (Process::instance().settings().keep_plain) result_.restore(plain_);
  }
  Tallies::instance().audited(communicator_.tallies(), call_.operation, error, seconds_);
}

}  // namespace laconic::dropin
