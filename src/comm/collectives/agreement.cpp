// SPDX-License-Identifier: BSD-3-Clause
#include "comm/collectives/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "comm/core/errors.hpp"
#include "wire/envelope.hpp"
#include "wire/frame.hpp"

namespace laconic {
namespace {

constexpr double ranks_per_class = 0x1p32;

// A value and the rank that proposed it share one number, so that a maximum keeps them together: 33 bits and 20 bits,
// because doubles hold whole numbers up to 2^53 exactly.
constexpr double ranks_per_value = 0x1p20;
constexpr unsigned unused_bits = 64 - 33;

double value_in(double field) { return std::floor(field / ranks_per_value); }
long rank_in(double field) { return static_cast<long>(field - value_in(field) * ranks_per_value); }

constexpr std::array<const char*, all_arguments> names{
    "function",  "root",    "count",     "datatype", "op",   "bound",          "target", "codec", "effort",
    "algorithm", "variant", "denormals", "checksum", "tune", "chunk_elements", "depth",  "plain"};

// This library writes frames, envelopes and agreements of these versions.
constexpr std::uint32_t version_of_agreement = 2;
constexpr std::uint32_t own_version =
    std::uint32_t{wire::version} << 16 | std::uint32_t{wire::envelope_version} << 8 | version_of_agreement;

std::string version_in(double field) {
  const auto v = static_cast<std::uint32_t>(value_in(field));
  return std::to_string(v >> 16) + "." + std::to_string(v >> 8 & 0xff) + "." + std::to_string(v & 0xff);
}

}  // namespace

Status Agreement::start(MPI_Comm comm, const Proposal& proposal, int tag) {
  local_ = proposal.status;
  verdict_ = {};
  MPI_Comm_rank(comm, &rank_);
  types_may_differ_ = proposal.types_may_differ;
  // The reduction takes only maxima; a minimum is the maximum of the negatives.  A failure carries its class and the
  // rank that found it.
  const double rank = std::min<double>(rank_, ranks_per_value - 1);
  mine_[version_most] = own_version * ranks_per_value + rank;
  mine_[version_least] = -mine_[version_most];
  mine_[failure] = local_.ok() ? 0 : class_of(local_.code()) * ranks_per_class + rank_;
  mine_[range_most] = proposal.range.greatest;
  mine_[range_least] = -proposal.range.least;
  mine_[largest_count] = static_cast<double>(proposal.largest);
  mine_[most_bytes] = static_cast<double>(proposal.bytes);
  mine_[plain_reason] = proposal.plain;
  mine_[device_most] = static_cast<double>(proposal.device);
  mine_[device_least] = -mine_[device_most];
  mine_[fingerprint_most] = proposal.fingerprint;
  mine_[fingerprint_least] = -proposal.fingerprint;
  mine_[salt_most] = static_cast<double>(proposal.salt >> 12);
  const auto measured = proposal.measured.to_array();
  std::copy(measured.begin(), measured.end(), mine_.begin() + first_measured);
  for (std::size_t a = 0; a < all_arguments; ++a) {
    // A present value is not 0, so an absent one never wins: it enters the maximum as 0 and the minimum as the greatest
    // double.
    const bool counts = local_.ok() && proposal.values[a] != 0;
    const auto value = static_cast<double>(std::max<std::uint64_t>(proposal.values[a] >> unused_bits, 1));
    const double field = value * ranks_per_value + rank;
    mine_[first_argument + 2 * a] = counts ? field : 0;
    mine_[first_argument + 2 * a + 1] = counts ? -field : -std::numeric_limits<double>::max();
  }
  const int rc = tag == no_tag ? maximum_.start(comm, mine_.data(), all_.data(), fields)
                               : maximum_.start(comm, tag, mine_.data(), all_.data(), fields);
  if (rc != MPI_SUCCESS) return {Code::transport, "the agreement of the ranks failed: " + message_of(rc)};
  waiting_ = true;
  return {};
}

bool Agreement::poll() {
  if (!waiting_) return true;
  bool done = false;
  const int rc = maximum_.poll(done);
  if (rc != MPI_SUCCESS) {
    verdict_ = {Code::transport, "the agreement of the ranks failed: " + message_of(rc)};
    waiting_ = false;
    return true;
  }
  if (!done) return false;
  waiting_ = false;
  conclude();
  return true;
}

void Agreement::conclude() {
  if (versions_differ()) {
    verdict_ = {Code::mismatch, versions()};
    return;
  }
  range_ = {-all_[range_least], all_[range_most]};
  if (!local_.ok()) {
    verdict_ = local_;
  } else if (all_[failure] > 0) {
    const auto error_class = static_cast<int>(all_[failure] / ranks_per_class);
    const auto rank = static_cast<long>(all_[failure] - error_class * ranks_per_class);
    verdict_ = {
        code_of_class(error_class),
        "rank " + std::to_string(rank) + " was called with an argument that is not valid (its own error says which)"};
  } else if (const std::string text = disagreement(); !text.empty()) {
    verdict_ = {Code::mismatch, "the ranks disagree on " + text + "; it must be the same on every rank"};
  }
}

bool Agreement::versions_differ() const {
  return value_in(all_[version_most]) != value_in(-all_[version_least]) || value_in(all_[version_most]) != own_version;
}

std::string Agreement::versions() const {
  const double most = all_[version_most];
  const double least = -all_[version_least];
  return "the ranks have releases of Laconic that write different bytes: version " + version_in(least) +
         " of frames, envelopes and agreements on rank " + std::to_string(rank_in(least)) + " and version " +
         version_in(most) + " on rank " + std::to_string(rank_in(most)) +
         " (docs/wire-format.md describes the wire format); it must be the same on every rank";
}

bool Agreement::differ(Argument argument) const {
  const double most = all_[most_of(argument)];
  const double least = -all_[least_of(argument)];
  return most != 0 && value_in(most) != value_in(least);
}

std::optional<Dtype> Agreement::dtype() const {
  const double most = all_[most_of(Argument::datatype)];
  if (most == 0) return std::nullopt;
  return static_cast<Dtype>(static_cast<int>(value_in(most)) - 1);
}

// The arguments on which the ranks disagree, each with two ranks that differ; empty where all agree.
std::string Agreement::disagreement() const {
  std::string text;
  for (std::size_t a = 0; a < all_arguments; ++a) {
    const auto argument = static_cast<Argument>(a);
    if (!differ(argument) || (argument == Argument::datatype && types_may_differ_)) continue;
    text += (text.empty() ? "" : ", ") + std::string(names[a]) + " (rank " +
            std::to_string(rank_in(-all_[least_of(argument)])) + " and rank " +
            std::to_string(rank_in(all_[most_of(argument)])) + ")";
    if (argument == Argument::function) break;  // another function gives the other arguments other meanings
  }
  return text;
}

Measured Agreement::measured() const {
  std::array<double, Measured::fields> fields_of_measured{};
  std::copy_n(all_.begin() + first_measured, Measured::fields, fields_of_measured.begin());
  return Measured::from_array(fields_of_measured);
}

}  // namespace laconic
