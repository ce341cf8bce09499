// SPDX-License-Identifier: BSD-3-Clause
// A subcommand and its options, as CLI11 has them. Only command.cpp includes CLI11 itself: every file that does takes
// seconds longer to compile.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace laconic::cli {

// Functions are those of CLI::Option and CLI::App with the same names. Handles: the application owns what they stand
// for.
class CommandOption {
 public:
  explicit CommandOption(CLI::Option* option) : option_(option) {}

  CommandOption& allow_extra_args(bool allowed);
  CommandOption& capture_default_str();
  CommandOption& default_str(const std::string& text);
  CommandOption& delimiter(char separator);
  CommandOption& expected(int number);
  CommandOption& expected(int least, int most);
  CommandOption& group(const std::string& name);
  CommandOption& type_name(const std::string& name);
  std::size_t count() const;

 private:
  CLI::Option* option_;
};

class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  Command add_subcommand(const std::string& name, const std::string& help);
  CommandOption add_option(const std::string& name, std::string& value, const std::string& help);
  CommandOption add_option(const std::string& name, std::optional<std::string>& value, const std::string& help);
  CommandOption add_option(const std::string& name, std::vector<std::string>& values, const std::string& help);
  CommandOption add_option_function(const std::string& name, const std::function<void(const std::string&)>& take,
                                    const std::string& help);
  CommandOption add_flag(const std::string& name, bool& value, const std::string& help = "");
  void callback(const std::function<void()>& work);
  void footer(const std::string& text);

 private:
  CLI::App* app_;
};

// The command line as a whole: its first argument names a subcommand.
class Application {
 public:
  // Help, or what the parser objects to.
  struct Answer {
    std::string out, complaint;
    bool failed = false;
  };

  Application(const std::string& name, const std::string& help, const std::string& version);
  ~Application();
  Command command();  // to add subcommands to
  std::vector<std::string> subcommands() const;
  // Calls the callback of the subcommand that is named; there is an answer where the arguments do not get that far.
  std::optional<Answer> parse(int argc, char** argv);

 private:
  const std::unique_ptr<CLI::App> app_;
};

}  // namespace laconic::cli
