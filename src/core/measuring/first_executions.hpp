/// \file
/// Whether first executions of points are measurements like any other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/profile/measure.hpp"
#include "core/select/select.hpp"

namespace seqpoint::measuring {

/// First executions of points beside later ones in the same process.
struct FirstExecutions {
  std::uint64_t points = 0;
  double ratio = 0;         ///< mean of ln(first / later)
  double error = 0;         ///< its standard error
  double farthest = 0;      ///< distance of the slowest first execution from the median of all
  bool is_outlier = false;  ///< whether that one is an outlier
};

/// From ln(first / later) of each point. Nothing for fewer than three points.
std::optional<FirstExecutions> first_executions(std::span<const double> logs);
/// From the measurements of one process at its points. `metric`: a position. Nothing for fewer than three points.
std::optional<FirstExecutions> first_executions(const profile::Measurements&, std::size_t metric);

/// The half-width that is reachable by processes that measure these points as planned, if they differ as usual for the
/// device's busy share.
std::optional<double> reachable_half_width(const select::Selection&, const profile::Measurements&);

/// Whether first executions count as measurements: if the bias that they can cause, (|ratio| + 1.64 errors) times
/// their share of the measurements, is at most a quarter of `half_width`, that of the interval that is reachable, and
/// no single one is an outlier by more than that. Reason of the quarter: an interval that is off by so much holds 92
/// instead of 95 %.
bool count(const FirstExecutions&, double share, double half_width);

/// The share of first executions among all measurements if the first of so many processes runs every point twice, and
/// the others run twice as many points once.
double share_of_first(std::uint64_t processes);

}  // namespace seqpoint::measuring
