#include "cli/commands/run_process.hpp"

#include <fmt/core.h>

#include <set>
#include <utility>

#include "core/run/turns.hpp"
#include "io/files.hpp"
#include "io/views/tables.hpp"

namespace seqpoint::cli::commands {
namespace {

/// Calls `use` for each row with its table.
template <class Use>
void for_each_row(const Measured& measured, Use use) {
  for (const MatchedTables& of_configuration : measured.tables)
    for (const profile::ProfileTable& table : of_configuration.tables)
      for (const profile::ProfileRow& row : table.rows) use(table, row);
}

double seconds_of_batches(const Measured& measured) {
  double seconds = 0;
  for_each_row(measured, [&](const profile::ProfileTable& table, const profile::ProfileRow& row) {
    for (std::size_t m = 0; m < table.metrics.size(); ++m)
      if (table.metrics[m] == seqpoint::run::kMetric)
        seconds += table.value(row, m) * static_cast<double>(row.executions);
  });
  return seconds;
}

/// The shapes that the process ran, warm-up included.
std::set<trace::Shape> shapes_of(const Measured& measured, trace::ShapeKind kind) {
  std::set<trace::Shape> shapes;
  for_each_row(measured, [&](const profile::ProfileTable& table, const profile::ProfileRow& row) {
    if (const auto shape = table.subject(row).key.whole(kind)) shapes.insert(*shape);
  });
  return shapes;
}

}  // namespace

ProcessResult result_of_process(ProjectRequest request, const std::string& stretch, Console& console) {
  const Projected alone = project_files(std::move(request), console);
  const project::ConfigurationProjection& c = alone.projection.configurations.front();
  ProcessResult result{.epoch = *project::find_metric(c, seqpoint::run::kMetric),
                       .batches_s = seconds_of_batches(alone.measured)};
  if (stretch.empty()) return result;
  const trace::Trace batches = io::artifacts::read_trace(io::stream::Input::open(stretch)).trace;
  const select::Selection& selection = alone.inputs.selection;
  result.stretch =
      seqpoint::run::compare_stretch(selection, alone.measured.configurations.front(),
                                     shapes_of(alone.measured, selection.run.kind), batches, alone.request.params);
  return result;
}

std::string estimate_text(const project::MetricProjection& epoch) {
  const std::string value = io::views::duration_text(epoch.value);
  if (!epoch.interval) return value;
  return fmt::format("{} ± {}", value,
                     io::views::percent_text(project::relative_half_width(epoch.value, epoch.interval), 2));
}

std::string stretch_text(const seqpoint::run::Stretch& stretch) {
  return fmt::format("{} in a row: predicted {}, took {}", counted(stretch.batches, "batch"),
                     io::views::duration_text(stretch.predicted_s), io::views::duration_text(stretch.took_s));
}

}  // namespace seqpoint::cli::commands
