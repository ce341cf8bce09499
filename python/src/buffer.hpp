// SPDX-License-Identifier: BSD-3-Clause
// Buffers of Python objects: numbers and bytes in contiguous memory of the host.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <optional>
#include <string>

#include "laconic/codec.h"

namespace laconic::python {

namespace nb = nanobind;

// A view of an object's memory, which stays valid as long as this does.  The object may have Python's buffer protocol
// (bytes, memoryview, NumPy) or DLPack (PyTorch, JAX, CuPy on the host).
class Buffer {
 public:
  // name: of the argument, for error messages.  Throws Python's TypeError or ValueError.
  Buffer(nb::handle object, const char* name, bool writable) {
    if (PyObject_CheckBuffer(object.ptr()) && take_buffer(object.ptr(), writable)) return;
    take_array(object, name, writable);
  }
  ~Buffer() {
    if (has_view_) PyBuffer_Release(&view_);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

  // The type of the numbers; empty where it is none of the library's.
  std::optional<laconic_dtype> dtype() const { return dtype_; }

  // How the object calls its type.
  const std::string& type_name() const { return type_name_; }

 private:
  bool take_buffer(PyObject* object, bool writable) {
    if (PyObject_GetBuffer(object, &view_, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0)) != 0) {
      PyErr_Clear();  // bfloat16 arrays of NumPy have no buffer; other reasons are found again by take_array()
      return false;
    }
    has_view_ = true;
    data_ = view_.buf;
    bytes_ = static_cast<std::size_t>(view_.len);
    type_name_ = view_.format != nullptr ? view_.format : "B";
    dtype_ = dtype_of_format(type_name_, static_cast<std::size_t>(view_.itemsize));
    return true;
  }

  // NumPy knows the extension types of ml_dtypes by name only.
  static nb::object without_extension_type(nb::handle object, bool& bfloat16) {
    bfloat16 = false;
    if (nb::hasattr(object, "view") && nb::hasattr(object, "dtype") && !nb::hasattr(object, "requires_grad")) {
      nb::object type = object.attr("dtype");
      if (nb::hasattr(type, "name") && nb::cast<std::string>(nb::str(type.attr("name"))) == "bfloat16") {
        bfloat16 = true;
        return object.attr("view")("uint16");
      }
    }
    // PyTorch does not export tensors that need gradients.
    if (nb::hasattr(object, "requires_grad") && nb::hasattr(object, "detach")) return object.attr("detach")();
    return nb::borrow(object);
  }

  void take_array(nb::handle object, const char* name, bool writable) {
    bool bfloat16 = false;
    nb::object plain;
    try {
      plain = without_extension_type(object, bfloat16);
      if (bfloat16 && take_buffer(plain.ptr(), writable)) {
        owner_ = plain;
        dtype_ = LACONIC_BFLOAT16;
        type_name_ = "bfloat16";
        return;
      }
    } catch (nb::python_error& error) {
      error.discard_as_unraisable(name);
    }
    nb::ndarray<> array;
    if (!nb::try_cast(plain, array)) {
      const std::string what = std::string(name) + " is a " + Py_TYPE(object.ptr())->tp_name +
                               "; valid are contiguous" + (writable ? ", writable" : "") +
                               " arrays of numbers in host memory, with Python's buffer protocol or DLPack";
      throw nb::type_error(what.c_str());
    }
    check(array, name);
    array_ = array;
    data_ = array.data();
    bytes_ = array.nbytes();
    const auto type = array.dtype();
    dtype_ = dtype_of_dlpack(type);
    type_name_ = "DLPack type " + std::to_string(type.code) + " of " + std::to_string(type.bits) + " bits";
  }

  static void check(const nb::ndarray<>& array, const char* name) {
    if (array.device_type() != nb::device::cpu::value) {
      const std::string what = std::string(name) + " is in the memory of a device; valid is memory of the host";
      throw nb::value_error(what.c_str());
    }
    std::int64_t expected = 1;
    for (std::size_t k = array.ndim(); k-- > 0;) {
      if (array.shape(k) > 1 && array.stride(k) != expected) {
        const std::string what = std::string(name) + " is not contiguous; valid are arrays in C order";
        throw nb::value_error(what.c_str());
      }
      expected *= static_cast<std::int64_t>(array.shape(k));
    }
  }

  static std::optional<laconic_dtype> integer(bool has_sign, std::size_t bytes) {
    switch (bytes) {
      case 1: return has_sign ? LACONIC_INT8 : LACONIC_UINT8;
      case 2: return has_sign ? LACONIC_INT16 : LACONIC_UINT16;
      case 4: return has_sign ? LACONIC_INT32 : LACONIC_UINT32;
      case 8: return has_sign ? LACONIC_INT64 : LACONIC_UINT64;
      default: return {};
    }
  }

  // The characters of the module struct.
  static std::optional<laconic_dtype> dtype_of_format(const std::string& format, std::size_t itemsize) {
    const bool marked = format.size() == 2 && (format[0] == '=' || format[0] == '@' || format[0] == '<');
    if (format.size() != 1 && !marked) return {};
    switch (format.back()) {
      case 'e': return LACONIC_FLOAT16;
      case 'f': return LACONIC_FLOAT32;
      case 'd': return LACONIC_FLOAT64;
      case 'b':
      case 'h':
      case 'i':
      case 'l':
      case 'q': return integer(true, itemsize);
      case 'B':
      case 'H':
      case 'I':
      case 'L':
      case 'Q': return integer(false, itemsize);
      default: return {};
    }
  }

  static std::optional<laconic_dtype> dtype_of_dlpack(nb::dlpack::dtype type) {
    if (type.lanes != 1) return {};
    switch (static_cast<nb::dlpack::dtype_code>(type.code)) {
      case nb::dlpack::dtype_code::Float:
        if (type.bits == 16) return LACONIC_FLOAT16;
        if (type.bits == 32) return LACONIC_FLOAT32;
        if (type.bits == 64) return LACONIC_FLOAT64;
        return {};
      case nb::dlpack::dtype_code::Bfloat:
        if (type.bits == 16) return LACONIC_BFLOAT16;
        return {};
      case nb::dlpack::dtype_code::Int: return integer(true, type.bits / 8);
      case nb::dlpack::dtype_code::UInt: return integer(false, type.bits / 8);
      default: return {};
    }
  }

  Py_buffer view_{};
  bool has_view_ = false;
  nb::object owner_;
  nb::ndarray<> array_;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::optional<laconic_dtype> dtype_;
  std::string type_name_;
};

}  // namespace laconic::python
