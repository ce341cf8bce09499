// SPDX-License-Identifier: BSD-3-Clause
#include "comm/core/repeated_calls.hpp"

namespace laconic {

bool RepeatedCalls::same_options(const Entry& entry, const laconic_options* given) {
  if (entry.has_options != (given != nullptr)) return false;
  if (given == nullptr) return true;
  const laconic_options& o = entry.options;
  return o.size == given->size && o.stats_size == given->stats_size && o.bound.mode == given->bound.mode &&
         o.bound.value == given->bound.value && o.target == given->target && o.codec == given->codec &&
         o.algorithm == given->algorithm && o.chunk_elements == given->chunk_elements && o.depth == given->depth &&
         o.threads == given->threads && o.min_bytes == given->min_bytes && o.variant == given->variant &&
         o.denormals == given->denormals && o.progress == given->progress && o.checksum == given->checksum &&
         o.tune == given->tune && o.effort == given->effort && o.stream == given->stream &&
         (given->plain == nullptr || *given->plain == LACONIC_PLAIN_NOT);
}

const RepeatedCalls::Entry* RepeatedCalls::entry_of(const CallArguments& arguments,
                                                    const laconic_options* options) const {
  for (const Entry& entry : entries_)
    if (entry.number != 0 && entry.known.arguments == arguments && same_options(entry, options)) return &entry;
  return nullptr;
}

const RepeatedCalls::Known* RepeatedCalls::find(const CallArguments& arguments, const laconic_options* options,
                                                Number& number) const {
  const Entry* entry = entry_of(arguments, options);
  if (entry == nullptr) return nullptr;
  number = entry->number;
  return &entry->known;
}

RepeatedCalls::Number RepeatedCalls::add(const Known& known, const laconic_options* options) {
  if (const Entry* entry = entry_of(known.arguments, options); entry != nullptr) return entry->number;
  Entry& entry = entries_[++last_ % entries_.size()];
  entry.number = last_;
  entry.known = known;
  entry.has_options = options != nullptr;
  if (options != nullptr) entry.options = *options;
  return last_;
}

}  // namespace laconic
