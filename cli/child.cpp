// SPDX-License-Identifier: BSD-3-Clause
#include "child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>

extern char** environ;

namespace laconic::cli {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> list;
  for (const std::string& word : words) list.push_back(const_cast<char*>(word.c_str()));
  list.push_back(nullptr);
  return list;
}

class Deadline {
 public:
  explicit Deadline(double seconds)
      : end_(std::chrono::steady_clock::now() + std::chrono::milliseconds(static_cast<long>(1e3 * seconds))) {}
  int milliseconds_left() const {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end_ - std::chrono::steady_clock::now()).count();
    return left > 0 ? static_cast<int>(left) : 0;
  }

 private:
  std::chrono::steady_clock::time_point end_;
};

// Reads to the end of the stream. Returns true if the end came before the deadline.
bool read_all(int from, const Deadline& deadline, std::string& text) {
  std::array<char, 4096> buffer{};
  while (true) {
    pollfd ready{from, POLLIN, 0};
    const int count = poll(&ready, 1, deadline.milliseconds_left());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    const ssize_t n = read(from, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return true;
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

}  // namespace

Said ask(const std::vector<std::string>& words, const std::vector<std::string>& environment, double seconds) {
  Said said;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return said;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t child = 0;
  said.started = posix_spawnp(&child, words.front().c_str(), &actions, &attributes, pointers(words).data(),
                              pointers(environment).data()) == 0;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (said.started) {
    said.timed_out = !read_all(ends[0], Deadline(seconds), said.text);
    if (said.timed_out) kill(-child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status)) said.code = WEXITSTATUS(status);
  }
  close(ends[0]);
  return said;
}

Said ask(const std::vector<std::string>& words, double seconds) { return ask(words, environment_without(""), seconds); }

std::vector<std::string> environment_without(const std::string& prefix) {
  std::vector<std::string> kept;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    if (prefix.empty() || !std::string(*entry).starts_with(prefix)) kept.emplace_back(*entry);
  return kept;
}

std::string own_file() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size() - 1);
  return {path.data(), length > 0 ? static_cast<std::size_t>(length) : 0};
}

}  // namespace laconic::cli
