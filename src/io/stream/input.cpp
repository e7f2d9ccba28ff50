#include "io/stream/input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "io/stream/digest.hpp"
#include "io/stream/file_window.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::stream {
namespace {

constexpr std::size_t kSmallestRead = 4 * 1024;
constexpr std::size_t kLargestRead = 1024 * 1024;

/// Opens a file to read; "-" is standard input. Throws InputError if the path cannot be opened or is a directory.
int open_file(const std::string& path) {
  if (path == "-") return STDIN_FILENO;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw InputError({path}, std::strerror(errno), "");
  struct stat status {};
  if (::fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
    ::close(fd);
    throw InputError({path}, "is a directory", "name a file in it");
  }
  return fd;
}

/// Whether both are the same file, unchanged: by device, inode, size and the inode's change time, which changes with
/// the content, the names and the other times, and cannot be set.
bool is_same(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
         a.st_ctim.tv_sec == b.st_ctim.tv_sec && a.st_ctim.tv_nsec == b.st_ctim.tv_nsec;
}

// Values in place of a file descriptor: the bytes are in memory, or the file is not open yet, or closed at its end.
constexpr int kInMemory = -1, kNotYetOpen = -2, kAtEnd = -3;

/// Closes a regular file and returns kNotYetOpen; returns other descriptors unchanged. Reason: a run may have thousands
/// of manifests and a process few descriptors, so a file is open only while it is read. A pipe or the like can be
/// opened only once.
int close_until_read(int fd) {
  struct stat status {};
  if (fd == STDIN_FILENO || ::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return fd;
  ::close(fd);
  return kNotYetOpen;
}

/// The bytes already taken to recognise the compression, then the rest.
class Replayed : public ByteSource {
 public:
  Replayed(std::string first, ByteSource& rest) : first_(std::move(first)), rest_(rest) {}
  std::size_t read(char* to, std::size_t size) override {
    if (used_ == first_.size()) return rest_.read(to, size);
    const std::size_t got = first_.copy(to, size, used_);
    used_ += got;
    return got;
  }

 private:
  std::string first_;
  std::size_t used_ = 0;
  ByteSource& rest_;
};

/// A decoder, and the stored bytes that it reads.
class Decoded : public ByteSource {
 public:
  using Decoder = std::unique_ptr<ByteSource> (*)(ByteSource&, std::string);
  Decoded(std::string first, ByteSource& raw, const std::string& name, Decoder decoder)
      : stored_(std::move(first), raw), decoder_(decoder(stored_, name)) {}
  std::size_t read(char* to, std::size_t size) override { return decoder_->read(to, size); }

 private:
  Replayed stored_;
  std::unique_ptr<ByteSource> decoder_;
};

/// Reads `size` bytes, fewer only at the end of the source. The buffer doubles, so that a small input takes at most
/// twice its size.
template <class Source>
std::string read_up_to(Source& source, std::size_t size) {
  std::string bytes;
  for (std::size_t got = 1; got > 0 && bytes.size() < size;) {
    const std::size_t have = bytes.size();
    bytes.resize(have + std::min(size - have, std::clamp(have, kSmallestRead, kLargestRead)));
    got = source.read(bytes.data() + have, bytes.size() - have);
    bytes.resize(have + got);
  }
  return bytes;
}

class Disk : public Files {
 public:
  bool exists(const std::string& path) const override { return ::access(path.c_str(), F_OK) == 0; }
  std::optional<std::vector<std::string>> list(const std::string& path) const override {
    std::error_code failed;
    std::vector<std::string> names;
    for (std::filesystem::directory_iterator entry(path, failed), end; !failed && entry != end;
         entry.increment(failed)) {
      const std::string name = entry->path().filename();
      std::error_code unknown;
      if (!name.starts_with('.')) names.push_back(entry->is_directory(unknown) ? name + '/' : name);
    }
    if (failed) return std::nullopt;
    std::sort(names.begin(), names.end());
    return names;
  }
  Input open(const std::string& path) const override { return Input::open(path); }
};

}  // namespace

/// The bytes as stored. read() digests them unless that is deferred.
class Input::StoredBytes : public ByteSource {
 public:
  StoredBytes(std::string name, int fd) : name_(std::move(name)), fd_(fd) {}
  StoredBytes(std::string name, std::string_view memory) : StoredBytes(std::move(name), kInMemory) {
    memory_ = memory;
    size_ = memory.size();
  }
  ~StoredBytes() override {
    if (fd_ > STDIN_FILENO) ::close(fd_);
  }
  StoredBytes(const StoredBytes&) = delete;
  StoredBytes& operator=(const StoredBytes&) = delete;

  std::size_t read(char* to, std::size_t size) override {
    const std::size_t got = fd_ == kInMemory ? read_memory(to, size) : read_file(to, size);
    if (!digest_deferred) digest.add({to, got});
    return got;
  }

  Digest digest;
  bool digest_deferred = false;  ///< the caller digests, not read()
  Observer observer;             ///< may be empty

  /// The file position if a regular file is open; nothing before the first read(), after the end, for standard input
  /// and memory.
  std::optional<std::uint64_t> mappable_from() const {
    struct stat status {};
    if (fd_ <= STDIN_FILENO || ::fstat(fd_, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    return position_;
  }
  std::shared_ptr<const FileWindow> map(std::uint64_t offset, std::size_t size) const {
    return FileWindow::map(fd_, name_, offset, size);
  }
  void seek(std::uint64_t offset) {
    if (::lseek(fd_, static_cast<off_t>(offset), SEEK_SET) < 0) throw InputError({name_}, std::strerror(errno));
    position_ = offset;
  }

  /// The size of a regular file or of memory, in bytes; nothing for standard input, a pipe or the like, and after the
  /// file was removed.
  std::optional<std::uint64_t> size() const {
    if (fd_ == kInMemory) return size_;
    struct stat status {};
    const int failed = fd_ < 0 ? ::stat(name_.c_str(), &status) : ::fstat(fd_, &status);
    if (fd_ == STDIN_FILENO || failed != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    return static_cast<std::uint64_t>(status.st_size);
  }

  /// Whether the bytes are those of a regular file; not of standard input.
  bool is_file() const { return fd_ != kInMemory && size().has_value(); }

  /// Whether the path leads to the same file, unchanged since its reading began. False if it was never read.
  bool is_unchanged() const {
    struct stat now {};
    return ::stat(name_.c_str(), &now) == 0 && is_same(now, opened_);
  }

 private:
  std::size_t read_memory(char* to, std::size_t size) {
    const std::size_t got = memory_.copy(to, size);
    memory_.remove_prefix(got);
    return got;
  }
  /// As ByteSource::read(), from the file, which is opened at the first call and closed at its end; standard input is
  /// neither. Calls the observer with the number of bytes read so far. Throws InputError.
  std::size_t read_file(char* to, std::size_t size) {
    if (fd_ == kAtEnd) return 0;
    if (fd_ == kNotYetOpen) open();
    for (;;) {
      const ssize_t got = ::read(fd_, to, size);
      if (got == 0) close_at_end();
      position_ += got > 0 ? static_cast<std::uint64_t>(got) : 0;
      if (got > 0 && observer) observer(position_);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) throw InputError({name_}, std::strerror(errno));
    }
  }

  void open() {
    fd_ = open_file(name_);
    if (::fstat(fd_, &opened_) != 0) throw InputError({name_}, std::strerror(errno));
  }

  void close_at_end() {
    if (fd_ > STDIN_FILENO) ::close(fd_);
    fd_ = kAtEnd;
  }

  std::string name_;
  int fd_;
  struct stat opened_ {};       ///< of a regular file, when reading began
  std::uint64_t position_ = 0;  ///< in the file
  std::string_view memory_;
  std::uint64_t size_ = 0;  ///< size of the memory, before anything was read
};

Input::Input(std::string name, std::unique_ptr<StoredBytes> raw) : name_(std::move(name)), stored_(std::move(raw)) {}
Input::Input(Input&&) noexcept = default;
Input& Input::operator=(Input&&) noexcept = default;
Input::~Input() = default;

Input Input::open(const std::string& path) {
  return {path, std::make_unique<StoredBytes>(path, close_until_read(open_file(path)))};
}

Input Input::from_memory(std::string name, std::string_view bytes) {
  auto raw = std::make_unique<StoredBytes>(name, bytes);
  return {std::move(name), std::move(raw)};
}

Packing packing_of(std::string_view bytes) {
  const std::string_view first = bytes.substr(0, 4);
  if (first.starts_with("\x1f\x8b")) return Packing::gzip;
  const bool skippable = first.size() == 4 && first.substr(1) == "\x2a\x4d\x18" && (first[0] & '\xf0') == '\x50';
  return first == "\x28\xb5\x2f\xfd" || skippable ? Packing::zstd : Packing::none;
}

std::string_view Input::head(std::size_t most) {
  if (!head_filled_) fill_head();
  if (head_used_ == 0 && head_.size() == kHeadSize && most > kHeadSize)
    head_ += decoded_ ? read_up_to(*decoded_, most - kHeadSize) : read_up_to(*stored_, most - kHeadSize);
  return std::string_view(head_).substr(0, most);
}

void Input::fill_head() {
  head_filled_ = true;
  std::string first = read_up_to(*stored_, 4);
  if (const Packing packing = packing_of(first); packing != Packing::none) {
    decoded_ = std::make_unique<Decoded>(std::move(first), *stored_, name_, packing == Packing::gzip ? gunzip : unzstd);
    head_ = read_up_to(*decoded_, kHeadSize);
  } else {
    head_ = std::move(first);
    head_ += read_up_to(*stored_, kHeadSize - head_.size());
  }
}

void Input::observe(Observer observer) { stored_->observer = std::move(observer); }

void Input::notify_observer(std::uint64_t read) {
  if (stored_->observer) stored_->observer(read);
}

std::optional<std::uint64_t> Input::stored_size() const { return stored_->size(); }

std::optional<std::uint64_t> Input::size() {
  if (head().size() < kHeadSize) return head_.size();
  return decoded_ ? std::nullopt : stored_->size();
}

void Input::defer_digest() {
  head();
  stored_->digest_deferred = decoded_ == nullptr;
}

std::optional<std::uint64_t> Input::mappable_from() const {
  const bool head_is_used = head_filled_ && head_used_ == head_.size();
  return decoded_ == nullptr && head_is_used ? stored_->mappable_from() : std::nullopt;
}
std::shared_ptr<const FileWindow> Input::map(std::uint64_t offset, std::size_t size) {
  return stored_->map(offset, size);
}
void Input::seek(std::uint64_t offset) { stored_->seek(offset); }

void Input::digest(std::string_view bytes) { stored_->digest.add(bytes); }

std::size_t Input::read(char* to, std::size_t size) {
  head();
  if (head_used_ < head_.size()) {
    const std::size_t got = head_.copy(to, size, head_used_);
    head_used_ += got;
    return got;
  }
  digest_pending_ = stored_->digest_deferred;
  return decoded_ ? decoded_->read(to, size) : stored_->read(to, size);
}

std::string Input::read_all() { return read_up_to(*this, std::string::npos); }

std::string Input::read_text() {
  std::string text = read_up_to(*this, kHeadSize);
  for (std::string part = read_up_to(*this, kLargestRead); !part.empty(); part = read_up_to(*this, kLargestRead)) {
    if (part.find('\0') != std::string::npos)
      throw InputError({name_}, "has zero bytes: it is no text", "give a text file");
    text += part;
  }
  return text;
}

bool Input::is_plain_file() {
  head();
  return !decoded_ && stored_->is_file();
}

void Input::require_unchanged() const {
  if (!stored_->is_unchanged())
    throw InputError({name_}, "was replaced or written to while it was read", "try again once nothing writes it");
}

void Input::skip_to_end() {
  std::array<char, 64 * 1024> part{};
  while (read(part.data(), part.size()) > 0) continue;
}

std::string Input::digest() const { return stored_->digest.text(); }

const Files& disk_files() {
  static const Disk disk;
  return disk;
}

}  // namespace seqpoint::io::stream
