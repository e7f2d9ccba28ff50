#include "core/checks/stratified_ranks.hpp"

#include <algorithm>
#include <cmath>

namespace seqpoint::checks {
namespace {

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

}  // namespace

std::optional<Stratum> stratum_of(const Eigen::VectorXd& x, const Eigen::VectorXd& y,
                                  const Eigen::VectorXd& confounder) {
  Stratum stratum;
  if (confounder.size() > 0) stratum.confounder = centred(confounder).stableNormalized();
  stratum.x = without_slope(x, stratum.confounder);
  stratum.y = without_slope(y, stratum.confounder);
  if (stratum.x.squaredNorm() < centred(x).squaredNorm() / 2) return std::nullopt;
  return stratum;
}

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

double slope_within(const std::vector<Stratum>& strata) {
  double product = 0, squares = 0;
  for (const Stratum& stratum : strata) {
    product += stratum.x.dot(stratum.y);
    squares += stratum.x.squaredNorm();
  }
  return squares > 0 ? product / squares : 0;
}

}  // namespace seqpoint::checks
