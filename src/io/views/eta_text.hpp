/// \file
/// How long a run still takes, as people and programs read it.
#pragma once

#include <string>

#include "core/eta/eta.hpp"
#include "io/views/tables.hpp"

namespace seqpoint::io::views {

/// A line each: what is done, what is left, how the last stretch went. `confidence`: of the interval.
std::string eta_text(const eta::TimeLeft&, double confidence);
/// The same lines as a table of two columns. `confidence`: of the interval.
TextTable eta_table(const eta::TimeLeft&, double confidence);
/// Every figure in full, one a row.
DataTable eta_rows(const eta::TimeLeft&);
/// What a stretch that is off tells.
std::string message_of(const eta::TimeLeft&, const eta::Stretch&);

}  // namespace seqpoint::io::views
