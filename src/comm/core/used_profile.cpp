// SPDX-License-Identifier: BSD-3-Clause
#include "comm/core/used_profile.hpp"

#include <atomic>
#include <mutex>

namespace laconic {
namespace {

std::mutex mutex;
std::string file_in_use;
Profile profile;
std::atomic<const Profile*> in_use{nullptr};

}  // namespace

Status use_profile(const std::string& file) {
  const std::lock_guard lock(mutex);
  if (in_use != nullptr) {
    if (file == file_in_use) return {};
    return {Code::argument, "profile '" + file + "': this process uses the profile '" + file_in_use + "'"};
  }
  if (Status s = Profile::read(file, profile); !s) return s;
  file_in_use = file;
  in_use = &profile;
  return {};
}

const Profile* used_profile() { return in_use; }

}  // namespace laconic
