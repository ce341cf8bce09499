// SPDX-License-Identifier: BSD-3-Clause
// A program on hosts alone, on a node with GPUs whose driver something loads in the end: Laconic asks about pointers,
// and makes no context, which would take hundreds of MiB of a GPU for every rank of the node.
// Arguments: the stub's file.
#include <dlfcn.h>

#include <cstdio>
#include <vector>

#include "device/devices.hpp"

namespace {

int failures = 0;

void check(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "no_context: %s\n", what);
  ++failures;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<float> numbers(100000, 1.5F);
  const auto ask = [&] {
    for (int k = 0; k < 100; ++k)
      check(laconic::memory_type_of(numbers.data()).memory == laconic::Memory::host, "memory of the host is not");
  };
  ask();
  void* const stub = argc > 1 ? dlopen(argv[1], RTLD_NOW) : nullptr;
  if (stub == nullptr) return std::fprintf(stderr, "no_context: the stub cannot be loaded\n"), 1;
  const auto stub_driver_questions = reinterpret_cast<int (*)()>(dlsym(stub, "stub_driver_questions"));
  const auto stub_driver_others = reinterpret_cast<int (*)()>(dlsym(stub, "stub_driver_others"));
  check(stub_driver_questions() == 0, "the driver was asked before it was loaded");
  ask();
  check(stub_driver_questions() > 0, "the driver was not asked, so that this test shows nothing");
  check(stub_driver_others() == 0, "the driver was asked for more than what a pointer points to");
  // The test of the test: a device that is opened asks for more.
  laconic::Status status;
  check(laconic::open_device(0, status) == nullptr, "there is a device");
  check(stub_driver_others() > 0, "calls are not counted");
  return failures == 0 ? 0 : 1;
}
