// SPDX-License-Identifier: BSD-3-Clause
// What a rank says when it hangs or crashes: SIGALRM and the signals of crashes print the case that is under way.
#pragma once

#include <string>

namespace attack {

void watch();  // installs the handlers; alarm() sets the time

// Sets the text to be printed.
void under_way(const std::string& text);

}  // namespace attack
