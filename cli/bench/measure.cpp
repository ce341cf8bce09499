// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <new>
#include <numeric>
#include <random>

#include "failure.hpp"
#include "variants.hpp"

namespace laconic::cli::bench {
namespace {

double over_ranks(double value, MPI_Op op, MPI_Comm comm) {
  double result = 0;
  MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, op, comm);
  return result;
}

double cpu_seconds() {
  rusage r{};
  getrusage(RUSAGE_SELF, &r);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(r.ru_utime) + seconds(r.ru_stime);
}

std::uint64_t hash(const std::vector<float>& values) {
  std::uint64_t h = 1469598103934665603u;
  for (const float v : values) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &v, sizeof bits);
    h = (h ^ bits) * 1099511628211u;
  }
  return h;
}

// The library's message without the prefix "laconic: ", which the command adds to all messages.
std::string message_of(int code) {
  std::array<char, 1024> text{};
  laconic_error_string(code, text.data(), text.size());
  const std::string message(text.data());
  return message.starts_with("laconic: ") ? message.substr(9) : message;
}

// A call fails on all ranks alike, because of either an invalid request or a lack of resources.
void require_success(int code, const std::string& what) {
  if (code == MPI_SUCCESS) return;
  int error_class = MPI_ERR_OTHER;
  MPI_Error_class(code, &error_class);
  const bool asked = error_class != MPI_ERR_NO_MEM && error_class != MPI_ERR_INTERN && error_class != MPI_ERR_OTHER;
  throw Failure(what + ": " + message_of(code), asked ? exit_usage : exit_failed);
}

laconic_options options_of(const Variant& v) {
  laconic_options options;
  laconic_options_init(&options);
  // Compressed calls are measured, also where they are slower, unless the user asks for what a program would see.
  options.tune = LACONIC_TUNE_OFF;
  for (const auto& [name, value] : v.options)
    if (const int code = laconic_options_set(&options, name.c_str(), value.c_str()); code != MPI_SUCCESS)
      throw usage(message_of(code));
  return options;
}

// A separate communicator for each variant, so that variants do not share memory or the values that the library learns
// from messages.
class Communicators {
 public:
  // Neighborhood collectives get periodic grids.
  Communicators(MPI_Comm from, const Request& request) : comms_(request.variants.size(), MPI_COMM_NULL) {
    constexpr std::array<int, 3> periodic{1, 1, 1};
    for (MPI_Comm& comm : comms_) {
      if (request.operation.among_neighbors())
        MPI_Cart_create(from, 3, request.grid.data(), periodic.data(), 0, &comm);
      else
        MPI_Comm_dup(from, &comm);
      MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
      // Messages are compressed only on a communicator that this call has prepared.
      require_success(laconic_comm_set_info(comm, MPI_INFO_NULL), "laconic_comm_set_info");
    }
  }
  ~Communicators() {
    for (MPI_Comm& comm : comms_)
      if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  }
  Communicators(const Communicators&) = delete;
  Communicators& operator=(const Communicators&) = delete;
  MPI_Comm operator[](std::size_t k) const { return comms_[k]; }

 private:
  std::vector<MPI_Comm> comms_;
};

// Iterations of one variant in a row.  A process that only answers sees the effect of its messages in the time until
// the next one arrives, which must not be the time of another variant.
constexpr int messages_per_turn = 8;

}  // namespace

double Measurement::median() const {
  std::vector<double> v = seconds;
  std::sort(v.begin(), v.end());
  return 0.5 * (v[v.size() / 2] + v[(v.size() - 1) / 2]);
}
double Measurement::least() const { return *std::min_element(seconds.begin(), seconds.end()); }
double Measurement::most() const { return *std::max_element(seconds.begin(), seconds.end()); }
double Measurement::cores() const { return cpu_seconds / std::accumulate(seconds.begin(), seconds.end(), 0.0); }

bool Measurement::right() const {
  const VariantName* const known = find_variant(variant.name);
  const bool may_differ = variant.plain() || ran_plain || (known != nullptr && known->per_hop);
  return bound_kept && (bits_equal || may_differ);
}

void together(const Ranks& ranks, const std::function<void()>& work) {
  std::array<char, 1024> text{};
  int exit_code = 0;
  const auto note = [&](const char* what, int code) {
    std::strncpy(text.data(), what, text.size() - 1);
    exit_code = code;
  };
  try {
    work();
  } catch (const Failure& failure) {
    note(failure.what(), failure.exit_code());
  } catch (const std::bad_alloc&) {
    note("out of memory", exit_failed);
  }
  const int mine = exit_code != 0 ? ranks.rank : ranks.size;
  int first = 0;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, ranks.comm);
  if (first == ranks.size) return;
  MPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, first, ranks.comm);
  MPI_Bcast(&exit_code, 1, MPI_INT, first, ranks.comm);
  throw Failure(text.data(), exit_code);
}

Bench::Bench(const Request& request, const Ranks& ranks, const Input& input, const BufferMemory& memory)
    : request_(request), ranks_(ranks), input_(input), memory_(memory) {}

std::vector<Measurement> Bench::measure(std::size_t bytes, int window) {
  std::unique_ptr<Operation> operation;
  together(ranks_, [&] {
    operation = request_.operation.kind == Kind::collective
                    ? make_collective(request_, bytes, ranks_, input_, memory_)
                    : make_messages(request_, bytes, window, ranks_, input_, memory_);
  });
  std::vector<Measurement> all(request_.variants.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    all[k].variant = request_.variants[k];
    all[k].bytes = bytes;
    all[k].window = window;
    if (all[k].variant.chunks > 0)
      all[k].variant.options.emplace_back("chunk_elements",
                                          std::to_string(chunk_elements(bytes, all[k].variant.chunks)));
  }
  const Communicators comms(ranks_.comm, request_);
  // MPI connects ranks and sets up memory in the first call of a communicator.  That is no variant's time.
  for (std::size_t k = 0; k < all.size(); ++k) {
    operation->use(comms[k]);
    operation->reset();
    const int code = operation->plain();
    together(ranks_, [&] { require_success(code, "MPI"); });
  }
  // What ran before affects a call: caches, which ranks are late, and what a link still owes.  So the variants take
  // turns in an order that is drawn anew each time, the same on all ranks.
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 draw(1);
  const int turn = request_.operation.kind == Kind::collective ? 1 : messages_per_turn;
  for (int first = -request_.warmup; first < request_.iterations; first += turn) {
    std::shuffle(order.begin(), order.end(), draw);
    for (const std::size_t k : order)
      for (int i = first; i < std::min(first + turn, request_.iterations); ++i) {
        once(*operation, comms[k], all[k], i >= 0);
        if (i == request_.iterations - 1) verify(*operation, all[k]);
      }
  }
  return all;
}

void Bench::once(Operation& operation, MPI_Comm comm, Measurement& m, bool counts) {
  operation.use(comm);
  laconic_options options{};
  if (!m.variant.plain()) options = options_of(m.variant);
  operation.reset();
  laconic_stats_reset(comm);
  MPI_Barrier(ranks_.comm);
  const double cpu = cpu_seconds();
  const auto begin = std::chrono::steady_clock::now();
  const int code = m.variant.plain() ? operation.plain() : operation.compressed(options);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  const double used = cpu_seconds() - cpu;
  together(ranks_, [&] { require_success(code, m.variant.label()); });
  const double slowest = over_ranks(elapsed.count(), MPI_MAX, ranks_.comm);
  const double all_cpu = over_ranks(used, MPI_SUM, ranks_.comm);
  m.stats = {};
  if (!m.variant.plain()) laconic_stats_get(comm, &m.stats);
  if (!counts) return;
  m.seconds.push_back(slowest / operation.repeats());
  m.cpu_seconds += all_cpu / operation.repeats();

  const laconic_stats& s = m.stats;
  // Only an allreduce has a second half: in other operations all waiting belongs to the first.
  const bool halves =
      request_.operation.kind == Kind::collective && request_.operation.collective() == Collective::allreduce;
  const double wait = halves ? s.seconds_wait_reducing : s.seconds_wait;
  std::array<double, 9> phases{s.seconds_encode + s.seconds_decode,
                               s.seconds_wait - wait,
                               s.seconds_copy,
                               wait,
                               s.seconds_reduce,
                               s.seconds_other,
                               s.seconds_total,
                               s.seconds_distribute,
                               s.seconds_wait_reducing};
  // After plain calls, too: where the lab limits small calls (100 Mbit/s, 16 KiB), what ranks do between two calls
  // decides how long the second one takes.
  MPI_Allreduce(MPI_IN_PLACE, phases.data(), static_cast<int>(phases.size()), MPI_DOUBLE, MPI_SUM, ranks_.comm);
  const std::array<double*, 9> sums{&m.phases.comdecom, &m.phases.allgather,  &m.phases.memcpy,
                                    &m.phases.wait,     &m.phases.reduction,  &m.phases.others,
                                    &m.phases.total,    &m.phases.distribute, &m.phases.wait_reducing};
  for (std::size_t p = 0; p < sums.size(); ++p)
    *sums[p] += phases[p] / ranks_.size / operation.repeats() / request_.iterations;
}

void Bench::verify(Operation& operation, Measurement& m) {
  const std::vector<float>& result = operation.fetch_result();
  const MPI_Comm comm = ranks_.comm;
  m.bits_equal = true;
  if (operation.replicated()) {
    const std::uint64_t mine = hash(result);
    std::uint64_t low = 0, high = 0;
    MPI_Allreduce(&mine, &low, 1, MPI_UINT64_T, MPI_MIN, comm);
    MPI_Allreduce(&mine, &high, 1, MPI_UINT64_T, MPI_MAX, comm);
    m.bits_equal = low == high;
  }
  m.algorithm = m.variant.algorithm;
  m.codec = "none";
  if (!m.variant.plain()) {
    const double plain_calls = over_ranks(static_cast<double>(m.stats.plain_calls), MPI_MAX, comm);
    m.ran_plain = plain_calls > 0;
    m.bound = over_ranks(m.stats.bound, MPI_MAX, comm);
    m.achieved = over_ranks(m.stats.achieved_bound, MPI_MAX, comm);
    const double sent = static_cast<double>(m.stats.bytes_sent);
    m.wire_bytes = over_ranks(sent, MPI_MAX, comm) / operation.sends();
    const double uncompressed = over_ranks(static_cast<double>(m.stats.bytes_uncompressed), MPI_SUM, comm);
    const double all_sent = over_ranks(sent, MPI_SUM, comm);
    m.ratio = all_sent > 0 ? uncompressed / all_sent : 1;
    m.memory_bytes = over_ranks(static_cast<double>(m.stats.memory_bytes), MPI_MAX, comm);
    m.stats.most_chunks =
        static_cast<std::uint64_t>(over_ranks(static_cast<double>(m.stats.most_chunks), MPI_MAX, comm));
    // The requested algorithm may be "auto"; the report shows the one that ran.
    const char* ran = laconic_algorithm_name(m.stats.algorithm);
    if (ran != nullptr && !m.algorithm.empty()) m.algorithm = ran;
    const char* coded = laconic_codec_name(m.stats.codec);
    if (coded != nullptr && !m.ran_plain) m.codec = coded;
  }

  // If all ranks hold the same bits, each of them checks its share.
  const std::size_t n = result.size();
  const auto parts = static_cast<std::size_t>(ranks_.size), part = static_cast<std::size_t>(ranks_.rank);
  const bool share = operation.replicated() && m.bits_equal;
  const std::size_t begin = share ? n / parts * part : 0;
  const std::size_t end = share && part + 1 < parts ? n / parts * (part + 1) : n;
  const double bound = std::isfinite(m.bound) ? m.bound : m.achieved;
  double worst = 0;
  bool broken = false;
  std::size_t at = 0;
  for (const Piece& piece : operation.pieces()) {
    for (std::size_t i = std::max(at, begin); i < std::min(at + piece.count, end); ++i) {
      const double error = error_of(result[i], piece, i - at, bound, broken);
      if (!(error <= worst)) worst = error;  // this form of the comparison also records NaN
    }
    at += piece.count;
  }
  m.max_error = over_ranks(worst, MPI_MAX, comm);
  m.bound_kept = over_ranks(broken ? 1 : 0, MPI_MAX, comm) == 0;
}

double Bench::error_of(float result, const Piece& piece, std::size_t i, double bound, bool& broken) const {
  constexpr double unit = 0x1p-24;
  double exact = 0;
  double rounding = 0;  // rounding of the result's own type, which is allowed in addition to the bound
  const bool reduced = piece.source == Piece::reduced;
  if (!reduced || request_.op == "max" || request_.op == "min") {
    exact = input_.value(reduced ? 0 : piece.source, piece.first + i);
    for (int r = 1; r < piece.contributions; ++r) {
      const double x = input_.value(r, piece.first + i);
      exact = request_.op == "max" ? std::max(exact, x) : std::min(exact, x);
    }
    rounding = unit * (std::fabs(exact) + bound);
    if (bound == 0) rounding = 0;
  } else {
    double magnitude = 0;
    for (int r = 0; r < piece.contributions; ++r) {
      const double x = input_.value(r, piece.first + i);
      exact += x;
      magnitude += std::fabs(x);
    }
    rounding = ranks_.size * unit * magnitude;
    if (request_.op == "avg") exact /= ranks_.size, rounding /= ranks_.size;
  }
  if (!std::isfinite(exact)) {  // must be kept unchanged
    const bool same = std::isnan(exact) ? std::isnan(result) : static_cast<double>(result) == exact;
    if (!same) broken = true;
    return same ? 0 : std::numeric_limits<double>::quiet_NaN();
  }
  const double error = std::fabs(static_cast<double>(result) - exact);
  if (!(error <= bound + rounding)) broken = true;
  return error;
}

}  // namespace laconic::cli::bench
