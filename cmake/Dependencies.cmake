# Every library we use comes from the system; nothing is downloaded while configuring.
# All missing ones are named at once, with the Debian packages that bring them.

macro(seqpoint_require package debian_package)
  find_package(${package} ${ARGN} QUIET)
  if(NOT ${package}_FOUND)
    list(APPEND seqpoint_missing "${package} (Debian: ${debian_package})")
    list(APPEND seqpoint_missing_debian ${debian_package})
  endif()
endmacro()

set(seqpoint_missing "")
set(seqpoint_missing_debian "")
seqpoint_require(CLI11 libcli11-dev CONFIG)
seqpoint_require(nlohmann_json nlohmann-json3-dev CONFIG)
seqpoint_require(spdlog libspdlog-dev CONFIG)
seqpoint_require(fmt libfmt-dev CONFIG)
seqpoint_require(Eigen3 libeigen3-dev CONFIG)
seqpoint_require(simdjson libsimdjson-dev CONFIG)
seqpoint_require(Boost libboost-dev MODULE)
seqpoint_require(ZLIB zlib1g-dev)
seqpoint_require(zstd libzstd-dev CONFIG)
seqpoint_require(xxHash libxxhash-dev MODULE)
seqpoint_require(RE2 libre2-dev MODULE)
seqpoint_require(SQLite3 libsqlite3-dev MODULE)
seqpoint_require(Threads libc6-dev)

if(seqpoint_missing)
  list(JOIN seqpoint_missing "\n  " seqpoint_missing)
  list(JOIN seqpoint_missing_debian " " seqpoint_missing_debian)
  message(FATAL_ERROR
    "seqpoint cannot find:\n  ${seqpoint_missing}\n"
    "Install them, on Debian with:\n"
    "  apt-get install ${seqpoint_missing_debian}\n"
    "or run tools/setup.sh, which does that.")
endif()

# zstd's package has no target that always exists: it has one per kind of library built.
foreach(candidate zstd::libzstd_shared zstd::libzstd_static)
  if(TARGET ${candidate})
    set(SEQPOINT_ZSTD ${candidate})
    break()
  endif()
endforeach()
if(NOT SEQPOINT_ZSTD)
  message(FATAL_ERROR "zstd was found in ${zstd_DIR}, but it offers neither a shared nor a static library.")
endif()

# Libraries of xxHash for x86 may choose among instruction sets while they run; not all are built so.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_LIBRARIES xxHash::xxhash)
check_cxx_source_compiles(
  "#include <xxh_x86dispatch.h>\nint main() { return static_cast<int>(XXH3_128bits(\"\", 0).low64); }" SEQPOINT_XXHASH_DISPATCH)
unset(CMAKE_REQUIRED_LIBRARIES)
if(SEQPOINT_XXHASH_DISPATCH)
  set(SEQPOINT_DEFINITIONS SEQPOINT_XXHASH_DISPATCH)
endif()

# Used while compiling only. Who links our installed libraries need not have them (Library.cmake).
set(SEQPOINT_HEADER_ONLY Eigen3::Eigen nlohmann_json::nlohmann_json CLI11::CLI11)
