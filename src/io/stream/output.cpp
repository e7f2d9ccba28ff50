#include "io/stream/output.hpp"

#include <fmt/core.h>

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

#include "seqpoint/error.hpp"

namespace seqpoint::io::stream {
namespace {

constexpr std::size_t kBufferSize = 256 * 1024;

/// A file that remove_unfinished_outputs() removes while it `exists`. Entries are reused and never freed, so that a
/// signal handler can walk their list at any time.
struct Unfinished {
  std::string path;
  std::atomic<bool> exists;
  Unfinished* next;
};
std::atomic<Unfinished*> unfinished_files;

void register_unfinished(const std::string& path) {
  Unfinished* file = unfinished_files;
  while (file != nullptr && file->exists) file = file->next;
  if (file == nullptr) unfinished_files = file = new Unfinished{"", false, unfinished_files};
  file->path = path;
  file->exists = true;
}

void unregister_unfinished(const std::string& path) {
  for (Unfinished* file = unfinished_files; file != nullptr; file = file->next)
    if (file->path == path) file->exists = false;
}

/// Whether the path is a regular file or cannot be examined, such as one that does not exist: only those are replaced
/// as a whole.
bool is_replaceable(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return true;
  return S_ISREG(status.st_mode);
}

/// The target of symbolic links, of at most 40 in a row, so that the links stay and their target is replaced or
/// created; without links the path itself. Links of folders in the path are not resolved.
std::string resolve_links(std::string path) {
  constexpr int kMaxLinks = 40;  // the limit of Linux
  std::error_code error;
  for (int i = 0; i < kMaxLinks && std::filesystem::is_symlink(path, error); ++i) {
    const std::filesystem::path target = std::filesystem::read_symlink(path, error);
    if (error) break;
    path = (std::filesystem::path(path).parent_path() / target).string();
  }
  return path;
}

/// The open descriptor that a path names: "-", /dev/stdout, /dev/stderr, /dev/fd/N or /proc/self/fd/N; nothing for
/// other paths. The descriptor may refer to a file in the middle of which others write.
std::optional<int> descriptor_of(std::string_view path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    int number = 0;
    const char* const end = path.data() + path.size();
    if (std::from_chars(path.data() + folder.size(), end, number).ptr == end && number >= 0) return number;
  }
  return std::nullopt;
}

/// A name in the same folder that cannot be predicted, and is short enough even if the path's own has the maximum
/// length.
std::string unfinished_name(const std::string& path) {
  std::uint64_t number = 0;
  while (::getrandom(&number, sizeof number, 0) != sizeof number)
    if (errno != EINTR) throw OutputError(path, errno);
  return (std::filesystem::path(path).parent_path() / fmt::format(".seqpoint-{:016x}.tmp", number)).string();
}

/// Flushes a file's bytes to the disk, if the file system can. Throws OutputError for an I/O error, a full disk or a
/// quota, and ignores other errors.
void sync(int fd, const std::string& path) {
  if (::fsync(fd) != 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT)) throw OutputError(path, errno);
}

/// Closes a descriptor. Throws OutputError if close() fails, except by a signal: the descriptor is closed whatever
/// close() returns, on Linux also after a signal.
void close_written(int fd, const std::string& path) {
  if (::close(fd) != 0 && errno != EINTR) throw OutputError(path, errno);
}

/// Flushes a folder's entries to the disk; "" is the working folder. Ignores errors.
void sync_folder(const std::string& folder) {
  const int fd = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;  // a folder that is writable but not readable
  ::fsync(fd);
  ::close(fd);
}

/// Writes all bytes, also after signals and partial writes. Returns 0, or the errno of the write that failed.
int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return 0;
}

constexpr mode_t kNewFileMode = 0666;  // reduced by the umask

}  // namespace

Output::Output(const std::string& path) : path_(path == "-" ? "standard output" : path) {
  if (const std::optional<int> descriptor = descriptor_of(path)) {
    fd_ = *descriptor == STDOUT_FILENO ? STDOUT_FILENO : ::fcntl(*descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (fd_ < 0) throw OutputError(path_, errno);
    return;
  }
  path_ = resolve_links(path);
  if (is_replaceable(path_))
    begin_replacement();
  else
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd_ < 0) throw OutputError(path_, errno);
}

/// Creates the unfinished file next to path_, with the permissions of the file that it replaces, and opens it as fd_.
/// On failure fd_ is below 0, and errno has the reason.
void Output::begin_replacement() {
  do {
    unfinished_ = unfinished_name(path_);
    register_unfinished(unfinished_);  // before there is a file: a signal may come between the two
    fd_ = ::open(unfinished_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kNewFileMode);
    if (fd_ < 0) unregister_unfinished(unfinished_);
  } while (fd_ < 0 && errno == EEXIST);
  struct stat replaced {};
  if (fd_ < 0)
    unfinished_.clear();
  else if (::stat(path_.c_str(), &replaced) == 0)
    ::fchmod(fd_, replaced.st_mode & 0777U);
}

Output::~Output() {
  if (fd_ > STDERR_FILENO) ::close(fd_);
  if (unfinished_.empty()) return;
  ::unlink(unfinished_.c_str());
  unregister_unfinished(unfinished_);
}

void Output::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > kBufferSize) flush();
  if (bytes.size() > kBufferSize)
    write_fully(bytes);
  else
    buffer_ += bytes;
}

void Output::flush() {
  write_fully(buffer_);
  buffer_.clear();
}

void Output::write_fully(std::string_view bytes) {
  if (const int error = write_all(fd_, bytes); error != 0) throw OutputError(path_, error);
}

void Output::complete() {
  if (is_complete_) return;
  flush();
  if (!unfinished_.empty()) sync(fd_, path_);
  folder_ = std::filesystem::path(path_).parent_path().string();  // commit() must not need memory
  if (fd_ > STDERR_FILENO) close_written(std::exchange(fd_, -1), path_);
  is_complete_ = true;
}

void Output::commit() {
  complete();
  if (unfinished_.empty()) return;
  if (std::rename(unfinished_.c_str(), path_.c_str()) != 0) throw OutputError(path_, errno);
  unregister_unfinished(unfinished_);
  unfinished_.clear();
  sync_folder(folder_);
}

bool is_standard_output(std::string_view path) { return descriptor_of(path) == STDOUT_FILENO; }

std::string final_path(const std::string& path) {
  std::error_code error;
  std::filesystem::path found = std::filesystem::absolute(resolve_links(path), error);
  if (!error) found = std::filesystem::weakly_canonical(found, error);
  return error ? path : found.string();
}

void append_to_file(const std::string& path, std::string_view bytes) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kNewFileMode);
  if (fd < 0) throw OutputError(path, errno);
  const int error = write_all(fd, bytes);
  if (error != 0) {
    ::close(fd);
    throw OutputError(path, error);
  }
  close_written(fd, path);
}

void remove_unfinished_outputs() noexcept {
  for (const Unfinished* file = unfinished_files; file != nullptr; file = file->next)
    if (file->exists) ::unlink(file->path.c_str());
}

}  // namespace seqpoint::io::stream
