/// \file
/// The cost of a run's iterations as a curve of their shapes, fitted to times of one or several iterations each.
#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/select/cost_model.hpp"

namespace seqpoint::eta {

/// Sums over iterations, in the units of the run's cost model.
struct Totals {
  double size = 0;            ///< padded tokens, over their mean in the run
  double squares = 0;         ///< sum of the squares of that
  Eigen::VectorXd functions;  ///< of the model's diffuse functions
};

/// The iterations of a run in the units of its cost model.
class RunCosts {
 public:
  explicit RunCosts(const trace::Trace& run);

  const select::CostModel& model() const { return model_; }
  /// Sums over the iterations from position `begin` to before `end`.
  Totals totals(std::size_t begin, std::size_t end) const;
  /// Sums over the iterations at these positions.
  Totals totals(std::span<const std::uint32_t> positions) const;

 private:
  Totals nothing() const;
  void add(Totals& to, std::size_t position) const;

  select::CostModel model_;
  std::vector<std::uint32_t> row_;  ///< by position: the row of its shape in the model
};

/// What times of a run's iterations say about the cost of others: two predictions. Sums, so that time and memory do not
/// depend on how many are added.
class CostCurve {
 public:
  /// The model has to outlive the object.
  explicit CostCurve(const select::CostModel& model);

  /// Adds the seconds that iterations took together.
  void add(const Totals& timed, double seconds);

  /// Seconds in proportion to size. Requires a time above 0.
  double by_size(const Totals& at) const { return seconds_per_size() * at.size; }
  /// Seconds by the model's diffuse functions: their amounts have the model's prior about a cost in proportion to size,
  /// and disturbances are in proportion to size. The scale of these is that of the residuals.
  double by_functions(const Totals& at) const;
  /// Seconds if all cost were that of the function that these iterations have least of, which no sum of functions with
  /// positive amounts falls below.
  double least(const Totals& at) const { return seconds_ * (at.functions.array() / sums_.array()).minCoeff(); }
  /// The variance of by_functions() in seconds squared: of the amounts, and of the disturbances of these iterations.
  double variance(const Totals& at) const;

 private:
  double seconds_per_size() const { return seconds_ / size_; }
  double residual_scale() const;
  Eigen::MatrixXd precision(double scale) const;
  Eigen::VectorXd amounts(double scale) const;

  const select::CostModel& model_;
  double count_ = 0, size_ = 0, seconds_ = 0;  ///< sums over what was added
  double squares_ = 0;                         ///< of squared seconds, each over the variance of its disturbance
  Eigen::VectorXd sums_;                       ///< of the functions
  Eigen::VectorXd with_seconds_;               ///< of the functions times the seconds, likewise
  Eigen::MatrixXd functions_;                  ///< of the functions' products, likewise
};

}  // namespace seqpoint::eta
