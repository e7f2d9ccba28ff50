/// \file
/// Output files, which appear complete or not at all, and standard output, whose errors are reported.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace seqpoint::io::stream {

/// A buffered file to write. A failing write throws OutputError, here or in a later call.
class Output {
 public:
  /// Begins to write; "-" is standard output. A regular file is written next to its final place and appears there with
  /// commit(), so the old content stays until the new one is complete, even after a loss of power; devices, pipes and
  /// open descriptors (/dev/stdout, /dev/fd/3) are written directly. If the path is a symbolic link, its target is
  /// replaced. Throws OutputError.
  explicit Output(const std::string& path);
  ~Output();  ///< without commit(): the unfinished file is removed
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Adds bytes to a buffer of 256 KiB, which is written when it is full.
  void write(std::string_view bytes);
  /// Writes the buffer, syncs a regular file to the disk, and closes: a full disk is an error here, not in commit().
  /// For several files: complete all before the first commit(). A second call does nothing; no write() may follow.
  void complete();
  /// Completes, if that was not done, and moves a regular file to its final place. A second call does nothing.
  void commit();

 private:
  void begin_replacement();
  void flush();
  void write_fully(std::string_view bytes);

  std::string path_, unfinished_, folder_;
  std::string buffer_;
  int fd_ = -1;
  bool is_complete_ = false;
};

/// Whether the path means standard output: "-", "/dev/stdout", "/dev/fd/1".
bool is_standard_output(std::string_view path);

/// The place where bytes written to a path end up: absolute, without links; the file and its folders need not exist.
/// The path itself if that is unknown, as in a loop of links. Not for standard output.
std::string final_path(const std::string& path);

/// Appends to a file that others append to as well; creates it if necessary. Throws OutputError.
void append_to_file(const std::string& path, std::string_view bytes);

/// Removes the unfinished files of all Output objects; safe in a signal handler.
void remove_unfinished_outputs() noexcept;

}  // namespace seqpoint::io::stream
