/// \file
/// What an iteration may cost: the family of cost functions that calibrated weights are to integrate well.
#pragma once

#include <Eigen/Core>

#include <cstdint>
#include <vector>

#include "signature_groups.hpp"

namespace seqpoint {

/// As many points can hold what a run of pairs and varying batch sizes asks for, and have a choice left.
constexpr std::uint64_t kFewPoints = 8;

/// Cost functions of a signature (b sequences, padded to s and t), each divided by its mean over the run, so that the
/// weights v of a good selection (shares of the run) have v . column = 1.
struct CostModel {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Rows features;                ///< groups x functions: smooth in s and t, and staircases, since hardware pads to tiles
  Rows shapes;                  ///< groups x functions f that both lengths share: b (f(s) + f(t)), and b s t
  Rows constraints;             ///< groups x functions to hold exactly, the most important first: 1, b s, ...
  Rows constraints_of_few;      ///< those of fewer than kFewPoints points
  Eigen::ArrayXd size;          ///< b (s + t): what a cost is about proportional to
  Eigen::ArrayXd share;         ///< of the run's iterations
  Eigen::ArrayXd count;         ///< iterations
};

/// The functions of METHOD 4: b, b s, b s^2, b s^3, b sqrt s, b ceil(s / m) for the tiles m below the largest s; for
/// pairs b t, b s t, b t^2, and the staircases of t too; where the batch size varies also s and t, since a recurrent
/// network pays for every time step whatever the batch. Constraints: 1, b s, b s^2; for pairs 1, b s, b t, b s t; last, b,
/// unless most iterations have one batch size: a single short batch must not claim a point. Pairs of many batch sizes have
/// the feature b t^3 too, and few points hold 1 and b (s + t) alone. With a measured statistic, its
/// mean by signature is one more feature. A function that is 0 all over the run is left out.
/// Shapes: s, s^2, s^3, sqrt s and the staircases.
/// Without padding, features and shapes: 1, tokens, sq_tokens, sqrt tokens, staircases of tokens; constraints 1, tokens, sq_tokens.
CostModel cost_model(const std::vector<SignatureGroup>& groups, const Trace& run, bool has_statistic);

/// How alike the costs of two signatures may be beyond what the features say: size x the mean, over the lengths s and t
/// (without padding: tokens, and the mean length of the sequence that a token is in) and some scales, of
/// exp(-|distance| / scale). A cost that is jagged at any of those scales is a draw from such a process, and integrating
/// its draws well on average is Bayesian quadrature (O'Hagan 1991).
class LocalProcess {
 public:
  LocalProcess(const std::vector<SignatureGroup>& groups, const CostModel& model, const Trace& run);
  double covariance(std::size_t a, std::size_t b) const;
  /// Covariance of a group with the run's mean.
  double with_mean(std::size_t a) const { return with_mean_[static_cast<Eigen::Index>(a)]; }
  double of_mean() const { return of_mean_; }  ///< variance of the run's mean

 private:
  std::vector<std::vector<double>> lengths_;  ///< s[, t] of every group, in units of the scales
  std::vector<double> alike_;                 ///< by whole distance, as far as it goes: the sum over the scales
  Eigen::ArrayXd size_, with_mean_;
  double of_mean_ = 0;
};

}  // namespace seqpoint
