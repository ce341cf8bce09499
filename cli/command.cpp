// SPDX-License-Identifier: BSD-3-Clause
#include "command.hpp"

#include <CLI/CLI.hpp>
#include <sstream>

namespace laconic::cli {

CommandOption& CommandOption::allow_extra_args(bool allowed) {
  option_->allow_extra_args(allowed);
  return *this;
}

CommandOption& CommandOption::capture_default_str() {
  option_->capture_default_str();
  return *this;
}

CommandOption& CommandOption::default_str(const std::string& text) {
  option_->default_str(text);
  return *this;
}

CommandOption& CommandOption::delimiter(char separator) {
  option_->delimiter(separator);
  return *this;
}

CommandOption& CommandOption::expected(int number) {
  option_->expected(number);
  return *this;
}

CommandOption& CommandOption::expected(int least, int most) {
  option_->expected(least, most);
  return *this;
}

CommandOption& CommandOption::group(const std::string& name) {
  option_->group(name);
  return *this;
}

CommandOption& CommandOption::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

std::size_t CommandOption::count() const { return option_->count(); }

Command Command::add_subcommand(const std::string& name, const std::string& help) {
  return Command(*app_->add_subcommand(name, help));
}

CommandOption Command::add_option(const std::string& name, std::string& value, const std::string& help) {
  return CommandOption(app_->add_option(name, value, help));
}

CommandOption Command::add_option(const std::string& name, std::optional<std::string>& value, const std::string& help) {
  return CommandOption(app_->add_option(name, value, help));
}

CommandOption Command::add_option(const std::string& name, std::vector<std::string>& values, const std::string& help) {
  return CommandOption(app_->add_option(name, values, help));
}

CommandOption Command::add_option_function(const std::string& name, const std::function<void(const std::string&)>& take,
                                           const std::string& help) {
  return CommandOption(app_->add_option_function<std::string>(name, take, help));
}

CommandOption Command::add_flag(const std::string& name, bool& value, const std::string& help) {
  return CommandOption(app_->add_flag(name, value, help));
}

void Command::callback(const std::function<void()>& work) { app_->callback(work); }

void Command::footer(const std::string& text) { app_->footer(text); }

Application::Application(const std::string& name, const std::string& help, const std::string& version)
    : app_(std::make_unique<CLI::App>(help, name)) {
  app_->set_version_flag("--version", version);
  app_->require_subcommand(1);
  app_->failure_message([](const CLI::App* command, const CLI::Error& error) {
    return std::string("laconic: ") + error.what() + "\nRun with " + command->get_help_ptr()->get_name() +
           " for more information.\n";
  });
}

Application::~Application() = default;

Command Application::command() { return Command(*app_); }

std::vector<std::string> Application::subcommands() const {
  std::vector<std::string> names;
  for (const CLI::App* command : app_->get_subcommands([](CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::optional<Application::Answer> Application::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    std::ostringstream complaint;
    const int code = app_->exit(error, out, complaint);
    return Answer{out.str(), complaint.str(), code != 0};
  }
}

}  // namespace laconic::cli
