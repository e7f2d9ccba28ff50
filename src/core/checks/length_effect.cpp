#include "core/checks/length_effect.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

#include "core/averages.hpp"
#include "core/checks/stratified_ranks.hpp"

namespace seqpoint::checks {
namespace {

/// Largest over smallest size of a group: within a tenth, any cost is nearly a straight line of the size.
constexpr double kWidestGroup = 1.1;
/// Fewest times of a group: mean and order take two degrees of freedom, and as many are left.
constexpr std::size_t kFewestTimes = 4;
/// Fewest groups: two determine a line, but do not show that cost grows with size.
constexpr std::size_t kFewestGroups = 3;

/// Iterations of nearly one size: logarithms of size and cost, and positions in time.
struct SizeGroup {
  std::vector<double> size, cost, order;
};

/// The times cut into groups from the smallest size on, without those that have few times.
std::vector<SizeGroup> size_groups_of(std::span<const OrderedTime> times) {
  std::vector<std::uint32_t> by_size(times.size());
  std::iota(by_size.begin(), by_size.end(), 0U);
  std::ranges::stable_sort(by_size, {}, [&](std::uint32_t i) { return times[i].size; });
  std::vector<SizeGroup> groups;
  double begin = 0;
  for (const std::uint32_t i : by_size) {
    if (groups.empty() || times[i].size > kWidestGroup * begin) {
      groups.emplace_back();
      begin = times[i].size;
    }
    groups.back().size.push_back(std::log(times[i].size));
    groups.back().cost.push_back(std::log(times[i].seconds));
    groups.back().order.push_back(static_cast<double>(i));
  }
  std::erase_if(groups, [](const SizeGroup& group) { return group.size.size() < kFewestTimes; });
  return groups;
}

/// The slope of the groups' median costs over their mean sizes, by least squares: growth from size to size.
double growth_between(const std::vector<SizeGroup>& groups) {
  double count = 0, mean_size = 0, product = 0, squares = 0;
  for (const SizeGroup& group : groups) {
    const auto n = static_cast<double>(group.size.size());
    count += n;
    mean_size += n * mean(group.size);
  }
  mean_size /= count;
  for (const SizeGroup& group : groups) {
    const double own = static_cast<double>(group.size.size()) * (mean(group.size) - mean_size);
    product += own * median(group.cost);
    squares += own * (mean(group.size) - mean_size);
  }
  return product / squares;
}

/// The groups as strata of cost over size, without the part of cost that grows at this slope. Frees each group once its
/// stratum is made, because there may be millions of times.
std::vector<Stratum> strata_of(std::vector<SizeGroup> groups, double slope) {
  const auto values = [](const std::vector<double>& of) {
    return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(of.data(), static_cast<Eigen::Index>(of.size())));
  };
  std::vector<Stratum> strata;
  for (SizeGroup& kept : groups) {
    const SizeGroup group = std::move(kept);
    if (group.size.front() == group.size.back()) continue;  // of one size
    const Eigen::VectorXd size = values(group.size);
    if (auto stratum = stratum_of(size, values(group.cost) - slope * size, values(group.order)))
      strata.push_back(std::move(*stratum));
  }
  return strata;
}

}  // namespace

std::optional<LengthEffect> missing_length_effect(std::span<const OrderedTime> times) {
  std::vector<SizeGroup> groups = size_groups_of(times);
  if (groups.size() < kFewestGroups) return std::nullopt;
  const double growth = growth_between(groups);
  const double range = groups.back().size.back() - groups.front().size.front();
  if (growth * range < std::log1p(kMinTrend)) return std::nullopt;  // cost hardly depends on size at all
  const std::vector<Stratum> strata = strata_of(std::move(groups), growth / 2);
  const LengthEffect effect{.share = 0.5 + slope_within(strata) / growth,
                            .probability = std::erfc(-rank_score(strata) / std::numbers::sqrt2) / 2};
  if (effect.probability >= kFalseTrends || effect.share >= 0.5) return std::nullopt;
  return effect;
}

}  // namespace seqpoint::checks
