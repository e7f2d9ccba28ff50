/// \file
/// Headers of audio files, through libsndfile where seqpoint was built with it.
#pragma once

#include <string>
#include <string_view>

#include "seqpoint/io/files.hpp"

namespace seqpoint::io::manifests {

/// As Files::audio_header, of a file on disk.
stream::AudioHeader read_audio_header(const std::string& path);
/// The same of a whole file in memory; `name` is used in errors.
stream::AudioHeader read_audio_header(const std::string& name, std::string_view bytes);

}  // namespace seqpoint::io::manifests
