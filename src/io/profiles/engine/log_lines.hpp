/// \file
/// From the lines of a job's log to steps: the first number, restarted jobs, ranks, and how many steps a time
/// covers.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "core/optional_number.hpp"
#include "core/profile/measure.hpp"
#include "io/profiles/profile_formats.hpp"

namespace seqpoint::io::profiles::engine {

/// The numbers in a line of a log, of which there may be millions.
struct LogLine {
  std::int64_t ns = 0;      ///< the time of a step, or the clock
  std::uint32_t line = 0;   ///< line of the file, 1-based
  std::uint32_t step = 0;   ///< as written
  std::uint32_t epoch = 0;  ///< as written
  std::uint32_t of = 0;     ///< as written; 0: missing
  std::uint32_t rank = 0;   ///< its position in the list of the ranks
  OptionalLength tokens{}, seqlen{};
  bool whole_seconds = false;  ///< the clock has no fraction
};
using LogLines = std::deque<LogLine>;  ///< can be freed line by line

/// How the numbers of lines count the steps of the run.
struct StepNumbers {
  std::uint64_t first = 0;                          ///< number of the first step
  std::map<std::uint64_t, std::uint64_t> begins{};  ///< number of steps before each epoch; empty: no epochs

  /// Number of the run's steps done after a line, without those of earlier epochs.
  std::uint64_t done_in_epoch(const LogLine& line) const { return line.step + 1 - first; }
  /// Number of the run's steps done after a line.
  std::uint64_t done(const LogLine& line) const {
    return done_in_epoch(line) + (begins.empty() ? 0 : begins.at(line.epoch));
  }
};

/// The numbers of the lines' steps. Sets the log's own totals in the report. Adds notes on numbers that the log does
/// not show. Throws InputError for a step or epoch 0 if they are counted from 1.
StepNumbers number_lines(const LogLines&, const LogPattern&, profile::StepProfile&, LogReport&);

/// Sets LogReport::steps, one for each line; lines of one step are merged, the slowest counts. `per`: number of steps
/// whose mean a line's time is; nothing: not given. Throws InputError if it is required, or larger than the distance of
/// the lines, and if steps restart like those of other runs or epochs.
void add_steps(LogLines, const StepNumbers&, const LogPattern&, std::optional<std::uint64_t> per, profile::StepProfile&,
               LogReport&);

}  // namespace seqpoint::io::profiles::engine
