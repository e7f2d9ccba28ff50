# libsndfile in Debian comes without a CMake package; elsewhere it has one, which alone knows what a static one is linked with.
# Defines SndFile::sndfile. Installed beside seqpointConfig.cmake too, because users of the static libraries link it.

find_package(SndFile CONFIG QUIET)
if(TARGET SndFile::sndfile)
  set(SndFile_FOUND TRUE)
  return()
endif()

find_path(SndFile_INCLUDE_DIR sndfile.h)
find_library(SndFile_LIBRARY sndfile)
mark_as_advanced(SndFile_INCLUDE_DIR SndFile_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SndFile REQUIRED_VARS SndFile_LIBRARY SndFile_INCLUDE_DIR)

if(SndFile_FOUND AND NOT TARGET SndFile::sndfile)
  add_library(SndFile::sndfile UNKNOWN IMPORTED)
  set_target_properties(SndFile::sndfile PROPERTIES
    IMPORTED_LOCATION "${SndFile_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${SndFile_INCLUDE_DIR}")
endif()
