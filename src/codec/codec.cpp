// SPDX-License-Identifier: BSD-3-Clause
#include "codec/codec.hpp"

#include <string>

namespace laconic {

#define LACONIC_CODEC(name) const Codec& name##_codec();
#include "codec/codecs.def"
#undef LACONIC_CODEC

const std::vector<const Codec*>& all_codecs() {
  static const std::vector<const Codec*> codecs{
#define LACONIC_CODEC(name) &name##_codec(),
#include "codec/codecs.def"
#undef LACONIC_CODEC
  };
  return codecs;
}

const Codec* find_codec(CodecName name) {
  for (const Codec* codec : all_codecs())
    if (codec->api_name() == name) return codec;
  return nullptr;
}

const Codec* find_codec(std::string_view name) {
  for (const Codec* codec : all_codecs())
    if (codec->name() == name) return codec;
  return nullptr;
}

Status not_supported(const Codec& codec, Dtype dtype) {
  std::string valid;
  for (const Dtype other : all_dtypes)
    if (codec.supports(other)) valid += (valid.empty() ? "" : ", ") + std::string(name_of(other));
  return {Code::type, "codec " + std::string(codec.name()) + " does not code numbers of type " +
                          std::string(name_of(dtype)) + "; it codes " + valid};
}

Status check_coding(const Codec& codec, const Coding& coding) {
  if (!codec.supports(coding.dtype)) return not_supported(codec, coding.dtype);
  if (coding.coarser > largest_coarser || (coding.coarser > 0 && (!codec.rounds_results() || coding.relative > 0)))
    return {Code::argument, "codec " + std::string(codec.name()) + " does not round results to a lattice 2^" +
                                std::to_string(coding.coarser) + " times as coarse; valid are exponents from 0 to " +
                                std::to_string(codec.rounds_results() && coding.relative == 0 ? largest_coarser : 0)};
  if (coding.relative == 0 || codec.relative()) return {};
  std::string valid;
  for (const Codec* other : all_codecs())
    if (other->relative()) valid += (valid.empty() ? "" : ", ") + std::string(other->name());
  return {Code::argument, "codec " + std::string(codec.name()) +
                              " has no bound relative to the root mean square or the range of a block (rms:R, "
                              "block:R); those that have are " +
                              valid};
}

Status read_codec_header(Frame frame, const Codec& codec, std::size_t count, Dtype dtype, wire::Header& header) {
  if (!codec.supports(dtype)) return not_supported(codec, dtype);
  if (Status s = wire::read_header(frame, header); !s) return s;
  return check_codec_header(header, codec, count, dtype);
}

Status check_codec_header(const wire::Header& header, const Codec& codec, std::size_t count, Dtype dtype) {
  if (header.failed()) return {Code::frame, "the sender could not produce these numbers"};
  if (header.codec != codec.id())
    return {Code::frame, "malformed frame: codec " + std::to_string(header.codec) + " where " +
                             std::string(codec.name()) + " (" + std::to_string(codec.id()) + ") was expected"};
  if (header.scaled() && !codec.relative())
    return {Code::frame, "malformed frame: scaled, which those of " + std::string(codec.name()) + " never are"};
  if (header.dtype != dtype)
    return {Code::frame, "malformed frame: numbers of type " + std::string(name_of(header.dtype)) + " where " +
                             std::string(name_of(dtype)) + " were expected"};
  if (header.count != count)
    return {Code::frame, "malformed frame: " + std::to_string(header.count) + " numbers where " +
                             std::to_string(count) + " were expected"};
  return {};
}

}  // namespace laconic
