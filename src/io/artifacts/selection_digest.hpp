/// \file
/// Digests of content, of 16 hexadecimal digits. Neither the form of a file nor the version that wrote it changes them.
/// By two of them, "RUN-POINTS", an artefact knows the selection that it belongs to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/artifacts/json.hpp"

namespace seqpoint::io::artifacts {

/// Digest of the run, which is its size, its histogram, the options that batches are made with, the digests of its
/// manifests in their order, and of the points: ids, phases, keys and weights.
std::string selection_digest(const select::Selection&, const Provenance&);

/// Digest of the signatures of a run and how often each comes: what its time depends on.
std::string run_digest(const trace::RunSummary&);

/// Whether two digests are of one run, whatever its points.
bool same_run(std::string_view digest, std::string_view other);

/// The digest of what was read. Throws InputError where the document has another, since it was edited, and where it
/// has none though this program made it. A note where version 0.1 or another program made it without.
std::string checked_digest(const select::Selection&, const JsonReader&, std::vector<std::string>& notes);

/// The digest of a document but for its provenance and for the digest itself.
std::string content_digest(const Json&);

/// Throws InputError where a document has another digest than its content, or none though this program made it. A note
/// where another program made it without.
void check_content(const JsonReader&, std::vector<std::string>& notes);

}  // namespace seqpoint::io::artifacts
