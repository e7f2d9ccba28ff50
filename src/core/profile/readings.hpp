/// \file
/// Rows of files: the values of one metric, the processes that measured them, and whether they are the whole run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/profile/measure.hpp"

namespace seqpoint::profile {

// --- Column `session`: the process that measured a row

/// The number of the process that this text names, the same in every file; nothing if the text is valid in its file
/// only: empty, or a plain number.
std::optional<std::size_t> number_of_process(std::string_view process);

/// Whether an Origin::process is from number_of_process(): other files may have rows of the same process. False for a
/// number within one file.
bool is_of_process(std::size_t process);

/// The number of a process, with its file if the number is valid in that file only.
using ProcessKey = std::pair<const ProfileTable*, std::size_t>;
/// The process that measured a row of the file.
ProcessKey process_key(const ProfileTable& file, const ProfileRow& row);

// --- The values of one metric, in file order

/// A value at a point. File and row are owned by the caller.
struct RowReading {
  const ProfileTable* file;
  const ProfileRow* row;
  std::size_t point;  ///< position in Selection::points
  double value;
};

/// The values of a metric in the rows that belong to points, ordered by file and row; without NaN and without files
/// that lack the metric. A row that belongs to several points is a reading of the first. `files`: those of match().
std::vector<RowReading> readings_of(const std::string& metric, const Measurements&,
                                    std::span<const ProfileTable> files);

/// For each reading the number of its process, from 0 in the order of their first readings. Rows of one process agree
/// in all columns of Origin; in their file too, unless Origin::process names a process (is_of_process()).
std::vector<std::size_t> processes_of(std::span<const RowReading>);

// --- Files, points and the whole run

/// Measurements::run_totals for these files: by metric, a total for each process. Every metric's list is empty if
/// `warmup`, the number of rows per file to leave out, is above 0. `metrics`: of all files. `whole_runs`: as of
/// match().
std::vector<std::vector<double>> run_totals_of(std::span<const ProfileTable> files, const select::Selection&,
                                               const std::vector<std::string>& metrics, std::uint64_t warmup,
                                               bool whole_runs);

/// Whether a point lists all iterations of its shape or length group: points of frequent shapes list the first few, and
/// those of a run whose lengths are known in part may lack any.
bool lists_all_iterations(const select::Point& point, const trace::RunSummary& run);

}  // namespace seqpoint::profile
