// SPDX-License-Identifier: BSD-3-Clause
#include "report/figures.hpp"

#include "report/text.hpp"

namespace laconic::dropin {

std::string text_of(const TallyGroup& group) { return format("%.60s (%d)", group.name.c_str(), group.ranks); }

double ratio_of(std::uint64_t uncompressed, std::uint64_t sent) {
  return sent > 0 ? static_cast<double>(uncompressed) / static_cast<double>(sent) : 1.0;
}

BytesByReason bytes_by_reason(const TallyGroup& group, std::size_t o) {
  BytesByReason bytes{};
  for (const auto& [of, traffic] : group.traffic)
    if (of.activity == activity_of(static_cast<Operation>(o)))
      bytes[static_cast<std::size_t>(of.reason)] += traffic.bytes;
  return bytes;
}

std::string why_plain(const Tally& t, const BytesByReason& bytes) {
  std::string text;
  for (std::size_t k = 1; k < reasons; ++k)
    if (t.plain[k] > 0)
      text += format("%s%llu %s (%.3f MB)", text.empty() ? "" : "; ", static_cast<unsigned long long>(t.plain[k]),
                     text_of(static_cast<Reason>(k)), megabytes(bytes[k]));
  return text;
}

std::string by_codec(const Tally& t, const char* form) {
  std::string text;
  for (std::size_t k = 1; k < codecs; ++k)
    if (t.by_codec[k] > 0)
      text += (text.empty() ? "" : ", ") + format(form, laconic_codec_name(static_cast<laconic_codec>(k)),
                                                  static_cast<unsigned long long>(t.by_codec[k]));
  return text;
}

std::map<Activity, Traffic> never_compressed(const TallyGroup& group) {
  std::map<Activity, Traffic> all;
  for (const auto& [of, traffic] : group.traffic)
    if (!is_operation(of.activity)) {
      all[of.activity].calls += traffic.calls;
      all[of.activity].bytes += traffic.bytes;
    }
  return all;
}

std::string time_text(double seconds) {
  return seconds < 1e-3 ? format("%.4g us", seconds * 1e6)
         : seconds < 1  ? format("%.4g ms", seconds * 1e3)
                        : format("%.4g s", seconds);
}

std::string algorithm_text(laconic_algorithm algorithm) {
  const char* name = laconic_algorithm_name(algorithm);
  return algorithm == LACONIC_ALGORITHM_PLAIN ? "left to MPI" : name != nullptr ? name : "?";
}

std::string codec_text(laconic_codec codec) {
  const char* name = laconic_codec_name(codec);
  return name != nullptr ? std::string(" with ") + name : "";
}

}  // namespace laconic::dropin
