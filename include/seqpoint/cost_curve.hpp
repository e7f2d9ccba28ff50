/// \file
/// What an iteration of any signature costs, from a few signatures that were measured: an interpolation.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "seqpoint/selection.hpp"
#include "seqpoint/trace.hpp"

namespace seqpoint {

/// A cost that is linear in a few products of lengths and batch size b, fitted by least squares in relative terms (in
/// absolute ones where a value is not above zero). Of two lengths s, t the columns are 1, b (s + t), s + t, b s, b s t;
/// of one (every t is 0) 1, b s, s, b s^2; without padding 1, tokens, sq_tokens. They join in that order, up to one for
/// two points (two points carry two), where a column varies apart from those before it, and only while the fit stays
/// above a tenth of every value; sq_tokens also where it lowers the residual variance to a third.
class LowOrderFit {
 public:
  enum class Kind { one_length, two_lengths, unpadded };

  /// As many values as signatures, at least one; finite.
  LowOrderFit(std::span<const Signature> at, std::span<const double> values);

  /// May be negative far from the points.
  double operator()(const Signature&) const;
  /// Sum of count x fit.
  double total(std::span<const SignatureCount>) const;
  /// What the relative standard deviation of the values is to be multiplied with for the standard error of that total.
  double leverage(std::span<const SignatureCount>) const;
  std::size_t columns() const { return columns_.size(); }  ///< at least 1

 private:
  std::vector<double> column_totals(std::span<const SignatureCount>) const;

  Kind kind_;
  std::vector<std::size_t> columns_;  ///< which of the products
  std::vector<double> coefficients_;  ///< one a column
  std::vector<double> covariance_;    ///< of the coefficients, for values that vary by their own size; row by row
};

/// An interpolation of measured points that passes through every one of them. A length or batch size that not every key
/// has does not vary in it; values of equal keys are averaged.
///
/// Of one length: monotone piecewise cubic over src_len (Fritsch and Carlson 1980, with the slopes of Fritsch and
/// Butland 1984); beyond the outermost points straight on, along the line through the outermost point and the nearest
/// one that is at least half the measured range away. A batch size that all keys share scales it in proportion. Of two
/// lengths, without padding (where the keys have sq_tokens), or where batch sizes differ: the low-order fit, times what
/// the nearest point's value is of its own fit (every dimension scaled by its largest value over the points; ties to the
/// first by key); where a value is not above zero, plus the difference of the two.
/// Never below zero where all values are above it.
class CostCurve {
 public:
  /// Values of equal keys are one.
  struct Measured {
    Signature at;  ///< as `seen`
    double value = 0;
  };

  /// As many values as keys, at least one; finite. Throws std::invalid_argument otherwise.
  CostCurve(std::span<const PointKey> at, std::span<const double> values);

  double operator()(const Signature&) const;
  /// Sum of count x value.
  double total(std::span<const SignatureCount>) const;
  /// How far a signature lies outside the measured range: 0 inside, else the distance from the nearest bound as a share
  /// of the measured range (of the one measured value, where there is but one), the largest over the dimensions that
  /// vary in it.
  double outside(const Signature&) const;

  const std::vector<Measured>& points() const { return points_; }  ///< ascending by signature
  /// A signature as the points tell signatures apart: what does not vary in them is the same everywhere (0; batch size
  /// 1).
  Signature seen(const Signature&) const;
  /// The fit through the same points; of signatures as `seen`.
  const LowOrderFit& fit() const { return *fit_; }

 private:
  using Position = std::array<double, 3>;  ///< src_len, tgt_len or sq_tokens, batch_size

  void average_equal(std::vector<Measured> all);
  void prepare_cubic();
  void prepare_fit();
  double straight_on(double length, std::size_t end) const;
  double cubic(double length) const;
  std::size_t nearest(const Signature&) const;
  double near_fit(const Signature&) const;

  std::vector<Measured> points_;                                            ///< ascending, no two of the same signature
  bool by_tgt_len_ = false, by_batch_size_ = false, by_sq_tokens_ = false;  ///< whether every key has it
  bool positive_ = false;                                                   ///< every value is above zero
  Position low_{}, high_{};                                                 ///< measured bounds
  std::optional<LowOrderFit> fit_;                                          ///< never empty once constructed
  std::vector<double> slopes_;  ///< of the cubic at the points; empty: the fit and the nearest point
};

/// Through the iterations of a measured run: as many values as iterations. Those that are not finite are left out; nothing
/// where none is.
std::optional<CostCurve> curve_through(const Trace& measured, std::span<const double> values);

}  // namespace seqpoint
