#include "core/select/cost_model.hpp"

#include <Eigen/QR>

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

namespace seqpoint::select {
namespace {

/// Distances whose exponentials are kept: longer ones are hardly met, and computed when they are.
constexpr std::size_t kMostKept = 4096;

/// Shapes over their means, if these are known yet. One that is 0 all over the run (lengths of 0) is left out.
Shapes divided(const std::vector<double>& row_by_row, std::size_t rows, const Eigen::RowVectorXd& means) {
  const Shapes all = Eigen::Map<const Shapes>(row_by_row.data(), rows, row_by_row.size() / rows);
  Groups kept;
  for (Eigen::Index shape = 0; shape < means.size(); ++shape)
    if (means[shape] > 0) kept.push_back(shape);
  return means.size() == 0 ? all : Shapes(all(Eigen::all, kept).array().rowwise() / means(kept).array());
}

}  // namespace

CostModel::CostModel(std::span<const trace::SignatureCount> histogram, bool paired, bool varlen,
                     const ModelConstants& constants, const std::vector<double>& statistic)
    : paired_(paired), varlen_(varlen), constants_(constants) {
  if (histogram.empty()) throw std::invalid_argument("CostModel: no signatures");
  while (!varlen && alike_.size() < kMostKept) alike_.push_back(alike(static_cast<double>(alike_.size())));
  double iterations = 0, of_largest_batch = 0;
  for (const auto& [signature, count] : histogram) {
    largest_.src_len = std::max(largest_.src_len, signature.src_len);
    largest_.tgt_len = std::max(largest_.tgt_len, signature.tgt_len);
    if (signature.batch_size > largest_.batch_size) of_largest_batch = 0;
    largest_.batch_size = std::max(largest_.batch_size, signature.batch_size);
    if (signature.batch_size == largest_.batch_size) of_largest_batch += static_cast<double>(count);
    iterations += static_cast<double>(count);
  }
  batch_sizes_vary_ = !varlen && of_largest_batch <= constants.one_batch_size * iterations;

  rows_ = rows_of(histogram);  // in units of one, which says what the units are to be
  shares_ = rows_.counts / iterations;
  mean_size_ = shares_.dot(rows_.size);
  free_means_ = shares_.transpose() * rows_.free;
  possible_means_ = shares_.transpose() * rows_.possible;
  rows_ = rows_of(histogram);
  variance_share_ = constants.jag * constants.jag / static_cast<double>(rows_.sides.cols() * constants.scales.size());
  if (!statistic.empty()) look_at(statistic);

  const Eigen::RowVectorXd possible = shares_.transpose() * rows_.possible;
  rest_with_total_ = jagged_with_sum(rows_, shares_) + constants.possible * (rows_.possible * possible.transpose());
  rest_of_total_ = shares_.dot(rest_with_total_);
}

ModelRows CostModel::rows_of(std::span<const trace::SignatureCount> histogram) const {
  if (stray_.size() > 0) throw std::logic_error("CostModel: a statistic is not known of other signatures");
  ModelRows rows;
  rows.counts = rows.size = Eigen::VectorXd(histogram.size());
  rows.sides.resize(histogram.size(), paired_ || varlen_ ? 2 : 1);
  std::vector<double> free, possible;
  for (std::size_t g = 0; g < histogram.size(); ++g) {
    const trace::Signature& x = histogram[g].signature;
    rows.counts[g] = static_cast<double>(histogram[g].count);
    rows.size[g] = size_of(x) / mean_size_;
    rows.sides(g, 0) = varlen_ ? x.src_len / kTokensPerUnit : x.src_len;
    if (varlen_) rows.sides(g, 1) = static_cast<double>(x.sq_tokens) / std::max<double>(x.src_len, 1);
    if (paired_) rows.sides(g, 1) = x.tgt_len;
    add_free_shapes(free, x);
    add_possible_shapes(possible, x);
  }
  rows.free = divided(free, histogram.size(), free_means_);
  rows.possible = divided(possible, histogram.size(), possible_means_);
  return rows;
}

void CostModel::add_free_shapes(std::vector<double>& to, const trace::Signature& x) const {
  const double s = x.src_len, t = x.tgt_len, b = x.batch_size;
  to.push_back(1);
  if (varlen_)
    to.insert(to.end(), {s, static_cast<double>(x.sq_tokens)});
  else if (paired_)
    to.insert(to.end(), {b * s, b * t, b * s * t});
  else
    to.insert(to.end(), {b * s, b * (s * s)});
  if (batch_sizes_vary_) to.push_back(b);
}

void CostModel::add_possible_shapes(std::vector<double>& to, const trace::Signature& x) const {
  const double b = x.batch_size;
  const auto add_staircases = [&](double length, double longest, std::span<const double> tiles) {
    for (const double tile : tiles)
      if (tile < longest) to.push_back(b * std::ceil(length / tile));
  };
  const auto add_side = [&](double length, double longest) {
    if (paired_) to.push_back(b * (length * length));
    to.insert(to.end(), {b * (length * length * length), b * std::sqrt(length)});
    if (batch_sizes_vary_) to.push_back(length);
    add_staircases(length, longest, kLengthTiles);
  };
  if (varlen_) {
    to.push_back(std::sqrt(x.src_len));
    return add_staircases(x.src_len, largest_.src_len, kTokenTiles);
  }
  if (!batch_sizes_vary_) to.push_back(b);
  add_side(x.src_len, largest_.src_len);
  if (paired_) add_side(x.tgt_len, largest_.tgt_len);
}

/// A measured column over its mean, fitted by the free shapes in relative terms, each signature as often as it occurs.
void CostModel::look_at(const std::vector<double>& statistic) {
  constexpr double kSmall = 1e-9;  // below that share of the mean, a value's own size says nothing
  const Eigen::Map<const Eigen::VectorXd> raw(statistic.data(), shares_.size());
  const Eigen::VectorXd scaled = raw / raw.cwiseAbs().maxCoeff();
  const double mean = shares_.dot(scaled);
  if (!(mean > 0 && std::isfinite(mean))) return;  // nothing that the other shapes' totals could be compared with
  const Eigen::ArrayXd values = scaled / mean, root = shares_.array().sqrt() / values.abs().max(kSmall);
  const Eigen::MatrixXd weighted = rows_.free.array().colwise() * root;
  const Eigen::ArrayXd fitted = rows_.free * weighted.colPivHouseholderQr().solve((values * root).matrix());
  stray_ = ((values - fitted) / fitted.abs().max(kSmall)).square();
  rows_.free.conservativeResize(Eigen::NoChange, rows_.free.cols() + 1);
  rows_.free.rightCols(1) = values;
}

Eigen::VectorXd CostModel::jagged_with_sum(const ModelRows& rows, const Eigen::VectorXd& mass) const {
  const Eigen::Map<const Eigen::Array3d> scales(constants_.scales.data());
  const Eigen::VectorXd half = mass.cwiseProduct(rows.size) / 2;  // each row counts itself on the way up and down
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(mass.size());
  Groups order(half.size());
  for (Eigen::Index side = 0; side < rows.sides.cols(); ++side) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return rows.sides(a, side) < rows.sides(b, side); });
    for (int way = 0; way < 2; ++way) {
      Eigen::Array3d carried = Eigen::Array3d::Zero();
      double last = rows.sides(order.front(), side);
      for (const std::size_t g : order) {
        const double here = rows.sides(g, side);
        carried = carried * (-std::abs(here - last) / scales).exp() + half[g];
        sum[g] += carried.sum();
        carried += half[g];
        last = here;
      }
      std::reverse(order.begin(), order.end());
    }
  }
  return variance_share_ * sum.cwiseProduct(rows.size);
}

}  // namespace seqpoint::select
