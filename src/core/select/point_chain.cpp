// The factor of a matrix of sums of exponentials: D. Foreman-Mackey, E. Agol, S. Ambikasaran, R. Angus: Fast and
// scalable Gaussian process modeling with applications to astronomical time series. Astronomical Journal 154, 2017.
#include "core/select/point_chain.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace seqpoint::select {
namespace {

bool are_distinct(std::vector<trace::Shape> shapes) {
  std::ranges::sort(shapes);
  return std::ranges::adjacent_find(shapes) == shapes.end();
}

}  // namespace

std::shared_ptr<const PointChain> PointChain::of(const CostModel& model, const ModelShapes& points,
                                                 const Eigen::VectorXd& disturbance) {
  if (points.lengths.cols() != 1 || !are_distinct(points.shapes)) return nullptr;
  return std::shared_ptr<const PointChain>(new PointChain(model, points, disturbance));
}

PointChain::PointChain(const CostModel& model, const ModelShapes& points, const Eigen::VectorXd& disturbance)
    : order_(points.shapes.size()),
      term_variance_(model.misfit_variance_per_term()),
      nugget_variance_(model.nugget_variance()) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::ranges::stable_sort(order_, {}, [&](std::size_t p) { return points.lengths(static_cast<Eigen::Index>(p), 0); });
  sizes_ = points.relative_size(order_);
  noise_ = disturbance(order_).array() / sizes_.square();
  const Eigen::ArrayXd lengths = points.lengths(order_, 0);
  const Eigen::Map<const Eigen::Array3d> scales(model.constants().scales.data());
  decays_ = Eigen::Array3Xd::Zero(3, sizes_.size());
  for (Eigen::Index i = 1; i < sizes_.size(); ++i) decays_.col(i) = ((lengths[i - 1] - lengths[i]) / scales).exp();
}

PointChain::Factor PointChain::factor(double s2, double g2) const {
  const double term = g2 * term_variance_, nugget = g2 * nugget_variance_;
  Factor found{.deviations = Eigen::ArrayXd(sizes_.size()), .gains = Eigen::Array3Xd(3, sizes_.size())};
  Eigen::Matrix3d known = Eigen::Matrix3d::Zero();  // covariance of the three numbers' predictions
  Eigen::Vector3d gain = Eigen::Vector3d::Zero();
  double variance = 0;
  for (Eigen::Index i = 0; i < sizes_.size(); ++i) {
    const Eigen::Vector3d decay = decays_.col(i);
    known = (known + variance * gain * gain.transpose()).cwiseProduct(decay * decay.transpose()).eval();
    const Eigen::Vector3d of_point = known.rowwise().sum();
    variance = 3 * term + nugget + s2 * noise_[i] - of_point.sum();
    gain = (term - of_point.array()) / variance;
    found.gains.col(i) = gain;
    found.deviations[i] = std::sqrt(variance);
  }
  return found;
}

Eigen::MatrixXd PointChain::prepared(const Eigen::MatrixXd& columns) const {
  return columns(order_, Eigen::all).array().colwise() / sizes_;
}

Eigen::MatrixXd PointChain::whitened(const Factor& factor, const Eigen::MatrixXd& columns) const {
  Eigen::MatrixXd found(columns.rows(), columns.cols());
  for (Eigen::Index c = 0; c < columns.cols(); ++c) {
    Eigen::Array3d predicted = Eigen::Array3d::Zero();
    for (Eigen::Index i = 0; i < columns.rows(); ++i) {
      predicted *= decays_.col(i);
      const double off = columns(i, c) - predicted.sum();
      predicted += off * factor.gains.col(i);
      found(i, c) = off / factor.deviations[i];
    }
  }
  return found;
}

Whitened PointChain::whitened(double s2, double g2, const Eigen::MatrixXd& columns) const {
  const Factor factor = this->factor(s2, g2);
  return {.columns = whitened(factor, columns), .ln_determinant = 2 * (factor.deviations * sizes_).log().sum()};
}

Eigen::VectorXd PointChain::solve(const Eigen::VectorXd& right) const {
  const Factor factor = this->factor(1, 1);
  const Eigen::MatrixXd white = whitened(factor, prepared(right));
  Eigen::VectorXd found(right.size());
  Eigen::Array3d of_longer = Eigen::Array3d::Zero();
  for (Eigen::Index i = right.size(); i-- > 0;) {
    const double own = white(i, 0) / factor.deviations[i] - (factor.gains.col(i) * of_longer).sum();
    of_longer = (of_longer + own) * decays_.col(i);
    found[static_cast<Eigen::Index>(order_[i])] = own / sizes_[i];
  }
  return found;
}

}  // namespace seqpoint::select
