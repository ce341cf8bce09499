// SPDX-License-Identifier: BSD-3-Clause
// laconic._codec: the functions of laconic/codec.h.  laconic/__init__.py documents them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <sys/mman.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "buffer.hpp"
#include "error.hpp"
#include "laconic/codec.h"

namespace laconic::python {
namespace {

void check(int code) {
  if (code != LACONIC_OK) throw Error(code, laconic_codec_error());
}

[[noreturn]] void refuse(const std::string& message) { throw nb::value_error(message.c_str()); }

template <class Enum>
Enum by_name(const char* what, const std::string& name, const char* (*name_of)(Enum), int most) {
  std::string valid;
  for (int k = 1; k <= most; ++k) {
    const char* known = name_of(static_cast<Enum>(k));
    if (known == nullptr) continue;
    if (name == known) return static_cast<Enum>(k);
    valid += (valid.empty() ? "" : ", ") + std::string(known);
  }
  refuse(std::string(what) + " '" + name + "' is not valid; valid are " + valid);
}

laconic_dtype dtype_named(const std::string& name) {
  return by_name("dtype", name, laconic_dtype_name, LACONIC_UINT64);
}

laconic_codec codec_named(const std::optional<std::string>& name) {
  return name ? by_name("codec", *name, laconic_codec_name, LACONIC_CODEC_DENSE) : LACONIC_CODEC_UNSET;
}

laconic_reduction reduction_named(const std::string& name) {
  if (name == "sum") return LACONIC_REDUCTION_SUM;
  if (name == "max") return LACONIC_REDUCTION_MAX;
  if (name == "min") return LACONIC_REDUCTION_MIN;
  refuse("reduction '" + name + "' is not valid; valid are sum, max, min");
}

laconic_denormals denormals_named(const std::string& name) {
  if (name == "round") return LACONIC_DENORMALS_ROUND;
  if (name == "exact") return LACONIC_DENORMALS_EXACT;
  refuse("denormals '" + name + "' is not valid; valid are round, exact");
}

laconic_dtype type_of(const Buffer& numbers, const char* name) {
  if (numbers.dtype()) return *numbers.dtype();
  const std::string what = std::string(name) + " has numbers of type '" + numbers.type_name() +
                           "'; valid are float16, bfloat16, float32, float64 and integers of 8 to 64 bits, in the "
                           "byte order of this machine";
  throw nb::type_error(what.c_str());
}

// Owns a laconic_coder.
class Coder {
 public:
  explicit Coder(const laconic_coding& coding) : dtype_(coding.dtype) { check(laconic_coder_create(&coding, &coder_)); }
  ~Coder() { laconic_coder_free(coder_); }
  Coder(const Coder&) = delete;
  Coder& operator=(const Coder&) = delete;

  std::size_t capacity(std::size_t count) const { return laconic_coder_capacity(coder_, count); }
  laconic_dtype dtype() const { return dtype_; }

  // The number of numbers in a buffer of the coder's type.
  std::size_t count_of(const Buffer& numbers, const char* name) const {
    if (numbers.dtype() != dtype_)
      refuse(std::string(name) + " has numbers of type '" + numbers.type_name() + "'; valid is " +
             laconic_dtype_name(dtype_) + ", the dtype of the coder");
    return numbers.bytes() / laconic_dtype_size(dtype_);
  }

  // Runs a function of the library without Python's lock.  Two threads may use one Coder, in turn.
  template <class Call>
  void run(Call&& call) {
    int code = LACONIC_OK;
    std::string message;
    {
      nb::gil_scoped_release released;
      const std::lock_guard lock(mutex_);
      code = call(coder_);
      if (code != LACONIC_OK) message = laconic_codec_error();
    }
    if (code != LACONIC_OK) throw Error(code, message.c_str());
  }

 private:
  laconic_coder coder_ = nullptr;
  laconic_dtype dtype_;
  std::mutex mutex_;
};

laconic_coding coding_of(laconic_dtype dtype, const std::string& bound, const std::optional<std::string>& codec,
                         int threads) {
  laconic_coding coding;
  laconic_coding_init(&coding);
  coding.dtype = dtype;
  check(laconic_bound_parse(bound.c_str(), &coding.bound));
  coding.codec = codec_named(codec);
  coding.threads = threads;
  return coding;
}

// Asks for large pages: a new array of many megabytes would otherwise take half as long to map as to fill.
void use_large_pages(char* begin, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t page = 4096;
  constexpr std::size_t worthwhile = std::size_t{4} << 20;
  if (bytes < worthwhile) return;
  const auto first = (reinterpret_cast<std::uintptr_t>(begin) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(begin) + bytes) / page * page;
  madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);  // without it the call is only slower
#endif
}

std::size_t encode(Coder& coder, nb::handle numbers, nb::handle out) {
  const Buffer from(numbers, "numbers", false);
  const Buffer to(out, "out", true);
  const std::size_t count = coder.count_of(from, "numbers");
  std::size_t written = 0;
  coder.run(
      [&](laconic_coder c) { return laconic_coder_encode(c, from.data(), count, to.data(), to.bytes(), &written); });
  return written;
}

// The first bytes of an object with the buffer protocol.
nb::object first_bytes(nb::handle object, std::size_t bytes) {
  nb::object view = nb::steal(PyMemoryView_FromObject(object.ptr()));
  if (!view.is_valid()) throw nb::python_error();
  return view.attr("cast")("B")[nb::slice(nb::int_(0), nb::int_(bytes), nb::int_(1))];
}

nb::object compress(nb::handle array, const std::string& bound, const std::optional<std::string>& codec, int threads,
                    nb::handle out_or_none) {
  const Buffer numbers(array, "array", false);
  Coder coder(coding_of(type_of(numbers, "array"), bound, codec, threads));
  const std::size_t count = coder.count_of(numbers, "array");
  if (!out_or_none.is_none()) return first_bytes(out_or_none, encode(coder, array, out_or_none));
  const std::size_t capacity = coder.capacity(count);
  // The pages behind the end of the frames are never touched, and are given back.
  PyObject* bytes = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(capacity));
  if (bytes == nullptr) throw nb::python_error();
  nb::object keep = nb::steal(bytes);
  char* const out = PyBytes_AS_STRING(bytes);
  use_large_pages(out, capacity);
  std::size_t written = 0;
  coder.run([&](laconic_coder c) { return laconic_coder_encode(c, numbers.data(), count, out, capacity, &written); });
  bytes = keep.release().ptr();
  if (_PyBytes_Resize(&bytes, static_cast<Py_ssize_t>(written)) != 0) throw nb::python_error();
  return nb::steal(bytes);
}

// (frames, count, dtype, codec, error)
nb::tuple describe(nb::handle data) {
  const Buffer frames(data, "frames", false);
  laconic_frames_info info;
  check(laconic_frames_describe(frames.data(), frames.bytes(), &info));
  const char* dtype = laconic_dtype_name(info.dtype);
  const char* codec = laconic_codec_name(info.codec);
  const auto text = [](const char* name) {
    return name != nullptr ? nb::object(nb::str(name)) : nb::object(nb::none());
  };
  return nb::make_tuple(info.frames, info.count, text(dtype), text(codec), info.error);
}

nb::tuple finite_range(nb::handle array) {
  const Buffer numbers(array, "array", false);
  const laconic_dtype dtype = type_of(numbers, "array");
  double least = 0;
  double greatest = 0;
  int code = LACONIC_OK;
  {
    nb::gil_scoped_release released;
    code = laconic_finite_range(numbers.data(), numbers.bytes() / laconic_dtype_size(dtype), dtype, &least, &greatest);
  }
  check(code);
  return nb::make_tuple(least, greatest);
}

void decode(Coder& coder, nb::handle frames, nb::handle out, double divisor) {
  const Buffer from(frames, "frames", false);
  const Buffer to(out, "out", true);
  const std::size_t count = coder.count_of(to, "out");
  coder.run(
      [&](laconic_coder c) { return laconic_coder_decode(c, from.data(), from.bytes(), to.data(), count, divisor); });
}

std::size_t fold(Coder& coder, nb::handle frames, nb::handle numbers, nb::handle out) {
  const Buffer a(frames, "frames", false);
  const Buffer b(numbers, "numbers", false);
  const Buffer to(out, "out", true);
  const std::size_t count = coder.count_of(b, "numbers");
  std::size_t written = 0;
  coder.run([&](laconic_coder c) {
    return laconic_coder_fold(c, a.data(), a.bytes(), b.data(), count, to.data(), to.bytes(), &written);
  });
  return written;
}

std::size_t add(Coder& coder, nb::handle first, nb::handle second, nb::handle out) {
  const Buffer a(first, "a", false);
  const Buffer b(second, "b", false);
  const Buffer to(out, "out", true);
  std::size_t written = 0;
  coder.run([&](laconic_coder c) {
    laconic_frames_info info;
    if (const int code = laconic_frames_describe(a.data(), a.bytes(), &info); code != LACONIC_OK) return code;
    return laconic_coder_add(c, a.data(), a.bytes(), b.data(), b.bytes(), info.count, to.data(), to.bytes(), &written);
  });
  return written;
}

std::string version() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  laconic_version(&major, &minor, &patch);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

}  // namespace

NB_MODULE(_codec, m) {
  using namespace nb::literals;
  static nb::object error_class = nb::exception<Error>(m, "Error");
  error_class.attr("__module__") = "laconic";
  error_class.attr("__doc__") = "An error of the library, with its message.  `code` is its number in laconic/codec.h.";
  raise_errors_as(error_class);

  m.def("compress", &compress, "array"_a, "bound"_a, nb::kw_only(), "codec"_a = nb::none(), "threads"_a = 1,
        "out"_a = nb::none());
  m.def("describe", &describe, "frames"_a);
  m.def("finite_range", &finite_range, "array"_a);
  m.def("version", &version);
  nb::class_<Coder>(m, "Coder")
      .def(
          "__init__",
          [](Coder* self, const std::string& dtype, const std::string& bound, const std::optional<std::string>& codec,
             const std::string& reduction, std::int64_t contributions, std::int64_t frame_elements,
             const std::string& denormals, int threads) {
            laconic_coding coding = coding_of(dtype_named(dtype), bound, codec, threads);
            coding.reduction = reduction_named(reduction);
            if (contributions < 0 || contributions > 0x7fffffff)
              refuse("contributions is " + std::to_string(contributions) + "; valid are 1 to 2147483647");
            coding.contributions = static_cast<std::uint32_t>(contributions);
            coding.frame_elements = frame_elements;
            coding.denormals = denormals_named(denormals);
            new (self) Coder(coding);
          },
          "dtype"_a, "bound"_a, nb::kw_only(), "codec"_a = nb::none(), "reduction"_a = "sum", "contributions"_a = 1,
          "frame_elements"_a = 0, "denormals"_a = "round", "threads"_a = 1)
      .def("capacity", &Coder::capacity, "count"_a)
      .def_prop_ro("dtype", [](const Coder& coder) { return laconic_dtype_name(coder.dtype()); })
      .def("encode", &encode, "numbers"_a, "out"_a)
      .def("decode", &decode, "frames"_a, "out"_a, "divisor"_a = 1.0)
      .def("fold", &fold, "frames"_a, "numbers"_a, "out"_a)
      .def("add", &add, "a"_a, "b"_a, "out"_a);
}

}  // namespace laconic::python
