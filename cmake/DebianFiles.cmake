# Run by CPack in front of packing. Sets the modes of what is packed, and adds to what goes into .deb packages what the policy wants
# there: a copyright file and a change log, compressed manual pages, libraries without debugging symbols.

# Those of the folder that is packed come from the umask of who packs, and of who made the clone.
function(seqpoint_usual_modes)
  execute_process(COMMAND chmod -R u=rwX,go=rX "${CPACK_TEMPORARY_DIRECTORY}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

if(NOT CPACK_GENERATOR STREQUAL "DEB")
  seqpoint_usual_modes()
  return()
endif()

if(NOT CPACK_PACKAGE_CONTACT MATCHES "<.+@.+>")
  message(WARNING "The packages name no maintainer that can be reached: "
    "configure with -DSEQPOINT_CONTACT='NAME <ADDRESS>' before you hand them on.")
endif()

string(TIMESTAMP today "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH's day, if that is set
# seqpoint_debian_files(ROOT PACKAGE)
function(seqpoint_debian_files root package)
  set(doc "${root}/usr/share/doc/${package}")
  configure_file("${CPACK_SEQPOINT_SOURCE_DIR}/cmake/debian-copyright" "${doc}/copyright" COPYONLY)
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
  # Where Debian's Python finds the packages.
  if(EXISTS "${root}/usr/share/seqpoint/python")
    file(MAKE_DIRECTORY "${root}/usr/lib/python3/dist-packages")
    foreach(package seqpoint seqpoint_companion)
      file(CREATE_LINK "../../../share/seqpoint/python/${package}" "${root}/usr/lib/python3/dist-packages/${package}" SYMBOLIC)
    endforeach()
  endif()
  file(GLOB_RECURSE libraries "${root}/usr/lib/*.a")
  if(libraries)
    execute_process(COMMAND "${CPACK_SEQPOINT_STRIP}" --strip-debug --remove-section=.comment ${libraries} COMMAND_ERROR_IS_FATAL ANY)
  endif()
endfunction()

seqpoint_debian_files("${CPACK_TEMPORARY_DIRECTORY}/program" seqpoint)
seqpoint_debian_files("${CPACK_TEMPORARY_DIRECTORY}/development" libseqpoint-dev)
seqpoint_usual_modes()
