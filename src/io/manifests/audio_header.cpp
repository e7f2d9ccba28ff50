#include "io/manifests/audio_header.hpp"

#include "seqpoint/error.hpp"

#ifdef SEQPOINT_WITH_SNDFILE
#include <sndfile.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#endif

namespace seqpoint::io::manifests {

#ifdef SEQPOINT_WITH_SNDFILE

stream::AudioHeader read_audio_header(const std::string& path) {
  SF_INFO info{};
  // libsndfile's own word for a missing file is "System error."; and it looks for files of other names on the way.
  if (::access(path.c_str(), R_OK) != 0) throw InputError({path}, std::strerror(errno));
  const std::unique_ptr<SNDFILE, int (*)(SNDFILE*)> file(sf_open(path.c_str(), SFM_READ, &info), sf_close);
  if (!file) {
    const std::string problem = sf_strerror(nullptr);
    if (problem.find("malloc") != std::string::npos) throw std::bad_alloc();  // which has no public number
    throw InputError({path}, "is no audio: " + problem);
  }
  // A stream that was never finished has no count: libsndfile then says "as many as there can be".
  if (info.frames < 0 || info.frames == SF_COUNT_MAX || info.samplerate <= 0)
    throw InputError({path}, "its header does not say how long it is");
  return {static_cast<std::uint64_t>(info.frames), static_cast<double>(info.samplerate)};
}

#else

AudioHeader read_audio_header(const std::string&) {
  throw UsageError("--probe-audio: this seqpoint was built without libsndfile, which reads audio headers",
                   "install it (Debian: libsndfile1-dev) and build again, or give a manifest with durations");
}

#endif

}  // namespace seqpoint::io::manifests
