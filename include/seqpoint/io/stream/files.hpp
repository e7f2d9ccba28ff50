/// \file
/// Files that a manifest refers to: other tables, audio. An interface, so that tests can read from memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "seqpoint/io/stream/input.hpp"

namespace seqpoint::io::stream {

/// What the header of an audio file says.
struct AudioHeader {
  std::uint64_t samples = 0;  ///< of one channel
  double rate = 0;            ///< Hz, > 0

  /// Duration in seconds.
  double seconds() const { return static_cast<double>(samples) / rate; }
};

/// Where files are that a manifest refers to.
class Files {
 public:
  virtual ~Files() = default;
  /// Whether there is anything of that path.
  virtual bool exists(const std::string& path) const = 0;
  /// Names in a folder, in the order of their bytes, without hidden ones; those of folders end with a slash. Nothing
  /// where `path` is no folder that can be read.
  virtual std::optional<std::vector<std::string>> list(const std::string& /*path*/) const { return std::nullopt; }
  /// Opens a file. Throws InputError where there is nothing to read.
  virtual Input open(const std::string& path) const = 0;
  /// Reads no more than the header. Throws InputError for a file that is missing or no audio, UsageError where seqpoint
  /// was built without a library that reads audio.
  virtual AudioHeader audio_header(const std::string& path) const = 0;
};

/// The file system. Lives as long as the program.
const Files& disk_files();

/// `path` as seen from `folder`; an absolute path, or any path where the folder is empty, as it stands.
std::string joined_path(const std::string& folder, const std::string& path);

}  // namespace seqpoint::io::stream
