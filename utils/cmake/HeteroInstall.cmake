# Install and export rules, so that another project can find_package(Hetero).
include(CMakePackageConfigHelpers)

get_property(libraries GLOBAL PROPERTY HETERO_LIBRARIES)
set(HETERO_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Hetero)
install(TARGETS ${libraries} EXPORT HeteroTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT HeteroTargets NAMESPACE Hetero:: DESTINATION ${HETERO_CMAKE_DIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/hetero ${PROJECT_BINARY_DIR}/include/hetero
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc")
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/HeteroConfig.cmake.in
  ${PROJECT_BINARY_DIR}/HeteroConfig.cmake INSTALL_DESTINATION ${HETERO_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/HeteroConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/HeteroConfig.cmake
  ${PROJECT_BINARY_DIR}/HeteroConfigVersion.cmake DESTINATION ${HETERO_CMAKE_DIR})
