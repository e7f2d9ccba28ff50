# The program, the libraries core and io with their headers, and a CMake package to find them.
# seqpoint::cli is the inside of the program and stays here.

include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/seqpoint")

install(TARGETS seqpoint RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(TARGETS seqpoint_core seqpoint_io
  EXPORT seqpointTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/include/seqpoint" "${PROJECT_BINARY_DIR}/generated/seqpoint"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.hpp" PATTERN "cli" EXCLUDE)

install(DIRECTORY "${PROJECT_SOURCE_DIR}/share/schemas" DESTINATION "${CMAKE_INSTALL_DATADIR}/seqpoint")

install(EXPORT seqpointTargets NAMESPACE seqpoint:: DESTINATION "${package_dir}")
configure_package_config_file(cmake/seqpointConfig.cmake.in
  "${PROJECT_BINARY_DIR}/seqpointConfig.cmake"
  INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/seqpointConfigVersion.cmake"
  COMPATIBILITY SameMajorVersion)
install(
  FILES
    "${PROJECT_BINARY_DIR}/seqpointConfig.cmake"
    "${PROJECT_BINARY_DIR}/seqpointConfigVersion.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/FindxxHash.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/FindSndFile.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/FindSentencePiece.cmake"
  DESTINATION "${package_dir}")
