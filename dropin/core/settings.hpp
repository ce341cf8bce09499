// SPDX-License-Identifier: BSD-3-Clause
// The settings of the drop-in from the environment. The settings of the library itself (LACONIC_BOUND and others) are
// checked here so that mistakes are found at startup; the library reads them again.
#pragma once

#include <laconic/laconic.h>

#include <cstdint>
#include <string>

#include "core/bounds.hpp"
#include "core/rules.hpp"

namespace laconic::dropin {

enum class Report : std::uint8_t { none, summary, json, page, each, profile };

// The goal of advice. error: the loosest bound that permits no error above this share of the range. psnr: the loosest
// bound with which samples reach this PSNR in dB. saved: the tightest bound that saves this percentage of the bytes of
// samples.
struct Goal {
  enum class Kind : std::uint8_t { none, error, psnr, saved };
  Kind kind = Kind::none;
  double value = 0;
  std::string read(const std::string& text);  // returns an error message, empty on success
};

struct Settings {
  laconic_options options{};  // only those set in the environment, without the bound
  Bounds bounds;              // LACONIC_BOUND
  Rules rules;
  bool excludes = false;  // LACONIC_EXCLUDE names calls
  Report report = Report::none;
  bool advises = false;     // the profile is of samples under many bounds, and chooses one
  Goal goal;                // LACONIC_ADVICE
  std::string report_file;  // of JSON; a profile without one is printed
  std::string
      profile_command;     // LACONIC_PROFILE_COMMAND: the command to suggest, with a newline in place of the options
  std::int64_t audit = 0;  // audits every n-th call; 0: no audits
  // LACONIC_P2P: messages between two ranks are included, or excluded, whatever LACONIC_INCLUDE says of them.
  Messages messages = Messages::by_rules;
  bool keep_plain = false;  // the program receives the plain result of audited calls

  // Returns an error message; empty if all settings are valid.
  std::string read();

  // A hash of the settings: equal settings have equal hashes.
  std::uint64_t signature() const;
};

// As Laconic's own: the second where calls are tuned and the ranks are on several nodes.
inline constexpr std::int64_t default_min_bytes = 65536;
inline constexpr std::int64_t default_min_bytes_tuned = 16384;

// A hash of a text, by which ranks compare texts.
std::uint64_t hash_of(const std::string& text);

// A value for a maximum over all ranks: 0 if nothing is wrong, otherwise larger for lower ranks. The value is below
// 2^63, because MPICH 4.0 compares unsigned 64-bit numbers as signed.
std::uint64_t complaint_of(bool wrong, int rank);

// Sets one option from text. Returns an error message that names `source`; empty on success.
std::string set_option(laconic_options& options, const char* name, const char* value, const std::string& source);

// Checks whether codec and bound work together in this build. Returns an error message; empty if they do.
std::string check_options(const laconic_options& options);

inline constexpr const char* option_names[] = {"bound",     "target",         "codec", "algorithm", "variant",
                                               "denormals", "chunk_elements", "depth", "threads",   "min_bytes",
                                               "progress",  "checksum",       "tune",  "effort"};

}  // namespace laconic::dropin
