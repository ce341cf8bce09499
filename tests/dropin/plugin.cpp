// SPDX-License-Identifier: BSD-3-Clause
// A program loads a plugin that has functions named mpi_allreduce and the like: a preloaded library must not take their
// place.
#include <dlfcn.h>

#include "support.hpp"

using namespace dropin;

int main(int argc, char** argv) {
  ranks::Test t(&argc, &argv, "dropin plugin");
  const Expectation expected(argc, argv);
  void* const plugin = dlopen(TEST_PLUGIN, RTLD_NOW | RTLD_GLOBAL);
  CHECK(t, plugin != nullptr, "%s", dlerror());
  if (plugin != nullptr) {
    const int total = reinterpret_cast<int (*)()>(dlsym(plugin, "plugin_total"))();
    CHECK(t, total == 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8, "the plugin's functions return %d", total);
  }
  ranks::Random random(t.seed());
  const auto mine = numbers<double>(4000, random);
  std::vector<double> got(mine.size());
  std::vector<double> right(mine.size());
  PMPI_Allreduce(mine.data(), right.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(mine.data(), got.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  CHECK(t, alike(got, right, expected.bound, t.size()));
  return t.finish();
}
