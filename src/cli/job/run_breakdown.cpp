#include "cli/job/run_breakdown.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <stdexcept>

#include "cli/job/run_stages.hpp"
#include "cli/job/run_text.hpp"
#include "core/measuring/turns.hpp"
#include "core/project/projection.hpp"
#include "io/views/amounts.hpp"
#include "io/views/tables.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::job {
namespace {

namespace fs = std::filesystem;

/// The paths of the traces of a process's rank 0: traces/old-1.sp3.json.gz of old-1.csv.
std::vector<std::string> traces_of(const RunFolder& folder, const std::string& profile) {
  const std::string beginning = fmt::format("{}/{}.sp", kTraces, fs::path(profile).stem().string());
  std::vector<std::string> paths;
  for (const auto& [name, digest] : folder.record.files)
    if (name.starts_with(beginning)) paths.push_back(folder.path(name));
  return paths;
}

/// Throws UsageError if a build has no traces, and as project_files().
project::Breakdown break_down(const RunRequest& request, const std::string& points, Configurations traces) {
  for (const auto& [name, files] : traces)
    if (files.empty()) throw UsageError(fmt::format("{} has no traces: does the job profile itself?", name), "");
  ProjectRequest projecting = job::projecting(request, points, std::move(traces), {}, measuring::kConfidence);
  projecting.max_regression.reset();
  projecting.params.time_parts = false;
  projecting.by = request.job.by;
  Console silent;
  silent.configure({.quiet = 2});
  return *project_files(std::move(projecting), silent).projection.breakdown;
}

/// Sets what the profiler costs: rows of the host add up to the time of profiled batches.
void set_slowdown(project::Breakdown& breakdown, const project::Projection& whole) {
  if (breakdown.kernels) return;
  for (project::ConfigurationBreakdown& c : breakdown.configurations) {
    const auto found = std::ranges::find(whole.configurations, c.name, &project::ConfigurationProjection::name);
    if (found != whole.configurations.end())
      c.slowdown = c.seconds / project::find_metric(*found, measuring::kMetric)->value;
  }
}

/// A build of which no process has been broken down yet.
project::BreakdownsByProcess of_build(const project::Projection& whole, const std::string& name) {
  project::BreakdownsByProcess build{.name = name};
  const auto found = std::ranges::find(whole.configurations, name, &project::ConfigurationProjection::name);
  if (found == whole.configurations.end()) return build;
  build.between = found->between;
  build.agree = found->processes_agree.value_or(true);
  return build;
}

/// "+0.31 s ± 0.04 s"
std::string difference_text(const project::BreakdownRow& row) {
  const double size = std::abs(*row.difference), half = *row.half_width;
  project::MetricProjection metric;
  metric.name = std::string(measuring::kMetric);
  metric.value = size;
  metric.interval = project::Interval{size - half, size + half};
  const io::views::Amounts amounts(metric);
  return fmt::format("{}{} ± {}", *row.difference < 0 ? "-" : "+", amounts.text(size), amounts.text(half));
}

/// The operations that make a difference, the largest first.
std::vector<project::BreakdownRow> causes_of(const project::ConfigurationBreakdown& configuration) {
  std::vector<project::BreakdownRow> rows;
  std::ranges::copy_if(configuration.rows, std::back_inserter(rows), &project::BreakdownRow::is_cause);
  std::ranges::stable_sort(
      rows, [](const auto& a, const auto& b) { return std::abs(*a.difference) > std::abs(*b.difference); });
  return rows;
}

}  // namespace

void keep_traces(RunFolder& folder, const std::string& profile) {
  if (!fs::exists(folder.unfinished(kTraces))) return;
  fs::create_directories(folder.path(kTraces));
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder.unfinished(kTraces)))
    if (const std::string name = entry.path().filename().string();
        name.starts_with(fs::path(profile).stem().string() + "."))
      names.push_back(fmt::format("{}/{}", kTraces, name));
  std::ranges::sort(names);
  for (const std::string& name : names) folder.keep(name);
}

std::optional<project::Breakdown> breakdown_of(const RunRequest& request, RunFolder& folder, const std::string& points,
                                               const std::vector<TracedBuild>& builds, const project::Projection& whole,
                                               Console& console) {
  Configurations all;
  try {
    std::vector<project::BreakdownsByProcess> by_process;
    for (const TracedBuild& build : builds) {
      std::vector<std::string> files;
      project::BreakdownsByProcess& broken_down = by_process.emplace_back(of_build(whole, build.name));
      for (const std::string& profile : build.profiles) {
        const std::vector<std::string> traces = traces_of(folder, profile);
        project::ConfigurationBreakdown& process = broken_down.processes.emplace_back();
        if (traces.empty()) continue;  // its round is left out
        files.insert(files.end(), traces.begin(), traces.end());
        process = break_down(request, points, {{build.name, traces}}).configurations.front();
      }
      all.emplace_back(build.name, std::move(files));
    }
    project::Breakdown breakdown = break_down(request, points, std::move(all));
    set_slowdown(breakdown, whole);
    set_differences(breakdown, by_process, builds.front().name, measuring::kConfidence);
    return breakdown;
  } catch (const std::runtime_error& error) {  // no operations of the kind, or doubtful traces
    console.warn(fmt::format("--by {}: {}", project::name_of(*request.job.by), error.what()),
                 fmt::format("the traces are in {}", folder.path(kTraces)));
    return std::nullopt;
  }
}

std::string operations_text(const project::Breakdown& breakdown) {
  constexpr std::size_t kMaxRows = 5, kLongestName = 60;
  std::string text;
  if (const std::string profiler = io::views::profiler_text(breakdown); !profiler.empty())
    text += step_line("profiler", profiler) + "\n";
  for (const project::ConfigurationBreakdown& configuration : breakdown.configurations) {
    std::vector<project::BreakdownRow> rows = causes_of(configuration);
    rows.resize(std::min(rows.size(), kMaxRows));
    for (const project::BreakdownRow& row : rows)
      text += step_line(&row == &rows.front() ? std::string(project::name_of(breakdown.by)) : "",
                        fmt::format("{}{}   {}", breakdown.configurations.size() > 2 ? configuration.name + ": " : "",
                                    difference_text(row), row.name.substr(0, kLongestName))) +
              "\n";
  }
  return text;
}

}  // namespace seqpoint::cli::job
