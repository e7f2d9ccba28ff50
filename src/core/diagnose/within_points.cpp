// Measurements about the level of their point: strays, slow starts, drift, files that measured the same points.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/averages.hpp"
#include "core/diagnose/series_readings.hpp"

namespace seqpoint::diagnose {
namespace {

class PatternMaker {
 public:
  explicit PatternMaker(const SeriesReadings& series) : series_(series), size_(series.readings.size()) {}

  std::vector<Pattern> all() {
    add_strays();
    add_slow_start();
    add_drifts();
    add_disagreements();
    return std::move(patterns_);
  }

 private:
  std::size_t count() const { return series_.readings.size(); }

  /// Of a point that was measured twice nothing says which of the two strays. What disturbs makes slower.
  bool is_faster_of_two(std::size_t reading) const {
    std::vector<std::size_t> own;
    for (std::size_t i = 0; i < count(); ++i)
      if (series_.point_of[i] == series_.point_of[reading]) own.push_back(i);
    if (own.size() != 2) return false;
    const double first = series_.readings[own[0]].value, second = series_.readings[own[1]].value;
    return reading == (first < second ? own[0] : own[1]);
  }

  void add_strays() {
    for (std::size_t i = 0; i < count(); ++i)
      if (!is_faster_of_two(i)) patterns_.push_back({Fault::stray_measurement, i, Eigen::VectorXd::Unit(size_, i)});
  }

  void add_slow_start() {
    Eigen::VectorXd first = Eigen::VectorXd::Zero(size_);
    std::set<std::pair<std::size_t, std::size_t>> known;
    for (std::size_t i = 0; i < count(); ++i)
      first[i] = known.emplace(series_.sessions[i], series_.point_of[i]).second ? 1 : 0;
    patterns_.push_back({Fault::slow_start, 0, first, true});
  }

  /// Of each session: from -1/2 at its first measurement to 1/2 at its last.
  void add_drifts() {
    const std::size_t sessions = *std::ranges::max_element(series_.sessions) + 1;
    for (std::size_t s = 0; s < sessions; ++s) {
      const auto steps = static_cast<double>(std::ranges::count(series_.sessions, s) - 1);
      if (steps < 1) continue;
      Eigen::VectorXd along = Eigen::VectorXd::Zero(size_);
      double step = 0;
      for (std::size_t i = 0; i < count(); ++i)
        if (series_.sessions[i] == s) along[i] = step++ / steps - 0.5;
      patterns_.push_back({Fault::drift, s, along});
    }
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
  std::vector<Pattern> patterns_;
};

Finding finding_of(const SeriesReadings& series, const select::Selection& selection, const Pattern& pattern,
                   double change, double probability) {
  Finding finding{.fault = pattern.fault, .where = {}, .point = {}, .change = change, .probability = probability};
  switch (pattern.fault) {
    case Fault::stray_measurement:
      finding.where = series.place_of(pattern.subject);
      finding.point = selection.points[series.readings[pattern.subject].point].id;
      finding.value = series.readings[pattern.subject].value;
      finding.others =
          static_cast<std::size_t>(std::ranges::count(series.point_of, series.point_of[pattern.subject])) - 1;
      break;
    case Fault::disagreement: finding.where = series.groups[pattern.subject].name; break;
    case Fault::drift:
      finding.where = series.place_of(
          static_cast<std::size_t>(std::ranges::find(series.sessions, pattern.subject) - series.sessions.begin()));
      break;
    case Fault::slow_start:
    case Fault::stray_point: finding.where = series.readings.front().file->source; break;
  }
  return finding;
}

/// Standard deviations of the measurements about the level of their point, at scale 1.
Eigen::VectorXd deviations_of(const SeriesReadings& series, const select::ModelConstants& constants) {
  Eigen::VectorXd deviations(series.readings.size());
  for (std::size_t i = 0; i < series.readings.size(); ++i)
    deviations[i] = series.iterations[series.point_of[i]] > 1 ? std::sqrt(constants.disturbance_variance(1, 1))
                                                              : constants.measurement;
  return deviations;
}

/// The tests of what is left of the measurements about the level of their point. None of them takes disturbances to be
/// normal: single measurements are now and then disturbed several times as much as others.
class WithinTests {
 public:
  WithinTests(const SeriesReadings& series, const select::ModelConstants& constants)
      : constants_(constants), own_(series.points.size()) {
    for (std::size_t i = 0; i < series.point_of.size(); ++i) own_[series.point_of[i]].push_back(i);
  }

  double operator()(const Remainder& left, const Pattern& pattern) const {
    return pattern.fault == Fault::stray_measurement ? probability_of_stray(left, pattern)
                                                     : probability_of_order(left, pattern);
  }

  /// From the median of the differences within points, which a few strays do not move: 0.6745 sqrt(2) standard
  /// deviations where all is normal. It is as sure as a sum of squares of 0.37 as many degrees of freedom (Rousseeuw
  /// and Croux 1993).
  project::ScaleEvidence evidence(const Remainder& left) const {
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
  /// A measurement has a scale of its own, which differs from that of the others as machines differ from each other.
  double probability_of_stray(const Remainder& left, const Pattern& pattern) const {
    const auto [degrees, squares] = evidence(left);
    const select::ScalePosterior posterior(constants_, degrees, squares);
    const double score = std::abs(left.score(pattern.values).value());
    constexpr double kFarthest = 8, kStep = 0.1;
    double probability = 0, weights = 0;
    for (double x = -kFarthest; x <= kFarthest; x += kStep) {
      const double weight = std::exp(-x * x / 2);
      weights += weight;
      probability += weight * posterior.probability_beyond(score * std::exp(-constants_.scale_spread * x));
    }
    return probability / weights;
  }

  /// Where nothing is wrong, the measurements of a point could as well have come in any other order: the distribution
  /// of the pattern's amount over all orders, which is nearly normal. Values far from the median of their point count
  /// as those at a limit (Huber 1964), so that a stray is no pattern.
  double probability_of_order(const Remainder& left, const Pattern& pattern) const {
    constexpr double kHuber = 1.345;
    const auto [degrees, squares] = evidence(left);
    const double limit = kHuber * std::sqrt(squares / degrees);
    const Eigen::VectorXd amounts = left.own_part(pattern.values).value();
    double sum = 0, variance = 0;
    for (const std::vector<std::size_t>& own : own_) {
      if (own.size() < 2) continue;
      Eigen::ArrayXd values = left.values()(own).array(), x = amounts(own).array();
      values = (values - median({values.begin(), values.end()})).min(limit).max(-limit);
      values -= values.mean();
      x -= x.mean();
      sum += (values * x).sum();
      variance += values.square().sum() * x.square().sum() / static_cast<double>(own.size() - 1);
    }
    if (!(variance > 0)) return 1;
    const double z = sum / std::sqrt(variance);
    return pattern.only_more ? std::erfc(z / std::numbers::sqrt2) / 2 : std::erfc(std::abs(z) / std::numbers::sqrt2);
  }

  const select::ModelConstants& constants_;
  std::vector<std::vector<std::size_t>> own_;  ///< the measurements of each point
};

}  // namespace

WithinPoints examine_within_points(const SeriesReadings& series, const select::Selection& selection,
                                   const select::ModelConstants& constants, double level) {
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
  const std::vector<Pattern> patterns = PatternMaker(series).all();
  std::vector<Pattern> scaled = patterns;
  for (Pattern& pattern : scaled) {
    pattern.values = pattern.values.cwiseQuotient(deviations);
    if (values.own_part(pattern.values)) found.seen.insert(pattern.fault);
  }
  const WithinTests tests(series, constants);
  const std::vector<FoundPattern> named = find_patterns(values, scaled, tests, level);
  const Eigen::VectorXd amounts = amounts_of(values, scaled, named);
  for (std::size_t f = 0; f < named.size(); ++f) {
    const Pattern& pattern = patterns[named[f].pattern];
    const double amount = amounts[f];
    found.findings.push_back(finding_of(series, selection, pattern, std::expm1(amount), named[f].probability));
    if (pattern.fault == Fault::stray_measurement) found.strays.insert(pattern.subject);
    found.logs -= amount * pattern.values;
    values.take_out(scaled[named[f].pattern].values);
  }
  found.evidence = tests.evidence(values);
  return found;
}

}  // namespace seqpoint::diagnose
