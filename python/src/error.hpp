// SPDX-License-Identifier: BSD-3-Clause
// Errors of the library as the Python exception laconic.Error, with its number in the attribute `code`.
#pragma once

#include <nanobind/nanobind.h>

#include <stdexcept>
#include <string>

namespace laconic::python {

namespace nb = nanobind;

struct Error : std::runtime_error {
  Error(int number, const std::string& message) : std::runtime_error(message), code(number) {}
  int code;
};

// Makes functions of this module raise `type` for an Error.  The type has to stay as long as the module.
inline void raise_errors_as(nb::handle type) {
  nb::register_exception_translator(
      [](const std::exception_ptr& thrown, void* raised) {
        try {
          std::rethrow_exception(thrown);
        } catch (const Error& error) {
          nb::object made = nb::steal(PyObject_CallFunction(static_cast<PyObject*>(raised), "s", error.what()));
          if (!made.is_valid()) return;
          made.attr("code") = error.code;
          PyErr_SetObject(static_cast<PyObject*>(raised), made.ptr());
        }
      },
      type.ptr());
}

}  // namespace laconic::python
