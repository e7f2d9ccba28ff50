/// \file
/// The model of docs/method.md for runs of one length and one batch size, written out with dense matrices: predictions,
/// variances of errors and half-widths.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

#include "core/trace/trace.hpp"

namespace seqpoint::testing {

class DenseModel {
 public:
  /// A weighted sum of the points' costs for the mean cost of a run, and the variance of its error by scales.
  struct Estimate {
    Eigen::VectorXd weights;
    double prior_share = 0;  ///< of the mean cost of the run that points were chosen from
    double misfit = 0, noise = 0, amounts = 0, level = 0;
    Eigen::VectorXd missed{};  ///< totals of the shapes, of weights that were not predicted
  };

  /// Points that were measured so often, at so many iterations each.
  DenseModel(const trace::RunSummary& chosen_from, std::vector<double> lengths, const std::vector<double>& iterations,
             const std::vector<double>& measurements)
      : points_(std::move(lengths)) {
    for (const auto& [s, share] : shares(chosen_from))
      for (int j = 0; j < 3; ++j) means_[j] += share * std::pow(s, j);
    disturbance_.resize(static_cast<Eigen::Index>(points_.size()));
    for (std::size_t p = 0; p < points_.size(); ++p)
      disturbance_[static_cast<Eigen::Index>(p)] =
          std::pow(size(points_[p]), 2) * sigma2(iterations[p], measurements[p]);
  }

  static double sigma2(double iterations, double measurements) {
    return 0.045 * 0.045 / iterations + 0.04 * 0.04 / measurements;
  }

  /// Amounts of the three shapes are N(0, 0.5^2), but for the one in proportion to size: N(1, 0.5^2).
  Estimate predicted(const trace::RunSummary& run) const {
    const Eigen::MatrixXd shapes = shapes_at(points_);
    const Eigen::VectorXd totals = totals_of(run);
    Eigen::MatrixXd covariance = misfits(points_, points_) + 0.25 * shapes * shapes.transpose();
    covariance.diagonal() += disturbance_;
    const Eigen::VectorXd with_run = misfits_with(run) + 0.25 * shapes * totals;
    Estimate found = of_weights(covariance.partialPivLu().solve(with_run), run);
    const Eigen::VectorXd missed = totals - shapes.transpose() * found.weights;
    found.prior_share = missed[1];
    found.amounts = 0.25 * missed.squaredNorm();
    found.missed.resize(0);
    return found;
  }
  /// Of the run that points were chosen from, whose mean is the unit of the prior.
  Estimate predicted_own(const trace::RunSummary& run) const {
    Estimate found = predicted(run);
    const double scale = 1 / (1 - found.prior_share);
    found.weights *= scale;
    for (double* const part : {&found.misfit, &found.noise, &found.amounts}) *part *= scale * scale;
    found.prior_share = 0;
    return found;
  }
  Estimate of_weights(const Eigen::VectorXd& v, const trace::RunSummary& run) const {
    Estimate found{.weights = v};
    found.misfit = v.dot(misfits(points_, points_) * v) - 2 * v.dot(misfits_with(run)) + misfit_of(run);
    found.noise = disturbance_.dot(v.cwiseAbs2());
    for (const auto& [s, share] : shares(run))
      found.noise += share * size(s) * size(s) * sigma2(1, 1) / static_cast<double>(run.iterations);
    const Eigen::Index known = estimated();
    found.missed = shapes_at(points_).leftCols(known).transpose() * v - totals_of(run).head(known);
    return found;
  }

  /// Of relative costs e, with what other iterations told; `sides`: 2 of a difference. `level`: of one process, nothing
  /// of which is known; 0: none.
  double half_width(const Eigen::VectorXd& e, const Estimate& error, double confidence, double degrees = 0,
                    double squares = 0, double sides = 1) const {
    std::vector<std::pair<double, double>> parts;  // weight and standard deviation
    double most = -1e300;
    std::vector<double> logs;
    const Eigen::MatrixXd shapes = shapes_at(points_).leftCols(estimated());
    for (int i = 0; i < 25; ++i)
      for (int j = 0; j < 25; ++j) {
        const double x = -3.5 + 7.0 * i / 24, y = -3.5 + 7.0 * j / 24, s = std::exp(0.5 * x), g = std::exp(y);
        Eigen::MatrixXd covariance = g * g * misfits(points_, points_);
        covariance.diagonal() += sides * s * s * disturbance_;
        const Eigen::MatrixXd a = covariance.inverse(), amounts = (shapes.transpose() * a * shapes).inverse();
        const Eigen::MatrixXd r = a - a * shapes * amounts * shapes.transpose() * a;
        const double log = -0.5 * (x * x + y * y) + 0.5 * std::log(a.determinant() * amounts.determinant()) -
                           0.5 * e.dot(r * e) - degrees * std::log(s) - squares / (2 * sides * s * s);
        double variance = g * g * error.misfit + s * s * error.noise + error.amounts;
        if (error.missed.size() > 0) variance += error.missed.dot(amounts * error.missed);
        for (int k = error.level > 0 ? 0 : 7; k < (error.level > 0 ? 15 : 8); ++k) {
          const double z = -3 + 6.0 * k / 14, tau = 0.02 * std::exp(0.8 * z);
          logs.push_back(log - z * z / 2);
          most = std::max(most, logs.back());
          parts.emplace_back(0, std::sqrt(variance + error.level * tau * tau));
        }
      }
    double all = 0, low = 0, high = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      all += parts[i].first = std::exp(logs[i] - most);
      high = std::max(high, 60 * parts[i].second);
    }
    for (int i = 0; i < 80; ++i) {
      const double h = (low + high) / 2;
      double held = 0;
      for (const auto& [weight, deviation] : parts)
        held += weight / all * std::erf(h / deviation / std::numbers::sqrt2);
      (held < confidence ? low : high) = h;
    }
    return high;
  }

 private:
  using Shares = std::vector<std::pair<double, double>>;

  static Shares shares(const trace::RunSummary& run) {
    Shares all;
    for (const trace::ShapeCount& entry : run.histogram)
      all.emplace_back(entry.shape.src_len, static_cast<double>(entry.count) / static_cast<double>(run.iterations));
    return all;
  }
  double size(double s) const { return s / means_[1]; }
  double misfit(double a, double b) const {
    double sum = a == b ? 3 : 0;  // the nugget's half
    for (const double scale : {4.0, 16.0, 64.0}) sum += std::exp(-std::abs(a - b) / scale);
    return 0.045 * 0.045 * size(a) * size(b) * sum / 6;
  }
  Eigen::Index estimated() const {
    return std::max<Eigen::Index>(1, std::min<Eigen::Index>(3, static_cast<Eigen::Index>(points_.size()) - 1));
  }
  Eigen::MatrixXd shapes_at(const std::vector<double>& lengths) const {
    Eigen::MatrixXd all(lengths.size(), 3);
    for (std::size_t p = 0; p < lengths.size(); ++p)
      for (int j = 0; j < 3; ++j) all(static_cast<Eigen::Index>(p), j) = std::pow(lengths[p], j) / means_[j];
    return all;
  }
  Eigen::VectorXd totals_of(const trace::RunSummary& run) const {
    Eigen::VectorXd totals = Eigen::VectorXd::Zero(3);
    for (const auto& [s, share] : shares(run)) totals += share * shapes_at({s}).row(0).transpose();
    return totals;
  }
  Eigen::MatrixXd misfits(const std::vector<double>& a, const std::vector<double>& b) const {
    Eigen::MatrixXd all(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; j < b.size(); ++j)
        all(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = misfit(a[i], b[j]);
    return all;
  }
  Eigen::VectorXd misfits_with(const trace::RunSummary& run) const {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(points_.size()));
    for (const auto& [s, share] : shares(run)) sum += share * misfits(points_, {s}).col(0);
    return sum;
  }
  double misfit_of(const trace::RunSummary& run) const {
    double sum = 0;
    for (const auto& [a, share_of_a] : shares(run))
      for (const auto& [b, share_of_b] : shares(run)) sum += share_of_a * share_of_b * misfit(a, b);
    return sum;
  }

  std::vector<double> points_;
  double means_[3] = {0, 0, 0};
  Eigen::VectorXd disturbance_;
};

}  // namespace seqpoint::testing
