// Who sends which block to whom.  An algorithm is a pure function from a place to a list of steps with three verbs;
// it mentions no codec, chunk, device or request.  lower() (engine) turns the list into work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace laconic {

enum class Collective : std::uint8_t { allreduce };

// Where a schedule is built for.  root is unused by rootless collectives.
struct Place {
  int rank = 0;
  int size = 1;
  int root = 0;
};

enum class Verb : std::uint8_t {
  send,     // the current value of the block goes to the peer
  receive,  // the block becomes what the peer sent
  reduce,   // the block becomes its value op what the peer sent
};

struct Step {
  Verb verb;
  std::int32_t peer;
  std::int32_t block;
};

// How far a rank may run ahead of its peers: receives are posted this many before the step that takes them, and a rank
// goes on past this many sends that nobody has posted a receive for.  It bounds the memory of an operation; schedules
// must be free of deadlock under it, and the audit holds them to that.
inline constexpr std::size_t receives_ahead = 2;
inline constexpr std::size_t sends_ahead = 2;

// The steps of one rank, in order.  The k-th message from a to b is the k-th that b takes from a.  The data is cut into
// `blocks` nearly equal parts.
struct Schedule {
  std::int32_t blocks = 1;
  std::vector<Step> steps;
};

// Lists steps in the order in which an algorithm names them.
class Builder {
 public:
  explicit Builder(int blocks) { schedule_.blocks = blocks; }
  Builder& send(int block, int peer) { return add(Verb::send, block, peer); }
  Builder& receive(int block, int peer) { return add(Verb::receive, block, peer); }
  Builder& reduce(int block, int peer) { return add(Verb::reduce, block, peer); }
  Schedule take() { return std::move(schedule_); }

 private:
  Builder& add(Verb verb, int block, int peer) {
    schedule_.steps.push_back({verb, peer, block});
    return *this;
  }
  Schedule schedule_;
};

// k modulo size, in 0..size-1 also for negative k.
constexpr int wrap(int k, int size) { return ((k % size) + size) % size; }

struct Algorithm {
  std::string_view name;
  Collective collective;
  // False for sizes that the algorithm cannot serve.
  bool (*fits)(int size);
  Schedule (*build)(Place place);
  // How many errors of one encode the result of a sum can hold, when adding frames re-encodes them.  When it does
  // not (Codec::exact_sums) the count is the number of ranks for every algorithm.
  int (*reencoded_terms)(int size);
};

// Every algorithm of algorithms.def, in its order.
const std::vector<Algorithm>& all_algorithms();

// By name, or nullptr.
const Algorithm* find_algorithm(std::string_view name);

}  // namespace laconic
