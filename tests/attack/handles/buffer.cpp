// SPDX-License-Identifier: BSD-3-Clause
#include "buffer.hpp"

#include <algorithm>
#include <cmath>

namespace handles {
namespace {

long expected(const std::vector<Wave>& waves, Reduce op, std::size_t i) {
  long result = waves[0].at(i);
  for (std::size_t k = 1; k < waves.size(); ++k) {
    const long x = waves[k].at(i);
    result = op == Reduce::sum ? result + x : op == Reduce::max ? std::max(result, x) : std::min(result, x);
  }
  return result;
}

}  // namespace

Buffer::Buffer(Run& run, Random& random, Signature signature, std::shared_ptr<Type> type, std::vector<Block> blocks,
               std::size_t room)
    : run_(run), signature_(signature), type_(std::move(type)), blocks_(std::move(blocks)) {
  std::size_t end = type_->bytes(room);
  for (const Block& b : blocks_)
    if (b.numbers > 0) end = std::max(end, b.at * type_->extent() + type_->bytes(b.numbers / type_->numbers()));
  bytes_ = end;
  memory_ = std::make_unique<Memory>(end, random.below(2) == 0, random.bits());
}

void Buffer::fill(std::uint64_t key) {
  key_ = key;
  if (read_only_) memory_->make_writable();
  for (const Block& b : blocks_) {
    if (!b.before) continue;
    const Wave wave(key, b.before->from, b.before->to);
    for (std::size_t i = 0; i < b.numbers; ++i) store(place(b, i), signature_.at(i), wave.at(i));
  }
  if (read_only_) memory_->make_read_only();
  image_.assign(memory_->pages(), memory_->pages() + memory_->pages_bytes());
}

bool Buffer::right(double got, double want, Kind kind, std::size_t terms) const {
  if (got == want) return true;
  if (kind == Kind::i32 || run_.bound == 0) return false;
  // A sum is rounded to its own type, too.
  const double rounding = terms == 1 ? 0 : std::fabs(want) * (kind == Kind::f32 ? 2.4e-7 : 4.5e-16);
  return std::fabs(got - want) <= run_.bound + rounding;
}

void Buffer::plant() {
  const auto writes = [](const Block& b) { return !b.after.empty() && b.numbers > 0; };
  const auto result = std::ranges::find_if(blocks_, writes);
  const bool reads_only = std::ranges::none_of(blocks_, [](const Block& b) { return !b.after.empty() || b.any_after; });
  if (read_only_) return;
  if (result != blocks_.end()) {
    if (run_.plants(Plant::sentinel)) {
      // Behind the buffer, or before it: its memory ends or begins at a page of others.
      unsigned char* const end = memory_->pages() + memory_->pages_bytes();
      (memory_->data() == memory_->pages() ? end[-1] : *memory_->pages()) ^= 1;
    }
    if (run_.plants(Plant::value)) {
      const std::size_t i = result->numbers / 2;
      const long units = std::lround(load(place(*result, i), signature_.at(i)) * unit);
      store(place(*result, i), signature_.at(i), units + 2);
    }
  }
  if (reads_only && !blocks_.empty() && blocks_[0].numbers > 0 && run_.plants(Plant::input)) *place(blocks_[0], 0) ^= 1;
}

void Buffer::check(const std::string& what) {
  if (run_.plant != Plant::none) plant();
  std::vector<unsigned char> now(memory_->pages(), memory_->pages() + memory_->pages_bytes());
  const auto restore = [&](unsigned char* at, std::size_t bytes) {
    const std::ptrdiff_t offset = at - memory_->pages();
    std::memcpy(now.data() + offset, image_.data() + offset, bytes);
  };
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const Block& b = blocks_[k];
    if (b.after.empty() && !b.any_after) continue;
    std::vector<Wave> waves;
    for (const Way& way : b.after) waves.emplace_back(key_, way.from, way.to);
    bool good = true;
    for (std::size_t i = 0; i < b.numbers; ++i) {
      unsigned char* const at = place(b, i);
      const Kind kind = signature_.at(i);
      if (good && !b.any_after) {
        const double want = value_of(kind, expected(waves, b.op, i));
        const double got = load(at, kind);
        good = CHECK(run_.journal, right(got, want, kind, waves.size()),
                     "%s: block %zu, number %zu of %zu: %.9g, not %.9g", what.c_str(), k, i, b.numbers, got, want);
      }
      restore(at, width(kind));
    }
  }
  const auto differs = std::ranges::mismatch(now, image_).in1;
  CHECK(run_.journal, differs == now.end(), "%s: a byte that is not to change, %td from the beginning of the buffer%s",
        what.c_str(), (differs - now.begin()) - (memory_->data() - memory_->pages()),
        read_only_ ? ", which is read-only" : "");
}

std::uint64_t Buffer::bits() const {
  std::uint64_t h = 1;
  for (const Block& b : blocks_) {
    if (b.after.empty()) continue;
    for (std::size_t i = 0; i < b.numbers; ++i) {
      std::uint64_t x = 0;
      std::memcpy(&x, place(b, i), width(signature_.at(i)));
      h = mix(h, x);
    }
  }
  return h;
}

}  // namespace handles
