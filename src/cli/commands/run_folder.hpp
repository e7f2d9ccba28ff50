/// \file
/// The folder of a run: files get their final names once they are complete.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/artifacts/run_record.hpp"

namespace seqpoint::cli::commands {

class RunFolder {
 public:
  /// Makes the folder, or opens an existing one, and locks it. Throws UsageError if another run uses it, if it contains
  /// other files without run.json, and if it contains a run with measurements and `resume` is false.
  RunFolder(std::string path, bool resume);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  const std::string& path() const { return path_; }  ///< as it was given
  std::string path(std::string_view name) const { return path_ + "/" + std::string(name); }
  /// The path at which a file is written until it is complete.
  std::string unfinished(std::string_view name) const { return path("unfinished/" + std::string(name)); }
  /// Whether the folder contains that name.
  bool has(const std::string& name) const;
  /// Paths of a file and of the files of its other ranks, `old-1.rank1.csv` for `old-1.csv`, as many as exist in
  /// sequence.
  std::vector<std::string> with_ranks(const std::string& name) const;
  /// Gives a completed file its final name, after the files of its other ranks. Throws OutputError.
  void keep(const std::string& name) const;
  /// Writes a file, whole or not at all. Throws OutputError.
  void write(const std::string& name, std::string_view bytes) const;
  /// Renames a file and those of its other ranks to `old-1.refused.csv`, also in the record, because the start of the
  /// job has to be repeated.
  void set_aside(const std::string& name);

  io::artifacts::RunRecord record;
  void save() const { write("run.json", io::artifacts::run_record_json(record)); }

 private:
  /// Locks the folder. Throws UsageError if another run, or a job of it, has locked it.
  void lock();

  std::string path_;
  int lock_ = -1;  ///< a locked file; jobs' keepers inherit the lock, so a new run waits until they have ended
};

}  // namespace seqpoint::cli::commands
