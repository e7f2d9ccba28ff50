#include "core/checks/misplaced_times.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "core/distributions.hpp"
#include "core/linear_algebra.hpp"
#include "core/rng/rng.hpp"
#include "core/select/point_fit.hpp"

namespace seqpoint::checks {
namespace {

/// Costs as the model has them, with amounts of diffuse functions as in predictions and all scales unknown.
class PlacedCosts {
 public:
  PlacedCosts(const select::CostModel& model, const PlacedTimes& times)
      : constants_(model.constants()),
        functions_(times.at.free_functions),
        usual_amounts_(Eigen::VectorXd::Zero(functions_.cols())),
        deviation_(times.variance.cwiseSqrt()),
        weights_(times.weights / times.weights.sum()),
        degrees_(std::floor(times.within.degrees)),
        by_size_(times.at.shapes.size()) {
    usual_amounts_.head(model.amounts_of_size().size()) = model.amounts_of_size();
    Eigen::MatrixXd misfit = select::misfit_among(model, times.at);
    for (int i = 0; i < kNoiseSteps; ++i) add_scale(step(i, kNoiseSteps, 2), misfit, times.variance);
    misfit.diagonal() *= 1 + 1e-9;  // so that the Cholesky factor exists
    misfit_root_ = Eigen::LLT<Eigen::MatrixXd>(misfit).matrixL();
    std::iota(by_size_.begin(), by_size_.end(), Eigen::Index{0});
    std::ranges::stable_sort(by_size_, {}, [&](Eigen::Index p) { return times.at.relative_size[p]; });
  }

  double degrees() const { return degrees_; }

  /// Increase of the log-likelihood if costs are sorted so that they ascend with size; ties of sizes keep their order.
  /// `squares`: squared deviations of measurements from their point's mean, divided by their variance at scale 1.
  double gain(const Eigen::VectorXd& costs, double squares) const {
    std::vector<double> ascending(costs.begin(), costs.end());
    std::ranges::sort(ascending);
    Eigen::VectorXd sorted(costs.size());
    for (std::size_t rank = 0; rank < ascending.size(); ++rank) sorted[by_size_[rank]] = ascending[rank];
    return log_likelihood(sorted, squares) - log_likelihood(costs, squares);
  }

  /// Draws from the model costs, all above 0, and the `squares` of gain(). Amounts of diffuse functions are made
  /// positive, because work takes time.
  std::pair<Eigen::VectorXd, double> draw(rng::NumpyRandom& random) const {
    const auto normal = [&] { return normal_quantile(random.real() * (1 - 1e-15) + 1e-16); };
    const auto normals = [&](Eigen::Index size) {
      Eigen::VectorXd drawn(size);
      for (double& entry : drawn) entry = normal();
      return drawn;
    };
    for (;;) {
      const double s = std::exp(constants_.noise_spread * normal()), g = std::exp(constants_.misfit_spread * normal());
      const Eigen::VectorXd amounts = (usual_amounts_ + constants_.amount * normals(usual_amounts_.size())).cwiseAbs();
      // One statement each: compilers may evaluate the operands of a sum in any order.
      Eigen::VectorXd costs = functions_ * amounts;
      costs += g * (misfit_root_ * normals(deviation_.size()));
      costs += s * deviation_.cwiseProduct(normals(deviation_.size()));
      const double squares = s * s * normals(static_cast<Eigen::Index>(degrees_)).squaredNorm();
      if (costs.minCoeff() > 0) return {std::move(costs), squares};
    }
  }

 private:
  static constexpr int kNoiseSteps = 5, kMisfitSteps = 9;  // a likelihood ratio needs no finer grids

  /// The i-th of `steps` equidistant values from -farthest to farthest, in standard deviations of a prior.
  static double step(int i, int steps, double farthest) { return farthest * (2.0 * i / (steps - 1) - 1); }

  /// One noise scale, in a basis in which the covariance is diagonal for every scale of the misfit.
  struct AtScale {
    double noise;                ///< s
    Eigen::MatrixXd basis;       ///< takes costs there
    Eigen::MatrixXd precisions;  ///< a column for each scale of the misfit
    Eigen::ArrayXd constants;    ///< constants of the logarithm, for each
  };

  /// Prepares the noise scale that is x standard deviations of its prior from the median.
  void add_scale(double x, const Eigen::MatrixXd& misfit, const Eigen::VectorXd& variance) {
    const double noise = std::exp(constants_.noise_spread * x);
    Eigen::MatrixXd known = constants_.amount * constants_.amount * functions_ * functions_.transpose();
    known.diagonal() += noise * noise * variance;
    const Eigen::MatrixXd root = Eigen::LLT<Eigen::MatrixXd>(known).matrixL();
    const auto whitened = [&](const Eigen::MatrixXd& m) -> Eigen::MatrixXd {
      return root.triangularView<Eigen::Lower>().solve(m);
    };
    const SymmetricEigen eigen(whitened(whitened(misfit).transpose()));
    AtScale at{noise, eigen.vectors.transpose() * whitened(Eigen::MatrixXd::Identity(root.rows(), root.rows())),
               Eigen::MatrixXd(root.rows(), kMisfitSteps), Eigen::ArrayXd(kMisfitSteps)};
    for (int j = 0; j < kMisfitSteps; ++j) {
      const double y = step(j, kMisfitSteps, 3), g = std::exp(constants_.misfit_spread * y);
      at.precisions.col(j) = (1 + g * g * eigen.values.array().max(0.0)).inverse();
      at.constants[j] = 0.5 * at.precisions.col(j).array().log().sum() - root.diagonal().array().log().sum() -
                        0.5 * (x * x + y * y) - degrees_ * std::log(noise);
    }
    scales_.push_back(std::move(at));
  }

  /// Log-likelihood of costs and squared deviations, summed over the grid of both scales, up to a constant.
  double log_likelihood(const Eigen::VectorXd& costs, double squares) const {
    const Eigen::VectorXd off = costs / weights_.dot(costs) - functions_ * usual_amounts_;
    Eigen::ArrayXd logs(kNoiseSteps * kMisfitSteps);
    for (std::size_t i = 0; i < scales_.size(); ++i) {
      const AtScale& at = scales_[i];
      logs.segment(static_cast<Eigen::Index>(i) * kMisfitSteps, kMisfitSteps) =
          at.constants - 0.5 * (at.precisions.transpose() * (at.basis * off).cwiseAbs2()).array() -
          0.5 * squares / (at.noise * at.noise);
    }
    const double most = logs.maxCoeff();
    return most + std::log((logs - most).exp().sum());
  }

  const select::ModelConstants& constants_;
  const select::FunctionValues& functions_;
  Eigen::VectorXd usual_amounts_, deviation_, weights_;
  double degrees_;
  std::vector<Eigen::Index> by_size_;  ///< points, the smallest first
  Eigen::MatrixXd misfit_root_;
  std::vector<AtScale> scales_;
};

}  // namespace

double probability_of_misplaced(const select::CostModel& model, const PlacedTimes& times, double level) {
  constexpr int kDraws = 20'000;
  const PlacedCosts costs(model, times);
  const double squares = times.within.degrees > 0 ? times.within.squares * costs.degrees() / times.within.degrees : 0,
               gain = costs.gain(times.values, squares);
  if (gain < std::log(1 / level)) return 1;  // a likelihood ratio that is not significant at that level
  const auto probability = [](int drawn) { return static_cast<double>(1 + drawn) / (kDraws + 1); };
  rng::NumpyRandom random(0);
  int as_much = 0;
  for (int n = 0; n < kDraws && probability(as_much) < level; ++n) {
    const auto [drawn, squares_drawn] = costs.draw(random);
    as_much += costs.gain(drawn, squares_drawn) >= gain ? 1 : 0;
  }
  return probability(as_much);
}

}  // namespace seqpoint::checks
