// SPDX-License-Identifier: BSD-3-Clause
#include "watchdog.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdio>

namespace attack {
namespace {

// The handler must not allocate.
std::array<char, 4096> text_under_way{};

void say(const char* text, std::size_t length) {
  while (length > 0) {
    const ssize_t n = write(2, text, length);
    if (n <= 0) return;
    text += n;
    length -= static_cast<std::size_t>(n);
  }
}

// One write for the whole text, so that the texts of several ranks do not mix.
void say_and_end(int number) {
  const char* const head = number == SIGALRM ? "attack: STUCK " : "attack: CRASHED ";
  static std::array<char, 4200> all;
  std::size_t n = 0;
  for (const char* part : {head, static_cast<const char*>(text_under_way.data()), "\n"})
    for (; *part != '\0' && n < all.size(); ++part) all[n++] = *part;
  say(all.data(), n);
  signal(number, SIG_DFL);
  signal(SIGABRT, SIG_DFL);
  raise(number == SIGALRM ? SIGABRT : number);
}

}  // namespace

void watch() {
  for (const int number : {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) signal(number, say_and_end);
}

void under_way(const std::string& text) {
  std::snprintf(text_under_way.data(), text_under_way.size(), "%s", text.c_str());
}

}  // namespace attack
