// SPDX-License-Identifier: BSD-3-Clause
// The functions of laconic/codec.h that code nothing: names, version, checksum.
#include "base/checksum.hpp"
#include "base/dtype.hpp"
#include "base/names.hpp"
#include "laconic/codec.h"
#include "wire/frame.hpp"

namespace {

bool known(laconic_dtype dtype) { return dtype >= LACONIC_FLOAT32 && dtype <= LACONIC_UINT64; }

constexpr bool same(laconic_codec in_api, laconic::CodecName name) {
  return static_cast<int>(in_api) == static_cast<int>(name);
}
static_assert(same(LACONIC_CODEC_QUANT, laconic::CodecName::quant) &&
              same(LACONIC_CODEC_RAW, laconic::CodecName::raw) && same(LACONIC_CODEC_SZX, laconic::CodecName::szx) &&
              same(LACONIC_CODEC_ZFP, laconic::CodecName::zfp) &&
              same(LACONIC_CODEC_LOSSLESS, laconic::CodecName::lossless) &&
              same(LACONIC_CODEC_DENSE, laconic::CodecName::dense));
static_assert(static_cast<int>(laconic::Dtype::f32) == LACONIC_FLOAT32 &&
              static_cast<int>(laconic::Dtype::bf16) == LACONIC_BFLOAT16 &&
              static_cast<int>(laconic::Dtype::u64) == LACONIC_UINT64);

}  // namespace

const char* laconic_dtype_name(laconic_dtype dtype) {
  return known(dtype) ? laconic::name_of(static_cast<laconic::Dtype>(dtype)).data() : nullptr;
}

size_t laconic_dtype_size(laconic_dtype dtype) {
  return known(dtype) ? laconic::size_of(static_cast<laconic::Dtype>(dtype)) : 0;
}

const char* laconic_codec_name(laconic_codec codec) {
  if (codec <= LACONIC_CODEC_UNSET || codec > LACONIC_CODEC_DENSE) return nullptr;
  return laconic::text_of(static_cast<laconic::CodecName>(codec)).data();
}

uint64_t laconic_checksum_of(const void* data, size_t bytes) {
  return laconic::checksum::sum({static_cast<const std::byte*>(data), bytes});
}

void laconic_version(int* major, int* minor, int* patch) {
  if (major != nullptr) *major = LACONIC_VERSION_MAJOR;
  if (minor != nullptr) *minor = LACONIC_VERSION_MINOR;
  if (patch != nullptr) *patch = LACONIC_VERSION_PATCH;
}

void laconic_wire_format(int* major, int* minor) {
  if (major != nullptr) *major = laconic::wire::format_major;
  if (minor != nullptr) *minor = laconic::wire::format_minor;
}
