// SPDX-License-Identifier: BSD-3-Clause
// What the object files of nvcc call beside the runtime API, whose other functions the emulator has.  Kernels are found
// by their names in the files that LACONIC_PTX_LIST lists.
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "emulator/control.hpp"
#include "emulator/grid.hpp"
#include "emulator/machine.hpp"
#include "ptx/control.hpp"
#include "ptx/launch.hpp"

namespace laconic::ptx {
namespace {

// Names in an anonymous namespace have a part of their own in every run of nvcc, at the end of the name of the
// namespace: `57_GLOBAL__N__<hash>_18_intrinsics_test_cu_<hash>_<this>`, where 57 is its length.
std::string without_run(std::string name) {
  constexpr std::string_view mark = "_GLOBAL__N__", file = "_cu_";
  constexpr std::size_t hash = 8;
  for (std::size_t at = name.find(mark); at != std::string::npos; at = name.find(mark, at + 1)) {
    std::size_t digits = at;
    while (digits > 0 && std::isdigit(static_cast<unsigned char>(name[digits - 1])) != 0) --digits;
    const std::size_t end = at + std::strtoull(name.c_str() + digits, nullptr, 10);
    const std::size_t kept = name.find(file, at) + file.size() + hash;
    if (digits < at && kept < end && end <= name.size()) name.erase(kept, end - kept);
    name.erase(digits, at - digits);
    at = digits;
  }
  return name;
}

// The registered functions, and the kernels made of their PTX so far.
class Store {
 public:
  static Store& instance() {
    static Store& store = *new Store;
    return store;
  }

  void add(const void* function, const char* name) { names_[function] = name; }

  const Kernel& kernel_of(const void* function) {
    const auto found = names_.find(function);
    if (found == names_.end()) throw Fault("a kernel that nobody has registered");
    return kernel(found->second);
  }

  Kernel& kernel(const std::string& name) {
    auto& kernel = kernels_[name];
    if (kernel == nullptr) {
      read_files();
      const auto found = entries_.find(without_run(name));
      if (found == entries_.end()) throw Fault("no PTX of the kernel " + name);
      kernel = std::make_unique<Kernel>(assemble(*found->second.first, found->second.second));
    }
    return *kernel;
  }

  void add_module(const std::string& text) {
    modules_.push_back(std::make_unique<Module>(text));
    for (const auto& [name, function] : modules_.back()->functions())
      if (function.entry) entries_[without_run(name)] = {modules_.back().get(), name};
  }

  std::map<std::string, std::unique_ptr<Kernel>>& kernels() { return kernels_; }

  std::mutex mutex;
  Accesses accesses;
  std::map<std::pair<std::string, std::size_t>, Instruction> skipped;
  bool calm = false;
  std::uint64_t executed = 0;

 private:
  Store() { emulator::Machine::instance().watch = &accesses; }

  void read_files() {
    if (have_read_) return;
    have_read_ = true;
    std::ifstream list(LACONIC_PTX_LIST);
    for (std::string path; std::getline(list, path);) {
      std::ifstream file(path);
      if (!file) throw Fault("no file " + path);
      add_module({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
    }
  }

  std::unordered_map<const void*, std::string> names_;
  std::vector<std::unique_ptr<Module>> modules_;
  std::map<std::string, std::pair<const Module*, std::string>> entries_;
  std::map<std::string, std::unique_ptr<Kernel>> kernels_;
  bool have_read_ = false;
};

// Before any memory is allocated, so that all of it is watched.
[[maybe_unused]] const Store& at_start = Store::instance();

cudaError_t enqueue(const Kernel& kernel, unsigned blocks, unsigned threads, cudaStream_t stream,
                    std::vector<std::byte> parameters) {
  // Words that look like pointers: the memory must be there until the kernel has run.
  std::vector<const void*> pointers;
  for (std::size_t at = 0; at + sizeof(void*) <= parameters.size(); at += sizeof(void*)) {
    const void* pointer = nullptr;
    std::memcpy(&pointer, parameters.data() + at, sizeof pointer);
    pointers.push_back(pointer);
  }
  const auto work = [&kernel, parameters = std::move(parameters)](const emulator::Launch& launch) {
    Store& store = Store::instance();
    const Grid grid{launch.blocks, launch.threads, launch.seed, launch.patience, store.calm};
    return run(kernel, parameters, grid, store.accesses, store.executed);
  };
  return emulator::enqueue_kernel(blocks, threads, stream, work, std::move(pointers));
}

cudaError_t fail(const Fault& fault) {
  emulator::Call call("kernel");
  emulator::Machine::instance().fault(fault.what());
  return call.end(cudaErrorLaunchFailure);
}

}  // namespace

void set_seed(std::uint64_t seed) { emulator::set_seed(seed); }
std::string take_fault() { return emulator::take_fault(); }
void set_patience(std::uint64_t loads) { emulator::set_patience(loads == 0 ? emulator::patience_at_start : loads); }

std::vector<Site> take_barriers() {
  Store& store = Store::instance();
  const std::lock_guard lock(store.mutex);
  std::vector<Site> sites;
  for (const auto& [name, kernel] : store.kernels()) {
    if (kernel == nullptr) continue;
    for (std::size_t at = 0; at < kernel->code.size(); ++at)
      if (kernel->met[at] && kernel->text[at].find("bar.") != std::string::npos)
        sites.push_back({name, at, kernel->text[at]});
    kernel->met.assign(kernel->code.size(), false);
  }
  return sites;
}

void skip(const Site& site) {
  Store& store = Store::instance();
  const std::lock_guard lock(store.mutex);
  Instruction& i = store.kernel(site.kernel).code[site.at];
  store.skipped.try_emplace({site.kernel, site.at}, i);
  i = {};
  i.action = [](Warp&, const Instruction&, Lanes) {};
}

void restore(const Site& site) {
  Store& store = Store::instance();
  const std::lock_guard lock(store.mutex);
  const auto found = store.skipped.find({site.kernel, site.at});
  if (found == store.skipped.end()) return;
  store.kernel(site.kernel).code[site.at] = found->second;
  store.skipped.erase(found);
}

void set_calm(bool calm) { Store::instance().calm = calm; }

std::uint64_t take_executed() { return std::exchange(Store::instance().executed, 0); }

std::string add_text(const std::string& text) {
  Store& store = Store::instance();
  const std::lock_guard lock(store.mutex);
  try {
    store.add_module(text);
  } catch (const Fault& fault) {
    return fault.what();
  }
  return {};
}

std::string launch(const std::string& name, unsigned blocks, unsigned threads,
                   const std::vector<std::uint64_t>& parameters) {
  Store& store = Store::instance();
  const Kernel* kernel = nullptr;
  try {
    const std::lock_guard lock(store.mutex);
    kernel = &store.kernel(name);
  } catch (const Fault& fault) {
    return fault.what();
  }
  std::vector<std::byte> bytes(kernel->parameter_bytes);
  for (std::size_t k = 0; k < parameters.size(); ++k)
    std::memcpy(bytes.data() + kernel->parameter_at.at(k), &parameters[k], kernel->parameters[k].bytes);
  enqueue(*kernel, blocks, threads, nullptr, std::move(bytes));
  cudaDeviceSynchronize();
  return emulator::take_fault();
}

}  // namespace laconic::ptx

using laconic::ptx::Fault;
using laconic::ptx::Store;

#define LACONIC_NVCC_CALL extern "C" LACONIC_EMULATOR_API

struct Dim3 {
  unsigned x, y, z;
};

LACONIC_NVCC_CALL void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
LACONIC_NVCC_CALL void __cudaRegisterFatBinaryEnd(void**) {}
LACONIC_NVCC_CALL void __cudaUnregisterFatBinary(void**) {}
LACONIC_NVCC_CALL void __cudaRegisterFunction(void**, const char* function, char*, const char* name, int, void*, void*,
                                              void*, void*, int*) {
  Store& store = Store::instance();
  const std::lock_guard lock(store.mutex);
  store.add(function, name);
}

LACONIC_NVCC_CALL cudaError_t cudaLaunchKernel(const void* function, Dim3 blocks, Dim3 threads, void** arguments,
                                               std::size_t, cudaStream_t stream) {
  Store& store = Store::instance();
  const laconic::ptx::Kernel* kernel = nullptr;
  try {
    const std::lock_guard lock(store.mutex);
    kernel = &store.kernel_of(function);
  } catch (const Fault& fault) {
    return laconic::ptx::fail(fault);
  }
  if (blocks.y != 1 || blocks.z != 1 || threads.y != 1 || threads.z != 1) return cudaErrorInvalidConfiguration;
  std::vector<std::byte> parameters(kernel->parameter_bytes);
  for (std::size_t k = 0; k < kernel->parameters.size(); ++k)
    std::memcpy(parameters.data() + kernel->parameter_at[k], arguments[k], kernel->parameters[k].bytes);
  return laconic::ptx::enqueue(*kernel, blocks.x, threads.x, stream, std::move(parameters));
}

// Kernels are launched by cudaLaunchKernel() alone; their stubs, which nobody calls, use these.
LACONIC_NVCC_CALL cudaError_t __cudaGetKernel(void** kernel, const void* function) {
  *kernel = const_cast<void*>(function);
  return cudaSuccess;
}
LACONIC_NVCC_CALL cudaError_t __cudaLaunchKernel(void* kernel, Dim3 blocks, Dim3 threads, void** arguments,
                                                 std::size_t bytes, cudaStream_t stream) {
  return cudaLaunchKernel(kernel, blocks, threads, arguments, bytes, stream);
}
LACONIC_NVCC_CALL unsigned __cudaPopCallConfiguration(Dim3*, Dim3*, std::size_t*, void*) {
  return cudaErrorInvalidConfiguration;
}

// The driver's functions have versions in their names, which cuda.h hides.
LACONIC_NVCC_CALL CUresult cuCtxPushCurrent_v2(CUcontext context) { return cuCtxPushCurrent(context); }
LACONIC_NVCC_CALL CUresult cuCtxPopCurrent_v2(CUcontext* context) { return cuCtxPopCurrent(context); }
LACONIC_NVCC_CALL CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) { return cuDevicePrimaryCtxRelease(device); }
