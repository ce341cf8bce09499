// SPDX-License-Identifier: BSD-3-Clause
#include "explain/on_device.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "text.hpp"

namespace laconic::cli::explain {
namespace {

// The sizes of data for which kernel times are shown.
constexpr double small_bytes = 1 << 20;
constexpr double large_bytes = 1 << 30;

// The kernels of plans, without the copy kernel, which depends on the device alone.
constexpr std::array<Kernel, 5> coding_kernels{Kernel::encode, Kernel::decode, Kernel::merge, Kernel::fold,
                                               Kernel::add};

const char* mark(const Curve& curve) { return curve.is_measured() ? "measured" : "modelled"; }

// The mark of a sum of kernel times.
const char* mark(const Coder& coder) {
  const auto measured = std::count_if(coding_kernels.begin(), coding_kernels.end(),
                                      [&](Kernel kernel) { return coder[kernel].is_measured(); });
  return measured == 0                                          ? "modelled"
         : measured == static_cast<long>(coding_kernels.size()) ? "measured"
                                                                : "partly measured";
}

std::string kernels_text(const DeviceAnswer& a) {
  std::vector<Cells> rows{{"kernel", "of 1 MiB", "of 1 GiB", "GB/s", "", ""}};
  for (const Kernel kernel : coding_kernels) {
    const Curve& curve = a.coder[kernel];
    rows.push_back({std::string(name_of(kernel)), seconds_text(curve(small_bytes)), seconds_text(curve(large_bytes)),
                    fmt::format("{:.0f}", 1e-9 * large_bytes / curve(large_bytes)), mark(curve),
                    curve.is_measured() ? curve.source() : ""});
  }
  return aligned(rows, 1);
}

JsonObject timing_json(const std::optional<DeviceChoice>& c, const Coder* coder) {
  JsonObject o;
  if (!c || !c->timing) return o;
  o.number("rows", c->rows).number("seconds", c->timing->seconds).number("codec_s", c->timing->codec);
  o.number("wire_s", c->timing->wire).number("latency_s", c->timing->latency);
  o.text("codec_is", coder ? mark(*coder) : "modelled").text("wire_is", "modelled").text("latency_is", "modelled");
  return o;
}

}  // namespace

DeviceAnswer answer_on_device(const Question& q, const DeviceQuestion& d) {
  DeviceAnswer a;
  const Travel travel = travel_in(q);
  const Journey journey{static_cast<double>(q.bytes), q.ranks, q.root, travel, q.ratio, 1};
  const Journey uncompressed{journey.bytes, q.ranks, q.root, Travel::homomorphic, 1, 1};
  a.coder = coder_of(*d.device, q.codec->name(), q.dtype, q.ratio);
  const Coder plain = plain_coder(*d.device);
  for (const Algorithm& algorithm : all_algorithms()) {
    if (algorithm.collective != q.collective || !algorithm.fits(q.ranks)) continue;
    a.rows.push_back({&algorithm, best_rows(algorithm, journey, a.coder, d.path),
                      best_rows(algorithm, uncompressed, plain, d.path)});
  }
  a.chosen = choose_on_device(q.collective, journey, a.coder, d.path);
  return a;
}

std::string device_text(const Question& q, const DeviceQuestion& d, const DeviceAnswer& a) {
  std::string text =
      fmt::format("\non devices: {} ({}), {} {} at ratio {}; messages of {} + bytes / {:.4g} GB/s, {} of the sender\n",
                  d.device->name, d.device->what, q.codec_name, laconic::name_of(q.dtype), q.ratio,
                  seconds_text(d.path.latency), 1e-9 * d.path.bytes_per_second, seconds_text(d.path.per_message));
  text += fmt::format("auto takes {} in {} row{}{}\n", a.chosen.algorithm->name(), a.chosen.rows,
                      a.chosen.rows == 1 ? "" : "s",
                      a.chosen.timing ? "" : ", as for numbers on hosts: no prediction was possible");
  std::vector<Cells> rows{{"algorithm", "rows", "predicted", "codec", "wire", "latency", "without compression"}};
  for (const DeviceRow& r : a.rows) {
    if (!r.choice || !r.plain) {
      rows.push_back({std::string(r.algorithm->name()), "-", "-", "-", "-", "-", "-"});
      continue;
    }
    const Timing& t = *r.choice->timing;
    rows.push_back({std::string(r.algorithm->name()), std::to_string(r.choice->rows), seconds_text(t.seconds),
                    seconds_text(t.codec), seconds_text(t.wire), seconds_text(t.latency),
                    seconds_text(r.plain->timing->seconds)});
  }
  text += aligned(rows, 1);
  text += fmt::format(
      "codec is {}; wire, latency and without compression are modelled; they add up along the longest way\n",
      mark(a.coder));
  if (std::any_of(a.rows.begin(), a.rows.end(), [](const DeviceRow& r) { return !r.choice || !r.plain; }))
    text += "-: the plans of so many ranks are too large for a quick prediction\n";
  text += kernels_text(a);
  if (std::string_view(mark(a.coder)) != "measured")
    text += fmt::format("modelled: {}\n", plain_coder(*d.device)[Kernel::copy].source());
  return text;
}

std::string device_json(const DeviceQuestion& d, const DeviceAnswer& a) {
  std::vector<std::string> rows, objects;
  for (const DeviceRow& r : a.rows) {
    JsonObject row;
    row.text("algorithm", r.algorithm->name());
    row.raw("compressed", r.choice ? timing_json(r.choice, &a.coder).take() : "null");
    row.raw("uncompressed", r.plain ? timing_json(r.plain, nullptr).take() : "null");
    rows.push_back(row.take());
  }
  for (const Kernel kernel : coding_kernels) {
    const Curve& curve = a.coder[kernel];
    JsonObject object;
    object.text("kernel", name_of(kernel)).text("is", mark(curve)).text("source", curve.source());
    object.number("launch_s", curve.launch()).number("s_of_1_mib", curve(small_bytes));
    object.number("s_of_1_gib", curve(large_bytes));
    objects.push_back(object.take());
  }
  JsonObject out;
  out.text("name", d.device->name).text("auto", a.chosen.algorithm->name()).number("auto_rows", a.chosen.rows);
  out.truth("auto_predicted", a.chosen.timing.has_value());
  out.number("latency_s", d.path.latency).number("bandwidth_bytes_s", d.path.bytes_per_second);
  out.number("message_s", d.path.per_message);
  out.raw("algorithms", fmt::format("[{}]", fmt::join(rows, ", ")));
  out.raw("kernels", fmt::format("[{}]", fmt::join(objects, ", ")));
  return out.take();
}

}  // namespace laconic::cli::explain
