/// \file
/// Bytes to read: a file, standard input or memory; plain, gzip or zstd, told by their first bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace seqpoint::io::stream {

class FileWindow;  // src/io/stream/file_window.hpp

/// A source of bytes. Implementations throw InputError.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills up to `size` bytes; 0 only at the end.
  virtual std::size_t read(char* to, std::size_t size) = 0;
};

/// An input file, decompressed while it is read.
class Input {
 public:
  /// "-" is standard input. Throws InputError where there is nothing to read: no such file, a directory, no permission.
  static Input open(const std::string& path);
  /// Bytes in memory, which must outlive the input. For tests and fuzzing.
  static Input from_memory(std::string name, std::string_view bytes);

  Input(Input&&) noexcept;
  Input& operator=(Input&&) noexcept;
  ~Input();

  const std::string& name() const { return name_; }
  /// The first bytes, at most 64 KiB, without consuming them.
  std::string_view head();
  /// Bytes in all, decompressed; nothing where only reading to the end would tell.
  std::optional<std::uint64_t> size();
  /// Fills up to `size` bytes; 0 only at the end. Throws InputError for a damaged or truncated stream.
  std::size_t read(char* to, std::size_t size);

  /// Called with the number of stored bytes read so far, after every read, on the thread that reads.
  using Observer = std::function<void(std::uint64_t read)>;
  void observe(Observer observer);
  void notify_observer(std::uint64_t read);
  /// Bytes as stored (compressed, if they are); nothing for a pipe.
  std::optional<std::uint64_t> stored_size() const;
  /// Whether the bytes are those of a regular file that another library can read from its path.
  bool is_plain_file();
  /// Reads the rest, for its digest.
  void skip_to_end();
  /// The rest, as a string.
  std::string read_all();
  /// "xxh3-128:..." of the bytes as stored (compressed, if they are). Complete once everything was read.
  std::string digest() const;

  /// From now on the caller digests bytes that are stored uncompressed, on any thread.
  void defer_digest();
  /// Whether what read() returned last is still to be digested.
  bool digest_pending() const { return digest_pending_; }
  /// Those bytes, in the order in which they were read.
  void digest(std::string_view bytes);

  /// The position in the file; nothing where the input cannot be mapped: standard input, memory, a compressed or
  /// special file.
  std::optional<std::uint64_t> mappable_from() const;
  /// A window that holds these bytes of the file; null where that fails.
  std::shared_ptr<const FileWindow> map(std::uint64_t offset, std::size_t size);
  /// Continues to read at that offset of the file.
  void seek(std::uint64_t offset);

 private:
  class StoredBytes;
  Input(std::string name, std::unique_ptr<StoredBytes> raw);

  std::string name_;
  std::unique_ptr<StoredBytes> stored_;
  std::unique_ptr<ByteSource> decoded_;  ///< null where the bytes are stored plain
  std::string head_;
  std::size_t head_used_ = 0;
  bool head_filled_ = false, digest_pending_ = false;
};

/// Wraps a compressed source. `name` is used in errors.
std::unique_ptr<ByteSource> gunzip(ByteSource& from, std::string name);
std::unique_ptr<ByteSource> unzstd(ByteSource& from, std::string name);

/// Memory to read into. Not initialised, so that unused memory costs nothing.
class Buffer {
 public:
  char* data() const { return bytes_.get(); }
  std::size_t size() const { return size_; }
  /// Makes room for `size` bytes, if there is less, and keeps the first `used`.
  void grow(std::size_t size, std::size_t used);

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
};

/// Whole records of a text input, with the memory they are in.
struct Block {
  /// Readable bytes after the records, for parsers that look ahead (simdjson).
  static constexpr std::size_t kPadding = 64;
  /// What a block holds, unless a record is longer or the input shorter.
  static constexpr std::size_t kUsualSize = 256 * 1024;

  Buffer buffer;
  std::shared_ptr<const FileWindow> window;  ///< holds `bytes` if `buffer` does not
  std::string_view bytes;                    ///< ends with a newline, but for a last line that has none
  std::string_view undigested = {};          ///< see BlockReader::defer_digests()
};

/// Cuts an input into blocks, so that records can be parsed without copying them, and blocks on several threads.
class BlockReader {
 public:
  /// Where the last whole record of some bytes ends; 0 if none does.
  using Cut = std::size_t (*)(std::string_view bytes);

  explicit BlockReader(Input& input, Cut cut = after_last_newline);
  /// False at the end. Reuses the block's memory. A UTF-8 byte order mark at the start of the input is left out.
  bool next(Block& block);
  /// Whether the last line had no newline; known at the end.
  bool unterminated() const { return unterminated_; }

  /// From now on the caller has to call digest() for every block, in order, on any thread.
  void defer_digests() { input_.defer_digest(); }
  void digest(const Block& block) {
    if (!block.undigested.empty()) input_.digest(block.undigested);
  }
  /// From now on blocks of a large file are mapped into memory, not copied. Needs defer_digests(). Raises SIGBUS if the
  /// file is truncated meanwhile.
  void map_file();
  /// As Input::size().
  std::optional<std::uint64_t> size() { return input_.size(); }

  static std::size_t after_last_newline(std::string_view bytes);

 private:
  std::size_t fill(const Buffer& memory, std::size_t have);
  bool next_mapped(Block& block);
  std::string_view mapped_bytes(std::size_t size);

  Input& input_;
  Cut cut_;
  std::size_t usual_size_;      ///< of blocks; less than Block::kUsualSize where the input is
  std::size_t undigested_ = 0;  ///< bytes at the end of what was read
  std::string carried_;         ///< the beginning of a record that the last block did not hold whole
  bool at_start_ = true, at_end_ = false, unterminated_ = false;

  std::optional<std::uint64_t> mapped_from_;  ///< where in the file the next block begins, if it is to be mapped
  std::size_t bytes_already_digested_ = 0;    ///< bytes from there on that were digested before
  std::shared_ptr<const FileWindow> window_;
};

/// Takes one line off `text` and returns it without its line end (\n or \r\n).
std::string_view take_line(std::string_view& text);

}  // namespace seqpoint::io::stream
