/// \file
/// Projections as files: reading them, and whether one is comparable with the current projection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/project/projection.hpp"
#include "io/artifacts/files.hpp"

namespace seqpoint::io::artifacts {

/// A projection as read, without its notes.
struct ProjectionFile {
  project::Projection projection;           ///< without its notes
  std::optional<std::uint64_t> iterations,  ///< iterations of the run, if the file has them
      samples,                              ///< samples of the run, if the file has them
      epochs;                               ///< epochs of the run, if the file has them
  std::string selection;                    ///< digest of its points; empty if missing
  std::string run;                          ///< digest of the run; empty if missing
  manifests::InputRecord record;            ///< record of the file
  std::vector<std::string> notes;           ///< notes on skipped checks
};
/// Reads a document of projection_json() (artifacts/studies.hpp). Throws InputError, at the wrong key if there is one,
/// also if the digest does not match the content, or is missing though this program made the file.
ProjectionFile read_projection(stream::Input input);
/// Throws InputError unless the file is for this run, as far as it names its run: times of different runs do not show a
/// regression. `run`: the selection's, or another that is projected. Returns a note for the user: that the points
/// differ, or that only sizes were compared because the file has no digest of its run; empty if there is none.
std::string require_same_run(const ProjectionFile&, const select::Selection&, const trace::RunSummary& run);
/// require_same_run(), and throws InputError unless the file has the same seconds of overheads as the current
/// projection and, if both name one, the same source of times (host or GPU).
std::string require_comparable(const ProjectionFile&, const select::Selection&, const trace::RunSummary&,
                               const project::Projection&);

}  // namespace seqpoint::io::artifacts
