#include "core/checks/trend.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "core/checks/stratified_ranks.hpp"
#include "core/findings.hpp"

namespace seqpoint::checks {
namespace {

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
  return checks::stratum_of(order, cost, of_one_shape ? Eigen::VectorXd() : size);
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
      .kind = findings::kDrift,
      .place = std::move(place),
      .figures = {{"change", trend.change}, {"earlier", std::string(trend.change > 0 ? "understate" : "overstate")}},
      .part = std::move(part)};
}

}  // namespace seqpoint::checks
