/// \file
/// Writes the folder of a plan, from which a job runs.
#pragma once

#include <forward_list>
#include <string>

#include "core/select/select.hpp"
#include "io/artifacts/files.hpp"

namespace seqpoint::io::artifacts {

/// A file of a folder that is written as a whole.
struct NewFile {
  std::string name;   ///< in the folder
  std::string bytes;  ///< its content
};

/// The input of a plan's files. Does not own selection and plan.
struct PlanDocument {
  const select::Selection& selection;  ///< selection of the plan
  const select::Plan& plan;            ///< executions to write
};

/// The plan for programs: JSON of the schema plan.
std::string plan_json(const PlanDocument&, const Provenance&);
/// The plan as a tab-separated table with a header: one line per execution, processes from 0 one after the other.
/// Warm-up has weight 0 and neither point, iteration nor repeat, so a table of steps by position (`project --map`)
/// skips it.
std::string plan_rows(const PlanDocument&);

/// A new folder with files. Unless commit() is called, all of it is removed again. One at a time.
class NewFolder {
 public:
  /// Creates the folder, unless it exists and is empty. Throws UsageError if `path` is not a folder, contains
  /// something, or another program writes to it; OutputError if it cannot be created.
  explicit NewFolder(std::string path);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  /// Writes a file. Throws OutputError.
  void add(const NewFile&);
  const std::string& path() const { return path_; }  ///< as given
  /// Keeps the files. Until then the folder contains an empty folder `.seqpoint-unfinished`. Throws OutputError.
  void commit();

  /// List of paths for remove_unfinished_folder().
  struct CreatedPath {
    std::string path;                       ///< a file or folder
    const CreatedPath* previous = nullptr;  ///< created before this one; null: the first
  };

 private:
  bool create_folder(const std::string& path);
  void remove_created();
  void record_created(const std::string& path);

  std::string path_;
  std::forward_list<CreatedPath> created_;  ///< the latest first
};

/// Removes the files of the NewFolder that is being written, and the folders that it created. Does nothing if there is
/// none, or after commit(). For a signal handler.
void remove_unfinished_folder() noexcept;

}  // namespace seqpoint::io::artifacts
