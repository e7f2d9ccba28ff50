# cpack --config build/release/CPackConfig.cmake: an archive of everything that is installed, and packages for Debian: `seqpoint`
# with the component `program`, `libseqpoint-dev` with `development`.

set(SEQPOINT_CONTACT "" CACHE STRING "The maintainer of packages: NAME <ADDRESS>")
# DebianFiles.cmake warns while packing if there is none.

set(CPACK_PACKAGE_NAME seqpoint)
set(CPACK_PACKAGE_VENDOR seqpoint)
set(CPACK_PACKAGE_CONTACT "${SEQPOINT_CONTACT}")
if(NOT SEQPOINT_CONTACT)
  set(CPACK_PACKAGE_CONTACT "the authors of seqpoint")
endif()
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_GENERATOR "TGZ;DEB")
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_STRIP_FILES ON)

set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)
set(CPACK_PACKAGE_FILE_NAME "seqpoint-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}")

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME seqpoint)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
  "Batches of an epoch differ in cost, because samples differ in length. seqpoint\nstarts a training job, runs a few dozen of its batches in a few processes, and\nstates the time of an epoch with an interval, or the difference of two builds\nwith a verdict. Loops over PyTorch's DataLoader are found in any job; loops of\nJAX, TensorFlow or NumPy need one line.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS python3)  # for `seqpoint run`; the other commands do without

# The static libraries bring nothing along: who links them needs what they are linked with.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libseqpoint-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(development_depends libfmt-dev libre2-dev libsimdjson-dev libsqlite3-dev libxxhash-dev libzstd-dev zlib1g-dev)
list(JOIN development_depends ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
  "Static libraries and headers of seqpoint: reading of manifests, batch orders,\nselection of SeqPoints, projection. With packages for CMake and pkg-config.")

# What Debian asks of a package beyond the files that are installed.
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/DebianFiles.cmake")
set(CPACK_SEQPOINT_SOURCE_DIR "${PROJECT_SOURCE_DIR}")
set(CPACK_SEQPOINT_STRIP "${CMAKE_STRIP}")
include(CPack)
