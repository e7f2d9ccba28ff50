#include "core/select/scales.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <utility>

#include "core/algebra.hpp"

namespace seqpoint::select {
namespace {

/// A point of numerical integration.
struct Node {
  double at = 0, width = 0;
};

/// The density of the level of an undisturbed process at `nodes`: the product over the processes of the density of
/// their levels, given that of an undisturbed one.
class LevelDensity {
 public:
  LevelDensity(std::vector<SeenLevel> levels, Tail tail) : levels_(std::move(levels)), tail_(tail) {
    std::vector<SeenLevel> sorted = levels_;
    const auto begin_of = [](const SeenLevel& level) { return level.log - kFar * level.deviation; };
    std::ranges::sort(sorted, {}, begin_of);
    const double length = 1.5 * std::ranges::min(sorted, {}, &SeenLevel::deviation).deviation;
    // Where all were disturbed, the density falls with the distance below the fastest process.
    const double farthest = 20 * kMeanDisturbance / static_cast<double>(sorted.size());
    double end = begin_of(sorted.front());
    add_panels(end - farthest, end, kMeanDisturbance / 2);
    for (const SeenLevel& level : sorted) {
      const double begin = begin_of(level), here = level.log + kFar * level.deviation;
      if (begin > end) add_panels(end, begin, kMeanDisturbance / 2);
      add_panels(std::max(begin, end), here, length);
      end = std::max(end, here);
    }
    if (tail_ == Tail::both) add_panels(end, end + farthest, kMeanDisturbance / 2);
    evaluate();
  }

  LevelMoments moments() const {
    double sum = 0, mean = 0, variance = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      sum += mass_[i];
      mean += mass_[i] * nodes_[i].at;
    }
    mean /= sum;
    for (std::size_t i = 0; i < nodes_.size(); ++i) variance += mass_[i] * std::pow(nodes_[i].at - mean, 2);
    return {ln_highest_ + std::log(sum), mean, variance / sum};
  }

  /// The probability that the process was disturbed.
  double disturbed(std::size_t process) const {
    double sum = 0, disturbed = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (mass_[i] == 0) continue;
      const Distance distance{levels_[process].log - nodes_[i].at, levels_[process].deviation};
      const double off = tails(distance);
      sum += mass_[i];
      disturbed += mass_[i] * off / (off + usual(distance));
    }
    return disturbed / sum;
  }

 private:
  /// How far a process's level is from that of an undisturbed one.
  struct Distance {
    double beyond = 0, deviation = 0;
  };
  /// Distance beyond which a normal density does not count, in standard deviations.
  static constexpr double kFar = 8;
  /// Abscissas and weights of Gauss-Legendre integration with eight nodes, from -1 to 1 (Abramowitz & Stegun, table
  /// 25.4).
  static constexpr std::array<double, 4> kAbscissas{0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                                    0.9602898564975363},
      kWeights{0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};

  /// Adds nodes from `begin` to `end` in panels of at most this length; none if the range is empty.
  void add_panels(double begin, double end, double length) {
    if (!(end > begin)) return;
    const double panels = std::ceil((end - begin) / length), half = (end - begin) / panels / 2;
    for (double panel = 0; panel < panels; ++panel) {
      const double middle = begin + (2 * panel + 1) * half;
      for (std::size_t i = 0; i < kAbscissas.size(); ++i)
        for (const double side : {-1.0, 1.0})
          nodes_.push_back({middle + side * kAbscissas[i] * half, kWeights[i] * half});
    }
  }

  /// The density of an undisturbed process, times their share.
  double usual(Distance distance) const {
    const double z = distance.beyond / distance.deviation;
    const double share = tail_ == Tail::both ? 2 * kDisturbedShare : kDisturbedShare;
    return (1 - share) * std::exp(-0.5 * z * z) / (distance.deviation * std::sqrt(2 * std::numbers::pi));
  }
  /// The density of a disturbed one, times their share.
  double tails(Distance distance) const {
    const double one = slower(distance);
    return tail_ == Tail::both ? one + slower({-distance.beyond, distance.deviation}) : one;
  }
  /// One tail of it: a normal plus an exponential value.
  static double slower(Distance distance) {
    const double ratio = distance.deviation / kMeanDisturbance;
    return kDisturbedShare / (2 * kMeanDisturbance) *
           std::exp(0.5 * ratio * ratio - distance.beyond / kMeanDisturbance) *
           std::erfc((ratio - distance.beyond / distance.deviation) / std::numbers::sqrt2);
  }

  /// Sets the logarithm of the highest density, and the mass at each node over it.
  void evaluate() {
    ln_highest_ = -std::numeric_limits<double>::infinity();
    for (const Node& node : nodes_) {
      double ln = 0;
      for (const SeenLevel& level : levels_) {
        const Distance distance{level.log - node.at, level.deviation};
        ln += std::log(usual(distance) + tails(distance));
      }
      mass_.push_back(ln);
      ln_highest_ = std::max(ln_highest_, ln);
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) mass_[i] = nodes_[i].width * std::exp(mass_[i] - ln_highest_);
  }

  std::vector<SeenLevel> levels_;
  Tail tail_;
  std::vector<Node> nodes_;
  std::vector<double> mass_;
  double ln_highest_ = 0;
};

std::vector<SeenLevel> of_one_deviation(std::span<const double> logs, double deviation) {
  std::vector<SeenLevel> levels;
  for (const double log : logs) levels.push_back({log, deviation});
  return levels;
}

}  // namespace

LevelMoments undisturbed_level(std::span<const double> logs, double deviation, Tail tail) {
  return LevelDensity(of_one_deviation(logs, deviation), tail).moments();
}

LevelMoments level_of(const std::vector<SeenLevel>& levels, Tail tail) {
  const SeenLevel& first = levels.front();
  if (levels.size() == 1) return {.mean = first.log, .variance = first.deviation * first.deviation};
  return LevelDensity(levels, tail).moments();
}

LevelMoments level_of(std::span<const double> logs, double deviation, Tail tail) {
  return level_of(of_one_deviation(logs, deviation), tail);
}

std::vector<double> disturbed_probabilities(const std::vector<SeenLevel>& levels, Tail tail) {
  const LevelDensity density(levels, tail);
  std::vector<double> found;
  for (std::size_t process = 0; process < levels.size(); ++process) found.push_back(density.disturbed(process));
  return found;
}

std::vector<double> disturbed_probabilities(std::span<const double> logs, double deviation, Tail tail) {
  return disturbed_probabilities(of_one_deviation(logs, deviation), tail);
}

double ln_evidence_of_drift(std::span<const double> sums, double deviation) {
  constexpr std::array kTimes{2.0, 4.0, 8.0, 16.0};
  const auto rounds = static_cast<double>(sums.size());
  double mean = 0, squares = 0, density = 0;
  for (const double sum : sums) mean += sum / rounds;
  for (const double sum : sums) squares += (sum - mean) * (sum - mean);
  std::array<double, kTimes.size()> ln{};
  for (std::size_t i = 0; i < kTimes.size(); ++i) {
    const double variance = std::pow(kTimes.at(i) * deviation, 2);
    ln.at(i) = -(rounds - 1) / 2 * std::log(2 * std::numbers::pi * variance) - squares / (2 * variance);
  }
  const double highest = std::ranges::max(ln);
  for (const double one : ln) density += std::exp(one - highest) / static_cast<double>(kTimes.size());
  return highest + std::log(density) - std::log(rounds) / 2;
}

// --- Points and stretches

namespace {

/// A level from two measurements, of which the first, of variance `of_first`, also has the bias of a plan, and the
/// second, at a `distance` from it, has the variance `of_second`. Its mean is the distance from the first.
LevelMoments without_bias(double of_first, double distance, double of_second) {
  constexpr int kSteps = 13;
  constexpr double kFarthest = 3;  // standard deviations of the logarithm of the bias
  std::array<double, kSteps> ln{}, way{};
  double prior = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double at = kFarthest * (2.0 * i / (kSteps - 1) - 1);
    const double first = of_first + std::pow(kPlanBias * std::exp(kPlanBiasSpread * at), 2), both = first + of_second;
    way.at(i) = first / both;  // of the distance
    ln.at(i) = -0.5 * (at * at + std::log(2 * std::numbers::pi * both) + distance * distance / both);
    prior += std::exp(-0.5 * at * at);
  }
  const double highest = std::ranges::max(ln);
  double sum = 0, mean = 0, square = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double weight = std::exp(ln.at(i) - highest);
    sum += weight;
    mean += weight * way.at(i);
    square += weight * way.at(i) * way.at(i);
  }
  mean /= sum;
  square /= sum;
  return {.ln_evidence = highest + std::log(sum / prior),
          .mean = mean * distance,
          .variance = mean * of_second + (square - mean * mean) * distance * distance};
}

}  // namespace

std::vector<double> StretchLevels::levels() const {
  std::vector<double> found(ratios.size());
  std::ranges::transform(points, ratios, found.begin(), std::plus<>());
  return found;
}

LevelMoments without_plan_bias(const LevelMoments& points, const LevelMoments& stretches) {
  const LevelMoments moved = without_bias(points.variance, stretches.mean - points.mean, stretches.variance);
  return {.ln_evidence = points.ln_evidence + stretches.ln_evidence + moved.ln_evidence,
          .mean = points.mean + moved.mean,
          .variance = moved.variance};
}

LevelMoments without_shared_bias(const LevelMoments& points, const LevelMoments& ratios) {
  const LevelMoments moved = without_bias(0, ratios.mean, ratios.variance);
  return {.ln_evidence = points.ln_evidence + ratios.ln_evidence + moved.ln_evidence,
          .mean = points.mean + moved.mean,
          .variance = points.variance + moved.variance};
}

// --- Scales

namespace {

/// The grid: standard deviations of the priors of ln s and ln g, and of ln tau. Finer or wider grids give the same
/// half-widths to a thousandth.
constexpr Eigen::Index kScaleSteps = 25, kTauSteps = 15;
constexpr double kFarthestScale = 3.5, kFarthestTau = 3;
/// Logarithm of the weight of a cell, e^-45 or 3e-20 of the largest, that does not count.
constexpr double kImpossible = 45;
/// Smaller misses of totals are caused by the rounding of weights.
constexpr double kRoundingOfTotals = 1e-8;

/// The first rows of the values of s that costs alone do not make impossible. The others lose their weight. `weight`:
/// logarithms.
std::vector<Eigen::Index> leave_possible_rows(Eigen::ArrayXXd& weight) {
  std::vector<Eigen::Index> rows;
  const double most = weight.maxCoeff();
  for (Eigen::Index first = 0; first < weight.rows(); first += kScaleSteps) {
    auto of_s = weight.middleRows(first, kScaleSteps);
    if (of_s.maxCoeff() >= most - kImpossible)
      rows.push_back(first);
    else
      of_s.setConstant(-std::numeric_limits<double>::infinity());
  }
  return rows;
}

/// Whether each process whose level is known has a stretch.
bool has_all_stretches(const LevelEvidence& levels) {
  return !levels.logs.empty() && levels.stretches.ratios.size() == levels.logs.size();
}

/// A level by two explanations that are equally probable before anything is measured.
LevelMoments either(const LevelMoments& a, const LevelMoments& b) {
  const double highest = std::max(a.ln_evidence, b.ln_evidence);
  const double of_a = std::exp(a.ln_evidence - highest), of_b = std::exp(b.ln_evidence - highest);
  const double share = of_a / (of_a + of_b), apart = a.mean - b.mean;
  return {.ln_evidence = highest + std::log((of_a + of_b) / 2),
          .mean = share * a.mean + (1 - share) * b.mean,
          .variance = share * a.variance + (1 - share) * b.variance + share * (1 - share) * apart * apart};
}

/// The mean of two measurements of a level.
LevelMoments mean_of(const LevelMoments& a, const LevelMoments& b) {
  return {a.ln_evidence + b.ln_evidence, (a.mean + b.mean) / 2, (a.variance + b.variance) / 4};
}

/// The levels of processes that measured side by side.
struct WholeRounds {
  std::vector<double> of_a, of_b, distances, sums;

  /// With `stretches` a level is the mean of that of points and that of the stretch.
  WholeRounds(const LevelEvidence& a, const LevelEvidence& b, bool stretches) {
    const auto level = [&](const LevelEvidence& of, std::size_t i) {
      return of.logs[i] + (stretches ? of.stretches.ratios[i] / 2 : 0);
    };
    for (std::size_t i = 0; i < a.rounds.size() && i < a.logs.size(); ++i) {
      const auto other = static_cast<std::size_t>(std::ranges::find(b.rounds, a.rounds[i]) - b.rounds.begin());
      if (a.rounds[i] == 0 || other >= std::min(b.rounds.size(), b.logs.size())) continue;
      of_a.push_back(level(a, i));
      of_b.push_back(level(b, other));
      distances.push_back(of_a.back() - of_b.back());
      sums.push_back(of_a.back() + of_b.back());
    }
  }
  /// Logarithm of the density of the sums on a machine that drifted, over that of both sides' levels on a steady one.
  /// 2 per round but the first: the distance and the sum of two levels are not scaled as the two are.
  double ln_gain(double deviation_a, double deviation_b) const {
    return static_cast<double>(sums.size() - 1) * std::numbers::ln2 +
           ln_evidence_of_drift(sums, std::hypot(deviation_a, deviation_b)) -
           undisturbed_level(of_a, deviation_a).ln_evidence - undisturbed_level(of_b, deviation_b).ln_evidence;
  }
};

}  // namespace

PointScales::PointScales(const ModelConstants& constants, const Eigen::MatrixXd& misfit,
                         const Eigen::VectorXd& disturbance, const Eigen::MatrixXd& free_functions)
    : constants_(constants) {
  const Eigen::VectorXd inverse_deviation = disturbance.cwiseSqrt().cwiseInverse();
  misfit_ = inverse_deviation.asDiagonal() * misfit * inverse_deviation.asDiagonal();
  free_functions_ = inverse_deviation.asDiagonal() * free_functions;
  const Eigen::MatrixXd left = SplitSpace(free_functions_).complement;
  const SymmetricEigen eigen(left.transpose() * misfit_ * left);
  eigenvalues_ = eigen.values.cwiseMax(0.0);
  basis_ = eigen.vectors.transpose() * left.transpose() * inverse_deviation.asDiagonal();
}

Eigen::VectorXd PointScales::usual_costs() const {
  const Eigen::VectorXd deviations = (eigenvalues_.array() + 1).sqrt();
  return basis_.transpose() * CholeskyFactor(basis_ * basis_.transpose()).solve(deviations);
}

Eigen::ArrayXd PointScales::missed_variances(const Eigen::VectorXd& missed, const Eigen::ArrayXd& s2,
                                             const Eigen::ArrayXd& g2) const {
  Eigen::ArrayXd variances = Eigen::ArrayXd::Zero(s2.size());
  if (missed.size() == 0 || missed.cwiseAbs().maxCoeff() <= kRoundingOfTotals) return variances;
  const SymmetricEigen eigen(misfit_);
  const Eigen::MatrixXd functions = eigen.vectors.transpose() * free_functions_;
  for (Eigen::Index j = 0; j < s2.size(); ++j) {
    const Eigen::VectorXd precision = (g2[j] * eigen.values.array().max(0.0) + s2[j]).inverse();
    const CholeskyFactor amounts(functions.transpose() * precision.asDiagonal() * functions);
    variances[j] = missed.dot(amounts.solve(missed));
  }
  return variances;
}

PointScales::Grid& PointScales::grid(int sides) const {
  std::optional<Grid>& found = grids_.at(static_cast<std::size_t>(sides) - 1);
  if (found) return *found;
  const Eigen::ArrayXd x = Eigen::ArrayXd::LinSpaced(kScaleSteps, -kFarthestScale, kFarthestScale);
  Grid& grid = found.emplace();
  grid.ln_s = grid.ln_g = Eigen::ArrayXd(x.size() * x.size());
  grid.variances.resize(eigenvalues_.size(), grid.ln_s.size());
  for (Eigen::Index j = 0; j < grid.ln_s.size(); ++j) {
    grid.ln_s[j] = constants_.noise_spread * x[j / x.size()];
    grid.ln_g[j] = constants_.misfit_spread * x[j % x.size()];
    const double noise = sides * std::exp(2 * grid.ln_s[j]);
    grid.variances.col(j) = std::exp(2 * grid.ln_g[j]) * eigenvalues_.array() + noise;
  }
  grid.logarithms = grid.variances.log();
  return grid;
}

Eigen::ArrayXd PointScales::deviances(const Eigen::VectorXd& costs, int sides) const {
  const Grid& grid = this->grid(sides);
  Eigen::ArrayXd found(grid.ln_s.size());
  const Eigen::ArrayXd squares = (basis_ * costs).array().square();
  for (Eigen::Index j = 0; j < found.size(); ++j)
    found[j] = (grid.logarithms.col(j) + squares / grid.variances.col(j)).sum();
  return found;
}

const Eigen::ArrayXd& PointScales::missed_on_grid(const Eigen::VectorXd& missed, int sides) const {
  Grid& grid = this->grid(sides);
  const bool is_kept = grid.missed_variances.size() > 0 && grid.missed.size() == missed.size() && grid.missed == missed;
  if (!is_kept) grid.missed_variances = missed_variances(missed, sides * (2 * grid.ln_s).exp(), (2 * grid.ln_g).exp());
  grid.missed = missed;
  return grid.missed_variances;
}

ScalesPosterior::ScalesPosterior(std::shared_ptr<const PointScales> points, const Eigen::VectorXd& costs,
                                 const NoiseEvidence& evidence, std::span<const LevelEvidence> levels,
                                 const BetweenProcesses& between, int sides)
    : points_(std::move(points)), sides_(sides) {
  const PointScales::Grid& grid = points_->grid(sides);
  const Eigen::ArrayXd x = Eigen::ArrayXd::LinSpaced(kScaleSteps, -kFarthestScale, kFarthestScale);
  const Eigen::ArrayXd of_tau = Eigen::ArrayXd::LinSpaced(levels.empty() ? 0 : kTauSteps, -kFarthestTau, kFarthestTau);
  weight_.resize(grid.ln_s.size(), std::max<Eigen::Index>(of_tau.size(), 1));
  ln_s_ = grid.ln_s;
  ln_g_ = grid.ln_g;
  ln_tau_ = std::log(between.median) + between.spread * of_tau;
  const Eigen::ArrayXd deviances = points_->deviances(costs, sides);
  for (Eigen::Index j = 0; j < weight_.rows(); ++j) {
    const double of_s = x[j / x.size()], of_g = x[j % x.size()];
    const double noise = sides * std::exp(2 * ln_s_[j]);
    weight_.row(j).setConstant(-0.5 * (of_s * of_s + of_g * of_g) - 0.5 * deviances[j] - evidence.degrees * ln_s_[j] -
                               0.5 * evidence.squares / noise);
  }
  const bool twice = std::ranges::any_of(levels, [](const auto& side) { return !side.stretches.ratios.empty(); });
  for (Eigen::Index i = 0; i < of_tau.size(); ++i) {
    weight_.col(i) -= 0.5 * of_tau[i] * of_tau[i];
    if (twice && ln_tau_[i] > std::log(kMeanDisturbance)) weight_.col(i) -= kImpossible;  // for those there is the tail
  }
  excess_ = off_ = Eigen::ArrayXXd::Zero(weight_.rows(), weight_.cols());
  set_misfits();
  compares_stretches_ = levels.size() == 2 && std::ranges::all_of(levels, &has_all_stretches);
  uses_stretches_ = levels.size() == 1 || compares_stretches_;
  for (std::size_t side = 0; side < levels.size(); ++side) {
    inverse_processes_ += 1 / (levels[side].degrees + 1);
    levels[side].logs.empty() ? add_levels(levels[side]) : add_disturbed_levels(levels[side], side == 0 ? 1 : -1);
  }
  if (levels.size() == 2) add_rounds(levels[0], levels[1]);
  has_own_ratio_ = compares_stretches_ || !distances_.empty();
  weight_ = (weight_ - weight_.maxCoeff()).exp();
  weight_ /= weight_.sum();
  const double center = has_own_ratio_ ? undisturbed_level() : 0;
  excess_ += (off_ - center).square();
}

/// Sets the mean of g² of each s, by costs alone. Columns are alike but for the prior of tau.
void ScalesPosterior::set_misfits() {
  misfits_.resize(weight_.rows());
  for (Eigen::Index first = 0; first < weight_.rows(); first += kScaleSteps) {
    const Eigen::ArrayXd ln = weight_.col(0).segment(first, kScaleSteps);
    const Eigen::ArrayXd weight = (ln - ln.maxCoeff()).exp();
    const double mean = (weight * (2 * ln_g_.segment(first, kScaleSteps)).exp()).sum() / weight.sum();
    misfits_.segment(first, kScaleSteps).setConstant(mean);
  }
}

/// Weighs the grid by levels of processes of which none was disturbed.
void ScalesPosterior::add_levels(const LevelEvidence& levels) {
  if (levels.degrees == 0) return;
  for (Eigen::Index i = 0; i < ln_tau_.size(); ++i) {
    const Eigen::ArrayXd each = std::exp(2 * ln_tau_[i]) + (2 * ln_s_).exp() * levels.noise;
    weight_.col(i) -= 0.5 * levels.degrees * each.log() + 0.5 * levels.squares / each;
  }
}

/// Weighs the grid by levels of processes of which some may have been disturbed, and adds to off_ and excess_. Rows of
/// the same s are alike; those that costs alone make impossible get no weight, as they have no evidence of levels.
void ScalesPosterior::add_disturbed_levels(const LevelEvidence& levels, double sign) {
  const std::vector<Eigen::Index> possible = leave_possible_rows(weight_);
  for (Eigen::Index i = 0; i < ln_tau_.size(); ++i) {
    double each = 0;
    LevelMoments level;
    for (const Eigen::Index first : possible) {
      const double here = deviation(first, i, 1, levels.noise);
      // Without noise all rows are alike.
      if (here != each || !levels.stretches.ratios.empty()) level = level_at(first, i, levels);
      each = here;
      weight_.col(i).segment(first, kScaleSteps) += level.ln_evidence;
      off_.col(i).segment(first, kScaleSteps) += sign * (level.mean - levels.center);
      excess_.col(i).segment(first, kScaleSteps) += level.variance - each * each / (levels.degrees + 1);
    }
  }
}

double ScalesPosterior::variance_of_stretch(Eigen::Index row, const StretchLevels& of) const {
  return std::exp(2 * ln_s_[row]) * of.noise + misfits_[row] * of.misfit + of.other;
}

LevelMoments ScalesPosterior::level_at(Eigen::Index row, Eigen::Index column, const LevelEvidence& levels) const {
  const LevelMoments points = level_of(levels.logs, deviation(row, column, 1, levels.noise));
  const StretchLevels& stretches = levels.stretches;
  if (!uses_stretches_ || stretches.ratios.empty()) return points;
  const double noise = variance_of_stretch(row, stretches), level = std::exp(2 * ln_tau_[column]);
  // Half of the variance of levels is shared where the host slows an accelerator down; else all or nothing.
  const double of_ratios = std::sqrt(noise + (stretches.share_levels ? level : 0));
  const LevelMoments shared = of_shared_levels(points, level_of(stretches.ratios, of_ratios, Tail::both));
  if (stretches.share_levels) return shared;
  return either(shared, of_own_levels(points, level_of(stretches.levels(), std::sqrt(noise + level))));
}

// The bias of a plan is the same in all builds that run it, so a comparison does not have it.

LevelMoments ScalesPosterior::of_own_levels(const LevelMoments& points, const LevelMoments& stretches) const {
  return compares_stretches_ ? mean_of(points, stretches) : without_plan_bias(points, stretches);
}

LevelMoments ScalesPosterior::of_shared_levels(const LevelMoments& points, const LevelMoments& ratios) const {
  if (!compares_stretches_) return without_shared_bias(points, ratios);
  return {points.ln_evidence + ratios.ln_evidence, points.mean + ratios.mean / 2,
          points.variance + ratios.variance / 4};
}

double ScalesPosterior::deviation_of_mean(Eigen::Index row, Eigen::Index column, const LevelEvidence& levels) const {
  if (!compares_stretches_) return deviation(row, column, 1, levels.noise);
  const double noise = (std::exp(2 * ln_s_[row]) * levels.noise + variance_of_stretch(row, levels.stretches)) / 4;
  return std::sqrt((levels.stretches.share_levels ? 1 : 0.5) * std::exp(2 * ln_tau_[column]) + noise);
}

/// Adds the explanation that the machine drifted, which is as probable before anything is measured: the distances of
/// the processes of each round are steady, their sums are not. Processes outside of whole rounds count as without it.
void ScalesPosterior::add_rounds(const LevelEvidence& a, const LevelEvidence& b) {
  const WholeRounds rounds(a, b, compares_stretches_);
  if (rounds.distances.size() < kMinRounds) return;
  distances_ = rounds.distances;
  const Eigen::Index taus = ln_tau_.size();
  const std::vector<Eigen::Index> possible = leave_possible_rows(weight_);
  for (Eigen::ArrayXXd* const cells : {&weight_, &excess_, &off_}) *cells = cells->replicate(1, 2).eval();
  ln_tau_ = ln_tau_.replicate(2, 1).eval();
  deviations_of_distance_ = Eigen::ArrayXXd::Ones(weight_.rows(), taus);
  for (Eigen::Index i = 0; i < taus; ++i) {
    double both = 0, ln_gain = 0;
    LevelMoments distance;
    for (const Eigen::Index first : possible) {
      const double of_a = deviation_of_mean(first, i, a), of_b = deviation_of_mean(first, i, b);
      if (std::hypot(of_a, of_b) != both) {
        both = std::hypot(of_a, of_b);
        distance = select::undisturbed_level(distances_, both, Tail::both);
        ln_gain = distance.ln_evidence + rounds.ln_gain(of_a, of_b);
      }
      const double normal = std::pow(deviation(first, i, 1, a.noise), 2) / (a.degrees + 1) +
                            std::pow(deviation(first, i, 1, b.noise), 2) / (b.degrees + 1);
      deviations_of_distance_.col(i).segment(first, kScaleSteps).setConstant(both);
      weight_.col(taus + i).segment(first, kScaleSteps) += ln_gain;
      off_.col(taus + i).segment(first, kScaleSteps).setConstant(distance.mean - (a.center - b.center));
      excess_.col(taus + i).segment(first, kScaleSteps).setConstant(distance.variance - normal);
    }
  }
}

double ScalesPosterior::deviation(Eigen::Index row, Eigen::Index column, double levels, double noise) const {
  return std::sqrt(levels * std::exp(2 * ln_tau_[column]) + std::exp(2 * ln_s_[row]) * noise);
}

double ScalesPosterior::undisturbed_level() const { return (weight_ * off_).sum(); }

template <class OfCell>
DisturbedProbabilities ScalesPosterior::mean_over(Eigen::Index first, std::size_t count, OfCell of_cell) const {
  constexpr double kNoWeight = 1e-9;
  DisturbedProbabilities found(count);
  double all = 0;
  for (Eigen::Index row = 0; row < weight_.rows(); row += kScaleSteps)
    for (Eigen::Index i = first; i < weight_.cols(); ++i) {
      const double weight = weight_.col(i).segment(row, kScaleSteps).sum();
      if (weight < kNoWeight) continue;
      const std::vector<double> here = of_cell(row, i);
      for (std::size_t p = 0; p < count; ++p) found[p] += weight * here[p];
      all += weight;
    }
  for (double& probability : found) probability /= all;
  return found;
}

DisturbedProbabilities ScalesPosterior::disturbed(const LevelEvidence& levels) const {
  return mean_over(0, levels.logs.size(), [&](Eigen::Index row, Eigen::Index column) {
    return disturbed_probabilities(levels.logs, deviation(row, column, 1, levels.noise));
  });
}

double ScalesPosterior::drift() const { return distances_.empty() ? 0 : weight_.rightCols(weight_.cols() / 2).sum(); }

DisturbedProbabilities ScalesPosterior::disturbed_rounds() const {
  if (distances_.empty()) return {};
  const Eigen::Index taus = weight_.cols() / 2;
  return mean_over(taus, distances_.size(), [&](Eigen::Index row, Eigen::Index column) {
    return disturbed_probabilities(distances_, deviations_of_distance_(row, column - taus), Tail::both);
  });
}

double ScalesPosterior::excess(double processes) const {
  return processes > 0 ? processes / inverse_processes_ * (weight_ * excess_).sum() : 0;
}

double ScalesPosterior::half_width(const ErrorParts& parts, double confidence) const {
  const Eigen::ArrayXd s2 = (2 * ln_s_).exp(), g2 = (2 * ln_g_).exp();
  const Eigen::ArrayXd variance = parts.misfit * g2 + parts.noise() * s2 + parts.amounts + parts.lengths +
                                  points_->missed_on_grid(parts.missed, sides_);
  if (parts.level() == 0) return normal_mixture_half_width(weight_.rowwise().sum(), variance, confidence);
  Eigen::ArrayXXd all =
      variance.replicate(1, ln_tau_.size()).rowwise() + parts.level() * (2 * ln_tau_).exp().transpose();
  if (parts.processes > 0) all = (all + parts.processes / inverse_processes_ * excess_).max(0.0);
  return normal_mixture_half_width(weight_.reshaped(), all.reshaped(), confidence);
}

double ScalesPosterior::missed_variance(const Eigen::VectorXd& missed, const Scales& at) const {
  const Eigen::ArrayXd s2 = Eigen::ArrayXd::Constant(1, sides_ * at.noise * at.noise),
                       g2 = Eigen::ArrayXd::Constant(1, at.misfit * at.misfit);
  return points_->missed_variances(missed, s2, g2)[0];
}

Scales ScalesPosterior::scales() const {
  Scales means{std::exp((weight_.colwise() * ln_s_).sum()), std::exp((weight_.colwise() * ln_g_).sum()), {}};
  if (ln_tau_.size() > 0) means.level = std::exp((weight_.rowwise() * ln_tau_.transpose()).sum());
  return means;
}

std::shared_ptr<const ScalesPosterior> posterior_of_levels(std::span<const LevelEvidence> levels,
                                                           const BetweenProcesses& between) {
  const auto nothing = std::make_shared<const PointScales>(kModelConstants, Eigen::MatrixXd::Zero(2, 2),
                                                           Eigen::VectorXd::Ones(2), Eigen::MatrixXd::Ones(2, 1));
  return std::make_shared<const ScalesPosterior>(nothing, Eigen::VectorXd::Zero(2), NoiseEvidence{}, levels, between);
}

}  // namespace seqpoint::select
