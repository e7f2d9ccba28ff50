/// \file
/// What `project` is asked for, and what it reads.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/command.hpp"
#include "cli/options/exports.hpp"
#include "cli/options/gates.hpp"
#include "cli/options/profile_options.hpp"
#include "seqpoint/io/artifacts/artifacts.hpp"
#include "seqpoint/profile/steps.hpp"
#include "seqpoint/project/breakdown.hpp"
#include "seqpoint/project/projection.hpp"

namespace seqpoint::cli::commands {

/// Files by configuration, in the order in which the names first appear.
using Configurations = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// Paths are empty where nothing is asked for.
struct ProjectRequest {
  std::string seqpoints, onto, against;
  Configurations configurations;
  ProfileReading reading;
  project::ProjectParams params;
  std::string time_source;  ///< as typed: what there is to choose from, the profiles say
  std::optional<project::BreakdownBy> by;
  std::string categories;
  std::optional<double> overhead, first_seen_cost;         ///< seconds
  std::optional<double> require_coverage, max_regression;  ///< shares
  bool strict = false;
  ExportPaths exports;
  CiOptions ci;
  OptionsInForce options;
};

/// The request while it is filled in, and what it is to be converted from.
struct ProjectOptions {
  ProjectRequest request;
  std::vector<std::string> profiles, kinds, rates;
  std::string by;
  std::optional<double> confidence;
};

OptionRows rows_of(ProjectOptions&);
/// Throws UsageError.
ProjectRequest request_of(ProjectOptions, const GivenOptions&);

/// A configuration's profiles: tables of measurements, and steps that a profiler recorded.
struct Configuration {
  std::string name;
  std::vector<profile::ProfileTable> tables;  ///< once measured, those of `profiles` follow
  std::vector<profile::StepProfile> profiles;
  std::size_t measurement_tables = 0;
};

struct ProjectInputs {
  select::Selection selection;
  std::vector<Configuration> configurations;
  std::optional<io::artifacts::RunFile>
      onto;  ///< the run to project, where it is not the one that the points were chosen from
  std::optional<io::artifacts::ProjectionFile> earlier;  ///< to compare with
  std::vector<io::manifests::InputRecord> records;
};

/// Tells of the profiles. The request's map of names is read too.
ProjectInputs read_inputs(ProjectRequest&, Console&);

/// The one kind of time that all profilers' files are read for; nothing where there are none.
std::optional<profile::TimeKind> time_source(const ProjectInputs&, const std::string& asked, Console&);

/// Measurements at the points, and what was measured elsewhere is told.
std::vector<project::NamedMeasurements> measure(ProjectInputs&, const ProfileReading&, std::optional<profile::TimeKind>,
                                                Console&);

}  // namespace seqpoint::cli::commands
