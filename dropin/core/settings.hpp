// SPDX-License-Identifier: BSD-3-Clause
// What the environment asks of the drop-in. The settings of the library itself (LACONIC_BOUND and others) are checked
// here, so that a mistake is found at the start, and read again by the library.
#pragma once

#include <laconic/laconic.h>

#include <cstdint>
#include <string>

#include "core/rules.hpp"

namespace laconic::dropin {

enum class Report : std::uint8_t { none, summary, json, each };

struct Settings {
  laconic_options options{};  // what the environment sets of them
  Rules rules;
  Report report = Report::none;
  std::string report_file;
  std::int64_t audit = 0;   // every how many calls; 0: none
  bool messages = false;    // LACONIC_P2P: messages between two ranks are touched, too
  bool keep_plain = false;  // the program goes on with the plain results of calls that are audited

  // An empty message means that everything is valid.
  std::string read();

  // The same number where the settings are the same.
  std::uint64_t signature() const;
};

inline constexpr std::int64_t default_min_bytes = 65536;

// A number from text; ranks compare texts by it.
std::uint64_t hash_of(const std::string& text);

// In a maximum over all ranks: 0 where nothing is wrong, else the greater the lower the rank.  Below 2^63, since
// MPICH 4.0 compares unsigned numbers of 64 bits as if they had a sign.
std::uint64_t complaint_of(bool wrong, int rank);

// Sets one option from text, or says why not, naming `source`.
std::string set_option(laconic_options& options, const char* name, const char* value, const std::string& source);

// What only one of a codec, a bound and a build makes impossible; empty if nothing.
std::string check_options(const laconic_options& options);

inline constexpr const char* option_names[] = {"bound",   "target",    "codec",          "algorithm",
                                               "variant", "denormals", "chunk_elements", "depth",
                                               "threads", "min_bytes", "progress",       "checksum"};

}  // namespace laconic::dropin
