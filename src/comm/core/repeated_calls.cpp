// SPDX-License-Identifier: BSD-3-Clause
#include "comm/core/repeated_calls.hpp"

#include "comm/core/known_options.hpp"

namespace laconic {

const RepeatedCalls::Entry* RepeatedCalls::entry_of(const CallArguments& arguments,
                                                    const laconic_options* options) const {
  for (const Entry& entry : entries_)
    if (entry.number != 0 && entry.known.arguments == arguments &&
        same_options(entry.has_options ? &entry.options : nullptr, options) &&
        (options == nullptr || options->plain == nullptr || *options->plain == LACONIC_PLAIN_NOT))
      return &entry;
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
