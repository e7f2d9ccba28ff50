/// \file
/// The request of `project`, its inputs, and the measurements of the points in them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/command.hpp"
#include "cli/options/exports.hpp"
#include "cli/options/gates.hpp"
#include "cli/options/profile_options.hpp"
#include "cli/options/shared_options.hpp"
#include "core/evaluate/evaluation.hpp"
#include "core/findings/checks.hpp"
#include "core/findings/diagnosis.hpp"
#include "core/profile/measure.hpp"
#include "core/project/projection.hpp"
#include "core/project/stretch.hpp"
#include "core/report/report.hpp"
#include "io/artifacts/projection_file.hpp"
#include "io/manifests/dataset.hpp"
#include "io/views/report_page.hpp"

namespace seqpoint::cli::commands {

/// Files by configuration, in the order in which the names first appear.
using Configurations = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// Paths are empty unless given.
struct ProjectRequest {
  std::string seqpoints, against, onto;
  Configurations configurations;
  ProfileReading reading;
  project::ProjectParams params;
  std::optional<profile::TimeKind> time_source;  ///< nothing: the first kind that the profiles have
  std::optional<project::BreakdownBy> by;
  std::string categories;
  std::optional<double> require_weight, max_regression;  ///< shares
  bool inconclusive_fails = false, allow_partial = false;
  bool explain = false;
  bool only_time = false;         ///< no metric was requested
  bool is_of_run = false;         ///< measured by processes that `run` started, maybe on several hosts of a cluster
  std::vector<NamedFile> truths;  ///< traces of the whole run, by configuration
  ExportPaths exports;
  CiOptions ci;
  OptionsInForce options;
};

/// The rows of a break-down: operations of a profiler, or (nothing) the phases of a batch.
using ByWhat = std::optional<project::BreakdownBy>;

/// The request under construction, with the option texts that are not yet converted.
struct ProjectOptions {
  ProjectRequest request;
  std::vector<std::string> files, profiles, aggregate, rates, truths;
  std::optional<ByWhat> by;
  std::optional<double> confidence, overhead, flops_per_token, peak_flops;
};

void declare(CLI::App&, ProjectOptions&);
/// Converts and checks the options. Throws UsageError.
ProjectRequest request_of(ProjectOptions, const CLI::App&);

/// A configuration's profiles: tables of measurements, and steps that a profiler recorded.
struct Configuration {
  std::string name;
  std::vector<profile::ProfileTable> tables;
  std::vector<profile::StepProfile> profiles;
  std::vector<io::manifests::InputRecord> records;  ///< records of its files
  std::map<std::string, trace::Trace> stretches{};  ///< consecutive batches of `run`'s processes, by their tables
};

struct ProjectInputs {
  select::Selection selection;
  std::vector<Configuration> configurations;
  std::optional<project::TargetRun> onto;  ///< the run to project; nothing: the one that the points were chosen for
  std::vector<std::string> onto_notes;     ///< notes on the other run's file
  std::optional<io::artifacts::ProjectionFile> earlier;  ///< to compare with
  std::optional<profile::Categories> categories;         ///< categories of a break-down; nothing unless requested
  std::vector<trace::NamedTrace> truths;
  std::vector<io::manifests::InputRecord> records;

  /// The projected run; null: the selection's own.
  const trace::RunSummary* target() const { return onto ? &onto->run : nullptr; }
  const trace::RunSummary& projected_run() const { return onto ? onto->run : selection.run; }
};

/// Reads all input files, and the file of --map into the request. Prints messages about profiles. Throws InputError,
/// also for files of another selection.
ProjectInputs read_inputs(ProjectRequest&, Console&);

/// The sources of a configuration's measurements.
struct MatchedTables {
  std::vector<profile::ProfileTable> tables;  ///< tables of the inputs, then one table per profile
  std::size_t first_of_profiles = 0;
  std::vector<Finding> file_findings;               ///< findings::findings_about_files()
  std::vector<std::string> rank_notes, step_notes;  ///< assumptions
};

struct Measured {
  std::vector<project::NamedMeasurements> configurations;
  std::vector<MatchedTables> tables;                     ///< tables of each configuration
  std::vector<std::vector<project::Stretch>> stretches;  ///< of its processes, by configuration
  std::optional<profile::TimeKind> time;  ///< kind used for all profilers' files; nothing if there are none
  std::vector<Finding> findings;          ///< whether the measurements are what their columns claim
};

/// Matches measurements to points. Takes the tables from the inputs, and merges their profiles of several ranks.
Measured measure(ProjectInputs&, const ProjectRequest&, const Console&);
/// Finds measurements that are not what their columns claim, and returns the findings without printing them. Throws as
/// require_not_decisive().
std::vector<Finding> check(const ProjectInputs&, const Measured&, const ProjectRequest&);
/// Throws InputError if a severe finding would decide the requested result (a comparison that the user asked for), and
/// as require_not_refused().
void require_not_decisive(const Finding&, const ProjectRequest&);

/// Prints warnings and notes about the measurements: findings, merged ranks, matching, and the kind of time.
void tell(const ProjectInputs&, const Measured&, Console&);

/// A projection, with its inputs.
struct Projected {
  ProjectRequest request;
  ProjectInputs inputs;
  Measured measured;
  project::Projection projection;
  project::Gates gates;
  std::string compared;                               ///< note about an earlier projection; empty: none
  std::optional<findings::Diagnosis> diagnosis = {};  ///< set by examine()
};

/// Reads the files, projects and checks gates. Throws as read_inputs(), require_not_decisive() and
/// require_comparable().
Projected project_files(ProjectRequest, Console&);
/// Adds the phases that make the difference to the checks of a comparison with the baseline.
void add_where(project::Gates&, const project::Projection&);
/// Projects the same measurements once more, with another confidence of intervals and gates.
void project_again(Projected&, double confidence, const Console&);
/// Explains how wide the intervals of the projection are; `whole`: with the influence of points, which takes the most
/// time.
findings::Diagnosis diagnosis_of(const Projected&, bool whole);
/// Sets the diagnosis if --explain or a page needs it. --explain reports the findings, so they are then removed from
/// `measured` and not printed twice.
void examine(Projected&, const Console&);
/// The machines and devices of each configuration, and when and with which software it was measured, as its profiles
/// say; none if they say nothing.
std::vector<std::pair<std::string, std::string>> places_of(const Projected&);
/// The totals of --truth, beside their projections.
std::vector<report::MeasuredTotal> measured_totals_of(const Projected&);
/// In every form that the request's exports require.
ResultForms forms_of(const Projected&, const io::views::PageTexts&, const Console&);
/// Prints warnings about the measurements, notes about the projection, and the comparison with --truth.
void tell(const Projected&, Console&);
/// Warns once of each configuration whose processes disagree.
void warn_of_disagreement(const Projected&, Console&);
/// If an interval of a total time is wider than ± 10 %, and processes agree, returns a note about the main cause of the
/// widest one. Empty with --explain.
std::string examine_width(const Projected&);
/// Whether processes of a configuration disagree, or with several configurations those of a comparison.
bool processes_disagree(const project::Projection&);
/// "processes disagree (28.9 s, 50.9 s): which one was disturbed cannot be told"; empty unless they do.
std::string disagreement_text(const project::ConfigurationProjection&);
/// "24.6 s of the time are CPU time: the job waits ..." if that is much less; else empty.
std::string processor_time_text(const project::ConfigurationProjection&);
/// Reports configurations whose measurements are insufficient for a result: errors and kGateFailed, or warnings and
/// kDone with --allow-partial. `hint`: the way out of the errors.
Exit report_partial(const Projected&, Console&,
                    const std::string& hint = "measure what is missing; --allow-partial accepts the estimate");

}  // namespace seqpoint::cli::commands
