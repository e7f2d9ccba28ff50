# seqpoint_sources_in(OUT FOLDER...): every source of these folders, which are relative to the calling directory. A build sees by
# itself that one was added.
function(seqpoint_sources_in out)
  set(all)
  foreach(folder IN LISTS ARGN)
    file(GLOB sources CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "${folder}/*.cpp")
    if(NOT sources)
      message(FATAL_ERROR "no sources in ${CMAKE_CURRENT_SOURCE_DIR}/${folder}")
    endif()
    list(APPEND all ${sources})
  endforeach()
  set(${out} ${all} PARENT_SCOPE)
endfunction()

# seqpoint_library(NAME FOLDERS ... [DEPENDS ...] [PRIVATE_DEPENDS ...] [PRECOMPILE <HEADER>...])
#
# A static library seqpoint_NAME, known as seqpoint::NAME here and once installed, of the sources of FOLDERS. DEPENDS are what
# its public headers mention, PRIVATE_DEPENDS what only its sources do.
function(seqpoint_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FOLDERS;DEPENDS;PRIVATE_DEPENDS;PRECOMPILE")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "seqpoint_library(${name}): unexpected ${arg_UNPARSED_ARGUMENTS}")
  endif()

  set(target seqpoint_${name})
  seqpoint_sources_in(sources ${arg_FOLDERS})
  add_library(${target} STATIC ${sources})
  add_library(seqpoint::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${name}
    CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON)  # users may put us into a shared library, e.g. a Python module
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target}
    PUBLIC
      "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
      "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>"
      "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>"
    PRIVATE
      "${PROJECT_SOURCE_DIR}/src")

  # Even private dependencies of a static library must be there when a program links it. The two
  # exceptions are kept out of the installed package: our settings and header-only libraries.
  set(private "$<BUILD_INTERFACE:seqpoint_settings>")
  foreach(dependency IN LISTS arg_PRIVATE_DEPENDS)
    if(dependency IN_LIST SEQPOINT_HEADER_ONLY)
      list(APPEND private "$<BUILD_INTERFACE:${dependency}>")
    else()
      list(APPEND private ${dependency})
    endif()
  endforeach()
  target_link_libraries(${target} PUBLIC ${arg_DEPENDS} PRIVATE ${private})
  seqpoint_compile_together(${target} ${arg_PRECOMPILE})
endfunction()

# seqpoint_part(LIBRARY NAME FOLDERS ... [SOURCES ...] [DEPENDS ...] [OPTIONS ...] [PRECOMPILE <HEADER>...])
#
# Folders of the library seqpoint_LIBRARY, and SOURCES that were generated, that are compiled with OPTIONS of their own, as the
# target seqpoint_NAME.
function(seqpoint_part library name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "FOLDERS;SOURCES;DEPENDS;OPTIONS;PRECOMPILE")
  set(target seqpoint_${name})
  seqpoint_sources_in(sources ${arg_FOLDERS})
  add_library(${target} OBJECT ${sources} ${arg_SOURCES})
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target} PRIVATE
    "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/generated" "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${target} PRIVATE seqpoint_settings ${arg_DEPENDS})
  target_compile_options(${target} PRIVATE ${arg_OPTIONS})
  seqpoint_compile_together(${target} ${arg_PRECOMPILE})
  target_sources(seqpoint_${library} PRIVATE $<TARGET_OBJECTS:${target}>)
endfunction()

# seqpoint_compile_together(TARGET HEADER...): a build in units compiles a target in equal ones, of at most
# CMAKE_UNITY_BUILD_BATCH_SIZE sources: the largest one decides how long two processors take, and how much memory. Where sources are
# compiled by themselves, HEADERs are precompiled.
function(seqpoint_compile_together target)
  if(NOT CMAKE_UNITY_BUILD)
    seqpoint_precompile(${target} ${ARGN})
  elseif(CMAKE_UNITY_BUILD_BATCH_SIZE)
    get_target_property(sources ${target} SOURCES)
    list(LENGTH sources all)
    math(EXPR units "(${all} + ${CMAKE_UNITY_BUILD_BATCH_SIZE} - 1) / ${CMAKE_UNITY_BUILD_BATCH_SIZE}")
    math(EXPR size "(${all} + ${units} - 1) / ${units}")
    set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE ${size})
  endif()
endfunction()

# seqpoint_precompile(TARGET HEADER...): reads the standard library's headers, and these, once for all sources of a target where
# SEQPOINT_PRECOMPILE is on. Sources include what they use all the same: builds without it do not forgive what is missing.
function(seqpoint_precompile target)
  if(SEQPOINT_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <charconv> <cmath> <cstdint> <functional> <limits> <map> <memory> <numeric> <optional> <span> <string>
      <string_view> <unordered_map> <utility> <vector> ${ARGN})
    # g++ 12 then warns of copies inside the standard library that cannot be (GCC PR 105651), elsewhere silenced as a system's.
    target_compile_options(${target} PRIVATE
      $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>)
  endif()
endfunction()
