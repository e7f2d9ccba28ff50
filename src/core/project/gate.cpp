#include "core/project/projection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/numbers.hpp"
#include "core/project/estimate.hpp"
#include "core/project/measured_points.hpp"
#include "core/project/run_estimator.hpp"

namespace seqpoint::project {
namespace {

/// Tolerance for a figure that equals the limit except for rounding.
constexpr double kRoundingOfShares = 1e-9;

/// The metric of that name if it is a total; null otherwise.
const MetricProjection* find_total(const ConfigurationProjection& configuration, const std::string& metric) {
  const MetricProjection* const found = find_metric(configuration, metric);
  return found != nullptr && found->kind == MetricKind::total ? found : nullptr;
}

/// The configuration of that name; null if there is none.
const ConfigurationProjection* find_configuration(const Projection& projection, const std::string& name) {
  const auto found = std::ranges::find(projection.configurations, name, &ConfigurationProjection::name);
  return found == projection.configurations.end() ? nullptr : &*found;
}

/// The growth of the total for a speedup (reference / this one), a share: 1 / 0.8 is 25 % more. Infinite if the speedup
/// is not above zero.
double growth(double speedup) { return speedup > 0 ? 1 / speedup - 1 : std::numeric_limits<double>::infinity(); }

/// The check with its names set; the subject is the configuration.
Check labelled(const std::string& configuration, const std::string& metric, const std::string& reference, Check check) {
  check.subject = configuration;
  check.configuration = configuration;
  check.metric = metric;
  check.reference = reference;
  return check;
}

/// A check without a figure, with its verdict and the reason.
Check undecided(Verdict verdict, double limit, std::string note) {
  Check check;
  check.limit = limit;
  check.verdict = verdict;
  check.note = std::move(note);
  return check;
}

Check unmeasured(double limit, std::string note) { return undecided(Verdict::unmeasured, limit, std::move(note)); }
Check nothing_to_compare(double limit) { return unmeasured(limit, "there is no total to compare"); }
Check unmatched(double limit, std::string note) { return undecided(Verdict::unmatched, limit, std::move(note)); }

/// The check without a verdict if processes disagree.
Check decided_if(bool processes_agree, Check check) {
  if (processes_agree || !check.value) return check;
  check.verdict = Verdict::inconclusive;
  check.note = "processes of a build disagree: measure in more";
  check.detectable = {};
  return check;
}

/// Sets Check::confidence and detectable: the growth that exceeds both the limit and half an interval as wide as this
/// one (logarithms), plus the error that an estimate exceeds one time in five. Unchanged without finite bounds above
/// -1, and at a confidence of 0.5, whose bounds are the figure.
Check with_detectable(Check check, double confidence) {
  check.confidence = confidence;
  constexpr double kPower = 0.8;  // the usual one of a test (Cohen 1988)
  if (confidence == 0.5 || !check.bounds || !(check.bounds->low > -1) || !std::isfinite(*check.value)) return check;
  const double half = std::log((1 + *check.value) / (1 + check.bounds->low));
  const double of_power = half * normal_quantile(kPower) / normal_quantile(confidence);
  check.detectable = std::exp(std::max(std::log1p(check.limit), half) + of_power) - 1;
  return check;
}

/// Checks a total of a configuration by its speedup over the baseline; unmeasured without a speedup.
Check against_baseline(const ConfigurationProjection& configuration, const std::string& metric, double limit,
                       double confidence) {
  for (const Speedup& speedup : configuration.speedups)
    if (speedup.metric == metric)
      return decided_if(speedup.processes_agree,
                        with_detectable(check_speedup(speedup.value, speedup.interval, limit), confidence));
  if (find_total(configuration, metric) != nullptr) return unmeasured(limit, "a total is zero: there is no ratio");
  return unmeasured(limit, "the build has no total of this metric");
}

/// Why the ratio of two totals has no interval; empty if it may have one. `then`: the reference.
std::string why_no_interval(const MetricProjection& now, const MetricProjection& then, bool same_confidence) {
  if (!now.interval) return now.interval.reason;
  if (!then.interval) return "the reference has no interval: " + then.interval.reason;
  if (!same_confidence) return "the reference's interval is of another confidence";
  return {};
}

/// Checks a total against the earlier one. `confidence`: of both projections; nothing if theirs differ, in which case
/// it is inconclusive. Unmeasured if a total is zero.
Check against_earlier(const MetricProjection& now, const MetricProjection& then, std::optional<double> confidence,
                      double limit) {
  if (now.value == 0 || then.value == 0) return unmeasured(limit, "a total is zero: there is no ratio");
  const std::string note = why_no_interval(now, then, confidence.has_value());
  if (!note.empty()) return check_speedup(then.value / now.value, note, limit);
  return with_detectable(check_speedup(then.value / now.value, ratio_of(then, now), limit), *confidence);
}

/// Whether the reference compares this metric.
bool wanted(const Reference& reference, const std::string& metric) {
  const auto& only = reference.metrics;
  return only.empty() || std::find(only.begin(), only.end(), metric) != only.end();
}

/// Adds the checks of one configuration: each total of the reference that is wanted(), then as unmatched each total
/// that the reference lacks; one unmeasured check if there are none of either.
void compare(const ConfigurationProjection& now, const ConfigurationProjection& then, const Reference& reference,
             std::optional<double> confidence, double limit, std::vector<Check>& checks) {
  const std::size_t before = checks.size();
  const bool agree = now.processes_agree.value_or(true) && then.processes_agree.value_or(true);
  for (const MetricProjection& metric : then.metrics) {
    if (metric.kind != MetricKind::total || !wanted(reference, metric.name)) continue;
    const MetricProjection* const same = find_total(now, metric.name);
    const Check check = same != nullptr ? against_earlier(*same, metric, confidence, limit)
                                        : unmeasured(limit, "the build has no total of this metric");
    checks.push_back(
        labelled(now.name, metric.name, reference.name, decided_if(agree || !is_total_time(metric), check)));
  }
  for (const MetricProjection& metric : now.metrics)
    if (metric.kind == MetricKind::total && wanted(reference, metric.name) && !find_total(then, metric.name))
      checks.push_back(
          labelled(now.name, metric.name, reference.name, unmatched(limit, "the reference has no such metric")));
  if (checks.size() == before) checks.push_back(labelled(now.name, "", reference.name, nothing_to_compare(limit)));
}

}  // namespace

bool passes(const Check& check, bool inconclusive_fails) {
  if (check.verdict == Verdict::fail || check.verdict == Verdict::unmeasured) return false;
  return check.verdict == Verdict::pass || !inconclusive_fails;
}

bool all_pass(const Gates& gates) {
  return std::ranges::all_of(gates.checks, [&](const Check& check) { return passes(check, gates.inconclusive_fails); });
}

Check check_speedup(double speedup, const IntervalOrReason& interval, double limit) {
  if (!(speedup > 0)) return unmeasured(limit, "the totals are not of one sign: there is no ratio");
  const double above = limit + kRoundingOfShares * (1 + limit);
  Check check;
  check.limit = limit;
  check.value = growth(speedup);
  if (!interval) {
    check.verdict = Verdict::inconclusive;
    check.note = interval.reason;
    return check;
  }
  check.interval = Interval{growth(interval->high), growth(interval->low)};
  check.bounds = Interval{growth(interval.bounds.high), growth(interval.bounds.low)};
  const bool is_regression = check.bounds->low > std::min(limit, 0.0);
  check.verdict = *check.value > above && is_regression ? Verdict::fail
                  : check.bounds->high <= above         ? Verdict::pass
                                                        : Verdict::inconclusive;
  return check;
}

std::vector<Check> check_regressions(const Projection& projection, double limit) {
  std::vector<Check> checks;
  const ConfigurationProjection* const base = find_configuration(projection, projection.baseline);
  for (const ConfigurationProjection& c : projection.configurations) {
    if (&c == base) continue;
    const std::size_t before = checks.size();
    for (const MetricProjection& metric : base->metrics)
      if (metric.kind == MetricKind::total)
        checks.push_back(
            labelled(c.name, metric.name, base->name, against_baseline(c, metric.name, limit, projection.confidence)));
    for (const MetricProjection& metric : c.metrics)
      if (metric.kind == MetricKind::total && find_total(*base, metric.name) == nullptr)
        checks.push_back(
            labelled(c.name, metric.name, base->name, unmatched(limit, "the baseline has no such metric")));
    if (checks.size() == before) checks.push_back(labelled(c.name, "", base->name, nothing_to_compare(limit)));
  }
  return checks;
}

std::vector<Check> check_regressions(const Projection& projection, const Reference& reference, double limit) {
  std::vector<Check> checks;
  std::optional<double> confidence;
  if (projection.confidence == reference.projection.confidence) confidence = projection.confidence;
  for (const ConfigurationProjection& now : projection.configurations) {
    if (const auto* const then = find_configuration(reference.projection, now.name))
      compare(now, *then, reference, confidence, limit, checks);
    else
      checks.push_back(labelled(now.name, "", reference.name, unmatched(limit, "the reference has no such build")));
  }
  for (const ConfigurationProjection& then : reference.projection.configurations)
    if (find_configuration(projection, then.name) == nullptr)
      checks.push_back(labelled(then.name, "", reference.name, unmatched(limit, "only the reference has this build")));
  if (std::ranges::none_of(checks, [](const Check& check) { return check.value.has_value(); }))
    for (Check& check : checks) check.verdict = Verdict::unmeasured;
  return checks;
}

std::vector<Check> check_measured_weight(const Projection& projection, double required) {
  std::vector<Check> checks;
  for (const ConfigurationProjection& c : projection.configurations) {
    Check check;
    check.gate = Gate::require_weight;
    check.limit = required;
    check.value = c.measured_weight;
    check.verdict = c.measured_weight < required ? Verdict::fail : Verdict::pass;
    checks.push_back(labelled(c.name, "", "", std::move(check)));
  }
  return checks;
}

std::optional<Interval> ratio_interval(double above, const Interval& of_above, double below, const Interval& of_below) {
  if (!(of_above.low > 0) || !(of_below.low > 0)) return std::nullopt;
  const double down = std::hypot(std::log(above / of_above.low), std::log(of_below.high / below));
  const double up = std::hypot(std::log(of_above.high / above), std::log(below / of_below.low));
  return Interval{above / below * std::exp(-down), above / below * std::exp(up)};
}

IntervalOrReason ratio_of(const MetricProjection& above, const MetricProjection& below) {
  if (!above.interval || !below.interval) return NoInterval::no_ratio;
  const auto both = ratio_interval(above.value, *above.interval, below.value, *below.interval),
             bounds = ratio_interval(above.value, above.interval.bounds, below.value, below.interval.bounds);
  if (!both || !bounds) return std::string("an interval reaches down to zero");
  IntervalOrReason ratio = *both;
  ratio.bounds = *bounds;
  return ratio;
}

double relative_half_width(double value, const IntervalOrReason& interval) {
  if (!interval) return std::numeric_limits<double>::infinity();
  return std::max(interval->high - value, value - interval->low) / std::abs(value);
}

// --- Processes that would decide an inconclusive check

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
