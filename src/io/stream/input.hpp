/// \file
/// Bytes to read: inputs with their location, blocks of whole records, and the files that an input refers to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace seqpoint::io::stream {

// --- Bytes to read: a file, standard input or memory; plain, gzip or zstd, recognised by their first bytes.

class FileWindow;  // src/io/stream/file_window.hpp

/// A source of bytes. Implementations throw InputError.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills up to `size` bytes, more than 0; returns how many, 0 only at the end.
  virtual std::size_t read(char* to, std::size_t size) = 0;
};

/// An input file, decompressed while it is read. Owns its file, which is open only while it is read. For one thread,
/// except digest(bytes).
class Input {
 public:
  /// "-" is standard input. Throws InputError if there is nothing to read: no such file, a directory, no permission.
  static Input open(const std::string& path);
  /// Bytes in memory, which must outlive the input. For tests and fuzzing.
  static Input from_memory(std::string name, std::string_view bytes);

  /// A moved-from input may only be assigned to or destroyed.
  Input(Input&&) noexcept;
  /// A moved-from input may only be assigned to or destroyed.
  Input& operator=(Input&&) noexcept;
  ~Input();

  const std::string& name() const { return name_; }  ///< the path as given; for errors
  static constexpr std::size_t kHeadSize = 64 * 1024;
  /// The first bytes, at most `most`, decompressed, without consuming them: the same at every call, even after reads.
  /// Only before the first read() may `most` be larger than before, which invalidates earlier views. Throws as read().
  std::string_view head(std::size_t most = kHeadSize);
  /// Total bytes, decompressed; nothing if they are not known before the end.
  std::optional<std::uint64_t> size();
  /// Fills up to `size` bytes, more than 0; returns how many, 0 only at the end. Throws InputError for a damaged or
  /// truncated stream.
  std::size_t read(char* to, std::size_t size);

  /// Called with the number of stored bytes read so far.
  using Observer = std::function<void(std::uint64_t read)>;
  /// Sets an observer to be called after every read of the file, on the thread that reads; not for bytes in memory.
  void observe(Observer observer);
  /// Calls the observer, if there is one: for code that reads the file without this class.
  void notify_observer(std::uint64_t read);
  /// Bytes as stored (compressed, if they are); nothing for a pipe.
  std::optional<std::uint64_t> stored_size() const;
  /// Whether another library can read the same bytes from the path: a regular file that is not compressed.
  bool is_plain_file();
  /// Throws InputError if the path no longer leads to the file that was read here, or the file was written to
  /// meanwhile. For use after another library has read the path. Requires that reading began.
  void require_unchanged() const;
  /// Reads the rest, for its digest. Throws as read().
  void skip_to_end();
  /// The rest, as a string. Throws as read().
  std::string read_all();
  /// The rest of a text. Throws as read(), and InputError as soon as a zero byte comes after the head: a file that
  /// unpacks to zeros, or a device, would fill the memory.
  std::string read_text();
  /// "xxh3-128:..." of the bytes as stored (compressed, if they are). Complete once everything was read.
  std::string digest() const;

  /// From now on read() does not digest, and the caller passes the bytes to digest(bytes). The bytes of head() are
  /// already digested. No effect if the input is compressed.
  void defer_digest();
  /// Whether the bytes of the last read() still have to be digested.
  bool digest_pending() const { return digest_pending_; }
  /// Digests bytes that read() returned and did not digest, in the order in which they were read. On any thread.
  void digest(std::string_view bytes);

  /// The offset in the file of the next byte that read() would return. Nothing until read() has returned all of head(),
  /// after the end, and for an input that cannot be mapped: standard input, memory, a compressed or special file.
  std::optional<std::uint64_t> mappable_from() const;
  /// A window of `size` bytes of the file from `offset` on; null if that fails. Windows outlive the input.
  std::shared_ptr<const FileWindow> map(std::uint64_t offset, std::size_t size);
  /// Continues reading at that offset of the stored bytes. Throws InputError. Requires mappable_from().
  void seek(std::uint64_t offset);

 private:
  class StoredBytes;
  Input(std::string name, std::unique_ptr<StoredBytes> raw);
  void fill_head();

  std::string name_;
  std::unique_ptr<StoredBytes> stored_;
  std::unique_ptr<ByteSource> decoded_;  ///< null if the bytes are stored plain
  std::string head_;
  std::size_t head_used_ = 0;
  bool head_filled_ = false, digest_pending_ = false;
};

/// The compression of a stream, recognised by its first bytes: two of gzip, four of zstd.
enum class Packing { none, gzip, zstd };
/// The compression of a stream that begins with `bytes`; none if they are too few to tell.
Packing packing_of(std::string_view bytes);

/// Reads gzip, of one member or more; zeros after the last are skipped. `name` is for errors. `from` outlives the
/// source.
std::unique_ptr<ByteSource> gunzip(ByteSource& from, std::string name);
/// Reads zstd, of one frame or more. `name` is for errors. `from` outlives the source.
std::unique_ptr<ByteSource> unzstd(ByteSource& from, std::string name);

/// Memory to read into. Not initialised, so that unused memory costs nothing.
class Buffer {
 public:
  char* data() const { return bytes_.get(); }  ///< begin of the memory; null if there is none
  std::size_t size() const { return size_; }   ///< bytes
  /// Makes room for `size` bytes, if there is less, and keeps the first `used`.
  void grow(std::size_t size, std::size_t used);

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
};

/// Whole records of a text input, with the memory that contains them. Moves with its memory.
struct Block {
  /// Readable bytes after the records, for parsers that look ahead (simdjson).
  static constexpr std::size_t kPadding = 64;
  /// Bytes of a block, unless a record is longer or the input shorter.
  static constexpr std::size_t kDefaultSize = 256 * 1024;

  Buffer buffer;                             ///< memory that may contain `bytes`
  std::shared_ptr<const FileWindow> window;  ///< contains `bytes` if `buffer` does not
  std::string_view bytes;                    ///< ends with a newline, except for a last line without one
  std::string_view undigested = {};          ///< see BlockReader::defer_digests()
};

/// Cuts an input into blocks, so that records can be parsed without copying them, and blocks on several threads.
class BlockReader {
 public:
  /// Finds the end of the last whole record of some bytes; 0 if there is none.
  using Cut = std::size_t (*)(std::string_view bytes);

  /// Blocks of `input`, which outlives it. A record ends with a newline, unless `cut` is another rule. Calls
  /// Input::head(), so it may wait for input.
  explicit BlockReader(Input& input, Cut cut = after_last_newline);
  /// Fills a block; false at the end. Reuses the block's memory. A UTF-8 byte order mark at the start of the input is
  /// left out. Throws as Input::read(), and InputError for a record of more than 64 MiB.
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
  /// file is truncated meanwhile. Before the first next() it has no effect.
  void map_file();
  /// As Input::size().
  std::optional<std::uint64_t> size() { return input_.size(); }

  /// The end of the last whole line of some bytes; 0 if there is none.
  static std::size_t after_last_newline(std::string_view bytes);

 private:
  std::size_t fill(const Buffer& memory, std::size_t have);
  bool next_mapped(Block& block);
  std::string_view mapped_bytes(std::size_t size);

  Input& input_;
  Cut cut_;
  std::size_t usual_size_;      ///< usual size of blocks; less than Block::kDefaultSize if the input is
  std::size_t undigested_ = 0;  ///< bytes at the end of the last read
  std::string carried_;         ///< the beginning of a record that continues after the last block
  bool at_start_ = true, at_end_ = false, unterminated_ = false;

  std::optional<std::uint64_t> mapped_from_;  ///< file offset of the next block, if it is to be mapped
  std::size_t bytes_already_digested_ = 0;    ///< bytes from that offset on that were digested before
  std::shared_ptr<const FileWindow> window_;
};

/// Removes the first line of `text` and returns it without its line end (LF or CR LF). Without a line end that is all
/// of `text`.
std::string_view take_line(std::string_view& text);

// --- Files that a manifest refers to: other tables. An interface, so that tests can read from memory.

/// Access to the files that a manifest refers to.
class Files {
 public:
  virtual ~Files() = default;
  /// Whether that path exists.
  virtual bool exists(const std::string& path) const = 0;
  /// Names in a folder, in the order of their bytes, without hidden ones; names of folders end with a slash. Nothing if
  /// `path` is not a readable folder.
  virtual std::optional<std::vector<std::string>> list(const std::string& /*path*/) const { return std::nullopt; }
  /// Opens a file. Throws InputError if there is nothing to read.
  virtual Input open(const std::string& path) const = 0;
};

/// The file system. Lives as long as the program.
const Files& disk_files();

}  // namespace seqpoint::io::stream
