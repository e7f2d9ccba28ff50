/// \file
/// What a page says first: its finding, and what the finding is based on.
#pragma once

#include <string>

#include "core/report/report.hpp"

namespace seqpoint::io::views::html {

/// What a page says first.
struct Answer {
  std::string verdict;  ///< "PASS", "FAIL" or "INCONCLUSIVE"; empty without limits
  std::string text;     ///< one sentence without a full stop
  std::string below;    ///< its interval, the way out of an undecided verdict, and what is missing; may be empty
};
/// The verdict of the limits that the user set; without limits the total of one configuration, the difference between
/// several, the best method of an evaluation, or the number of points.
Answer answer_of(const report::Report&);

/// The time metric of the throughput, else the first metric that is finite; null if there is none.
const project::MetricProjection* main_metric(const project::ConfigurationProjection&);
/// The only configuration; null if there are several, or nothing was projected.
const project::ConfigurationProjection* only_configuration(const report::Report&);
/// A change with its sign as print has it: "−15 %".
std::string change_text(double change);
/// "110 to 138 s"; "no interval", with the reason if there is one.
std::string range_text(const project::MetricProjection&);

}  // namespace seqpoint::io::views::html
