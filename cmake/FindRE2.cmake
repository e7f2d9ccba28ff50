# RE2 in Debian 12 comes without a CMake package; elsewhere it has one, which alone knows that newer ones are linked with Abseil.
# Defines re2::re2. Installed beside seqpointConfig.cmake too, because users of the static libraries link RE2.

find_package(re2 CONFIG QUIET)
if(TARGET re2::re2)
  set(RE2_FOUND TRUE)
  return()
endif()

find_path(RE2_INCLUDE_DIR re2/re2.h)
find_library(RE2_LIBRARY re2)
mark_as_advanced(RE2_INCLUDE_DIR RE2_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(RE2 REQUIRED_VARS RE2_LIBRARY RE2_INCLUDE_DIR)

if(RE2_FOUND AND NOT TARGET re2::re2)
  add_library(re2::re2 UNKNOWN IMPORTED)
  set_target_properties(re2::re2 PROPERTIES
    IMPORTED_LOCATION "${RE2_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${RE2_INCLUDE_DIR}")
endif()
