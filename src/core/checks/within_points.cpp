// Measurements about the level of their point: outliers, slow starts, drift, files that measured the same points.
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <utility>

#include "core/averages.hpp"
#include "core/checks/noise_posterior.hpp"
#include "core/checks/series_readings.hpp"

namespace seqpoint::checks {
namespace {

/// Makes the patterns of all faults within points, in the order of the readings.
class PatternMaker {
 public:
  explicit PatternMaker(const SeriesReadings& series)
      : series_(series), size_(series.readings.size()), first_(first_measurements()) {}

  std::vector<Pattern> all() {
    add_strays();
    add_slow_start();
    add_drifts();
    add_disagreements();
    return std::move(patterns_);
  }

  /// 1 for the first measurement of a point in its process, else 0.
  const Eigen::VectorXd& first() const { return first_; }
  /// 1 for the last measurement of a point in its process, if it is not also the first, else 0.
  Eigen::VectorXd last() const {
    Eigen::VectorXd last = Eigen::VectorXd::Zero(size_);
    std::set<std::pair<std::size_t, std::size_t>> known;
    for (std::size_t i = count(); i-- > 0;)
      last[i] = known.emplace(series_.processes[i], series_.point_of[i]).second ? 1 - first_[i] : 0;
    return last;
  }

 private:
  std::size_t count() const { return series_.readings.size(); }

  /// Whether a reading is the faster of exactly two of its point, the later if both are equal: either may be the
  /// outlier, but noise makes slower.
  bool is_faster_of_two(std::size_t reading) const {
    std::vector<std::size_t> own;
    for (std::size_t i = 0; i < count(); ++i)
      if (series_.point_of[i] == series_.point_of[reading]) own.push_back(i);
    if (own.size() != 2) return false;
    const double first = series_.readings[own[0]].value, second = series_.readings[own[1]].value;
    return reading == (first < second ? own[0] : own[1]);
  }

  /// A pattern for each measurement, except the faster of a point's two.
  void add_strays() {
    for (std::size_t i = 0; i < count(); ++i)
      if (!is_faster_of_two(i)) patterns_.push_back({Fault::stray_measurement, i, Eigen::VectorXd::Unit(size_, i)});
  }

  Eigen::VectorXd first_measurements() const {
    Eigen::VectorXd first = Eigen::VectorXd::Zero(size_);
    std::set<std::pair<std::size_t, std::size_t>> known;
    for (std::size_t i = 0; i < count(); ++i)
      first[i] = known.emplace(series_.processes[i], series_.point_of[i]).second ? 1 : 0;
    return first;
  }

  void add_slow_start() { patterns_.push_back({Fault::slow_start, 0, first_, Amount::above_zero}); }

  /// The drift of each process with two measurements or more: from -1/2 at its first measurement to 1/2 at its last.
  /// Falling cost counts as drift only if it also falls after the first measurements; a fall from these to the others
  /// is a slow start.
  void add_drifts() {
    const std::size_t processes = *std::ranges::max_element(series_.processes) + 1;
    for (std::size_t s = 0; s < processes; ++s) {
      const auto steps = static_cast<double>(std::ranges::count(series_.processes, s) - 1);
      if (steps < 1) continue;
      Eigen::VectorXd along = Eigen::VectorXd::Zero(size_);
      double step = 0;
      for (std::size_t i = 0; i < count(); ++i)
        if (series_.processes[i] == s) along[i] = step++ / steps - 0.5;
      patterns_.push_back({Fault::drift, s, along, Amount::above_zero});
      patterns_.push_back({Fault::drift, s, after_the_first(along, s), Amount::below_zero});
    }
  }

  /// Replaces the pattern's value at the first measurement of every point by the mean of its values at later ones in
  /// the process, so that the first measurement carries no information.
  Eigen::VectorXd after_the_first(Eigen::VectorXd along, std::size_t process) const {
    for (std::size_t i = 0; i < count(); ++i) {
      if (first_[i] == 0 || series_.processes[i] != process) continue;
      double sum = 0, later = 0;
      for (std::size_t j = i + 1; j < count(); ++j) {
        if (series_.processes[j] != process || series_.point_of[j] != series_.point_of[i]) continue;
        sum += along[j];
        ++later;
      }
      if (later > 0) along[i] = sum / later;
    }
    return along;
  }

  void add_disagreements() {
    for (std::size_t g = 0; g < series_.groups.size(); ++g) {
      Eigen::VectorXd has(size_);
      for (std::size_t i = 0; i < count(); ++i) has[i] = series_.groups[g].has[i] ? 1 : 0;
      patterns_.push_back({Fault::disagreement, g, has});
    }
  }

  const SeriesReadings& series_;
  Eigen::Index size_;
  Eigen::VectorXd first_;
  std::vector<Pattern> patterns_;
};

/// The fault of a pattern that was found, with its place: the row of an outlier, the name of a group, the first row of
/// a drifting process, else the first file.
FoundFault finding_of(const SeriesReadings& series, const select::Selection& selection, const Pattern& pattern,
                      double change, double probability) {
  FoundFault finding{.fault = pattern.fault, .change = change, .probability = probability};
  switch (pattern.fault) {
    case Fault::stray_measurement:
      finding.place = series.place_of(pattern.subject);
      finding.point = selection.points[series.readings[pattern.subject].point].id;
      finding.value = series.readings[pattern.subject].value;
      finding.others =
          static_cast<std::size_t>(std::ranges::count(series.point_of, series.point_of[pattern.subject])) - 1;
      break;
    case Fault::disagreement: finding.group = series.groups[pattern.subject].name; break;
    case Fault::drift:
      finding.place = series.place_of(
          static_cast<std::size_t>(std::ranges::find(series.processes, pattern.subject) - series.processes.begin()));
      break;
    case Fault::slow_start:
    case Fault::misplaced:
    case Fault::stray_point: finding.place = {series.readings.front().file->source}; break;
  }
  return finding;
}

/// Standard deviations of the logarithms of measurements about the level of their point, at scale 1. If a point was
/// measured at one iteration only, iterations add no noise.
Eigen::VectorXd deviations_of(const SeriesReadings& series, const select::ModelConstants& constants) {
  Eigen::VectorXd deviations(series.readings.size());
  for (std::size_t i = 0; i < series.readings.size(); ++i)
    deviations[i] = series.iterations[series.point_of[i]] > 1 ? std::sqrt(constants.disturbance_variance(1, 1))
                                                              : constants.measurement;
  return deviations;
}

/// Sum over groups of the products of values and weights, compared with the same sum for the values of each group in
/// any other order (a permutation test). Orders of a few values are enumerated; the sum over many values, or over many
/// groups, is nearly normal. Enumerating takes up to 120 times 8192 steps per group, so at most kMaxGroups times that.
class OrderStatistic {
 public:
  static constexpr std::size_t kMaxGroups = 32;  ///< groups whose orders are enumerated

  /// `reach` > 0: the sum is between -reach and reach in any order. `counts`: whether orders are enumerated.
  OrderStatistic(double reach, bool counts) : counts_(counts), step_(reach / kSteps), shares_(2 * kSteps + 1) {
    shares_[kSteps] = 1;
  }

  /// Adds a group of at least two values, each with its weight.
  void add(const Eigen::VectorXd& values, const Eigen::VectorXd& weights) {
    const Eigen::VectorXd centred = (values.array() - values.mean()).matrix();
    sum_ += steps_of(centred.dot(weights));
    if (!counts_ || values.size() > kMaxCounted)
      variance_ += centred.squaredNorm() * (weights.array() - weights.mean()).matrix().squaredNorm() /
                   static_cast<double>(values.size() - 1);
    else
      count_orders(centred, weights);
  }
  /// The probability that a random order gives a sum as large as the observed one, or larger.
  double probability_above() const { return probability(1); }
  /// The probability that a random order gives a sum as small as the observed one, or smaller.
  double probability_below() const { return probability(-1); }

 private:
  static constexpr std::ptrdiff_t kSteps = 4096;  // much finer than the distance between sums of a few ranks
  static constexpr Eigen::Index kMaxCounted = 5;  // 120 orders

  std::ptrdiff_t steps_of(double amount) const { return std::lround(amount / step_); }

  /// Enumerates all orders of the values, and adds the distribution of their sums.
  void count_orders(const Eigen::VectorXd& values, const Eigen::VectorXd& weights) {
    std::vector<Eigen::Index> order(static_cast<std::size_t>(values.size()));
    std::iota(order.begin(), order.end(), Eigen::Index{0});
    std::map<std::ptrdiff_t, double> own;  // steps, orders
    double orders = 0;
    do {
      ++own[steps_of(values(order).dot(weights))];
      ++orders;
    } while (std::ranges::next_permutation(order).found);
    convolve(own, orders);
  }

  /// Adds a group's distribution (orders by sum) to the distribution of all sums. Sums lie within a small part of
  /// `reach` until the last groups: all else is 0 and stays so.
  void convolve(const std::map<std::ptrdiff_t, double>& own, double orders) {
    const std::ptrdiff_t least = std::max<std::ptrdiff_t>(least_ + own.begin()->first, 0),
                         most = std::min<std::ptrdiff_t>(most_ + own.rbegin()->first, 2 * kSteps);
    std::vector<double> shares(shares_.size());
    for (const auto& [steps, count] : own) {
      const double share = count / orders;
      for (std::ptrdiff_t k = std::max(least_, least - steps); k <= std::min(most_, most - steps); ++k)
        shares[k + steps] += shares_[k] * share;
    }
    shares_ = std::move(shares);
    least_ = least;
    most_ = most;
  }

  /// The probability of a sum at least (`sign` 1) or at most (`sign` -1) the observed one.
  double probability(int sign) const {
    double all = 0;
    for (std::ptrdiff_t k = least_; k <= most_; ++k) {
      if (shares_[k] == 0) continue;
      const auto missing = static_cast<double>(sign * (sum_ - (k - kSteps))) * step_;
      all += shares_[k] * (variance_ > 0 ? std::erfc(missing / std::sqrt(2 * variance_)) / 2 : missing <= 0 ? 1 : 0);
    }
    return all;
  }

  bool counts_;
  double step_;
  std::ptrdiff_t sum_ = 0;                         ///< in steps
  std::vector<double> shares_;                     ///< of the orders that were counted, by their sum: -kSteps to kSteps
  std::ptrdiff_t least_ = kSteps, most_ = kSteps;  ///< outside of them shares are 0
  double variance_ = 0;                            ///< variance of the sums that are nearly normal
};

/// The tests of the deviations of measurements from the level of their point. None of them assumes normal noise: single
/// measurements are sometimes disturbed several times as much as others.
class WithinTests {
 public:
  WithinTests(const SeriesReadings& series, const select::ModelConstants& constants)
      : constants_(constants), own_(series.points.size()) {
    for (std::size_t i = 0; i < series.point_of.size(); ++i) own_[series.point_of[i]].push_back(i);
  }

  /// The PatternTest: for an outlier by its size, for other faults by the order of the measurements.
  double operator()(const Remainder& left, const Pattern& pattern) const {
    return pattern.fault == Fault::stray_measurement ? probability_of_stray(left, pattern)
                                                     : probability_of_order(left, pattern);
  }

  /// The observed noise, from the median difference within points, which is robust against a few outliers: 0.6745
  /// sqrt(2) standard deviations for normal values. As precise as a sum of squares with 0.37 times the degrees of
  /// freedom (Rousseeuw and Croux 1993). Empty if no point was measured twice.
  select::NoiseEvidence evidence(const Remainder& left) const {
    constexpr double kMedianOfNormal = 0.6744897501960817, kEfficiency = 0.37;
    std::vector<double> differences;
    double degrees = 0;
    for (const std::vector<std::size_t>& own : own_) {
      for (std::size_t a = 0; a < own.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
          differences.push_back(std::abs(left.values()[own[a]] - left.values()[own[b]]));
      degrees += static_cast<double>(own.size() - 1);
    }
    if (differences.empty()) return {};
    const double deviation = median(std::move(differences)) / (kMedianOfNormal * std::numbers::sqrt2);
    return {kEfficiency * degrees, kEfficiency * degrees * deviation * deviation};
  }

 private:
  /// Two-sided probability of an outlier as large. A measurement has a scale of its own, which varies like the scale
  /// between machines.
  double probability_of_stray(const Remainder& left, const Pattern& pattern) const {
    const auto [degrees, squares] = evidence(left);
    const NoisePosterior posterior(constants_.noise_spread, {degrees, squares});
    return posterior.probability_beyond(std::abs(left.score(pattern.values).value()), constants_.noise_spread);
  }

  /// Probability of the pattern's amount over all orders of the measurements within each point: without a fault they
  /// could have come in any order. Ranks make it robust (aligned ranks, Hodges and Lehmann 1962): an outlier is not a
  /// pattern.
  double probability_of_order(const Remainder& left, const Pattern& pattern) const {
    const Eigen::VectorXd ranks = ranks_of_excess(left.values()), amounts = left.own_part(pattern.values).value();
    const auto groups = static_cast<std::size_t>(
        std::ranges::count_if(own_, [](const std::vector<std::size_t>& own) { return own.size() > 1; }));
    OrderStatistic amount(ranks.lpNorm<1>() * amounts.lpNorm<Eigen::Infinity>(), groups <= OrderStatistic::kMaxGroups);
    for (const std::vector<std::size_t>& own : own_)
      if (own.size() > 1) amount.add(ranks(own), amounts(own));
    switch (pattern.amount) {
      case Amount::above_zero: return amount.probability_above();
      case Amount::below_zero: return amount.probability_below();
      case Amount::any: break;
    }
    return std::min(1.0, 2 * std::min(amount.probability_above(), amount.probability_below()));
  }

  /// For every measurement, how many of all measurements exceed the fastest of their own point by less; ties count
  /// half, and differences of rounding size are ties. Noise makes slower, so the fastest is nearest to the point's
  /// level.
  Eigen::VectorXd ranks_of_excess(const Eigen::VectorXd& values) const {
    Eigen::VectorXd excess = values, ranks(values.size());
    for (const std::vector<std::size_t>& own : own_) excess(own).array() -= values(own).minCoeff();
    constexpr double kRounding = 1e-9;
    excess = (excess / kRounding).array().round();
    std::vector<double> sorted(excess.begin(), excess.end());
    std::ranges::sort(sorted);
    for (Eigen::Index i = 0; i < excess.size(); ++i) {
      const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), excess[i]);
      ranks[i] = static_cast<double>((first - sorted.begin()) + (last - sorted.begin())) / 2;
    }
    return ranks;
  }

  const select::ModelConstants& constants_;
  std::vector<std::vector<std::size_t>> own_;  ///< the measurements of each point
};

/// The patterns to compute detection limits of: those of `told` except falling costs, and of outliers only the first of
/// each weight, because their limits are equal.
std::vector<const Pattern*> patterns_to_limit(const std::vector<const Pattern*>& told, const Remainder& values) {
  std::vector<const Pattern*> kept;
  std::set<std::int64_t> weights;
  for (const Pattern* const pattern : told) {
    constexpr double kDigits = 1e6;
    if (pattern->amount == Amount::below_zero) continue;
    if (pattern->fault == Fault::stray_measurement &&
        !weights.insert(std::llround(kDigits * values.own_part(pattern->values)->norm())).second)
      continue;
    kept.push_back(pattern);
  }
  return kept;
}

/// Adds the detection limits of the faults within points that were not found, each the largest of its patterns'.
/// Instead adds the fault to `too_few` if a tenfold cost would not be found, and to `no_scatter` if any change would
/// be.
void add_limits(const Remainder& values, const std::vector<Pattern>& patterns, const WithinTests& tests,
                const AlarmLevel& level, WithinPoints& found) {
  constexpr double kLeast = 1e-6;  // times have about six digits
  const double most = std::log(10.0);
  for (const Fault fault : {Fault::stray_measurement, Fault::slow_start, Fault::drift, Fault::disagreement}) {
    if (std::ranges::find(found.findings, fault, &FoundFault::fault) != found.findings.end()) continue;
    std::vector<const Pattern*> told;
    for (const Pattern& pattern : patterns)
      if (pattern.fault == fault && values.own_part(pattern.values)) told.push_back(&pattern);
    if (told.empty()) continue;
    std::optional<double> largest = 0;
    for (const Pattern* const pattern : patterns_to_limit(told, values)) {
      const double of_each = level(fault) / static_cast<double>(told.size());
      const auto least = least_found(values, *pattern, tests, of_each, kLeast, most);
      largest = largest && least ? std::optional(std::max(*largest, *least)) : std::nullopt;
    }
    if (!largest)
      found.too_few.insert(fault);
    else if (*largest > kLeast)
      found.limits.push_back({fault, std::expm1(*largest)});
    else
      found.no_scatter.insert(fault);
  }
}

/// Adds a slow start if the first measurements of points together are slower than noise explains, and a drift if the
/// last ones differ; not if the fault was found already. Permutations of a few measurements are less powerful: under
/// them a round would be as likely as any other, one in three to the power of the points.
void add_rounds(const SeriesReadings& series, const PatternMaker& maker, const Remainder& values,
                const Eigen::VectorXd& deviations, double noise_spread, double level,
                std::vector<FoundFault>& findings) {
  for (const auto& [fault, round] :
       {std::pair(Fault::slow_start, maker.first()), std::pair(Fault::drift, maker.last())}) {
    const Eigen::VectorXd scaled = round.cwiseQuotient(deviations);
    const std::optional<double> score = values.score(scaled);
    if (!score || std::ranges::find(findings, fault, &FoundFault::fault) != findings.end()) continue;
    const double left = std::max(values.squares() - *score * *score, 0.0);
    const NoisePosterior others(noise_spread, {values.degrees() - 1, left});
    double probability = 2 * others.probability_beyond(std::abs(*score));
    if (fault == Fault::slow_start) probability = *score > 0 ? probability / 2 : 1;
    if (probability < level)
      findings.push_back({.fault = fault,
                          .place = series.place_of(0),
                          .change = std::expm1(*score / values.own_part(scaled)->norm()),
                          .probability = probability});
  }
}

}  // namespace

WithinPoints examine_within_points(const SeriesReadings& series, const select::Selection& selection,
                                   const select::ModelConstants& constants, const AlarmLevel& level, Depth depth) {
  WithinPoints found;
  found.logs.resize(series.readings.size());
  for (std::size_t i = 0; i < series.readings.size(); ++i) found.logs[i] = std::log(series.readings[i].value);
  const Eigen::VectorXd deviations = deviations_of(series, constants);
  Remainder values(found.logs.cwiseQuotient(deviations));
  for (std::size_t p = 0; p < series.points.size(); ++p) {
    Eigen::VectorXd own = Eigen::VectorXd::Zero(deviations.size());
    for (std::size_t i = 0; i < series.readings.size(); ++i)
      if (series.point_of[i] == p) own[i] = 1 / deviations[i];
    values.take_out(own);
  }
  PatternMaker maker(series);
  const std::vector<Pattern> patterns = maker.all();
  std::vector<Pattern> scaled = patterns;
  for (Pattern& pattern : scaled) {
    pattern.values = pattern.values.cwiseQuotient(deviations);
    if (values.own_part(pattern.values)) found.seen.insert(pattern.fault);
  }
  const WithinTests tests(series, constants);
  const std::vector<FoundPattern> named =
      depth < Depth::findings ? std::vector<FoundPattern>() : find_patterns(values, scaled, tests, level);
  const Eigen::VectorXd amounts = amounts_of(values, scaled, named);
  const Remainder all = values;
  for (std::size_t f = 0; f < named.size(); ++f) {
    const Pattern& pattern = patterns[named[f].pattern];
    const double amount = amounts[f];
    found.findings.push_back(finding_of(series, selection, pattern, std::expm1(amount), named[f].probability));
    if (pattern.fault == Fault::stray_measurement) found.strays.insert(pattern.subject);
    found.logs -= amount * pattern.values;
    values.take_out(scaled[named[f].pattern].values);
  }
  found.evidence = tests.evidence(values);
  if (depth >= Depth::findings)
    add_rounds(series, maker, all, deviations, constants.noise_spread, level(Fault::misplaced), found.findings);
  if (depth == Depth::limits) add_limits(values, scaled, tests, level, found);
  return found;
}

}  // namespace seqpoint::checks
