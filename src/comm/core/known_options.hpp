// SPDX-License-Identifier: BSD-3-Clause
// Options of programs that were compiled with another version of Laconic (docs/design/0041-structs-that-grow.md).
#pragma once

#include <cstddef>
#include <string_view>

#include "base/status.hpp"
#include "laconic/laconic.h"

namespace laconic {

// Options as an application passes them, with all members of this library: a program that was compiled with another
// version may have fewer or more.  Options that cannot be read have a size that check_options() refuses.
class KnownOptions {
 public:
  // given: NULL or options, which stay as long as this object.
  explicit KnownOptions(const laconic_options* given) : known_(given) {
    if (given != nullptr && given->size != sizeof whole_) take_over(*given);
  }
  KnownOptions(const KnownOptions&) = delete;
  KnownOptions& operator=(const KnownOptions&) = delete;

  const laconic_options* get() const { return known_; }

 private:
  void take_over(const laconic_options& given);

  const laconic_options* known_;
  laconic_options whole_;  // only where the sizes differ
};

// Whether a program's laconic_stats can have so many bytes.
bool is_size_of_stats(std::size_t size);

// Both sizes of options that KnownOptions has.
Status check_sizes(const laconic_options& options);

// Whether two calls ask for the same: all but where they want statistics and answers.  Either may be NULL.
bool same_options(const laconic_options* a, const laconic_options* b);

// Sets one of a program's options from text.
Status set_option_of_program(laconic_options& options, std::string_view name, std::string_view value);

}  // namespace laconic
