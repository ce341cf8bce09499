// SPDX-License-Identifier: BSD-3-Clause
// The reference kernels: short and simple; the others are compared with them.
#include <bit>
#include <cstring>
#include <limits>

#include "codec/dense/kernels.hpp"
#include "codec/dense/lag.hpp"
#include "codec/dense/prediction.hpp"
#include "codec/quant/format.hpp"

namespace laconic::dense {
namespace {

std::uint32_t residual(Predictor predictor, const std::int32_t* q, std::ptrdiff_t i, std::ptrdiff_t lag) {
  return quant::zigzag(point_at(q, i) - prediction(predictor, q, i, lag));
}

void score_all(const std::int32_t* q, const Probes& probes, std::size_t reach, std::uint32_t* scores) {
  for (std::size_t lag = least_lag; lag <= reach; ++lag) {
    scores[lag] = 0;
    for (const std::size_t p : probes) scores[lag] += score(q, p, lag);
  }
}

std::uint32_t score_window(const std::int32_t* q, std::size_t p, std::size_t lag) {
  std::uint32_t sum = 0;
  for (std::size_t i = p; i < p + window; ++i) sum += score(q, i, lag);
  return sum;
}

struct Scores {
  static constexpr auto all = score_all;
  static constexpr auto window = score_window;
};
std::size_t find_lag(const std::int32_t* q, std::size_t n) { return best_lag<Scores>(q, n); }

Predictor predict(const std::int32_t* q, std::size_t n, std::size_t lag, Residuals& out) {
  const auto distance = static_cast<std::ptrdiff_t>(lag);
  const auto count = static_cast<std::ptrdiff_t>(n);
  Predictor best = Predictor::none;
  int least = std::numeric_limits<int>::max();
  for (unsigned k = 0; k < (lag > 0 ? predictors : predictors_without_lag); ++k) {
    const auto predictor = static_cast<Predictor>(k);
    int bits = 0;
    for (std::ptrdiff_t i = 0; i < count; ++i) bits += std::bit_width(residual(predictor, q, i, distance));
    if (bits < least) best = predictor;
    least = std::min(least, bits);
  }
  std::memset(out.z, 0, sizeof out.z);
  for (std::ptrdiff_t i = 0; i < count; ++i) out.z[i] = residual(best, q, i, distance);
  return best;
}

std::byte* split(const Residuals& in, Symbols& out, std::size_t& table, std::byte* verbatim) {
  int before = 0;
  for (std::size_t s = 0; s < block_subs; ++s) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < sub_values; ++i) bits |= in.z[s * sub_values + i];
    const auto width = static_cast<int>(std::bit_width(bits));
    out.widths[s] = static_cast<std::uint8_t>(width);
    out.differences[s] = static_cast<std::uint8_t>(symbol_of_difference(width - before));
    if (out.differences[s] == escape) *verbatim++ = static_cast<std::byte>(width);
    before = width;
  }
  unsigned least = std::numeric_limits<unsigned>::max();
  for (std::size_t t = 0; t < width_tables; ++t) {
    unsigned cost = 0;
    for (const std::uint8_t symbol : out.differences) cost += width_costs[t][symbol];
    if (cost < least) table = t;
    least = std::min(least, cost);
  }
  for (std::size_t s = 0; s < block_subs; ++s) {
    const unsigned low = verbatim_bits(out.widths[s]);
    std::uint64_t bits = 0;
    unsigned held = 0;
    for (std::size_t i = s * sub_values; i < (s + 1) * sub_values; ++i) {
      out.values[i] = static_cast<std::uint8_t>(in.z[i] >> low);
      bits |= static_cast<std::uint64_t>(in.z[i] & ((1u << low) - 1)) << held;
      for (held += low; held >= 8; held -= 8, bits >>= 8) *verbatim++ = static_cast<std::byte>(bits);
    }
  }
  return verbatim;
}

std::byte* encode_step(const Table* const* tables, const std::uint8_t* symbols, std::uint16_t* states, std::byte* at) {
  // A decoder reads the bytes of the lanes in their order, forwards; the encoder does everything backwards.
  for (std::size_t l = lanes; l-- > 0;) {
    const unsigned entry = tables[l]->entry[symbols[l]];
    const unsigned f = entry & 255;
    unsigned x = states[l];
    if (x >> (16 - slot_bits) >= f) {
      *--at = static_cast<std::byte>(x);
      x >>= 8;
    }
    states[l] = static_cast<std::uint16_t>((x / f << slot_bits) + (entry >> 8) + x % f);
  }
  return at;
}

std::byte* encode(std::span<const CodedBlock> blocks, std::byte* end, std::uint16_t* states) {
  const Table* tables[lanes];
  for (std::size_t l = 0; l < lanes; ++l) states[l] = least_state;
  for (std::size_t b = blocks.size(); b-- > 0;) {
    const Symbols& in = *blocks[b].symbols;
    for (std::size_t step = value_steps; step-- > 0;) {
      for (std::size_t l = 0; l < lanes; ++l)
        tables[l] = &tables_of_values[value_table(in.widths[step * step_subs + l / sub_values])];
      end = encode_step(tables, in.values + step * lanes, states, end);
    }
    for (const Table*& table : tables) table = &tables_of_widths[blocks[b].table];
    for (std::size_t step = width_steps; step-- > 0;)
      end = encode_step(tables, in.differences + step * lanes, states, end);
  }
  return end;
}

void decode_step(const Table* const* tables, Decoder& decoder, std::uint8_t* symbols) {
  for (std::size_t l = 0; l < lanes; ++l) {
    unsigned x = decoder.states[l];
    const unsigned slot = x % slots;
    symbols[l] = tables[l]->symbol_of_slot[slot];
    const unsigned entry = tables[l]->entry[symbols[l]];
    x = (entry & 255) * (x >> slot_bits) + slot - (entry >> 8);
    if (x < least_state) x = x << 8 | static_cast<unsigned>(*decoder.at++);
    decoder.states[l] = static_cast<std::uint16_t>(x);
  }
}

const std::byte* decode(Decoder& decoder, std::size_t table, const std::byte* verbatim, const std::byte* verbatim_end,
                        Residuals& out) {
  const Table* tables[lanes];
  for (const Table*& t : tables) t = &tables_of_widths[table];
  std::uint8_t differences[block_subs];
  for (std::size_t step = 0; step < width_steps; ++step) decode_step(tables, decoder, differences + step * lanes);
  unsigned widths[block_subs];
  int width = 0;
  std::size_t bytes = 0;
  for (std::size_t s = 0; s < block_subs; ++s) {
    if (differences[s] != escape) {
      width += difference_of(differences[s]);
    } else {
      if (verbatim == verbatim_end) return nullptr;
      width = static_cast<int>(*verbatim++);
    }
    if (width < 0 || width > 32) return nullptr;
    widths[s] = static_cast<unsigned>(width);
    bytes += verbatim_bits(widths[s]) * sub_values / 8;
  }
  if (bytes > static_cast<std::size_t>(verbatim_end - verbatim)) return nullptr;
  std::uint8_t symbols[lanes];
  for (std::size_t step = 0; step < value_steps; ++step) {
    for (std::size_t l = 0; l < lanes; ++l)
      tables[l] = &tables_of_values[value_table(widths[step * step_subs + l / sub_values])];
    decode_step(tables, decoder, symbols);
    for (std::size_t s = 0; s < step_subs; ++s) {
      const unsigned low = verbatim_bits(widths[step * step_subs + s]);
      std::uint64_t bits = 0;
      unsigned held = 0;
      for (std::size_t i = s * sub_values; i < (s + 1) * sub_values; ++i) {
        for (; held < low; held += 8) bits |= static_cast<std::uint64_t>(*verbatim++) << held;
        out.z[step * lanes + i] =
            static_cast<std::uint32_t>(symbols[i]) << low | static_cast<std::uint32_t>(bits & ((1u << low) - 1));
        bits >>= low;
        held -= low;
      }
    }
  }
  return verbatim;
}

void restore(const std::uint32_t* z, std::size_t n, Predictor predictor, std::size_t lag, std::int32_t* q) {
  for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(n); ++i)
    q[i] = static_cast<std::int32_t>(quant::unzigzag(z[i]) +
                                     prediction(predictor, q, i, static_cast<std::ptrdiff_t>(lag)));
}

}  // namespace

const Kernels& reference_kernels() {
  static const Kernels table{"reference", find_lag, predict, split, encode, decode, restore};
  return table;
}

}  // namespace laconic::dense
