#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "cli/job/run_state.hpp"
#include "core/measuring/turns.hpp"
#include "io/artifacts/files.hpp"
#include "io/stream/input.hpp"
#include "io/views/amounts.hpp"
#include "io/views/tables.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::job {
namespace {

using project::ConfigurationProjection;

/// Seconds of all rows of a table.
double seconds_of(const profile::ProfileTable& table) {
  const auto metric = std::ranges::find(table.metrics, measuring::kMetric);
  if (metric == table.metrics.end()) return 0;
  double seconds = 0;
  for (const profile::ProfileRow& row : table.rows)
    seconds += table.value(row, static_cast<std::size_t>(metric - table.metrics.begin())) *
               static_cast<double>(row.executions);
  return seconds;
}

/// The shapes that the process ran, warm-up included.
std::set<trace::Shape> shapes_of(const profile::ProfileTable& table, trace::ShapeKind kind) {
  std::set<trace::Shape> shapes;
  for (const profile::ProfileRow& row : table.rows)
    if (const auto shape = table.subject(row).key.whole(kind)) shapes.insert(*shape);
  return shapes;
}

/// Sets the estimate of the process: the figure of all if there is no other, else its own; of a whole epoch, its time.
void set_estimate(ProcessResult& result, const ConfigurationProjection& c, const std::string& profile) {
  const auto own = std::ranges::find(c.process_estimates, profile, &project::ProcessEstimate::name);
  if (own != c.process_estimates.end()) {
    result.epoch_s = own->value;
    result.interval = own->interval;
  } else if (c.processes && c.processes->processes > 1) {
    result.epoch_s = result.batches_s;
  } else {
    const project::MetricProjection& all = *project::find_metric(c, measuring::kMetric);
    result.epoch_s = all.value;
    result.interval = all.interval;
  }
}

}  // namespace

ProcessResult result_of_process(const commands::Projected& all, const std::string& build, const std::string& profile,
                                const std::string& stretch) {
  const std::vector<project::NamedMeasurements>& measured = all.measured.configurations;
  const auto c = static_cast<std::size_t>(std::ranges::find(measured, build, &project::NamedMeasurements::name) -
                                          measured.begin());
  const std::vector<profile::ProfileTable>& tables = all.measured.tables[c].tables;
  const profile::ProfileTable& own = *std::ranges::find(tables, profile, &profile::ProfileTable::source);
  ProcessResult result{.batches_s = seconds_of(own)};
  set_estimate(result, all.projection.configurations[c], profile);
  const std::vector<std::string>& names = measured[c].measurements.process_names;
  const auto process = static_cast<std::size_t>(std::ranges::find(names, profile) - names.begin());
  if (stretch.empty() || process == names.size()) return result;
  const trace::Trace batches = io::artifacts::read_trace(io::stream::Input::open(stretch)).trace;
  const select::Selection& selection = all.inputs.selection;
  result.stretch =
      measuring::compare_stretch(selection, {build, profile::of_process(measured[c].measurements, process)},
                                 shapes_of(own, selection.run.kind), batches, all.request.params);
  return result;
}

void require_lengths_of_order(const std::string& stretch, const std::string& order) {
  const trace::Trace ran = io::artifacts::read_trace(io::stream::Input::open(stretch)).trace,
                     planned = io::artifacts::read_trace(io::stream::Input::open(order)).trace;
  for (std::size_t i = 0; i < ran.size(); ++i) {
    const std::size_t row = planned.row_of(ran.iteration_number(i));
    if (ran.kind != planned.kind || row >= planned.size() || ran.shapes[i] == planned.shapes[row]) continue;
    if (planned.iteration_number(row) != ran.iteration_number(i)) continue;  // of a part of the epoch
    throw InputError(
        {stretch},
        fmt::format("iteration {} has {}; {} has {}", ran.iteration_number(i), trace::text_of(ran.kind, ran.shapes[i]),
                    order, trace::text_of(ran.kind, planned.shapes[row])),
        "points need lengths that depend on the rows alone, not on the step: `seqpoint run --record` "
        "times a whole epoch");
  }
}

std::string estimate_text(const ProcessResult& result) {
  project::MetricProjection epoch;
  epoch.name = std::string(measuring::kMetric);
  epoch.value = result.epoch_s;
  epoch.interval = result.interval;
  const std::string value = io::views::Amounts(epoch).text(result.epoch_s);
  if (!result.interval) return value;
  return fmt::format("{} ± {}", value,
                     io::views::percent_text(project::relative_half_width(result.epoch_s, result.interval), 2));
}

std::string stretch_text(const measuring::Stretch& stretch) {
  return fmt::format("{} in a row: predicted {}, took {}", counted(stretch.batches, "batch"),
                     io::views::duration_text(stretch.predicted_s, 3), io::views::duration_text(stretch.took_s, 3));
}

}  // namespace seqpoint::cli::job
