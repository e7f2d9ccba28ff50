/// \file
/// All warnings about measurements, as one list. A check is a function in this folder and a row of the table in
/// checks.cpp, or a method of the classes that look at times (point_times.cpp, run_times.cpp); its result is a row of
/// the catalogue, core/findings.hpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/project/projection.hpp"

namespace seqpoint::checks {

/// A file of measurements.
struct MeasuredFile {
  std::string path,  ///< as the user typed it
      digest;        ///< digest of its bytes
};

/// The measurements of a configuration, and the files they were read from. Owned by the caller; outlives the call.
struct Joined {
  const project::NamedMeasurements* named = nullptr;  ///< never null in a call
  std::vector<MeasuredFile> files;
  std::span<const profile::ProfileTable> tables;  ///< the tables that Measurements::source_rows counts
  std::vector<Finding> of_files;                  ///< findings_about_files()
};

/// Configurations to compare.
struct JoinedFiles {
  const select::Selection* selection = nullptr;  ///< never null in a call
  std::span<const Joined> configurations;
  std::size_t baseline = 0;      ///< position of the configuration that the others are compared with
  bool compares_builds = false;  ///< the result decides a gate between builds
};

/// Runs every check once: everything worth a warning, by configuration. Throws std::invalid_argument for null pointers
/// to measurements, and for measurements that do not fit the points and tables.
std::vector<Finding> check(const JoinedFiles&);

/// Warnings about a configuration's tables before ranks are merged: where rows were measured, duplicate rows, columns
/// that contradict each other. `configurations`: the names of all.
std::vector<Finding> findings_about_files(std::span<const profile::ProfileTable>, const std::string& configuration,
                                          std::span<const std::string> configurations);
/// Duplicate rows in profilers' files.
std::vector<Finding> findings_about_files(std::span<const profile::StepProfile>);

/// Warnings about an earlier projection as a reference, for configurations of the same name: the same measurements,
/// other missing points, or totals of times that differ by kOtherUnit or more.
std::vector<Finding> findings_about_reference(const project::Projection&, const project::Reference&);

// --- single checks, by the data that they examine

/// Warns at the first row of a configuration whose host, device or config column is the name of another one of
/// `configurations`, else at the first whose value differs from earlier rows of its rank; and of GPU clocks that
/// differ between the processes of a rank, else within one. At most one finding per column.
std::vector<Finding> findings_about_origin(std::span<const profile::ProfileTable> files,
                                           const std::string& configuration,
                                           std::span<const std::string> configurations);

/// Findings about times at the points, by column in the order of Measurements::metrics; a column may have several, each
/// at the first row that shows it. Impossible times: zero, all equal, a date, a clock, a copied column. Only a column
/// without these is searched for outliers: repeats, points and first times of a process.
std::vector<Finding> findings_about_times(const profile::Measurements&, std::span<const profile::ProfileTable> files,
                                          const select::Selection&);

/// Files that repeat rows of an earlier file, or their own, to the last digit: at least three times three consecutive
/// rows (fewer in a short file), and a third of their rows. Times of fewer than four digits may be equal by chance, and
/// are not compared.
std::vector<Finding> findings_about_copies(std::span<const profile::ProfileTable> files);
std::vector<Finding> findings_about_copies(std::span<const profile::StepProfile> files);

/// Times whose unit contradicts other columns of the same rows, one for each file.
std::vector<Finding> findings_about_units(std::span<const profile::ProfileTable> files);
/// The same for a run that has `times` as a column; at most one finding, about `times`.
std::vector<Finding> findings_about_units(const trace::Trace&, const trace::Metric& times, const std::string& source);

/// Whether every value of the first time metric occurs at least twice at its point, to the last digit: a file or its
/// rows were copied. False if clocks are so coarse that this may be chance.
bool all_repeated(const profile::Measurements&);
/// Whether the first time metrics of two configurations have the same values at each point, in any order, to the last
/// digit. False if clocks are so coarse that this may be chance.
bool same_times(const profile::Measurements&, const profile::Measurements&);
/// The median over points of the first configuration's median time over the second's, in the first time metric of each;
/// 1 if none can be compared.
double time_ratio(const profile::Measurements&, const profile::Measurements&);

}  // namespace seqpoint::checks
