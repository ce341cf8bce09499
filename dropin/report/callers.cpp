// SPDX-License-Identifier: BSD-3-Clause
#include "report/callers.hpp"

#include <limits>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "core/terms.hpp"

namespace laconic::dropin {
namespace {

struct Callers {
  std::mutex mutex;
  std::unordered_map<const void*, Caller> by_site;
  std::map<std::string, Caller> by_name{{"", no_caller}};
  std::vector<std::string> names{""};

  Caller named(const std::string& name) {
    const auto [at, is_new] = by_name.try_emplace(name, static_cast<Caller>(names.size()));
    if (!is_new) return at->second;
    if (names.size() > std::numeric_limits<Caller>::max()) return at->second = no_caller;
    names.push_back(name);
    return at->second;
  }
};

// Never destroyed: calls are counted until the process ends.
Callers& callers() {
  static Callers& all = *new Callers;
  return all;
}

}  // namespace

Caller caller_at(const void* site) {
  Callers& all = callers();
  const std::lock_guard lock(all.mutex);
  const auto [at, is_new] = all.by_site.try_emplace(site, no_caller);
  if (is_new) at->second = all.named(file_of(site));
  return at->second;
}

Caller caller_named(const std::string& name) {
  Callers& all = callers();
  const std::lock_guard lock(all.mutex);
  return all.named(name);
}

std::string name_of(Caller caller) {
  Callers& all = callers();
  const std::lock_guard lock(all.mutex);
  return all.names[caller];
}

}  // namespace laconic::dropin
