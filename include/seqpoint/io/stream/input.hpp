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
  /// Fills up to `size` bytes, more than 0; returns how many, 0 only at the end.
  virtual std::size_t read(char* to, std::size_t size) = 0;
};

/// An input file, decompressed while it is read. Owns its file, which is open only while it is read. For one thread,
/// but for digest(bytes).
class Input {
 public:
  /// "-" is standard input. Throws InputError where there is nothing to read: no such file, a directory, no permission.
  static Input open(const std::string& path);
  /// Bytes in memory, which must outlive the input. For tests and fuzzing.
  static Input from_memory(std::string name, std::string_view bytes);

  /// What is moved from may only be assigned to or destroyed.
  Input(Input&&) noexcept;
  /// What is moved from may only be assigned to or destroyed.
  Input& operator=(Input&&) noexcept;
  ~Input();

  const std::string& name() const { return name_; }  ///< the path as it was given; for errors
  /// The first bytes, at most 64 KiB, without consuming them.
  std::string_view head();
  /// Bytes in all, decompressed; nothing where only reading to the end would tell.
  std::optional<std::uint64_t> size();
  /// Fills up to `size` bytes, more than 0; returns how many, 0 only at the end. Throws InputError for a damaged or
  /// truncated stream.
  std::size_t read(char* to, std::size_t size);

  /// Called with the number of stored bytes read so far.
  using Observer = std::function<void(std::uint64_t read)>;
  /// Has it called after every read, on the thread that reads.
  void observe(Observer observer);
  /// Calls the observer, if there is one: for who reads the file past this class.
  void notify_observer(std::uint64_t read);
  /// Bytes as stored (compressed, if they are); nothing for a pipe.
  std::optional<std::uint64_t> stored_size() const;
  /// Whether the bytes are those of a regular file that another library can read from its path.
  bool is_plain_file();
  /// For after that. Throws InputError where the path does not lead to the file that was read here, as it was then.
  void require_unchanged() const;
  /// Reads the rest, for its digest. Throws as read().
  void skip_to_end();
  /// The rest, as a string. Throws as read().
  std::string read_all();
  /// "xxh3-128:..." of the bytes as stored (compressed, if they are). Complete once everything was read.
  std::string digest() const;

  /// From now on the caller digests bytes that are stored uncompressed, on any thread.
  void defer_digest();
  /// Whether what read() returned last is still to be digested.
  bool digest_pending() const { return digest_pending_; }
  /// Digests those bytes, in the order in which they were read.
  void digest(std::string_view bytes);

  /// The position in the file; nothing where the input cannot be mapped: standard input, memory, a compressed or
  /// special file.
  std::optional<std::uint64_t> mappable_from() const;
  /// A window that holds `size` bytes of the file from `offset` on; null where that fails. Windows outlive the input.
  std::shared_ptr<const FileWindow> map(std::uint64_t offset, std::size_t size);
  /// Continues to read at that offset of the file. Throws InputError.
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

/// How bytes are packed, by the first four of them.
enum class Packing { none, gzip, zstd };
/// What `bytes` begin with tells; none where they are fewer.
Packing packing_of(std::string_view bytes);

/// Reads gzip, of one member or more. `name` is used in errors. `from` outlives it.
std::unique_ptr<ByteSource> gunzip(ByteSource& from, std::string name);
/// Reads zstd, of one frame or more. `name` is used in errors. `from` outlives it.
std::unique_ptr<ByteSource> unzstd(ByteSource& from, std::string name);

/// Memory to read into. Not initialised, so that unused memory costs nothing.
class Buffer {
 public:
  char* data() const { return bytes_.get(); }  ///< where it begins; null where there is none
  std::size_t size() const { return size_; }   ///< bytes
  /// Makes room for `size` bytes, if there is less, and keeps the first `used`.
  void grow(std::size_t size, std::size_t used);

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
};

/// Whole records of a text input, with the memory they are in. Moves with its memory.
struct Block {
  /// Readable bytes after the records, for parsers that look ahead (simdjson).
  static constexpr std::size_t kPadding = 64;
  /// Bytes that a block holds, unless a record is longer or the input shorter.
  static constexpr std::size_t kUsualSize = 256 * 1024;

  Buffer buffer;                             ///< memory that `bytes` may be in
  std::shared_ptr<const FileWindow> window;  ///< holds `bytes` if `buffer` does not
  std::string_view bytes;                    ///< ends with a newline, but for a last line that has none
  std::string_view undigested = {};          ///< see BlockReader::defer_digests()
};

/// Cuts an input into blocks, so that records can be parsed without copying them, and blocks on several threads.
class BlockReader {
 public:
  /// Where the last whole record of some bytes ends; 0 if none does.
  using Cut = std::size_t (*)(std::string_view bytes);

  /// Blocks of `input`, which outlives it. Takes as a record what ends with a newline, unless `cut` says otherwise.
  explicit BlockReader(Input& input, Cut cut = after_last_newline);
  /// Fills a block; false at the end. Reuses the block's memory. A UTF-8 byte order mark at the start of the input is
  /// left out. Throws as Input::read(), and InputError for a record of more than 1 GiB.
  bool next(Block& block);
  /// Whether the last line had no newline; known at the end.
  bool unterminated() const { return unterminated_; }

  /// From now on the caller has to call digest() for every block, in order, on any thread.
  void defer_digests() { input_.defer_digest(); }
  /// Digests a block.
  void digest(const Block& block) {
    if (!block.undigested.empty()) input_.digest(block.undigested);
  }
  /// From now on blocks of a large file are mapped into memory, not copied. Needs defer_digests(). Raises SIGBUS if the
  /// file is truncated meanwhile.
  void map_file();
  /// As Input::size().
  std::optional<std::uint64_t> size() { return input_.size(); }

  /// Where the last whole line of some bytes ends; 0 if none does.
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

/// Takes one line off `text` and returns it without its line end (LF or CR LF).
std::string_view take_line(std::string_view& text);

}  // namespace seqpoint::io::stream
