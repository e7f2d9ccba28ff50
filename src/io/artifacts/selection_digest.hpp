/// \file
/// Digests of content, of 16 hexadecimal digits. Neither the form of a file nor the version that wrote it changes
/// them. An output file identifies its selection by two of them, "RUN-POINTS".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/artifacts/json.hpp"

namespace seqpoint::io::artifacts {

/// "RUN-POINTS": the digest of the run (its size, its histogram, the options of batching, the digests of its manifests
/// in their order), and the digest of the points (ids, phases, keys and weights).
std::string selection_digest(const select::Selection&, const Provenance&);

/// Digest of the shapes of a run and their frequencies: its time depends on these.
std::string run_digest(const trace::RunSummary&);

/// Whether two digests "RUN-POINTS" are of one run, whatever their points.
bool same_run(std::string_view digest, std::string_view other);

/// The digest of a selection that was read, computed from its content. Throws InputError if the document states
/// another, because it was edited, and if it states none though this program made it. Adds a note if version 0.1 or
/// another program made it without a digest.
std::string checked_digest(const select::Selection&, const JsonReader&, std::vector<std::string>& notes);

/// The digest of a document without its top-level keys provenance and digest. The order of keys does not matter.
std::string content_digest(const Json&);

/// Throws InputError if a document's digest does not match its content, or is missing though this program made it. Adds
/// a note if version 0.1 or another program made it without a digest.
void check_content(const JsonReader&, std::vector<std::string>& notes);

}  // namespace seqpoint::io::artifacts
