// The expected cost of an iteration, from a measured run.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/numbers.hpp"
#include "core/select/cost_model.hpp"
#include "core/select/select.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::select {

ExpectedCost::ExpectedCost(const trace::Trace& measured, std::span<const double> values, const std::string& source)
    : smallest_measured_(std::numeric_limits<double>::infinity()), source_(source) {
  std::map<trace::Shape, std::vector<double>> found;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    found[measured.shapes[i]].push_back(values[i]);
    smallest_measured_ = std::min(smallest_measured_, values[i]);
  }
  if (found.empty())
    throw InputError({source}, "holds no iteration that was measured", "give a trace of a run that was measured");
  std::vector<trace::ShapeCount> histogram;
  Eigen::VectorXd costs(found.size());
  for (const auto& [shape, of_shape] : found) {
    costs[histogram.size()] = means_[shape] = mean(of_shape);
    histogram.push_back({shape, of_shape.size()});
  }
  model_ = std::make_shared<const CostModel>(histogram, measured.kind);
  const ModelShapes& rows = model_->shapes();
  const Eigen::VectorXd shares =
      weighted_least_squares(rows.free_functions, costs, rows.counts.array().sqrt() / rows.relative_size.array());
  coefficients_.assign(shares.begin(), shares.end());
}

double ExpectedCost::operator()(const trace::Shape& shape) const {
  if (const auto known = means_.find(shape); known != means_.end()) return known->second;
  const trace::ShapeCount one{shape, 1};
  const FunctionValues functions = model_->shapes_of(std::span(&one, 1)).free_functions;
  return std::max(functions.row(0).dot(Eigen::Map<const Eigen::RowVectorXd>(coefficients_.data(), functions.size())),
                  smallest_measured_);
}

double ExpectedCost::total(std::span<const trace::ShapeCount> histogram) const {
  double sum = 0;
  for (const trace::ShapeCount& entry : histogram) sum += static_cast<double>(entry.count) * (*this)(entry.shape);
  return sum;
}

void ExpectedCost::require_same_shape_kind(const trace::RunSummary& run) const {
  if (model_->kind() == run.kind) return;
  throw InputError({source_},
                   fmt::format("is of iterations with {}, which those of the run do not have",
                               trace::properties_of(model_->kind()).lengths),
                   "`timings` takes a trace with the same columns of lengths as the run");
}

ExpectedCost expected_seconds(const trace::Trace& measured, const std::string& source) {
  const trace::Metric* const found = measured.time_metric();
  if (found == nullptr)
    throw InputError({source, 1}, "has no column of seconds, such as runtime_s",
                     "`timings` takes a trace of iterations that were timed");
  for (std::size_t i = 0; i < found->values.size(); ++i)
    if (!(found->values[i] > 0))
      throw InputError({source, 0, found->name},
                       "iteration " + std::to_string(measured.iteration_number(i)) + " has no time above zero",
                       "every iteration of `timings` needs its seconds; leave out those that were not timed");
  return ExpectedCost(measured, found->values, source);
}

}  // namespace seqpoint::select
