/// \file
/// The top of the page: the answer and its warnings, before the charts.
#pragma once

#include <string>

#include "core/report/report.hpp"
#include "io/views/report_page.hpp"

namespace seqpoint::io::views::html {

/// What a page says first.
struct Answer {
  std::string verdict;  ///< "PASS", "FAIL" or "INCONCLUSIVE"; empty without limits
  std::string text;     ///< one sentence without a full stop
};
/// The verdict of the limits that the user set; without limits the total of one configuration, the difference between
/// several, the best method of an evaluation, or the number of points.
Answer answer_of(const report::Report&);
/// What the answer is based on, in one or two sentences.
std::string lead_text(const report::Report&);
/// All warnings, and configurations that were measured too little. Empty if there are none.
std::string warnings_html(const report::Report&, const PageTexts&);
/// One card for each of the first 12 of several configurations: its time, throughput and change. Else empty.
std::string cards_html(const report::Report&);
/// Figures of the run and of the points; of a single configuration also what its card would have.
std::string facts_html(const report::Report&);
/// The next step, and where the figures come from; empty if there are no such texts.
std::string origin_html(const PageTexts&);
/// The checks of limits that the user set: failed ones first, then inconclusive ones, then passed ones, at most 24.
/// Empty if there are none.
std::string gates_html(const report::Report&);

}  // namespace seqpoint::io::views::html
