// SPDX-License-Identifier: BSD-3-Clause
// The numbers of a block that are in a mask: loops without branches on its bits, which would be mispredicted where
// exceptions alternate with other numbers.

template <class T>
void find_beyond(const T* x, std::size_t n, double inverse, double limit, Mask& mask) {
  mask.clear();
  for (std::size_t i = 0; i < n; ++i) {
    const bool beyond = !(std::fabs(static_cast<double>(x[i]) * inverse) <= limit);
    mask.words[i / mask_word_bits] |= static_cast<std::uint32_t>(beyond) << i % mask_word_bits;
  }
}

// Calls f with a number of this size.
template <class F>
void with_item(std::size_t bytes, F&& f) {
  switch (bytes) {
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    default: return f(std::uint64_t{});
  }
}

void take_masked(const void* in, std::size_t item_bytes, const Mask& mask, std::size_t n, void* out) {
  with_item(item_bytes, [&](auto item) {
    const auto* from = static_cast<const std::byte*>(in);
    auto* to = static_cast<std::byte*>(out);
    for (std::size_t i = 0; i < n; ++i) {
      std::memcpy(&item, from + i * sizeof item, sizeof item);
      std::memcpy(to, &item, sizeof item);
      to += mask.has(i) ? sizeof item : 0;
    }
  });
}

void put_masked(const void* in, std::size_t item_bytes, const Mask& mask, std::size_t n, void* out) {
  with_item(item_bytes, [&](auto item) {
    const auto* from = static_cast<const std::byte*>(in);
    auto* to = static_cast<std::byte*>(out);
    for (std::size_t i = 0; i < n; ++i) {
      std::memcpy(&item, from, sizeof item);
      item = static_cast<decltype(item)>(mask.has(i) ? item : 0);
      std::memcpy(to + i * sizeof item, &item, sizeof item);
      from += mask.has(i) ? sizeof item : 0;
    }
  });
}

void copy_masked(const void* in, std::size_t item_bytes, const Mask& mask, std::size_t n, void* out) {
  with_item(item_bytes, [&](auto item) {
    const auto* from = static_cast<const std::byte*>(in);
    auto* to = static_cast<std::byte*>(out);
    for (std::size_t i = 0; i < n; ++i)
      std::memcpy(to + i * sizeof item, (mask.has(i) ? from : to) + i * sizeof item, sizeof item);
  });
}

void find_changes(const void* in, std::size_t item_bytes, std::size_t n, Mask& mask) {
  mask.clear();
  with_item(item_bytes, [&](auto item) {
    const auto* from = static_cast<const std::byte*>(in);
    auto next = item;
    for (std::size_t begin = 0; begin + 1 < n; begin += mask_word_bits) {
      std::uint32_t word = 0;
      for (std::size_t i = begin; i < std::min(begin + mask_word_bits, n - 1); ++i) {
        std::memcpy(&item, from + i * sizeof item, sizeof item);
        std::memcpy(&next, from + (i + 1) * sizeof item, sizeof item);
        word |= static_cast<std::uint32_t>(item != next) << (i - begin);
      }
      mask.words[begin / mask_word_bits] = word;
    }
  });
}

constexpr Kernels::Masks mask_kernels{find_beyond<float>, find_beyond<double>, take_masked,
                                      put_masked,         copy_masked,         find_changes};
