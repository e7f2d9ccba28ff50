# Run by CPack in front of packing. Adds to what goes into .deb packages what the policy wants there: a copyright file and a
# change log, compressed manual pages, libraries without debugging symbols.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()

if(CPACK_PACKAGE_CONTACT MATCHES "@example\\.org>")
  message(WARNING "The packages name ${CPACK_PACKAGE_CONTACT}, whom nobody can reach: "
    "give NAME <ADDRESS> in packaging/project.json before you hand them on.")
endif()

string(TIMESTAMP today "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH's day, if that is set
set(copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: seqpoint

Files: *
Copyright: 2026 the authors of seqpoint
License: Apache-2.0

Files: examples/data/*
Copyright: see examples/data/README.md, which names every source
License: CC-BY-4.0
 Lengths of samples and times of iterations; the data sets that they derive from
 have licences of their own, which that file names.

License: Apache-2.0
 On Debian systems the full text is in /usr/share/common-licenses/Apache-2.0.
")

# seqpoint_debian_files(ROOT PACKAGE)
function(seqpoint_debian_files root package)
  set(doc "${root}/usr/share/doc/${package}")
  file(WRITE "${doc}/copyright" "${copyright}")
  file(WRITE "${doc}/changelog.Debian"
    "seqpoint (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) stable; urgency=medium\n\n"
    "  * Version ${CPACK_PACKAGE_VERSION}; what changed is in changelog.gz of the package seqpoint.\n\n"
    " -- ${CPACK_PACKAGE_CONTACT}  ${today}\n")
  file(REMOVE "${doc}/LICENSE")  # said by the copyright file
  set(compressed "${doc}/changelog.Debian")
  if(EXISTS "${doc}/CHANGELOG.md")
    file(RENAME "${doc}/CHANGELOG.md" "${doc}/changelog")
    list(APPEND compressed "${doc}/changelog")
  endif()
  file(GLOB pages "${root}/usr/share/man/man1/*.1")
  execute_process(COMMAND gzip -9nf ${compressed} ${pages} COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB_RECURSE libraries "${root}/usr/lib/*.a")
  if(libraries)
    execute_process(COMMAND "${CPACK_SEQPOINT_STRIP}" --strip-debug --remove-section=.comment ${libraries} COMMAND_ERROR_IS_FATAL ANY)
  endif()
endfunction()

seqpoint_debian_files("${CPACK_TEMPORARY_DIRECTORY}/program" seqpoint)
seqpoint_debian_files("${CPACK_TEMPORARY_DIRECTORY}/development" libseqpoint-dev)
