/// \file
/// Decisions of `seqpoint run`, as pure functions: whose turn it is, when to stop, and whether measuring points
/// pays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "core/project/projection.hpp"
#include "core/trace/trace.hpp"

namespace seqpoint::run {

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

/// A single process does not show the between-process variation.
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
};

/// The half-width that `precision` limits, as a share of its figure: the widest of all metrics of a single
/// configuration; with several configurations, of all their speedups. Infinite if one of these has no interval; 0 if
/// there are none.
double widest(const project::Projection&);

/// Why measuring stops; go_on: it does not. gain: another process would hardly narrow the interval; price: it would
/// make measuring cost more than an epoch (core/run/price.hpp).
enum class Stop { go_on, precise, decided, processes, time, gain, price };

/// Confidence of a result.
inline constexpr double kConfidence = 0.95;

/// Confidence of the intervals and bounds that stop() is given after `processes` processes of each build. Every look
/// that can end the run is a chance to stop by luck; therefore all of them share the error that a result may have
/// (Bonferroni). Before these looks, and at the last one, after which measuring ends anyway: kConfidence.
double confidence_of_look(const StopRule&, std::uint64_t processes);

/// Progress after each build has measured in `processes` processes.
struct Standing {
  std::uint64_t processes = 0;
  double seconds = 0,       ///< since the run began
      seconds_a_round = 0;  ///< time of a round with one turn of each build
  bool disagree = false;    ///< whether a process certainly differs from the others of its build
};

/// Whether to continue. A gated run stops once all checks are decided, after kMinProcessesToDecide of each build or at
/// max_processes; any other if widest() is at most the precision, after kMinProcesses. Neither stops it while processes
/// disagree, as on a disturbed machine. Else it stops at max_processes (`processes`), or if another round would exceed
/// max_seconds (`time`); never before kMinProcesses.
Stop stop(const StopRule&, const Standing&, const project::Projection&, const project::Gates&);

/// If a larger share of the iterations has one shape, any few of them represent the rest.
inline constexpr double kAlike = 0.95;
/// The share of the iterations with the most frequent shape; 0 for a run without iterations.
double most_common_share(const trace::RunSummary&);

}  // namespace seqpoint::run
