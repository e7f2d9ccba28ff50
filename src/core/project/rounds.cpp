#include "core/project/rounds.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>

#include "core/algebra.hpp"
#include "core/numbers.hpp"

namespace seqpoint::project {
namespace {

/// A part of a batch scatters about three times as much between processes as the whole batch.
constexpr double kPartOverWhole = 3;
/// What parts differ by from part to part, on the logarithm: more than whole batches do.
constexpr double kLeastSpread = 1;
/// The least standard deviation of a part, a share of the run: clocks and what lies between phases.
constexpr double kLeastDeviation = 0.003;
/// The grid of the deviation, in standard deviations of its prior.
constexpr Eigen::Index kSteps = 31;
constexpr double kFarthest = 3;

/// By round, the difference of a part as a share of the run.
std::vector<double> differences_of(const PartByRound& part, double seconds) {
  std::vector<double> differences;
  for (std::size_t r = 0; r < part.before.size(); ++r)
    differences.push_back((part.after[r] - part.before[r]) / seconds);
  return differences;
}

/// The half-width of the interval of their mean; `share`: of the part in the run.
double half_width_of(const std::vector<double>& differences, double share, const select::BetweenProcesses& between,
                     double confidence) {
  const Eigen::ArrayXd x = Eigen::ArrayXd::LinSpaced(kSteps, -kFarthest, kFarthest);
  const double spread = std::max(between.spread, kLeastSpread), rounds = static_cast<double>(differences.size());
  double squares = 0;
  for (const double difference : differences) squares += std::pow(difference - mean(differences), 2);
  const Eigen::ArrayXd deviations = kPartOverWhole * between.median * (spread * x).exp();
  const Eigen::ArrayXd variances = 2 * ((deviations * share).square() + kLeastDeviation * kLeastDeviation);
  Eigen::ArrayXd weights = -0.5 * x.square() - 0.5 * (rounds - 1) * variances.log() - squares / (2 * variances);
  weights = (weights - weights.maxCoeff()).exp();
  return normal_mixture_half_width(weights / weights.sum(), variances / rounds, confidence);
}

bool have_one_sign(const std::vector<double>& differences) {
  const auto positive = std::ranges::count_if(differences, [](double difference) { return difference > 0; });
  return positive == 0 || positive == std::ssize(differences);
}

}  // namespace

std::vector<PartDifference> differences_by_round(std::span<const PartByRound> parts, double seconds,
                                                 const select::BetweenProcesses& between, double confidence,
                                                 bool agree) {
  std::vector<PartDifference> found;
  for (const PartByRound& part : parts) {
    const std::vector<double> differences = differences_of(part, seconds);
    PartDifference& one = found.emplace_back(PartDifference{.change = mean(differences)});
    if (differences.size() < kMinRoundsOfACause) continue;
    const double share = (mean(part.before) + mean(part.after)) / (2 * seconds);
    one.half_width = half_width_of(differences, share, between, within_all(parts.size(), confidence));
    one.is_cause = agree && std::abs(one.change) > *one.half_width && have_one_sign(differences) &&
                   std::abs(one.change) >= kLeastCause;
  }
  return found;
}

double within_all(std::size_t intervals, double confidence) {
  return 1 - (1 - confidence) / static_cast<double>(intervals);
}

}  // namespace seqpoint::project
