// SPDX-License-Identifier: BSD-3-Clause
// An operation of one size on this rank: its buffers, plain MPI's call, Laconic's call, and the expected result.
#pragma once

#include <laconic/laconic.h>
#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "bench/arguments.hpp"
#include "bench/input.hpp"
#include "bench/numbers.hpp"

namespace laconic::cli::bench {

struct Ranks {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
};

// A run of numbers in a result: numbers first, first + 1, ... of one rank's input, or of the inputs of the first ranks
// reduced.
struct Piece {
  static constexpr int reduced = -1;
  std::size_t count = 0;
  int source = reduced;
  std::size_t first = 0;
  int contributions = 1;  // the number of ranks whose inputs are reduced
};

class Operation {
 public:
  explicit Operation(const BufferMemory& memory) : in_(memory), out_(memory), staged_(!memory.mpi_takes_it) {}
  virtual ~Operation() = default;

  // Both functions return MPI error codes.  Where MPI takes no memory of devices, plain() copies numbers to the host
  // and back, as a program has to.
  int plain();
  virtual int compressed(const laconic_options& options) = 0;

  // Sets the communicator of the following calls.
  virtual void use(MPI_Comm comm) = 0;

  // Clears the results, so that values of an earlier call cannot pass for new ones.
  void reset();

  // The number of consecutive operations in one call (more than 1 for short messages: the clock is too coarse).
  virtual int repeats() const { return 1; }

  // The number of these operations in which the busiest rank sends.
  virtual int sends() const { return repeats(); }

  // Copies the received data from the device: the pieces lie one after the other.
  const std::vector<float>& fetch_result();
  const std::vector<Piece>& pieces() const { return pieces_; }

  // Whether all ranks receive the same result.
  virtual bool replicated() const { return false; }

 protected:
  virtual int call_plain() = 0;
  // Whether the results are in the buffer of the input on this rank.
  virtual bool in_place() const { return false; }

  void fill(const Input& input, int rank, std::size_t first);
  void expect(const Piece& piece);  // and reserves memory for it

  Numbers in_, out_;
  std::vector<Piece> pieces_;

 private:
  const bool staged_;
};

// bytes: the largest buffer of a collective call, or the size of one message.
std::unique_ptr<Operation> make_collective(const Request& request, std::size_t bytes, const Ranks& ranks,
                                           const Input& input, const BufferMemory& memory);
std::unique_ptr<Operation> make_messages(const Request& request, std::size_t bytes, int window, const Ranks& ranks,
                                         const Input& input, const BufferMemory& memory);

// The number of messages that one call of an operation sends over a link in the same direction; 0 for collectives.
int messages_each_way(const Request& request, int window);

// The elements per chunk that cut a message of `bytes` bytes into `chunks` chunks.
long long chunk_elements(std::size_t bytes, int chunks);

}  // namespace laconic::cli::bench
