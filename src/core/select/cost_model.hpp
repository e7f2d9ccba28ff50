/// \file
/// The model of what iterations cost, over the unique signatures of one run: shapes, sizes, covariances, disturbances.
#pragma once

#include <Eigen/Core>

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "seqpoint/model.hpp"
#include "seqpoint/trace.hpp"

namespace seqpoint {

/// A signature as the Gaussian process sees it.
struct CostCoordinates {
  double size = 0;                  ///< z: b (s + t), without padding the tokens, over the run's mean
  std::array<double, 2> sides{};    ///< s, t; without padding tokens / 16 and sq_tokens / tokens
};

/// The covariance of jagged cost between two signatures: jag^2 z z' times the mean over sides and scales of
/// exp(-|difference| / scale).
class JaggedCost {
 public:
  /// `longest`: the largest distance that is met often.
  JaggedCost(const ModelConstants&, bool paired, bool varlen, double longest);
  double operator()(const CostCoordinates& a, const CostCoordinates& b) const {
    double sum = 0;
    for (std::size_t side = 0; side < sides_; ++side) sum += alike(std::abs(a.sides[side] - b.sides[side]));
    return variance_share_ * (a.size * b.size) * sum;
  }
  /// Covariance of every place with sum_g mass_g cost_g, by one pass up and one down the sorted sides: O(G) a scale.
  Eigen::VectorXd with_sum(std::span<const CostCoordinates> places, const Eigen::VectorXd& mass) const;

 private:
  /// Sum over the scales of exp(-distance / scale).
  double alike(double distance) const {
    return whole_distances_ && distance < static_cast<double>(by_distance_.size()) ? by_distance_[static_cast<std::size_t>(distance)] : computed(distance);
  }
  double computed(double distance) const;

  std::array<double, 3> scales_;
  std::size_t sides_;
  double variance_share_;  ///< jag^2 over the number of sides and scales
  bool whole_distances_;  ///< as with padding
  std::vector<double> by_distance_;
};

/// Columns are shapes, rows signatures.
using Shapes = Eigen::MatrixXd;

/// What the shapes and sizes of a run are measured in, so that signatures of other runs can be put on the same scale.
class CostModel {
 public:
  /// `histogram` ascending by signature, not empty. `statistic`: its mean by signature, if the model may look at one: then it
  /// is one more free shape, and a signature's disturbance grows by how far it lies from the fit of the others.
  CostModel(std::span<const SignatureCount> histogram, bool paired, bool varlen, const ModelConstants& = {},
            const std::vector<double>& statistic = {});
  CostModel(const RunSummary& run, const ModelConstants& constants = {});

  std::size_t size() const { return places_.size(); }        ///< G: unique signatures
  std::span<const SignatureCount> histogram() const { return histogram_; }
  const Eigen::VectorXd& shares() const { return shares_; }  ///< p: of the iterations
  const ModelConstants& constants() const { return constants_; }
  const Shapes& free() const { return free_; }               ///< each of mean 1 over the run
  const Shapes& possible() const { return possible_; }       ///< likewise
  const std::vector<CostCoordinates>& places() const { return places_; }
  const JaggedCost& jagged() const { return jagged_; }

  /// K p and p'K p of the jagged part.
  const Eigen::VectorXd& jagged_with_total() const { return jagged_with_total_; }
  double jagged_of_total() const { return jagged_of_total_; }
  /// R p and p'R p; R: covariance without the free shapes, which is K plus the possible shapes'.
  const Eigen::VectorXd& rest_with_total() const { return rest_with_total_; }
  double rest_of_total() const { return rest_of_total_; }
  double rest(std::size_t a, std::size_t b) const;
  /// Column `of` of R, without disturbances: O(G (shapes + sides)).
  void rest_column(std::size_t of, Eigen::VectorXd& column) const;

  /// D: variance of what measurements at signature g add, for `measurements` at so many of its iterations.
  double disturbance(std::size_t g, double iterations = 1, double measurements = 1) const;
  /// sigma^2: the same as a share of the signature's cost, squared.
  double relative_disturbance(double iterations, double measurements) const;
  /// What the run's own disturbances leave in its total, at scale 1: sum p z^2 sigma^2 / N.
  double own_disturbance() const;

  /// Of a signature of this or another run, in this run's units.
  CostCoordinates place_of(const Signature&) const;
  /// The free shapes of signatures of this or another run, in this run's units; not of a model that has a statistic.
  Shapes free_of(std::span<const SignatureCount>) const;
  /// Which of the histogram's entries; size() where it is none of them.
  std::size_t find(const Signature&) const;

 private:
  struct Columns;
  Columns columns_of(std::span<const SignatureCount>) const;
  void fill_shapes(const Columns&);
  void look_at(const std::vector<double>& statistic);

  std::span<const SignatureCount> histogram_;
  bool paired_, varlen_, batch_sizes_vary_ = false, has_statistic_ = false;
  ModelConstants constants_;
  double iterations_ = 0, mean_size_ = 1;
  Eigen::VectorXd shares_;
  std::vector<CostCoordinates> places_;
  JaggedCost jagged_;
  Shapes free_, possible_;
  Eigen::RowVectorXd free_means_;  ///< what free shapes are divided by; 0: left out
  Eigen::VectorXd stray_;  ///< by signature: variance that a statistic shows beyond the model's; empty: 0
  Eigen::VectorXd jagged_with_total_, rest_with_total_;
  double jagged_of_total_ = 0, rest_of_total_ = 0;
};

}  // namespace seqpoint
