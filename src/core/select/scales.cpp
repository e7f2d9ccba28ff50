#include "core/select/scales.hpp"

#include <algorithm>
#include <array>
#include <cmath>
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
  LevelDensity(std::span<const double> logs, double deviation, Tail tail)
      : logs_(logs), deviation_(deviation), tail_(tail) {
    std::vector<double> sorted(logs.begin(), logs.end());
    std::ranges::sort(sorted);
    // Where all were disturbed, the density falls with the distance below the fastest process.
    const double farthest = 20 * kMeanDisturbance / static_cast<double>(logs.size());
    double end = sorted.front() - kFar * deviation_;
    add_panels(end - farthest, end, kMeanDisturbance / 2);
    for (const double level : sorted) {
      const double begin = level - kFar * deviation_;
      if (begin > end) add_panels(end, begin, kMeanDisturbance / 2);
      add_panels(std::max(begin, end), level + kFar * deviation_, 1.5 * deviation_);
      end = level + kFar * deviation_;
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
      const double beyond = logs_[process] - nodes_[i].at, off = tails(beyond);
      sum += mass_[i];
      disturbed += mass_[i] * off / (off + usual(beyond));
    }
    return disturbed / sum;
  }

 private:
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
  double usual(double beyond) const {
    const double z = beyond / deviation_;
    const double share = tail_ == Tail::both ? 2 * kDisturbedShare : kDisturbedShare;
    return (1 - share) * std::exp(-0.5 * z * z) / (deviation_ * std::sqrt(2 * std::numbers::pi));
  }
  /// The density of a disturbed one, times their share.
  double tails(double beyond) const { return slower(beyond) + (tail_ == Tail::both ? slower(-beyond) : 0); }
  /// One tail of it: a normal plus an exponential value.
  double slower(double beyond) const {
    const double ratio = deviation_ / kMeanDisturbance;
    return kDisturbedShare / (2 * kMeanDisturbance) * std::exp(0.5 * ratio * ratio - beyond / kMeanDisturbance) *
           std::erfc((ratio - beyond / deviation_) / std::numbers::sqrt2);
  }

  /// Sets the logarithm of the highest density, and the mass at each node over it.
  void evaluate() {
    ln_highest_ = -std::numeric_limits<double>::infinity();
    for (const Node& node : nodes_) {
      double ln = 0;
      for (const double level : logs_) ln += std::log(usual(level - node.at) + tails(level - node.at));
      mass_.push_back(ln);
      ln_highest_ = std::max(ln_highest_, ln);
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) mass_[i] = nodes_[i].width * std::exp(mass_[i] - ln_highest_);
  }

  std::span<const double> logs_;
  double deviation_;
  Tail tail_;
  std::vector<Node> nodes_;
  std::vector<double> mass_;
  double ln_highest_ = 0;
};

}  // namespace

LevelMoments undisturbed_level(std::span<const double> logs, double deviation, Tail tail) {
  return LevelDensity(logs, deviation, tail).moments();
}

std::vector<double> disturbed_probabilities(std::span<const double> logs, double deviation, Tail tail) {
  const LevelDensity density(logs, deviation, tail);
  std::vector<double> found;
  for (std::size_t process = 0; process < logs.size(); ++process) found.push_back(density.disturbed(process));
  return found;
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

/// The levels of processes that measured side by side.
struct WholeRounds {
  std::vector<double> of_a, of_b, distances, sums;

  WholeRounds(const LevelEvidence& a, const LevelEvidence& b) {
    for (std::size_t i = 0; i < a.rounds.size() && i < a.logs.size(); ++i) {
      const auto other = static_cast<std::size_t>(std::ranges::find(b.rounds, a.rounds[i]) - b.rounds.begin());
      if (a.rounds[i] == 0 || other >= std::min(b.rounds.size(), b.logs.size())) continue;
      of_a.push_back(a.logs[i]);
      of_b.push_back(b.logs[other]);
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
  for (Eigen::Index i = 0; i < of_tau.size(); ++i) weight_.col(i) -= 0.5 * of_tau[i] * of_tau[i];
  excess_ = off_ = Eigen::ArrayXXd::Zero(weight_.rows(), weight_.cols());
  for (std::size_t side = 0; side < levels.size(); ++side) {
    inverse_processes_ += 1 / (levels[side].degrees + 1);
    levels[side].logs.empty() ? add_levels(levels[side]) : add_disturbed_levels(levels[side], side == 0 ? 1 : -1);
  }
  if (levels.size() == 2) add_rounds(levels[0], levels[1]);
  weight_ = (weight_ - weight_.maxCoeff()).exp();
  weight_ /= weight_.sum();
  const double center = distances_.empty() ? 0 : undisturbed_level();  // a drift moves the figure
  excess_ += (off_ - center).square();
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
      if (here != each) level = select::undisturbed_level(levels.logs, here);  // without noise all rows are alike
      each = here;
      weight_.col(i).segment(first, kScaleSteps) += level.ln_evidence;
      off_.col(i).segment(first, kScaleSteps) += sign * (level.mean - levels.center);
      excess_.col(i).segment(first, kScaleSteps) += level.variance - each * each / (levels.degrees + 1);
    }
  }
}

/// Adds the explanation that the machine drifted, which is as probable before anything is measured: the distances of
/// the processes of each round are steady, their sums are not. Processes outside of whole rounds count as without it.
void ScalesPosterior::add_rounds(const LevelEvidence& a, const LevelEvidence& b) {
  const WholeRounds rounds(a, b);
  if (rounds.distances.size() < kMinRounds) return;
  distances_ = rounds.distances;
  noise_of_both_ = a.noise + b.noise;
  const Eigen::Index taus = ln_tau_.size();
  const std::vector<Eigen::Index> possible = leave_possible_rows(weight_);
  for (Eigen::ArrayXXd* const cells : {&weight_, &excess_, &off_}) *cells = cells->replicate(1, 2).eval();
  ln_tau_ = ln_tau_.replicate(2, 1).eval();
  for (Eigen::Index i = 0; i < taus; ++i) {
    double both = 0, ln_gain = 0;
    LevelMoments distance;
    for (const Eigen::Index first : possible) {
      const double of_a = deviation(first, i, 1, a.noise), of_b = deviation(first, i, 1, b.noise);
      if (std::hypot(of_a, of_b) != both) {
        both = std::hypot(of_a, of_b);
        distance = select::undisturbed_level(distances_, both, Tail::both);
        ln_gain = distance.ln_evidence + rounds.ln_gain(of_a, of_b);
      }
      const double normal = of_a * of_a / (a.degrees + 1) + of_b * of_b / (b.degrees + 1);
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
DisturbedProbabilities ScalesPosterior::mean_of(Eigen::Index first, std::size_t count, double levels, double noise,
                                                OfCell of_cell) const {
  constexpr double kNoWeight = 1e-9;
  DisturbedProbabilities found(count);
  double all = 0;
  for (Eigen::Index row = 0; row < weight_.rows(); row += kScaleSteps)
    for (Eigen::Index i = first; i < weight_.cols(); ++i) {
      const double weight = weight_.col(i).segment(row, kScaleSteps).sum();
      if (weight < kNoWeight) continue;
      const std::vector<double> here = of_cell(deviation(row, i, levels, noise));
      for (std::size_t p = 0; p < count; ++p) found[p] += weight * here[p];
      all += weight;
    }
  for (double& probability : found) probability /= all;
  return found;
}

DisturbedProbabilities ScalesPosterior::disturbed(const LevelEvidence& levels) const {
  return mean_of(0, levels.logs.size(), 1, levels.noise,
                 [&](double deviation) { return disturbed_probabilities(levels.logs, deviation); });
}

double ScalesPosterior::drift() const { return distances_.empty() ? 0 : weight_.rightCols(weight_.cols() / 2).sum(); }

DisturbedProbabilities ScalesPosterior::disturbed_rounds() const {
  if (distances_.empty()) return {};
  return mean_of(weight_.cols() / 2, distances_.size(), 2, noise_of_both_,
                 [&](double deviation) { return disturbed_probabilities(distances_, deviation, Tail::both); });
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
