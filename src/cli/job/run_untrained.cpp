#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "cli/job/run_state.hpp"
#include "core/measuring/turns.hpp"

namespace seqpoint::cli::job {
namespace {

using commands::Projected;

constexpr auto kBackward = "backward_s";

/// Adds for each point whether one of its measured batches in the table had a backward pass.
void add_trained(const profile::ProfileTable& table, std::map<std::string, bool>& trained) {
  const auto metric = std::ranges::find(table.metrics, kBackward);
  if (metric == table.metrics.end()) return;
  for (const profile::ProfileRow& row : table.rows)
    if (!row.warmup)
      trained[table.subject(row).point] |=
          !(table.value(row, static_cast<std::size_t>(metric - table.metrics.begin())) <= 0);
}

/// Shares of the run's tokens, with padding, and samples that its trained points represent.
struct Trained {
  double tokens = 0, samples = 0;
};

Trained trained_share(const std::vector<select::Point>& points, const std::vector<const select::Point*>& untrained) {
  Trained all, without;
  for (const select::Point& point : points) {
    const double weight = point.weight.iterations();
    const Trained of{weight * static_cast<double>(point.shape.padded_tokens()),
                     weight * std::max(1.0, static_cast<double>(point.shape.batch_size))};
    all = {all.tokens + of.tokens, all.samples + of.samples};
    if (std::ranges::find(untrained, &point) == untrained.end())
      without = {without.tokens + of.tokens, without.samples + of.samples};
  }
  return {without.tokens / all.tokens, without.samples / all.samples};
}

}  // namespace

std::vector<const select::Point*> untrained_points(const Projected& part, const std::string& build) {
  const auto& measured = part.measured.configurations;
  const auto c = std::ranges::find(measured, build, &project::NamedMeasurements::name) - measured.begin();
  std::map<std::string, bool> trained;
  for (const profile::ProfileTable& table : part.measured.tables[static_cast<std::size_t>(c)].tables)
    add_trained(table, trained);
  std::vector<const select::Point*> points;
  if (std::ranges::none_of(trained, [](const auto& point) { return point.second; })) return points;
  for (const select::Point& point : part.inputs.selection.points)
    if (const auto found = trained.find(point.id); found != trained.end() && !found->second) points.push_back(&point);
  return points;
}

void leave_out_untrained(Projected& part, project::ConfigurationProjection& c) {
  const std::vector<const select::Point*> points = untrained_points(part, c.name);
  if (points.empty() || !c.throughput) return;
  const trace::RunSummary& run = part.inputs.selection.run;
  const Trained share = trained_share(part.inputs.selection.points, points);
  const double seconds = project::find_metric(c, measuring::kMetric)->value;
  c.throughput->samples_per_s = share.samples * static_cast<double>(run.samples) / seconds;
  c.throughput->padded_tokens_per_s = share.tokens * static_cast<double>(run.padded_tokens) / seconds;
  if (run.tokens) c.throughput->tokens_per_s = share.tokens * static_cast<double>(*run.tokens) / seconds;
}

std::string untrained_text(const Projected& part, const std::string& build) {
  const std::vector<const select::Point*> points = untrained_points(part, build);
  if (points.empty()) return "";
  const auto length = [](const select::Point* point) { return point->shape.length(); };
  return fmt::format(
      "{}: {} of {} points, with lengths from {} to {}, ran no training step (a continue, or a training_step that "
      "returns None): they count with the time that they take, and in no rate",
      build, points.size(), part.inputs.selection.points.size(), length(*std::ranges::min_element(points, {}, length)),
      length(*std::ranges::max_element(points, {}, length)));
}

}  // namespace seqpoint::cli::job
