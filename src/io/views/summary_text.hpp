/// \file
/// A summary of a run, for a terminal of 80 columns.
#pragma once

#include <span>
#include <string>

#include "core/select/select.hpp"

namespace seqpoint::io::views {

/// How bars are drawn.
enum class Bars {
  blocks,  ///< U+2588 and its eighths, in UTF-8
  plain    ///< '#'
};

/// Samples, iterations, unique shapes, padding, and how many iterations have which padded length (without padding: how
/// many tokens); with `points`, also their positions. No line is longer than 80 columns.
std::string summary_text(const trace::RunSummary& run, Bars bars, std::span<const select::Point> points = {});

/// Only the histograms of summary_text(): of the length and, for pairs, also of tgt_len, without points. The run has at
/// least one iteration.
std::string histograms_text(const trace::RunSummary& run, Bars bars, std::span<const select::Point> points = {});

}  // namespace seqpoint::io::views
