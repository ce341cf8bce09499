# laconic_precompile(<target> <set>)
#   Compiles the C++ sources of a target with headers that are parsed once per build tree:
#     std    what most files of src/ use of the standard library
#     cli    std and fmt, for the command (CLI11 defines objects in every file that includes it, so it gains nothing)
#     test   std and GoogleTest, for binaries of GoogleTest
#     ranks  std, for test programs without GoogleTest
#   Sources still include what they use: -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without any of this, as ./dev lint and
#   the suite fuzz of ./dev test do.
#   docs/design/0017-builds.md has the numbers.

# g++ 12 does not know precompiled headers for the system's and warns of its own strings.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13 AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>")
endif()

# Most of the time that a test or the command takes to compile goes into optimizing assertions and formatted output, with
# sanitizers into optimizing checks.  The library that they call is optimized as ever.
set(LACONIC_LEVEL_test -O1)
set(LACONIC_LEVEL_ranks -O1)
set(LACONIC_LEVEL_cli -O1)
if(LACONIC_SANITIZE)
  set(LACONIC_LEVEL_test -O0)
endif()
set(LACONIC_CALLER_OPTIONS)
# As much goes into checks of each pointer in them: for null and ends of objects, which AddressSanitizer finds as well, and
# for alignment, which the library is checked for.
if(LACONIC_SANITIZE MATCHES "address,undefined" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(LACONIC_CALLER_OPTIONS -fno-sanitize=null,alignment,object-size,vptr)
endif()

set(LACONIC_PRECOMPILED_std
    <algorithm> <array> <atomic> <bit> <chrono> <cmath> <condition_variable> <cstddef> <cstdint> <cstdio> <cstdlib> <cstring> <deque> <functional>
    <limits> <map> <memory> <mutex> <optional> <span> <string> <string_view> <thread> <tuple> <type_traits> <utility> <vector>)
set(LACONIC_PRECOMPILED_test ${LACONIC_PRECOMPILED_std} <numeric> <sstream> <gtest/gtest.h>)
set(LACONIC_PRECOMPILED_ranks ${LACONIC_PRECOMPILED_std})
set(LACONIC_PRECOMPILED_cli ${LACONIC_PRECOMPILED_std} <filesystem> <fstream> <fmt/format.h>)
# Libraries that headers come from: their definitions must be those of the targets.
set(LACONIC_PRECOMPILED_test_FROM GTest::gtest)
set(LACONIC_PRECOMPILED_cli_FROM fmt::fmt)

function(laconic_precompile target set)
  set(options)
  if(LACONIC_LEVEL_${set})
    set(options $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:${LACONIC_LEVEL_${set}}> ${LACONIC_CALLER_OPTIONS})
  endif()
  target_compile_options(${target} PRIVATE ${options})
  set(carrier laconic_precompiled_${set})
  if(NOT TARGET ${carrier})
    add_library(${carrier} OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled.cpp)
    target_link_libraries(${carrier} PRIVATE Threads::Threads ${LACONIC_PRECOMPILED_${set}_FROM})
    # g++ may break down where a precompiled header was made for another level of optimization.
    target_compile_options(${carrier} PRIVATE ${options})
    target_precompile_headers(${carrier} PRIVATE ${LACONIC_PRECOMPILED_${set}})
  endif()
  # Programs would be compiled with -fPIE, and a precompiled header is good for one kind of code only.
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fPIC>)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${carrier})
endfunction()
