/// \file
/// The remaining time of a run, for people and programs.
#pragma once

#include <string>

#include "core/eta/eta.hpp"
#include "io/views/tables.hpp"

namespace seqpoint::io::views {

/// One line each: the done part, the remaining part, the last stretch. `confidence`: of the interval.
std::string eta_text(const eta::TimeLeft&, double confidence);
/// The same lines as a table of two columns. `confidence`: of the interval.
TextTable eta_table(const eta::TimeLeft&, double confidence);
/// Every figure with all digits, one per row.
DataTable eta_rows(const eta::TimeLeft&);
/// The message about a stretch outside its expected interval.
std::string message_of(const eta::TimeLeft&, const eta::Stretch&);

}  // namespace seqpoint::io::views
