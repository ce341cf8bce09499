// SPDX-License-Identifier: BSD-3-Clause
// The functions with which kernels code a block of zfp, run on the host and compared with libzfp: the same bits, and
// the same decoded numbers, for every block that libzfp codes as documented (src/codec/zfp/README.md).
#ifdef LACONIC_HAVE_ZFP

#include <gtest/gtest.h>
#include <zfp.h>

#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "codec/zfp/cuda/block.hpp"
#include "support/fields.hpp"
#include "support/seed.hpp"

namespace laconic::zfp {
namespace {

using test::Kind;
using test::Random;

// One block, coded by libzfp.
class Reference {
 public:
  Reference() : stream_(stream_open(memory_.data(), sizeof memory_)) {}
  ~Reference() { stream_close(stream_); }

  template <class T>
  void encode(std::array<T, 4> x, std::uint32_t n, std::uint32_t bits) {
    zfp_stream z = at_rate(bits);
    memory_.fill(0);
    stream_rewind(stream_);
    if constexpr (sizeof(T) == 4) {
      if (n == 4)
        zfp_encode_block_float_1(&z, x.data());
      else
        zfp_encode_partial_block_strided_float_1(&z, x.data(), n, 1);
    } else {
      if (n == 4)
        zfp_encode_block_double_1(&z, x.data());
      else
        zfp_encode_partial_block_strided_double_1(&z, x.data(), n, 1);
    }
    stream_flush(stream_);
  }

  template <class T>
  std::array<T, 4> decode(std::uint32_t bits) {
    zfp_stream z = at_rate(bits);
    std::array<T, 4> x{};
    stream_rewind(stream_);
    if constexpr (sizeof(T) == 4)
      zfp_decode_block_float_1(&z, x.data());
    else
      zfp_decode_block_double_1(&z, x.data());
    return x;
  }

  std::uint32_t word(std::uint32_t i) const {
    std::uint32_t word = 0;
    std::memcpy(&word, reinterpret_cast<const char*>(memory_.data()) + 4 * i, 4);
    return word;
  }
  void set_word(std::uint32_t i, std::uint32_t word) {
    std::memcpy(reinterpret_cast<char*>(memory_.data()) + 4 * i, &word, 4);
  }

 private:
  zfp_stream at_rate(std::uint32_t bits) const {
    zfp_stream z{};
    z.minbits = z.maxbits = bits;
    z.maxprec = ZFP_MAX_PREC;
    z.minexp = ZFP_MIN_EXP;
    z.stream = stream_;
    return z;
  }

  std::array<std::uint64_t, 16> memory_{};
  bitstream* stream_;
};

struct WordsOf {
  const Reference* reference;
  std::uint32_t operator()(std::uint32_t i) const { return reference->word(i); }
};

template <class T>
bool same_bits(const Quad<T>& a, const std::array<T, 4>& b) {
  const std::array<T, 4> as{a.x, a.y, a.z, a.w};
  return std::memcmp(as.data(), b.data(), sizeof as) == 0;
}

template <class T>
constexpr Dtype dtype = dtype_of<T>;

template <class T>
class ZfpBlock : public testing::Test {
 protected:
  // Encodes a block of n numbers with both implementations and decodes it with both.
  void compare(const std::array<T, 4>& x, std::uint32_t n, std::uint32_t bits) {
    reference_.encode(x, n, bits);
    std::array<std::uint32_t, 9> words;
    words.fill(0x5eed5eed);  // shows words that are not written
    BitWriter out(words.data(), 1);
    const Quad<T> back = encode_block(padded(Quad<T>{x[0], x[1], x[2], x[3]}, n), bits, out);
    const std::uint32_t used = (bits + 31) / 32;
    for (std::uint32_t i = 0; i < used; ++i)
      ASSERT_EQ(words[i], reference_.word(i)) << note(x, n, bits) << "word " << i;
    ASSERT_EQ(words[used], 0x5eed5eedu) << note(x, n, bits) << "written beyond the block";
    const std::array<T, 4> expected = reference_.template decode<T>(bits);
    ASSERT_TRUE(same_bits(back, expected)) << note(x, n, bits) << "what encoding says of decoding";
    ASSERT_NO_FATAL_FAILURE(compare_read(bits, note(x, n, bits)));
    ++blocks_;
  }

  // Decodes the words of the reference with both implementations.
  void compare_read(std::uint32_t bits, const std::string& what) {
    BitReader in(WordsOf{&reference_}, 0);
    const Quad<T> ours = decode_block<T>(bits, in);
    ASSERT_TRUE(same_bits(ours, reference_.template decode<T>(bits))) << what << "decoded";
  }

  static std::string note(const std::array<T, 4>& x, std::uint32_t n, std::uint32_t bits) {
    std::string text = test::seed_note() + ": " + std::to_string(n) + " numbers at " + std::to_string(bits) + " bits:";
    char number[40];
    for (const T v : x) {
      std::snprintf(number, sizeof number, " %a", static_cast<double>(v));
      text += number;
    }
    return text + ": ";
  }

  // Numbers as the codec passes them to blocks: no NaN, no infinity, nothing tiny.
  static T clean(T x) { return std::isfinite(x) ? without_tiny(x) : T(0); }

  // Every bit count that frames may have, and every length of a block, over the field.
  void compare_field(const std::vector<T>& field, std::uint32_t turn) {
    const auto least = static_cast<std::uint32_t>(least_rate(dtype<T>));
    const auto counts = static_cast<std::uint32_t>(raw_rate(dtype<T>)) - least;
    for (std::size_t i = 0; i + 4 <= field.size(); i += 4, ++turn) {
      const std::array<T, 4> x{clean(field[i]), clean(field[i + 1]), clean(field[i + 2]), clean(field[i + 3])};
      ASSERT_NO_FATAL_FAILURE(compare(x, turn % 16 == 0 ? 1 + turn / 16 % 3 : 4, least + turn % counts));
    }
  }

  Reference reference_;
  std::uint64_t blocks_ = 0;
};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(ZfpBlock, Types);

TYPED_TEST(ZfpBlock, HasTheBitsOfLibzfpForEveryKindOfNumbers) {
  for (const test::NamedKind& kind : test::all_kinds)
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      SCOPED_TRACE(std::string(kind.name));
      const auto field = test::make_field<TypeParam>(kind.kind, 40000, test::base_seed() + seed);
      ASSERT_NO_FATAL_FAILURE(this->compare_field(field, static_cast<std::uint32_t>(7 * seed)));
    }
  EXPECT_EQ(this->blocks_, laconic::test::all_kinds.size() * 5 * 10000);
}

TYPED_TEST(ZfpBlock, HasTheBitsOfLibzfpForRealFieldsAtEveryRate) {
  if (!test::have_real_fields()) GTEST_SKIP() << "no fields";
  const int most = raw_rate(dtype<TypeParam>);
  for (int bits = 12; bits < most; bits += most / 64)
    for (std::uint64_t which = 0; which < 5; ++which) {
      const auto field = test::make_field<TypeParam>(Kind::real, 6000, which + static_cast<std::uint64_t>(bits) * 5);
      for (std::size_t i = 0; i < field.size(); i += 4)
        ASSERT_NO_FATAL_FAILURE(this->compare(
            {this->clean(field[i]), this->clean(field[i + 1]), this->clean(field[i + 2]), this->clean(field[i + 3])}, 4,
            static_cast<std::uint32_t>(bits)));
    }
}

// Numbers of every magnitude at which libzfp is correct, also those that the codec leaves out: down to where the scale
// of a block is the largest finite power of two.
TYPED_TEST(ZfpBlock, HasTheBitsOfLibzfpDownToTheScaleWhereItOverflows) {
  using T = TypeParam;
  constexpr int lowest = sizeof(T) == 4 ? -98 : -962;
  constexpr int highest = std::numeric_limits<T>::max_exponent;
  Random random(test::base_seed());
  for (int exponent = lowest; exponent < highest; ++exponent)
    for (int i = 0; i < 100; ++i) {
      std::array<T, 4> x;
      for (T& v : x) {
        const double size = std::ldexp(1 + random.unit(), exponent - static_cast<int>(random.below(i % 2 ? 4 : 60)));
        v = static_cast<T>(random.below(2) ? -size : size);
      }
      x[random.below(4)] = static_cast<T>(std::ldexp(1 + random.unit(), exponent));
      const std::uint64_t most = static_cast<std::uint64_t>(raw_rate(dtype<T>) - least_rate(dtype<T>));
      const auto bits =
          static_cast<std::uint32_t>(random.below(most)) + static_cast<std::uint32_t>(least_rate(dtype<T>));
      ASSERT_NO_FATAL_FAILURE(this->compare(x, 4, bits));
    }
}

// Any bit pattern is the code of some block, and every reader must decode it alike.
TYPED_TEST(ZfpBlock, ReadsAnyBitsAsLibzfpDoes) {
  const auto least = static_cast<std::uint32_t>(least_rate(dtype<TypeParam>));
  const auto most = static_cast<std::uint32_t>(raw_rate(dtype<TypeParam>));
  Random random(test::base_seed() + 1);
  for (std::uint32_t bits = least; bits < most; ++bits)
    for (int i = 0; i < 2000; ++i) {
      for (std::uint32_t w = 0; w < 9; ++w) {
        // Words of mostly 0 or mostly 1 bits take other paths through the planes.
        std::uint64_t word = random.bits();
        if (i % 3 == 1) word &= random.bits() & random.bits();
        if (i % 3 == 2) word |= random.bits() | random.bits();
        this->reference_.set_word(w, static_cast<std::uint32_t>(word) | (w == 0 ? 1 : 0));
      }
      ASSERT_NO_FATAL_FAILURE(this->compare_read(
          bits, test::seed_note() + ": block " + std::to_string(i) + " of " + std::to_string(bits) + " bits "));
    }
}

// Every plane with every n, for a reader that has all bits of a code and for one that has only some of them.
TEST(ZfpPlane, CodesOfAllPlanesAreThoseOfTheLoop) {
  for (std::uint32_t n = 0; n < 4; ++n)
    for (std::uint32_t plane = 0; plane < 16; ++plane) {
      const PlaneCode code = encode_plane(plane, n);
      ASSERT_GE(code.length, n + 1);
      ASSERT_LE(code.length, 7u);
      for (std::uint32_t behind = 0; behind < 32; ++behind) {
        const PlaneRead read = decode_plane(code.bits | behind << code.length, n);
        ASSERT_EQ(read.plane, plane) << "n " << n;
        ASSERT_EQ(read.length, code.length) << "n " << n << " plane " << plane;
      }
      ASSERT_EQ(decode_cut_plane(code.bits, n, code.length), plane) << "n " << n;
    }
}

}  // namespace
}  // namespace laconic::zfp

#endif
