#include "seqpoint/io/input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "seqpoint/error.hpp"

namespace seqpoint {
namespace {

constexpr std::size_t kHeadSize = 64 * 1024;
constexpr std::size_t kSmallestPart = 4 * 1024;
constexpr std::size_t kLargestPart = 1024 * 1024;
constexpr std::size_t kLongestRecord = 1024 * 1024 * 1024;

int open_file(const std::string& path) {
  if (path == "-") return STDIN_FILENO;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw InputError({path}, std::strerror(errno), errno == ENOENT ? "check the path" : "");
  struct stat status{};
  if (::fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
    ::close(fd);
    throw InputError({path}, "is a directory", "name a file in it");
  }
  return fd;
}

// What stands where a descriptor could: the bytes are in memory, or in a file that is not open.
constexpr int kMemory = -1, kNotYetOpen = -2, kAtEnd = -3;

/// A run may have thousands of manifests and a process few descriptors, so a file is open only while it is read. What is no
/// file, a pipe say, can be opened only once.
int closed_until_read(int fd) {
  struct stat status{};
  if (fd == STDIN_FILENO || ::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return fd;
  ::close(fd);
  return kNotYetOpen;
}

}  // namespace

/// The bytes as stored, hashed on the way.
class Input::Raw : public ByteSource {
 public:
  Raw(std::string name, int fd) : name_(std::move(name)), fd_(fd), hash_(XXH3_createState()) {
    XXH3_128bits_reset(hash_);
  }
  Raw(std::string name, std::string_view memory) : Raw(std::move(name), kMemory) {
    memory_ = memory;
    size_ = memory.size();
  }
  ~Raw() override {
    if (fd_ > STDIN_FILENO) ::close(fd_);
    XXH3_freeState(hash_);
  }
  Raw(const Raw&) = delete;
  Raw& operator=(const Raw&) = delete;

  std::size_t read(char* to, std::size_t size) override {
    const std::size_t got = fd_ == kMemory ? read_memory(to, size) : read_file(to, size);
    XXH3_128bits_update(hash_, to, got);
    return got;
  }

  /// Of a regular file that is read from its start, or of memory.
  std::optional<std::uint64_t> size() const {
    if (fd_ == kMemory) return size_;
    struct stat status{};
    const int failed = fd_ < 0 ? ::stat(name_.c_str(), &status) : ::fstat(fd_, &status);
    if (fd_ == STDIN_FILENO || failed != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    return static_cast<std::uint64_t>(status.st_size);
  }

  std::string digest() const {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(hash_));
    std::string text = "xxh3-128:";
    for (const unsigned char byte : canonical.digest) {
      constexpr std::string_view kHex = "0123456789abcdef";
      text += kHex[byte >> 4U];
      text += kHex[byte & 15U];
    }
    return text;
  }

 private:
  std::size_t read_memory(char* to, std::size_t size) {
    const std::size_t got = memory_.copy(to, size);
    memory_.remove_prefix(got);
    return got;
  }
  std::size_t read_file(char* to, std::size_t size) {
    if (fd_ == kAtEnd) return 0;
    if (fd_ == kNotYetOpen) fd_ = open_file(name_);
    for (;;) {
      const ssize_t got = ::read(fd_, to, size);
      if (got == 0) close_at_end();
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) throw InputError({name_}, std::strerror(errno));
    }
  }

  void close_at_end() {
    if (fd_ > STDIN_FILENO) ::close(fd_);
    fd_ = kAtEnd;
  }

  std::string name_;
  int fd_;
  std::string_view memory_;
  std::uint64_t size_ = 0;  ///< of the memory, before anything was read
  XXH3_state_t* hash_;
};

namespace {

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

/// Owns what the decoder reads from.
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

/// In parts as large as what there is already, so that room is made for no more than twice a small input.
template <class Source>
std::string read_up_to(Source& source, std::size_t size) {
  std::string bytes;
  for (std::size_t got = 1; got > 0 && bytes.size() < size;) {
    const std::size_t have = bytes.size();
    bytes.resize(have + std::min(size - have, std::clamp(have, kSmallestPart, kLargestPart)));
    got = source.read(bytes.data() + have, bytes.size() - have);
    bytes.resize(have + got);
  }
  return bytes;
}

}  // namespace

Input::Input(std::string name, std::unique_ptr<Raw> raw) : name_(std::move(name)), raw_(std::move(raw)) {}
Input::Input(Input&&) noexcept = default;
Input& Input::operator=(Input&&) noexcept = default;
Input::~Input() = default;

Input Input::open(const std::string& path) { return {path, std::make_unique<Raw>(path, closed_until_read(open_file(path)))}; }

Input Input::from_memory(std::string name, std::string_view bytes) {
  auto raw = std::make_unique<Raw>(name, bytes);
  return {std::move(name), std::move(raw)};
}

std::string_view Input::head() {
  if (head_filled_) return head_;
  head_filled_ = true;
  std::string first = read_up_to(*raw_, 4);
  const bool gzip = first.starts_with("\x1f\x8b");
  const bool zstd = first == "\x28\xb5\x2f\xfd" || (first.size() == 4 && first.substr(1) == "\x2a\x4d\x18" &&
                                                    (first[0] & '\xf0') == '\x50');  // a frame, or one to be skipped
  if (gzip || zstd) {
    decoded_ = std::make_unique<Decoded>(std::move(first), *raw_, name_, gzip ? gunzip : unzstd);
    head_ = read_up_to(*decoded_, kHeadSize);
  } else {
    head_ = std::move(first);
    head_ += read_up_to(*raw_, kHeadSize - head_.size());
  }
  return head_;
}

std::optional<std::uint64_t> Input::size() {
  if (head().size() < kHeadSize) return head_.size();
  return decoded_ ? std::nullopt : raw_->size();
}

std::size_t Input::read(char* to, std::size_t size) {
  head();
  if (head_used_ < head_.size()) {
    const std::size_t got = head_.copy(to, size, head_used_);
    head_used_ += got;
    return got;
  }
  return decoded_ ? decoded_->read(to, size) : raw_->read(to, size);
}

std::string Input::read_all() { return read_up_to(*this, std::string::npos); }

std::string Input::digest() const { return raw_->digest(); }

void Memory::grow(std::size_t size, std::size_t used) {
  if (size <= size_) return;
  auto larger = std::make_unique_for_overwrite<char[]>(size);
  std::copy_n(bytes_.get(), used, larger.get());
  bytes_ = std::move(larger);
  size_ = size;
}

std::size_t BlockReader::after_last_newline(std::string_view bytes) {
  const auto last = bytes.rfind('\n');
  return last == std::string_view::npos ? 0 : last + 1;
}

namespace {

/// Of a small input: room for all of it and a byte more, which shows that it has ended.
std::size_t usual_size(Input& input) {
  const std::uint64_t all = std::max<std::uint64_t>(input.size().value_or(Block::kUsualSize), input.head().size());
  return static_cast<std::size_t>(std::min<std::uint64_t>(all + 1, Block::kUsualSize));
}

/// Reads behind the first `have` bytes until the memory is full or the input ends; the number of bytes there are then.
std::size_t fill(Input& input, const Memory& memory, std::size_t have, bool& at_end) {
  while (!at_end && have + Block::kPadding < memory.size()) {
    const std::size_t got = input.read(memory.data() + have, memory.size() - Block::kPadding - have);
    at_end = got == 0;
    have += got;
  }
  return have;
}

}  // namespace

BlockReader::BlockReader(Input& input, Cut cut) : input_(input), cut_(cut), usual_size_(usual_size(input)) {}

bool BlockReader::next(Block& block) {
  Memory& memory = block.memory;
  memory.grow(std::max(usual_size_, 2 * carried_.size()) + Block::kPadding, 0);
  std::size_t have = carried_.copy(memory.data(), carried_.size());
  std::size_t begin = 0, whole = 0;
  while (whole == 0) {
    have = fill(input_, memory, have, at_end_);
    if (at_start_ && std::string_view(memory.data(), have).starts_with("\xef\xbb\xbf")) begin = 3;
    whole = at_end_ ? have - begin : cut_({memory.data() + begin, have - begin});
    if (whole == 0 && at_end_) return false;
    if (whole == 0 && have >= kLongestRecord)
      throw InputError({input_.name()}, "has a line longer than a gigabyte", "is this a text file?");
    if (whole == 0) memory.grow(2 * memory.size(), have);
  }
  at_start_ = false;
  std::fill_n(memory.data() + have, Block::kPadding, '\0');
  block.bytes = {memory.data() + begin, whole};
  carried_.assign(memory.data() + begin + whole, have - begin - whole);
  unterminated_ = block.bytes.back() != '\n';
  return true;
}

std::string_view take_line(std::string_view& text) {
  const auto newline = text.find('\n');
  std::string_view line = text.substr(0, newline);
  text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace seqpoint
