# _embed(OUTPUT FOLDER HEADER TYPE FUNCTION ROWS)
#
# Writes the source file OUTPUT: FUNCTION() gives the ROWS of TYPE, which were made of the files in share/FOLDER.
function(_embed output folder header type function rows)
  file(CONFIGURE OUTPUT "${output}" @ONLY CONTENT
"// Made by cmake/Embed.cmake of share/@folder@.
#include <array>

#include \"io/artifacts/@header@\"

namespace seqpoint::io::artifacts {

std::span<const @type@> @function@() {
  static constexpr std::array kRows{
@rows@};
  return kRows;
}

}  // namespace seqpoint::io::artifacts
")
endfunction()

# _read_shared(TEXT FILE): the text of share/FILE. Read while configuring, which a changed file brings about.
function(_read_shared text file)
  set(path "${PROJECT_SOURCE_DIR}/share/${file}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
  file(READ "${path}" read)
  set(${text} "${read}" PARENT_SCOPE)
endfunction()

# seqpoint_embed_schemas(OUTPUT KIND...)
#
# Writes the source file OUTPUT, in which the text of share/schemas/KIND.json stands under its KIND, in that order, with what artefacts
# of it say they are: the number of each kind is written there alone.
function(seqpoint_embed_schemas output)
  set(rows "")
  foreach(kind IN LISTS ARGN)
    _read_shared(text "schemas/${kind}.json")
    string(JSON name GET "${text}" properties schema const)
    string(APPEND rows "    Schema{\"${kind}\", \"${name}\", R\"~~~(${text})~~~\"},\n")
  endforeach()
  _embed("${output}" schemas schemas.hpp Schema schemas "${rows}")
endfunction()

# _hash_of(HASH TEXT): the hash of the text as a content security policy has it, "sha256-" and base64.
function(_hash_of hash text)
  set(characters "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  string(SHA256 digits "${text}")
  set(base64 "")
  foreach(at RANGE 0 63 3)  # three hexadecimal digits are two characters
    string(SUBSTRING "${digits}00" ${at} 3 three)
    math(EXPR first "0x${three} >> 6")
    math(EXPR second "0x${three} & 63")
    string(SUBSTRING "${characters}" ${first} 1 one)
    string(SUBSTRING "${characters}" ${second} 1 other)
    string(APPEND base64 "${one}${other}")
  endforeach()
  string(REGEX REPLACE ".$" "=" base64 "${base64}")  # of 33 bytes the last is none
  set(${hash} "sha256-${base64}" PARENT_SCOPE)
endfunction()

# seqpoint_embed_page(OUTPUT SCRIPT...)
#
# Writes the source file OUTPUT: share/page/page.css, the scripts of share/page in that order, and their hash.
function(seqpoint_embed_page output)
  _read_shared(style "page/page.css")
  set(script "")
  foreach(name IN LISTS ARGN)
    _read_shared(text "page/${name}")
    string(APPEND script "${text}")
  endforeach()
  _hash_of(hash "${script}")
  file(CONFIGURE OUTPUT "${output}" @ONLY CONTENT
"// Made by cmake/Embed.cmake of share/page.
#include \"io/views/html/page_files.hpp\"

#pragma GCC diagnostic ignored \"-Woverlength-strings\"

namespace seqpoint::io::views::html {

const std::string_view kStyle = R\"~~~(@style@)~~~\";
const std::string_view kScript = R\"~~~(@script@)~~~\";
const std::string_view kScriptHash = \"@hash@\";

}  // namespace seqpoint::io::views::html
")
endfunction()
