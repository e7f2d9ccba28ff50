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

PointChain::Factor::Factor(const PointChain& chain, double s2, double g2)
    : chain_(chain), deviations_(chain.sizes_.size()), gains_(3, chain.sizes_.size()) {
  const double term = g2 * chain.term_variance_, nugget = g2 * chain.nugget_variance_;
  Eigen::Matrix3d known = Eigen::Matrix3d::Zero();  // covariance of the three numbers' predictions
  Eigen::Vector3d gain = Eigen::Vector3d::Zero();
  double variance = 0;
  for (Eigen::Index i = 0; i < deviations_.size(); ++i) {
    const Eigen::Vector3d decay = chain.decays_.col(i);
    known = (known + variance * gain * gain.transpose()).cwiseProduct(decay * decay.transpose()).eval();
    const Eigen::Vector3d of_point = known.rowwise().sum();
    variance = 3 * term + nugget + s2 * chain.noise_[i] - of_point.sum();
    gain = (term - of_point.array()) / variance;
    gains_.col(i) = gain;
    deviations_[i] = std::sqrt(variance);
  }
}

Eigen::MatrixXd PointChain::Factor::whitened(const Eigen::MatrixXd& right) const {
  Eigen::MatrixXd found(right.rows(), right.cols());
  for (Eigen::Index c = 0; c < right.cols(); ++c) {
    Eigen::Array3d predicted = Eigen::Array3d::Zero();
    for (Eigen::Index i = 0; i < right.rows(); ++i) {
      predicted *= chain_.decays_.col(i);
      const double off = right(static_cast<Eigen::Index>(chain_.order_[i]), c) / chain_.sizes_[i] - predicted.sum();
      predicted += off * gains_.col(i);
      found(i, c) = off / deviations_[i];
    }
  }
  return found;
}

Eigen::MatrixXd PointChain::Factor::solve(const Eigen::MatrixXd& right) const {
  Eigen::MatrixXd found = whitened(right), ordered(right.rows(), right.cols());
  for (Eigen::Index c = 0; c < right.cols(); ++c) {
    Eigen::Array3d of_longer = Eigen::Array3d::Zero();
    for (Eigen::Index i = right.rows(); i-- > 0;) {
      const double own = found(i, c) / deviations_[i] - (gains_.col(i) * of_longer).sum();
      of_longer = (of_longer + own) * chain_.decays_.col(i);
      ordered(static_cast<Eigen::Index>(chain_.order_[i]), c) = own / chain_.sizes_[i];
    }
  }
  return ordered;
}

double PointChain::Factor::ln_determinant() const { return 2 * (deviations_ * chain_.sizes_).log().sum(); }

}  // namespace seqpoint::select
