/// \file
/// The time left of a run whose first iterations were timed one by one.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "core/eta/eta.hpp"

namespace seqpoint::testing {

/// The time left at 95 %; NaN if an iteration's time is not known.
inline eta::TimeLeft time_left(const trace::Trace& run, std::span<const double> seconds) {
  std::vector<eta::TimedSpan> timed;
  for (std::size_t i = 0; i < seconds.size(); ++i)
    if (!std::isnan(seconds[i])) timed.push_back({i, i + 1, seconds[i]});
  return eta::time_left(run, timed, seconds.size(), 0.95);
}

}  // namespace seqpoint::testing
