// SPDX-License-Identifier: BSD-3-Clause
// Checks that the tests of laconic.hpp share.
#pragma once

#include "laconic/laconic.hpp"  // first, since it has to include what it needs

#include "support.hpp"

namespace ranks {

// Runs body, which has to throw Exception, and returns the message.
template <class Exception, class Body>
std::string thrown(Test& t, Body body, int error_class = MPI_SUCCESS) {
  try {
    body();
  } catch (const Exception& e) {
    if constexpr (std::same_as<Exception, laconic::mpi::Error>) {
      CHECK(t, error_class == MPI_SUCCESS || e.error_class() == error_class, "class %d: %s", e.error_class(), e.what());
      CHECK(t, e.error_class() == ranks::class_of(e.code()));
    }
    return e.what();
  } catch (const std::exception& e) {
    CHECK(t, false, "another exception: %s", e.what());
    return "";
  }
  CHECK(t, false, "no exception");
  return "";
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

}  // namespace ranks
