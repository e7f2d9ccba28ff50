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

namespace seqpoint::findings {

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

/// Runs every check once: everything worth a warning, by configuration.
std::vector<Finding> check(const JoinedFiles&);

/// Warnings about a configuration's tables before ranks are merged: where rows were measured, duplicate rows, columns
/// that contradict each other. `configurations`: the names of all.
std::vector<Finding> findings_about_files(std::span<const profile::ProfileTable>, const std::string& configuration,
                                          std::span<const std::string> configurations);

/// Warnings about an earlier projection as a reference, for configurations of the same name: the same measurements,
/// other missing points, or totals of times that differ by kUnitFactor or more.
std::vector<Finding> findings_about_reference(const project::Projection&, const project::Reference&);

}  // namespace seqpoint::findings
