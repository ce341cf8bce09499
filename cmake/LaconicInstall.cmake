# Installs the headers, the libraries, the CMake package with its components codec and laconic, and the .pc files. A build
# without MPI installs liblaconic-codec and laconic/codec.h only. Components of the installation, which LaconicPackages.cmake
# makes packages of: codec and mpi for what runs, codec_dev and mpi_dev for what only a compiler needs.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/laconic)
file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)

# laconic_install(<target> <name of the component of find_package> <component of the installation>)
function(laconic_install target component part)
  install(TARGETS ${target} EXPORT laconic-${component}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${part} NAMELINK_COMPONENT ${part}_dev)
  install(EXPORT laconic-${component} NAMESPACE laconic:: DESTINATION ${package_dir} COMPONENT ${part}_dev)
  get_target_property(output ${target} OUTPUT_NAME)
  if(NOT output)
    set(output ${target})
  endif()
  configure_file(cmake/${output}.pc.in ${PROJECT_BINARY_DIR}/${output}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${output}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${part}_dev)
endfunction()

laconic_install(laconic_codec codec codec)
install(FILES include/laconic/codec.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/laconic COMPONENT codec_dev)
if(LACONIC_MPI)
  laconic_install(laconic laconic mpi)
  install(DIRECTORY include/laconic DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT mpi_dev
          FILES_MATCHING PATTERN "codec.h" EXCLUDE PATTERN "*.h" PATTERN "*.hpp")
endif()

configure_package_config_file(cmake/laconicConfig.cmake.in ${PROJECT_BINARY_DIR}/laconicConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/laconicConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/laconicConfig.cmake ${PROJECT_BINARY_DIR}/laconicConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT codec_dev)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT codec)
