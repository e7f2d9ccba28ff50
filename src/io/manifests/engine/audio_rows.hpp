/// \file
/// Rows whose length is in the header of an audio file. Durations are in seconds: a file of another sample rate than
/// the run's counts as resampled.
#pragma once

#include <optional>
#include <string>

#include "io/manifests/row_sink.hpp"

namespace seqpoint::io::manifests::engine {

/// For a format that has no lengths of its own: throws InputError unless the user wants them from the audio. `field`
/// names the audio in each row.
void require_probing(RowSink& sink, const std::string& field);

/// The header of the audio that `path` names, seen from the manifest's folder. Nothing, and a row without length, where
/// there is no such file or it is no audio.
std::optional<stream::AudioHeader> probe_audio(std::uint64_t line, const std::string& path, const std::string& field,
                                               RowSink& rows);

/// A row as long as that audio.
void add_probed(std::uint64_t line, const std::string& path, const std::string& field, RowSink& rows);

/// Tells of files with other sample rates, once the last row is read.
void note_other_rates(RowSink& sink);

}  // namespace seqpoint::io::manifests::engine
