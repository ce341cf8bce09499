// One coding step of a row, as the device runs it.
#pragma once

#include <cstddef>

#include "base/status.hpp"
#include "codec/codec.hpp"
#include "device/device.hpp"
#include "engine/plan.hpp"

namespace laconic {

// How numbers and frames are coded in one operation.
struct Codings {
  Coding earlier;  // encodes, folds and adds on the way to a result
  Coding last;     // encodes of results
  Coding between;  // decodes on the way
  Coding result;   // decodes results
};

class CodingJob final : public Job {
 public:
  Act act = Act::encode;
  Home from = Home::none;  // merge: whether there are numbers; they may be at nullptr where count is 0
  bool last = false;       // encode
  const Codec* codec = nullptr;
  const Codings* codings = nullptr;
  Frame arrived;                       // fold, add, merge
  Frame current;                       // add, merge without numbers, unpack, decode
  const std::byte* numbers = nullptr;  // encode, fold, merge, copy
  std::byte* result = nullptr;         // merge, unpack, decode, copy
  std::size_t count = 0;
  Blob out;      // encode, fold, add: the new frame
  Blob scratch;  // merge: room for numbers

  Coded coded;
  double seconds = 0;           // all
  double seconds_combined = 0;  // of these, merge's arithmetic

  void run() noexcept override;

 private:
  Status merge();
  void copy() const;
};

}  // namespace laconic
