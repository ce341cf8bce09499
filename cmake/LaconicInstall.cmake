# Installs the headers, the libraries, the CMake package with its components codec and laconic, and the .pc files. A build
# without MPI installs liblaconic-codec and laconic/codec.h only.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/laconic)
file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)

# laconic_install(<target> <name of the component>)
function(laconic_install target component)
  install(TARGETS ${target} EXPORT laconic-${component} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT laconic-${component} NAMESPACE laconic:: DESTINATION ${package_dir})
  get_target_property(output ${target} OUTPUT_NAME)
  if(NOT output)
    set(output ${target})
  endif()
  configure_file(cmake/${output}.pc.in ${PROJECT_BINARY_DIR}/${output}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${output}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

laconic_install(laconic_codec codec)
install(FILES include/laconic/codec.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/laconic)
if(LACONIC_MPI)
  laconic_install(laconic laconic)
  install(DIRECTORY include/laconic DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
endif()

configure_package_config_file(cmake/laconicConfig.cmake.in ${PROJECT_BINARY_DIR}/laconicConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/laconicConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/laconicConfig.cmake ${PROJECT_BINARY_DIR}/laconicConfigVersion.cmake
        DESTINATION ${package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
