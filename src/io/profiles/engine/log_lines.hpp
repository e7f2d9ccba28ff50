/// \file
/// From the lines of a job's log to steps: from which number they are counted, jobs that began again, ranks, and how
/// many steps a time is of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/profile/measure.hpp"
#include "io/profiles/profile_formats.hpp"

namespace seqpoint::io::profiles::engine {

/// What a line of a log says.
struct LogLine {
  std::uint64_t line = 0;      ///< of the file, 1-based
  std::uint64_t step = 0;      ///< as it stands there
  std::uint64_t epoch = 0;     ///< as it stands there
  std::uint64_t of = 0;        ///< as it stands there; 0: it does not
  std::int64_t ns = 0;         ///< what a step took, or the clock
  bool whole_seconds = false;  ///< of the clock
  std::string rank{};          ///< as it stands there
  std::optional<std::uint64_t> tokens{}, seqlen{};
  std::uint64_t done = 0;  ///< how many steps of the run are done behind it: number_lines()
};

/// Sets LogLine::done, and in the report what the log says of its totals. Adds notes of what the log does not show.
void number_lines(std::vector<LogLine>&, const LogPattern&, profile::StepProfile&, LogReport&);

/// Adds a step for each line. `per`: how many steps a line's time is the mean of; nothing: not said. Throws InputError
/// where that has to be said, and where steps begin again as those of other runs or epochs do.
void add_steps(const std::vector<LogLine>&, const LogPattern&, std::optional<std::uint64_t> per, profile::StepProfile&,
               LogReport&);

}  // namespace seqpoint::io::profiles::engine
