// SPDX-License-Identifier: BSD-3-Clause
#include "comm/core/used_profile.hpp"

#include <atomic>
#include <memory>
#include <mutex>

namespace laconic {
namespace {

struct Used {
  std::string file;
  Profile profile;
};

std::mutex mutex;
std::atomic<const Used*> in_use{nullptr};  // never destroyed: a program may communicate while it exits

}  // namespace

Status use_profile(const std::string& file) {
  const std::lock_guard lock(mutex);
  if (const Used* const used = in_use; used != nullptr) {
    if (file == used->file) return {};
    return {Code::argument, "profile '" + file + "': this process uses the profile '" + used->file + "'"};
  }
  auto used = std::make_unique<Used>();
  used->file = file;
  if (Status s = Profile::read(file, used->profile); !s) return s;
  in_use = used.release();
  return {};
}

const Profile* used_profile() {
  const Used* const used = in_use;
  return used != nullptr ? &used->profile : nullptr;
}

}  // namespace laconic
