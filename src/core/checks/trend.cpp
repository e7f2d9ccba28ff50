#include "core/checks/trend.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "core/findings.hpp"

namespace seqpoint::checks {
namespace {

/// Number of neighbours in size to compare if shapes occur once: enough to separate growth with size from a trend.
constexpr std::size_t kNearSizes = 8;

/// Times that are compared with each other: order and cost minus their means and, if sizes differ, minus their parts
/// proportional to size.
struct Stratum {
  std::vector<std::size_t> members;  ///< positions in the times
  Eigen::VectorXd order, cost;       ///< centred; cost in logarithms
  Eigen::VectorXd slope;             ///< slope of unit length; empty: all are of one shape
};

Eigen::VectorXd centred(const Eigen::VectorXd& values) { return (values.array() - values.mean()).matrix(); }

/// The values minus their mean and, if `slope` is not empty, minus their part along it.
Eigen::VectorXd without_slope(const Eigen::VectorXd& values, const Eigen::VectorXd& slope) {
  Eigen::VectorXd own = centred(values);
  if (slope.size() == 0) return own;
  return own - slope * slope.dot(own);
}

/// The stratum of these members, positions in `times`; without members if order correlates so much with size that the
/// two cannot be separated.
Stratum stratum_of(std::span<const OrderedTime> times, std::vector<std::size_t> members, bool of_one_shape) {
  const auto n = static_cast<Eigen::Index>(members.size());
  Eigen::VectorXd order(n), cost(n), size(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const std::size_t at = members[static_cast<std::size_t>(i)];
    order[i] = static_cast<double>(at) / static_cast<double>(times.size());
    cost[i] = std::log(times[at].seconds);
    size[i] = std::log(times[at].size);
  }
  Stratum stratum{.members = std::move(members), .order = {}, .cost = {}, .slope = {}};
  const Eigen::VectorXd sizes = centred(size);
  if (!of_one_shape && sizes.norm() > 0) stratum.slope = sizes.normalized();
  stratum.order = without_slope(order, stratum.slope);
  stratum.cost = without_slope(cost, stratum.slope);
  // If order correlates fully with size, the two cannot be separated.
  if (stratum.order.squaredNorm() < centred(order).squaredNorm() / 2) stratum.members.clear();
  return stratum;
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
  const auto add = [&](std::vector<std::size_t> members, bool of_one_shape) {
    Stratum stratum = stratum_of(times, std::move(members), of_one_shape);
    if (!stratum.members.empty()) strata.push_back(std::move(stratum));
  };
  for (std::vector<std::size_t>& members : by_shape) {
    if (members.size() > 1)
      add(std::move(members), true);
    else
      single.push_back(members.front());
    if (single.size() == kNearSizes) add(std::exchange(single, {}), false);
  }
  return strata;
}

/// Degrees of freedom that a stratum has left.
double degrees_of(const Stratum& stratum) {
  return static_cast<double>(stratum.members.size()) - (stratum.slope.size() == 0 ? 1 : 2);
}

/// For each stratum the ranks of its costs among all strata's, minus mean and slope; ties get their mean rank.
std::vector<Eigen::VectorXd> ranks_of(const std::vector<Stratum>& strata) {
  std::vector<Eigen::VectorXd> ranks;
  for (const Stratum& stratum : strata) ranks.push_back(stratum.cost);
  std::vector<double*> sorted;
  for (Eigen::VectorXd& own : ranks)
    for (double& cost : own) sorted.push_back(&cost);
  std::ranges::sort(sorted, {}, [](const double* cost) { return *cost; });
  for (auto first = sorted.begin(); first != sorted.end();) {
    const auto last =
        std::find_if(first + 1, sorted.end(), [cost = **first](const double* other) { return *other != cost; });
    const auto rank = static_cast<double>((first - sorted.begin()) + (last - sorted.begin())) / 2;
    for (; first != last; ++first) **first = rank;
  }
  for (std::size_t s = 0; s < strata.size(); ++s) ranks[s] = without_slope(ranks[s], strata[s].slope);
  return ranks;
}

/// Correlation of ranks with the order, in standard deviations, above 0 if costs grow; 0 if there are too few times.
double score_of(const std::vector<Stratum>& strata) {
  const std::vector<Eigen::VectorXd> ranks = ranks_of(strata);
  double sum = 0, variance = 0, degrees = 0;
  for (std::size_t s = 0; s < strata.size(); ++s) {
    const double own = degrees_of(strata[s]);
    sum += strata[s].order.dot(ranks[s]);
    variance += strata[s].order.squaredNorm() * ranks[s].squaredNorm() / own;
    degrees += own;
  }
  return degrees + 1 < static_cast<double>(kMinOrdered) || !(variance > 0) ? 0 : sum / std::sqrt(variance);
}

/// Change of the logarithm of cost from the first to the last, by least squares.
double change_of(const std::vector<Stratum>& strata) {
  double product = 0, squares = 0;
  for (const Stratum& stratum : strata) {
    product += stratum.order.dot(stratum.cost);
    squares += stratum.order.squaredNorm();
  }
  return squares > 0 ? product / squares : 0;
}

/// The probability that a standard normal value is as far from 0.
double two_sided(double score) { return std::erfc(std::abs(score) / std::numbers::sqrt2); }

/// Whether the times at [begin, end) fall, by a one-sided test at the usual one time in twenty.
bool falls(std::span<const OrderedTime> times, std::size_t begin, std::size_t end) {
  constexpr double kOfAHalf = 0.05;
  const double score = score_of(strata_of(times, begin, end));
  return score < 0 && two_sided(score) / 2 < kOfAHalf;
}

}  // namespace

std::optional<Trend> trend_of(std::span<const OrderedTime> times) {
  const std::size_t first = (times.size() + 9) / 10, all = times.size(), middle = (first + all) / 2;
  if (all < first + kMinOrdered) return std::nullopt;
  const std::vector<Stratum> strata = strata_of(times, first, all);
  const double score = score_of(strata);
  const Trend trend{.change = std::expm1(change_of(strata)), .probability = two_sided(score)};
  if (trend.probability >= kFalseTrends || std::abs(trend.change) < kMinTrend) return std::nullopt;
  if (score < 0 && !(falls(times, first, middle) && falls(times, middle, all))) return std::nullopt;
  return trend;
}

Finding finding_about(const Trend& trend, Where place) {
  const bool grows = trend.change > 0;
  return {.kind = findings::kTrend,
          .place = std::move(place),
          .figures = {{"direction", std::string(grows ? "grows" : "falls")},
                      {"change", 100 * std::abs(trend.change)},
                      {"probability", trend.probability},
                      {"earlier", std::string(grows ? "understate" : "overstate")}}};
}

}  // namespace seqpoint::checks
