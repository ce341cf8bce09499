// SPDX-License-Identifier: BSD-3-Clause
// An operation of one size on this rank: its buffers, plain MPI's call, Laconic's call, and what the result must be.
#pragma once

#include <laconic/laconic.h>
#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "bench/arguments.hpp"
#include "bench/input.hpp"

namespace laconic::cli::bench {

struct Ranks {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
};

// A run of numbers in a result: numbers first, first + 1, ... of a rank's input, or those of all ranks reduced.
struct Piece {
  static constexpr int all = -1;
  std::size_t count = 0;
  int source = all;
  std::size_t first = 0;
};

class Operation {
 public:
  virtual ~Operation() = default;

  // MPI error codes.
  virtual int plain() = 0;
  virtual int compressed(const laconic_options& options) = 0;

  // Of the calls that follow.
  virtual void use(MPI_Comm comm) = 0;

  // Nothing left over from an earlier call may pass for a result.
  virtual void reset();

  // How often the operation was done by one call, one after the other (short messages: the clock is too coarse).
  virtual int repeats() const { return 1; }

  // How often of these the busiest rank sends.
  virtual int sends() const { return repeats(); }

  // What was received: the pieces lie one behind the other in `out`.
  const std::vector<float>& result() const { return out_; }
  const std::vector<Piece>& pieces() const { return pieces_; }

  // Whether all ranks receive the same.
  virtual bool replicated() const { return false; }

 protected:
  void expect(std::size_t count, int source, std::size_t first);  // and makes room for it

  std::vector<float> in_, out_;
  std::vector<Piece> pieces_;
};

// bytes: the largest buffer of a collective call; of messages, one message.
std::unique_ptr<Operation> make_collective(const Request& request, std::size_t bytes, const Ranks& ranks,
                                           const Input& input);
std::unique_ptr<Operation> make_messages(const Request& request, std::size_t bytes, int window, const Ranks& ranks,
                                         const Input& input);

// Messages that one call of an operation brings across a link in the same direction; 0 for collectives.
int messages_each_way(const Request& request, int window);

// Elements per piece that cut a message of so many bytes into `chunks`.
long long chunk_elements(std::size_t bytes, int chunks);

}  // namespace laconic::cli::bench
