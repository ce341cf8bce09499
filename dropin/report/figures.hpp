// SPDX-License-Identifier: BSD-3-Clause
// Numbers and texts that the report has in all its forms: as text, as JSON and as a page.
#pragma once

#include <laconic/laconic.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "report/tally.hpp"

namespace laconic::dropin {

using Groups = std::map<std::string, TallyGroup>;

// The communicators of a group: "MPI_COMM_WORLD (4)".
std::string text_of(const TallyGroup& group);

// The bytes before compression over those on the wire; 1 where nothing was sent.
double ratio_of(std::uint64_t uncompressed, std::uint64_t sent);
inline double ratio_of(const Tally& t) { return ratio_of(t.uncompressed, t.sent); }

// The bytes that all ranks sent in calls of one operation, by the reason why they stayed plain.
using BytesByReason = std::array<std::uint64_t, reasons>;
BytesByReason bytes_by_reason(const TallyGroup& group, std::size_t operation);

// "3 bound not set (0.002 MB); 20 faster plain (1.250 MB)"
std::string why_plain(const Tally& t, const BytesByReason& bytes);

// "quant 3, dense 20".  form: of one of them.
std::string by_codec(const Tally& t, const char* form);

// The traffic of a group in operations that are never compressed.
std::map<Activity, Traffic> never_compressed(const TallyGroup& group);

// A time with a suitable unit.
std::string time_text(double seconds);

// "left to MPI", or the name of the algorithm; and " with quant", or nothing.
std::string algorithm_text(laconic_algorithm algorithm);
std::string codec_text(laconic_codec codec);

}  // namespace laconic::dropin
