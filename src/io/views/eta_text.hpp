/// \file
/// The remaining time of a run, for people and programs.
#pragma once

#include <string>

#include "core/eta/eta.hpp"
#include "io/views/tables.hpp"

namespace seqpoint::io::views {

/// One line each: the done part, the remaining part and, if they exist, the cost of shapes that are still new and the
/// last stretch. `confidence`: of the interval of the remaining time, in (0, 1).
std::string eta_text(const eta::TimeLeft&, double confidence);
/// The same lines as a table of two columns. `confidence`: of the interval.
TextTable eta_table(const eta::TimeLeft&, double confidence);
/// Every figure with all digits, one per row.
DataTable eta_rows(const eta::TimeLeft&);
/// How much slower or faster than predicted the last stretch ran, and the time left if that continues.
std::string message_of(const eta::TimeLeft&, const eta::Stretch&);

}  // namespace seqpoint::io::views
