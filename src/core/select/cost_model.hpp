/// \file
/// The statistical model of the cost of iterations, over the unique shapes of a run (docs/method.md).
#pragma once

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/select/select.hpp"
#include "core/trace/trace.hpp"

namespace seqpoint::select {

/// Positions of shapes in a model, or of points in a list.
using GroupIndices = std::vector<std::size_t>;
/// Basis functions of the cost model: one row per shape, one column per function.
using FunctionValues = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Padded tokens or frames, b (s + t), or tokens without padding. Empty samples count as one token each, and a batch
/// without tokens as one, because it costs something too.
inline double shape_size(const trace::Shape& x) {
  if (x.batch_size == 0) return std::max<double>(x.tokens, 1);  // without padding
  return x.batch_size * std::max(x.src_len + static_cast<double>(x.tgt_len), 1.0);
}

/// Coefficients of the functions that fit values best: least squares of errors times `weights`; the smallest ones if
/// several fit equally well.
Eigen::VectorXd weighted_least_squares(const FunctionValues&, const Eigen::ArrayXd& values,
                                       const Eigen::ArrayXd& weights);

/// Shapes in the units of a model, one per row.
struct ModelShapes {
  std::vector<trace::Shape> shapes;
  Eigen::VectorXd counts;                             ///< number of iterations of each
  Eigen::VectorXd relative_size;                      ///< z: size over its mean in the model's run
  FunctionValues lengths;                             ///< s and t; without padding tokens / 16 and sq_tokens / tokens
  FunctionValues free_functions, possible_functions;  ///< each over its mean in the model's run

  /// The rows at these positions, in their order.
  ModelShapes at(const GroupIndices& g) const {
    std::vector<trace::Shape> some;
    for (const std::size_t i : g) some.push_back(shapes[i]);
    return {.shapes = std::move(some),
            .counts = counts(g),
            .relative_size = relative_size(g),
            .lengths = lengths(g, Eigen::all),
            .free_functions = free_functions(g, Eigen::all),
            .possible_functions = possible_functions(g, Eigen::all)};
  }
};

/// The covariances and noise of a run's costs, as shares of its mean cost.
class CostModel {
 public:
  /// `histogram` ascending by shape, not empty. `metric`: the mean of a measured column by shape, if the model may use
  /// one: then it is one more diffuse function, and D of a shape grows with its distance from the fit of the others.
  CostModel(std::span<const trace::ShapeCount> histogram, trace::ShapeKind, const std::vector<double>& metric = {});
  CostModel(const trace::RunSummary& run) : CostModel(run.histogram, run.kind) {}

  trace::ShapeKind kind() const { return kind_; }
  std::size_t size() const { return static_cast<std::size_t>(shares_.size()); }  ///< G: unique shapes
  const Eigen::VectorXd& shares() const { return shares_; }                      ///< p: of the iterations
  const ModelShapes& shapes() const { return shapes_; }
  /// The largest batch size; nothing if batch sizes vary or nothing is padded.
  std::optional<std::uint32_t> only_batch_size() const {
    if (batch_sizes_vary_ || kind_ == trace::ShapeKind::varlen) return std::nullopt;
    return largest_.batch_size;
  }
  const FunctionValues& free_functions() const { return shapes_.free_functions; }
  const Eigen::VectorXd& free_totals() const { return free_totals_; }  ///< F'p
  /// Amounts of the diffuse functions whose sum is proportional to size.
  const Eigen::VectorXd& amounts_of_size() const { return amounts_of_size_; }
  /// Shapes of this or another run in this model's units. Not for a model with a metric.
  ModelShapes shapes_of(std::span<const trace::ShapeCount>) const;

  /// K: covariance of the misfits of two shapes, jag^2 z z' times (1 - nugget) of the mean over lengths and scales of
  /// exp(-|difference| / scale), plus the nugget if the shapes are equal.
  double misfit_covariance(const ModelShapes& a, std::size_t i, const ModelShapes& b, std::size_t j) const {
    double sum = 0, apart = 0;
    for (Eigen::Index side = 0; side < a.lengths.cols(); ++side) {
      const double distance = std::abs(a.lengths(i, side) - b.lengths(j, side));
      sum += summed_correlation(distance);
      apart += distance;
    }
    const double of_equals = apart == 0 && a.shapes[i] == b.shapes[j] ? nugget_variance_ : 0;
    return (a.relative_size[i] * b.relative_size[j]) * (misfit_variance_per_term_ * sum + of_equals);
  }
  /// Covariance of each row's misfit with the sum of mass x misfit over the rows: one pass up and one down the sorted
  /// lengths, O(G) per scale.
  Eigen::VectorXd misfit_covariance_with_sum(const ModelShapes& rows, const Eigen::VectorXd& mass) const;

  /// R: covariance without the diffuse functions' part: misfit and possible functions. Below: R p and p'R p.
  double covariance_beside_free(std::size_t a, std::size_t b) const {
    return misfit_covariance(shapes_, a, shapes_, b) +
           kModelConstants.possible * shapes_.possible_functions.row(a).dot(shapes_.possible_functions.row(b));
  }
  const Eigen::VectorXd& covariance_beside_free_with_total() const { return covariance_beside_free_with_total_; }
  double variance_beside_free_of_total() const { return variance_beside_free_of_total_; }
  /// D: noise variance of the mean of so many measurements at a shape, as a share of the mean cost squared. They are at
  /// different iterations, as many as the shape has, up to Point::kMaxOccurrences; more measurements repeat these.
  double disturbance_variance(std::size_t g, std::uint64_t measurements = 1) const {
    const double iterations = std::min<double>(shapes_.counts[g], Point::kMaxOccurrences);
    return shapes_.relative_size[g] * shapes_.relative_size[g] *
           (kModelConstants.disturbance_variance(iterations, static_cast<double>(measurements)) +
            (metric_variance_.size() > 0 ? metric_variance_[g] : 0));
  }

 private:
  void find_largest(std::span<const trace::ShapeCount>);
  void add_totals();
  void add_free_functions(std::vector<double>& to, const trace::Shape&) const;
  void add_possible_functions(std::vector<double>& to, const trace::Shape&) const;
  void add_metric(const std::vector<double>& metric);
  /// The sum over the scales of exp(-distance / scale).
  double summed_correlation(double distance) const {
    const auto whole = static_cast<std::size_t>(distance);
    if (whole < summed_correlations_.size()) return summed_correlations_[whole];
    double sum = 0;
    for (const double scale : kModelConstants.scales) sum += std::exp(-distance / scale);
    return sum;
  }

  trace::ShapeKind kind_;
  bool batch_sizes_vary_ = false;            ///< never without padding
  std::vector<double> summed_correlations_;  ///< cache by distance, which is whole with padding; empty without
  double misfit_variance_per_term_;          ///< (1 - nugget) jag^2 over the number of sides and scales
  double nugget_variance_;                   ///< nugget jag^2
  trace::Shape largest_;                     ///< the largest value of each dimension
  double mean_size_ = 1;
  Eigen::RowVectorXd free_means_, possible_means_;  ///< over the run, before they are divided
  ModelShapes shapes_;
  Eigen::VectorXd shares_, amounts_of_size_;
  Eigen::VectorXd metric_variance_;  ///< by shape, relative, added to D; empty: no metric
  Eigen::VectorXd free_totals_, covariance_beside_free_with_total_;
  double variance_beside_free_of_total_ = 0;
};

/// Positions of these shapes in the model, which has all of them.
GroupIndices groups_of(std::span<const trace::Shape>, const CostModel& model);
/// The points' weights as shares of the iterations.
Eigen::VectorXd weight_shares(const Selection&);

}  // namespace seqpoint::select
