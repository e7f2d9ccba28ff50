// The columns join by Gram-Schmidt, which shows what of a column the ones before it leave; Eigen's rank-revealing QR
// solves.
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "seqpoint/cost_curve.hpp"

namespace seqpoint {
namespace {

constexpr std::size_t kProducts = 5;
/// A column of which less is left, as a share of its length, says nothing of its own.
constexpr double kOwnShare = 0.05;
/// Below this, what is left is rounding.
constexpr double kLeastOwnShare = 1e-6;
/// Relative residual variance of a fit that leaves nothing but rounding.
constexpr double kRoundingOfSquares = 1e-24;
/// What a column must take off the residual variance to be believed (as for a curve in intervals).
constexpr double kWorthAColumn = 1.0 / 3;
/// Which of the products is sq_tokens.
constexpr std::size_t kSquares = 2;
/// A fit below this share of a value that it was fitted to would turn a ratio of the two into an extrapolation.
constexpr double kLeastShareOfValue = 0.1;

std::array<double, kProducts> products(const Signature& at, LowOrderFit::Kind kind) {
  const double s = at.src_len, t = at.tgt_len, b = at.batch_size;
  if (kind == LowOrderFit::Kind::unpadded) return {1, s, static_cast<double>(at.sq_tokens), 0, 0};
  if (kind == LowOrderFit::Kind::one_length) return {1, b * s, s, b * s * s, 0};
  return {1, b * (s + t), s + t, b * s, b * s * t};
}

/// Every product at every point, over the point's value (over the largest, where one is not above zero).
Eigen::MatrixXd design(std::span<const Signature> at, const Eigen::VectorXd& scale, LowOrderFit::Kind kind) {
  Eigen::MatrixXd all(static_cast<Eigen::Index>(at.size()), static_cast<Eigen::Index>(kProducts));
  for (Eigen::Index i = 0; i < all.rows(); ++i) {
    const auto row = products(at[static_cast<std::size_t>(i)], kind);
    for (Eigen::Index c = 0; c < all.cols(); ++c) all(i, c) = row[static_cast<std::size_t>(c)] / scale(i);
  }
  return all;
}

Eigen::VectorXd scales(std::span<const double> values) {
  const Eigen::Map<const Eigen::VectorXd> all(values.data(), static_cast<Eigen::Index>(values.size()));
  if (all.minCoeff() > 0) return all;
  const double largest = all.cwiseAbs().maxCoeff();
  return Eigen::VectorXd::Constant(all.size(), largest > 0 ? largest : 1);
}

/// What of `column` is orthogonal to the orthonormal `basis`; projected twice, as once loses digits.
Eigen::VectorXd remainder(Eigen::VectorXd column, const std::vector<Eigen::VectorXd>& basis) {
  for (int pass = 0; pass < 2; ++pass)
    for (const Eigen::VectorXd& q : basis) column -= q.dot(column) * q;
  return column;
}

/// Which columns vary apart from those before them: at most `most`.
std::vector<std::size_t> independent(const Eigen::MatrixXd& all, std::size_t most, double own_share = kOwnShare) {
  std::vector<std::size_t> chosen;
  std::vector<Eigen::VectorXd> basis;
  for (Eigen::Index c = 0; c < all.cols() && chosen.size() < most; ++c) {
    const Eigen::VectorXd own = remainder(all.col(c), basis);
    if (!(own.norm() > own_share * all.col(c).norm())) continue;
    chosen.push_back(static_cast<std::size_t>(c));
    basis.push_back(own.normalized());
  }
  return chosen;
}

/// One column for two points leaves as many degrees of freedom to the residuals.
std::size_t most_columns(std::size_t points) { return std::max(std::min<std::size_t>(points, 2), points / 2); }

Eigen::MatrixXd only(const Eigen::MatrixXd& all, const std::vector<std::size_t>& columns) {
  Eigen::MatrixXd some(all.rows(), static_cast<Eigen::Index>(columns.size()));
  for (Eigen::Index c = 0; c < some.cols(); ++c)
    some.col(c) = all.col(static_cast<Eigen::Index>(columns[static_cast<std::size_t>(c)]));
  return some;
}

/// Columns of different units are brought to one length first, so that rank is judged without units.
class Solver {
 public:
  explicit Solver(const Eigen::MatrixXd& columns)
      : length_(columns.colwise().norm()), qr_(columns.array().rowwise() / length_.transpose().array()) {}

  Eigen::VectorXd solve(const Eigen::VectorXd& target) const { return qr_.solve(target).array() / length_.array(); }
  /// (X'X)^-1 = P R^-1 R'^-1 P'; the columns are independent, so R is of full rank.
  Eigen::MatrixXd covariance() const {
    const Eigen::Index columns = qr_.cols();
    const Eigen::MatrixXd r = qr_.matrixR().topRows(columns);
    const Eigen::MatrixXd inverse = r.triangularView<Eigen::Upper>().solve(Eigen::MatrixXd::Identity(columns, columns));
    const Eigen::MatrixXd permuted = (qr_.colsPermutation() * inverse).array().colwise() / length_.array();
    return permuted * permuted.transpose();
  }

 private:
  Eigen::VectorXd length_;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr_;
};

bool near_all(const Eigen::VectorXd& fitted, const Eigen::VectorXd& target) {
  return ((fitted.array() / target.array()) >= kLeastShareOfValue).all();
}

/// Residual variance of the fit by some columns, a degree of freedom at least being left.
double residual_variance(const Eigen::MatrixXd& columns, const Eigen::VectorXd& target) {
  const Eigen::VectorXd left = target - columns * Solver(columns).solve(target);
  return left.squaredNorm() / static_cast<double>(columns.rows() - columns.cols());
}

/// Tokens and squares of one data set vary nearly together, by less than kOwnShare apart, and yet cost grows with both. So
/// squares that did not join, for that or for the few points, do where they explain what the others leave.
void add_squares_that_explain(std::vector<std::size_t>& columns, const Eigen::MatrixXd& all, const Eigen::VectorXd& target) {
  std::vector<std::size_t> with = columns;
  with.push_back(kSquares);
  const bool joined = std::find(columns.begin(), columns.end(), kSquares) != columns.end();
  if (joined || all.rows() <= static_cast<Eigen::Index>(with.size())) return;
  const Eigen::MatrixXd more = only(all, with);
  if (independent(more, with.size(), kLeastOwnShare).size() < with.size()) return;
  const double without = residual_variance(only(all, columns), target);
  if (without > kRoundingOfSquares && residual_variance(more, target) < kWorthAColumn * without) columns = std::move(with);
}

LowOrderFit::Kind kind_of(std::span<const Signature> at) {
  using Kind = LowOrderFit::Kind;
  if (std::any_of(at.begin(), at.end(), [](const Signature& s) { return s.sq_tokens > 0; })) return Kind::unpadded;
  return std::any_of(at.begin(), at.end(), [](const Signature& s) { return s.tgt_len > 0; }) ? Kind::two_lengths : Kind::one_length;
}

}  // namespace

LowOrderFit::LowOrderFit(std::span<const Signature> at, std::span<const double> values) : kind_(kind_of(at)) {
  const Eigen::VectorXd scale = scales(values);
  const Eigen::Map<const Eigen::VectorXd> wanted(values.data(), static_cast<Eigen::Index>(values.size()));
  const Eigen::MatrixXd all = design(at, scale, kind_);
  const Eigen::VectorXd target = wanted.array() / scale.array();
  const bool positive = wanted.minCoeff() > 0;
  columns_ = independent(all, most_columns(at.size()));
  if (kind_ == Kind::unpadded) add_squares_that_explain(columns_, all, target);
  Eigen::VectorXd found = Solver(only(all, columns_)).solve(target);
  while (positive && columns_.size() > 1 && !near_all(only(all, columns_) * found, target)) {
    columns_.pop_back();
    found = Solver(only(all, columns_)).solve(target);
  }
  coefficients_.assign(found.data(), found.data() + found.size());
  const Eigen::MatrixXd covariance = Solver(only(all, columns_)).covariance();
  covariance_.assign(covariance.data(), covariance.data() + covariance.size());
}

double LowOrderFit::operator()(const Signature& at) const {
  const auto all = products(at, kind_);
  double sum = 0;
  for (std::size_t c = 0; c < columns_.size(); ++c) sum += coefficients_[c] * all[columns_[c]];
  return sum;
}

std::vector<double> LowOrderFit::column_totals(std::span<const SignatureCount> histogram) const {
  std::vector<double> totals(columns_.size(), 0.0);
  for (const SignatureCount& entry : histogram) {
    const auto all = products(entry.signature, kind_);
    for (std::size_t c = 0; c < columns_.size(); ++c) totals[c] += static_cast<double>(entry.count) * all[columns_[c]];
  }
  return totals;
}

double LowOrderFit::total(std::span<const SignatureCount> histogram) const {
  const std::vector<double> totals = column_totals(histogram);
  return std::inner_product(totals.begin(), totals.end(), coefficients_.begin(), 0.0);
}

double LowOrderFit::leverage(std::span<const SignatureCount> histogram) const {
  const std::vector<double> totals = column_totals(histogram);
  double variance = 0;
  for (std::size_t i = 0; i < totals.size(); ++i)
    for (std::size_t j = 0; j < totals.size(); ++j)
      variance += totals[i] * covariance_[i * totals.size() + j] * totals[j];
  return std::sqrt(std::max(variance, 0.0));
}

}  // namespace seqpoint
