/// \file
/// All that is odd about measurements, as one list. A check is a function in this folder and a row of the table in
/// checks.cpp; what it finds is a row of the catalogue, core/findings.hpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/checks/faults.hpp"
#include "core/project/projection.hpp"

namespace seqpoint::checks {

/// A file of measurements.
struct MeasuredFile {
  std::string path,  ///< as the user typed it
      digest;        ///< of its bytes
};

/// The measurements of a configuration, and what they are from. The caller's, and outlives the call.
struct Joined {
  const project::NamedMeasurements* named = nullptr;  ///< never null in a call
  std::vector<MeasuredFile> files;
  std::span<const profile::ProfileTable> tables;  ///< those that Measurements::source_rows counts
  std::vector<Finding> of_files;                  ///< findings_about_files()
};

/// Configurations beside each other.
struct JoinedFiles {
  const select::Selection* selection = nullptr;  ///< never null in a call
  std::span<const Joined> configurations;
  std::size_t baseline = 0;      ///< position of the configuration that the others are compared with
  bool compares_builds = false;  ///< a gate is to tell builds apart
};

struct Checked {
  std::vector<Finding> findings;   ///< all that is worth a warning, by configuration
  std::vector<TimeFaults> faults;  ///< of every time, sure or not: a projection that is explained shows them all
};

/// Runs every check once. `depth`: how far faults are looked for. Throws std::invalid_argument as project::project()
/// does.
Checked check(const JoinedFiles&, Depth depth);

/// Whether it is one of Checked::faults that is sure.
bool is_fault(const Finding&);

/// What a configuration's tables show as they were read, before ranks are merged: where their rows are from, rows that
/// stand there twice, columns that contradict each other. `configurations`: the names of all.
std::vector<Finding> findings_about_files(std::span<const profile::ProfileTable>, const std::string& configuration,
                                          std::span<const std::string> configurations);
/// Rows that stand there twice, of profilers' files.
std::vector<Finding> findings_about_files(std::span<const profile::StepProfile>);

/// What is odd about an earlier projection as a reference: the measurements are the same, or other points are missing,
/// or times are in another unit.
std::vector<Finding> findings_about_reference(const project::Projection&, const project::Reference&);

// --- single checks, by what they look at

/// What the rows of one configuration say of where they were measured: that it is another of `configurations`, or that
/// it changes.
std::vector<Finding> findings_about_origin(std::span<const profile::ProfileTable> files,
                                           const std::string& configuration,
                                           std::span<const std::string> configurations);

/// Times at the points that no iteration can have taken, and others that it hardly can, each at the first row that
/// shows it. In the order in which their columns first appear.
std::vector<Finding> findings_about_times(const profile::Measurements&, std::span<const profile::ProfileTable> files,
                                          const select::Selection&);

/// Files that hold rows of another, or rows twice, to the last digit. Times of fewer than four digits may be equal by
/// chance, and are not compared.
std::vector<Finding> findings_about_copies(std::span<const profile::ProfileTable> files);
std::vector<Finding> findings_about_copies(std::span<const profile::StepProfile> files);

/// Times that are in another unit than other columns of the same rows make them, one for each file.
std::vector<Finding> findings_about_units(std::span<const profile::ProfileTable> files);
/// The same of a run, of which `times` is a column.
std::vector<Finding> findings_about_units(const trace::Trace&, const trace::Statistic& times,
                                          const std::string& source);

/// Whether every time stands there twice or more at its point, to the last digit: a file or its rows were copied.
bool all_repeated(const profile::Measurements&);
/// Whether two configurations have the same times at the same points, in any order, to the last digit. False where
/// clocks are so coarse that this may be chance.
bool same_times(const profile::Measurements&, const profile::Measurements&);
/// The median over points of what a time of the first configuration is beside the second's; 1 where none can be
/// compared.
double time_ratio(const profile::Measurements&, const profile::Measurements&);

}  // namespace seqpoint::checks
