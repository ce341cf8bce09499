#include "comm/agreement.hpp"

#include <string>

#include "comm/errors.hpp"

namespace laconic {
namespace {

// Doubles hold whole numbers to 2^53 exactly.
constexpr std::uint64_t signature_mask = (std::uint64_t{1} << 52) - 1;
constexpr double ranks_per_class = 0x1p32;

}  // namespace

Status Agreement::start(MPI_Comm comm, const Proposal& proposal) {
  local_ = proposal.status;
  verdict_ = {};
  MPI_Comm_rank(comm, &rank_);
  const auto s = static_cast<double>(proposal.signature & signature_mask);
  // Only maxima are taken; a minimum is the maximum of the negatives.  A failure carries its class and who found it.
  mine_[failure] = local_.ok() ? 0 : class_of(local_.code()) * ranks_per_class + rank_;
  mine_[signature_most] = s;
  mine_[signature_least] = local_.ok() ? -s : -static_cast<double>(signature_mask);
  mine_[range_most] = proposal.range.greatest;
  mine_[range_least] = -proposal.range.least;
  mine_[largest_count] = static_cast<double>(proposal.largest);
  mine_[most_bytes] = static_cast<double>(proposal.bytes);
  mine_[plain_reason] = proposal.plain;
  mine_[any_on_host] = proposal.on_device ? 0 : 1;
  const int rc = MPI_Iallreduce(mine_.data(), all_.data(), fields, MPI_DOUBLE, MPI_MAX, comm, &request_);
  if (rc != MPI_SUCCESS) return {Code::transport, "MPI_Iallreduce failed: " + message_of(rc)};
  waiting_ = true;
  return {};
}

bool Agreement::poll() {
  if (!waiting_) return true;
  int done = 0;
  const int rc = MPI_Test(&request_, &done, MPI_STATUS_IGNORE);
  if (rc != MPI_SUCCESS) {
    verdict_ = {Code::transport, "MPI_Test failed: " + message_of(rc)};
    waiting_ = false;
    return true;
  }
  if (!done) return false;
  waiting_ = false;
  conclude();
  return true;
}

void Agreement::conclude() {
  range_ = {-all_[range_least], all_[range_most]};
  if (!local_.ok()) {
    verdict_ = local_;
  } else if (all_[failure] > 0) {
    const auto error_class = static_cast<int>(all_[failure] / ranks_per_class);
    const auto rank = static_cast<long>(all_[failure] - error_class * ranks_per_class);
    verdict_ = {
        code_of_class(error_class),
        "rank " + std::to_string(rank) + " was called with an argument that is not valid (its own error says which)"};
  } else if (all_[signature_most] != -all_[signature_least]) {
    verdict_ = {Code::mismatch,
                "the ranks disagree on root, counts, datatype, op, bound, target, codec, algorithm, variant, "
                "denormals, chunk_elements or depth; these must be the same on every rank"};
  }
}

}  // namespace laconic
