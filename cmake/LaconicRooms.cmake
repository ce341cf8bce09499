# laconic_room(<name> [USES room...] [MPI] [MPI_FOLDER folder] [WITH library...] [WITHOUT folder...])
#
# One object library per folder of src/, compiled once and used by every target. Sources are globbed, so adding
# a file needs no edit here; a room without sources yet is skipped.
# MPI: all of the room may use MPI. MPI_FOLDER: only that subfolder may, and it is left out when LACONIC_MPI is OFF.
# WITH: other libraries that it uses. WITHOUT: subfolders that are left out.
# Folders named cuda hold device code, in .cu and .cpp; LaconicCuda.cmake says who compiles it.
function(laconic_room name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "MPI" "MPI_FOLDER" "USES;WITH;WITHOUT")
  set(root ${PROJECT_SOURCE_DIR}/src/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${root}/*.cpp ${root}/*.cu)
  laconic_cuda_sources(sources)
  foreach(folder IN LISTS arg_WITHOUT)
    list(FILTER sources EXCLUDE REGEX "^${root}/${folder}/")
  endforeach()
  if(arg_MPI_FOLDER)
    set(mpi_sources ${sources})
    list(FILTER sources EXCLUDE REGEX "^${root}/${arg_MPI_FOLDER}/")
    list(FILTER mpi_sources INCLUDE REGEX "^${root}/${arg_MPI_FOLDER}/")
    if(LACONIC_MPI)
      laconic_room_objects(${name}_${arg_MPI_FOLDER} "${mpi_sources}" "${arg_USES}" laconic_mpi)
    endif()
  endif()
  laconic_room_objects(${name} "${sources}" "${arg_USES}" "$<$<BOOL:${arg_MPI}>:laconic_mpi>;${arg_WITH}")
endfunction()

function(laconic_room_objects name sources uses libraries)
  set(target laconic_room_${name})
  if(NOT sources)
    add_library(${target} INTERFACE) # so that other rooms can name it
    return()
  endif()
  add_library(${target} OBJECT ${sources})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  # Comparing with -Wconversion on keeps silent narrowing out of the codecs; tests are spared.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wconversion>)
  target_link_libraries(${target} PRIVATE Threads::Threads laconic_cuda ${libraries})
  laconic_precompile(${target} std)
  foreach(room IN LISTS uses)
    target_link_libraries(${target} PRIVATE laconic_room_${room})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY LACONIC_ROOM_OBJECTS $<TARGET_OBJECTS:${target}>)
endfunction()
