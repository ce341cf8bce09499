// SPDX-License-Identifier: BSD-3-Clause
// A collective call from its arguments to its result.  It decides between plain MPI and the engine, and drives either.
#pragma once

#include <mpi.h>

#include <optional>
#include <thread>
#include <vector>

#include "comm/collectives/agreement.hpp"
#include "comm/collectives/call.hpp"
#include "comm/collectives/exchange.hpp"
#include "comm/collectives/placement.hpp"
#include "comm/collectives/plain.hpp"
#include "comm/collectives/range_of_sum.hpp"
#include "comm/collectives/resolved_call.hpp"
#include "comm/core/binding.hpp"
#include "comm/core/datatypes.hpp"
#include "comm/core/operation.hpp"
#include "laconic/laconic.h"

namespace laconic {

class CollectiveOperation final : public Operation {
 public:
  // Takes the arguments; options may be nullptr and need not stay.
  void set(const std::shared_ptr<Binding>& binding, const CollectiveCall& call, const laconic_options* options);

  // For a persistent operation: whether it needs a slot that tells its starts from those of others, and its slot.
  // Starts may come in any order; everything that ranks have to do in the same order is done when the operation is
  // made.
  bool wants_slot();
  void set_slot(int slot) { slot_ = slot; }
  bool has_slot() const { return slot_ != Slots::none; }

  // For a persistent operation with a slot: whether its starts can be left to MPI, as far as this rank knows; MPI's own
  // persistent operation, which is made where all ranks can, and MPI's error code; and that all ranks have made it.
  bool can_leave_starts();
  int make_plain() { return plain_.init(asked_); }
  void tune_starts();
  void drop_plain() { plain_.free(); }

  // Keeps the datatypes, because the application may free its own before the operation has ended.
  void keep_types();

  // Begins.  blocking: the caller waits for the end before it does anything else.
  void begin(bool blocking);

  // True when what is left is a blocking MPI call, which run_in_mpi() makes.  The operation is then not polled any
  // more. The call runs without the binding's lock, so that a progress thread can move on the other operations in
  // flight on the communicator.
  bool blocks_in_mpi() const { return stage_ == Stage::blocked; }
  void run_in_mpi();

  bool poll() override;
  bool moved() const override { return run_ != nullptr && run_->moved(); }
  void restart() override { begin(false); }
  void completed() override;
  void release() override;

 private:
  enum class Stage {
    queued,
    measuring,
    agreeing,
    leasing,
    sampling,
    claiming,
    running,
    exchanging,
    plain,
    blocked,
    finished
  };

  const Shape& shape() const { return placement_.shape(); }
  const laconic_options& settings() const { return resolved_.settings(); }
  bool refuses() const { return resolved_.refuses(); }
  laconic_plain_reason own_reason() const;
  laconic_plain_reason reason_of_communicator() const;
  void learn_type();

  bool move_on();
  bool leave_queue();
  void let_others_agree();
  bool device_may_choose() const;
  bool may_agree_again() const;
  bool may_sample() const;
  bool measure();
  bool measured();
  void agree();
  bool decide();
  void lease();
  void sample_sum();
  int agreement_tag() const;
  void let_next_begin();
  bool rounds_input() const;
  bool can_write_input() const;
  bool claim_input();
  void start_run();
  void end(Status status);

  // Calls that are not compressed (collective_plain.cpp).
  void begin_plain();
  void leave_to_mpi();
  void start_plain_in_turn();
  void restart_plain();
  void start_again_in_mpi();
  void start_exchange();
  bool poll_plain();

  // The work for the engine, and what the other ranks and the application learn of it (collective_work.cpp).
  void choose_for_devices();
  Status make_work(std::size_t largest);
  void propose_arguments(Proposal& proposal) const;
  double agreed_magnitude() const;
  bool all_equal() const;
  double agreed_bound() const;
  void set_bound();

  // The tuner (collective_tuning.cpp).
  bool tunes() const;
  const Profile* profile() const;  // that pins the decisions on calls; nullptr: the ranks learn
  CallModel model() const;
  void ask_tuner();
  void begin_class(Collective collective);
  void take_candidate(const CallClass& known);
  void follow_class(Collective collective);
  void decide_in_turn();
  void decide_start();
  bool surveys() const { return class_ != nullptr && class_->decision() == Decision::survey; }
  CodingCosts sample();
  const Algorithm& algorithm();
  Measured measurements();
  Measured measured_by_all() const;
  bool leaves_dense() const;
  bool tuner_agrees();
  void teach(bool was_plain);

  void take_account();
  void finish_stats();

  CollectiveCall asked_;  // as the application gave it
  OwnType sent_type_;     // the types of asked_, as the application may free its own before the operation has ended
  OwnType received_type_;
  laconic_options given_{};  // by the caller
  bool has_options_ = false;
  bool blocking_ = false;
  std::thread::id caller_;
  ResolvedCall resolved_;
  Placement placement_;

  Stage stage_ = Stage::finished;
  laconic_plain_reason reason_ = LACONIC_PLAIN_NOT;
  Status local_;  // the error that this rank found
  double began_ = 0;
  RepeatedCalls::Number number_ = 0;  // of the call, if it was left to MPI and can be recognised
  double plain_since_ = 0;            // when MPI's own collective began
  double waited_ = 0;                 // when the wait for an agreement began
  laconic_stats stats_{};

  std::uint64_t turn_ = 0;
  bool has_turn_ = false;
  std::uint64_t read_hints_ = 0;  // Binding::read_hints at the latest start that was resolved
  int slot_ = Slots::none;        // instead of turns
  bool begun_ = false;
  RangeJob range_job_;
  Range own_range_{};
  Agreement agreement_;
  Range range_{};
  RangeOfSum range_of_sum_;
  std::uint64_t salt_ = 0;
  std::size_t largest_ = 0;
  const Algorithm* algorithm_ = nullptr;
  CallClass* class_ = nullptr;   // nullptr: the tuner neither decides nor learns
  CallClass* starts_ = nullptr;  // the class of the starts of a persistent operation that can be left to MPI
  bool decides_in_turn_ = false;
  bool in_bursts_ = false;  // the class times its calls in bursts
  int rows_ = 0;            // that the tuner or the model of devices has chosen, where no chunk was asked for; else 0
  Effort effort_ = Effort::unset;  // that the tuner has chosen
  bool rounds_input_ = false;      // what this rank sends is rounded where it lies
  bool on_devices_ = false;        // the numbers of all ranks are
  Run* run_ = nullptr;
  Work work_;
  std::vector<Region> regions_;
  PlainCall plain_;
  CollectiveCall exchanged_;
  Exchange exchange_;
};

// A call as a blocking, a nonblocking and a persistent operation.  These return MPI error codes; errors have been
// reported to the communicator's error handler.
int run_collective(const CollectiveCall& call, const laconic_options* options);
int begin_collective(const CollectiveCall& call, laconic_request* request, const laconic_options* options);
int init_collective(const CollectiveCall& call, laconic_request* request, const laconic_options* options);

}  // namespace laconic
