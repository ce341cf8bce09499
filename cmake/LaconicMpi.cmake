# Finds the MPI that -DMPI_C_COMPILER=<mpicc> or the environment variable MPICC names, and the mpiexec that belongs to it;
# without either, the one in PATH.  Defines laconic_mpi: MPI's C interface for our C++ code.  LACONIC_MPI=AUTO becomes OFF
# where there is no MPI.
if(NOT LACONIC_MPI)
  return()
endif()
if(NOT MPI_C_COMPILER AND NOT "$ENV{MPICC}" STREQUAL "")
  find_program(MPI_C_COMPILER NAMES $ENV{MPICC})
endif()

# FindMPI looks for mpiexec on its own and would happily pair one MPI's compiler with another one's launcher.
if(MPI_C_COMPILER AND NOT MPIEXEC_EXECUTABLE)
  get_filename_component(mpicc ${MPI_C_COMPILER} NAME)
  string(REPLACE "mpicc" "mpiexec" mpiexec ${mpicc})
  get_filename_component(folder ${MPI_C_COMPILER} DIRECTORY)
  find_program(MPIEXEC_EXECUTABLE NAMES ${mpiexec} PATHS ${folder} NO_DEFAULT_PATH)
  if(NOT MPIEXEC_EXECUTABLE)
    find_program(MPIEXEC_EXECUTABLE NAMES ${mpiexec})
  endif()
endif()
if(LACONIC_MPI STREQUAL "AUTO")
  find_package(MPI COMPONENTS C)
  set(LACONIC_MPI ${MPI_C_FOUND})
  message(STATUS "MPI: ${LACONIC_MPI}")
  if(NOT LACONIC_MPI)
    return()
  endif()
else()
  find_package(MPI REQUIRED COMPONENTS C)
endif()

add_library(laconic_mpi INTERFACE)
target_link_libraries(laconic_mpi INTERFACE MPI::MPI_C)
# The MPIs' own C++ bindings are long deprecated and drag in a second library.
target_compile_definitions(laconic_mpi INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)

# Whether the MPI can be asked if it takes memory of GPUs.
include(CheckCSourceCompiles)
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
check_c_source_compiles("
  #include <mpi.h>
  #if __has_include(<mpi-ext.h>)
  #include <mpi-ext.h>
  #endif
  int main(void) { return MPIX_Query_cuda_support(); }" LACONIC_MPI_CUDA_QUERY)
unset(CMAKE_REQUIRED_LIBRARIES)
target_compile_definitions(laconic_mpi INTERFACE $<$<BOOL:${LACONIC_MPI_CUDA_QUERY}>:LACONIC_MPI_CUDA_QUERY=1>)
