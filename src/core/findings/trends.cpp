
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include "core/findings.hpp"
#include "core/findings/rules.hpp"
#include "core/numbers.hpp"

namespace seqpoint::findings {
namespace {

// --- Rank correlation within strata: values are compared only with those of similar iterations

/// Values that are compared with each other: both centred and, if there is a confounder, minus their parts along it.
struct Stratum {
  Eigen::VectorXd x, y;
  Eigen::VectorXd confounder;  ///< of unit length; empty: none
};

/// Fewer values cannot show a correlation at a level of one in a thousand.
constexpr std::size_t kMinRanked = 10;

Eigen::VectorXd centred(const Eigen::VectorXd& values) { return (values.array() - values.mean()).matrix(); }

/// The values minus their mean and, if `slope` is not empty, minus their part along it.
Eigen::VectorXd without_slope(const Eigen::VectorXd& values, const Eigen::VectorXd& slope) {
  Eigen::VectorXd own = centred(values);
  if (slope.size() == 0) return own;
  return own - slope * slope.dot(own);
}

/// Degrees of freedom that a stratum has left.
double degrees_of(const Stratum& stratum) {
  return static_cast<double>(stratum.y.size()) - (stratum.confounder.size() == 0 ? 1 : 2);
}

/// For each stratum the ranks of its y among all strata's, minus mean and part along the confounder; ties get their
/// mean rank.
std::vector<Eigen::VectorXd> ranks_of(const std::vector<Stratum>& strata) {
  std::vector<Eigen::VectorXd> ranks;
  for (const Stratum& stratum : strata) ranks.push_back(stratum.y);
  std::size_t count = 0;
  for (const Stratum& stratum : strata) count += static_cast<std::size_t>(stratum.y.size());
  std::vector<double*> sorted;
  sorted.reserve(count);
  for (Eigen::VectorXd& own : ranks)
    for (double& value : own) sorted.push_back(&value);
  std::ranges::sort(sorted, {}, [](const double* value) { return *value; });
  for (auto first = sorted.begin(); first != sorted.end();) {
    const auto last =
        std::find_if(first + 1, sorted.end(), [value = **first](const double* other) { return *other != value; });
    const auto rank = static_cast<double>((first - sorted.begin()) + (last - sorted.begin())) / 2;
    for (; first != last; ++first) **first = rank;
  }
  for (std::size_t s = 0; s < strata.size(); ++s) ranks[s] = without_slope(ranks[s], strata[s].confounder);
  return ranks;
}

/// The stratum of these values; nothing if x correlates so much with the confounder that the two cannot be separated.
/// `confounder`: not constant; empty: none.
std::optional<Stratum> stratum_of(const Eigen::VectorXd& x, const Eigen::VectorXd& y,
                                  const Eigen::VectorXd& confounder) {
  Stratum stratum;
  if (confounder.size() > 0) stratum.confounder = centred(confounder).stableNormalized();
  stratum.x = without_slope(x, stratum.confounder);
  stratum.y = without_slope(y, stratum.confounder);
  if (stratum.x.squaredNorm() < centred(x).squaredNorm() / 2) return std::nullopt;
  return stratum;
}

/// The ranks of y among all strata's, correlated with x within the strata (Spearman 1904; within strata van Elteren
/// 1960), in standard deviations: over all orders within the strata this is nearly normal. Above 0 if y grows with x; 0
/// if there are fewer than kMinRanked values.
double rank_score(const std::vector<Stratum>& strata) {
  const std::vector<Eigen::VectorXd> ranks = ranks_of(strata);
  double sum = 0, variance = 0, degrees = 0;
  for (std::size_t s = 0; s < strata.size(); ++s) {
    const double own = degrees_of(strata[s]);
    sum += strata[s].x.dot(ranks[s]);
    variance += strata[s].x.squaredNorm() * ranks[s].squaredNorm() / own;
    degrees += own;
  }
  return degrees + 1 < static_cast<double>(kMinRanked) || !(variance > 0) ? 0 : sum / std::sqrt(variance);
}

/// The slope of y over x within the strata, by least squares; 0 if x does not vary.
double slope_within(const std::vector<Stratum>& strata) {
  double product = 0, squares = 0;
  for (const Stratum& stratum : strata) {
    product += stratum.x.dot(stratum.y);
    squares += stratum.x.squaredNorm();
  }
  return squares > 0 ? product / squares : 0;
}

// --- Costs that grow or fall during a run, independent of its lengths

/// Number of neighbours in size to compare if shapes occur once: enough to separate growth with size from a trend.
constexpr std::size_t kNearSizes = 8;

/// The stratum of these members, positions in `times`; nothing if order and size cannot be separated.
std::optional<Stratum> stratum_of(std::span<const OrderedTime> times, const std::vector<std::size_t>& members,
                                  bool of_one_shape) {
  const auto n = static_cast<Eigen::Index>(members.size());
  Eigen::VectorXd order(n), cost(n), size(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const std::size_t at = members[static_cast<std::size_t>(i)];
    order[i] = static_cast<double>(at) / static_cast<double>(times.size());
    cost[i] = std::log(times[at].seconds);
    size[i] = std::log(times[at].size);
  }
  return stratum_of(order, cost, of_one_shape ? Eigen::VectorXd() : size);
}

/// Strata of the times at [begin, end): each shape that occurs again by itself, and every kNearSizes other iterations
/// that are next to each other in size. Fewer that are left over are not compared.
std::vector<Stratum> strata_of(std::span<const OrderedTime> times, std::size_t begin, std::size_t end) {
  std::vector<std::vector<std::size_t>> by_shape;
  for (std::size_t i = begin; i < end; ++i) {
    if (times[i].shape >= by_shape.size()) by_shape.resize(times[i].shape + 1);
    by_shape[times[i].shape].push_back(i);
  }
  std::erase_if(by_shape, [](const auto& members) { return members.empty(); });
  std::ranges::stable_sort(by_shape, {}, [&](const auto& members) { return times[members.front()].size; });
  std::vector<Stratum> strata;
  std::vector<std::size_t> single;
  const auto add = [&](const std::vector<std::size_t>& members, bool of_one_shape) {
    if (auto stratum = stratum_of(times, members, of_one_shape)) strata.push_back(std::move(*stratum));
  };
  for (const std::vector<std::size_t>& members : by_shape) {
    if (members.size() > 1)
      add(members, true);
    else
      single.push_back(members.front());
    if (single.size() == kNearSizes) add(std::exchange(single, {}), false);
  }
  return strata;
}

/// The probability that a standard normal value is as far from 0.
double two_sided(double score) { return std::erfc(std::abs(score) / std::numbers::sqrt2); }

/// Whether the times at [begin, end) fall, by a one-sided test at the usual one time in twenty.
bool falls(std::span<const OrderedTime> times, std::size_t begin, std::size_t end) {
  constexpr double kOfAHalf = 0.05;
  const double score = rank_score(strata_of(times, begin, end));
  return score < 0 && two_sided(score) / 2 < kOfAHalf;
}

}  // namespace

std::optional<Trend> trend_of(std::span<const OrderedTime> times) {
  const std::size_t first = (times.size() + 9) / 10, all = times.size(), middle = (first + all) / 2;
  if (all < first + kMinRanked) return std::nullopt;
  const std::vector<Stratum> strata = strata_of(times, first, all);
  const double score = rank_score(strata);
  const Trend trend{.change = std::expm1(slope_within(strata)), .probability = two_sided(score)};
  if (trend.probability >= kFalseTrends || std::abs(trend.change) < kMinTrend) return std::nullopt;
  if (score < 0 && !(falls(times, first, middle) && falls(times, middle, all))) return std::nullopt;
  return trend;
}

Finding finding_about(const Trend& trend, Where place) {
  std::string part = place.line > 0 ? "process from here" : "";
  return {
      .kind = kDrift,
      .place = std::move(place),
      .figures = {{"change", trend.change}, {"earlier", std::string(trend.change > 0 ? "understate" : "overstate")}},
      .part = std::move(part)};
}

// --- Times at the points in their order

namespace {

Where place_of(const profile::RowReading& reading, const std::string& metric) {
  return {reading.file->source, reading.row->line, metric};
}

/// The times above 0 of each point in each process, in their order.
std::vector<std::vector<double>> times_by_process(std::span<const profile::RowReading> readings) {
  const std::vector<std::size_t> processes = profile::processes_of(readings);
  std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> times;
  for (std::size_t i = 0; i < readings.size(); ++i)
    if (readings[i].value > 0) times[{processes[i], readings[i].point}].push_back(readings[i].value);
  std::vector<std::vector<double>> all;
  for (auto& [of, own] : times) all.push_back(std::move(own));
  return all;
}

}  // namespace

std::optional<Finding> slow_start_of(std::span<const profile::RowReading> readings, const std::string& metric) {
  double chance = 1;
  std::vector<double> ratios;
  for (std::vector<double>& times : times_by_process(readings)) {
    if (times.size() < 2) continue;
    const double first = times.front();
    chance /= static_cast<double>(times.size());
    times.erase(times.begin());
    if (first <= *std::ranges::max_element(times)) return std::nullopt;
    ratios.push_back(first / median(std::move(times)));
  }
  if (chance >= kFalseTrends) return std::nullopt;
  const double change = median(std::move(ratios)) - 1;
  if (change < kMinTrend) return std::nullopt;
  return Finding{.kind = kSlowStart, .place = place_of(readings.front(), metric), .figures = {{"change", change}}};
}

std::optional<Finding> steady_growth_of(std::span<const profile::RowReading> readings, const std::string& metric) {
  Trend growth{.change = 0, .probability = 1};
  std::vector<double> ratios;
  for (const std::vector<double>& times : times_by_process(readings)) {
    if (std::ranges::adjacent_find(times, std::greater_equal{}) != times.end()) return std::nullopt;
    for (std::size_t i = 2; i <= times.size(); ++i) growth.probability /= static_cast<double>(i);
    if (times.size() > 1) ratios.push_back(times.back() / times.front());
  }
  if (growth.probability >= kFalseTrends) return std::nullopt;
  growth.change = median(std::move(ratios)) - 1;
  if (growth.change < kMinTrend) return std::nullopt;
  return finding_about(growth, place_of(readings.front(), metric));
}

}  // namespace seqpoint::findings
