# Device code for NVIDIA GPUs: the folders of src/ that are named cuda. LACONIC_CUDA says what becomes of them:
#   OFF       left out
#   ON        compiled by nvcc; the CUDA runtime is linked statically, so that the library loads where there is no driver
#   AUTO      ON where there is an nvcc that can do it, else OFF
#   EMULATED  compiled by the C++ compiler against tests/emulator, which stands in for CUDA and its runtime
# Defines laconic_cuda, which every room is linked with, and LACONIC_CUDA_MODE: OFF, ON or EMULATED.
set(LACONIC_CUDA AUTO CACHE STRING "Device code for NVIDIA GPUs: OFF, ON (nvcc), AUTO (ON where there is nvcc), EMULATED")
set_property(CACHE LACONIC_CUDA PROPERTY STRINGS OFF ON AUTO EMULATED)
set(LACONIC_NVCC_AT_LEAST 12.0) # the first with C++20
include(${CMAKE_CURRENT_LIST_DIR}/LaconicCudaArchitectures.cmake)

set(LACONIC_CUDA_MODE ${LACONIC_CUDA})
if(LACONIC_CUDA STREQUAL "AUTO" OR LACONIC_CUDA STREQUAL "ON")
  include(CheckLanguage)
  check_language(CUDA)
  set(LACONIC_CUDA_MODE OFF)
  if(CMAKE_CUDA_COMPILER)
    laconic_cuda_architectures(chosen ${CMAKE_CUDA_COMPILER})
    set(CMAKE_CUDA_ARCHITECTURES ${chosen} CACHE STRING "GPUs that device code is compiled for")
    enable_language(CUDA)
    if(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA" AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL LACONIC_NVCC_AT_LEAST)
      set(LACONIC_CUDA_MODE ON)
    endif()
  endif()
  if(LACONIC_CUDA STREQUAL "ON" AND NOT LACONIC_CUDA_MODE)
    message(FATAL_ERROR "LACONIC_CUDA=ON needs nvcc ${LACONIC_NVCC_AT_LEAST} or newer: set CMAKE_CUDA_COMPILER or PATH")
  endif()
elseif(NOT LACONIC_CUDA STREQUAL "OFF" AND NOT LACONIC_CUDA STREQUAL "EMULATED")
  message(FATAL_ERROR "LACONIC_CUDA is OFF, ON, AUTO or EMULATED, not ${LACONIC_CUDA}")
endif()
if(LACONIC_CUDA_MODE STREQUAL "EMULATED" AND LACONIC_SANITIZE MATCHES "thread")
  message(FATAL_ERROR "ThreadSanitizer does not understand the emulator's fibers: LACONIC_CUDA=OFF")
endif()
message(STATUS "Device code for NVIDIA GPUs: ${LACONIC_CUDA_MODE}")

add_library(laconic_cuda INTERFACE)
set(LACONIC_HAS_CUDA 0)
set(LACONIC_CUDA_EMULATED 0)
if(LACONIC_CUDA_MODE STREQUAL "ON")
  set(LACONIC_HAS_CUDA 1)
  target_include_directories(laconic_cuda SYSTEM INTERFACE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
  # CMake 3.25 does not know that nvcc can do this.
  foreach(kind STANDARD EXTENSION)
    if(NOT CMAKE_CUDA20_${kind}_COMPILE_OPTION)
      set(CMAKE_CUDA20_${kind}_COMPILE_OPTION -std=c++20)
    endif()
  endforeach()
  # -fmad=false, and nothing that is fast: results must be those of the host to the bit. Pragmas: the compiler of the host
  # sees those that are for kernels, too.
  set(LACONIC_CUDA_OPTIONS --expt-relaxed-constexpr -fmad=false -Xcompiler=-Wall,-Wextra,-Wno-unknown-pragmas,-ffp-contract=off)
  add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:${LACONIC_CUDA_OPTIONS}>")
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
  set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
elseif(LACONIC_CUDA_MODE STREQUAL "EMULATED")
  set(LACONIC_HAS_CUDA 1)
  set(LACONIC_CUDA_EMULATED 1)
  target_include_directories(laconic_cuda INTERFACE ${PROJECT_SOURCE_DIR}/tests) # for tests/emulator
endif()
configure_file(${PROJECT_SOURCE_DIR}/src/base/build.hpp.in ${PROJECT_BINARY_DIR}/generated/base/build.hpp @ONLY)
target_include_directories(laconic_cuda INTERFACE ${PROJECT_BINARY_DIR}/generated)

# laconic_cuda_sources(<variable>)
#   Drops from the list what this build leaves out, and sees to it that kernels are compiled by the right compiler.
function(laconic_cuda_sources variable)
  set(sources ${${variable}})
  if(NOT LACONIC_CUDA_MODE)
    list(FILTER sources EXCLUDE REGEX "/cuda/|\\.cu$")
  elseif(NOT LACONIC_CUDA_MODE STREQUAL "EMULATED")
    list(FILTER sources EXCLUDE REGEX "/emulator/")
  else()
    set(kernels ${sources})
    list(FILTER kernels INCLUDE REGEX "\\.cu$")
    if(kernels)
      set_source_files_properties(${kernels} PROPERTIES LANGUAGE CXX)
    endif()
  endif()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()
