/// \file
/// Bytes to read: a file, standard input or memory; plain, gzip or zstd, told by their first bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace seqpoint {

/// A source of bytes. Implementations throw InputError.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills up to `size` bytes; 0 only at the end.
  virtual std::size_t read(char* to, std::size_t size) = 0;
};

/// An input of the user's, decompressed while it is read.
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
  /// The rest, as a string.
  std::string read_all();
  /// "xxh3-128:..." of the bytes as stored (compressed, if they are). Complete once everything was read.
  std::string digest() const;

 private:
  class Raw;
  Input(std::string name, std::unique_ptr<Raw> raw);

  std::string name_;
  std::unique_ptr<Raw> raw_;
  std::unique_ptr<ByteSource> decoded_;  ///< null where the bytes are stored plain
  std::string head_;
  std::size_t head_used_ = 0;
  bool head_filled_ = false;
};

/// Wraps a compressed source. `name` is used in errors.
std::unique_ptr<ByteSource> gunzip(ByteSource& from, std::string name);
std::unique_ptr<ByteSource> unzstd(ByteSource& from, std::string name);

/// Memory to read into; it is not cleared first, so that what stays unused costs nothing.
class Memory {
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
  /// Readable bytes behind the records, for parsers that look ahead (simdjson).
  static constexpr std::size_t kPadding = 64;
  /// What a block holds, unless a record is longer or the input shorter.
  static constexpr std::size_t kUsualSize = 1024 * 1024;

  Memory memory;
  std::string_view bytes;  ///< in `memory`; ends with a newline, but for a last line that has none
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

  static std::size_t after_last_newline(std::string_view bytes);

 private:
  Input& input_;
  Cut cut_;
  std::size_t usual_size_;  ///< of blocks; less than Block::kUsualSize where the input is
  std::string carried_;  ///< the beginning of a record that the last block did not hold whole
  bool at_start_ = true, at_end_ = false, unterminated_ = false;
};

/// Takes one line off `text` and returns it without its line end (\n or \r\n).
std::string_view take_line(std::string_view& text);

}  // namespace seqpoint
