// SPDX-License-Identifier: BSD-3-Clause
// From the text of a kernel, and of the functions that it calls, to instructions that can run.
#include <algorithm>
#include <bit>
#include <charconv>
#include <functional>
#include <set>

#include "ptx/actions.hpp"

namespace laconic::ptx {
namespace {

std::size_t aligned(std::size_t at, std::size_t alignment) { return (at + alignment - 1) / alignment * alignment; }

// Where a name is: a row that holds an address, or nothing but 0 for shared memory, and what to add to it.
struct Place {
  Operand base;
  std::int64_t offset = 0;
};

class Assembler {
 public:
  Assembler(const Module& module, Kernel& kernel) : module_(module), kernel_(kernel) {}

  void run(const std::string& name) {
    const Function& entry = function(name);
    kernel_.name = name;
    kernel_.parameters = entry.parameters;
    for (const Variable& variable : module_.shared()) add_shared(variable, outer_);
    begin(entry);
    // Functions that are called join the list while it is worked on.
    for (std::size_t k = 0; k < pending_.size(); ++k) begin(function(pending_[k]));
    for (Instruction& i : kernel_.code)
      if (i.flow == Flow::call) finish_call(i);
    kernel_.own_bytes = aligned(kernel_.own_bytes, 16);
    kernel_.is_target.resize(kernel_.code.size() + 1);
    kernel_.met.resize(kernel_.code.size());
    for (std::size_t k = 0; k < kernel_.code.size(); ++k) {
      const Flow flow = kernel_.code[k].flow;
      if (flow == Flow::branch) kernel_.is_target[kernel_.code[k].target] = true;
      // Lanes that others wait for, that have been left behind, or that come back.
      if (flow != Flow::straight && flow != Flow::branch) kernel_.is_target[k] = kernel_.is_target[k + 1] = true;
    }
  }

 private:
  const Function& function(const std::string& name) const {
    const auto found = module_.functions().find(name);
    if (found == module_.functions().end()) throw Fault("PTX: no function " + name);
    return found->second;
  }

  void add_shared(const Variable& variable, std::map<std::string, Place, std::less<>>& names) {
    kernel_.shared_bytes = aligned(kernel_.shared_bytes, variable.alignment);
    names[variable.name] = {constant(0), static_cast<std::int64_t>(kernel_.shared_bytes)};
    kernel_.shared_bytes += variable.bytes;
  }

  Place add_own(const Variable& variable) {
    kernel_.own_bytes = aligned(kernel_.own_bytes, variable.alignment);
    const Place place{{row_own}, static_cast<std::int64_t>(kernel_.own_bytes)};
    kernel_.own_bytes += variable.bytes;
    return place;
  }

  struct Frame {
    std::uint32_t begin = 0;
    std::vector<Place> parameters, results;
    std::vector<std::size_t> parameter_bytes, result_bytes;
  };

  void begin(const Function& f) {
    registers_.clear();
    declared_.clear();
    labels_.clear();
    jumps_.clear();
    names_ = outer_;
    Frame& frame = frames_[f.name];
    frame.begin = static_cast<std::uint32_t>(kernel_.code.size());
    for (const Variable& p : f.parameters) {
      if (f.entry) {
        kernel_.parameter_bytes = aligned(kernel_.parameter_bytes, p.alignment);
        kernel_.parameter_at.push_back(kernel_.parameter_bytes);
        names_[p.name] = {{row_parameters}, static_cast<std::int64_t>(kernel_.parameter_bytes)};
        kernel_.parameter_bytes += p.bytes;
      } else {
        frame.parameters.push_back(names_[p.name] = add_own(p));
        frame.parameter_bytes.push_back(p.bytes);
      }
    }
    for (const Variable& r : f.results) {
      frame.results.push_back(names_[r.name] = add_own(r));
      frame.result_bytes.push_back(r.bytes);
    }
    for (const Statement& statement : statements_of(f.body)) {
      try {
        read(statement);
      } catch (const Fault& fault) {
        throw Fault(std::string(fault.what()) + ", in `" + std::string(statement.text) + "` of " + f.name);
      }
    }
    for (const auto& [at, label] : jumps_) {
      const auto found = labels_.find(label);
      if (found == labels_.end()) throw Fault("PTX: no label " + label);
      kernel_.code[at].target = found->second;
    }
    // Behind the last statement.
    Instruction end;
    end.flow = Flow::leave;
    add(end, "the end");
  }

  void add(Instruction i, std::string_view text) {
    kernel_.code.push_back(i);
    kernel_.text.emplace_back(text);
  }

  void read(const Statement& statement) {
    std::string_view text = statement.text;
    if (statement.kind == Statement::Kind::label) {
      labels_[std::string(text)] = static_cast<std::uint32_t>(kernel_.code.size());
      return;
    }
    if (statement.kind == Statement::Kind::directive) return read_directive(text);
    Instruction i;
    if (text.front() == '@') {
      const std::size_t end = text.find_first_of(" \t");
      i.guarded = true;
      i.guard = predicate(text.substr(1, end - 1));
      text = trimmed(text.substr(end));
    }
    const std::size_t end = std::min(text.find_first_of(" \t\n"), text.size());
    const Opcode op(text.substr(0, end));
    const auto operands = split(text.substr(end));
    if (!read_flow(op, operands, i) && !read_move(op, operands, i) && !read_memory(op, operands, i) &&
        !read_plain(op, operands, i))
      throw Fault("PTX: an instruction that is not known");
    add(i, statement.text);
  }

  void read_directive(std::string_view text) {
    const std::size_t end = text.find_first_of(" \t");
    const std::string_view word = text.substr(0, end);
    if (word == ".pragma") return;
    if (end == std::string_view::npos) throw Fault("PTX: a directive that is not known");
    const std::string_view rest = text.substr(end);
    if (word == ".reg") {
      // `.b32 %r<20>`: names with numbers; `.b64 %SP, %SPL`: names.
      std::string_view names = trimmed(rest);
      names = names.substr(std::min(names.find_first_of(" \t"), names.size()));
      for (const std::string_view name : split(names)) declared_.emplace(trimmed(name.substr(0, name.find('<'))));
    } else if (word == ".shared") {
      add_shared(read_variable(rest), names_);
    } else if (word == ".local" || word == ".param") {
      const Variable variable = read_variable(rest);
      names_[variable.name] = add_own(variable);
      bytes_[variable.name] = variable.bytes;
    } else {
      throw Fault("PTX: a directive that is not known");
    }
  }

  Operand constant(std::uint64_t value) {
    const auto [found, fresh] = constants_.try_emplace(value, constants_.size());
    if (fresh) kernel_.constants.insert(kernel_.constants.end(), warp_lanes, value);
    return {static_cast<std::uint32_t>(found->second), true};
  }

  // Special registers that are not known here are not declared either.
  Operand reg(std::string_view name) {
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    if (name != "_" && declared_.find(name) == declared_.end() &&
        declared_.find(name.substr(0, digits)) == declared_.end())
      throw Fault("PTX: a register that is not known: " + std::string(name));
    const auto [found, fresh] = registers_.try_emplace(std::string(name), kernel_.rows);
    if (fresh) ++kernel_.rows;
    return {found->second};
  }

  // A register or a number.
  Operand value(std::string_view text) {
    if (text == "_") return reg(text);  // nobody reads it
    if (text.front() == '%') {
      constexpr std::pair<std::string_view, Row> special[] = {{"%tid.x", row_tid},
                                                              {"%ctaid.x", row_ctaid},
                                                              {"%ntid.x", row_ntid},
                                                              {"%nctaid.x", row_nctaid},
                                                              {"%laneid", row_lane}};
      for (const auto& [name, row] : special)
        if (text == name) return {row};
      return reg(text);
    }
    return constant(number(text));
  }

  static std::uint64_t number(std::string_view text) {
    std::string_view digits = text;
    const bool minus = digits.starts_with('-');
    if (minus) digits.remove_prefix(1);
    int base = 10;
    if (digits.starts_with("0f") || digits.starts_with("0d") || digits.starts_with("0x") || digits.starts_with("0X")) {
      digits.remove_prefix(2);
      base = 16;
    }
    if (digits.ends_with('U')) digits.remove_suffix(1);
    std::uint64_t x = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), x, base);
    if (digits.empty() || read.ec != std::errc{} || read.ptr != digits.data() + digits.size())
      throw Fault("PTX: an operand that is not known: " + std::string(text));
    return minus ? 0 - x : x;
  }

  Operand predicate(std::string_view text) {
    const bool inverted = text.starts_with('!');
    if (inverted) text.remove_prefix(1);
    Operand o = text.starts_with('%') ? reg(text) : constant(number(text) != 0 ? ~std::uint64_t{0} : 0);
    o.inverted = inverted;
    return o;
  }

  Place place(std::string_view text) {
    if (text.starts_with('[')) text = text.substr(1, text.size() - 2);
    const std::size_t plus = text.find('+');
    const std::string_view base = trimmed(text.substr(0, plus));
    const auto offset =
        plus == std::string_view::npos ? 0 : static_cast<std::int64_t>(number(trimmed(text.substr(plus + 1))));
    if (base.starts_with('%')) return {reg(base), offset};
    const auto found = names_.find(base);
    if (found == names_.end()) throw Fault("PTX: a name that is not known: " + std::string(base));
    return {found->second.base, found->second.offset + offset};
  }

  bool read_flow(const Opcode& op, const std::vector<std::string_view>& operands, Instruction& i) {
    if (op.name == "bra") {
      i.flow = Flow::branch;
      jumps_.emplace_back(kernel_.code.size(), std::string(operands.at(0)));
    } else if (op.name == "ret" || op.name == "exit") {
      i.flow = Flow::leave;
      i.number = op.name == "exit" ? 1 : 0;
    } else if (op.name == "call") {
      i.flow = Flow::call;
      read_call(operands, i);
    } else if ((op.name == "bar" || op.name == "barrier") && !op.has("warp")) {
      i.flow = Flow::barrier;
      const bool reduces = op.parts[0] == "red";
      if (operands.at(reduces ? 1 : 0) != "0" || operands.size() != (reduces ? 3 : 1)) return false;
      if (!reduces) return op.parts[0] == "sync";
      i.number = op.has("popc") ? 1 : op.has("and") ? 2 : op.has("or") ? 3 : 0;
      i.at[0] = i.number == 1 ? value(operands[0]) : predicate(operands[0]);
      i.at[2] = predicate(operands[2]);
      return i.number != 0;
    } else {
      return false;
    }
    return true;
  }

  // (results), name, (arguments)
  void read_call(const std::vector<std::string_view>& operands, Instruction& i) {
    Waiting call;
    for (const std::string_view operand : operands) {
      if (!operand.starts_with('(')) {
        if (!call.name.empty()) throw Fault("PTX: a call through a pointer");
        call.name = operand;
        continue;
      }
      auto& list = call.name.empty() ? call.results : call.arguments;
      for (const std::string_view one : split(operand.substr(1, operand.size() - 2))) {
        list.push_back(place(one));
        call.bytes[call.name.empty() ? 1 : 0].push_back(bytes_.at(std::string(one)));
      }
    }
    if (call.name.empty() || call.name.front() == '%') throw Fault("PTX: a call through a pointer");
    if (std::find(pending_.begin(), pending_.end(), call.name) == pending_.end()) pending_.push_back(call.name);
    i.call = static_cast<std::uint32_t>(waiting_.size());
    waiting_.push_back(std::move(call));
    kernel_.calls.emplace_back();
  }

  void finish_call(Instruction& i) {
    const Waiting& call = waiting_[i.call];
    const Frame& frame = frames_.at(call.name);
    const auto match = [&](const std::vector<Place>& from, const std::vector<std::size_t>& from_bytes,
                           const std::vector<Place>& to, const std::vector<std::size_t>& to_bytes,
                           std::vector<Move>& moves) {
      if (from_bytes != to_bytes) throw Fault("PTX: a call with other arguments than those of " + call.name);
      for (std::size_t k = 0; k < from.size(); ++k)
        moves.push_back({static_cast<std::uint32_t>(from[k].offset), static_cast<std::uint32_t>(to[k].offset),
                         static_cast<std::uint32_t>(from_bytes[k])});
    };
    Call& made = kernel_.calls[i.call];
    match(call.arguments, call.bytes[0], frame.parameters, frame.parameter_bytes, made.arguments);
    match(frame.results, frame.result_bytes, call.results, call.bytes[1], made.results);
    i.target = frame.begin;
  }

  // mov, cvta
  bool read_move(const Opcode& op, const std::vector<std::string_view>& operands, Instruction& i) {
    if (op.name != "mov" && op.name != "cvta") return false;
    const std::string_view to = operands.at(0), from = operands.at(1);
    if (op.name == "cvta") {
      const Place source = place(from);
      i.at[0] = value(to);
      i.at[1] = source.base;
      i.number = source.offset;
      i.action = op.has("shared") ? (op.has("to") ? from_shared_address : to_shared_address) : move_address;
      return true;
    }
    if (op.type() == Type::pred) {
      i.at[0] = predicate(to);
      i.at[1] = predicate(from);
      i.action = move_predicate;
    } else if (to.starts_with('{') || from.starts_with('{')) {
      const bool packs = from.starts_with('{');
      const std::string_view list = packs ? from : to;
      const auto parts = split(list.substr(1, list.size() - 2));
      i.count = static_cast<std::uint8_t>(parts.size());
      i.bytes = static_cast<std::uint8_t>(bytes_of(op.type()) / parts.size());
      i.at[0] = value(packs ? to : from);
      for (std::size_t k = 0; k < parts.size(); ++k) i.at[1 + k] = value(parts[k]);
      i.action = packs ? pack : unpack;
    } else {
      i.at[0] = value(to);
      if (names_.find(from) != names_.end()) {
        const Place source = place(from);
        i.at[1] = source.base;
        i.number = source.offset;
        i.action = move_address;
      } else {
        i.at[1] = value(from);
        i.action = move_row;
      }
    }
    return true;
  }

  bool read_memory(const Opcode& op, const std::vector<std::string_view>& operands, Instruction& i) {
    const bool loads = op.name == "ld", stores = op.name == "st";
    if (loads || stores) {
      i.action = access(op, i);
      const Place where = place(operands.at(loads ? 1 : 0));
      i.at[0] = where.base;
      i.number = where.offset;
      std::string_view list = operands.at(loads ? 0 : 1);
      if (list.starts_with('{')) list = list.substr(1, list.size() - 2);
      const auto registers = split(list);
      if (registers.size() != i.count) return false;
      for (std::size_t k = 0; k < registers.size(); ++k) i.at[1 + k] = value(registers[k]);
      return i.action != nullptr;
    }
    if (op.name != "atom" && op.name != "red") return false;
    const bool has_result = op.name == "atom";
    const std::size_t first = has_result ? 1 : 0;
    i.action = atomic(op, i, has_result);
    const Place where = place(operands.at(first));
    if (has_result) i.at[0] = value(operands[0]);
    i.at[1] = where.base;
    i.number = where.offset;
    if (operands.size() != first + (i.count == 2 ? 3 : 2)) return false;
    for (std::size_t k = first + 1; k < operands.size(); ++k) i.at[k - first + 1] = value(operands[k]);
    return i.action != nullptr;
  }

  bool read_plain(const Opcode& op, const std::vector<std::string_view>& operands, Instruction& i) {
    if (operands.empty() || operands.size() > i.at.size()) return false;
    if (op.name == "setp") {
      i.action = comparison(op, i);
      i.at[0] = predicate(operands[0]);
      for (std::size_t k = 1; k < operands.size(); ++k) i.at[k] = k < 3 ? value(operands[k]) : predicate(operands[k]);
      return i.action != nullptr && operands.size() == (i.number == 0 ? 3u : 4u) &&
             operands[0].find('|') == std::string_view::npos;
    }
    if (op.name == "shfl" || op.name == "vote" || op.name == "redux" || op.name == "match" || op.name == "bar") {
      i.flow = Flow::meeting;
      i.action = meeting(op, i);
      i.at.back() = value(operands.back());
      if (op.name == "bar") return i.action != nullptr && operands.size() == 1;
      const std::size_t bar = operands[0].find('|');
      const bool is_vote = op.name == "vote";
      i.at[0] = is_vote && i.number != 0 ? predicate(operands[0]) : value(operands[0].substr(0, bar));
      if (op.name == "shfl") {
        i.count = bar == std::string_view::npos ? 1 : 2;
        if (i.count == 2) i.at[1] = predicate(operands[0].substr(bar + 1));
        for (std::size_t k = 1; k < 4; ++k) i.at[1 + k] = value(operands.at(k));
        return i.action != nullptr && operands.size() == 5;
      }
      i.at[1] = is_vote ? predicate(operands.at(1)) : value(operands.at(1));
      return i.action != nullptr && operands.size() == 3 && bar == std::string_view::npos;
    }
    i.action = op.name == "cvt" ? conversion(op, i) : arithmetic(op, i);
    const bool of_predicates = op.type() == Type::pred;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const bool chooses = op.name == "selp" && k == 3;
      i.at[k] = of_predicates || chooses ? predicate(operands[k]) : value(operands[k]);
    }
    return i.action != nullptr;
  }

  static void to_shared_address(Warp& w, const Instruction& i, Lanes act) {
    const std::uint64_t* const from = w.in(i.at[1]);
    each(act, [&](unsigned lane) {
      w.out(i.at[0])[lane] = reinterpret_cast<std::uint64_t>(w.shared()) + static_cast<std::uint32_t>(from[lane]) +
                             static_cast<std::uint64_t>(i.number);
    });
  }
  static void from_shared_address(Warp& w, const Instruction& i, Lanes act) {
    const std::uint64_t* const from = w.in(i.at[1]);
    each(act, [&](unsigned lane) {
      w.out(i.at[0])[lane] =
          from[lane] + static_cast<std::uint64_t>(i.number) - reinterpret_cast<std::uint64_t>(w.shared());
    });
  }

  struct Waiting {
    std::string name;
    std::vector<Place> arguments, results;
    std::vector<std::size_t> bytes[2];  // of the arguments, of the results
  };

  const Module& module_;
  Kernel& kernel_;
  std::map<std::string, Place, std::less<>> outer_, names_;
  std::map<std::string, std::size_t, std::less<>> bytes_;
  std::map<std::string, std::uint32_t, std::less<>> registers_;
  std::set<std::string, std::less<>> declared_;
  std::map<std::string, std::uint32_t, std::less<>> labels_;
  std::map<std::uint64_t, std::size_t> constants_;
  std::vector<std::pair<std::size_t, std::string>> jumps_;
  std::map<std::string, Frame, std::less<>> frames_;
  std::vector<std::string> pending_;
  std::vector<Waiting> waiting_;
};

}  // namespace

Kernel assemble(const Module& module, const std::string& name) {
  Kernel kernel;
  Assembler(module, kernel).run(name);
  return kernel;
}

}  // namespace laconic::ptx
