#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/averages.hpp"
#include "core/checks/implausible_times.hpp"
#include "core/distributions.hpp"
#include "core/eta/cost_curve.hpp"
#include "core/eta/eta.hpp"
#include "core/project/measured_points.hpp"
#include "core/project/timed_run.hpp"

namespace seqpoint::eta {
namespace {

using Positions = std::vector<std::uint32_t>;  // of iterations in the run

/// A run, and the timed spans from which the rest is predicted.
struct Timed {
  const trace::Trace& run;
  const RunCosts& costs;            ///< the run's
  const std::vector<bool>& is_new;  ///< by position: whether the shape did not occur before
  std::span<const TimedSpan> spans;
  bool by_functions = false;  ///< the value is CostCurve::by_functions(); else it is in proportion to size

  /// The same run with other spans.
  Timed with(std::span<const TimedSpan> others) const { return {run, costs, is_new, others, by_functions}; }
};

/// The positions of all iterations in the spans.
Positions positions_of(std::span<const TimedSpan> spans) {
  Positions positions;
  for (const TimedSpan& span : spans)
    for (std::size_t i = span.begin; i < span.end; ++i) positions.push_back(static_cast<std::uint32_t>(i));
  return positions;
}

/// The shapes at these positions, as a run of their own.
trace::RunSummary summary_of(const trace::Trace& run, const Positions& positions) {
  trace::Trace part;
  part.kind = run.kind;
  for (const std::uint32_t i : positions) part.shapes.push_back(run.shapes[i]);
  return trace::summarise(part);
}

/// The padded tokens at these positions, as select::shape_size() counts them.
double work_of(const trace::Trace& run, const Positions& positions) {
  double work = 0;
  for (const std::uint32_t i : positions) work += select::shape_size(run.shapes[i]);
  return work;
}

double work_of_span(const trace::Trace& run, const TimedSpan& span) {
  double work = 0;
  for (std::size_t i = span.begin; i < span.end; ++i) work += select::shape_size(run.shapes[i]);
  return work;
}

double seconds_of(std::span<const TimedSpan> spans) {
  double sum = 0;
  for (const TimedSpan& span : spans) sum += span.seconds;
  return sum;
}

/// Whether the model can be fitted to the times: at least two spans, each of one iteration with a time above 0.
bool is_one_by_one(const Timed& timed) {
  return timed.spans.size() > 1 && std::ranges::all_of(timed.spans, [](const TimedSpan& span) {
           return span.end == span.begin + 1 && span.seconds > 0;
         });
}

/// The last spans, of one iteration each, with at most select::kMaxFittedPoints different shapes.
std::span<const TimedSpan> latest(const Timed& timed) {
  std::set<trace::Shape> shapes;
  std::size_t n = 0;
  while (n < timed.spans.size()) {
    shapes.insert(timed.run.shapes[timed.spans[timed.spans.size() - 1 - n].begin]);
    if (shapes.size() > select::kMaxFittedPoints) break;
    ++n;
  }
  return timed.spans.last(n);
}

/// Sets the process of each reading to its stretch, from 0: the timed iterations, at `positions`, are cut into
/// stretches of kLastStretch of them. Each stretch has a level, as processes have.
void set_stretches(project::MeasuredPoints& points, const Positions& positions) {
  const double length = kLastStretch * static_cast<double>(positions.size());
  for (std::vector<profile::Reading>& of_point : points.readings)
    for (profile::Reading& reading : of_point) {
      const auto place = std::ranges::lower_bound(positions, reading.iteration.value()) - positions.begin();
      reading.process = static_cast<std::size_t>(static_cast<double>(place) / length);
    }
}

/// The times of spans of one iteration each, by iteration; NaN: none.
std::vector<double> by_iteration(const trace::Trace& run, std::span<const TimedSpan> spans) {
  std::vector<double> seconds(run.size(), std::numeric_limits<double>::quiet_NaN());
  for (const TimedSpan& span : spans) seconds[span.begin] = span.seconds;
  return seconds;
}

/// The total of the iterations at `left` by the model, from latest(), spans of one iteration each. Amounts are in units
/// of the run's mean cost, and shapes that did not occur yet, or not lately, are missing points. The remaining part is
/// one more stretch, with a level of its own.
project::Estimate by_model(const Timed& timed, const Positions& left) {
  const std::span<const TimedSpan> spans = latest(timed);
  auto [selection, named] = project::timed_run(timed.run, by_iteration(timed.run, spans), "");
  const trace::RunSummary rest = summary_of(timed.run, left);
  const project::RunEstimator estimator(selection, &rest);
  project::MeasuredPoints points = *project::measured_points(named.measurements, 0, false);
  named.measurements.readings.clear();  // a million of them take as much memory as all else
  set_stretches(points, positions_of(spans));
  project::RunEstimator::Fit fit = estimator.fit(points.counts);
  fit.no_interval = project::NoInterval::none;  // lengths outside the points follow the prior of amounts
  return estimator.estimate(fit, points);
}

/// The curve through these spans.
CostCurve curve_of(const Timed& timed) {
  CostCurve curve(timed.costs.model());
  for (const TimedSpan& span : timed.spans) curve.add(timed.costs.totals(span.begin, span.end), span.seconds);
  return curve;
}

/// Whether the curve's functions predict at least twice as well as proportion to size: the last four fifths of the
/// spans, each from all spans before it, by the sum of squared errors. Twice, because four predictions by chance often
/// favour one of two methods a little, and the curve errs more where lengths were not seen.
bool functions_predict_better(const Timed& timed) {
  constexpr std::size_t kParts = 5, kFewest = 10;
  constexpr double kTwice = 4;  // of squares
  const std::size_t all = timed.spans.size();
  if (all < kFewest) return false;
  CostCurve curve(timed.costs.model());
  double by_functions = 0, by_size = 0;
  for (std::size_t part = 0; part < kParts; ++part) {
    const std::span<const TimedSpan> spans =
        timed.spans.subspan(all * part / kParts, all * (part + 1) / kParts - all * part / kParts);
    const Totals sum = timed.costs.totals(positions_of(spans));
    const double seconds = seconds_of(spans);
    if (part > 0 && curve.by_size(sum) > 0) {
      by_functions += std::pow(curve.by_functions(sum) - seconds, 2);
      by_size += std::pow(curve.by_size(sum) - seconds, 2);
    }
    for (const TimedSpan& span : spans) curve.add(timed.costs.totals(span.begin, span.end), span.seconds);
  }
  return kTwice * by_functions < by_size;
}

/// The value for these iterations: by the curve's functions, unless they make it negative, or in proportion to size.
double predicted(const Timed& timed, const CostCurve& curve, const Totals& at) {
  const double by_functions = timed.by_functions ? curve.by_functions(at) : 0;
  return by_functions > 0 ? by_functions : curve.by_size(at);
}

/// The root mean square of the prior variation between stretches.
double usual_level() {
  const auto& [usual, spread] = select::kHostBound;
  return usual * std::exp(spread * spread);
}

/// The estimate for the iterations at `left` by the curve. The remaining part has a level of its own.
project::Estimate by_curve(const CostCurve& curve, const Totals& left) {
  const double seconds = curve.by_functions(left);
  const select::ModelConstants constants;
  const select::LevelEvidence no_evidence{};
  project::Estimate estimate{.value = seconds,
                             .unit = seconds,
                             .parts = {.amounts = curve.variance(left) / (seconds * seconds), .own_process = 1}};
  estimate.scales = select::posterior_of_levels(constants, std::span(&no_evidence, 1), select::kHostBound);
  const double two_levels = std::sqrt(2.0) * usual_level();  // of what was timed and of what is left
  estimate.least = curve.least(left) * (1 - 2 * two_levels);
  return estimate;
}

/// If only one batch size was timed, extends the interval: the cost of a batch of another size lies between the cost of
/// a timed batch of its lengths and a cost proportional to its size, of which `seconds` consists. Costs that rise and
/// costs that fall extend one end each. Batches without padding have no size.
void allow_other_batch_sizes(project::Estimate& estimate, const Timed& timed, const Positions& left, double ratio,
                             double seconds) {
  std::set<std::uint32_t> sizes;
  for (const std::uint32_t i : positions_of(timed.spans)) sizes.insert(timed.run.shapes[i].batch_size);
  if (sizes.size() > 1) return;
  double less = 0, more = 0;
  for (const std::uint32_t i : left) {
    const std::uint32_t size = timed.run.shapes[i].batch_size;
    if (size == 0) continue;
    const double change = ratio * work_of(timed.run, {i}) * (static_cast<double>(*sizes.begin()) / size - 1);
    (change > 0 ? more : less) += change;
  }
  estimate.allow(seconds + less);
  estimate.allow(seconds + more);
}

/// Seconds, and an estimate whose interval contains them.
struct SteadyTime {
  double seconds = 0;
  project::Estimate estimate;
};

/// The time of the iterations at `left` if a shape costs the same each time: in proportion to size, or by the curve.
/// The interval is that of the model's projection; of the curve if times cover several iterations or are of a coarse
/// clock, or if the projection has no interval.
SteadyTime steady_time(const Timed& timed, const Positions& left) {
  const CostCurve curve = curve_of(timed);
  const Totals rest = timed.costs.totals(left);
  const double seconds = predicted(timed, curve, rest);
  project::Estimate estimate;
  if (is_one_by_one(timed)) estimate = by_model(timed, left);
  if (!estimate.scales) estimate = by_curve(curve, rest);
  estimate.allow(seconds);
  const double ratio = seconds_of(timed.spans) / work_of(timed.run, positions_of(timed.spans));
  allow_other_batch_sizes(estimate, timed, left, ratio, seconds);
  return {seconds, estimate};
}

/// By position: whether the shape did not occur before, as in Timed::is_new.
std::vector<bool> new_shapes(const trace::Trace& run) {
  std::set<trace::Shape> known;
  std::vector<bool> is_new;
  for (const trace::Shape& shape : run.shapes) is_new.push_back(known.insert(shape).second);
  return is_new;
}

/// Costs of shapes that occurred again, one value per shape, in seconds.
struct Again {
  std::vector<double> more;   ///< first execution minus the mean of the later ones
  std::vector<double> later;  ///< mean of the later ones
};

/// Shapes whose first execution in the run and a later one were both timed, ascending by shape. Spans have one
/// iteration each.
Again shapes_that_came_again(const Timed& timed) {
  std::map<trace::Shape, double> first;
  std::map<trace::Shape, std::vector<double>> later;
  for (const TimedSpan& span : timed.spans) {
    const trace::Shape& shape = timed.run.shapes[span.begin];
    if (timed.is_new[span.begin])
      first[shape] = span.seconds;
    else
      later[shape].push_back(span.seconds);
  }
  Again found;
  for (const auto& [shape, seconds] : first) {
    const auto again = later.find(shape);
    if (again == later.end()) continue;
    found.later.push_back(mean(again->second));
    found.more.push_back(seconds - found.later.back());
  }
  return found;
}

/// Standard deviation of the median of at least two values, for any distribution: two order statistics enclose the
/// median with a known probability, and their distance is that of as many standard deviations of a normal value (R. M.
/// Price, D. G. Bonett: Estimating the variance of the sample median. J. Statistical Computation and Simulation 68,
/// 2001).
double deviation_of_median(std::vector<double> values) {
  std::ranges::sort(values);
  const auto n = static_cast<double>(values.size());
  const auto below = static_cast<std::size_t>(std::max(std::round((n + 1) / 2 - std::sqrt(n)), 1.0));
  double outside = 0;  // the probability that the median is outside of the two
  for (std::size_t i = 0; i < below; ++i) {
    const auto x = static_cast<double>(i);
    outside += 2 * std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) - n * std::log(2.0));
  }
  return (values[values.size() - below] - values[below - 1]) / (2 * normal_quantile(1 - outside / 2));
}

/// The cold-start cost of a shape: the median of the first time minus the mean of later ones. Nothing if iterations
/// were timed together, fewer than two shapes occurred again, or the cost is within its margin of error at this
/// confidence. First executions come early, so the margin includes the prior variation of stretches, which the machine
/// may cause.
std::optional<FirstSeen> first_seen_of(const Timed& timed, const Positions& left, double confidence) {
  if (!is_one_by_one(timed)) return {};
  const Again again = shapes_that_came_again(timed);
  if (again.more.size() < 2) return {};
  const double of_two_levels = std::sqrt(2.0) * usual_level() * mean(again.later);
  FirstSeen found{.seconds_each = median(again.more),
                  .deviation_each = std::hypot(deviation_of_median(again.more), of_two_levels),
                  .compared = again.more.size()};
  if (found.seconds_each <= normal_quantile((1 + confidence) / 2) * found.deviation_each) return {};
  for (const std::uint32_t i : left) found.left += timed.is_new[i] ? 1 : 0;
  return found;
}

/// The spans as if no shape had a cold-start cost: `more_at_first` seconds are subtracted from first executions. Spans
/// that are then not above 0 are left out.
std::vector<TimedSpan> steady_spans(const Timed& timed, double more_at_first) {
  std::vector<TimedSpan> spans;
  for (TimedSpan span : timed.spans) {
    if (timed.is_new[span.begin]) span.seconds -= more_at_first;
    if (span.seconds > 0) spans.push_back(span);
  }
  return spans;
}

/// Whether the cost of known shapes was not observed: iterations were timed one by one, and at most one of them, and
/// fewer than half, has a shape that occurred before.
bool is_all_new(const Timed& timed) {
  const auto known = std::ranges::count_if(timed.spans, [&](const auto& span) { return !timed.is_new[span.begin]; });
  return is_one_by_one(timed) && known < 2 && 2 * known < std::ssize(timed.spans);
}

/// Seconds of the iterations at `left` that are the first of their shape. The cost of the others was not observed, and
/// may be little.
double seconds_of_new(const Timed& timed, const Positions& left) {
  Positions of_new;
  std::ranges::copy_if(left, std::back_inserter(of_new), [&](std::uint32_t i) { return timed.is_new[i]; });
  return predicted(timed, curve_of(timed), timed.costs.totals(of_new));
}

/// The time of the iterations at `left` with an interval of this confidence; 0 if there are none. A cold-start cost is
/// subtracted from the spans first, and added for each shape that is new at `left`. Without it, if no known shape was
/// observed, the interval extends down to seconds_of_new().
Expected expected_of(const Timed& timed, const Positions& left, double confidence) {
  if (left.empty()) return {};
  Expected expected{.first_seen = first_seen_of(timed, left, confidence)};
  const auto& first = expected.first_seen;
  const std::vector<TimedSpan> steady = first ? steady_spans(timed, first->seconds_each) : std::vector<TimedSpan>();
  const std::span<const TimedSpan> spans = first ? steady : timed.spans;
  auto [seconds, estimate] = steady_time(timed.with(spans), left);
  if (first) {
    const auto shapes = static_cast<double>(first->left);
    seconds += shapes * first->seconds_each;
    estimate = estimate.plus(shapes * first->seconds_each, shapes * first->deviation_each);
  }
  estimate.least = std::max(estimate.least, 0.0);
  expected.seconds = seconds;
  expected.interval = *project::interval_of(estimate, confidence);
  if (const double least = seconds_of_new(timed, left);
      !expected.first_seen && is_all_new(timed) && least < expected.interval.low) {
    expected.down_to_new = true;
    estimate.allow(least);
    expected.interval = *project::interval_of(estimate, confidence);
  }
  return expected;
}

/// The last kLastStretch of the spans, rounded up, compared with the 99 % interval from the earlier ones. Nothing if
/// there are fewer than ten, which do not separate a change from noise.
std::optional<Stretch> last_stretch(const Timed& timed) {
  constexpr std::size_t kFewest = 10;
  constexpr double kConfidence = 0.99;
  const std::size_t all = timed.spans.size();
  const auto last = static_cast<std::size_t>(std::ceil(kLastStretch * static_cast<double>(all)));
  if (last < kFewest) return {};
  const Positions recent = positions_of(timed.spans.last(last));
  return Stretch{.iterations = recent.size(),
                 .seconds = seconds_of(timed.spans.last(last)),
                 .expected = expected_of(timed.with(timed.spans.first(all - last)), recent, kConfidence)};
}

/// Number of spans at the beginning of the run, at most ten and a fifth of all, each of which took twice as long as any
/// span after them would for its size (checks::excess()): the start of the process. 0 if iteration 0 was not timed. If
/// they were slow by chance, leaving them out loses nothing that the others do not show.
std::size_t slow_beginning(const trace::Trace& run, std::span<const TimedSpan> spans) {
  constexpr std::size_t kOneIn = 5, kMost = 10;
  constexpr double kSlow = 2;
  if (spans.empty() || spans.front().begin != 0) return 0;
  std::vector<double> sizes;
  for (const TimedSpan& span : spans) sizes.push_back(work_of_span(run, span));
  const auto is_slower = [&](std::size_t i, std::size_t j) {
    return spans[i].seconds > spans[j].seconds &&
           checks::excess(spans[i].seconds / spans[j].seconds, sizes[i] / sizes[j]) >= kSlow;
  };
  const auto begins_after = [&](std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = n; j < spans.size(); ++j)
        if (!is_slower(i, j)) return false;
    return true;
  };
  std::size_t n = std::min(spans.size() / kOneIn, kMost);
  while (n > 0 && !begins_after(n)) --n;
  return n;
}

/// Whether a clock was too coarse for some spans.
bool are_rounded(std::span<const TimedSpan> spans) {
  return std::ranges::any_of(spans, [](const TimedSpan& span) { return span.seconds == 0; });
}

/// Spans of a coarse clock, joined with those that follow until each takes kTicks of the shortest time, which is a
/// tick: the rounding of a difference, a standard deviation of 0.41 ticks, is then a tenth.
std::vector<TimedSpan> without_rounding(std::span<const TimedSpan> spans) {
  constexpr double kTicks = 4;
  double tick = std::numeric_limits<double>::infinity();
  for (const TimedSpan& span : spans)
    if (span.seconds > 0) tick = std::min(tick, span.seconds);
  std::vector<TimedSpan> joined;
  for (const TimedSpan& span : spans) {
    if (!joined.empty() && joined.back().end == span.begin && joined.back().seconds < kTicks * tick) {
      joined.back().end = span.end;
      joined.back().seconds += span.seconds;
    } else {
      joined.push_back(span);
    }
  }
  return joined;
}

}  // namespace

TimeLeft time_left(const trace::Trace& run, std::span<const TimedSpan> all, std::size_t done, double confidence) {
  const std::vector<bool> is_new = new_shapes(run);
  const std::size_t slow_start = slow_beginning(run, all);
  const std::span<const TimedSpan> as_read = all.subspan(slow_start);
  const std::vector<TimedSpan> joined = are_rounded(as_read) ? without_rounding(as_read) : std::vector<TimedSpan>();
  const std::span<const TimedSpan> spans = joined.empty() ? as_read : joined;
  const RunCosts costs(run);
  Timed timed{run, costs, is_new, spans};
  Positions before, left;
  for (std::uint32_t i = 0; i < run.size(); ++i) (i < done ? before : left).push_back(i);
  const std::optional<FirstSeen> first = first_seen_of(timed, left, confidence);
  const std::vector<TimedSpan> steady = first ? steady_spans(timed, first->seconds_each) : std::vector<TimedSpan>();
  timed.by_functions = functions_predict_better(first ? timed.with(steady) : timed);
  const double work = work_of(run, before);
  return {.done = before.size(),
          .timed = positions_of(all).size(),
          .left = left.size(),
          .work_done = work / (work + work_of(run, left)),
          .seconds_done = seconds_of(all),
          .slow_start = slow_start,
          .expected = expected_of(timed, left, confidence),
          .stretch = last_stretch(timed)};
}

}  // namespace seqpoint::eta
