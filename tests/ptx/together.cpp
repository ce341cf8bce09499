// SPDX-License-Identifier: BSD-3-Clause
// Instructions that access memory, and those that the lanes of a warp do together.
#include <bit>
#include <cstring>

#include "ptx/actions.hpp"
#include "ptx/values.hpp"

namespace laconic::ptx {
namespace {

Space space_of(const Opcode& op) {
  if (op.has("global")) return Space::global;
  if (op.has("shared")) return Space::shared;
  if (op.has("local")) return Space::local;
  return op.has("param") ? Space::parameter : Space::generic;
}

bool is_word(const Opcode& op) { return op.has("relaxed") || op.has("acquire") || op.has("release"); }

// All of a vector is at a multiple of its size.
std::uint64_t address_of(Warp& w, const Instruction& i, const Operand& base, unsigned lane) {
  const std::uint64_t address = w.in(base)[lane] + static_cast<std::uint64_t>(i.number);
  if (address % (std::uint64_t{i.bytes} * i.count) != 0) throw Fault("an address that is not a multiple of the size");
  return address;
}

void load(Warp& w, const Instruction& i, Lanes act) {
  const unsigned unused = 64 - 8u * i.bytes;
  each(act, [&](unsigned lane) {
    const std::uint64_t address = address_of(w, i, i.at[0], lane);
    for (unsigned k = 0; k < i.count; ++k) {
      std::uint64_t x = 0;
      std::memcpy(&x, w.reach(i, lane, address + k * i.bytes, i.bytes, i.word ? Access::read_word : Access::read),
                  i.bytes);
      if (i.is_signed) x = static_cast<std::uint64_t>(static_cast<std::int64_t>(x << unused) >> unused);
      w.out(i.at[1 + k])[lane] = x;
    }
  });
}

void store(Warp& w, const Instruction& i, Lanes act) {
  each(act, [&](unsigned lane) {
    const std::uint64_t address = address_of(w, i, i.at[0], lane);
    for (unsigned k = 0; k < i.count; ++k)
      std::memcpy(w.reach(i, lane, address + k * i.bytes, i.bytes, i.word ? Access::write_word : Access::write),
                  w.in(i.at[1 + k]) + lane, i.bytes);
  });
}

struct Exchange {
  template <class T>
  T operator()(T, T b) const {
    return b;
  }
};

// What was there, and with i.count == 2 a third operand: compare and swap.
template <class F, class T>
void change(Warp& w, const Instruction& i, Lanes act) {
  each(act, [&](unsigned lane) {
    std::byte* const at =
        w.reach(i, lane, w.in(i.at[1])[lane] + static_cast<std::uint64_t>(i.number), sizeof(T), Access::write_word);
    T old{};
    std::memcpy(&old, at, sizeof(T));
    const T b = as<T>(w.in(i.at[2])[lane]);
    const T fresh = i.count == 2 ? (old == b ? as<T>(w.in(i.at[3])[lane]) : old) : F{}(old, b);
    std::memcpy(at, &fresh, sizeof(T));
    if (i.is_signed) w.out(i.at[0])[lane] = bits(old);  // the result is wanted
  });
}

template <class F>
Action change_of(Type type) {
  using U = std::uint64_t;
  switch (type) {
    case Type::u32: return change<F, std::uint32_t>;
    case Type::s32: return change<F, std::int32_t>;
    case Type::u64: return change<F, U>;
    default: break;
  }
  if constexpr (std::is_same_v<F, Add>)
    return type == Type::f32 ? change<F, float> : type == Type::f64 ? change<F, double> : nullptr;
  return nullptr;
}

template <class F, class T>
void reduce(Warp& w, const Instruction& i, Lanes act) {
  const std::uint64_t* const from = w.in(i.at[1]);
  bool first = true;
  T all{};
  each(act, [&](unsigned lane) {
    all = first ? as<T>(from[lane]) : F{}(all, as<T>(from[lane]));
    first = false;
  });
  std::uint64_t* const to = w.out(i.at[0]);
  each(act, [&](unsigned lane) { to[lane] = bits(all); });
}

template <class F>
Action reduce_of(Type type) {
  return type == Type::s32 ? reduce<F, std::int32_t> : type == Type::u32 ? reduce<F, std::uint32_t> : nullptr;
}

void shuffle(Warp& w, const Instruction& i, Lanes act) {
  std::uint64_t values[warp_lanes] = {};
  const std::uint64_t *const b = w.in(i.at[3]), *const c = w.in(i.at[4]);
  each(act, [&](unsigned lane) { values[lane] = w.in(i.at[2])[lane]; });
  Lanes all_inside = 0;
  each(act, [&](unsigned lane) {
    bool inside = false;
    const unsigned from = source_of(static_cast<Shuffle>(i.number), lane, static_cast<std::uint32_t>(b[lane]),
                                    static_cast<std::uint32_t>(c[lane]), inside);
    if ((act >> from & 1) == 0) throw Fault("a shuffle reads a lane that its mask does not name");
    w.out(i.at[0])[lane] = static_cast<std::uint32_t>(values[from]);
    all_inside |= inside ? Lanes{1} << lane : 0;
  });
  if (i.count == 2) w.set_predicate(i.at[1], act, all_inside);
}

void vote(Warp& w, const Instruction& i, Lanes act) {
  const Lanes yes = w.predicate(i.at[1]) & act;
  if (i.number == 0)
    each(act, [&](unsigned lane) { w.out(i.at[0])[lane] = yes; });
  else
    w.set_predicate(i.at[0], act, (i.number == 1 ? yes != 0 : yes == act) ? ~Lanes{0} : 0);
}

void match_any(Warp& w, const Instruction& i, Lanes act) {
  Lanes results[warp_lanes] = {};
  const std::uint64_t* const value = w.in(i.at[1]);
  each(act, [&](unsigned lane) {
    each(act, [&](unsigned other) {
      const bool equal = i.bytes == 8
                             ? value[lane] == value[other]
                             : static_cast<std::uint32_t>(value[lane]) == static_cast<std::uint32_t>(value[other]);
      results[lane] |= equal ? Lanes{1} << other : 0;
    });
  });
  each(act, [&](unsigned lane) { w.out(i.at[0])[lane] = results[lane]; });
}

void warp_barrier(Warp& w, const Instruction&, Lanes act) { w.passed_warp_barrier(act); }

}  // namespace

Action meeting(const Opcode& op, Instruction& i) {
  if (op.name == "bar" && op.has("warp") && op.has("sync")) return warp_barrier;
  if (op.parts.size() < 3 && op.name != "match") return nullptr;
  const std::string_view how = op.parts[1];
  if (op.parts[0] == "any" && op.name == "match" && op.has("sync")) {
    i.bytes = static_cast<std::uint8_t>(bytes_of(op.type()));
    return match_any;
  }
  if (op.parts[0] != "sync") return nullptr;
  if (op.name == "shfl") {
    constexpr std::string_view modes[] = {"up", "down", "bfly", "idx"};
    for (i.number = 0; i.number < 4; ++i.number)
      if (how == modes[i.number]) return shuffle;
  } else if (op.name == "vote") {
    i.number = how == "any" ? 1 : how == "all" ? 2 : 0;
    return i.number != 0 || how == "ballot" ? vote : nullptr;
  } else if (op.name == "redux") {
    if (how == "add") return reduce_of<Add>(op.type());
    if (how == "and") return reduce_of<And>(op.type());
    if (how == "or") return reduce_of<Or>(op.type());
    if (how == "xor") return reduce_of<Xor>(op.type());
    if (how == "min") return reduce_of<Least>(op.type());
    if (how == "max") return reduce_of<Greatest>(op.type());
  }
  return nullptr;
}

Action access(const Opcode& op, Instruction& i) {
  constexpr std::string_view known[] = {"global", "shared",  "local",   "param",   "v2", "v4",
                                        "gpu",    "relaxed", "acquire", "release", "nc"};
  for (std::size_t k = 0; k + 1 < op.parts.size(); ++k) {
    bool is_known = false;
    for (const std::string_view part : known) is_known = is_known || part == op.parts[k];
    if (!is_known) return nullptr;
  }
  i.space = space_of(op);
  i.word = is_word(op);
  i.bytes = static_cast<std::uint8_t>(bytes_of(op.type()));
  i.count = op.has("v4") ? 4 : op.has("v2") ? 2 : 1;
  i.is_signed = is_signed(op.type());
  if (i.bytes == 0) return nullptr;
  return op.name == "ld" ? load : op.name == "st" ? store : nullptr;
}

Action atomic(const Opcode& op, Instruction& i, bool has_result) {
  i.space = space_of(op);
  i.word = true;
  i.is_signed = has_result;
  const Type type = op.type();
  i.bytes = static_cast<std::uint8_t>(bytes_of(type));
  if (op.has("cas")) {
    i.count = 2;
    return change_of<Exchange>(type);
  }
  if (op.has("add")) return change_of<Add>(type);
  if (op.has("and")) return change_of<And>(type);
  if (op.has("or")) return change_of<Or>(type);
  if (op.has("xor")) return change_of<Xor>(type);
  if (op.has("min")) return change_of<Least>(type);
  if (op.has("max")) return change_of<Greatest>(type);
  return op.has("exch") ? change_of<Exchange>(type) : nullptr;
}

}  // namespace laconic::ptx
