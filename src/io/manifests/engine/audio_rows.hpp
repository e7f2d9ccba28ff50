/// \file
/// Rows whose length is in the header of an audio file. Durations are in seconds: a file with another sample rate than
/// the run's is taken to be resampled to it.
#pragma once

#include <optional>
#include <string>

#include "io/manifests/row_sink.hpp"

namespace seqpoint::io::manifests::engine {

/// For a format that has no lengths of its own: throws InputError unless the user wants them from the audio. `field`
/// names the audio in each row.
void require_probing(RowSink& sink, const std::string& field);

/// The header of the audio that `path` names, seen from the manifest's folder. Nothing where there is no such file or
/// it is not audio; then a row without a length is added.
std::optional<stream::AudioHeader> probe_audio(std::uint64_t line, const std::string& path, const std::string& field,
                                               RowSink& rows);

/// Adds a row as long as that audio.
void add_probed(std::uint64_t line, const std::string& path, const std::string& field, RowSink& rows);

/// Adds a note if files had another sample rate than the run's. Called after the last row of every file.
void note_other_rates(RowSink& sink);

}  // namespace seqpoint::io::manifests::engine
