// SPDX-License-Identifier: BSD-3-Clause
// Instructions that lanes do on their own, in registers.
#include "ptx/actions.hpp"

#include <algorithm>
#include <iterator>

#include "ptx/values.hpp"

namespace laconic::ptx {
namespace {

struct Named {
  std::string_view name;
  Type type;
};
constexpr Named types[] = {{"u8", Type::u8},   {"b8", Type::u8},   {"s8", Type::s8},    {"u16", Type::u16},
                           {"b16", Type::u16}, {"s16", Type::s16}, {"u32", Type::u32},  {"b32", Type::u32},
                           {"s32", Type::s32}, {"u64", Type::u64}, {"b64", Type::u64},  {"s64", Type::s64},
                           {"f32", Type::f32}, {"f64", Type::f64}, {"pred", Type::pred}};

template <class F, class... T>
void apply(Warp& w, const Instruction& i, Lanes act) {
  const auto inputs = [&]<std::size_t... k>(std::index_sequence<k...>) {
    std::uint64_t* const to = w.out(i.at[0]);
    const std::uint64_t* const from[] = {w.in(i.at[1 + k])...};
    each(act, [&](unsigned lane) { to[lane] = bits(F{}(as<T>(from[k][lane])...)); });
  };
  inputs(std::index_sequence_for<T...>{});
}

template <class F, class T>
void compare(Warp& w, const Instruction& i, Lanes act) {
  const std::uint64_t *const a = w.in(i.at[1]), *const b = w.in(i.at[2]);
  Lanes result = 0;
  each(act, [&](unsigned lane) { result |= F{}(as<T>(a[lane]), as<T>(b[lane])) ? Lanes{1} << lane : 0; });
  switch (i.number) {
    case 1: result &= w.predicate(i.at[3]); break;
    case 2: result |= w.predicate(i.at[3]); break;
    case 3: result ^= w.predicate(i.at[3]); break;
    default: break;
  }
  w.set_predicate(i.at[0], act, result);
}

// make(T{}) for the C++ type of a type with at least 16 bits.
template <class Make>
Action by_type(Type type, Make make) {
  switch (type) {
    case Type::u16: return make(std::uint16_t{});
    case Type::s16: return make(std::int16_t{});
    case Type::u32: return make(std::uint32_t{});
    case Type::s32: return make(std::int32_t{});
    case Type::u64: return make(std::uint64_t{});
    case Type::s64: return make(std::int64_t{});
    case Type::f32: return make(float{});
    case Type::f64: return make(double{});
    default: return nullptr;
  }
}

// F on operands that all have the type; then on those of which the further ones are what More says.
template <class F, int inputs>
Action same(Type type) {
  return by_type(type, [](auto x) -> Action {
    using T = decltype(x);
    if constexpr (inputs == 1 && std::is_invocable_v<F, T>)
      return apply<F, T>;
    else if constexpr (inputs == 2 && std::is_invocable_v<F, T, T>)
      return apply<F, T, T>;
    else if constexpr (inputs == 3 && std::is_invocable_v<F, T, T, T>)
      return apply<F, T, T, T>;
    else
      return nullptr;
  });
}
template <class F>
Action shift(Type type) {
  return by_type(type, [](auto x) -> Action {
    using T = decltype(x);
    if constexpr (std::is_integral_v<T>) return apply<F, T, std::uint32_t>;
    return nullptr;
  });
}
template <class F>
Action compare_of(Type type) {
  return by_type(type, [](auto x) -> Action {
    using T = decltype(x);
    if constexpr (std::is_invocable_v<F, T, T>) return compare<F, T>;
    return nullptr;
  });
}

template <class T>
struct WideSum {  // mad.wide
  std::uint64_t operator()(T a, T b, std::uint64_t c) const { return MultiplyWide{}(a, b) + c; }
};

void select(Warp& w, const Instruction& i, Lanes act) {
  std::uint64_t* const to = w.out(i.at[0]);
  const std::uint64_t *const a = w.in(i.at[1]), *const b = w.in(i.at[2]);
  const Lanes first = w.predicate(i.at[3]);
  each(act, [&](unsigned lane) { to[lane] = (first >> lane & 1) != 0 ? a[lane] : b[lane]; });
}

template <class F>
void combine_predicates(Warp& w, const Instruction& i, Lanes act) {
  w.set_predicate(i.at[0], act, F{}(w.predicate(i.at[1]), w.predicate(i.at[2])));
}
void invert_predicate(Warp& w, const Instruction& i, Lanes act) {
  w.set_predicate(i.at[0], act, ~w.predicate(i.at[1]));
}

Action on_predicates(std::string_view name) {
  if (name == "and") return combine_predicates<And>;
  if (name == "or") return combine_predicates<Or>;
  if (name == "xor") return combine_predicates<Xor>;
  return name == "not" ? invert_predicate : nullptr;
}

template <class S>
void extend(Warp& w, const Instruction& i, Lanes act) {
  std::uint64_t* const to = w.out(i.at[0]);
  const std::uint64_t* const from = w.in(i.at[1]);
  const std::uint64_t kept = i.bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * i.bytes) - 1;
  each(act, [&](unsigned lane) { to[lane] = static_cast<std::uint64_t>(as<S>(from[lane])) & kept; });
}

template <class D, class S>
struct Convert {
  D operator()(S x) const { return static_cast<D>(x); }
};
struct Widen {
  double operator()(float x) const { return widened(x); }
};
struct Narrow {
  float operator()(double x) const { return narrowed(x); }
};
template <Rounding how>
struct Round {
  template <Real T>
  T operator()(T x) const {
    return quiet(rounded(x, how), x, x);
  }
};
template <class D, Rounding how>
struct ToInteger {
  template <Real T>
  D operator()(T x) const {
    return to_integer<D>(rounded(x, how));
  }
};

template <Rounding how>
Action round_to(Type to, Type from) {
  if (to == from) return same<Round<how>, 1>(from);
  return by_type(to, [&](auto d) -> Action {
    using D = decltype(d);
    if constexpr (std::is_integral_v<D>) return same<ToInteger<D, how>, 1>(from);
    return nullptr;
  });
}

bool is_real(Type type) { return type == Type::f32 || type == Type::f64; }

Action extension(Type from) {
  switch (from) {
    case Type::u8: return extend<std::uint8_t>;
    case Type::s8: return extend<std::int8_t>;
    default: break;
  }
  return by_type(from, [](auto x) -> Action {
    if constexpr (std::is_integral_v<decltype(x)>) return extend<decltype(x)>;
    return nullptr;
  });
}

}  // namespace

Type type_of(std::string_view name) {
  const auto found = std::find_if(std::begin(types), std::end(types), [&](const Named& n) { return n.name == name; });
  return found == std::end(types) ? Type::none : found->type;
}

std::size_t bytes_of(Type type) {
  switch (type) {
    case Type::u8:
    case Type::s8: return 1;
    case Type::u16:
    case Type::s16: return 2;
    case Type::u32:
    case Type::s32:
    case Type::f32: return 4;
    case Type::u64:
    case Type::s64:
    case Type::f64: return 8;
    default: return 0;
  }
}

bool is_signed(Type type) { return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64; }

Opcode::Opcode(std::string_view text) {
  const std::size_t end = std::min(text.find('.'), text.size());
  name = text.substr(0, end);
  for (std::size_t at = end; at < text.size();) {
    const std::size_t next = std::min(text.find('.', at + 1), text.size());
    parts.push_back(text.substr(at + 1, next - at - 1));
    at = next;
  }
  if (parts.empty()) parts.emplace_back();
}

bool Opcode::has(std::string_view part) const { return std::find(parts.begin(), parts.end(), part) != parts.end(); }

Action arithmetic(const Opcode& op, Instruction&) {
  const Type type = op.type();
  const std::string_view name = op.name, how = op.parts.front();
  if (type == Type::pred) return on_predicates(name);
  // Of real numbers, only what rounds to the nearest; what rounds otherwise, flushes or saturates is not known.
  const bool plain = op.parts.size() == 1 || (op.parts.size() == 2 && how == "rn");
  if (name == "max" && how == "NaN" && type == Type::f32) return apply<GreatestOrNan, float, float>;
  if (name == "mul" && how == "rz" && type == Type::f32) return apply<MultiplyTowardsZero, float, float>;
  if (is_real(type) && !plain) return nullptr;
  if (name == "mul" && how == "wide") return same<MultiplyWide, 2>(type);
  if (name == "mul" && how == "hi") return same<MultiplyHigh, 2>(type);
  if (name == "mul" && (how == "lo" || is_real(type))) return same<Multiply, 2>(type);
  if (name == "mad" && how == "lo") return same<MultiplyAdd, 3>(type);
  if (name == "mad" && how == "wide" && type == Type::u32)
    return apply<WideSum<std::uint32_t>, std::uint32_t, std::uint32_t, std::uint64_t>;
  if (name == "mad" && how == "wide" && type == Type::s32)
    return apply<WideSum<std::int32_t>, std::int32_t, std::int32_t, std::uint64_t>;
  using U = std::uint32_t;
  if (name == "shf" && type == Type::u32 && op.parts.size() == 3) {
    const bool wraps = op.parts[1] == "wrap";
    if (how == "l") return wraps ? apply<FunnelShift<true, true>, U, U, U> : apply<FunnelShift<true, false>, U, U, U>;
    return wraps ? apply<FunnelShift<false, true>, U, U, U> : apply<FunnelShift<false, false>, U, U, U>;
  }
  if (name == "bfind" && how == "shiftamt") return same<HighestBit<true>, 1>(type);
  if (name == "dp4a" && how == "s32" && type == Type::s32)
    return apply<DotOfBytes, std::int32_t, std::int32_t, std::int32_t>;
  if (name == "lop3" && type == Type::u32) return apply<Logic, U, U, U, U>;
  if (!plain) return nullptr;
  if (name == "add") return same<Add, 2>(type);
  if (name == "sub") return same<Subtract, 2>(type);
  if (name == "fma") return same<Fused, 3>(type);
  if (name == "div") return same<Divide, 2>(type);
  if (name == "rem") return same<Remainder, 2>(type);
  if (name == "rcp") return same<Reciprocal, 1>(type);
  if (name == "sqrt") return same<Root, 1>(type);
  if (name == "and") return same<And, 2>(type);
  if (name == "or") return same<Or, 2>(type);
  if (name == "xor") return same<Xor, 2>(type);
  if (name == "not") return same<Not, 1>(type);
  if (name == "neg") return same<Negate, 1>(type);
  if (name == "abs") return same<Absolute, 1>(type);
  if (name == "min") return same<Least, 2>(type);
  if (name == "max") return same<Greatest, 2>(type);
  if (name == "shl") return shift<ShiftLeft>(type);
  if (name == "shr") return shift<ShiftRight>(type);
  if (name == "clz") return same<LeadingZeros, 1>(type);
  if (name == "popc") return same<Ones, 1>(type);
  if (name == "brev") return same<Reversed, 1>(type);
  if (name == "bfind") return same<HighestBit<false>, 1>(type);
  if (name == "prmt" && type == Type::u32) return apply<Permute, U, U, U>;
  if (name == "bfi" && type == Type::u32) return apply<Insert, U, U, U, U>;
  if (name == "bfi" && type == Type::u64) return apply<Insert, std::uint64_t, std::uint64_t, U, U>;
  return name == "selp" ? select : nullptr;
}

Action conversion(const Opcode& op, Instruction& i) {
  using U = std::uint32_t;
  if (op.parts == std::vector<std::string_view>{"pack", "sat", "s8", "s32", "b32"})
    return apply<PackSignedBytes, U, U, U>;
  if (op.parts == std::vector<std::string_view>{"rn", "f16", "f32"}) return apply<ToFloat16, float>;
  if (op.parts == std::vector<std::string_view>{"rn", "bf16", "f32"}) return apply<ToBfloat16, float>;
  if (op.parts == std::vector<std::string_view>{"f32", "f16"}) return apply<FromFloat16, std::uint16_t>;
  if (op.parts.size() < 2 || op.parts.size() > 3) return nullptr;
  const Type to = type_of(op.parts[op.parts.size() - 2]), from = op.type();
  const std::string_view how = op.parts.size() == 3 ? op.parts[0] : std::string_view();
  if (to == Type::none || from == Type::none || to == Type::pred || from == Type::pred) return nullptr;
  if (!is_real(to) && !is_real(from)) {
    i.bytes = static_cast<std::uint8_t>(bytes_of(is_signed(to) ? Type::u64 : to));  // a register may be wider
    return how.empty() ? extension(from) : nullptr;
  }
  if (how == "rni") return round_to<Rounding::nearest>(to, from);
  if (how == "rzi") return round_to<Rounding::zero>(to, from);
  if (how == "rmi") return round_to<Rounding::down>(to, from);
  if (how == "rpi") return round_to<Rounding::up>(to, from);
  if (to == Type::f64 && from == Type::f32 && how.empty()) return apply<Widen, float>;
  if (how != "rn") return nullptr;
  if (to == Type::f32 && from == Type::f64) return apply<Narrow, double>;
  if (is_real(from)) return nullptr;
  return by_type(from, [&](auto x) -> Action {
    using S = decltype(x);
    if constexpr (std::is_integral_v<S>)
      return to == Type::f32 ? apply<Convert<float, S>, S> : apply<Convert<double, S>, S>;
    return nullptr;
  });
}

Action comparison(const Opcode& op, Instruction& i) {
  if (op.parts.size() < 2 || op.parts.size() > 3) return nullptr;
  const std::string_view how = op.parts[0], with = op.parts.size() == 3 ? op.parts[1] : std::string_view();
  i.number = with == "and" ? 1 : with == "or" ? 2 : with == "xor" ? 3 : 0;
  if (i.number == 0 && !with.empty()) return nullptr;
  const Type type = op.type();
  if (how == "eq") return compare_of<Equal>(type);
  if (how == "ne") return compare_of<NotEqual>(type);
  if (how == "lt" || how == "lo") return compare_of<Less>(type);
  if (how == "le" || how == "ls") return compare_of<LessOrEqual>(type);
  if (how == "gt" || how == "hi") return compare_of<Greater>(type);
  if (how == "ge" || how == "hs") return compare_of<GreaterOrEqual>(type);
  if (how == "equ") return compare_of<Unordered<Equal>>(type);
  if (how == "neu") return compare_of<Unordered<NotEqual>>(type);
  if (how == "ltu") return compare_of<Unordered<Less>>(type);
  if (how == "leu") return compare_of<Unordered<LessOrEqual>>(type);
  if (how == "gtu") return compare_of<Unordered<Greater>>(type);
  if (how == "geu") return compare_of<Unordered<GreaterOrEqual>>(type);
  if (how == "nan") return compare_of<NotNumbers>(type);
  return how == "num" ? compare_of<Numbers>(type) : nullptr;
}

void move_row(Warp& w, const Instruction& i, Lanes act) {
  std::uint64_t* const to = w.out(i.at[0]);
  const std::uint64_t* const from = w.in(i.at[1]);
  each(act, [&](unsigned lane) { to[lane] = from[lane]; });
}

void move_address(Warp& w, const Instruction& i, Lanes act) {
  std::uint64_t* const to = w.out(i.at[0]);
  const std::uint64_t* const base = w.in(i.at[1]);
  each(act, [&](unsigned lane) { to[lane] = base[lane] + static_cast<std::uint64_t>(i.number); });
}

void move_predicate(Warp& w, const Instruction& i, Lanes act) { w.set_predicate(i.at[0], act, w.predicate(i.at[1])); }

void pack(Warp& w, const Instruction& i, Lanes act) {
  std::uint64_t* const to = w.out(i.at[0]);
  const std::uint64_t kept = (std::uint64_t{1} << 8 * i.bytes) - 1;
  each(act, [&](unsigned lane) {
    std::uint64_t whole = 0;
    for (unsigned part = 0; part < i.count; ++part) whole |= (w.in(i.at[1 + part])[lane] & kept) << 8 * i.bytes * part;
    to[lane] = whole;
  });
}

void unpack(Warp& w, const Instruction& i, Lanes act) {
  const std::uint64_t* const from = w.in(i.at[0]);
  const std::uint64_t kept = (std::uint64_t{1} << 8 * i.bytes) - 1;
  each(act, [&](unsigned lane) {
    const std::uint64_t whole = from[lane];
    for (unsigned part = 0; part < i.count; ++part) w.out(i.at[1 + part])[lane] = whole >> 8 * i.bytes * part & kept;
  });
}

}  // namespace laconic::ptx
