/// \file
/// The rules of findings, each with its limit. checks.cpp calls them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/profile/measure.hpp"
#include "core/profile/readings.hpp"
#include "core/select/select.hpp"
#include "core/trace/trace.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::findings {

// --- Limits beyond which a value cannot be the duration of an iteration

/// An occasional slow iteration takes a few times as long; a slipped digit makes it ten times.
inline constexpr double kStray = 8;
/// Only a wrong unit or a wrong row changes an iteration's time by more.
inline constexpr double kImpossible = 100;
/// Seconds, three years: longer values are a clock's seconds since 1970.
inline constexpr double kFirstDate = 1e8;
/// A clock's rows ascend; so many times in random order ascend once in 720.
inline constexpr std::size_t kManyRows = 6;
/// Rare slow iterations take up to four times as long as others of their shape: one beyond that is an outlier, and a
/// first one includes the start of the process.
inline constexpr double kRare = 4;
/// The ratio of the last time of a point or shape to its first that shows a clock, if few rows grow: durations drift by
/// less.
inline constexpr double kClockGrowth = 1.5;

/// Another unit is a factor of 60 or more; half of that leaves room for real differences between builds.
inline constexpr double kUnitFactor = 30;
/// The larger of two times over the smaller, given their ratio > 0.
inline double factor_of(double ratio) { return std::max(ratio, 1 / ratio); }

/// The factor by which a ratio of two times leaves the range that a cost between constant and quadratic allows, given
/// this ratio of their sizes. At most 1 inside the range. All ratios are above 0.
inline double excess(double ratio, double size_ratio) {
  const double square = size_ratio * size_ratio;
  return std::max(ratio / std::max(1.0, square), std::min(1.0, square) / ratio);
}

/// Whether a clock is so coarse that times of 0 are the rounding of short ones: some time is a single tick, the largest
/// power of ten of seconds of which all times are multiples, and other times of a size that also has 0 are mostly a
/// single tick. `sizes`: of each time.
bool rounds_to_zero(std::span<const double> times, std::span<const double> sizes);

/// Whether a time has at least four significant digits, without trailing zeros: enough not to repeat by chance.
bool has_fine_digits(double time);

// --- Files and rows: origins, copies, units; single times at the points

/// Warns at the first row of a configuration whose host, device or config column is the name of another one of
/// `configurations`, else at the first whose value differs from earlier rows of its rank; and of GPU clocks that
/// differ between the processes of a rank, else within one. At most one finding per column.
std::vector<Finding> findings_about_origin(std::span<const profile::ProfileTable> files,
                                           const std::string& configuration,
                                           std::span<const std::string> configurations);

/// Findings about times at the points, by column in the order of Measurements::metrics; a column may have several, each
/// at the first row that shows it. Impossible times: zero, all equal, a date, a clock, a copied column. Only a column
/// without these is searched for outliers: repeats, points and first times of a process.
std::vector<Finding> findings_about_times(const profile::Measurements&, std::span<const profile::ProfileTable> files,
                                          const select::Selection&);

/// Files that repeat rows of an earlier file, or their own, to the last digit: at least three times three consecutive
/// rows (fewer in a short file), and a third of their rows. Times of fewer than four digits may be equal by chance, and
/// are not compared.
std::vector<Finding> findings_about_copies(std::span<const profile::ProfileTable> files);
std::vector<Finding> findings_about_copies(std::span<const profile::StepProfile> files);

/// Times whose unit contradicts other columns of the same rows, one for each file.
std::vector<Finding> findings_about_units(std::span<const profile::ProfileTable> files);
/// The same for a run that has `times` as a column; at most one finding, about `times`.
std::vector<Finding> findings_about_units(const trace::Trace&, const trace::Metric& times, const std::string& source);

/// Whether every value of the first time metric occurs at least twice at its point, to the last digit: a file or its
/// rows were copied. False if clocks are so coarse that this may be chance.
bool all_repeated(const profile::Measurements&);
/// Whether the first time metrics of two configurations have the same values at each point, in any order, to the last
/// digit. False if clocks are so coarse that this may be chance.
bool same_times(const profile::Measurements&, const profile::Measurements&);
/// The median over points of the first configuration's median time over the second's, in the first time metric of each;
/// 1 if none can be compared.
double time_ratio(const profile::Measurements&, const profile::Measurements&);

// --- Times of a column at the points, as a whole: their order in time, and their order by length

/// A slow start: in every process and at every point that it measured again, the first time is the longest, and usually
/// by kMinTrend or more. Nothing if so many first times would be the longest by chance more often than kFalseTrends:
/// the longest of n times is the first in one of n orders.
std::optional<Finding> slow_start_of(std::span<const profile::RowReading>, const std::string& metric);

/// A drift that few measurements show: in every process, each time of a point is longer than the one before, and the
/// last usually by kMinTrend or more over the first. Nothing if so many times would be in that order by chance more
/// often than kFalseTrends: one of n! orders of n times.
std::optional<Finding> steady_growth_of(std::span<const profile::RowReading>, const std::string& metric);

// --- Times of whole runs: impossible for an iteration, else very unlikely

/// Warnings about a measured column of a run, which was read from `source`: impossible times, else outliers and a
/// trend; and wrong units. None unless the column is a time by its name.
std::vector<Finding> findings_about(const trace::Trace&, const trace::Metric&, const std::string& source);

/// Findings about a column of `runs[r]`, one of several runs of the same iterations: that it is a copy of an earlier
/// one's, or apparently in another unit than the first; and those about it alone. None if it is no time, or missing.
std::vector<Finding> findings_about(std::span<const trace::NamedTrace> runs, std::size_t r, const std::string& metric);

// --- Costs that grow or fall during a run, independent of its lengths

/// A measurement, in the order of time.
struct OrderedTime {
  std::size_t shape;  ///< iterations of one shape should cost the same
  double size;        ///< > 0: by which cost grows from shape to shape
  double seconds;     ///< > 0
};

/// False-alarm rate: every run is tested, so one false warning in a thousand is acceptable.
inline constexpr double kFalseTrends = 0.001;
/// Smaller changes do not affect the usual gates.
inline constexpr double kMinTrend = 0.05;

struct Trend {
  double change;       ///< change of cost from the first to the last, over what it was at first
  double probability;  ///< that times in random order show as large a trend, in either direction
};

/// The trend of costs, if its probability is below kFalseTrends and its change at least kMinTrend; else nothing. Times
/// are compared within their shape; shapes that occur once are compared with those of similar size, and the part of
/// cost and order that is proportional to size is removed. The ranks of the residuals are correlated with the order
/// (Spearman 1904; within strata van Elteren 1960), whose distribution over all orders within the strata is nearly
/// normal and of known variance. The first tenth is left out: slow first iterations are not a trend. Falling costs have
/// to fall in both halves as well. Takes n log n steps.
std::optional<Trend> trend_of(std::span<const OrderedTime>);

/// The finding about a trend of a run, or of the process whose first row has that line.
Finding finding_about(const Trend&, Where);

}  // namespace seqpoint::findings
