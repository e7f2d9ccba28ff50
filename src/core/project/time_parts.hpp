/// \file
/// Where the time of a run goes, and where the difference of two builds lies: by the phases of a batch, and by lengths.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/project/interval.hpp"
#include "core/select/select.hpp"

namespace seqpoint::project {

struct MeasuredPoints;

// --- Parts of the runs of two builds that measured in rounds, a process of each next to the other (docs/method.md)

/// Fewer rounds name no cause: two differences say next to nothing about how much they scatter.
inline constexpr std::size_t kMinRoundsOfACause = 3;

/// Seconds of one part of a run, such as a phase or an operator, in each whole round.
struct PartByRound {
  std::vector<double> before,  ///< of the baseline
      after;                   ///< of the other build; as many
};

/// The mean difference of a part, as a share of the baseline's time.
struct PartDifference {
  double change = 0;
  std::optional<double> half_width{};  ///< of the interval of `change`; nothing: too few rounds
  bool is_cause = false;  ///< whether the part makes a difference of kLeastCause or more, by all of its rounds
};

/// A smaller share of the run is no cause. Reason: the precision of runs is 1 to 2 %.
inline constexpr double kLeastCause = 0.01;

/// Compares parts. `seconds`: of the baseline's run, the mean over its processes. `between`: how much processes differ.
/// All intervals together have the confidence. `agree`: whether the processes of both builds do; else there is no
/// cause.
std::vector<PartDifference> differences_by_round(std::span<const PartByRound>, double seconds,
                                                 const select::BetweenProcesses& between, double confidence,
                                                 bool agree);

/// Confidence of each of several intervals that all together have `confidence` (Bonferroni).
double within_all(std::size_t intervals, double confidence);

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
  std::string column;  ///< name of its metric
  double seconds = 0,  ///< at the level of the total of `runtime_s`
      share = 0;       ///< of the seconds of all phases
};
double seconds_of(const std::vector<Phase>&);
/// Phases whose seconds are scaled so that their sum is `total`, with their shares. Empty if their sum is 0.
std::vector<Phase> scaled_phases(std::vector<Phase>, double total);

/// The difference of a phase between a configuration and the baseline, as shares of the baseline's whole time. Those of
/// all phases add up to the change of the total.
struct PhaseDifference {
  std::string column;  ///< of the phase
  double change = 0;   ///< how much longer it takes, by the phases of the totals
  /// The change with its error: contains also the mean of the rounds; nothing: fewer than three rounds.
  std::optional<Interval> interval{};
  bool is_cause = false;  ///< as PartDifference::is_cause
};

// --- By length.

/// A range of lengths of the selection's points.
struct LengthRange {
  double above = 0,                                     ///< lengths are above this one
      up_to = std::numeric_limits<double>::infinity();  ///< and at most this one
  double seconds = 0;                                   ///< of the whole run
};
/// The times by length, in three ranges that each have about a third of the work (padded tokens). Empty if there are no
/// three, as in a run of one or two lengths, or a point has no time.
std::vector<LengthRange> ranges_by_length(const select::Selection&, const MeasuredPoints& time);
/// The seconds of these ranges by other measurements, as those of one process. Empty if a point has no time.
std::vector<double> seconds_by_length(const select::Selection&, const MeasuredPoints& time,
                                      const std::vector<LengthRange>&);

/// The difference of a range of lengths between a configuration and the baseline.
struct RangeDifference {
  double above = 0, up_to = 0;  ///< as of LengthRange
  double share = 0,             ///< of the baseline's time
      change = 0,               ///< time over the baseline's, minus 1
      change_of_others = 0;     ///< the same of all other lengths
  /// The range's time beyond what it were if it had changed as the others, a share of the baseline's time; nothing:
  /// fewer than three rounds.
  std::optional<Interval> interval{};
  bool is_cause = false;  ///< as PartDifference::is_cause, of that time
};

// --- Phases and lengths, by process.

/// Seconds of the parts of the run, by one process alone.
struct PartsOfProcess {
  std::uint64_t round = 0;     ///< that it measured in, from 1; 0: none
  std::vector<double> phases,  ///< of the phases of its configuration
      ranges;                  ///< of its ranges of lengths; empty: not known
};

/// What is compared of a configuration.
struct TimeParts {
  const std::vector<Phase>& phases;
  const std::vector<LengthRange>& ranges;
  const std::vector<PartsOfProcess>& processes;
  select::BetweenProcesses between;
};

/// The differences of all phases, the causes first, then by their size. Empty if the two have other phases.
std::vector<PhaseDifference> phase_differences(const TimeParts& base, const TimeParts& here, double confidence,
                                               bool agree);
/// Whether ranges of lengths changed more or less than all others. Empty if either has no ranges, or they differ.
std::vector<RangeDifference> length_differences(const TimeParts& base, const TimeParts& here, double confidence,
                                                bool agree);
/// The number of rounds in which both measured their phases.
std::size_t rounds_with_phases(const TimeParts& base, const TimeParts& here);

}  // namespace seqpoint::project
