// SPDX-License-Identifier: BSD-3-Clause
#include "comm/core/repeated_calls.hpp"

#include <algorithm>

namespace laconic {

bool RepeatedCalls::same_options(const Entry& entry, const laconic_options* given) {
  if (entry.has_options != (given != nullptr)) return false;
  if (given == nullptr) return true;
  const laconic_options& o = entry.options;
  return o.size == given->size && o.bound.mode == given->bound.mode && o.bound.value == given->bound.value &&
         o.target == given->target && o.codec == given->codec && o.algorithm == given->algorithm &&
         o.chunk_elements == given->chunk_elements && o.depth == given->depth && o.threads == given->threads &&
         o.min_bytes == given->min_bytes && o.variant == given->variant && o.denormals == given->denormals &&
         o.progress == given->progress && o.checksum == given->checksum && o.tune == given->tune &&
         o.stream == given->stream && (given->plain == nullptr || *given->plain == LACONIC_PLAIN_NOT);
}

const RepeatedCalls::Known* RepeatedCalls::find(const CallArguments& arguments, const laconic_options* options) const {
  for (std::size_t k = 0; k < used_; ++k)
    if (entries_[k].known.arguments == arguments && same_options(entries_[k], options)) return &entries_[k].known;
  return nullptr;
}

void RepeatedCalls::add(const Known& known, const laconic_options* options) {
  if (find(known.arguments, options) != nullptr) return;
  Entry& entry = entries_[next_++ % entries_.size()];
  used_ = std::min(used_ + 1, entries_.size());
  entry.known = known;
  entry.has_options = options != nullptr;
  if (options != nullptr) entry.options = *options;
}

}  // namespace laconic
