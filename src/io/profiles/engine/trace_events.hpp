/// \file
/// Chrome traces (JSON with `traceEvents`, or an array of events), read in a window that moves over the file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "io/stream/input.hpp"

namespace seqpoint::io::profiles::engine {

// --- The meaning of the categories of libkineto's events for a timeline (libkineto/include/ActivityType.h)

/// `unused`: known, but in no figure; `unknown`: may be anything, also device work.
enum class Category { unknown, unused, cpu_op, user_range, device_range, kernel, copy, runtime };

/// The meaning of an event's `cat`, in any case; unknown if there is none of that name.
Category category_of(std::string_view cat);

// --- Events

/// One event, as text of the window: valid while it is passed on. Strings are without their quotes, escapes are kept.
struct TraceEvent {
  std::string_view ph, cat, name, pid, tid, ts, dur;
  std::string_view args;  ///< an object; empty if there is none
};

/// The characters of a JSON string without its quotes: escapes are decoded; unchanged if they are invalid.
std::string unescaped(std::string_view text);

/// Facts about a trace, known once all of it is read.
struct TraceSummary {
  std::map<std::string, std::string, std::less<>> header;  ///< short values of the keys next to `traceEvents`, as JSON
  std::uint64_t events = 0;
  std::uint64_t damaged = 0;  ///< number of events that are not valid JSON, left out
  bool truncated = false;     ///< the file ends before the trace does
  bool has_events = false;    ///< there was an array of events
};

/// Calls `take` for every valid event of a trace, in order. Memory is a few windows of 4 MiB, for any size of the
/// trace; a longer event enlarges the window. Throws InputError if the text is not the JSON of a trace.
TraceSummary read_trace_events(stream::Input& input, const std::function<void(const TraceEvent&)>& take);

}  // namespace seqpoint::io::profiles::engine
