// SPDX-License-Identifier: BSD-3-Clause
// laconic codec: measures the codecs on files of numbers, and converts numbers to frames and back.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codec/quant/kernels.hpp"
#include "codec_measure.hpp"
#include "codec_report.hpp"
#include "commands.hpp"
#include "frame_file.hpp"
#include "made_field.hpp"
#include "options.hpp"
#include "output_file.hpp"
#include "text.hpp"

namespace laconic::cli {
namespace {

struct Arguments {
  std::vector<std::string> fields;
  std::string dtype;
  std::vector<std::string> bounds;
  std::vector<std::string> codecs;
  std::size_t count = 0;
  std::string tile;
  Setup setup;
  bool as_json = false;
  std::string json_file;
  std::string write;
  std::vector<std::string> read;
};

std::vector<const Codec*> chosen_codecs(const std::vector<std::string>& names) {
  std::vector<const Codec*> chosen;
  std::string valid = "all";
  for (const Codec* codec : all_codecs()) valid += ", " + std::string(codec->name());
  for (const auto& name : names) {
    if (name == "all") return all_codecs();
    const Codec* codec = find_codec(name);
    if (codec == nullptr) throw usage(fmt::format("codec '{}' is not valid; valid are {}", name, valid));
    chosen.push_back(codec);
  }
  return chosen;
}

std::vector<AskedBound> chosen_bounds(const std::vector<std::string>& texts) {
  std::vector<AskedBound> bounds(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    bounds[i].text = texts[i];
    if (Status s = parse_bound(texts[i], bounds[i].bound); !s) throw usage(s.message());
    bounds[i].bound = library_bound(bounds[i].bound);
  }
  return bounds;
}

std::optional<Dtype> chosen_dtype(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return parse_dtype(text);
}

std::string_view chosen_isa() {
  if (const char* asked = std::getenv("LACONIC_ISA"))
    if (Status s = quant::check_isa(asked); !s) throw usage(s.message());
  return quant::best_kernels().name;
}

void write(const Arguments& a) {
  if (a.codecs.size() > 1 || a.bounds.size() != 1)
    throw usage("--write takes one --bound and at most one --codec (default: quant)");
  const auto codecs = chosen_codecs(a.codecs.empty() ? std::vector<std::string>{"quant"} : a.codecs);
  if (codecs.size() != 1) throw usage("--write takes one codec, not all");
  const auto files = find_fields(a.fields, chosen_dtype(a.dtype));
  if (files.size() != 1) throw usage(fmt::format("--write takes one FILE, not {}", files.size()));
  const Bound bound = chosen_bounds(a.bounds)[0].bound;
  const auto dtype = chosen_dtype(a.dtype);
  if (!offers(*codecs[0], bound))
    throw usage(fmt::format("codec {} has no mode for {}", codecs[0]->name(), a.bounds[0]));
  const Field field = read_field(files[0], dtype, a.count);
  if (!codecs[0]->supports(field.dtype)) throw usage(not_supported(*codecs[0], field.dtype).message());
  Coding coding;
  Promise promise;
  const Range range = range_without_fills(field.numbers.data(), field.count, field.dtype);
  if (Status s = resolve(bound, range, field.dtype, coding, promise); !s) throw usage(s.message());
  const FileSummary done = write_frames(*codecs[0], coding, field, a.setup.chunk, a.write);
  fmt::print("{}: {} {} in {} frames of {}, {} bytes, ratio {:.2f}, error at most {:.6g}\n", a.write, done.numbers,
             name_of(field.dtype), done.frames, codecs[0]->name(), done.bytes,
             static_cast<double>(field.count * size_of(field.dtype)) / static_cast<double>(done.bytes), done.error);
}

void read(const Arguments& a) {
  const FileSummary done = read_frames(a.read[0], a.read[1]);
  fmt::print("{}: {} numbers from {} frames, error at most {:.6g}\n", a.read[1], done.numbers, done.frames, done.error);
}

void measure_all(const Arguments& a) {
  const std::string_view isa = chosen_isa();
  const auto codecs = chosen_codecs(a.codecs.empty() ? std::vector<std::string>{"all"} : a.codecs);
  const auto bounds =
      chosen_bounds(a.bounds.empty() ? std::vector<std::string>{"rel:1e-2", "rel:1e-3", "rel:1e-4"} : a.bounds);
  const bool all = codecs.size() == all_codecs().size();
  const auto dtype = chosen_dtype(a.dtype);
  if (!a.json_file.empty()) check_replaceable(a.json_file);
  const bool print_table = !a.as_json || !a.json_file.empty();

  std::vector<FieldReport> reports;
  for (const auto& file : find_fields(a.fields, dtype)) {
    const Field field = read_field(file, dtype, a.count);
    const std::size_t most = std::max(field.count, a.setup.tile / size_of(field.dtype));
    if (std::min(most, a.setup.chunk == 0 ? most : a.setup.chunk) > largest_frame)
      throw usage(fmt::format("--chunk {}: a frame holds at most {} numbers", a.setup.chunk, largest_frame));
    FieldReport report{
        file, field.dtype, field.count, range_without_fills(field.numbers.data(), field.count, field.dtype), {}};
    for (const Codec* codec : codecs)
      for (const AskedBound& bound : bounds)
        if (!all || (offers(*codec, bound.bound) && codec->supports(field.dtype)))
          report.rows.push_back(measure(*codec, bound, field, report.range, a.setup));
    if (print_table) {
      fmt::print("{}{}", reports.empty() ? "" : "\n", table(report, a.setup, isa));
      std::fflush(stdout);
    }
    reports.push_back(std::move(report));
  }
  if (!a.as_json) return;
  const std::string text = json(reports, a.setup, isa);
  if (a.json_file.empty()) {
    fmt::print("{}", text);
    return;
  }
  OutputFile out(a.json_file);
  out.write(text);
  out.commit();
}

void run(const Arguments& a) {
  if (!a.read.empty()) {
    if (!a.fields.empty() || !a.write.empty() || a.as_json || !a.bounds.empty() || !a.codecs.empty())
      throw usage("--read IN.lac OUT takes no other argument");
    return read(a);
  }
  if (a.fields.empty())
    throw usage(
        "codec: FILE is missing; valid are files of numbers, folders of them, and made numbers such as kind:smooth");
  if (a.write.empty()) return measure_all(a);
  if (a.as_json) throw usage("--write and --json exclude each other");
  write(a);
}

}  // namespace

void add_codec_command(Command& app) {
  auto a = std::make_shared<Arguments>();
  Command command = app.add_subcommand("codec", "Measure codecs on files of numbers; write and read frames");
  command.add_option("FILE", a->fields,
                     "files of numbers without a header, or folders of *.f32, *.f64, *.bf16, *.i32, ...");
  add_list(command, "--field", a->fields, fmt::format("the same, or made numbers: {}", kind_names()));
  command.add_option(
      "--dtype", a->dtype,
      "f32, f64, f16, bf16, i8, u8, i16, u16, i32, u32, i64 or u64 (default: the file's ending, else f32)");
  add_list(command, "--bound", a->bounds, fmt::format("{} (default: rel:1e-2,rel:1e-3,rel:1e-4)", bound_forms));
  add_list(command, "--codec", a->codecs, "names of codecs, or all (default: all)");
  add_whole(command, "--count", a->count, std::size_t{1}, "use the first N numbers only");
  add_whole(command, "--chunk", a->setup.chunk, std::size_t{0}, "numbers per frame; 0: all in one frame");
  add_whole(command, "--threads", a->setup.threads, 1, 256, "threads that encode and decode, and copy for comparison");
  add_whole(command, "--repeat", a->setup.repeat, 0, 1000000, "timed repetitions; 0: measure no speeds");
  command.add_option("--tile", a->tile, "measure speeds on the field repeated or cut to this many bytes");
  const auto json =
      command.add_option("--json", a->json_file, "print JSON; with FILE: print the table and write JSON to FILE")
          .expected(0, 1);
  command.add_option("--write", a->write, "write the frames of one FILE into this file");
  command.add_option("--read", a->read, "write the numbers of a file of frames into a file: IN.lac OUT").expected(2);
  command.callback([a, json] {
    if (!a->tile.empty()) a->setup.tile = parse_bytes("--tile", a->tile);
    a->as_json = json.count() > 0;
    run(*a);
  });
}

}  // namespace laconic::cli
