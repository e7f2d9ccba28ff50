#include "io/manifests/audio_header.hpp"

#include "seqpoint/error.hpp"

#ifdef SEQPOINT_WITH_SNDFILE
#include <sndfile.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#endif

namespace seqpoint::io::manifests {

#ifdef SEQPOINT_WITH_SNDFILE

namespace {

using SoundFile = std::unique_ptr<SNDFILE, int (*)(SNDFILE*)>;

stream::AudioHeader header_of(const std::string& path, const SoundFile& file, const SF_INFO& info) {
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

/// Bytes in memory, as libsndfile reads them.
struct MemoryFile {
  std::string_view bytes;
  sf_count_t at = 0;

  static MemoryFile& of(void* file) { return *static_cast<MemoryFile*>(file); }
  static sf_count_t size(void* file) { return static_cast<sf_count_t>(of(file).bytes.size()); }
  static sf_count_t seek(sf_count_t offset, int whence, void* file) {
    const sf_count_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? of(file).at : size(file);
    return of(file).at = std::clamp(from + offset, sf_count_t{0}, size(file));
  }
  static sf_count_t read(void* to, sf_count_t count, void* file) {
    const std::size_t got = of(file).bytes.copy(static_cast<char*>(to), static_cast<std::size_t>(count),
                                                static_cast<std::size_t>(of(file).at));
    of(file).at += static_cast<sf_count_t>(got);
    return static_cast<sf_count_t>(got);
  }
  static sf_count_t write(const void*, sf_count_t, void*) { return 0; }
  static sf_count_t tell(void* file) { return of(file).at; }
};

}  // namespace

stream::AudioHeader read_audio_header(const std::string& path) {
  // libsndfile's own word for a missing file is "System error."; and it looks for files of other names on the way.
  if (::access(path.c_str(), R_OK) != 0) throw InputError({path}, std::strerror(errno));
  SF_INFO info{};
  const SoundFile file(sf_open(path.c_str(), SFM_READ, &info), sf_close);
  return header_of(path, file, info);
}

stream::AudioHeader read_audio_header(const std::string& name, std::string_view bytes) {
  SF_VIRTUAL_IO calls{MemoryFile::size, MemoryFile::seek, MemoryFile::read, MemoryFile::write, MemoryFile::tell};
  MemoryFile memory{bytes};
  SF_INFO info{};
  const SoundFile file(sf_open_virtual(&calls, SFM_READ, &info, &memory), sf_close);
  return header_of(name, file, info);
}

#else

namespace {

[[noreturn]] void refuse_to_probe() {
  throw UsageError("--probe-audio: this seqpoint was built without libsndfile, which reads audio headers",
                   "install it (Debian: libsndfile1-dev) and build again, or give a manifest with durations");
}

}  // namespace

stream::AudioHeader read_audio_header(const std::string&) { refuse_to_probe(); }
stream::AudioHeader read_audio_header(const std::string&, std::string_view) { refuse_to_probe(); }

#endif

}  // namespace seqpoint::io::manifests
