// What a page says first: its finding, and what the finding is based on.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "io/views/amounts.hpp"
#include "io/views/cells.hpp"
#include "io/views/ci.hpp"
#include "io/views/html/figure.hpp"
#include "io/views/html/overview.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::views::html {

const project::MetricProjection* main_metric(const project::ConfigurationProjection& configuration) {
  const project::MetricProjection* first = nullptr;
  for (const project::MetricProjection& metric : configuration.metrics) {
    if (!std::isfinite(metric.value)) continue;
    if (configuration.throughput && metric.name == configuration.throughput->time_metric) return &metric;
    if (first == nullptr) first = &metric;
  }
  return first;
}

const project::ConfigurationProjection* only_configuration(const report::Report& report) {
  const project::Projection* const projection = report.source.projection;
  return projection != nullptr && projection->configurations.size() == 1 ? &projection->configurations.front()
                                                                         : nullptr;
}

std::string change_text(double change) {
  const std::string text = signed_percent(change);
  return text.starts_with('-') ? "−" + text.substr(1) : text;
}

std::string range_text(const project::MetricProjection& metric) {
  if (!metric.interval) return "no interval" + (metric.interval.reason.empty() ? "" : ": " + metric.interval.reason);
  return Amounts(metric).range(*metric.interval);
}

namespace {

/// "an epoch", "3 epochs"; "an epoch of FILE" if the points are of another run.
std::string epochs_text(const report::Report& report) {
  const project::Projection& projection = *report.source.projection;
  const std::uint64_t epochs = projection.target_run ? projection.target_run->run.epochs : report.source.run->epochs;
  return (epochs == 1 ? "an epoch" : counted(epochs, "epoch")) +
         (projection.target_run ? " of " + projection.target_run->source : "");
}

/// ", but a measured one took 120 s" if a whole run was measured whose total is outside the interval; else empty.
std::string refuted_text(const report::Report& report, const std::string& configuration,
                         const project::MetricProjection& metric) {
  for (const report::MeasuredTotal& total : report.measured_totals)
    if (total.configuration == configuration && total.metric == metric.name && total.inside && !*total.inside)
      return ", but a measured one took " + Amounts(metric).text(total.measured);
  return "";
}

/// "An epoch takes 124 s", with refuted_text().
std::string total_text(const report::Report& report, const project::ConfigurationProjection& c) {
  const project::MetricProjection* const metric = main_metric(c);
  if (metric == nullptr) return c.name + ": nothing measured";
  const std::string epochs = epochs_text(report), value = Amounts(*metric).text(metric->value),
                    refuted = refuted_text(report, c.name, *metric);
  if (metric->name != "runtime_s") return fmt::format("{} of {}: {}{}", metric->name, epochs, value, refuted);
  const bool one = epochs.starts_with("an ");
  return fmt::format("{} {} {}{}", one ? "An" + epochs.substr(2) : epochs, one ? "takes" : "take", value, refuted);
}

/// "95 %: 110 s to 138 s"; empty if nothing was measured.
std::string interval_text(const report::Report& report, const project::ConfigurationProjection& c) {
  const project::MetricProjection* const metric = main_metric(c);
  if (metric == nullptr) return "";
  if (!metric->interval) return range_text(*metric);
  return fmt::format("{}: {}", confidence_text(report.source.projection->confidence), range_text(*metric));
}

/// "new is 17 % slower than old", "new is 14 % faster than old"; of another metric than a time "new has 17 % more
/// energy_j than old".
std::string difference_text(const std::string& name, const std::string& than, const std::string& metric,
                            double change) {
  const std::string percent = percent_text(std::abs(change), 2);
  if (!trace::is_time_metric(metric))
    return fmt::format("{} has {} {} {} than {}", name, percent, change < 0 ? "less" : "more", metric, than);
  return fmt::format("{} is {} {} than {}", name, percent, change < 0 ? "faster" : "slower", than);
}

/// The largest difference from the baseline.
struct Difference {
  const project::ConfigurationProjection* who = nullptr;  ///< null: there is none
  const project::Speedup* speedup = nullptr;
};

/// Among the configurations that were measured at every point; none if the baseline was not.
Difference largest_difference(const project::Projection& projection) {
  Difference largest;
  for (const project::ConfigurationProjection& c : projection.configurations) {
    const project::MetricProjection* const metric = main_metric(c);
    if (metric == nullptr || metric->measured_weight < 1) {
      if (c.name == projection.baseline) return {};
      continue;
    }
    const project::Speedup* const speedup = c.name == projection.baseline ? nullptr : find_speedup(c, metric->name);
    if (speedup == nullptr || !(speedup->value > 0)) continue;
    if (largest.who != nullptr && std::abs(std::log(speedup->value)) <= std::abs(std::log(largest.speedup->value)))
      continue;
    largest = {&c, speedup};
  }
  return largest;
}

/// A difference as a finding, and its interval below it.
Answer answer_of(const Difference& difference, const project::Projection& projection) {
  const double change = change_of(difference.speedup->value);
  const std::optional<project::Interval> interval = change_of(difference.speedup->interval);
  if (!interval)
    return {"", difference_text(difference.who->name, projection.baseline, difference.speedup->metric, change),
            "no interval"};
  std::string range = fmt::format("{} to {}", change_text(interval->low), change_text(interval->high));
  if (trace::is_time_metric(difference.speedup->metric) && interval->low * interval->high > 0) {
    const auto [least, most] = std::minmax({std::abs(interval->low), std::abs(interval->high)});
    range = fmt::format("{} to {} {}", number_text(100 * least, 2), percent_text(most, 2),
                        change < 0 ? "faster" : "slower");
  }
  const std::string below = fmt::format("{}: {}", confidence_text(projection.confidence), range);
  if (interval->low <= 0 && interval->high >= 0)
    return {"",
            fmt::format("No difference is shown between {} and {}: {}", difference.who->name, projection.baseline,
                        change_text(change)),
            below};
  return {"", difference_text(difference.who->name, projection.baseline, difference.speedup->metric, change), below};
}

/// The check that decides what a page says first: a failed one, else an inconclusive one, else the first.
const project::Check& first_to_tell(const project::Gates& gates) {
  const auto failed = std::ranges::find_if(
      gates.checks, [&](const project::Check& check) { return !project::passes(check, gates.inconclusive_fails); });
  if (failed != gates.checks.end()) return *failed;
  const auto open = std::ranges::find_if(
      gates.checks, [](const project::Check& check) { return check.verdict != project::Verdict::pass; });
  return open == gates.checks.end() ? gates.checks.front() : *open;
}

/// "bins with 8 points has the smallest error: 1.8 % (RMS)".
std::string smallest_error_text(const evaluate::Evaluation& evaluation) {
  const auto best = std::ranges::min_element(evaluation.methods, {}, &evaluate::MethodScore::geomean_error);
  if (best == evaluation.methods.end()) return "No method was evaluated";
  return fmt::format("{} with {} has the smallest error: {} (RMS)", best->name, counted(best->points, "point"),
                     percent_text(best->geomean_error, 2));
}

/// "8 points stand for 446 batches".
std::string points_text(const report::Report& report) {
  const std::size_t points = report.source.selection->points.size();
  return counted(points, "point") + (points == 1 ? " stands for " : " stand for ") +
         counted(report.source.run->iterations, "batch");
}

/// The verdict of the limits.
Answer answer_of(const project::Gates& gates) {
  const project::Check& check = first_to_tell(gates);
  const bool passes = project::passes(check, gates.inconclusive_fails);
  const std::string hint = check.verdict == project::Verdict::pass ? "" : hint_of(check);
  if (check.verdict == project::Verdict::inconclusive)
    return {"INCONCLUSIVE", message_of(check) + (passes ? "" : "; --on-inconclusive fail"), hint};
  return {!passes                                   ? "FAIL"
          : check.verdict == project::Verdict::pass ? "PASS"
                                                    : "INCONCLUSIVE",
          message_of(check), hint};
}

/// The finding of a projection without limits.
Answer answer_of_projection(const report::Report& report) {
  const project::Projection& projection = *report.source.projection;
  if (only_configuration(report) == nullptr)
    if (const Difference largest = largest_difference(projection); largest.who != nullptr)
      return answer_of(largest, projection);
  const project::ConfigurationProjection& first = projection.configurations.front();
  const std::string whose = projection.configurations.size() > 1 ? first.name + ": " : "";
  return {"", whose + total_text(report, first), interval_text(report, first)};
}

/// Adds a sentence to the text.
void add_sentence(std::string& text, const std::string& sentence) {
  if (!sentence.empty()) text += (text.empty() ? "" : ". ") + sentence;
}

/// Adds what limits the finding: points that are missing, the kind of time; the total, if a verdict is the finding.
void add_caveats(Answer& answer, const report::Report& report) {
  const project::Projection& projection = *report.source.projection;
  const auto* const only = only_configuration(report);
  if (only != nullptr && !answer.verdict.empty())
    add_sentence(answer.below, total_text(report, *only) + ", " + interval_text(report, *only));
  for (const project::ConfigurationProjection& c : projection.configurations)
    if (!c.missing_points.empty()) add_sentence(answer.below, c.name + " was not measured at every point");
  if (!projection.time_source.empty()) add_sentence(answer.below, "Times are of the kind " + projection.time_source);
}

}  // namespace

Answer answer_of(const report::Report& report) {
  const report::ReportSource& source = report.source;
  const bool has_limits = source.gates != nullptr && !source.gates->checks.empty();
  if (source.evaluation != nullptr)
    return has_limits ? answer_of(*source.gates)
                      : Answer{"", smallest_error_text(*source.evaluation),
                               fmt::format("{} of points, compared with {} that were all measured",
                                           counted(source.evaluation->methods.size(), "choice"),
                                           counted(source.evaluation->iterations, "batch"))};
  if (source.projection == nullptr) return {"", points_text(report), "Nothing is measured yet"};
  Answer answer = has_limits ? answer_of(*source.gates) : answer_of_projection(report);
  add_caveats(answer, report);
  return answer;
}

}  // namespace seqpoint::io::views::html
