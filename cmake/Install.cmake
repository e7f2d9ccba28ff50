# What is installed, in two components: `program` (the program, its manual, completion, schemas, documents) and `development`
# (the libraries core and io, their headers, packages for CMake and pkg-config). seqpoint::cli is the inside of the program and
# stays here.

include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/seqpoint")

# Documents link to sources that are not installed: there, such a link is its text.
function(unlink_missing folder component)
  if(NOT IS_ABSOLUTE "${folder}")
    set(folder "\${CMAKE_INSTALL_PREFIX}/${folder}")
  endif()
  install(CODE "set(folder \"\$ENV{DESTDIR}${folder}\")
    include(\"${PROJECT_SOURCE_DIR}/cmake/UnlinkMissing.cmake\")" COMPONENT ${component})
endfunction()

install(TARGETS seqpoint RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)
if(SKBUILD)  # pip: the program is a script of the environment; pyproject.toml lists the packages
  message(STATUS "pip compiles the program seqpoint for this system: minutes, with a C++20 compiler and the libraries of docs/install.md")
  install(TARGETS seqpoint RUNTIME DESTINATION "${SKBUILD_SCRIPTS_DIR}" COMPONENT wheel)
  # The documents that messages name, in share/doc/seqpoint of the environment.
  install(DIRECTORY docs DESTINATION "${SKBUILD_DATA_DIR}/share/doc/seqpoint" COMPONENT wheel
    FILES_MATCHING PATTERN "*.md" PATTERN "api" EXCLUDE PATTERN "images" EXCLUDE)
  install(DIRECTORY examples DESTINATION "${SKBUILD_DATA_DIR}/share/doc/seqpoint" USE_SOURCE_PERMISSIONS COMPONENT wheel
    PATTERN "data" EXCLUDE)
  unlink_missing("${SKBUILD_DATA_DIR}/share/doc/seqpoint" wheel)
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/share/schemas" DESTINATION "${CMAKE_INSTALL_DATADIR}/seqpoint" COMPONENT program)
# Packages of Python, one that runs the program and the companion of PyTorch jobs: their folder goes onto PYTHONPATH.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/python" DESTINATION "${CMAKE_INSTALL_DATADIR}/seqpoint" COMPONENT program
  PATTERN "__pycache__" EXCLUDE)
install(FILES README.md CHANGELOG.md CITATION.cff LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT program)
install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT program
  FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.svg" PATTERN "api" EXCLUDE)
# The documents' commands run where they lie: beside the examples.
install(DIRECTORY examples DESTINATION "${CMAKE_INSTALL_DOCDIR}" USE_SOURCE_PERMISSIONS COMPONENT program)
unlink_missing("${CMAKE_INSTALL_DOCDIR}" program)

# The completion and manual pages: tools/seqpoint/CMakeLists.txt.

install(TARGETS seqpoint_core seqpoint_io
  EXPORT seqpointTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/include/seqpoint" "${PROJECT_BINARY_DIR}/generated/seqpoint"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development
  FILES_MATCHING PATTERN "*.hpp" PATTERN "cli" EXCLUDE)

install(EXPORT seqpointTargets NAMESPACE seqpoint:: DESTINATION "${package_dir}" COMPONENT development)
configure_package_config_file(cmake/seqpointConfig.cmake.in
  "${PROJECT_BINARY_DIR}/seqpointConfig.cmake"
  INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/seqpointConfigVersion.cmake"
  COMPATIBILITY SameMajorVersion)
install(
  FILES
    "${PROJECT_BINARY_DIR}/seqpointConfig.cmake"
    "${PROJECT_BINARY_DIR}/seqpointConfigVersion.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/FindRE2.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/FindxxHash.cmake"
  DESTINATION "${package_dir}" COMPONENT development)

# Found from its own place, so that an installed tree may be moved.
set(pkgconfig_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH to_prefix "/${pkgconfig_dir}" "/")
string(REGEX REPLACE "/$" "" to_prefix "${to_prefix}")
configure_file(cmake/seqpoint.pc.in "${PROJECT_BINARY_DIR}/seqpoint.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/seqpoint.pc" DESTINATION "${pkgconfig_dir}" COMPONENT development)

include(Packages)
