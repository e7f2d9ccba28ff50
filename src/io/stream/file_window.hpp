/// \file
/// A part of a file as memory, without copying it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace seqpoint::io::stream {

class FileWindow {
 public:
  /// Maps bytes [offset, offset + size) of the open file `fd`, which must have them: if the file is truncated later,
  /// reading them raises SIGBUS. Null if the file cannot be mapped. `path` is for last_path() only.
  static std::shared_ptr<const FileWindow> map(int fd, const std::string& path, std::uint64_t offset, std::size_t size);
  /// The path of the last call of map(), for a handler of that signal; printable, truncated to 4095 bytes. "an input"
  /// if there was none.
  static std::string_view last_path() noexcept;
  ~FileWindow();
  FileWindow(const FileWindow&) = delete;
  FileWindow& operator=(const FileWindow&) = delete;

  /// Whether bytes [offset, offset + size) of the file are in the window.
  bool holds(std::uint64_t offset, std::size_t size) const {
    return offset >= begin_ && offset + size <= begin_ + size_;
  }
  /// The byte at `offset` of the file, which the window holds. Valid as long as the window.
  const char* at(std::uint64_t offset) const { return static_cast<const char*>(memory_) + (offset - begin_); }

 private:
  FileWindow(void* memory, std::uint64_t begin, std::size_t size) : memory_(memory), begin_(begin), size_(size) {}

  void* memory_;
  std::uint64_t begin_;
  std::size_t size_;
};

}  // namespace seqpoint::io::stream
