/// \file
/// From what a job wrote of its iterations to steps: what its times are of, jobs that began again, lines of several
/// ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "seqpoint/measure.hpp"

namespace seqpoint::io::profiles::engine {

/// What the time of a line is.
enum class LogClock : std::uint8_t {
  iteration,   ///< what the iteration took
  mean,        ///< the mean of the iterations since the line before
  total,       ///< the mean of all iterations from 0
  since_start  ///< a clock's: what ran since the line before is the difference
};

struct LogLine {
  std::uint64_t line = 0,  ///< 1-based; 0: the file has none
      number = 0;          ///< of the last iteration that it is of, from 0
  std::int64_t ns = 0;     ///< as the clock has it
  std::optional<std::uint64_t> rank{}, tokens{};
};

/// Adds a step for each line, in their order. `whole_seconds`: of a clock that is too coarse for one iteration.
void add_steps(const std::vector<LogLine>&, LogClock, bool whole_seconds, profile::StepProfile&);

}  // namespace seqpoint::io::profiles::engine
