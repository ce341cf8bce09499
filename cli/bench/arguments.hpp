// SPDX-License-Identifier: BSD-3-Clause
// The arguments of `laconic bench`.  This part needs no MPI.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collectives.hpp"
#include "schedule/schedule.hpp"

namespace laconic::cli::bench {

enum class Kind { collective, latency, bandwidth, bidirectional, stencil };

struct OperationName {
  std::string_view name;
  Kind kind;
  Routine routine{};  // for Kind::collective

  constexpr Collective collective() const { return traits_of(routine).pattern; }  // whose algorithms are used
  constexpr bool among_neighbors() const { return kind == Kind::collective && traits_of(routine).neighborhood(); }
  constexpr bool on_grid() const { return kind == Kind::stencil || among_neighbors(); }
};

inline constexpr auto operations = [] {
  std::array<OperationName, num_routines + 4> all{};
  std::size_t k = 0;
  for (; k < num_routines; ++k) all[k] = {name_of(static_cast<Routine>(k)), Kind::collective, static_cast<Routine>(k)};
  all[k++] = {"latency", Kind::latency, {}};
  all[k++] = {"bandwidth", Kind::bandwidth, {}};
  all[k++] = {"bidirectional", Kind::bidirectional, {}};
  all[k++] = {"stencil", Kind::stencil, {}};
  return all;
}();

// The arguments as the user gave them.
struct Arguments {
  std::string operation;
  std::vector<std::string> sizes{"64K", "1M", "16M"};
  std::vector<std::string> against{"plain", "overlap"};
  std::vector<std::string> bounds{"rel:1e-3"};
  std::vector<std::string> codecs;      // empty: quant, unless there are efforts
  std::vector<std::string> efforts;     // in place of codecs
  std::vector<std::string> algorithms;  // empty: auto
  std::vector<std::string> windows{"2", "4"};
  std::vector<std::string> chunks{"auto"};
  std::vector<std::string> settings;  // entries OPTION=VALUE
  std::string field = "wave";
  std::string grid;
  std::string op = "sum";
  std::string rate = "none";
  std::string memory = "host";
  std::string json;
  int root = 0;
  int iterations = 10;
  int warmup = 2;
  int threads = 0;
  int depth = 0;
};

// One variant of the operation, to be compared with plain MPI.
struct Variant {
  std::string name;   // "overlap", ...; "tuned"; "plain" for MPI itself
  std::string codec;  // as the user spelled it: "quant", "zfp-rate8", ...; or the effort
  std::string algorithm;
  std::string bound;
  int chunks = 0;  // chunks per message; 0: chosen by the library
  // Names and values for laconic_options_set().
  std::vector<std::pair<std::string, std::string>> options;

  bool plain() const { return name == "plain"; }
  std::string label() const;  // "cpr-p2p:szx"
};

// The arguments after checking and expansion.
struct Request {
  OperationName operation{};
  std::vector<std::size_t> sizes;  // bytes
  std::vector<Variant> variants;   // [0] is plain
  std::vector<int> windows{1};     // messages in flight
  std::array<int, 3> grid{1, 1, 1};
  std::string field, op, json;
  bool on_device = false;  // the buffers of the calls
  double rate = 0;         // rate of a link in bit/s; 0: unknown
  int root = 0;
  int iterations = 10;
  int warmup = 2;
};

// Expands the arguments for `ranks` ranks.  Throws Failure, which names the valid values.
Request expand(const Arguments& arguments, int ranks);

}  // namespace laconic::cli::bench
