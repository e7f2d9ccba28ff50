/// \file
/// Numbers and times as programs print them for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "io/text/decimal.hpp"

namespace seqpoint::io::profiles::engine {

/// A whole number below 2^32, possibly with thousands separators: `1,024`. Nothing for rounded numbers (`12.5K`,
/// `1e+3`), which do not identify a step.
std::optional<std::uint32_t> log_whole(std::string_view text);

/// A time in nanoseconds: a number of `unit` (`0.31`, `1,234.5`, `11.5K`), else a duration (`1m 41s`, `0:01:03`, `2
/// days, 17:51:32`), whatever `unit` is. May be negative. Nothing for any other text.
std::optional<std::int64_t> log_time_ns(std::string_view text, text::DecimalUnit unit);

/// A point of time.
struct LogClock {
  std::int64_t ns = 0;         ///< since an origin common to all times of that form
  bool whole_seconds = false;  ///< without digits after the second
};

/// A point of time: as log_time_ns(), or a date with a time of day: `2026-03-01 10:00:06,123`, `03/01 10:00:06`, `0811
/// 21:54:44.943`. A date without a year belongs to the year 2000. Nothing for any other text.
std::optional<LogClock> log_clock(std::string_view text, text::DecimalUnit unit);

}  // namespace seqpoint::io::profiles::engine
