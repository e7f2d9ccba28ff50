/// \file
/// What `project` is asked for, what it reads, and what of that was measured at the points.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/command.hpp"
#include "cli/options/exports.hpp"
#include "cli/options/gates.hpp"
#include "cli/options/profile_options.hpp"
#include "cli/options/shared_options.hpp"
#include "core/diagnose/diagnosis.hpp"
#include "core/evaluate/evaluation.hpp"
#include "core/profile/measure.hpp"
#include "core/project/projection.hpp"
#include "io/files.hpp"

namespace seqpoint::cli::commands {

/// Files by configuration, in the order in which the names first appear.
using Configurations = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// Paths are empty where nothing is asked for.
struct ProjectRequest {
  std::string seqpoints, against, onto;
  Configurations configurations;
  ProfileReading reading;
  project::ProjectParams params;
  std::optional<profile::TimeKind> time_source;  ///< nothing: the first that the profiles have
  std::optional<project::BreakdownBy> by;
  std::string categories;
  std::optional<double> require_coverage, max_regression;  ///< shares
  bool inconclusive_fails = false, allow_partial = false;
  bool explain = false;
  bool only_time = false;         ///< no metric was asked for
  std::vector<NamedFile> truths;  ///< traces of the whole run, by configuration
  ExportPaths exports;
  CiOptions ci;
  OptionsInForce options;
};

/// The request while it is filled in, and what it is to be converted from.
struct ProjectOptions {
  ProjectRequest request;
  std::vector<std::string> files, profiles, kinds, rates, truths;
  std::optional<double> confidence, overhead;
};

void declare(CLI::App&, ProjectOptions&);
/// Throws UsageError.
ProjectRequest request_of(ProjectOptions, const CLI::App&);

/// A configuration's profiles: tables of measurements, and steps that a profiler recorded.
struct Configuration {
  std::string name;
  std::vector<profile::ProfileTable> tables;
  std::vector<profile::StepProfile> profiles;
  std::vector<io::manifests::InputRecord> records;  ///< of its files
  std::vector<Finding> findings;                    ///< about its logs
};

struct ProjectInputs {
  select::Selection selection;
  std::vector<Configuration> configurations;
  std::optional<project::TargetRun> onto;  ///< the run to project; nothing: the one that the points were chosen for
  std::vector<std::string> onto_notes;     ///< of its file
  std::optional<io::artifacts::ProjectionFile> earlier;  ///< to compare with
  std::optional<profile::Categories> categories;         ///< of a break-down; nothing where none is asked for
  std::vector<evaluate::NamedTrace> truths;
  std::vector<io::manifests::InputRecord> records;

  /// The run of a projection; null: that of the selection.
  const trace::RunSummary* target() const { return onto ? &onto->run : nullptr; }
  const trace::RunSummary& projected_run() const { return onto ? onto->run : selection.run; }
};

/// The request's map of names is read too. What there is to tell of a profile is told as it is read.
ProjectInputs read_inputs(ProjectRequest&, Console&);

/// What the measurements of a configuration are from.
struct MatchedTables {
  std::vector<profile::ProfileTable> tables;  ///< those of the inputs, then one of each profile
  std::size_t first_of_profiles = 0;
  std::vector<Finding> file_findings;               ///< checks::findings_about_files()
  std::vector<std::string> rank_notes, step_notes;  ///< what was assumed
};

struct Measured {
  std::vector<project::NamedMeasurements> configurations;
  std::vector<MatchedTables> tables;      ///< of each
  std::optional<profile::TimeKind> time;  ///< that all profilers' files are read for; nothing where there are none
  checks::Checked checked;                ///< whether the measurements are what they are called
};

/// At the points. Takes the tables of the inputs, and merges their profiles of several ranks.
Measured measure(ProjectInputs&, const ProjectRequest&, const Console&, checks::Depth depth = checks::Depth::findings);

/// Configurations as they are checked. Inputs and measurements have to outlive it.
std::vector<checks::Joined> joined_files(const ProjectInputs&, const Measured&);
/// What is odd about the measurements; `depth`: checks::check()'s. Throws as require_not_decisive().
checks::Checked check(const ProjectInputs&, const Measured&, const ProjectRequest&, checks::Depth depth);
/// Throws InputError where what was asked for would be decided by it.
void require_not_decisive(const Finding&, const ProjectRequest&);

void tell(const ProjectInputs&, const Measured&, Console&);

/// A projection, and what it was made of.
struct Projected {
  ProjectRequest request;
  ProjectInputs inputs;
  Measured measured;
  project::Projection projection;
  project::Gates gates;
  std::string compared;  ///< what there is to say of an earlier projection; empty: nothing
};

/// Reads the files, projects and checks.
Projected project_files(ProjectRequest, Console&);
/// In every form that the request's exports want. Findings that go into an explanation leave `measured`.
ResultForms forms_of(Projected&, const Console&);
/// What is odd about the measurements, and what the figures are of.
void tell(const Projected&, Console&);
/// Says where too little was measured for a result.
Exit report_partial(const Projected&, Console&);

}  // namespace seqpoint::cli::commands
