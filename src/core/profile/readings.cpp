#include "core/profile/readings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "core/numbers.hpp"
#include "core/profile/measure.hpp"

namespace seqpoint::profile {

// --- Column `session`: the process that measured a row

namespace {

/// Files count their own processes from 0 and never reach this number.
constexpr std::size_t kOfProcess = std::size_t{1} << 63;

/// FNV-1a of 64 bits.
std::uint64_t digest_of(std::string_view text) {
  std::uint64_t digest = 14695981039346656037u;
  for (const char c : text) digest = (digest ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return digest;
}

}  // namespace

std::optional<std::size_t> number_of_process(std::string_view process) {
  const bool counts = std::ranges::all_of(process, [](char c) { return c >= '0' && c <= '9'; });
  if (counts) return std::nullopt;
  return digest_of(process) | kOfProcess;
}

bool is_of_process(std::size_t process) { return process >= kOfProcess; }

ProcessKey process_key(const ProfileTable& file, const ProfileRow& row) {
  const std::size_t process = file.origin(row).process;
  return {is_of_process(process) ? nullptr : &file, process};
}

// --- The values of one metric, in file order

std::vector<RowReading> readings_of(const std::string& metric, const Measurements& measured,
                                    std::span<const ProfileTable> files) {
  constexpr std::uint32_t kNoPoint = UINT32_MAX;
  constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::vector<std::uint32_t>> point_of_row;  // by file and row, its first point
  std::size_t rows = 0;
  for (const ProfileTable& file : files) point_of_row.emplace_back(file.rows.size(), kNoPoint);
  for (std::size_t p = 0; p < measured.source_rows.size(); ++p)
    for (const auto& [f, r] : measured.source_rows[p]) {
      if (point_of_row[f][r] != kNoPoint) continue;
      point_of_row[f][r] = static_cast<std::uint32_t>(p);
      ++rows;
    }
  std::vector<RowReading> readings;
  readings.reserve(rows);
  for (std::size_t f = 0; f < files.size(); ++f) {
    const ProfileTable& file = files[f];
    const std::optional<std::size_t> column = file.find(metric);
    if (!column) continue;
    auto point = point_of_row[f].begin();
    for (const ProfileRow& row : file.rows) {
      const std::uint32_t p = *point++;
      const double value = p == kNoPoint ? kNotMeasured : file.value(row, *column);
      if (!std::isnan(value)) readings.push_back({&file, &row, p, value});
    }
  }
  return readings;
}

std::vector<std::size_t> processes_of(std::span<const RowReading> readings) {
  std::map<std::pair<const ProfileTable*, Origin>, std::size_t> known;
  std::vector<std::size_t> processes;
  for (const RowReading& reading : readings) {
    const Origin& origin = reading.file->origin(*reading.row);
    const ProfileTable* const file = is_of_process(origin.process) ? nullptr : reading.file;
    processes.push_back(known.try_emplace({file, origin}, known.size()).first->second);
  }
  return processes;
}

// --- Files, points and the whole run

bool lists_all_iterations(const select::Point& point, const trace::RunSummary& run) {
  if (run.loaded > 0) return false;
  std::uint64_t occurrences = 0;
  for (const auto& [shape, count] : run.histogram) occurrences += point.matches(shape) ? count : 0;
  return point.iterations.size() >= occurrences;
}

// --- Files that contain every iteration of a run

namespace {

/// Whether no row names its iteration, or the rows name each iteration from 0 to their number - 1.
bool has_each_iteration(const ProfileTable& file) {
  std::vector<bool> found(file.rows.size());
  for (const ProfileRow& row : file.rows)
    if (row.iteration && *row.iteration < found.size()) found[*row.iteration] = true;
  return std::ranges::none_of(file.rows, [](const ProfileRow& row) { return row.iteration.has_value(); }) ||
         std::ranges::find(found, false) == found.end();
}

/// The dimensions of `key` that `like` has.
trace::PartialShape part_of(trace::PartialShape key, const trace::PartialShape& like) {
  for (const trace::Dimension d : trace::kDimensions)
    if (!like[d]) key[d].reset();
  return key;
}

/// Whether the rows have each shape as often as the run, in the dimensions that the first row has. False if rows differ
/// in their dimensions.
bool has_each_shape(const ProfileTable& file, const trace::RunSummary& run) {
  const trace::PartialShape of_kind = trace::PartialShape::of(run.kind, {});
  const trace::PartialShape known = part_of(file.subject(file.rows.front()).key, of_kind);
  std::map<trace::PartialShape, std::uint64_t> in_file, in_run;
  std::vector<std::uint64_t> of_subject(file.subjects.size());
  for (const ProfileRow& row : file.rows) ++of_subject[row.subject];
  for (std::size_t s = 0; s < of_subject.size(); ++s)
    if (of_subject[s] > 0) in_file[part_of(file.subjects[s].key, of_kind)] += of_subject[s];
  for (const auto& [shape, count] : run.histogram)
    in_run[part_of(trace::PartialShape::of(run.kind, shape), known)] += count;
  return in_file == in_run;
}

/// Whether the rows are the iterations of the run, each once: by their numbers, or by complete shapes, without a
/// contradiction; `whole_runs`: of any run, by their numbers. False if any row is marked as warm-up.
bool is_whole(const ProfileTable& file, const trace::RunSummary& run, bool whole_runs) {
  if (std::ranges::any_of(file.rows, &ProfileRow::warmup)) return false;
  if (whole_runs) return !file.rows.empty() && file.rows.front().iteration.has_value() && has_each_iteration(file);
  if (file.rows.size() != run.iterations) return false;
  const ProfileRow& first = file.rows.front();
  const bool is_told = first.iteration.has_value() || file.subject(first).key.whole(run.kind).has_value();
  return is_told && has_each_iteration(file) && (run.loaded > 0 || has_each_shape(file, run));
}

/// The sum of a metric over all rows; NaN if the file or one of its rows lacks the metric.
double total_of(const ProfileTable& file, const std::string& metric) {
  const std::optional<std::size_t> column = file.find(metric);
  if (!column) return std::nan("");
  double total = 0;
  for (const ProfileRow& row : file.rows) total += file.value(row, *column);
  return total;
}

/// By file, the position of its process among those of all files in the order in which they appear; empty if a file has
/// rows of several.
std::vector<std::size_t> processes_of(std::span<const ProfileTable> files) {
  std::map<ProcessKey, std::size_t> known;
  std::vector<std::size_t> found;
  for (const ProfileTable& file : files) {
    const ProcessKey process = process_key(file, file.rows.front());
    const auto is_other = [&](const ProfileRow& row) { return process_key(file, row) != process; };
    if (std::ranges::any_of(file.rows, is_other)) return {};
    found.push_back(known.try_emplace(process, known.size()).first->second);
  }
  return found;
}

}  // namespace

std::vector<std::vector<double>> run_totals_of(std::span<const ProfileTable> files, const select::Selection& selection,
                                               const std::vector<std::string>& metrics, std::uint64_t warmup,
                                               bool whole_runs) {
  std::vector<std::vector<double>> totals(metrics.size());
  const auto whole = [&](const ProfileTable& file) { return is_whole(file, selection.run, whole_runs); };
  if (warmup > 0 || !std::ranges::all_of(files, whole)) return totals;
  const std::vector<std::size_t> processes = processes_of(files);
  if (processes.empty()) return totals;
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    std::vector<std::vector<double>> of_process(1 + std::ranges::max(processes));
    for (std::size_t f = 0; f < files.size(); ++f) of_process[processes[f]].push_back(total_of(files[f], metrics[m]));
    for (const std::vector<double>& of_files : of_process) totals[m].push_back(mean(of_files));
    if (std::ranges::any_of(totals[m], [](double total) { return std::isnan(total); })) totals[m].clear();
  }
  return totals;
}

}  // namespace seqpoint::profile
