/// \file
/// The model of what iterations cost, over the unique signatures of one run: shapes, sizes, covariances, disturbances.
#pragma once

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "seqpoint/select/model.hpp"
#include "seqpoint/trace/trace.hpp"

namespace seqpoint::select {

/// Which signatures of a model, or which of some points.
using Groups = std::vector<std::size_t>;
/// Columns are shapes, rows signatures.
using Shapes = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Tokens or frames with padding, b (s + t). A batch of empty samples costs something too: as one of one token each.
inline double size_of(const trace::Signature& x) {
  return x.batch_size * std::max(x.src_len + static_cast<double>(x.tgt_len), 1.0);
}

/// Signatures in the units of a model, a row each.
struct ModelRows {
  Eigen::VectorXd counts;  ///< iterations of each
  Eigen::VectorXd size;    ///< z: over the mean of the model's run
  Shapes sides;            ///< s and t; without padding tokens / 16 and sq_tokens / tokens
  Shapes free, possible;   ///< shapes, each over its mean in the model's run

  ModelRows at(const Groups& g) const {
    return {counts(g), size(g), sides(g, Eigen::all), free(g, Eigen::all), possible(g, Eigen::all)};
  }
};

/// The covariances and disturbances of a run's costs, as shares of its mean cost.
class CostModel {
 public:
  /// `histogram` ascending by signature, not empty. `statistic`: its mean by signature, if the model may look at one:
  /// then it is one more free shape, and a signature's disturbance grows by how far it lies from the fit of the others.
  CostModel(std::span<const trace::SignatureCount> histogram, bool paired, bool varlen, const ModelConstants& = {},
            const std::vector<double>& statistic = {});
  CostModel(const trace::RunSummary& run, const ModelConstants& constants = {})
      : CostModel(run.histogram, run.paired, run.varlen, constants) {}

  bool paired() const { return paired_; }
  bool varlen() const { return varlen_; }
  const ModelConstants& constants() const { return constants_; }
  std::size_t size() const { return static_cast<std::size_t>(shares_.size()); }  ///< G: unique signatures
  const Eigen::VectorXd& shares() const { return shares_; }                      ///< p: of the iterations
  const ModelRows& rows() const { return rows_; }                                ///< of the run
  const Shapes& free() const { return rows_.free; }
  /// Signatures of this or another run; not of a model that has a statistic.
  ModelRows rows_of(std::span<const trace::SignatureCount>) const;

  /// Covariance of jagged cost: jag^2 z z' times the mean over sides and scales of exp(-|difference| / scale).
  double jagged(const ModelRows& a, std::size_t i, const ModelRows& b, std::size_t j) const {
    double sum = 0;
    for (Eigen::Index side = 0; side < a.sides.cols(); ++side)
      sum += alike(std::abs(a.sides(i, side) - b.sides(j, side)));
    return variance_share_ * (a.size[i] * b.size[j]) * sum;
  }
  /// Of each row's with the sum of mass x cost over the rows: one pass up and one down the sorted sides, O(G) a scale.
  Eigen::VectorXd jagged_with_sum(const ModelRows& rows, const Eigen::VectorXd& mass) const;

  /// R: covariance without the free shapes, which is the jagged part plus the possible shapes'; R p and p'R p.
  double rest(std::size_t a, std::size_t b) const {
    return jagged(rows_, a, rows_, b) + constants_.possible * rows_.possible.row(a).dot(rows_.possible.row(b));
  }
  const Eigen::VectorXd& rest_with_total() const { return rest_with_total_; }
  double rest_of_total() const { return rest_of_total_; }
  /// D: variance of what one measurement at a signature adds.
  double disturbance(std::size_t g) const {
    return rows_.size[g] * rows_.size[g] * (constants_.disturbance(1, 1) + (stray_.size() > 0 ? stray_[g] : 0));
  }

 private:
  void add_free_shapes(std::vector<double>& to, const trace::Signature&) const;
  void add_possible_shapes(std::vector<double>& to, const trace::Signature&) const;
  void look_at(const std::vector<double>& statistic);
  /// Sum over the scales of exp(-distance / scale).
  double alike(double distance) const {
    const auto whole = static_cast<std::size_t>(distance);
    if (whole < alike_.size()) return alike_[whole];
    double sum = 0;
    for (const double scale : constants_.scales) sum += std::exp(-distance / scale);
    return sum;
  }

  bool paired_, varlen_, batch_sizes_vary_ = false;
  ModelConstants constants_;
  std::vector<double> alike_;  ///< by distance, which is whole with padding: those that are met often
  double variance_share_;      ///< jag^2 over the number of sides and scales
  trace::Signature largest_;   ///< the largest of the run in each dimension
  double mean_size_ = 1;
  Eigen::RowVectorXd free_means_, possible_means_;  ///< what shapes are divided by
  ModelRows rows_;
  Eigen::VectorXd shares_;
  Eigen::VectorXd stray_;  ///< by signature: variance that a statistic shows beyond the model's; empty: 0
  Eigen::VectorXd rest_with_total_;
  double rest_of_total_ = 0;
};

}  // namespace seqpoint::select
