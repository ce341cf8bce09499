// SPDX-License-Identifier: BSD-3-Clause
// The report of LACONIC_REPORT=profile: which calls carry the bytes of a program, and the settings that would compress
// them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/settings.hpp"
#include "report/coverage.hpp"
#include "report/tally.hpp"

namespace laconic::dropin {

// Times of the slowest rank in seconds.
struct ProfileTimes {
  std::array<double, 3> seconds{};
  double program() const { return seconds[0]; }   // since the library was loaded
  double waiting() const { return seconds[1]; }   // in MPI_Recv and functions that wait for requests
  double sampling() const { return seconds[2]; }  // that the profile took to look at contents
  static ProfileTimes of_this_process();
};

// Calls of one kind on communicators of one name and size.
struct ProfiledCalls {
  const TallyGroup* group = nullptr;
  TrafficKey of;
  Traffic traffic;
  const char* lasting =
      nullptr;  // why they stay plain with any settings; nullptr: they would be compressed with `needs`
  Needs needs;
  // By the suggestion, for their contents: they stay plain, or are compressed without loss where that pays.
  bool left_out = false;
  bool lossless = false;
};

// The effect of a bound on the included calls, estimated from samples.
struct ExpectedWith {
  double seconds = 0;   // saved on one rank at most: if the network alone sets the time of these calls
  double worst = 0;     // error as a share of the range of the numbers
  double rms = 0;       // the same, root mean square
  double psnr() const;  // dB; infinite where there are no errors
};

// Calls that move numbers, for which the bound may be a share of the range of each call, if its numbers are of one
// kind.
struct OfOneKind {
  std::string item;  // of LACONIC_BOUND
  std::uint64_t bytes = 0;
  Sample sample;
};

struct Profile {
  std::uint64_t bytes = 0;
  ProfileTimes times;
  std::vector<ProfiledCalls> calls;  // most bytes first
  std::vector<BytesOf> alone;        // the bytes that each set of settings would include; the last set is all of them
  std::vector<BytesOf> plain;        // the bytes that stay plain with any settings, by reason

  // What is suggested, and what it would do. Empty options: no setting would include a noticeable share of the bytes.
  std::string options;    // of the command, as in "--bound rel:1e-6 --p2p 1"
  std::string variables;  // the same as environment variables
  std::string command;    // the whole command line; empty if the program was not started by `laconic profile`
  std::string bound;      // of LACONIC_BOUND: a list with items `lossless` where contents ask for it
  std::string exclude;    // the items that were added to LACONIC_EXCLUDE for the contents of the calls
  std::string lossless;   // the items of LACONIC_BOUND that are for such contents
  std::uint64_t included = 0;
  std::vector<OfOneKind> of_one_kind;  // of these calls, those for which range:R would send noticeably less, most first
  ByBound<std::uint64_t> saved{};      // of these bytes, by the ratios of the samples
  std::size_t chosen = usual_bound;    // of sample_bounds
  ByBound<ExpectedWith> expected{};    // for advice
  bool reached = true;                 // whether a bound reaches the goal of advice
};

// Chooses a bound that reaches the goal, the usual one if there is no goal. nullopt: no bound
// reaches it.
std::optional<std::size_t> choose_bound(const Profile& profile, const Goal& goal);

Profile profile_of(const std::map<std::string, TallyGroup>& groups, const Settings& settings, std::uint64_t min_bytes,
                   const ProfileTimes& times);

// Prints the profile on stderr, or writes it to the file as JSON. `complete`: it is of all ranks.
void put_profile(const Settings& settings, const Profile& profile, bool complete);

}  // namespace laconic::dropin
