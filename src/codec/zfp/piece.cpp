// SPDX-License-Identifier: BSD-3-Clause
#include "codec/zfp/piece.hpp"

#include <zfp.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>

namespace laconic::zfp {
namespace {

static_assert(least_exponent == ZFP_MIN_EXP);

zfp_stream stream_of(const Scratch& scratch, const Parameters& p) {
  zfp_stream z{};
  z.minbits = p.mode == Mode::rate ? static_cast<uint>(p.parameter) : ZFP_MIN_BITS;
  z.maxbits = p.mode == Mode::rate ? static_cast<uint>(p.parameter) : ZFP_MAX_BITS;
  z.maxprec = ZFP_MAX_PREC;
  z.minexp = p.mode == Mode::rate ? ZFP_MIN_EXP : p.parameter;
  z.stream = static_cast<bitstream*>(scratch.bits);
  return z;
}

void encode_block(zfp_stream* z, const float* x) { zfp_encode_block_float_1(z, x); }
void encode_block(zfp_stream* z, const double* x) { zfp_encode_block_double_1(z, x); }
void encode_some(zfp_stream* z, const float* x, uint n) { zfp_encode_partial_block_strided_float_1(z, x, n, 1); }
void encode_some(zfp_stream* z, const double* x, uint n) { zfp_encode_partial_block_strided_double_1(z, x, n, 1); }
void decode_block(zfp_stream* z, float* x) { zfp_decode_block_float_1(z, x); }
void decode_block(zfp_stream* z, double* x) { zfp_decode_block_double_1(z, x); }
void decode_some(zfp_stream* z, float* x, uint n) { zfp_decode_partial_block_strided_float_1(z, x, n, 1); }
void decode_some(zfp_stream* z, double* x, uint n) { zfp_decode_partial_block_strided_double_1(z, x, n, 1); }

// The size is in whole bytes, without the padding to a word, because libzfp can be built with words of other sizes.
std::size_t bytes_of(std::uint64_t bits) { return static_cast<std::size_t>((bits + 7) / 8); }

}  // namespace

Parameters Parameters::make(const Coding& coding) {
  if (coding.rate > 0) {
    const double bits = std::floor(block_values * coding.rate + 0.5);
    if (!(bits < raw_rate(coding.dtype))) return {};
    return {Mode::rate, static_cast<std::int16_t>(std::max(static_cast<int>(bits), least_rate(coding.dtype)))};
  }
  if (!(coding.allowance > 0)) return {};
  int exponent = 0;
  std::frexp(coding.allowance, &exponent);  // 2^(exponent - 1) <= allowance, as in libzfp
  return {Mode::accuracy, static_cast<std::int16_t>(std::max(exponent - 1, ZFP_MIN_EXP))};
}

// libzfp allocates its bit streams and cannot point one to other memory, so each thread has one.
Scratch* Scratch::of_this_thread() {
  thread_local std::unique_ptr<Scratch> scratch;
  if (!scratch) {
    std::unique_ptr<Scratch> made(new (std::nothrow) Scratch{});
    if (!made) return nullptr;
    made->bits = stream_open(made->packed, sizeof made->packed);
    if (made->bits == nullptr) return nullptr;
    scratch = std::move(made);
  }
  return scratch.get();
}

Scratch::~Scratch() {
  if (bits != nullptr) stream_close(static_cast<bitstream*>(bits));
}

template <class T>
std::size_t pack(Scratch& scratch, const Parameters& parameters, const T* x, std::size_t n, double allowance, T largest,
                 double& error) {
  if (parameters.mode == Mode::exact) return kept_raw;
  T* clean = scratch.numbers<T>(2);
  bool fit = true;
  for (std::size_t i = 0; i < n; ++i) {
    fit &= std::fabs(x[i]) <= largest;  // false for NaN
    clean[i] = without_tiny(x[i]);
  }
  if (!fit) return kept_raw;

  zfp_stream z = stream_of(scratch, parameters);
  stream_rewind(z.stream);
  const std::size_t whole = n - n % block_values;
  for (std::size_t i = 0; i < whole; i += block_values) encode_block(&z, clean + i);
  if (whole < n) encode_some(&z, clean + whole, static_cast<uint>(n - whole));
  const std::size_t bytes = bytes_of(stream_wtell(z.stream));
  stream_flush(z.stream);
  if (bytes >= n * sizeof(T)) return kept_raw;

  // libzfp promises a bound and does not always keep it (numbers of very different size in a block, tolerances near the
  // resolution of the type).  The decoded numbers are therefore checked.
  T* back = scratch.numbers<T>(3);
  if (!unpack(scratch, parameters, bytes, back, n)) return kept_raw;
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i) {
    fit &= std::fabs(back[i]) <= largest;
    worst = std::max(worst, std::fabs(static_cast<double>(x[i]) - static_cast<double>(back[i])));
  }
  worst *= 1 + 0x1p-50;  // the subtraction was rounded
  if (!fit || (parameters.mode == Mode::accuracy ? worst > allowance : !std::isfinite(worst))) return kept_raw;
  error = worst;
  return bytes;
}

template <class T>
bool unpack(Scratch& scratch, const Parameters& parameters, std::size_t bytes, T* x, std::size_t n) {
  zfp_stream z = stream_of(scratch, parameters);
  stream_rewind(z.stream);
  const std::size_t whole = n - n % block_values;
  for (std::size_t i = 0; i < whole; i += block_values) decode_block(&z, x + i);
  if (whole < n) decode_some(&z, x + whole, static_cast<uint>(n - whole));
  return bytes_of(stream_rtell(z.stream)) == bytes;
}

template std::size_t pack(Scratch&, const Parameters&, const float*, std::size_t, double, float, double&);
template std::size_t pack(Scratch&, const Parameters&, const double*, std::size_t, double, double, double&);
template bool unpack(Scratch&, const Parameters&, std::size_t, float*, std::size_t);
template bool unpack(Scratch&, const Parameters&, std::size_t, double*, std::size_t);

}  // namespace laconic::zfp
