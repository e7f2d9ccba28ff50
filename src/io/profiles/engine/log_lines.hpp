/// \file
/// From the lines of a job's log to steps: the first number, restarted jobs, ranks, and how many steps a time
/// covers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/profile/measure.hpp"
#include "io/profiles/profile_formats.hpp"

namespace seqpoint::io::profiles::engine {

/// The numbers in a line of a log.
struct LogLine {
  std::uint64_t line = 0;  ///< line of the file, 1-based
  std::int64_t ns = 0;     ///< the time of a step, or the clock
  std::uint64_t done = 0;  ///< number of the run's steps done after this line: set by number_lines()
  std::optional<std::uint32_t> tokens{}, seqlen{};
  std::uint32_t step = 0;      ///< as written
  std::uint32_t epoch = 0;     ///< as written
  std::uint32_t of = 0;        ///< as written; 0: missing
  std::uint32_t rank = 0;      ///< its position in the list of the ranks
  bool whole_seconds = false;  ///< the clock has no fraction
};

/// Sets LogLine::done, and in the report the log's own totals. Adds notes on numbers that the log does not show. Throws
/// InputError for a step or epoch 0 if they are counted from 1.
void number_lines(std::vector<LogLine>&, const LogPattern&, profile::StepProfile&, LogReport&);

/// Sets LogReport::steps, one for each line; lines of one step are merged, the slowest counts. `per`: number of steps
/// whose mean a line's time is; nothing: not given. Throws InputError if it is required, or larger than the distance of
/// the lines, and if steps restart like those of other runs or epochs.
void add_steps(const std::vector<LogLine>&, const LogPattern&, std::optional<std::uint64_t> per, profile::StepProfile&,
               LogReport&);

}  // namespace seqpoint::io::profiles::engine
