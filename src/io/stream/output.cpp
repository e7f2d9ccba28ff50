#include "seqpoint/io/stream/output.hpp"

#include <fmt/core.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "seqpoint/error.hpp"

namespace seqpoint::io::stream {
namespace {

constexpr std::size_t kBufferSize = 256 * 1024;

/// Names of unfinished files, where a signal handler can reach them: fixed slots, a leading zero marks a free one.
constexpr std::size_t kSlots = 16, kLongestPath = 4096;
std::array<std::array<char, kLongestPath>, kSlots> unfinished_names;
std::array<std::atomic<bool>, kSlots> unfinished_used;

void register_unfinished(const std::string& path) {
  for (std::size_t s = 0; s < kSlots; ++s) {
    if (unfinished_used[s] || path.size() >= kLongestPath) continue;
    std::memcpy(unfinished_names[s].data(), path.c_str(), path.size() + 1);
    unfinished_used[s] = true;
    return;
  }
}

void unregister_unfinished(const std::string& path) {
  for (std::size_t s = 0; s < kSlots; ++s)
    if (unfinished_used[s] && path == unfinished_names[s].data()) unfinished_used[s] = false;
}

/// Whether the path is a regular file or does not exist: only those are replaced as a whole.
bool is_replaceable(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return true;
  return S_ISREG(status.st_mode);
}

/// The target of a symbolic link, so that the link stays and its target is replaced; else the path.
std::string resolve_link(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const std::filesystem::path target = std::filesystem::canonical(path, error);
  return error ? path : target.string();
}

/// 0, or the errno of the write that failed.
int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return 0;
}

constexpr mode_t kNewFileMode = 0666;  // as the umask allows

}  // namespace

Output::Output(const std::string& path) : path_(path == "-" ? "standard output" : resolve_link(path)) {
  if (path == "-") {
    fd_ = STDOUT_FILENO;
    return;
  }
  const bool replaces_whole = is_replaceable(path_);
  if (replaces_whole) unfinished_ = fmt::format("{}.tmp.{}", path_, ::getpid());
  const std::string& target = replaces_whole ? unfinished_ : path_;
  if (replaces_whole) register_unfinished(unfinished_);  // before there is a file: a signal may come between the two
  fd_ = ::open(target.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (replaces_whole ? O_TRUNC : 0), kNewFileMode);
  if (fd_ < 0) {
    const int why = errno;
    if (replaces_whole) unregister_unfinished(unfinished_);
    unfinished_.clear();
    throw OutputError(path_, why);
  }
  if (!replaces_whole) return;
  struct stat replaced {};
  if (::stat(path_.c_str(), &replaced) == 0) ::fchmod(fd_, replaced.st_mode & 07777U);
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

void Output::commit() {
  flush();
  if (fd_ > STDERR_FILENO) {
    const int fd = fd_;
    fd_ = -1;
    if (::close(fd) != 0) throw OutputError(path_, errno);
  }
  if (unfinished_.empty()) return;
  if (std::rename(unfinished_.c_str(), path_.c_str()) != 0) throw OutputError(path_, errno);
  unregister_unfinished(unfinished_);
  unfinished_.clear();
}

void append_to_file(const std::string& path, std::string_view bytes) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kNewFileMode);
  if (fd < 0) throw OutputError(path, errno);
  const int error = write_all(fd, bytes);
  if (::close(fd) != 0 || error != 0) throw OutputError(path, error != 0 ? error : errno);
}

void remove_unfinished_outputs() noexcept {
  for (std::size_t s = 0; s < kSlots; ++s)
    if (unfinished_used[s]) ::unlink(unfinished_names[s].data());
}

}  // namespace seqpoint::io::stream
