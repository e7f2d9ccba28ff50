# seqpoint_embed_schemas(OUTPUT KIND...)
#
# Writes the source file OUTPUT, in which the text of share/schemas/KIND.json stands under its KIND, in that order, with what artefacts
# of it say they are: the number of each kind is written there alone. Done while configuring, which a changed schema brings about.
function(seqpoint_embed_schemas output)
  set(rows "")
  foreach(kind IN LISTS ARGN)
    set(file "${PROJECT_SOURCE_DIR}/share/schemas/${kind}.json")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(READ "${file}" text)
    string(JSON name GET "${text}" properties schema const)
    string(APPEND rows "    Schema{\"${kind}\", \"${name}\", R\"~~~(${text})~~~\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT "${output}" @ONLY CONTENT
"// Made by cmake/Schemas.cmake of share/schemas.
#include <array>

#include \"io/artifacts/schemas.hpp\"

namespace seqpoint::io::artifacts {
namespace {

constexpr std::array kSchemas{
@rows@};

}  // namespace

std::span<const Schema> schemas() { return kSchemas; }

}  // namespace seqpoint::io::artifacts
")
endfunction()

# seqpoint_embed_jobs(OUTPUT NAME...)
#
# Writes the source file OUTPUT, which contains the text of share/jobs/NAME under its NAME.
function(seqpoint_embed_jobs output)
  set(rows "")
  foreach(name IN LISTS ARGN)
    set(file "${PROJECT_SOURCE_DIR}/share/jobs/${name}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(READ "${file}" text)
    string(APPEND rows "    JobTemplate{\"${name}\", R\"~~~(${text})~~~\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT "${output}" @ONLY CONTENT
"// Made by cmake/Schemas.cmake of share/jobs.
#include <array>

#include \"io/artifacts/job_templates.hpp\"

namespace seqpoint::io::artifacts {
namespace {

constexpr std::array kTemplates{
@rows@};

}  // namespace

std::span<const JobTemplate> job_templates() { return kTemplates; }

}  // namespace seqpoint::io::artifacts
")
endfunction()
