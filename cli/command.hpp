// SPDX-License-Identifier: BSD-3-Clause
// A subcommand and its options, as wrappers of CLI11. Only command.cpp includes CLI11 itself, which adds seconds to the
// compile time of every file that includes it.
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

// The functions are those of CLI::Option and CLI::App with the same names. These classes are handles: the application
// owns the underlying objects.
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
  // The help text, or the complaint of the parser.
  struct Answer {
    std::string out, complaint;
    bool failed = false;
  };

  Application(const std::string& name, const std::string& help, const std::string& version);
  ~Application();
  Command command();  // the handle to add subcommands to
  std::vector<std::string> subcommands() const;
  // Calls the callback of the named subcommand. Returns an answer if parsing ends before that.
  std::optional<Answer> parse(int argc, char** argv);

 private:
  const std::unique_ptr<CLI::App> app_;
};

}  // namespace laconic::cli
