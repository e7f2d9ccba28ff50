#include "core/select/cost_model.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

#include "core/algebra.hpp"

namespace seqpoint::select {
namespace {

/// Correlations of so many distances are cached, and of more distances if there are more shapes: each point that is
/// added needs one for every shape.
constexpr std::size_t kKeptCorrelations = 4096;

/// Divides each basis function (column) by its mean over the run and drops those with mean <= 0. Empty `means`: no
/// change.
FunctionValues divided_by_means(const std::vector<double>& row_by_row, std::size_t rows,
                                const Eigen::RowVectorXd& means) {
  const FunctionValues all = Eigen::Map<const FunctionValues>(row_by_row.data(), rows, row_by_row.size() / rows);
  GroupIndices kept;
  for (Eigen::Index function = 0; function < means.size(); ++function)
    if (means[function] > 0) kept.push_back(function);
  return means.size() == 0 ? all : FunctionValues(all(Eigen::all, kept).array().rowwise() / means(kept).array());
}

}  // namespace

Eigen::VectorXd weighted_least_squares(const FunctionValues& functions, const Eigen::ArrayXd& values,
                                       const Eigen::ArrayXd& weights) {
  const Eigen::MatrixXd columns = functions.array().colwise() * weights;
  return least_squares(columns, (values * weights).matrix());
}

CostModel::CostModel(std::span<const trace::ShapeCount> histogram, trace::ShapeKind kind,
                     const std::vector<double>& metric)
    : kind_(kind), shares_(histogram.size()) {
  if (histogram.empty()) throw std::invalid_argument("CostModel: no shapes");
  for (std::size_t g = 0; g < histogram.size(); ++g) shares_[g] = static_cast<double>(histogram[g].count);
  shares_ /= shares_.sum();
  find_largest(histogram);
  const std::size_t longest = std::max(largest_.src_len, largest_.tgt_len);
  const std::size_t kept = std::min(longest + 1, std::max(kKeptCorrelations, histogram.size()));
  while (kind != trace::ShapeKind::varlen && summed_correlations_.size() < kept)
    summed_correlations_.push_back(summed_correlation(static_cast<double>(summed_correlations_.size())));

  shapes_ = shapes_of(histogram);  // means are not known yet: raw values, to compute them
  mean_size_ = shapes_.relative_size.dot(shares_);
  free_means_ = shares_.transpose() * shapes_.free_functions;
  possible_means_ = shares_.transpose() * shapes_.possible_functions;
  shapes_ = shapes_of(histogram);
  amounts_of_size_ = weighted_least_squares(shapes_.free_functions, shapes_.relative_size, shares_.cwiseSqrt());
  nugget_variance_ = kModelConstants.nugget * kModelConstants.jag * kModelConstants.jag;
  misfit_variance_per_term_ = (1 - kModelConstants.nugget) * kModelConstants.jag * kModelConstants.jag /
                              static_cast<double>(shapes_.lengths.cols() * kModelConstants.scales.size());
  if (!metric.empty()) add_metric(metric);
  add_totals();
}

/// Finds the largest value of each dimension, and whether batch sizes vary: if the share of the iterations with the
/// largest batch size is at most ModelConstants::one_batch_size.
void CostModel::find_largest(std::span<const trace::ShapeCount> histogram) {
  double of_largest_batch = 0, all = 0;
  for (const auto& [shape, count] : histogram) {
    largest_.src_len = std::max(largest_.src_len, shape.src_len);
    largest_.tgt_len = std::max(largest_.tgt_len, shape.tgt_len);
    largest_.tokens = std::max(largest_.tokens, shape.tokens);
    if (shape.batch_size > largest_.batch_size) of_largest_batch = 0;
    largest_.batch_size = std::max(largest_.batch_size, shape.batch_size);
    if (shape.batch_size == largest_.batch_size) of_largest_batch += static_cast<double>(count);
    all += static_cast<double>(count);
  }
  batch_sizes_vary_ = kind_ != trace::ShapeKind::varlen && of_largest_batch / all <= kModelConstants.one_batch_size;
}

/// Computes F'p, R p and p'R p.
void CostModel::add_totals() {
  const FunctionValues &free = shapes_.free_functions, &possible = shapes_.possible_functions;
  free_totals_ = free.transpose() * shares_;
  covariance_beside_free_with_total_ = kModelConstants.possible * (possible * (possible.transpose() * shares_));
  covariance_beside_free_with_total_ += misfit_covariance_with_sum(shapes_, shares_);
  variance_beside_free_of_total_ = shares_.dot(covariance_beside_free_with_total_);
}

ModelShapes CostModel::shapes_of(std::span<const trace::ShapeCount> histogram) const {
  if (metric_variance_.size() > 0) throw std::logic_error("CostModel: the metric is not known of other shapes");
  ModelShapes rows;
  rows.counts = rows.relative_size = Eigen::VectorXd(histogram.size());
  const bool varlen = kind_ == trace::ShapeKind::varlen, paired = kind_ == trace::ShapeKind::padded_pair;
  rows.lengths.resize(histogram.size(), varlen || paired ? 2 : 1);
  std::vector<double> free, possible;
  for (std::size_t g = 0; g < histogram.size(); ++g) {
    const trace::Shape& x = histogram[g].shape;
    rows.shapes.push_back(x);
    rows.counts[g] = static_cast<double>(histogram[g].count);
    rows.relative_size[g] = shape_size(x) / mean_size_;
    rows.lengths(g, 0) = varlen ? x.tokens / kTokensPerUnit : x.src_len;
    if (varlen) rows.lengths(g, 1) = static_cast<double>(x.sq_tokens) / std::max<double>(x.tokens, 1);
    if (paired) rows.lengths(g, 1) = x.tgt_len;
    add_free_functions(free, x);
    add_possible_functions(possible, x);
  }
  rows.free_functions = divided_by_means(free, histogram.size(), free_means_);
  rows.possible_functions = divided_by_means(possible, histogram.size(), possible_means_);
  return rows;
}

/// Appends 1, b s and b s^2; for pairs 1, b s, b t and b s t; without padding 1, tokens and squares. If batch sizes
/// vary, also b.
void CostModel::add_free_functions(std::vector<double>& to, const trace::Shape& x) const {
  const double s = x.src_len, t = x.tgt_len, b = x.batch_size;
  to.push_back(1);
  if (kind_ == trace::ShapeKind::varlen)
    to.insert(to.end(), {static_cast<double>(x.tokens), static_cast<double>(x.sq_tokens)});
  else if (kind_ == trace::ShapeKind::padded_pair)
    to.insert(to.end(), {b * s, b * t, b * s * t});
  else
    to.insert(to.end(), {b * s, b * (s * s)});
  if (batch_sizes_vary_) to.push_back(b);
}

/// Appends, for each side of length s, b s^3, b sqrt(s), and b ceil(s / tile) for tiles below the longest length; for
/// pairs also b s^2. If batch sizes vary, each side also has s; otherwise b comes first. Without padding: sqrt(tokens),
/// and ceil(tokens / tile).
void CostModel::add_possible_functions(std::vector<double>& to, const trace::Shape& x) const {
  const auto add_staircases = [&](double times, double length, double longest, std::span<const double> tiles) {
    for (const double tile : tiles)
      if (tile < longest) to.push_back(times * std::ceil(length / tile));
  };
  if (kind_ == trace::ShapeKind::varlen) {
    to.push_back(std::sqrt(x.tokens));
    return add_staircases(1, x.tokens, largest_.tokens, kTokenTiles);
  }
  const bool paired = kind_ == trace::ShapeKind::padded_pair;
  const double b = x.batch_size;
  const auto add_side = [&](double length, double longest) {
    if (paired) to.push_back(b * (length * length));
    to.insert(to.end(), {b * (length * length * length), b * std::sqrt(length)});
    if (batch_sizes_vary_) to.push_back(length);
    add_staircases(b, length, longest, kLengthTiles);
  };
  if (!batch_sizes_vary_) to.push_back(b);
  add_side(x.src_len, largest_.src_len);
  if (paired) add_side(x.tgt_len, largest_.tgt_len);
}

/// Adds a measured column, divided by its mean, to the diffuse functions. The squared relative error of the fit by the
/// other diffuse functions is added to D. Does nothing if the mean is not above 0.
void CostModel::add_metric(const std::vector<double>& metric) {
  constexpr double kSmall = 1e-9;  // of the mean: smaller values are not divided by
  const Eigen::Map<const Eigen::VectorXd> raw(metric.data(), shares_.size());
  const Eigen::VectorXd scaled = raw / raw.cwiseAbs().maxCoeff();
  const double mean = shares_.dot(scaled);
  if (!(mean > 0 && std::isfinite(mean))) return;  // no mean to divide by
  const Eigen::ArrayXd values = scaled / mean, weights = shares_.array().sqrt() / values.abs().max(kSmall);
  const Eigen::ArrayXd fitted =
      shapes_.free_functions * weighted_least_squares(shapes_.free_functions, values, weights);
  metric_variance_ = ((values - fitted) / fitted.abs().max(kSmall)).square();
  shapes_.free_functions.conservativeResize(Eigen::NoChange, shapes_.free_functions.cols() + 1);
  shapes_.free_functions.rightCols(1) = values;
}

Eigen::VectorXd CostModel::misfit_covariance_with_sum(const ModelShapes& rows, const Eigen::VectorXd& mass) const {
  const Eigen::Map<const Eigen::Array3d> scales(kModelConstants.scales.data());
  const Eigen::VectorXd sized = mass.cwiseProduct(rows.relative_size), half = sized / 2;  // a row adds itself twice
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(mass.size());
  GroupIndices order(half.size());
  for (Eigen::Index side = 0; side < rows.lengths.cols(); ++side) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return rows.lengths(a, side) < rows.lengths(b, side); });
    for (int way = 0; way < 2; ++way) {
      Eigen::Array3d carried = Eigen::Array3d::Zero();
      double last = rows.lengths(order.front(), side);
      for (const std::size_t g : order) {
        const double here = rows.lengths(g, side);
        carried = carried * (-std::abs(here - last) / scales).exp() + half[g];
        sum[g] += carried.sum();
        carried += half[g];
        last = here;
      }
      std::reverse(order.begin(), order.end());
    }
  }
  sum *= misfit_variance_per_term_;
  const auto shape = [&](std::size_t g) -> const trace::Shape& { return rows.shapes[g]; };
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, shape);
  for (auto begin = order.begin(), end = begin; begin != order.end();) {
    double of_equals = 0;
    for (; end != order.end() && shape(*end) == shape(*begin); ++end) of_equals += sized[*end];
    for (; begin != end; ++begin) sum[*begin] += nugget_variance_ * of_equals;
  }
  return sum.cwiseProduct(rows.relative_size);
}

GroupIndices groups_of(std::span<const trace::Shape> shapes, const CostModel& model) {
  const std::vector<trace::Shape>& all = model.shapes().shapes;
  GroupIndices groups;
  for (const trace::Shape& shape : shapes)
    groups.push_back(static_cast<std::size_t>(std::ranges::lower_bound(all, shape) - all.begin()));
  return groups;
}

Eigen::VectorXd weight_shares(const Selection& selection) {
  Eigen::VectorXd shares(selection.points.size());
  for (Eigen::Index p = 0; p < shares.size(); ++p)
    shares[p] = selection.points[p].weight.iterations() / static_cast<double>(selection.run.iterations);
  return shares;
}

}  // namespace seqpoint::select
