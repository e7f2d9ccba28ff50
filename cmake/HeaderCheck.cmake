# seqpoint_header_check()
#
# Builds one source per public header, which includes that header first and twice: a header that
# leans on what others include before it, or lacks its guard, does not compile.
function(seqpoint_header_check)
  # Globbed on purpose: a header that nobody listed is the one that needs the check.
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS
    RELATIVE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/include/seqpoint/*.hpp")
  set(sources "")
  foreach(header IN LISTS headers ITEMS seqpoint/version.hpp)
    string(MAKE_C_IDENTIFIER "${header}" name)
    set(source "${PROJECT_BINARY_DIR}/header_check/${name}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "#include <${header}>\n#include <${header}>\n")
    list(APPEND sources "${source}")
  endforeach()
  add_library(seqpoint_header_check OBJECT ${sources})
  # Each header alone, whatever the preset: together, one would bring what another lacks.
  set_target_properties(seqpoint_header_check PROPERTIES CXX_EXTENSIONS OFF UNITY_BUILD OFF)
  target_link_libraries(seqpoint_header_check PRIVATE seqpoint::io seqpoint_settings)
endfunction()
