/// \file
/// Decisions of `seqpoint run` from values alone: whose turn it is, when to stop, and whether measuring points pays.
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
  std::size_t build = 0;      ///< whose, from 0
  std::uint64_t process = 1;  ///< of that build, from 1
};

/// The n-th turn, from 0: A B B A A B ... Reason: a machine that drifts then favours no build.
Turn turn(std::uint64_t n, std::size_t builds);

/// A single process does not show by how much processes differ.
inline constexpr std::uint64_t kMinProcesses = 2;

/// When enough was measured.
struct StopRule {
  double precision = 0.02;          ///< half-width of the interval, a share: of the total; of several builds, of ratios
  std::uint64_t max_processes = 6;  ///< of a build
  double max_seconds = std::numeric_limits<double>::infinity();
};

/// Why nothing more is measured.
enum class Stop { go_on, precise, decided, processes, time };

/// What was measured once each build has had `processes` turns.
struct Standing {
  std::uint64_t processes = 0;
  double seconds = 0,       ///< since the run began
      seconds_a_round = 0;  ///< that a turn of each build takes
  bool gated = false;       ///< whether there is a limit to decide
};

/// Whether to go on. With a limit: until all checks are decided; else until the interval is as narrow as the rule asks.
Stop stop(const StopRule&, const Standing&, const project::Projection&, const project::Gates&);

/// Fewer iterations than these are measured as fast as points of them: two processes run some fifty batches.
inline constexpr std::uint64_t kFewIterations = 200;
/// Where more of the iterations than this have one shape, any few of them tell the rest.
inline constexpr double kAlike = 0.95;
/// The share of the iterations that have the most frequent shape.
double most_common_share(const trace::RunSummary&);

}  // namespace seqpoint::run
