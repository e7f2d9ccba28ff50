/// \file
/// Chrome traces (JSON with `traceEvents`, or an array of events), read in a window that moves over the file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/files.hpp"

namespace seqpoint::io::profiles::engine {

/// One event, as text of the window: valid while it is handed out. Strings are without their quotes, escapes as they
/// stand.
struct TraceEvent {
  std::string_view ph, cat, name, pid, tid, ts, dur;
  std::string_view args;  ///< an object; empty if there is none
};

/// A JSON string's escapes undone; as it stands where they are wrong.
std::string unescaped(std::string_view text);

/// Facts about a trace, known once all of it is read.
struct TraceSummary {
  std::map<std::string, std::string, std::less<>> header;  ///< short values of the keys beside `traceEvents`, as JSON
  std::uint64_t events = 0;
  std::uint64_t damaged = 0;  ///< events that are no valid JSON, left out
  bool truncated = false;     ///< the file ends before the trace does
  bool has_events = false;    ///< there was an array of events
};

/// Walks a trace. The memory it takes is a few windows of 4 MiB, whatever the size of the trace; an event that is
/// longer makes the window longer. Throws InputError for what is not the JSON of a trace.
TraceSummary read_trace_events(stream::Input& input, const std::function<void(const TraceEvent&)>& take);

}  // namespace seqpoint::io::profiles::engine
