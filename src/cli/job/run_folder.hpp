/// \file
/// The folder of a run: files get their final names once they are complete.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "io/artifacts/run_record.hpp"
#include "io/process/inventory.hpp"

namespace seqpoint::cli::job {

/// The variable that marks the processes of a run's jobs.
inline constexpr auto kRunVariable = "SEQPOINT_RUN";

class RunFolder {
 public:
  /// Makes the folder, or opens an existing one, and locks it; ends jobs that a killed run left in it. Throws
  /// UsageError if another run uses it, if it is another user's, contains symbolic links or pipes, or other files
  /// without run.json, if it contains a run with measurements and `resume` is false, and if `resume` is true and it
  /// contains no run.
  RunFolder(std::string path, bool resume);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  const std::string& path() const { return path_; }  ///< as it was given
  std::string path(std::string_view name) const { return path_ + "/" + std::string(name); }
  /// The path at which a file is written until it is complete.
  std::string unfinished(std::string_view name) const { return path("unfinished/" + std::string(name)); }
  /// Identifies this run: the value of the variable kRunVariable of its jobs. The lock contains it while the run works.
  const std::string& id() const { return id_; }
  /// Whether the folder contains that file of this run, with the files of its other ranks: the record has their
  /// digests. Throws InputError if a file has changed since the run made it.
  bool has(const std::string& name);
  /// Records the digest of a file outside, or compares it with the recorded one. Throws InputError if it has changed.
  void pin(const std::string& path);
  /// Names of a file and of the files of its other ranks, `old-1.rank1.csv` for `old-1.csv`, as recorded.
  std::vector<std::string> with_ranks(const std::string& name) const;
  /// Records the digests of a completed file and of those of its other ranks, and gives them their final names; save()
  /// is left to the caller. Throws OutputError.
  void keep(const std::string& name);
  /// Writes a file, whole or not at all, and saves the record. Throws OutputError.
  void write(const std::string& name, std::string_view bytes);
  /// Removes all files from the record except one: they were made from another version of it.
  void forget_all_but(const std::string& name);
  /// Renames a file and those of its other ranks to `old-1.refused.csv`, also in the record, because the start of the
  /// job has to be repeated.
  void set_aside(const std::string& name);

  io::artifacts::RunRecord record;
  /// Writes the record, with the seconds until now.
  void save();
  /// Sets the cost to that until now, and keeps it: what is printed, and what is on the page and in the record, agree.
  void stop_clock();
  /// Seconds since this sitting began.
  double seconds_of_sitting() const;
  /// Seconds of all sittings, until now.
  double seconds_in_all() const { return earlier_s_ + seconds_of_sitting(); }
  /// The user's files in the working folder when the first job began; nothing before.
  std::optional<io::process::Inventory> old_files;

 private:
  /// Locks the folder, ends the processes of a run that was killed, and writes this run's id into the lock. Throws
  /// UsageError if another run, or a job of it, has locked it.
  void lock();
  /// Ends the processes of the run with this id. Throws UsageError for those that cannot be ended.
  void end_killed_run(const std::string& killed) const;
  bool exists(const std::string& name) const;
  /// Reads run.json, if there is one. Unless `resume`, a record without starts is dropped. Throws as the constructor.
  void read_record(bool resume);

  std::string path_, id_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  double earlier_s_ = 0;            ///< seconds of earlier sittings
  bool clock_runs_ = true;          ///< whether the cost is not final
  std::set<std::string> verified_;  ///< files whose digest was compared
  int lock_ = -1;  ///< a locked file; jobs' keepers inherit the lock, so a new run waits until they have ended
};

}  // namespace seqpoint::cli::job
