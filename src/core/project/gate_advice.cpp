// Processes that would decide an inconclusive check.
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/project/estimate.hpp"
#include "core/project/measured_points.hpp"
#include "core/project/process_levels.hpp"
#include "core/project/projection.hpp"
#include "core/project/run_estimator.hpp"

namespace seqpoint::project {
namespace {

/// Finds the number of additional processes that would decide an inconclusive check, assuming the same figure.
class Adviser {
 public:
  Adviser(const Projection& projection, const select::Selection& selection, const trace::RunSummary* other,
          std::span<const NamedMeasurements> configurations, const ProjectParams& params)
      : projection_(projection), configurations_(configurations), params_(params), estimator_(selection, other) {}

  /// Both configurations can be measured again, which can lower the whole variance of their ratio.
  void advise_against_baseline(Check& check) const {
    const auto now = measured(check.configuration, check.metric), base = measured(check.reference, check.metric);
    if (!now || !base) return;
    const MeasuredPoints here = measured_in_both(*now, *base);
    Width width = width_of(here);
    width.measured *= 2;
    width.processes += width_of(*base).processes;
    width.rest -= width.of_run;
    const double share = std::pow(distance(check) / half_width(check), 2);
    advise(check, here, width, share);
    check.widest = width.widest();
  }

  /// Only the new configuration can be measured again: the variance of the earlier projection is constant.
  void advise_against_earlier(Check& check) const {
    const auto now = measured(check.configuration, check.metric);
    const std::optional<double> own = own_half_width(check);
    if (!now || !own) return;
    const double earlier = std::pow(half_width(check), 2) - *own * *own;
    const Width width = width_of(*now);
    advise(check, *now, width, (std::pow(distance(check), 2) - earlier) / (*own * *own));
    check.widest = earlier > *own * *own ? WidestPart::reference : width.widest();
  }

 private:
  /// Whether the figure is above the limit: the check then needs a narrower interval to fail, else to pass.
  static bool is_above(const Check& check) { return *check.value > check.limit; }
  /// Distance, in logarithms, from the figure to the value that its bound has to clear: the limit if the check would
  /// pass; if it would fail, the limit or 0, whichever is less.
  static double distance(const Check& check) {
    const double cleared = is_above(check) ? std::min(check.limit, 0.0) : check.limit;
    return std::abs(std::log((1 + *check.value) / (1 + cleared)));
  }
  /// Distance, in logarithms, from the figure to the one-sided bound that has to clear the limit.
  static double half_width(const Check& check) {
    return is_above(check) ? std::log((1 + *check.value) / (1 + check.bounds->low))
                           : std::log((1 + check.bounds->high) / (1 + *check.value));
  }
  /// The same distance for the total of the current configuration alone; nothing if it has no interval.
  std::optional<double> own_half_width(const Check& check) const {
    for (const ConfigurationProjection& c : projection_.configurations)
      for (const MetricProjection& metric : c.metrics)
        if (c.name == check.configuration && metric.name == check.metric && metric.interval)
          return is_above(check) ? std::log(metric.value / metric.interval.bounds.low)
                                 : std::log(metric.interval.bounds.high / metric.value);
    return std::nullopt;
  }

  std::optional<MeasuredPoints> compared(std::optional<MeasuredPoints> points) const {
    if (points) points = estimator_.compared(estimator_.fit(points->counts), *points);
    return points;
  }
  /// A configuration's measurements of a metric; nothing if either is missing or no point was measured.
  std::optional<MeasuredPoints> measured(const std::string& configuration, const std::string& metric) const {
    for (const NamedMeasurements& c : configurations_)
      for (std::size_t m = 0; m < c.measurements.metrics.size(); ++m)
        if (c.name == configuration && c.measurements.metrics[m] == metric)
          return compared(measured_points(c.measurements, m, params_.median, params_.between_processes));
    return std::nullopt;
  }

  /// The variance of a total, as shares of its square, so that those of two configurations add up to that of their
  /// ratio; by what reduces it: measurements, processes, or nothing.
  struct Width {
    double measured = 0, processes = 0, rest = 0;
    double of_run = 0;  ///< part of `rest` that is caused by the run's own iterations and process

    WidestPart widest() const { return measured + processes >= rest ? WidestPart::processes : WidestPart::points; }
  };

  /// The parts of the variance of the total from these measurements; all 0 if it has no interval.
  Width width_of(const MeasuredPoints& points) const {
    const RunEstimator::Fit fit = estimator_.fit(points.counts);
    if (fit.no_interval != NoInterval::none) return {};
    const Estimate estimate = estimator_.estimate(fit, points);
    if (!estimate.scales) return {};
    const VarianceParts parts = variance_of(estimate);
    return {.measured = parts.measured,
            .processes = parts.processes,
            .rest = parts.between + parts.missed + parts.own + parts.own_process,
            .of_run = parts.own + parts.own_process};
  }

  /// Sets Check::more_processes to the number that reduces the variance to `share` of its value. Does nothing if that
  /// is impossible, or needs more than kMaxProcesses.
  void advise(Check& check, const MeasuredPoints& points, const Width& width, double share) const {
    const double narrowed = width.measured + width.processes, all = narrowed + width.rest, wanted = (1 - share) * all;
    if (points.counts.points.empty() || !(share > 0) || !(wanted < narrowed)) return;
    const double times = narrowed / (narrowed - wanted);
    const double more = std::ceil((times - 1) * static_cast<double>(processes_of(points)));
    if (more <= kMaxProcesses) check.more_processes = static_cast<std::uint64_t>(more);
  }

  const Projection& projection_;
  std::span<const NamedMeasurements> configurations_;
  const ProjectParams& params_;
  RunEstimator estimator_;
};

/// Whether a regression's check is inconclusive by its interval, whose logarithm is finite.
bool is_undecided(const Check& check) {
  return check.gate == Gate::max_regression && check.verdict == Verdict::inconclusive && check.note.empty() &&
         check.bounds && check.bounds->low > -1;
}

}  // namespace

void add_advice(std::vector<Check>& checks, const Projection& projection, bool against_earlier,
                const select::Selection& selection, const trace::RunSummary* other,
                std::span<const NamedMeasurements> configurations, const ProjectParams& params) {
  if (std::ranges::none_of(checks, is_undecided)) return;
  const Adviser adviser(projection, selection, other, configurations, params);
  for (Check& check : checks)
    if (is_undecided(check))
      against_earlier ? adviser.advise_against_earlier(check) : adviser.advise_against_baseline(check);
}

}  // namespace seqpoint::project
