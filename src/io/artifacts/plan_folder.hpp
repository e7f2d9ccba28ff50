/// \file
/// From SeqPoints to a folder that a job runs from.
#pragma once

#include <forward_list>
#include <string>
#include <string_view>

#include "core/select/select.hpp"
#include "io/files.hpp"

namespace seqpoint::io::artifacts {

/// A file of a folder that is written as a whole.
struct NewFile {
  std::string name;         ///< in the folder
  std::string bytes;        ///< its content
  bool executable = false;  ///< whether it is a program
};

/// What the files of a plan are made of. Does not own selection and plan.
struct PlanDocument {
  const select::Selection& selection;  ///< that the plan is of
  const select::Plan& plan;            ///< what is to be run
};

/// The plan as a program reads it: JSON of the schema plan.
std::string plan_json(const PlanDocument&, const Provenance&);
/// The plan as a table: a line an execution. Warm-up has neither point nor iteration, so that a table of steps by place
/// (`project --map`) passes it over.
std::string plan_rows(const PlanDocument&);

/// A script of share/jobs: `process.sh`, `slurm.sh` or `kubernetes.yaml`, for this plan in this folder (absolute).
NewFile job_script(std::string_view name, const PlanDocument&, const std::string& folder);

/// A text as one word of a POSIX shell.
std::string shell_word(std::string_view text);

/// A new folder with files. Unless commit() is called, all of it is removed again. One at a time.
class NewFolder {
 public:
  /// Creates the folder, unless it exists and is empty. Throws UsageError where something is in it or another program
  /// writes to it, OutputError where it cannot be made.
  explicit NewFolder(std::string path);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  /// Writes a file. Throws OutputError.
  void add(const NewFile&);
  const std::string& path() const { return path_; }  ///< as it was given
  /// Keeps what was written. Until then an empty folder `.seqpoint-unfinished` stands in it. Throws OutputError.
  void commit();

  /// What remove_unfinished_folder() goes through.
  struct CreatedPath {
    std::string path;                       ///< a file or folder
    const CreatedPath* previous = nullptr;  ///< that was made before; null: the first
  };

 private:
  bool create_folder(const std::string& path);
  void remove_created();
  void record_created(const std::string& path);

  std::string path_;
  std::forward_list<CreatedPath> created_;  ///< the latest first
};

/// Removes what a NewFolder, of which there is one at a time, has made so far. For a signal handler.
void remove_unfinished_folder() noexcept;

}  // namespace seqpoint::io::artifacts
