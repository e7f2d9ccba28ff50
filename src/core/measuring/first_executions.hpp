/// \file
/// Whether first executions of points are measurements like any other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/profile/first_executions.hpp"
#include "core/select/select.hpp"

namespace seqpoint::measuring {

/// The half-width that is reachable by processes that measure these points as planned, if they differ as usual for the
/// device's busy share.
std::optional<double> reachable_half_width(const select::Selection&, const profile::Measurements&);

/// Whether first executions count as measurements: if no single one is an outlier, and either they are not slower than
/// later ones, or the bias that they can cause, (|ratio| + 1.64 errors) times their share of the measurements, is at
/// most a quarter of `half_width`, that of the interval that is reachable. Reason of the quarter: an interval that is
/// off by so much holds 92 instead of 95 %.
bool count(const profile::FirstExecutions&, double share, double half_width);

/// The share of first executions among all measurements if the first of so many processes runs every point twice, and
/// the others run twice as many points once.
double share_of_first(std::uint64_t processes);

}  // namespace seqpoint::measuring
