// Files that contain every iteration of a run.
#include <algorithm>
#include <cmath>
#include <map>

#include "core/numbers.hpp"
#include "core/profile/readings.hpp"

namespace seqpoint::profile {
namespace {

/// Whether no row names its iteration, or the rows name each iteration from 0 to their number - 1. The file has as many
/// rows as the run has iterations.
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
/// contradiction. False if any row is marked as warm-up.
bool is_whole(const ProfileTable& file, const trace::RunSummary& run) {
  if (file.rows.size() != run.iterations || std::ranges::any_of(file.rows, &ProfileRow::warmup)) return false;
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
                                               const std::vector<std::string>& metrics, std::uint64_t warmup) {
  std::vector<std::vector<double>> totals(metrics.size());
  const auto whole = [&](const ProfileTable& file) { return is_whole(file, selection.run); };
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
