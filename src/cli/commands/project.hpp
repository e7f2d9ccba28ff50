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
#include "seqpoint/io/files.hpp"
#include "seqpoint/measure.hpp"
#include "seqpoint/project.hpp"

namespace seqpoint::cli::commands {

/// Files by configuration, in the order in which the names first appear.
using Configurations = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// Paths are empty where nothing is asked for.
struct ProjectRequest {
  std::string seqpoints, against;
  std::vector<NamedFile> onto;
  Configurations configurations;
  ProfileReading reading;
  project::ProjectParams params;
  std::optional<profile::TimeKind> time_source;  ///< nothing: the first that the profiles have
  std::optional<project::BreakdownBy> by;
  std::string categories;
  project::GpuTerms gpu_terms;                             ///< 0 GPUs: no costs are asked for
  std::optional<double> require_coverage, max_regression;  ///< shares
  bool inconclusive_fails = false, allow_partial = false;
  std::string of_one_run;  ///< an option that is, and that was given; empty: none
  ExportPaths exports;
  CiOptions ci;
  OptionsInForce options;
};

/// The request while it is filled in, and what it is to be converted from.
struct ProjectOptions {
  ProjectRequest request;
  std::vector<std::string> profiles, kinds, rates, onto;
  std::optional<double> confidence, overhead;
};

/// Configurations and their profiles, from `NAME=FILE`s. Throws UsageError.
Configurations configurations_of(const std::vector<std::string>& profiles);

/// Throws UsageError where so many runs are ranked, and an option is of one.
void require_no_ranking(const ProjectRequest&, std::size_t runs);

OptionRows rows_of(ProjectOptions&);
/// Throws UsageError.
ProjectRequest request_of(ProjectOptions, const GivenOptions&);

/// A configuration's profiles: tables of measurements, and steps that a profiler recorded.
struct Configuration {
  std::string name;
  std::vector<profile::ProfileTable> tables;
  std::vector<profile::StepProfile> profiles;
  std::vector<io::manifests::InputRecord> records;  ///< of its files
};

struct ProjectInputs {
  select::Selection selection;
  std::string first_run;  ///< its name
  std::vector<Configuration> configurations;
  std::vector<project::Candidate> onto;  ///< the runs to project; empty: the only one that the points were chosen for
  std::vector<std::string> onto_notes;   ///< of their files
  std::optional<io::artifacts::ProjectionFile> earlier;  ///< to compare with
  std::optional<profile::Categories> categories;         ///< of a break-down; nothing where none is asked for
  std::vector<io::manifests::InputRecord> records;

  /// The run of a projection, which is of a single one; null: that of the selection.
  const trace::RunSummary* target() const { return onto.empty() ? nullptr : &onto.front().target.run; }
  const trace::RunSummary& projected_run() const { return onto.empty() ? selection.run : *target(); }
};

/// The request's map of names is read too. What there is to tell of a profile is told as it is read.
ProjectInputs read_inputs(ProjectRequest&, Console&);

/// What the measurements of a configuration are from.
struct MatchedTables {
  std::vector<profile::ProfileTable> tables;  ///< those of the inputs, then one of each profile
  std::size_t first_of_profiles = 0;
  std::vector<Finding> origin_findings;
  std::vector<std::string> rank_notes, step_notes;  ///< what was assumed
};

struct Measured {
  std::vector<project::NamedMeasurements> configurations;
  std::vector<MatchedTables> tables;      ///< of each
  std::optional<profile::TimeKind> time;  ///< that all profilers' files are read for; nothing where there are none
  std::vector<Finding> findings;          ///< whether the measurements are what they are called
};

/// At the points. Takes the tables of the inputs, and merges their profiles of several ranks.
Measured measure(ProjectInputs&, const ProjectRequest&, const Console&);

/// What is odd about the measurements. Throws as require_not_decisive().
std::vector<Finding> findings_of(const ProjectInputs&, const Measured&, const ProjectRequest&);
/// Throws InputError where what was asked for would be decided by it.
void require_not_decisive(const Finding&, const ProjectRequest&);

void tell(const ProjectInputs&, const Measured&, Console&);
/// Which run is projected, and how much of it lies outside of what was measured.
void tell_target(const project::Candidate&, Console&);
/// What shapes cost when they are new to a process.
/// Points that a configuration lacks.
std::string missing_text(const std::string& name, const std::vector<std::string>& missing, double coverage);

/// Says that measurements are too few for a result, `partial` saying why; empty: they are not.
Exit tell_partial(const std::string& name, const std::string& partial, bool allowed, Console&);

/// The runs that the points were chosen for.
std::vector<project::Candidate> runs_of_points(const ProjectInputs&);
/// Several runs, ranked: tells and writes them.
Exit rank_runs(const ProjectRequest&, const ProjectInputs&, const Measured&, Exports&, Console&);

/// Each configuration's measurements with the rows that they are from. Both have to outlive it.
std::vector<diagnose::MeasuredConfiguration> measured_configurations(const Measured&);

}  // namespace seqpoint::cli::commands
