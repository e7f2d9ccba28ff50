/// \file
/// What a folder contains before a job starts, and what has become of it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace seqpoint::io::process {

/// What changes if a file is written or replaced.
struct FileState {
  std::uint64_t inode = 0, size = 0;
  std::int64_t mtime_ns = 0;
  mode_t mode = 0;           ///< type and permissions; 0: not compared
  std::uint64_t device = 0;  ///< of the file system; 0: not compared
  bool operator==(const FileState&) const = default;
};

/// The files, links and folders in a folder. Left out are hidden ones and Python's caches, which programs renew as they
/// like, files that another process has open for writing, such as the log of this program, and the folder of the run.
class Inventory {
 public:
  /// Lists at most 100,000 paths. What cannot be read is left out.
  Inventory(const std::string& folder, const std::string& run_folder);
  /// The same paths as they are now, without those that are gone: what a job has newly made is not the user's.
  void renew();
  /// Writes the folder, if all its paths are listed, for the companion (python/seqpoint_companion/protect/places.py).
  /// Throws OutputError.
  void write(const std::string& path) const;
  /// What is no longer as it was: "history.db was changed", by the path in the folder. Nothing for what is in a removed
  /// folder.
  std::vector<std::string> changes() const;

 private:
  void leave_out_written();

  std::string folder_;                      ///< without links
  bool is_complete_ = true;                 ///< whether all paths are listed
  std::map<std::string, FileState> paths_;  ///< absolute
};

/// The same of other paths, whose mode is not compared.
std::vector<std::string> changes_of(const std::map<std::string, FileState>&);

/// What became of the files and folders that a job has made.
struct NewFiles {
  std::uint64_t removed = 0;      ///< files
  std::vector<std::string> stay;  ///< those that are not as the job left them, and folders that have such
};

/// Command::new_files, once the job has ended.
NewFiles read_new_files(const std::string& path);

}  // namespace seqpoint::io::process
