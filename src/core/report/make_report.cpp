#include "core/report/report.hpp"

#include <fmt/core.h>

#include <map>

#include "seqpoint/error.hpp"

namespace seqpoint::report {
namespace {

/// The text of an error that names the trace's first iteration whose shape the run lacks, or has less often.
std::string first_other(const trace::Trace& trace, const trace::RunSummary& run) {
  std::map<std::string, std::uint64_t> left;
  const auto text = [&](const trace::Shape& s) { return text_of(run.kind, s); };
  for (const trace::ShapeCount& entry : run.histogram) left[text(entry.shape)] += entry.count;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const std::string here = text(trace.shapes[i]);
    if (left[here]-- > 0) continue;
    return fmt::format("has other lengths or batch sizes than the run: iteration {} has {}, {}",
                       trace.iteration_number(i), here, "which the run has not, or not as often");
  }
  return "has other lengths or batch sizes than the run";
}

}  // namespace

void require_same_run(const trace::NamedTrace& named, const trace::RunSummary& run) {
  const trace::RunSummary other = trace::summarise(named.trace);
  if (other.iterations != run.iterations)
    throw InputError(
        {named.source},
        "has " + std::to_string(other.iterations) + " iterations, but the run has " + std::to_string(run.iterations),
        "give the trace that the points were chosen from");
  if (run.loaded == 0 && other.histogram != run.histogram)
    throw InputError({named.source}, first_other(named.trace, run), "give the trace that the points were chosen from");
}

namespace {

/// Whether any measured point or trace has the metric.
bool is_known(const ReportSource& source, const std::string& metric) {
  return !cost_figure(source, LengthAxis::source, metric).series.empty();
}

/// The requested metrics; if none are, the first kMaxMetrics of metrics_of(), with the number of the others in
/// `left_out`. Throws ParameterError for a requested metric that is nowhere.
std::vector<std::string> chosen_metrics(const ReportSource& source, std::uint64_t& left_out) {
  for (const std::string& name : source.metrics)
    if (!is_known(source, name))
      throw ParameterError("metric", ": nothing of '" + name + "' is known at points or iterations",
                           "leave it out to see what there is");
  if (!source.metrics.empty()) return source.metrics;
  std::vector<std::string> names = metrics_of(source);
  if (names.size() > Report::kMaxMetrics) {
    left_out = names.size() - Report::kMaxMetrics;
    names.resize(Report::kMaxMetrics);
  }
  return names;
}

}  // namespace

Report make_report(ReportSource source) {
  Report report;
  report.source = std::move(source);
  const ReportSource& from = report.source;
  for (const trace::NamedTrace& named : from.traces) require_same_run(named, *from.run);
  report.axis =
      length_axis(*from.run, from.selection != nullptr ? std::span<const select::Point>(from.selection->points)
                                                       : std::span<const select::Point>());
  report.lengths = length_histogram(*from.run, report.axis);
  report.measured_totals = measured_totals(from);
  const std::vector<std::string> metrics = chosen_metrics(from, report.metrics_left_out);
  if (from.run->histogram.size() == 1) {
    report.order = batches_in_order(from);
    return report;
  }
  for (const std::string& name : metrics) report.costs.push_back(cost_figure(from, report.axis, name));
  return report;
}

}  // namespace seqpoint::report
