// Command lines of the form `--name value`.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <stdexcept>
#include <string>

namespace stacking {

class Arguments {
 public:
  // `known` holds every name with its default; an empty default means that the argument must be given.
  Arguments(int argc, char** argv, std::map<std::string, std::string> known) : values_(std::move(known)) {
    for (int i = 1; i < argc; i += 2) {
      const std::string word = argv[i];
      const auto found = word.rfind("--", 0) == 0 ? values_.find(word.substr(2)) : values_.end();
      if (found == values_.end()) {
        throw std::runtime_error("unknown argument " + word + "; known: " + names());
      }
      if (i + 1 == argc) {
        throw std::runtime_error(word + " needs a value");
      }
      found->second = argv[i + 1];
    }
  }

  const std::string& text(const std::string& name) const {
    const std::string& value = values_.at(name);
    if (value.empty()) {
      throw std::runtime_error("--" + name + " must be given");
    }
    return value;
  }

  double number(const std::string& name) const {
    const std::string& value = text(name);
    std::size_t used = 0;
    double result = 0;
    try {
      result = std::stod(value, &used);
    } catch (const std::exception&) {
      used = 0;
    }
    if (used == 0 || used != value.size() || !(result >= 0)) {
      throw std::runtime_error("--" + name + " must be a number >= 0, not \"" + value + "\"");
    }
    return result;
  }

  int count(const std::string& name) const {
    const double value = number(name);
    const int whole = value <= 1e9 ? static_cast<int>(value) : -1;
    if (whole != value) {
      throw std::runtime_error("--" + name + " must be a whole number of at most 1e9, not " + text(name));
    }
    return whole;
  }

 private:
  std::string names() const {
    std::string list;
    for (const auto& [name, value] : values_) {
      list += (list.empty() ? "--" : ", --") + name;
    }
    return list;
  }

  std::map<std::string, std::string> values_;
};

}  // namespace stacking
