# The target odr: one link of the library, the drop-in, the command and a user of laconic.hpp, for the one definition rule.
# Two files that define one name of a namespace differently compile and link without a word otherwise, and either one's
# inline functions then run on the other one's objects. g++ compares definitions while it links for optimization.
#
# What it finds: types of one name with different members or bases, and functions and variables of one name with
# different types. Bodies are not compared: inline functions that differ in these alone stay unnoticed.
#
# -O0, because optimization removes types before the link sees them. The output is another file for such a link, so no
# machine code is made, and nothing has to be resolved.
# The main() of the command is left out, since the user has one, too.
function(laconic_odr_target)
  get_property(objects GLOBAL PROPERTY LACONIC_ROOM_OBJECTS)
  foreach(target laconic_dropin_settings laconic_mpi_dropin laconic_cli_base laconic_cli ensemble_mean)
    if(TARGET ${target})
      list(APPEND objects $<TARGET_OBJECTS:${target}>)
    endif()
  endforeach()
  # A file with their names keeps the command short, which ninja prints where it fails.
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/odr.objects CONTENT "$<JOIN:${objects},\n>\n")
  add_custom_command(
    OUTPUT odr.o
    COMMAND ${CMAKE_CXX_COMPILER} -O0 -flto -fPIC -r -nostdlib -flinker-output=rel -Wodr -Werror @odr.objects -o odr.o
    DEPENDS ${objects} ${PROJECT_BINARY_DIR}/odr.objects
    COMMENT "Comparing the definitions of all files"
    VERBATIM)
  add_custom_target(odr DEPENDS odr.o)
endfunction()
