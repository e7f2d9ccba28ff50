/// \file
/// Headers of audio files, through libsndfile where seqpoint was built with it.
#pragma once

#include <string>

#include "seqpoint/io/stream/files.hpp"

namespace seqpoint::io::manifests {

/// As Files::audio_header, of a file on disk.
stream::AudioHeader read_audio_header(const std::string& path);

}  // namespace seqpoint::io::manifests
