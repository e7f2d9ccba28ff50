/// \file
/// The top of the page: its finding, what the finding is based on, and what is between it and the figures.
#pragma once

#include <string>

#include "core/report/report.hpp"
#include "io/views/report_page.hpp"

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

/// The command, and where the figures come from; empty if there are no such texts.
std::string origin_html(const PageTexts&);
/// The checks of several limits as a table: failed ones first, then undecided ones, then passed ones. Empty for one,
/// which is the headline.
std::string gates_html(const report::Report&);
/// One card for each of the first 12 of several configurations: its change, its time, its throughput. Else empty.
std::string cards_html(const report::Report&);
/// Figures of the run and of the points; of a single configuration also what its card would have.
std::string facts_html(const report::Report&);
/// One line for all warnings of a kind, with the files or configurations that it concerns, and configurations that were
/// measured too little. Empty if there are none.
std::string warnings_html(const report::Report&, const PageTexts&);
/// What to do next, with its commands in a block; empty if there is nothing.
std::string next_html(const PageTexts&);

}  // namespace seqpoint::io::views::html
