// SPDX-License-Identifier: BSD-3-Clause
// A network that damages, cuts, swaps and repeats what is sent: nothing is lost silently.  Every operation is done
// properly first; then with harm done to one frame, at random; then properly again.  A rank that reports success has
// the bits of the proper operation, whatever happened; where something other arrived than was sent, some rank reports
// an error, which names the rank that it came from.
//
// TEST_CASES: how many faults; TEST_SEED: of all that is random.  (docs/design/0014-checksum.md)
#include <memory>

#include "collective_case.hpp"
#include "interposer.hpp"

namespace ranks {
namespace {

struct Tally {
  long long harmed = 0;    // faults after which the data received differs from the data sent
  long long harmless = 0;  // faults without effect, as when the swapped or repeated frames are equal
  long long errors = 0;    // the errors on all ranks
  long long silent = 0;
  std::vector<long long> of_harm = std::vector<long long>(harms, 0);
};

// An operation that can be repeated.
class Subject {
 public:
  virtual ~Subject() = default;
  virtual std::string text() const = 0;
  virtual void prepare() = 0;
  virtual int perform() = 0;
  virtual std::uint64_t hash() const = 0;
  virtual bool compressed() const = 0;
  virtual void check(Test& t) = 0;  // for an operation that has succeeded
  virtual bool has_envelopes() const { return false; }
};

template <class T>
class Collective final : public Subject {
 public:
  Collective(const Setting& s, MPI_Comm comm) : call_(s, comm) {
    if (s.mode == Mode::persistent) code_ = call_.init(&request_);
  }
  ~Collective() override {
    if (request_ != LACONIC_REQUEST_NULL) laconic_request_free(&request_);
  }
  std::string text() const override { return describe(call_.setting()); }
  void prepare() override { call_.prepare(); }
  int perform() override {
    switch (call_.setting().mode) {
      case Mode::blocking: return call_.run();
      case Mode::nonblocking: {
        laconic_request request = LACONIC_REQUEST_NULL;
        const int code = call_.begin(&request);
        return code != MPI_SUCCESS ? code : laconic_wait(&request, MPI_STATUS_IGNORE);
      }
      default: break;
    }
    if (code_ != MPI_SUCCESS) return code_;
    const int code = laconic_start(&request_);
    return code != MPI_SUCCESS ? code : laconic_wait(&request_, MPI_STATUS_IGNORE);
  }
  std::uint64_t hash() const override { return call_.hash(); }
  bool compressed() const override { return call_.stats().plain_calls == 0; }
  void check(Test& t) override { call_.check(t); }

 private:
  CollectiveCall<T> call_;
  laconic_request request_ = LACONIC_REQUEST_NULL;
  int code_ = MPI_SUCCESS;
};

// Every rank sends to the next one.
class Messages final : public Subject {
 public:
  Messages(Random& random, MPI_Comm comm) : comm_(comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    Setting s = random_setting(random, size_, 1);
    count_ = 200 + random.below(2000);
    options_ = options_with(s.bound.mode, s.bound.value);
    options_.codec = s.codec;
    options_.variant = s.variant;
    options_.depth = s.depth;
    options_.threads = s.threads;
    options_.chunk_elements = static_cast<std::int64_t>(100 + random.below(count_));
    options_.stats = &stats_;
    if (random.below(5) == 0) options_.algorithm = LACONIC_ALGORITHM_PLAIN;
    together_ = random.below(2) == 0;
    tag_ = static_cast<int>(random.below(1000));
    sent_ = laconic::test::make_field<float>(s.field, count_, s.seed, rank_);
    expected_ = laconic::test::make_field<float>(s.field, count_, s.seed, (rank_ + size_ - 1) % size_);
    prepare();
  }
  std::string text() const override {
    return ranks::text("messages of %zu, codec %d, variant %d, bound mode %d value %g, chunk %lld, %s%s", count_,
                       options_.codec, options_.variant, options_.bound.mode, options_.bound.value,
                       static_cast<long long>(options_.chunk_elements), together_ ? "sendrecv" : "isend and irecv",
                       options_.algorithm == LACONIC_ALGORITHM_PLAIN ? ", plain" : "");
  }
  void prepare() override { received_.assign(count_, -7.25f); }
  int perform() override {
    const int next = (rank_ + 1) % size_;
    const int last = (rank_ + size_ - 1) % size_;
    const auto n = static_cast<MPI_Count>(count_);
    if (together_)
      return laconic_sendrecv(sent_.data(), n, MPI_FLOAT, next, tag_, received_.data(), n, MPI_FLOAT, last, tag_, comm_,
                              MPI_STATUS_IGNORE, &options_);
    laconic_request requests[2] = {LACONIC_REQUEST_NULL, LACONIC_REQUEST_NULL};
    int code = laconic_irecv(received_.data(), n, MPI_FLOAT, last, tag_, comm_, &requests[0], nullptr);
    if (code == MPI_SUCCESS)
      code = laconic_isend(sent_.data(), n, MPI_FLOAT, next, tag_, comm_, &requests[1], &options_);
    const int received = laconic_wait(&requests[0], MPI_STATUS_IGNORE);
    const int gone = laconic_wait(&requests[1], MPI_STATUS_IGNORE);
    return received != MPI_SUCCESS ? received : code != MPI_SUCCESS ? code : gone;
  }
  std::uint64_t hash() const override { return hash_of(received_.data(), received_.size() * sizeof(float)); }
  bool compressed() const override { return true; }
  bool has_envelopes() const override { return true; }
  void check(Test& t) override {
    for (std::size_t i = 0; i < count_; ++i) {
      const double off = std::fabs(static_cast<double>(received_[i]) - expected_[i]);
      if (options_.bound.mode != LACONIC_BOUND_ABS || !std::isfinite(expected_[i])) continue;
      if (!CHECK(t, off <= options_.bound.value * (1 + 1e-6) + std::fabs(expected_[i]) * 1e-6, "%g for %g",
                 static_cast<double>(received_[i]), static_cast<double>(expected_[i])))
        return;
    }
  }

 private:
  MPI_Comm comm_;
  int rank_ = 0;
  int size_ = 1;
  std::size_t count_ = 0;
  int tag_ = 0;
  bool together_ = false;
  laconic_options options_{};
  laconic_stats stats_{};
  std::vector<float> sent_;
  std::vector<float> expected_;
  std::vector<float> received_;
};

std::unique_ptr<Subject> random_subject(Random& random, MPI_Comm comm, int size) {
  if (random.below(5) == 0) return std::make_unique<Messages>(random, comm);
  Setting s = random_setting(random, size, 1500);
  s.count = 50 + random.below(s.count + 1);
  if (s.chunk > 0) s.chunk = std::max<std::int64_t>(s.chunk, static_cast<std::int64_t>(s.count / 6));
  if (random.below(2) == 0) return std::make_unique<Collective<double>>(s, comm);
  return std::make_unique<Collective<float>>(s, comm);
}

class Campaign {
 public:
  Campaign(Test& t, long long faults) : t_(t), faults_(faults), random_(t.seed()) {
    for (MPI_Comm& comm : comms_) {
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
      laconic_comm_set_info(comm, MPI_INFO_NULL);
    }
  }

  void run() {
    while (tally_.harmed < faults_ && !stopped_) {
      const std::unique_ptr<Subject> subject =
          random_subject(random_, comms_[random_.below(std::size(comms_))], t_.size());
      harm_some_of(*subject);
    }
    for (MPI_Comm& comm : comms_) MPI_Comm_free(&comm);
    if (t_.rank() != 0) return;
    std::string kinds;
    for (int h = 0; h < harms; ++h)
      kinds += text(", %s %lld", name_of(static_cast<Harm>(h)), tally_.of_harm[static_cast<std::size_t>(h)]);
    std::printf("faults: %lld%s; %lld errors on ranks; %lld silent; %lld changed nothing\n", tally_.harmed,
                kinds.c_str(), tally_.errors, tally_.silent, tally_.harmless);
  }

 private:
  // Runs without a fault: the result is right, and the same each time.
  void properly(Subject& subject, const char* when) {
    t_.doing(std::string(when) + " " + last_ + ": " + subject.text());
    interposer().arm(Harm::flip, Interposer::none, 0);
    subject.prepare();
    const int code = subject.perform();
    if (!CHECK(t_, code == MPI_SUCCESS, "%s", message_of(code).c_str())) return;
    if (right_ == 0) {
      subject.check(t_);
      right_ = subject.hash();
    }
    CHECK(t_, subject.hash() == right_, "another result than before");
  }

  void harm_some_of(Subject& subject) {
    right_ = 0;
    last_.clear();
    properly(subject, "at first");
    long long sent[2] = {interposer().frames(), subject.has_envelopes() ? interposer().envelopes() : 0};
    std::vector<long long> all(2 * static_cast<std::size_t>(t_.size()));
    PMPI_Allgather(sent, 2, MPI_LONG_LONG, all.data(), 2, MPI_LONG_LONG, MPI_COMM_WORLD);
    for (int k = 0; k < 8 && !stopped_; ++k) {
      const auto victim = random_.below(static_cast<std::uint64_t>(t_.size()));
      const auto harm = static_cast<Harm>(random_.below(harms));
      const std::uint64_t seed = random_.bits();
      const long long messages = all[2 * victim + (harm == Harm::envelope)];
      if (messages == 0) continue;
      const auto target = static_cast<long long>(random_.below(static_cast<std::uint64_t>(messages)));
      t_.count_case();
      last_ = text("%s of message %lld of rank %d", name_of(harm), target, static_cast<int>(victim));
      t_.doing(last_ + ": " + subject.text());
      subject.prepare();
      interposer().arm(harm, t_.rank() == static_cast<int>(victim) ? target : Interposer::none, seed);
      const int code = subject.perform();
      judge(subject, harm, code);
      properly(subject, "afterwards");
    }
  }

  void judge(Subject& subject, Harm harm, int code) {
    interposer().settle();
    const bool ok = code == MPI_SUCCESS;
    if (ok)
      CHECK(t_, subject.hash() == right_, "a wrong result, and no error");
    else
      CHECK(t_, message_of(code).find("from rank ") != std::string::npos, "%s", message_of(code).c_str());
    const long long mine[3] = {interposer().done() ? 1 : 0, ok ? 0 : 1, ok && subject.hash() != right_ ? 1 : 0};
    long long all[3];
    PMPI_Allreduce(mine, all, 3, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    tally_.harmed += all[0];
    tally_.harmless += all[0] == 0;
    tally_.of_harm[static_cast<std::size_t>(harm)] += all[0];
    tally_.errors += all[1];
    const bool silent = all[2] > 0 || (all[0] > 0 && all[1] == 0);
    tally_.silent += silent;
    CHECK(t_, !silent, "no rank reports an error");
    CHECK(t_, all[0] > 0 || all[1] == 0, "an error without a fault: %s", ok ? "elsewhere" : message_of(code).c_str());
    stopped_ = silent;
  }

  Test& t_;
  long long faults_;
  Random random_;
  MPI_Comm comms_[2] = {};
  Tally tally_;
  std::uint64_t right_ = 0;
  std::string last_;  // the description of the last fault
  bool stopped_ = false;
};

}  // namespace
}  // namespace ranks

int main(int argc, char** argv) {
  ranks::Test t(&argc, &argv, "faults");
  if (t.size() > 1) ranks::Campaign(t, ranks::environment_number("TEST_CASES", 150)).run();
  return t.finish();
}
