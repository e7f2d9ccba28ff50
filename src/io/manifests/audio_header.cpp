#include "io/manifests/audio_header.hpp"

#include "seqpoint/error.hpp"

#ifdef SEQPOINT_WITH_SNDFILE
#include <fcntl.h>
#include <sndfile.h>
#include <sys/stat.h>
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

/// A file whose errors are kept: libsndfile takes one while it reads for the end of the file.
struct FileOnDisk {
  int descriptor;
  int error = 0;  ///< of a call that failed, as errno has it

  explicit FileOnDisk(const std::string& path) : descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor < 0) throw InputError({path}, std::strerror(errno));
  }
  ~FileOnDisk() { ::close(descriptor); }
  FileOnDisk(const FileOnDisk&) = delete;
  FileOnDisk& operator=(const FileOnDisk&) = delete;

  sf_count_t kept(sf_count_t result) {
    if (result < 0 && error == 0) error = errno;
    return result;
  }
  static FileOnDisk& of(void* file) { return *static_cast<FileOnDisk*>(file); }
  static sf_count_t size(void* file) {
    struct stat status {};
    return of(file).kept(::fstat(of(file).descriptor, &status)) < 0 ? 0 : status.st_size;
  }
  static sf_count_t seek(sf_count_t offset, int whence, void* file) {
    const sf_count_t place = ::lseek(of(file).descriptor, offset, whence);
    return errno == EINVAL ? place : of(file).kept(place);  // before the beginning: what the header says is wrong
  }
  static sf_count_t read(void* to, sf_count_t count, void* file) {
    sf_count_t all = 0;
    while (all < count) {
      const ssize_t got =
          ::read(of(file).descriptor, static_cast<char*>(to) + all, static_cast<std::size_t>(count - all));
      if (got < 0 && errno == EINTR) continue;
      if (of(file).kept(got) <= 0) break;
      all += got;
    }
    return all;
  }
  static sf_count_t write(const void*, sf_count_t, void*) { return 0; }
  static sf_count_t tell(void* file) { return seek(0, SEEK_CUR, file); }
};

}  // namespace

stream::AudioHeader read_audio_header(const std::string& path) {
  SF_VIRTUAL_IO calls{FileOnDisk::size, FileOnDisk::seek, FileOnDisk::read, FileOnDisk::write, FileOnDisk::tell};
  FileOnDisk on_disk(path);
  SF_INFO info{};
  const SoundFile file(sf_open_virtual(&calls, SFM_READ, &info, &on_disk), sf_close);
  if (on_disk.error != 0) throw InputError({path}, std::strerror(on_disk.error));
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
