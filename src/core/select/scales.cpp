#include "core/select/scales.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/linear_algebra.hpp"
#include "core/normal_mixture.hpp"
#include "core/select/disturbed_levels.hpp"

namespace seqpoint::select {
namespace {

/// The grid: standard deviations of the priors of ln s and ln g, and of ln tau. Finer or wider grids give the same
/// half-widths to a thousandth.
constexpr Eigen::Index kScaleSteps = 25, kTauSteps = 15;
constexpr double kFarthestScale = 3.5, kFarthestTau = 3;
/// Smaller misses of totals are caused by the rounding of weights.
constexpr double kRoundingOfTotals = 1e-8;

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

PointScales::PointScales(const ModelConstants& constants, std::shared_ptr<const ScaledCovariance> factors,
                         const Eigen::MatrixXd& free_functions)
    : constants_(constants), factors_(std::move(factors)), free_functions_(factors_->prepared(free_functions)) {}

Eigen::VectorXd PointScales::usual_costs() const {
  const Eigen::VectorXd deviations = (eigenvalues_.array() + 1).sqrt();
  return basis_.transpose() * CholeskyFactor(basis_ * basis_.transpose()).solve(deviations);
}

Eigen::ArrayXd PointScales::missed_variances(const Eigen::VectorXd& missed, const Eigen::ArrayXd& s2,
                                             const Eigen::ArrayXd& g2) const {
  Eigen::ArrayXd variances = Eigen::ArrayXd::Zero(s2.size());
  if (missed.size() == 0 || missed.cwiseAbs().maxCoeff() <= kRoundingOfTotals) return variances;
  if (factors_) {
    for (Eigen::Index j = 0; j < s2.size(); ++j) {
      const Eigen::MatrixXd triangle = upper_triangle(factors_->whitened(s2[j], g2[j], free_functions_).columns);
      variances[j] = triangle.transpose().triangularView<Eigen::Lower>().solve(missed).squaredNorm();
    }
    return variances;
  }
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
    if (factors_) continue;
    const double noise = sides * std::exp(2 * grid.ln_s[j]);
    grid.variances.col(j) = std::exp(2 * grid.ln_g[j]) * eigenvalues_.array() + noise;
  }
  grid.logarithms = grid.variances.log();
  return grid;
}

Eigen::ArrayXd PointScales::deviances(const Eigen::VectorXd& costs, int sides) const {
  const Grid& grid = this->grid(sides);
  Eigen::ArrayXd found(grid.ln_s.size());
  if (factors_) {
    const Eigen::Index functions = free_functions_.cols();
    Eigen::MatrixXd columns(costs.size(), functions + 1);
    columns << free_functions_, factors_->prepared(costs);
    for (Eigen::Index j = 0; j < found.size(); ++j) {
      const Whitened white =
          factors_->whitened(sides * std::exp(2 * grid.ln_s[j]), std::exp(2 * grid.ln_g[j]), columns);
      const Eigen::ArrayXd diagonal = upper_triangle(white.columns).diagonal();  // the last: of residuals
      found[j] = white.ln_determinant + 2 * diagonal.head(functions).abs().log().sum() +
                 diagonal[functions] * diagonal[functions];
    }
    return found;
  }
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
  excess_ = Eigen::ArrayXXd::Zero(weight_.rows(), weight_.cols());
  off_.assign(levels.size(), excess_);
  for (std::size_t side = 0; side < levels.size(); ++side) {
    inverse_processes_ += 1 / (levels[side].degrees + 1);
    levels[side].logs.empty() ? add_levels(levels[side]) : add_disturbed_levels(levels[side], side);
  }
  if (levels.size() == 1) excess_ += off_[0].square();
  if (levels.size() == 2) excess_ += (off_[0] - off_[1]).square();
  weight_ = (weight_ - weight_.maxCoeff()).exp();
  weight_ /= weight_.sum();
}

/// Weighs the grid by levels of processes of which none was disturbed.
void ScalesPosterior::add_levels(const LevelEvidence& levels) {
  if (levels.degrees == 0) return;
  for (Eigen::Index i = 0; i < ln_tau_.size(); ++i) {
    const Eigen::ArrayXd each = std::exp(2 * ln_tau_[i]) + (2 * ln_s_).exp() * levels.noise;
    weight_.col(i) -= 0.5 * levels.degrees * each.log() + 0.5 * levels.squares / each;
  }
}

/// Weighs the grid by levels of processes of which some may have been disturbed, and sets off_ and excess_. Rows of the
/// same s are alike; those that costs alone make impossible are left out.
void ScalesPosterior::add_disturbed_levels(const LevelEvidence& levels, std::size_t side) {
  constexpr double kImpossible = 45;  // e^-45, 3e-20
  const double most = weight_.maxCoeff();
  for (Eigen::Index first = 0; first < weight_.rows(); first += kScaleSteps) {
    auto rows = weight_.middleRows(first, kScaleSteps);
    if (rows.maxCoeff() < most - kImpossible) continue;
    const double noise = std::exp(2 * ln_s_[first]) * levels.noise;
    for (Eigen::Index i = 0; i < ln_tau_.size(); ++i) {
      const double variance = std::exp(2 * ln_tau_[i]) + noise;
      const LevelMoments level = select::undisturbed_level(levels.logs, std::sqrt(variance));
      rows.col(i) += level.ln_evidence;
      off_[side].col(i).segment(first, kScaleSteps).setConstant(level.mean - levels.center);
      excess_.col(i).segment(first, kScaleSteps) += level.variance - variance / (levels.degrees + 1);
    }
  }
}

double ScalesPosterior::undisturbed_level(std::size_t side) const { return (weight_ * off_[side]).sum(); }

double ScalesPosterior::excess(double processes) const {
  return processes > 0 ? processes / inverse_processes_ * (weight_ * excess_).sum() : 0;
}

double ScalesPosterior::half_width(const ErrorParts& parts, double confidence) const {
  const Eigen::ArrayXd s2 = (2 * ln_s_).exp(), g2 = (2 * ln_g_).exp();
  const Eigen::ArrayXd variance =
      parts.misfit * g2 + parts.noise() * s2 + parts.amounts + points_->missed_on_grid(parts.missed, sides_);
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

std::shared_ptr<const ScalesPosterior> posterior_of_levels(const ModelConstants& constants,
                                                           std::span<const LevelEvidence> levels,
                                                           const BetweenProcesses& between) {
  const auto nothing = std::make_shared<const PointScales>(constants, Eigen::MatrixXd::Zero(2, 2),
                                                           Eigen::VectorXd::Ones(2), Eigen::MatrixXd::Ones(2, 1));
  return std::make_shared<const ScalesPosterior>(nothing, Eigen::VectorXd::Zero(2), NoiseEvidence{}, levels, between);
}

}  // namespace seqpoint::select
