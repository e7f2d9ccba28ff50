/// \file
/// A summary of a run, for a terminal.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/select/select.hpp"

namespace seqpoint::io::views {

inline constexpr std::size_t kBarColumns = 80;  ///< the usual width of a terminal

/// How bars are drawn.
enum class Bars {
  blocks,  ///< U+2588 and its eighths, in UTF-8
  plain    ///< '#'
};

/// How many batches have which padded length (without padding: how many tokens), with `points` also their positions;
/// for pairs also tgt_len, without points. No line is longer than `columns`, if these are enough for the numbers. The
/// run has at least one iteration.
std::string histograms_text(const trace::RunSummary& run, Bars bars, std::span<const select::Point> points = {},
                            std::size_t columns = kBarColumns);

}  // namespace seqpoint::io::views
