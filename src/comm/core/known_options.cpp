// SPDX-License-Identifier: BSD-3-Clause
#include "comm/core/known_options.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/sized.hpp"
#include "comm/core/settings.hpp"

namespace laconic {
namespace {

// Without a bound there is nothing to set; statistics without a number of calls say nothing.
constexpr std::size_t least_options = offsetof(laconic_options, target);
constexpr std::size_t least_stats = offsetof(laconic_stats, plain_calls);

}  // namespace

void KnownOptions::take_over(const laconic_options& given) {
  read_sized(given, least_options, whole_);
  known_ = &whole_;
}

bool is_size_of_stats(std::size_t size) { return can_be_size_of<laconic_stats>(size, least_stats); }

Status check_sizes(const laconic_options& o) {
  constexpr auto init = "laconic_options_init()";
  if (Status s = check_size<laconic_options>("options->size", o.size, least_options, init); !s) return s;
  if (!is_size_of_stats(o.stats_size))
    return {Code::argument, "options->stats_size is " + std::to_string(o.stats_size) + "; valid is the size that " +
                                init + " sets, " + std::to_string(sizeof(laconic_stats)) + " in this version"};
  return {};
}

bool same_options(const laconic_options* a, const laconic_options* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->size == b->size && a->stats_size == b->stats_size && a->bound.mode == b->bound.mode &&
         a->bound.value == b->bound.value && a->target == b->target && a->codec == b->codec &&
         a->algorithm == b->algorithm && a->chunk_elements == b->chunk_elements && a->depth == b->depth &&
         a->threads == b->threads && a->min_bytes == b->min_bytes && a->variant == b->variant &&
         a->denormals == b->denormals && a->progress == b->progress && a->checksum == b->checksum &&
         a->tune == b->tune && a->effort == b->effort && a->stream == b->stream;
}

Status set_option_of_program(laconic_options& options, std::string_view name, std::string_view value) {
  const KnownOptions known(&options);
  if (known.get() == &options) return set_option(options, name, value);
  laconic_options whole = *known.get();
  if (Status s = check_sizes(whole); !s) return s;
  if (Status s = set_option(whole, name, value); !s) return s;
  const std::size_t size = options.size;
  whole.size = options.size;
  // The bytes behind the end of the program's struct were 0 before set_option().
  const auto* bytes = reinterpret_cast<const std::byte*>(&whole);
  if (size < sizeof whole &&
      std::any_of(bytes + size, bytes + sizeof whole, [](std::byte b) { return b != std::byte{0}; }))
    return {Code::argument, "option '" + std::string(name) + "' has no member in options of " + std::to_string(size) +
                                " bytes: the program was compiled with an older laconic.h"};
  std::memcpy(static_cast<void*>(&options), &whole, std::min(size, sizeof whole));
  return {};
}

}  // namespace laconic
