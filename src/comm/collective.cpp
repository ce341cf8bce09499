#include "comm/collective.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <string>

#include "base/clock.hpp"
#include "comm/asked.hpp"
#include "comm/errors.hpp"
#include "comm/process.hpp"
#include "comm/settings.hpp"
#include "comm/stats.hpp"
#include "device/host/float_environment.hpp"
#include "engine/ledger.hpp"
#include "tune/choose.hpp"

namespace laconic {
void CollectiveOperation::set(const std::shared_ptr<Binding>& b, const CollectiveCall& call,
                              const laconic_options* options) {
  binding = b;
  call_ = call;
  has_options_ = options != nullptr;
  if (has_options_) given_ = *options;
}

void CollectiveOperation::begin(bool blocking) {
  began_ = now();
  blocking_ = blocking;
  stats_ = empty_stats();
  status = {};
  mpi_code = MPI_SUCCESS;
  has_turn_ = begun_ = false;
  run_ = nullptr;
  // Between two groups an argument may mean another thing, or nothing: that is left to MPI.
  shape_ = Shape(call_, binding->rank, binding->intercomm ? 0 : binding->size);
  const Status arguments = binding->intercomm ? shape_.check_mean() : shape_.check();
  const Status options = take_options();
  local_ = arguments.ok() ? options : arguments;
  reason_ = known_reason(options.ok());
  in_flight = true;
  if (!blocking) binding->nonblocking = true;
  if (reason_ != LACONIC_PLAIN_NOT) {
    if (!local_.ok()) return end(local_);
    return begin_plain();
  }
  // Where the error ends the program nobody is left to be told, and whoever is not listening cannot hold it up.
  if (!local_.ok() && errors_are_fatal(call_.comm)) return end(local_);
  turn_ = binding->turns.take();
  has_turn_ = true;
  stage_ = Stage::queued;
}

// Options, then hints, then environment; what is unset everywhere gets its default.
Status CollectiveOperation::take_options() {
  laconic_options_init(&settings_);
  Status problem;
  if (has_options_) {
    problem = check_options(given_);
    if (problem.ok()) {
      settings_ = given_;
    } else {
      // Whether the call is large enough to be compressed still counts, as far as it can be read.
      const bool readable = given_.size == sizeof(laconic_options) && given_.min_bytes >= 0;
      settings_.min_bytes = readable ? given_.min_bytes : 1;
      if (readable) settings_.bound = given_.bound;
    }
  }
  if (problem.ok()) problem = binding->inherited_status;
  // The other ranks may have been told to compress everything.
  if (!binding->inherited_status.ok() && settings_.min_bytes == 0) settings_.min_bytes = 1;
  if (binding->inherited_status.ok()) {
    fill_unset(settings_, binding->inherited);
    // An algorithm that the collective does not have was meant for others, unless it was asked for in this call.
    const bool inherited = !has_options_ || given_.algorithm == LACONIC_ALGORITHM_UNSET;
    if (inherited && settings_.algorithm > LACONIC_ALGORITHM_PLAIN && !choose_algorithm().ok())
      settings_.algorithm = LACONIC_ALGORITHM_AUTO;
  }
  fill_defaults(settings_);
  if (problem.ok()) problem = check_together(settings_);
  if (problem.ok() && settings_.algorithm != LACONIC_ALGORITHM_PLAIN) problem = choose_algorithm();
  return problem;
}

// Why the call is plain, as far as every rank knows it for all.  What this rank does not know because of its own
// mistake is taken to be what is compressed: the other ranks may be about to, and then they must hear of the error.
laconic_plain_reason CollectiveOperation::known_reason(bool options_ok) const {
  if (binding->intercomm) return LACONIC_PLAIN_INTERCOMM;
  if (options_ok) {
    if (settings_.bound.mode == LACONIC_BOUND_UNSET) return LACONIC_PLAIN_NO_BOUND;
    if (settings_.algorithm == LACONIC_ALGORITHM_PLAIN) return LACONIC_PLAIN_ASKED;
  }
  const Meaning& m = shape_.meaning();
  if (!shape_.partial() && own_reason() != LACONIC_PLAIN_NOT) return own_reason();
  if (!m.op_known && !m.op_hidden) return LACONIC_PLAIN_OP;
  if (binding->size == 1) return LACONIC_PLAIN_ONE_RANK;
  const bool size_known = !shape_.counts_partial() && !shape_.count_hidden() && !m.type_hidden;
  if (size_known && bytes() < static_cast<std::size_t>(settings_.min_bytes)) return LACONIC_PLAIN_SMALL;
  return LACONIC_PLAIN_NOT;
}

// Why this rank cannot compress, whatever the others may do.
laconic_plain_reason CollectiveOperation::own_reason() const {
  const Meaning& m = shape_.meaning();
  if (!m.type_hidden && (!m.type_known || (m.integer && !codes_integers(settings_, m.dtype))))
    return LACONIC_PLAIN_TYPE;
  return LACONIC_PLAIN_NOT;
}

void CollectiveOperation::begin_plain() {
  stage_ = Stage::plain;
  const bool mean = shape_.meaning().mean;
  // Those in flight must make progress, which inside a blocking call of MPI they do not.  Whether there are any differs
  // between ranks; whether there may be any on this communicator does not, and blocking and nonblocking calls of MPI do
  // not match each other.
  const bool at_once = !binding->nonblocking;
  Status problem;
  mpi_code = at_once ? plain_.run(call_, mean, problem) : plain_.start(call_, mean, problem);
  if (at_once || mpi_code != MPI_SUCCESS || !problem.ok()) end(problem);
}

bool CollectiveOperation::poll() {
  // Whatever arithmetic the application runs with (denormals flushed, another rounding), every rank must come to the
  // same bound to the bit: else some would compress and others not.
  const FloatEnvironment standard;
  while (stage_ != Stage::finished && move_on()) {
  }
  return stage_ == Stage::finished;
}

// One step of the way; false when it has to wait.
bool CollectiveOperation::move_on() {
  switch (stage_) {
    case Stage::queued: return leave_queue();
    case Stage::agreeing:
    case Stage::leasing:
      if (!agreement_.poll()) return false;
      stats_.seconds_wait += now() - waited_;
      return decide();
    case Stage::running:
      if (!run_->poll()) return false;
      if (run_->status().ok()) take_account();
      end(run_->status());
      return true;
    case Stage::exchanging:
    case Stage::plain: {
      bool done = false;
      const int code = stage_ == Stage::plain ? plain_.poll(done) : exchange_.poll(done);
      if (!done) return false;
      if (stage_ == Stage::plain)
        mpi_code = code;
      else if (code != MPI_SUCCESS)
        return end({Code::transport, "a plain message failed: " + message_of(code)}), true;
      end({});
      return true;
    }
    case Stage::finished: return false;
  }
  return false;
}

bool CollectiveOperation::leave_queue() {
  Status problem;
  if (!binding->turns.reached(turn_) || !binding->poll_machinery(blocking_, problem)) return false;
  stage_ = Stage::agreeing;
  // Reductions of one communicator have to be started in the same order on all ranks: where another agreement may
  // follow this one, nobody else's may come between.
  if (!shape_.counts_partial()) let_next_begin();
  if (!problem.ok()) return end(problem), true;
  run_ = &binding->machinery()->lend(settings_.threads, false);
  agree();
  return true;
}

void CollectiveOperation::agree() {
  Proposal p;
  p.range = {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  if (local_.ok()) p.plain = own_reason();
  // Everything that can go wrong on one rank alone has to go wrong before the agreement; where the size is not known
  // before it, another one follows.
  if (local_.ok() && p.plain == LACONIC_PLAIN_NOT && !shape_.counts_partial()) local_ = make_work(0);
  if (local_.ok() && p.plain == LACONIC_PLAIN_NOT) {
    if (settings_.bound.mode == LACONIC_BOUND_REL) p.range = shape_.range();
    p.largest = shape_.largest(work_.plan != nullptr && !shape_.counts_partial() ? work_.plan->cut : 1);
  }
  if (local_.ok()) p.bytes = bytes();
  p.status = local_;
  p.signature = signature();
  waited_ = now();
  if (Status s = agreement_.start(binding->machinery()->comm(), p); !s) end(s);
}

// All ranks have been heard.
bool CollectiveOperation::decide() {
  if (!agreement_.verdict().ok()) return end(agreement_.verdict()), true;
  if (stage_ == Stage::leasing) return start_run(), true;
  range_ = agreement_.range();
  largest_ = agreement_.largest();
  if (agreement_.plain() != LACONIC_PLAIN_NOT)
    reason_ = agreement_.plain();
  else if (shape_.counts_partial() && agreement_.bytes() < static_cast<std::size_t>(settings_.min_bytes))
    reason_ = LACONIC_PLAIN_SMALL;
  if (reason_ != LACONIC_PLAIN_NOT)
    start_exchange();
  else if (shape_.counts_partial())
    lease();
  else
    start_run();
  return true;
}

// Memory, once the size is known; the ranks agree that all have it.
void CollectiveOperation::lease() {
  Proposal p;
  p.status = make_work(largest_);
  p.range = range_;
  stage_ = Stage::leasing;
  waited_ = now();
  if (Status s = agreement_.start(binding->machinery()->comm(), p); !s) return end(s);
  let_next_begin();
}

void CollectiveOperation::let_next_begin() {
  if (!begun_) binding->turns.begin();
  begun_ = true;
}

void CollectiveOperation::start_run() {
  set_bound();
  work_.largest = largest_;
  work_.sequence = turn_;
  stage_ = Stage::running;
  run_->start(work_);
}

void CollectiveOperation::start_exchange() {
  let_next_begin();
  exchanged_ = call_;
  if (Status s = set_aside(); !s) return end(s);
  if (!aside_.empty()) {
    exchanged_.send = call_.recv;
    exchanged_.send.buffer =
        aside_.data() - (shape_.extent().data() - static_cast<const std::byte*>(call_.recv.buffer));
  }
  stage_ = Stage::exchanging;
  const int tag = static_cast<int>(turn_ % collective_operations * collective_messages);
  if (const int code = exchange_.start(exchanged_, binding->machinery()->comm(), tag); code != MPI_SUCCESS)
    end({Code::transport, "a plain message failed: " + message_of(code)});
}

void CollectiveOperation::end(Status outcome) {
  if (has_turn_) {
    let_next_begin();
    binding->turns.finish(turn_);
    has_turn_ = false;
  }
  if (run_ != nullptr) binding->machinery()->give_back(*run_);
  run_ = nullptr;
  status = std::move(outcome);
  const bool was_plain = stage_ == Stage::plain || stage_ == Stage::exchanging;
  stage_ = Stage::finished;
  if (!status.ok() || mpi_code != MPI_SUCCESS) return;
  if (was_plain) {
    stats_.plain_calls = 1;
    stats_.plain_reason = reason_;
    stats_.algorithm = LACONIC_ALGORITHM_PLAIN;
  }
  finish_stats();
}

Status CollectiveOperation::choose_algorithm() {
  // Where ranks do not see all counts, none may count.
  const bool known = !shape_.counts_partial() && !shape_.count_hidden();
  return asked_algorithm(settings_, collective_of(call_.form), binding->size, known ? bytes() : unknown_bytes,
                         algorithm_);
}

// All of the work but its sequence number and its allowance, which need the agreement.  largest: of all ranks, or 0
// where this rank knows it.
Status CollectiveOperation::make_work(std::size_t largest) {
  const Meaning& m = shape_.meaning();
  work_ = {};
  work_.codec = asked_codec(settings_);
  if (work_.codec == nullptr) return not_built(laconic_codec_name(settings_.codec));
  const Travel travel = travel_of(*work_.codec, settings_.variant == LACONIC_VARIANT_CPR_P2P);
  const Plan& plan = binding->machinery()->plan(*algorithm_, call_.root, travel);
  work_.plan = &plan;
  work_.coding.dtype = m.dtype;
  work_.coding.op = m.op;
  work_.coding.divisor = m.mean ? binding->size : 1;
  if (settings_.bound.mode == LACONIC_BOUND_RATE) work_.coding.rate = settings_.bound.value;
  if (settings_.bound.mode == LACONIC_BOUND_RMS) work_.coding.relative = settings_.bound.value;
  work_.coding.streaming = bytes() >= streaming_bytes;
  work_.largest = largest > 0 ? largest : shape_.largest(plan.cut);
  work_.depth = overlapping(settings_.variant) ? settings_.depth : 1;
  if (!overlapping(settings_.variant))
    work_.chunk = std::max<std::size_t>(work_.largest, 1);
  else if (settings_.chunk_elements > 0)
    work_.chunk = static_cast<std::size_t>(settings_.chunk_elements);
  else
    work_.chunk = choose_chunk(work_.largest, m.dtype, work_.depth);
  try {
    if (Status s = set_aside(); !s) return s;
    regions_.resize(plan.blocks.size());
  } catch (const std::bad_alloc&) {
    return {Code::memory, "no memory for the table of blocks"};
  }
  shape_.regions(plan, aside_.empty() ? nullptr : aside_.data(), regions_);
  work_.regions = regions_;
  return run_->reserve(work_);
}

Status CollectiveOperation::set_aside() {
  if (!shape_.overlaps()) {
    aside_.clear();
    return {};
  }
  const auto from = shape_.extent();
  try {
    aside_.assign(from.begin(), from.end());
  } catch (const std::bad_alloc&) {
    return {Code::memory, "no memory for a copy of what is to be sent in place"};
  }
  return {};
}

// A hash of everything that must be the same on all ranks.
std::uint64_t CollectiveOperation::signature() const {
  const Meaning& m = shape_.meaning();
  const laconic_options& o = settings_;
  std::uint64_t h = 0xcbf29ce484222325ULL;
  const auto take = [&h](auto value) {
    h = (h ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15ULL;
    h ^= h >> 29;
  };
  take(call_.form);
  if (has_root(collective_of(call_.form))) take(call_.root);
  if (!shape_.count_hidden() && !shape_.counts_partial()) {
    take(shape_.total());
    const MPI_Count* counts = call_.form == Form::reduce_scatter ? call_.send.counts : call_.recv.counts;
    if (counts != nullptr)
      for (int p = 0; p < binding->size; ++p) take(counts[p]);
  }
  // Elsewhere a rank may have another type than the others; then all of them exchange plainly.
  if (!shape_.partial()) take(m.dtype);
  take(m.op);
  take(m.mean);
  take(o.bound.mode);
  take(std::bit_cast<std::uint64_t>(o.bound.value));
  take(o.target);
  take(o.codec);
  take(o.algorithm);
  take(o.variant);
  take(o.chunk_elements);
  take(o.depth);
  return h;
}

// Of the numbers that a result can be, where the ranks agreed on it; 0 where they did not, and for sums.  With it the
// bound covers the last rounding of the result, too.
double CollectiveOperation::greatest_magnitude(const Range& range) const {
  const bool sum = reduces(collective_of(call_.form)) && shape_.meaning().op == Op::sum;
  if (settings_.bound.mode != LACONIC_BOUND_REL || sum || work_.plan->travel != Travel::adding) return 0;
  const double greatest = std::max(std::fabs(range.least), std::fabs(range.greatest));
  return std::isfinite(greatest) ? greatest : 0;
}

void CollectiveOperation::set_bound() {
  const Meaning& m = shape_.meaning();
  const bool sum = reduces(algorithm_->collective) && m.op == Op::sum;
  Budget budget = divide_bound(absolute_bound(settings_, range_), settings_.target == LACONIC_TARGET_INPUT, m.op,
                               m.mean, *algorithm_, binding->size, work_.plan->travel);
  work_.coding.allowance = budget.allowance;
  work_.last_allowance = budget.last_allowance;
  work_.coding.terms = sum ? budget.terms : 1;
  work_.coding.greatest = greatest_magnitude(range_);
  // What is not known as an absolute error before the numbers are coded.
  if (settings_.bound.mode == LACONIC_BOUND_RATE || settings_.bound.mode == LACONIC_BOUND_RMS)
    budget.worst_case = std::numeric_limits<double>::infinity();
  // The names are the contract's, so the enumerators can be found by them.
  laconic_options named{};
  laconic_options_init(&named);
  if (set_option(named, "algorithm", algorithm_->name).ok()) stats_.algorithm = named.algorithm;
  name_codec(work_.codec->name(), stats_);
  stats_.variant = settings_.variant;
  stats_.bound = budget.worst_case;
}

void CollectiveOperation::take_account() {
  const Account& account = run_->account();
  stats_.bytes_sent = account.bytes_sent;
  stats_.bytes_uncompressed = account.bytes_uncompressed;
  if (account.bytes_sent > 0)
    stats_.ratio = static_cast<double>(account.bytes_uncompressed) / static_cast<double>(account.bytes_sent);
  // Adding up and dividing the allowances rounds; what they add up to is never above the bound.
  stats_.achieved_bound = std::min(shape_.meaning().mean ? account.error / binding->size : account.error, stats_.bound);
  stats_.seconds_encode = account.seconds_encode;
  stats_.seconds_decode = account.seconds_decode;
  stats_.seconds_reduce = account.seconds_reduce;
  stats_.seconds_copy = account.seconds_copy;
  stats_.seconds_wait += account.seconds_wait;
  stats_.seconds_wait_reducing = account.seconds_wait_reducing;
  stats_.seconds_distribute = account.seconds_distribute;
  stats_.most_chunks = account.most_rows;
  stats_.memory_bytes = run_->footprint() + aside_.size();
}

void CollectiveOperation::finish_stats() {
  stats_.calls = 1;
  stats_.bytes_in = shape_.contribution() * shape_.meaning().width;
  stats_.seconds_total = now() - began_;
  const double named =
      stats_.seconds_encode + stats_.seconds_decode + stats_.seconds_reduce + stats_.seconds_copy + stats_.seconds_wait;
  // With worker threads the coding overlaps the calling thread's time and the phases may exceed the total.
  stats_.seconds_other = std::max(0.0, stats_.seconds_total - named);
  accumulate(binding->stats, stats_);
  if (has_options_ && given_.size == sizeof(laconic_options) && given_.stats != nullptr) *given_.stats = stats_;
}

}  // namespace laconic
