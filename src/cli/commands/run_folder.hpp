/// \file
/// The folder of a run: its files have their names once they are whole.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/artifacts/run_record.hpp"

namespace seqpoint::cli::commands {

class RunFolder {
 public:
  /// Makes the folder, or takes one up with `resume`. Throws UsageError where another run is at work in it, where
  /// something is in it that is not to be resumed, and where there is nothing to resume that is a folder's of ours.
  RunFolder(std::string path, bool resume);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  const std::string& path() const { return path_; }  ///< as it was given
  std::string path(std::string_view name) const { return path_ + "/" + std::string(name); }
  /// Where a file is made that is to become whole.
  std::string unfinished(std::string_view name) const { return path("unfinished/" + std::string(name)); }
  bool has(const std::string& name) const;
  /// A file of ours that is there, and those of its other ranks.
  std::vector<std::string> with_ranks(const std::string& name) const;
  /// Gives an unfinished file its name, after those of its other ranks. Throws OutputError.
  void keep(const std::string& name) const;
  void write(const std::string& name, std::string_view bytes) const;
  /// Gives a file and those of its other ranks another name, `old-1.refused.csv`: its start is to be made again.
  void set_aside(const std::string& name);

  io::artifacts::RunRecord record;
  void save() const { write("run.json", io::artifacts::run_record_json(record)); }

 private:
  void lock();

  std::string path_;
  int lock_ = -1;  ///< a file that is locked; jobs' keepers have it, too, so that a run begins once they have ended
};

}  // namespace seqpoint::cli::commands
