#include "comm/allreduce.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "comm/agreement.hpp"
#include "comm/binding.hpp"
#include "comm/datatypes.hpp"
#include "comm/errors.hpp"
#include "comm/plain.hpp"
#include "comm/process.hpp"
#include "comm/settings.hpp"
#include "comm/stats.hpp"
#include "device/host/float_environment.hpp"
#include "engine/ledger.hpp"
#include "tune/choose.hpp"

namespace laconic {
namespace {

// MPI's handles in our words; what is not known here is left to MPI.
struct Meaning {
  bool type_known = false;
  bool integer = false;
  bool op_known = false;
  Dtype dtype = Dtype::f32;
  Op op = Op::sum;
  bool mean = false;

  bool has_mean() const { return type_known && !integer; }
};

Meaning meaning_of(MPI_Datatype datatype, MPI_Op op) {
  Meaning m;
  const std::optional<Dtype> dtype = find_dtype(datatype);
  m.type_known = dtype.has_value();
  m.dtype = dtype.value_or(Dtype::f32);
  m.integer = is_integer(m.dtype);
  m.mean = op == Process::instance().average();
  m.op_known = op == MPI_SUM || op == MPI_MAX || op == MPI_MIN || m.mean;
  m.op = op == MPI_MAX ? Op::max : op == MPI_MIN ? Op::min : Op::sum;
  return m;
}

Status check_arguments(const AllreduceCall& call, const Meaning& meaning) {
  if (call.count < 0)
    return {Code::count, "count is " + std::to_string(static_cast<long long>(call.count)) + "; valid are 0 and above"};
  if (call.datatype == MPI_DATATYPE_NULL)
    return {Code::type, "datatype is MPI_DATATYPE_NULL; valid is any committed datatype"};
  if (call.op == MPI_OP_NULL) return {Code::op, "op is MPI_OP_NULL; valid is any operation"};
  if (meaning.mean && !meaning.has_mean())
    return {Code::type, "LACONIC_AVG of this datatype; valid are MPI_FLOAT and MPI_DOUBLE"};
  // MPI_BOTTOM is NULL, and a good address for types that hold absolute ones.
  if (call.count == 0 || !meaning.type_known) return {};
  if (call.recvbuf == nullptr) return {Code::buffer, "recvbuf is NULL; valid is memory for count elements"};
  if (call.sendbuf == nullptr)
    return {Code::buffer, "sendbuf is NULL; valid is memory of count elements, or MPI_IN_PLACE"};
  if (call.recvbuf == MPI_IN_PLACE)
    return {Code::buffer, "recvbuf is MPI_IN_PLACE; valid is memory for count elements"};
  return {};
}

// Codecs that need another library are left out where it is missing.  This need not be so on all ranks: the agreement
// carries it to the others.
Status not_built(std::string_view codec) {
  std::string available;
  for (const Codec* other : all_codecs()) available += (available.empty() ? "" : ", ") + std::string(other->name());
  return {Code::argument, "codec '" + std::string(codec) + "' is not in this build of Laconic; available are " +
                              available + " (zfp needs libzfp: apt-get install libzfp-dev, then build again)"};
}

// A hash of everything that must be the same on all ranks.
std::uint64_t signature_of(const AllreduceCall& call, const Meaning& m, const laconic_options& o) {
  std::uint64_t h = 0xcbf29ce484222325ULL;
  const auto take = [&h](std::uint64_t value) {
    h = (h ^ value) * 0x9e3779b97f4a7c15ULL;
    h ^= h >> 29;
  };
  take(static_cast<std::uint64_t>(call.count));
  take(static_cast<std::uint64_t>(m.dtype) | static_cast<std::uint64_t>(m.op) << 8 |
       static_cast<std::uint64_t>(m.mean) << 16);
  take(static_cast<std::uint64_t>(o.bound.mode));
  take(std::bit_cast<std::uint64_t>(o.bound.value));
  take(static_cast<std::uint64_t>(o.target));
  take(static_cast<std::uint64_t>(o.codec));
  take(static_cast<std::uint64_t>(o.algorithm));
  take(static_cast<std::uint64_t>(o.chunk_elements));
  take(static_cast<std::uint64_t>(o.depth));
  return h;
}

// One call.  What it waits for (the agreement, the run) is polled: a nonblocking call will do the same from elsewhere.
class Allreduce {
 public:
  explicit Allreduce(const AllreduceCall& call) : call_(call), began_(now()), stats_(empty_stats()) {}

  int run() {
    if (Status s = bind(call_.comm, binding_); !s) return report(call_.comm, s);
    meaning_ = meaning_of(call_.datatype, call_.op);
    const Status arguments = check_arguments(call_, meaning_);
    const Status options = take_options();
    reason_ = plain_reason(options.ok());
    const Status& local = arguments.ok() ? options : arguments;
    if (reason_ != LACONIC_PLAIN_NOT) return local.ok() ? run_plain() : report(call_.comm, local);
    // Where the error ends the program nobody is left to be told, and whoever is not listening cannot hold it up.
    if (!local.ok() && errors_are_fatal(call_.comm)) return report(call_.comm, local);
    return run_compressed(local);
  }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(call_.count) * size_of(meaning_.dtype); }

  // Options, then hints, then environment; what is unset everywhere gets its default.
  Status take_options() {
    laconic_options_init(&settings_);
    Status status;
    if (call_.options != nullptr) {
      status = check_options(*call_.options);
      if (status.ok()) {
        settings_ = *call_.options;
      } else {
        // Whether the call is large enough to be compressed still counts, as far as it can be read.
        const bool readable = call_.options->size == sizeof(laconic_options) && call_.options->min_bytes >= 0;
        settings_.min_bytes = readable ? call_.options->min_bytes : 1;
        if (readable) settings_.bound = call_.options->bound;
      }
    }
    if (status.ok()) status = binding_->inherited_status;
    // The other ranks may have been told to compress everything.
    if (!binding_->inherited_status.ok() && settings_.min_bytes == 0) settings_.min_bytes = 1;
    if (binding_->inherited_status.ok()) fill_unset(settings_, binding_->inherited);
    if (settings_.min_bytes == 0) settings_.min_bytes = default_min_bytes;
    if (settings_.target == LACONIC_TARGET_UNSET) settings_.target = LACONIC_TARGET_RESULT;
    if (settings_.algorithm == LACONIC_ALGORITHM_UNSET) settings_.algorithm = LACONIC_ALGORITHM_AUTO;
    if (settings_.depth == 0) settings_.depth = default_depth;
    if (settings_.threads == 0) settings_.threads = 1;
    if (status.ok()) status = check_together(settings_);
    return status;
  }

  // Rank-invariant.  What this rank does not know because of its own mistake is taken to be what is compressed: the
  // other ranks may be about to, and then they must hear of the error.
  laconic_plain_reason plain_reason(bool options_ok) const {
    const laconic_options& o = settings_;
    const bool type_hidden = call_.datatype == MPI_DATATYPE_NULL || (meaning_.mean && !meaning_.has_mean());
    const bool op_hidden = call_.op == MPI_OP_NULL;
    const bool count_hidden = call_.count < 0;
    if (binding_->intercomm) return LACONIC_PLAIN_INTERCOMM;
    if (options_ok) {
      if (o.bound.mode == LACONIC_BOUND_UNSET) return LACONIC_PLAIN_NO_BOUND;
      if (o.algorithm == LACONIC_ALGORITHM_PLAIN) return LACONIC_PLAIN_ASKED;
    }
    if (!type_hidden && (!meaning_.type_known || (meaning_.integer && !codes_integers()))) return LACONIC_PLAIN_TYPE;
    if (!meaning_.op_known && !op_hidden) return LACONIC_PLAIN_OP;
    if (binding_->size == 1) return LACONIC_PLAIN_ONE_RANK;
    if (!count_hidden && bytes() < static_cast<std::size_t>(o.min_bytes)) return LACONIC_PLAIN_SMALL;
    return LACONIC_PLAIN_NOT;
  }

  // No integer is rounded: a bound on the error is for other types.
  bool codes_integers() const {
    const Codec* codec = asked_codec();
    return settings_.bound.mode == LACONIC_BOUND_LOSSLESS && codec != nullptr && codec->supports(meaning_.dtype);
  }

  // nullptr where it is not in this build.
  const Codec* asked_codec() const {
    if (settings_.codec == LACONIC_CODEC_UNSET)
      return find_codec(settings_.bound.mode == LACONIC_BOUND_LOSSLESS ? "lossless" : "quant");
    const char* name = laconic_codec_name(settings_.codec);
    return name != nullptr ? find_codec(name) : nullptr;
  }

  int run_plain() {
    const int rc =
        plain_allreduce(call_.sendbuf, call_.recvbuf, call_.count, call_.datatype, call_.op, call_.comm, meaning_.mean);
    if (rc != MPI_SUCCESS) return rc;  // MPI has called the handler
    stats_.plain_calls = 1;
    stats_.plain_reason = reason_;
    stats_.algorithm = LACONIC_ALGORITHM_PLAIN;
    finish_stats();
    return MPI_SUCCESS;
  }

  int run_compressed(const Status& local) {
    Status status;
    {
      // Whatever arithmetic the application runs with (denormals flushed, another rounding), every rank must come to
      // the same bound to the bit: else some would compress and others not.
      const FloatEnvironment standard;
      status = compress(local);
    }
    if (!status.ok()) return report(call_.comm, status);
    finish_stats();
    return MPI_SUCCESS;
  }

  Status compress(const Status& local) {
    if (!binding_->machinery)
      if (Status s = Machinery::make(call_.comm, binding_->machinery); !s) return s;
    Machinery& machinery = *binding_->machinery;
    const void* input = call_.sendbuf == MPI_IN_PLACE ? call_.recvbuf : call_.sendbuf;

    // Everything that can go wrong on one rank alone has to go wrong before the agreement.
    Run& run = machinery.run(settings_.threads);
    Work work;
    Status mine = local;
    if (mine.ok()) {
      work = make_work(machinery, input);
      mine = work.codec != nullptr ? run.reserve(work) : not_built(laconic_codec_name(settings_.codec));
    }
    Agreement agreement;
    if (Status s = agreement.start(machinery.comm(), mine, signature_of(call_, meaning_, settings_),
                                   local_range(input, mine.ok()));
        !s)
      return s;
    const double asked = now();
    while (!agreement.poll()) {
    }
    stats_.seconds_wait = now() - asked;
    if (!agreement.verdict().ok()) return agreement.verdict();

    set_bound(work, absolute_bound(agreement.range()));
    work.sequence = machinery.next_sequence();
    run.start(work);
    while (!run.poll()) {
    }
    if (run.status().ok()) take_account(run.account());
    return run.status();
  }

  // Of this rank's numbers, when the bound refers to it.
  Range local_range(const void* input, bool usable) const {
    if (usable && settings_.bound.mode == LACONIC_BOUND_REL)
      return finite_range(input, static_cast<std::size_t>(call_.count), meaning_.dtype);
    return {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  }

  // 0, which rounds nothing, for lossless and for a relative bound on values without a range.
  double absolute_bound(const Range& range) const {
    if (settings_.bound.mode == LACONIC_BOUND_ABS) return settings_.bound.value;
    if (settings_.bound.mode != LACONIC_BOUND_REL) return 0;
    const double bound = settings_.bound.value * (range.greatest - range.least);
    return std::isfinite(bound) ? bound : 0;
  }

  // All of the work but its sequence number and its allowance, which need the agreement.
  Work make_work(Machinery& machinery, const void* input) {
    const Facts facts{static_cast<std::size_t>(call_.count), meaning_.dtype, binding_->size};
    algorithm_ = settings_.algorithm == LACONIC_ALGORITHM_AUTO
                     ? &choose_allreduce(facts)
                     : find_algorithm(laconic_algorithm_name(settings_.algorithm));
    Work work;
    work.plan = &machinery.plan(*algorithm_);
    work.codec = asked_codec();
    work.coding.dtype = meaning_.dtype;
    work.coding.op = meaning_.op;
    work.coding.divisor = meaning_.mean ? binding_->size : 1;
    if (settings_.bound.mode == LACONIC_BOUND_RATE) work.coding.rate = settings_.bound.value;
    work.input = input;
    work.output = call_.recvbuf;
    work.count = facts.count;
    work.depth = settings_.depth;
    work.chunk = settings_.chunk_elements > 0 ? static_cast<std::size_t>(settings_.chunk_elements)
                                              : choose_chunk(facts, work.plan->blocks, work.depth);
    return work;
  }

  void set_bound(Work& work, double bound) {
    Budget budget = divide_bound(bound, settings_.target == LACONIC_TARGET_INPUT, meaning_.op, meaning_.mean,
                                 *algorithm_, binding_->size, *work.codec);
    work.coding.allowance = budget.allowance;
    work.coding.terms = meaning_.op == Op::sum ? budget.terms : 1;
    if (settings_.bound.mode == LACONIC_BOUND_RATE) budget.worst_case = std::numeric_limits<double>::infinity();
    set_plan_stats(*algorithm_, *work.codec, budget);
  }

  void set_plan_stats(const Algorithm& algorithm, const Codec& codec, const Budget& budget) {
    // The names are the contract's, so the enumerators can be found by them.
    laconic_options named{};
    laconic_options_init(&named);
    if (set_option(named, "algorithm", algorithm.name).ok()) stats_.algorithm = named.algorithm;
    if (set_option(named, "codec", codec.name()).ok()) stats_.codec = named.codec;
    stats_.bound = budget.worst_case;
  }

  void take_account(const Account& account) {
    stats_.bytes_sent = account.bytes_sent;
    stats_.bytes_uncompressed = account.bytes_uncompressed;
    if (account.bytes_sent > 0)
      stats_.ratio = static_cast<double>(account.bytes_uncompressed) / static_cast<double>(account.bytes_sent);
    // Adding up and dividing the allowances rounds; what they add up to is never above the bound.
    stats_.achieved_bound = std::min(meaning_.mean ? account.error / binding_->size : account.error, stats_.bound);
    stats_.seconds_encode = account.seconds_encode;
    stats_.seconds_decode = account.seconds_decode;
    stats_.seconds_reduce = account.seconds_reduce;
    stats_.seconds_copy = account.seconds_copy;
    stats_.seconds_wait += account.seconds_wait;
  }

  void finish_stats() {
    stats_.calls = 1;
    int width = 0;
    MPI_Type_size(call_.datatype, &width);
    stats_.bytes_in = static_cast<std::uint64_t>(call_.count) * static_cast<std::uint64_t>(width);
    stats_.seconds_total = now() - began_;
    const double named = stats_.seconds_encode + stats_.seconds_decode + stats_.seconds_reduce + stats_.seconds_copy +
                         stats_.seconds_wait;
    // With worker threads the coding overlaps the calling thread's time and the phases may exceed the total.
    stats_.seconds_other = std::max(0.0, stats_.seconds_total - named);
    accumulate(binding_->stats, stats_);
    if (call_.options != nullptr && call_.options->stats != nullptr) *call_.options->stats = stats_;
  }

  const AllreduceCall& call_;
  double began_;
  laconic_stats stats_;
  Binding* binding_ = nullptr;
  Meaning meaning_;
  laconic_options settings_{};
  laconic_plain_reason reason_ = LACONIC_PLAIN_NOT;
  const Algorithm* algorithm_ = nullptr;
};

}  // namespace

int allreduce(const AllreduceCall& call) { return Allreduce(call).run(); }

}  // namespace laconic
