// SPDX-License-Identifier: BSD-3-Clause
// One call of a collective, with its buffers and arguments, which live until it is complete.
#pragma once

#include "play.hpp"

namespace handles {

#if MPI_VERSION >= 4
constexpr bool persistent_collectives = !old_mpich;  // 4.0 itself does nothing in the second round on one rank
#else
constexpr bool persistent_collectives = false;
#endif

enum class Routine {
  barrier,
  bcast,
  reduce,
  allreduce,
  scan,
  exscan,
  reduce_scatter_block,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  neighbor_allgather,
  neighbor_allgatherv,
  neighbor_alltoall,
  neighbor_alltoallv,
  neighbor_alltoallw,
};
const char* name_of(Routine routine);

enum class Form { blocking, nonblocking, persistent };
const char* name_of(Form form);

// What all ranks know of a call.
struct Drawn {
  Routine routine = Routine::barrier;
  Form form = Form::blocking;
  int number = 0;
  std::uint64_t key = 0;
  Signature signature;
  std::size_t numbers = 0;  // of a block
  std::uint64_t turn = 0;
  bool in_place = false;
  Reduce reduce = Reduce::sum;
  bool own_op = false;  // a sum that the program does
  int rounds = 1;

  int root(const Comm& comm) const { return static_cast<int>(turn % static_cast<std::uint64_t>(comm.size)); }
  bool varies() const;  // blocks have sizes of their own
  std::size_t count(int from, int to) const;
  void limit(std::size_t blocks) { numbers = blocks == 0 ? numbers : numbers / blocks / grain * grain; }
};

class Exchange {
 public:
  Exchange(Play& play, std::shared_ptr<Comm> comm, const Drawn& drawn)
      : play_(play), comm_(std::move(comm)), drawn_(drawn) {}

  void lay(std::vector<Block> send, std::vector<Block> recv, bool basic);
  void root_is_read_only() {
    if (root_is_only_read(comm_->size)) recv_->make_read_only();
  }
  std::string types() const;

  int call(MPI_Request* request);
  void fill(int round);
  void check();
  void free_types();
  // The bits that all ranks have to have: not those of a root that may not be written.
  bool comparable() const { return recv_ && !recv_->read_only(); }
  std::uint64_t bits() const { return recv_->bits(); }

  bool send_in_place = false;
  bool recv_in_place = false;
  MPI_Op op = MPI_SUM;

 private:
  struct Side {
    std::vector<int> counts;
    std::vector<int> displacements;  // in items
    std::vector<int> byte_displacements;
    std::vector<MPI_Aint> addresses;
    std::vector<MPI_Datatype> types;
  };
  std::unique_ptr<Buffer> lay_side(Side& side, std::vector<Block> blocks, std::shared_ptr<Type> type, bool gaps);

  Play& play_;
  std::shared_ptr<Comm> comm_;
  Drawn drawn_;
  Side sends_;
  Side recvs_;
  std::unique_ptr<Buffer> send_;
  std::unique_ptr<Buffer> recv_;
};

// Calls it, and has it completed and, where it is persistent, started again later. Null: this rank takes no part.
void run_exchange(Play& play, const std::shared_ptr<Comm>& comm, const Drawn& drawn,
                  const std::shared_ptr<Exchange>& exchange, bool compare);

}  // namespace handles
