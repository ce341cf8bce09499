# Finds libzfp for the codec zfp. Defines laconic_zfp, empty where there is none: then the library is built without the
# codec, and asking for it is an error that says so. Header and library are looked for rather than zfp's CMake package,
# which stops the configuration where an OpenMP that it was built with is missing.
option(LACONIC_ZFP "Build the codec zfp where libzfp is found" ON)

add_library(laconic_zfp INTERFACE)
set(LACONIC_WITHOUT zfp) # folders of src/codec that are left out
if(LACONIC_ZFP)
  find_path(ZFP_INCLUDE_DIR zfp.h HINTS ${zfp_ROOT} $ENV{zfp_ROOT} PATH_SUFFIXES include)
  find_library(ZFP_LIBRARY zfp HINTS ${zfp_ROOT} $ENV{zfp_ROOT} PATH_SUFFIXES lib lib64)
  mark_as_advanced(ZFP_INCLUDE_DIR ZFP_LIBRARY)
  if(ZFP_INCLUDE_DIR AND ZFP_LIBRARY)
    # The format of its blocks is part of our wire format.
    include(CheckCXXSourceCompiles)
    set(CMAKE_REQUIRED_INCLUDES ${ZFP_INCLUDE_DIR})
    set(CMAKE_REQUIRED_LIBRARIES ${ZFP_LIBRARY})
    check_cxx_source_compiles("
      #include <zfp.h>
      #if ZFP_CODEC != 5
      #error another format
      #endif
      int main() { return zfp_encode_block_float_1 == 0 || zfp_codec_version != 5; }" LACONIC_ZFP_WORKS)
    unset(CMAKE_REQUIRED_INCLUDES)
    unset(CMAKE_REQUIRED_LIBRARIES)
  endif()
  if(LACONIC_ZFP_WORKS)
    target_include_directories(laconic_zfp SYSTEM INTERFACE ${ZFP_INCLUDE_DIR})
    target_compile_definitions(laconic_zfp INTERFACE LACONIC_HAVE_ZFP)
    target_link_libraries(laconic_zfp INTERFACE ${ZFP_LIBRARY})
    set(LACONIC_WITHOUT "")
  else()
    message(STATUS "libzfp (codec format 5) not found: no codec zfp (Debian: apt-get install libzfp-dev)")
  endif()
endif()
