// SPDX-License-Identifier: BSD-3-Clause
// One case: a random program of steps. All ranks take the same steps in the same order (`shared` is in the same state
// on all of them), and what is a rank's own business, such as how it completes requests, `own` decides.
//
// It cannot deadlock: a rank waits at a step only for what all others begin at this step or before it.
#pragma once

#include <deque>
#include <functional>
#include <list>

#include "buffer.hpp"

namespace handles {

#if defined(OPEN_MPI)
constexpr bool open_mpi = true;
#else
constexpr bool open_mpi = false;
#endif
#if defined(MPICH_NUMVERSION)
constexpr bool mpich = true;
#else
constexpr bool mpich = false;
#endif
// MPICH 4.0 itself loses types that are freed while nonblocking collectives and persistent operations use them.
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
constexpr bool old_mpich = true;
#else
constexpr bool old_mpich = false;
#endif
// If MPI itself leaves the buffer of a broadcast's root alone. MPICH 4.0 writes to it in MPI_Ibcast, and every MPICH
// does where it scatters and gathers: among 8 ranks or more (MPIR_CVAR_BCAST_MIN_PROCS).
constexpr bool root_is_only_read(int ranks) { return !old_mpich && !(mpich && ranks >= 8); }

// Communicators that were made together, of which this rank is in one or in none.
struct Comm {
  std::string name;
  MPI_Comm handle = MPI_COMM_NULL;
  int rank = -1;
  int size = 0;
  std::vector<int> world;    // the world ranks of its members
  bool topology = false;     // on all ranks
  std::vector<int> sources;  // world ranks or MPI_PROC_NULL, in the order of MPI
  std::vector<int> destinations;
  std::intptr_t attribute = 0;  // 0: none
  bool reserved = false;        // for one step's operations alone
  bool freed = false;

  bool member() const { return rank >= 0; }
};

struct Op {
  std::string what;
  std::shared_ptr<Comm> comm;
  std::function<void(const MPI_Status*)> done;  // the status may not be known
  MPI_Request request = MPI_REQUEST_NULL;
  bool persistent = false;
  bool collective = false;
  bool last = true;  // a persistent one is freed once it is complete
  bool active = true;
  std::shared_ptr<bool> matched =
      nullptr;  // whether its other side has begun, too, so that it may be waited for; null: it has

  bool can_wait() const { return !matched || *matched; }
};

class Play {
 public:
  Play(Run& run, Random shared, Random own);
  void play(std::uint64_t most_steps);

  Run& run;
  Random shared;
  Random own;
  Callbacks comm_callbacks;
  Callbacks type_callbacks;
  int comm_keyval = MPI_KEYVAL_INVALID;
  int type_keyval = MPI_KEYVAL_INVALID;

  // A new number of an operation, the same on all ranks; it is a tag, too.
  int next() { return ++operations_; }
  std::uint64_t key(int number, int round = 0) const {
    return mix(seed_, static_cast<std::uint64_t>(number * 64 + round));
  }
  // Prints what a rank did last where it fails or hangs.
  void say(const std::string& what);

  std::shared_ptr<Comm> pick();
  Signature draw_signature(bool mixed);
  std::size_t draw_numbers();  // a multiple of the grain

  std::shared_ptr<Type> draw_type(Signature s) { return draw_type(own, s); }
  std::shared_ptr<Type> draw_type(Random& random, Signature s) {
    return std::make_shared<Type>(run, random, s, type_keyval, type_callbacks);
  }

  // Requests.
  std::shared_ptr<Op> add(Op op);
  void finish(Op& op);               // waits until it is not active
  void finish_on(const Comm* comm);  // all on this communicator; null: all
  void complete_some();
  void keep(std::shared_ptr<Buffer> sent) { kept_.push_back(std::move(sent)); }  // until the end of the case

  // What is to be done at a later step, at the latest before this communicator is freed.
  void later(std::shared_ptr<Comm> comm, std::function<void()> what) {
    later_.push_back({std::move(comm), std::move(what)});
  }

  // A place for bits that have to be the same on all members of the communicator that set them.
  std::size_t slot() {
    bits_.resize(bits_.size() + static_cast<std::size_t>(run.size), -1);
    return bits_.size() - static_cast<std::size_t>(run.size);
  }
  void set_bits(std::size_t slot, const Comm& comm, std::uint64_t bits);

  // Communicators (communicators.cpp).
  void make_comm();
  std::shared_ptr<Comm> duplicate(const std::shared_ptr<Comm>& parent);
  void adopt(const std::shared_ptr<Comm>& comm, MPI_Comm handle);  // a new one
  void free_comm(std::shared_ptr<Comm> comm);
  void check_copies();
  std::vector<std::shared_ptr<Comm>> comms;
  int idups = 0;  // under way

 private:
  struct Later {
    std::shared_ptr<Comm> comm;
    std::function<void()> what;
  };

  void step();
  void end();
  void run_later(const Comm* comm);
  void compare_bits();
  void completed(Op& op, const MPI_Status* status);

  std::uint64_t seed_;
  MPI_Comm self_ = MPI_COMM_SELF;
  int operations_ = 0;
  std::deque<std::string> script_;
  std::list<std::shared_ptr<Op>> ops_;
  std::list<Later> later_;
  std::vector<std::shared_ptr<Buffer>> kept_;
  std::vector<std::int64_t> bits_;
};

// The steps.
void message(Play& play);
void persistent_message(Play& play);
void cancelled_receive(Play& play);
void freed_receive(Play& play);
void collective(Play& play);
void two_bcasts(Play& play);
void neighbors(Play& play);
void intercommunicator(Play& play);
void window(Play& play);
void crowd(Play& play, int living);

// Attaches to MPI_COMM_SELF a callback that communicates in MPI_Finalize, and sends what it receives.
void prepare_finalize(Run& run, Random shared);

}  // namespace handles
