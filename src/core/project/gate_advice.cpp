// What would decide a check that is inconclusive.
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/project/configuration_projector.hpp"
#include "core/project/further_measurements.hpp"
#include "seqpoint/project/gate.hpp"

namespace seqpoint::project {
namespace {

class Adviser {
 public:
  Adviser(const Projection& projection, const select::Selection& selection, const trace::RunSummary* other,
          std::span<const NamedMeasurements> configurations, const ProjectParams& params)
      : projection_(projection),
        selection_(selection),
        configurations_(configurations),
        robust_(params.robust),
        estimator_(selection, other, params.confidence) {}

  /// The whole interval is of measurements that can be repeated.
  std::optional<std::uint64_t> against_baseline(const Check& check) const {
    const auto now = measured(check.configuration, check.metric), base = measured(check.reference, check.metric);
    if (!now || !base) return std::nullopt;
    const MeasurementCounts counts =
        smaller_counts(measured_in_both(*now, *base).counts, measured_in_both(*base, *now).counts);
    return until(counts, std::pow(distance(check) / half_width(check), 2));
  }

  /// The part of the earlier projection stays as it is.
  std::optional<std::uint64_t> against_earlier(const Check& check) const {
    const auto now = measured(check.configuration, check.metric);
    const std::optional<double> own = own_half_width(check);
    if (!now || !own) return std::nullopt;
    const double earlier = std::pow(half_width(check), 2) - *own * *own;
    return until(now->counts, (std::pow(distance(check), 2) - earlier) / (*own * *own));
  }

 private:
  static bool is_above(const Check& check) { return *check.value > check.limit; }
  /// From the figure to the limit, and to the end of the interval beyond it; on the logarithm.
  static double distance(const Check& check) { return std::abs(std::log((1 + *check.value) / (1 + check.limit))); }
  static double half_width(const Check& check) {
    return is_above(check) ? std::log((1 + *check.value) / (1 + check.interval->low))
                           : std::log((1 + check.interval->high) / (1 + *check.value));
  }
  std::optional<double> own_half_width(const Check& check) const {
    for (const ConfigurationProjection& c : projection_.configurations)
      for (const MetricProjection& metric : c.metrics)
        if (c.name == check.configuration && metric.name == check.metric && metric.interval)
          return is_above(check) ? std::log(metric.value / metric.interval->low)
                                 : std::log(metric.interval->high / metric.value);
    return std::nullopt;
  }

  std::optional<MeasuredPoints> measured(const std::string& configuration, const std::string& metric) const {
    for (const NamedMeasurements& c : configurations_)
      for (std::size_t m = 0; m < c.measurements.metrics.size(); ++m)
        if (c.name == configuration && c.measurements.metrics[m] == metric)
          return measured_points(c.measurements, m, robust_);
    return std::nullopt;
  }

  /// Until the variance is `share` of what it is.
  std::optional<std::uint64_t> until(const MeasurementCounts& counts, double share) const {
    if (counts.points.empty() || !(share > 0)) return std::nullopt;
    const RunEstimator::Fit fit = estimator_.fit(counts);
    if (!fit.no_interval_reason.empty()) return std::nullopt;
    return measurements_until(selection_, estimator_, fit, counts, share);
  }

  const Projection& projection_;
  const select::Selection& selection_;
  std::span<const NamedMeasurements> configurations_;
  bool robust_;
  RunEstimator estimator_;
};

bool is_undecided(const Check& check) {
  return check.gate == Gate::max_regression && check.verdict == Verdict::inconclusive && check.interval &&
         check.interval->low > -1;
}

}  // namespace

void add_advice(std::vector<Check>& checks, const Projection& projection, bool against_earlier,
                const select::Selection& selection, const trace::RunSummary* other,
                std::span<const NamedMeasurements> configurations, const ProjectParams& params) {
  require_valid(selection, configurations);
  if (std::ranges::none_of(checks, is_undecided)) return;
  const Adviser adviser(projection, selection, other, configurations, params);
  for (Check& check : checks)
    if (is_undecided(check))
      check.more_measurements = against_earlier ? adviser.against_earlier(check) : adviser.against_baseline(check);
}

}  // namespace seqpoint::project
