#include "core/select/point_fit.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace seqpoint {
namespace {

/// A column of which less is left beside those before it, as a share of its length, does not vary apart from them.
constexpr double kLeastOwnShare = 1e-6;
/// Totals are met to this share.
constexpr double kMet = 1e-6;

/// Which columns, in their order, vary apart from those before: at most `most`.
std::vector<Eigen::Index> independent_columns(const Eigen::MatrixXd& all, Eigen::Index most) {
  std::vector<Eigen::Index> chosen;
  std::vector<Eigen::VectorXd> basis;
  for (Eigen::Index c = 0; c < all.cols() && static_cast<Eigen::Index>(chosen.size()) < most; ++c) {
    Eigen::VectorXd own = all.col(c);
    for (int pass = 0; pass < 2; ++pass)  // once loses digits
      for (const Eigen::VectorXd& q : basis) own -= q.dot(own) * q;
    if (!(own.norm() > kLeastOwnShare * all.col(c).norm())) continue;
    chosen.push_back(c);
    basis.push_back(own.normalized());
  }
  return chosen;
}

}  // namespace

std::vector<FittedPoint> fitted_points(const CostModel& model, std::span<const SignatureCount> at) {
  const Shapes free = model.free_of(at);
  std::vector<FittedPoint> points;
  for (std::size_t p = 0; p < at.size(); ++p) {
    const CostCoordinates place = model.place_of(at[p].signature);
    points.push_back({place, free.row(static_cast<Eigen::Index>(p)), place.size * place.size * model.relative_disturbance(1, 1)});
  }
  return points;
}

TargetRun own_run(const CostModel& model, std::span<const std::size_t> groups) {
  TargetRun run{Eigen::VectorXd(static_cast<Eigen::Index>(groups.size())), model.jagged_of_total(), model.shares().transpose() * model.free(),
                1, model.own_disturbance()};
  for (std::size_t p = 0; p < groups.size(); ++p)
    run.with_points[static_cast<Eigen::Index>(p)] = model.jagged_with_total()[static_cast<Eigen::Index>(groups[p])];
  return run;
}

TargetRun other_run(const CostModel& model, std::span<const SignatureCount> histogram, std::span<const FittedPoint> points) {
  double iterations = 0, squares = 0;
  Eigen::VectorXd shares(static_cast<Eigen::Index>(histogram.size()));
  std::vector<CostCoordinates> places;
  for (std::size_t g = 0; g < histogram.size(); ++g) {
    shares[static_cast<Eigen::Index>(g)] = static_cast<double>(histogram[g].count);
    iterations += static_cast<double>(histogram[g].count);
    places.push_back(model.place_of(histogram[g].signature));
  }
  shares /= iterations;
  TargetRun run{Eigen::VectorXd::Zero(static_cast<Eigen::Index>(points.size())), shares.dot(model.jagged().with_sum(places, shares)),
                shares.transpose() * model.free_of(histogram), 0, 0};
  for (std::size_t g = 0; g < places.size(); ++g) {
    const double share = shares[static_cast<Eigen::Index>(g)];
    run.mean_size += share * places[g].size;
    squares += share * places[g].size * places[g].size;
    for (std::size_t p = 0; p < points.size(); ++p) run.with_points[static_cast<Eigen::Index>(p)] += share * model.jagged()(points[p].place, places[g]);
  }
  run.own_disturbance = squares * model.relative_disturbance(1, 1) / iterations;
  return run;
}

PointFit::PointFit(const JaggedCost& jagged, std::vector<FittedPoint> points)
    : points_(std::move(points)),
      jagged_(static_cast<Eigen::Index>(points_.size()), static_cast<Eigen::Index>(points_.size())),
      disturbance_(jagged_.rows()),
      free_(jagged_.rows(), points_.front().free.size()) {
  const Eigen::Index size = jagged_.rows();
  for (Eigen::Index p = 0; p < size; ++p) {
    const FittedPoint& point = points_[static_cast<std::size_t>(p)];
    for (Eigen::Index q = 0; q <= p; ++q) jagged_(p, q) = jagged_(q, p) = jagged(point.place, points_[static_cast<std::size_t>(q)].place);
    disturbance_[p] = point.disturbance;
    free_.row(p) = point.free;
  }
  const Eigen::MatrixXd relative = free_.array().colwise() / disturbance_.array().sqrt();
  columns_ = independent_columns(relative, std::max<Eigen::Index>(size - 1, 1));
  Eigen::MatrixXd covariance = jagged_;
  covariance.diagonal() += disturbance_;
  const Eigen::LLT<Eigen::MatrixXd> factor(covariance);
  inverse_ = factor.solve(Eigen::MatrixXd::Identity(size, size));
  estimated_ = free_(Eigen::all, columns_);
  const auto shapes = static_cast<Eigen::Index>(columns_.size());
  free_covariance_ = Eigen::LDLT<Eigen::MatrixXd>(estimated_.transpose() * inverse_ * estimated_).solve(Eigen::MatrixXd::Identity(shapes, shapes));
}

double PointFit::variance(const Eigen::VectorXd& v, const TargetRun& target) const {
  const Eigen::RowVectorXd totals = target.totals(columns_);
  const Eigen::VectorXd missed = estimated_.transpose() * v - totals.transpose();
  const double jagged = v.dot(jagged_ * v) - 2 * v.dot(target.with_points) + target.of_itself;
  return std::max(jagged, 0.0) + disturbance_.dot(v.cwiseAbs2()) + missed.dot(free_covariance_ * missed) + target.own_disturbance;
}

Eigen::VectorXd PointFit::predictor(const TargetRun& target) const {
  const Eigen::RowVectorXd totals = target.totals(columns_);
  const Eigen::VectorXd near = inverse_ * target.with_points;
  return near + inverse_ * (estimated_ * (free_covariance_ * (totals.transpose() - estimated_.transpose() * near)));
}

Eigen::VectorXd PointFit::soft_predictor(const TargetRun& target, double free) const {
  Eigen::MatrixXd covariance = jagged_ + free * free_ * free_.transpose();
  covariance.diagonal() += disturbance_;
  return Eigen::LLT<Eigen::MatrixXd>(covariance).solve(target.with_points + free * free_ * target.totals.transpose());
}

bool PointFit::determines(const Eigen::VectorXd& v, const TargetRun& target) const {
  const Eigen::RowVectorXd met = v.transpose() * free_;
  return ((met - target.totals).array().abs() <= kMet * (1 + target.totals.array().abs())).all();
}

PointFit::Curve PointFit::curve(const Eigen::VectorXd& y) const {
  const Eigen::VectorXd weighed = inverse_ * y;
  const Eigen::VectorXd shapes = free_covariance_ * (estimated_.transpose() * weighed);
  return {shapes, weighed - inverse_ * (estimated_ * shapes)};
}

double PointFit::at(const Curve& curve, const JaggedCost& jagged, const CostCoordinates& place, const Eigen::RowVectorXd& free) const {
  double cost = free(columns_).dot(curve.shapes);
  for (std::size_t p = 0; p < points_.size(); ++p) cost += jagged(points_[p].place, place) * curve.near[static_cast<Eigen::Index>(p)];
  return cost;
}

double PointFit::squares_left(const Eigen::VectorXd& e) const { return std::max(e.dot(curve(e).near), 0.0); }

namespace {

/// The scale's density at equal steps of x, ln s = ln median + spread x: as many as tell, and their weights.
struct ScaleGrid {
  std::vector<double> inverse_scale, weight;
};

ScaleGrid scale_grid(const ModelConstants& constants, double degrees, double squares) {
  constexpr double kFarthest = 8, kUsualStep = 0.1, kNegligible = -36;  // exp(-36) of the largest weight
  // Equal steps of at most half a standard deviation integrate a smooth peak to the last digit.
  const double step = std::min(kUsualStep, 0.5 / (constants.scale_spread * std::sqrt(2 * std::max(degrees, 1.0))));
  const auto half = static_cast<int>(std::ceil(kFarthest / step));
  std::vector<double> logs;
  double most = -std::numeric_limits<double>::infinity();
  const auto log_scale = [&](int i) { return std::log(constants.scale_median) + constants.scale_spread * step * i; };
  for (int i = -half; i <= half; ++i) {
    const double x = step * i, ln_s = log_scale(i);
    logs.push_back(-0.5 * x * x - degrees * ln_s - 0.5 * squares * std::exp(-2 * ln_s));
    most = std::max(most, logs.back());
  }
  ScaleGrid grid;
  double sum = 0;
  for (int i = -half; i <= half; ++i) {
    const double log = logs[static_cast<std::size_t>(i + half)] - most;
    if (log < kNegligible) continue;
    grid.inverse_scale.push_back(std::exp(-log_scale(i)));
    grid.weight.push_back(std::exp(log));
    sum += grid.weight.back();
  }
  for (double& weight : grid.weight) weight /= sum;
  return grid;
}

}  // namespace

double mixture_half_width(const ModelConstants& constants, double degrees, double squares, double confidence) {
  const ScaleGrid grid = scale_grid(constants, degrees, squares);
  // P(|X| <= h) rises and is concave in h: Newton's steps from 0 come from below and do not overshoot.
  constexpr int kMostSteps = 100;
  double h = 0;
  for (int i = 0; i < kMostSteps; ++i) {
    double held = 0, slope = 0;
    for (std::size_t g = 0; g < grid.weight.size(); ++g) {
      const double z = h * grid.inverse_scale[g];
      held += grid.weight[g] * std::erf(z / std::numbers::sqrt2);
      slope += grid.weight[g] * grid.inverse_scale[g] * std::exp(-0.5 * z * z);
    }
    const double more = (confidence - held) / (slope * std::sqrt(2 / std::numbers::pi));
    h += more;
    if (!(more > 1e-13 * h)) break;
  }
  return h;
}

}  // namespace seqpoint
