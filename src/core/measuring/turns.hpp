/// \file
/// Decisions of `seqpoint run`, as pure functions: whose turn it is, when to stop, and whether measuring points
/// pays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "core/project/projection.hpp"

namespace seqpoint::measuring {

/// The column that is projected and compared.
inline constexpr std::string_view kMetric = "runtime_s";

/// A process that measures.
struct Turn {
  std::size_t build = 0;      ///< index of the build, from 0
  std::uint64_t process = 1;  ///< number within that build, from 1
};

/// The n-th turn, from 0. A round has one process of each build, in ascending order of builds, then in descending
/// order, and so on: A B C C B A A ... Reason: a machine that drifts then favours no build.
Turn turn(std::uint64_t n, std::size_t builds);

/// The end of the turns that begin together with the n-th, the first of a round or of a part of one, if `parallel`
/// processes may run at a time: whole rounds, else what is left of this round, as far as there is room. No round beyond
/// `max_processes` begins with another one.
std::uint64_t end_of_together(std::uint64_t n, std::size_t builds, std::uint64_t parallel, std::uint64_t max_processes);
/// The number of times that a process takes for a round, if so many run at a time.
std::uint64_t steps_of_round(std::size_t builds, std::uint64_t parallel);

/// A single process does not show the between-process variation: its interval rests on what is assumed of that.
inline constexpr std::uint64_t kMinProcesses = 2;
/// Two processes of a build show their variation with one degree of freedom: the verdict would rest on what is assumed
/// of machines in general.
inline constexpr std::uint64_t kMinProcessesToDecide = 3;

/// When to stop measuring.
struct StopRule {
  double precision = 0.02;          ///< half-width of the interval, a share: of the total; with several builds, of
                                    ///< their ratios
  std::uint64_t max_processes = 6;  ///< limit per build
  double max_seconds = std::numeric_limits<double>::infinity();
  bool gated = false;  ///< whether a limit has to be decided
  /// Whether the stated price is kept: no option asks for more processes than the
  /// fewest, a limit, a precision, or a time.
  bool keeps_price = true;
};

/// The number of processes of each build at the first look that can end the run.
std::uint64_t first_look(const StopRule&);

/// The half-width that `precision` limits, as a share of its figure: the widest of all metrics of a single
/// configuration; with several configurations, of all their speedups. Infinite if one of these has no interval; 0 if
/// there are none.
double widest(const project::Projection&);

/// Why measuring stops; go_on: it does not. gain: another process would hardly narrow the interval; wider: the last one
/// has made it wider; said: another one would cost more than was said; price: it would make measuring cost more than an
/// epoch (core/measuring/price.hpp).
enum class Stop { go_on, precise, decided, processes, time, gain, wider, said, price };

/// Confidence of a result.
inline constexpr double kConfidence = 0.95;

/// The chance that a result is wrong, over all looks at it.
inline constexpr double kAlpha = 1 - kConfidence;
/// What a look before the last may spend of it. Small, so that most is left for the last look, which knows most.
inline constexpr double kAlphaOfLook = 0.005;

/// A look at the results after which a run could end.
struct Look {
  std::uint64_t processes = 0;  ///< of each build
  double alpha = 0;             ///< chance of a wrong verdict that it spent; 0: nothing was left, so it gave no verdict
};

/// The chance of error that the look after `processes` processes of each build may have, of which stop() is given
/// intervals and bounds. `earlier`: the looks of this run and of those that it resumes; one after as many processes
/// saw the same, and is not paid twice. A look before the last has kAlphaOfLook, or an equal part of what is left; the
/// last one of a gated run has all that is left. 0: nothing is left. Nothing where nothing is decided: before the first
/// look, and at the last one without a gate. `last`: whether the run ends after it anyway.
std::optional<double> alpha_of_look(const StopRule&, std::span<const Look> earlier, std::uint64_t processes, bool last);
/// Whether the looks have spent all of kAlpha.
bool all_spent(std::span<const Look>);
/// Regressions' checks without verdicts: inconclusive, for this reason unless they have one.
project::Gates without_verdicts(project::Gates, const std::string& why);

/// Progress after each build has measured in `processes` processes.
struct Standing {
  std::uint64_t processes = 0;
  double seconds = 0,       ///< since the run began
      seconds_a_round = 0;  ///< time of a round with one turn of each build
  bool disagree = false;    ///< whether processes of a build, or of a comparison, disagree
  bool may_decide = true;   ///< whether any of kAlpha is left
};

/// Why the run ends whatever its results are: processes or time. go_on: it does not. Time ends a gated run after
/// kMinProcesses at least, any other after one.
Stop out_of(const StopRule&, const Standing&);

/// Whether to continue. A gated run stops once all checks are decided, after kMinProcessesToDecide of each build or
/// when it is out_of() processes or time; any other if widest() is at most the precision, after kMinProcesses. Neither
/// stops it while processes disagree, as on a disturbed machine. Else it stops at max_processes (`processes`), or if
/// another round would exceed max_seconds (`time`).
Stop stop(const StopRule&, const Standing&, const project::Projection&, const project::Gates&);

}  // namespace seqpoint::measuring
