#include "residual_spread.hpp"

#include <Eigen/QR>

#include <algorithm>
#include <limits>
#include <utility>

namespace seqpoint {
namespace {

/// What a curve must take off the residual variance to be believed.
constexpr double kWorthACurve = 1.0 / 3;
/// Leverages close to 1 leave residuals that show nothing: none is enlarged by more than this allows.
constexpr double kLeastLeft = 0.1;

/// Rows and values were divided by the root of their variances.
Residuals left_by(const Eigen::MatrixXd& columns, const Eigen::VectorXd& values) {
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(columns);
  if (qr.rank() == 0) return {values, values};
  const Eigen::MatrixXd basis = qr.householderQ() * Eigen::MatrixXd::Identity(columns.rows(), qr.rank());
  const Eigen::VectorXd residuals = values - basis * (basis.transpose() * values);
  const Eigen::ArrayXd own = (1 - basis.rowwise().squaredNorm().array()).max(kLeastLeft);
  return {residuals, residuals.array() / own.sqrt()};
}

double residual_variance(const Eigen::VectorXd& left, Eigen::Index columns) {
  const Eigen::Index freedom = left.size() - columns;
  return freedom < 1 ? std::numeric_limits<double>::infinity() : left.squaredNorm() / static_cast<double>(freedom);
}

}  // namespace

Eigen::ArrayXd relative_variances(const std::vector<std::uint64_t>& repeats) {
  Eigen::ArrayXd variance(static_cast<Eigen::Index>(repeats.size()));
  for (Eigen::Index p = 0; p < variance.size(); ++p)
    variance[p] = kOwn * kOwn / static_cast<double>(repeats[static_cast<std::size_t>(p)]) + kShared * kShared;
  return variance / variance.mean();
}

double ResidualSpread::squared_residual(std::size_t p) const {
  const double corrected = left.corrected[static_cast<Eigen::Index>(p)];
  return corrected * corrected * variance_of(p);
}

ResidualSpread spread_about_fit(Eigen::MatrixXd columns, Eigen::VectorXd values, const std::vector<std::uint64_t>& repeats,
                                bool last_is_a_curve, std::ptrdiff_t levels) {
  ResidualSpread spread{.unsure = relative_variances(repeats)};
  columns.array().colwise() /= spread.unsure.sqrt();
  values.array() /= spread.unsure.sqrt();
  const Eigen::Index few = columns.cols() - (last_is_a_curve ? 1 : 0);
  spread.left = left_by(columns.leftCols(few), values);
  spread.variance = residual_variance(spread.left.plain, few);
  spread.freedom = static_cast<double>(std::max<Eigen::Index>(values.size() - few - levels, 0));
  if (!last_is_a_curve) return spread;
  Residuals curved = left_by(columns, values);
  if (const double variance = residual_variance(curved.plain, columns.cols()); variance < kWorthACurve * spread.variance) {
    spread.variance = variance;
    spread.freedom -= 1;
    spread.left = std::move(curved);
  }
  return spread;
}

void add_repeats(ResidualSpread& spread, const std::vector<double>& variance, const std::vector<std::uint64_t>& repeats) {
  double sum = 0;
  spread.repeat_freedom = 0;
  for (std::size_t p = 0; p < variance.size(); ++p) {
    const auto own = static_cast<double>(repeats[p] - 1);
    sum += own * variance[p];
    spread.repeat_freedom += own;
  }
  spread.repeat_variance = spread.repeat_freedom > 0 ? sum / spread.repeat_freedom : 0;
}

}  // namespace seqpoint
