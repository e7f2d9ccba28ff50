/// \file
/// The total of a CostCurve over a run, and how far off it may be.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "seqpoint/cost_curve.hpp"
#include "seqpoint/projection.hpp"

namespace seqpoint {

/// All figures but `total` are shares of it.
struct CurveTotal {
  double total = 0;
  double fitted = 0;     ///< the low-order fit's total
  double leverage = 0;   ///< standard error of the fit's total, per relative standard deviation of a value
  double scatter = 0;    ///< standard deviation of the run itself, per that of an iteration
  double allowance = 0;  ///< for what lies outside the measured range
  double far = 0;        ///< of iterations outside by more than half that range
  double iterations_outside = 0, farthest = 0;  ///< share of the iterations; largest CostCurve::outside
  std::size_t columns = 0;
  std::map<Signature, double> residuals;  ///< of the fit at the points, relative to their values
  std::string no_interval;                ///< why none can be stated; empty where one can
};

CurveTotal total_over(const CostCurve&, std::span<const SignatureCount> run);

/// Of the total itself; nothing where `no_interval` says why.
std::optional<Interval> interval_of(const CurveTotal&, double confidence);

/// Of a ratio of two totals. Where there is none, `why` says so.
std::optional<Interval> interval_of_ratio(const CurveTotal& above, const CurveTotal& below, double confidence,
                                          std::string& why);

}  // namespace seqpoint
