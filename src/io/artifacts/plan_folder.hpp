/// \file
/// From SeqPoints to a folder that a job runs from.
#pragma once

#include <forward_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/manifests/subset.hpp"
#include "seqpoint/io/files.hpp"
#include "seqpoint/select.hpp"

namespace seqpoint::io::artifacts {

/// Where the manifests of a task are in the folder.
struct TaskFiles {
  std::string manifest,  ///< empty where there is none
      target;            ///< of the target side; empty where there is none
};

/// One of the builds that are compared.
struct Build {
  std::string name;     ///< of letters, digits and ._-
  std::string command;  ///< for a shell, not empty
};

/// All that goes into a plan's folder beside the manifests. Does not own selection and plan.
struct PlanDocument {
  const select::Selection& selection;  ///< that the plan is of
  const select::Plan& plan;            ///< what is to be run
  std::string format;                  ///< of the manifests; empty where there are none
  TaskFiles whole;                     ///< of all that the sessions run
  std::vector<TaskFiles> tasks;        ///< one a task
  std::string command;                 ///< for a shell; empty: given when the plan is run
  std::string folder;                  ///< absolute
  std::string points;                  ///< the file of the SeqPoints, absolute; read with builds alone
  std::vector<Build> builds{};         ///< two or more, the first the baseline; empty: none are compared
};

/// The plan as a program reads it: JSON of the schema plan.
std::string plan_json(const PlanDocument&, const Provenance&);
/// The plan as a table: a row a step. Warm-up has neither point nor iteration, so that a table of steps by place
/// (`project --map`) passes it over.
std::string plan_tsv(const PlanDocument&);
/// A shell script that runs tasks around the user's command.
std::string run_script(const PlanDocument&);
/// A shell script that measures the builds in turn, a process for each session, and projects.
std::string comparison_script(const PlanDocument&);
/// A script that submits the tasks to Slurm, as an array.
std::string slurm_script(const PlanDocument&);
/// A manifest that submits them to Kubernetes, as an Indexed Job.
std::string kubernetes_job(const PlanDocument&);

/// "task-0007", of its manifest and of its results. `task`: from 0.
std::string task_name(std::size_t task);
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

  /// Writes a file, and the folders in front of its name. Throws OutputError.
  void add(const manifests::NewFile&);
  /// Makes a symbolic link. Throws OutputError.
  void add(const manifests::NewLink&);
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
  void create_parent_folders(const std::string& name);
  void remove_created();
  void record_created(const std::string& path);

  std::string path_;
  std::forward_list<CreatedPath> created_;  ///< the latest first
};

/// Removes what a NewFolder, of which there is one at a time, has made so far. For a signal handler.
void remove_unfinished_folder() noexcept;

}  // namespace seqpoint::io::artifacts
