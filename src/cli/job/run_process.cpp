#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <span>
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

/// The data set's rows of an iteration, of all ranks.
std::vector<std::uint32_t> rows_of(const batching::RecordedOrder& order, std::size_t iteration) {
  const std::span<const std::uint32_t> rows = order.rows_of(iteration);
  return {rows.begin(), rows.end()};
}

}  // namespace

ProcessResult result_of_process(const commands::Projected& all, const std::string& build, const std::string& profile) {
  const std::vector<project::NamedMeasurements>& measured = all.measured.configurations;
  const auto c = static_cast<std::size_t>(std::ranges::find(measured, build, &project::NamedMeasurements::name) -
                                          measured.begin());
  const std::vector<profile::ProfileTable>& tables = all.measured.tables[c].tables;
  const profile::ProfileTable& own = *std::ranges::find(tables, profile, &profile::ProfileTable::source);
  ProcessResult result{.batches_s = seconds_of(own)};
  set_estimate(result, all.projection.configurations[c], profile);
  const std::vector<std::string>& names = measured[c].measurements.process_names;
  const auto process = static_cast<std::size_t>(std::ranges::find(names, profile) - names.begin());
  const std::vector<project::Stretch>& stretches = all.measured.stretches[c];
  const auto stretch = std::ranges::find(stretches, process, &project::Stretch::process);
  if (stretch != stretches.end()) result.stretch = *stretch;
  return result;
}

io::artifacts::TraceFile read_with_rows(const std::string& path) {
  return io::artifacts::read_trace(io::stream::Input::open(path), {}, trace::BatchLayout::padded, true);
}

void require_lengths_of_order(const std::string& stretch, const std::string& order) {
  const io::artifacts::TraceFile ran = read_with_rows(stretch), planned = read_with_rows(order);
  if (!ran.order || !planned.order || ran.trace.kind != planned.trace.kind) return;
  std::map<std::vector<std::uint32_t>, std::size_t> iterations;  // of the order, by their rows
  for (std::size_t i = 0; i < planned.trace.size(); ++i) iterations.emplace(rows_of(*planned.order, i), i);
  iterations.erase(std::vector<std::uint32_t>{});  // a stream has no rows
  for (std::size_t i = 0; i < ran.trace.size(); ++i) {
    const auto same = iterations.find(rows_of(*ran.order, i));
    if (same == iterations.end() || ran.trace.shapes[i] == planned.trace.shapes[same->second]) continue;
    throw InputError({stretch},
                     fmt::format("iteration {} has {}; iteration {} of {}, with the same rows, has {}",
                                 ran.trace.iteration_number(i), trace::text_of(ran.trace.kind, ran.trace.shapes[i]),
                                 planned.trace.iteration_number(same->second), order,
                                 trace::text_of(planned.trace.kind, planned.trace.shapes[same->second])),
                     "points need lengths that depend on the rows alone, not on the step: "
                     "`seqpoint run -o NEWFOLDER --record` times a whole epoch");
  }
}

std::string estimate_text(const ProcessResult& result) {
  project::MetricProjection epoch;
  epoch.name = std::string(measuring::kMetric);
  epoch.value = result.epoch_s;
  epoch.interval = result.interval;
  const io::views::Amounts amounts(epoch);
  const std::string value = amounts.text(result.epoch_s);
  if (!result.stretch) return value;
  return fmt::format("{}, in a row {}", value, amounts.text(result.epoch_s * result.stretch->ratio()));
}

std::string stretch_text(const project::Stretch& stretch) {
  return fmt::format("{} in a row: predicted {}, took {}", counted(stretch.batches, "batch"),
                     io::views::duration_text(stretch.predicted_s, 3), io::views::duration_text(stretch.took_s, 3));
}

}  // namespace seqpoint::cli::job
