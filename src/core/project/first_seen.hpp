/// \file
/// What shapes cost when they are new to a process, from first executions that were measured.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "seqpoint/project.hpp"

namespace seqpoint::project {

/// What shapes cost when they are new: of each point the first execution in a process less the mean of its measurements
/// there, averaged over processes, apart where a near shape ran before. `run`: what gets the seconds. Nothing where
/// fewer than two points tell it.
std::optional<FirstSeenCost> first_seen_cost(const profile::Measurements&, std::size_t metric,
                                             const trace::RunSummary& run, double confidence);

/// The half-width of the seconds of so many signatures of each part.
double half_width_of(const FirstSeenCost&, double distant, double near, double confidence);

/// What new shapes cost in that metric of a configuration; null where it has none of it.
const FirstSeenCost* find_first_seen(const ConfigurationProjection&, std::string_view metric);

/// Whether both are of one kind: by the median, by distant and near shapes, or by near ones alone.
bool told_alike(const FirstSeenCost&, const FirstSeenCost&);

/// Positions of points whose first execution no process has a measurement of its own beside.
std::vector<std::size_t> unjoined_points(const profile::Measurements&, std::size_t metric);

/// Standard deviation of the median of at least two values, whatever their distribution: two of the values hold it with
/// a probability that is known, as so many standard deviations of a normal one do (R. M. Price, D. G. Bonett:
/// Estimating the variance of the sample median. J. Statistical Computation and Simulation 68, 2001).
double deviation_of_median(std::vector<double> values);

/// The interval of a total that gets these seconds: squares of half-widths add up.
Interval with_seconds(const Interval&, double total, double seconds, double half_width);

}  // namespace seqpoint::project
