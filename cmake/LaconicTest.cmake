# laconic_test(<name> sources... [PARTS number])
#   A GoogleTest binary on laconic_internal, label <name>. Its cases are dealt out to so many ctest entries,
#   "<name>.cases.<K>"; tests/cases says how they are run, and TEST_CASES=<regular expression> which.
# laconic_rank_test(<name> sources... [RANKS n...] [TIMEOUT seconds] [ARGS arg...])
#   A program on the public API, started with each number of ranks: "ranks.<name>.n<N>", label ranks.
find_package(GTest)
if(NOT GTest_FOUND)
  message(WARNING "GoogleTest not found: only rank tests are built (apt-get install libgtest-dev libgmock-dev)")
endif()
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)

# Ranks that poll must be told to share the cores; tests/mpirun says why.
if(LACONIC_MPI)
  add_library(idle_ucx SHARED ${PROJECT_SOURCE_DIR}/tests/idle/ucx.c)
  target_link_libraries(idle_ucx PRIVATE ${CMAKE_DL_LIBS})
  set(LACONIC_PRELOAD --preload $<TARGET_FILE:idle_ucx>)
  add_custom_target(rank_tests DEPENDS idle_ucx) # everything that `ctest -L ranks` needs
  if(TARGET idle)
    list(APPEND LACONIC_PRELOAD --preload $<TARGET_FILE:idle>)
    add_dependencies(rank_tests idle)
  endif()
endif()

if(TARGET rank_tests AND TARGET fields)
  add_dependencies(rank_tests fields)
endif()

set(LACONIC_RANKS 1 2 3 8 CACHE STRING "Rank counts of rank tests that name none")

function(laconic_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PARTS" "")
  if(NOT arg_PARTS)
    set(arg_PARTS 2)
  endif()
  set(sources ${arg_UNPARSED_ARGUMENTS})
  laconic_cuda_sources(sources)
  add_executable(test_${name} ${sources})
  # laconic_internal brings the MPI along; a test that calls none of it should not even load it.
  target_link_options(test_${name} PRIVATE -Wl,--as-needed)
  target_link_libraries(test_${name} PRIVATE laconic_internal GTest::gmock GTest::gtest_main)
  laconic_precompile(test_${name} test)
  foreach(part RANGE 1 ${arg_PARTS})
    add_test(NAME ${name}.cases.${part}
             COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/cases --name ${name} --part ${part}/${arg_PARTS}
                     --report ${PROJECT_BINARY_DIR}/Testing/cases/${name}.cases.${part}.xml --limit 120 --whole 1000
                     $<TARGET_FILE:test_${name}>)
    set_tests_properties(${name}.cases.${part} PROPERTIES LABELS ${name} TIMEOUT 1030)
  endforeach()
endfunction()

function(laconic_rank_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "RANKS;ARGS")
  if(NOT arg_RANKS)
    set(arg_RANKS ${LACONIC_RANKS})
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_executable(ranks_${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(ranks_${name} PRIVATE laconic laconic_mpi laconic_cuda)
  target_include_directories(ranks_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src) # for call/, which is a table only
  laconic_precompile(ranks_${name} ranks)
  add_dependencies(rank_tests ranks_${name})
  math(EXPR watchdog "${arg_TIMEOUT} - 10") # so that the launcher can end its ranks before ctest ends the launcher
  foreach(ranks IN LISTS arg_RANKS)
    add_test(NAME ranks.${name}.n${ranks}
             COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/mpirun --mpiexec ${MPIEXEC_EXECUTABLE}
                     ${LACONIC_PRELOAD} --timeout ${watchdog} -n ${ranks} -- $<TARGET_FILE:ranks_${name}> ${arg_ARGS})
    # As many processors as ranks: more ranks than cores have the machine for themselves.
    set_tests_properties(ranks.${name}.n${ranks} PROPERTIES LABELS ranks PROCESSORS ${ranks} TIMEOUT ${arg_TIMEOUT})
  endforeach()
endfunction()
