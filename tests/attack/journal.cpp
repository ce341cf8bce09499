// SPDX-License-Identifier: BSD-3-Clause
#include "journal.hpp"

#include <cstdio>
#include <cstring>

namespace attack {

void Journal::fail(const char* file, int line, const std::string& message) {
  constexpr long long most_printed = 3;  // for one case
  if (++found_ > most_printed || quiet) return;
  const char* slash = std::strrchr(file, '/');
  std::fprintf(stderr, "attack: FAULT %s: %s:%d: %s\n", origin.c_str(), slash ? slash + 1 : file, line,
               message.c_str());
  if (found_ == 1) std::fprintf(stderr, "    in: %s\n", description_.c_str());
}

}  // namespace attack
