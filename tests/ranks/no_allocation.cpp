// SPDX-License-Identifier: BSD-3-Clause
// A compressed call allocates no memory in Laconic once calls of its kind have been made: what the MPI library
// allocates is its own.  How many frames are under way at a time depends on the network, so the first calls may grow
// the pool now and then; but that must end.
//
// malloc and the functions like it are defined here, before the C library's, and count calls that come from
// liblaconic.so.
#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cmath>
#include <new>

#include "support.hpp"

namespace {

std::atomic<std::uintptr_t> library_begin{0};
std::atomic<std::uintptr_t> library_end{0};
std::atomic<bool> counting{false};
std::atomic<long> counted{0};
std::atomic<std::uintptr_t> last_caller{0};

void note(const void* caller) {
  const auto at = reinterpret_cast<std::uintptr_t>(caller);
  if (!counting || at < library_begin || at >= library_end) return;
  ++counted;
  last_caller = at - library_begin;
}

}  // namespace

// glibc's own names behind the standard ones: no dlsym, which allocates itself.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

__attribute__((visibility("default"))) void* malloc(std::size_t bytes) {
  note(__builtin_return_address(0));
  return __libc_malloc(bytes);
}
__attribute__((visibility("default"))) void* calloc(std::size_t n, std::size_t bytes) {
  note(__builtin_return_address(0));
  return __libc_calloc(n, bytes);
}
__attribute__((visibility("default"))) void* realloc(void* old, std::size_t bytes) {
  note(__builtin_return_address(0));
  return __libc_realloc(old, bytes);
}
__attribute__((visibility("default"))) void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  note(__builtin_return_address(0));
  return __libc_memalign(alignment, bytes);
}
__attribute__((visibility("default"))) int posix_memalign(void** out, std::size_t alignment, std::size_t bytes) {
  note(__builtin_return_address(0));
  *out = __libc_memalign(alignment, bytes);
  return *out ? 0 : 12;
}
}

// Memory that the library asks for with new comes here first, so that the library is seen as the caller.
void* operator new(std::size_t bytes) {
  note(__builtin_return_address(0));
  if (void* memory = __libc_malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t bytes) {
  note(__builtin_return_address(0));
  if (void* memory = __libc_malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  note(__builtin_return_address(0));
  if (void* memory = __libc_memalign(static_cast<std::size_t>(alignment), bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace {

using namespace ranks;

// The address range of the executable part of liblaconic.so.
bool find_library() {
  return dl_iterate_phdr(
             [](dl_phdr_info* info, std::size_t, void*) {
               if (std::strstr(info->dlpi_name, "liblaconic.so") == nullptr) return 0;
               std::uintptr_t most = 0;
               for (int k = 0; k < info->dlpi_phnum; ++k)
                 if (info->dlpi_phdr[k].p_type == PT_LOAD)
                   most = std::max<std::uintptr_t>(most, info->dlpi_phdr[k].p_vaddr + info->dlpi_phdr[k].p_memsz);
               library_begin = info->dlpi_addr;
               library_end = info->dlpi_addr + most;
               return 1;
             },
             nullptr) != 0;
}

template <class T>
void check(Test& t, const laconic_options& options, MPI_Op op, std::size_t count, bool in_place, const char* what) {
  t.doing(text("%s: %s, depth %d, threads %d, chunk %lld, %zu %s", what, laconic_algorithm_name(options.algorithm),
               options.depth, options.threads, static_cast<long long>(options.chunk_elements), count,
               sizeof(T) == 4 ? "floats" : "doubles"));
  t.count_case();
  constexpr int calls = 20;  // after the first call, which may allocate
  std::vector<T> x(count);
  std::vector<T> y(count);
  laconic_options o = options;
  laconic_stats stats{};
  o.stats = &stats;
  for (int call = 0; call <= calls; ++call) {
    for (std::size_t i = 0; i < count; ++i)
      x[i] = static_cast<T>(std::sin(static_cast<double>(i) * 0.01 + t.rank() + call));
    counted = 0;
    counting = call > 0;
    const int rc = laconic_allreduce(in_place ? MPI_IN_PLACE : x.data(), in_place ? x.data() : y.data(),
                                     static_cast<MPI_Count>(count), mpi_type<T>(), op, MPI_COMM_WORLD, &o);
    counting = false;
    CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
    CHECK(t, counted == 0, "%ld allocations in call %d, the last from liblaconic.so+0x%zx", counted.load(), call,
          static_cast<std::size_t>(last_caller));
  }
}

// Scans, and exchanges with the neighbors on a line: compressed, or uncompressed after the ranks have agreed on that.
void check_other_collectives(Test& t, const laconic_options& options, const char* what) {
  constexpr int first = 3;
  constexpr int calls = 20;
  constexpr MPI_Count count = 50000;
  MPI_Comm line = MPI_COMM_NULL;
  const int size = t.size();
  const int periodic = 0;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &line);
  std::vector<float> x(2 * count, 0.5F);
  std::vector<float> y(2 * count);
  const std::vector<MPI_Count> counts(2, count);
  const std::vector<MPI_Aint> displs{count, 0};
  const auto repeat = [&](const char* name, auto&& call) {
    t.doing(text("%s, %s", name, what));
    t.count_case();
    for (int k = 0; k < calls; ++k) {
      counted = 0;
      counting = k > first;
      const int rc = call();
      counting = false;
      CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
      CHECK(t, counted == 0, "%ld allocations in call %d, the last from liblaconic.so+0x%zx", counted.load(), k,
            static_cast<std::size_t>(last_caller));
    }
  };
  repeat("scan", [&] { return laconic_scan(x.data(), y.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &options); });
  repeat("exscan",
         [&] { return laconic_exscan(x.data(), y.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &options); });
  repeat("neighbor_allgather", [&] {
    return laconic_neighbor_allgather(x.data(), count, MPI_FLOAT, y.data(), count, MPI_FLOAT, line, &options);
  });
  repeat("neighbor_alltoallv", [&] {
    return laconic_neighbor_alltoallv(x.data(), counts.data(), displs.data(), MPI_FLOAT, y.data(), counts.data(),
                                      displs.data(), MPI_FLOAT, line, &options);
  });
  MPI_Comm_free(&line);
}

// Messages to the next rank from the previous one.  The first calls try numbers of chunks, each with frames of its
// size.
void check_messages(Test& t, const laconic_options& options, std::size_t count, const char* what) {
  t.doing(text("messages: %s, chunk %lld, %zu floats", what, static_cast<long long>(options.chunk_elements), count));
  t.count_case();
  constexpr int first = 25;
  constexpr int calls = 45;
  std::vector<float> x(count, 0.5F);
  std::vector<float> y(count);
  for (int call = 0; call <= calls; ++call) {
    counted = 0;
    counting = call > first;
    const int next = (t.rank() + 1) % t.size();
    const int previous = (t.rank() + t.size() - 1) % t.size();
    const int rc = laconic_sendrecv(x.data(), static_cast<MPI_Count>(count), MPI_FLOAT, next, call, y.data(),
                                    static_cast<MPI_Count>(count), MPI_FLOAT, call % 2 == 0 ? previous : MPI_ANY_SOURCE,
                                    call, MPI_COMM_WORLD, MPI_STATUS_IGNORE, &options);
    counting = false;
    CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
    CHECK(t, counted == 0, "%ld allocations in call %d, the last from liblaconic.so+0x%zx", counted.load(), call,
          static_cast<std::size_t>(last_caller));
  }
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "no_allocation");
  if (!CHECK(t, find_library(), "liblaconic.so is not among the loaded libraries")) return t.finish();
  {
    t.doing("the test itself: the first call does allocate");
    std::vector<float> x(100000, 1.0F);
    laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-3);
    counting = true;
    laconic_allreduce(MPI_IN_PLACE, x.data(), 100000, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &o);
    counting = false;
    CHECK(t, counted > 0);
    if (t.rank() == 0) std::printf("no_allocation: %ld allocations in the first call\n", counted.load());
  }
  for (const auto algorithm :
       {LACONIC_ALGORITHM_RING, LACONIC_ALGORITHM_RECURSIVE_DOUBLING, LACONIC_ALGORITHM_DIRECT}) {
    laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-3);
    o.algorithm = algorithm;
    check<float>(t, o, MPI_SUM, 200000, false, "defaults");
    o.depth = 8;
    o.chunk_elements = 4096;
    check<float>(t, o, MPI_MAX, 100000, true, "many chunks");
    o.depth = 2;
    o.threads = 2;
    check<double>(t, o, LACONIC_AVG, 50000, false, "threads");
    o = options_with(LACONIC_BOUND_REL, 1e-3);
    o.algorithm = algorithm;
    o.codec = LACONIC_CODEC_RAW;
    check<double>(t, o, MPI_SUM, 30000, true, "raw");
    check<double>(t, o, MPI_SUM, 100, true, "few numbers");
  }
  laconic_options others = options_with(LACONIC_BOUND_REL, 1e-3);
  check_other_collectives(t, others, "compressed");
  others.min_bytes = std::int64_t{1} << 40;
  check_other_collectives(t, others, "exchanged");
  t.doing("plain calls");
  laconic_options plain = options_with(LACONIC_BOUND_ABS, 1e-3);
  plain.algorithm = LACONIC_ALGORITHM_PLAIN;
  check<float>(t, plain, MPI_SUM, 1000, false, "plain");
  check_messages(t, plain, 1000, "plain, small");
  check_messages(t, plain, 100000, "plain, large");
  laconic_options o = options_with(LACONIC_BOUND_REL, 1e-3);
  check_messages(t, o, 100000, "learning");
  check_messages(t, o, 100, "small");
  o.chunk_elements = 2048;
  check_messages(t, o, 100000, "many chunks");
  o.threads = 2;
  check_messages(t, o, 100000, "threads");
  return t.finish();
}
