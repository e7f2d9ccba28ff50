/// \file
/// Where the time of a run goes, and where the difference of two builds lies: by the phases of a batch, and by lengths.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/project/interval.hpp"
#include "core/select/select.hpp"

namespace seqpoint::project {

struct MeasuredPoints;

// --- By phase.

/// The columns of a batch's phases with their names for people. Those of a file add up to its `runtime_s`: the last one
/// stands alone with the first, if forward and backward could not be told apart.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kPhases{{{"wait_s", "waiting for data"},
                                                                                       {"forward_s", "forward"},
                                                                                       {"backward_s", "backward"},
                                                                                       {"optimizer_s", "optimiser"},
                                                                                       {"other_s", "other"},
                                                                                       {"step_s", "step"}}};
/// The name of a phase for people; empty if no phase has this column.
std::string_view name_of_phase(std::string_view column);
/// Whether a metric is a phase of batches, and the others make it one: the batch's own time, `wait_s`, and `other_s` or
/// `step_s`. A phase is a part of a time, may be 0, and varies more than the batch.
bool is_phase(std::string_view metric, const std::vector<std::string>& metrics);

/// A phase over the whole run.
struct Phase {
  std::string column;           ///< name of its metric
  double seconds = 0,           ///< at the level of the total of `runtime_s`
      share = 0;                ///< of the seconds of all phases
  IntervalOrReason interval{};  ///< of the seconds, with within_all()'s confidence
};
double seconds_of(const std::vector<Phase>&);
/// Confidence of each of several intervals that all together have `confidence` (Bonferroni).
double within_all(std::size_t intervals, double confidence);
/// Phases whose seconds are scaled so that their sum is `total`, with their shares. Empty if their sum is 0.
std::vector<Phase> scaled_phases(std::vector<Phase>, double total);

/// The difference of a phase between a configuration and the baseline, as shares of the baseline's whole time.
struct PhaseDifference {
  std::string column;                ///< of the phase
  double change = 0;                 ///< how much longer it takes
  std::optional<Interval> interval;  ///< of the change
  bool is_cause = false;             ///< whether the interval excludes 0, by more than is printed as 0
};
/// The difference by the ratio baseline / configuration of a phase. Without an interval by their seconds.
PhaseDifference difference_of(const Phase& base, const Phase& here, double all_of_base, double ratio,
                              const IntervalOrReason& of_ratio);
/// The causes first, then the others, each by their size.
void sort_by_size(std::vector<PhaseDifference>&);
/// Differences of phases that were measured independently, at other points. Empty if the two have other phases.
std::vector<PhaseDifference> differences_of(const std::vector<Phase>& base, const std::vector<Phase>& here);

// --- By length.

/// A range of lengths of the selection's points.
struct LengthRange {
  double above = 0,                                     ///< lengths are above this one
      up_to = std::numeric_limits<double>::infinity();  ///< and at most this one
  double seconds = 0,                                   ///< of the whole run
      contrast = 0,  ///< mean logarithm of its points' times, minus that of all other points, weighted by their work
      leverage = 0;  ///< variance of the contrast of one process, over that of the logarithm of a time
};
/// The times of a configuration by length.
struct TimesByLength {
  std::vector<LengthRange> ranges;  ///< three; empty: not known
  double processes = 0;             ///< that measured
  double squares = 0, degrees = 0;  ///< of the noise: what is left of logarithms of times without the levels of points
                                    ///< and processes
};
/// The times by length, in three ranges that each have about a third of the work (padded tokens). Without ranges if
/// there are no three, as in a run of one or two lengths, or a process lacks a point.
TimesByLength times_by_length(const select::Selection&, const MeasuredPoints& time);

/// The difference of a range of lengths between a configuration and the baseline.
struct RangeDifference {
  double above = 0, up_to = 0;  ///< as of LengthRange
  double share = 0,             ///< of the baseline's time
      change = 0,               ///< time over the baseline's, minus 1
      change_of_others = 0;     ///< the same of all other lengths
  Interval relative;  ///< interval of the time over that of other lengths, over the same ratio of the baseline, minus 1
  bool is_cause = false;  ///< whether that interval excludes 0
};
/// Whether ranges changed more or less than all others. A process slows all lengths alike, so only the noise of single
/// times is uncertain (Student's t; the intervals of all ranges together have the confidence). Empty if either has no
/// ranges, or they differ.
std::vector<RangeDifference> differences_by_length(const TimesByLength& base, const TimesByLength& here,
                                                   double confidence);

}  // namespace seqpoint::project
