/// \file
/// First executions of points beside later ones in the same process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/profile/measure.hpp"

namespace seqpoint::profile {

/// How much longer first executions take.
struct FirstExecutions {
  std::uint64_t points = 0;
  double ratio = 0;         ///< mean of ln(first / later)
  double error = 0;         ///< its standard error
  double farthest = 0;      ///< distance of the slowest first execution from the median of all
  bool is_outlier = false;  ///< whether that one is an outlier

  /// Whether they take longer, with one-sided 95 % confidence.
  bool are_slower() const;
};

/// From ln(first / later) of each point. Nothing for fewer than two points.
std::optional<FirstExecutions> first_executions(std::span<const double> logs);
/// From the points that a process measured after their first execution in it; the mean over processes. `metric`: a
/// position. Nothing for fewer than two points.
std::optional<FirstExecutions> first_executions(const Measurements&, std::size_t metric);

}  // namespace seqpoint::profile
