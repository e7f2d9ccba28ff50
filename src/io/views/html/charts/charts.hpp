/// \file
/// The charts of a page, one per file: each makes a figure if the report has its data, else none.
#pragma once

#include <vector>

#include "io/views/html/figure.hpp"

namespace seqpoint::io::views::html::charts {

std::vector<Figure> configurations_figures(const report::Report&);
std::vector<Figure> variance_figures(const report::Report&);
std::vector<Figure> costs_figures(const report::Report&);
std::vector<Figure> breakdown_figures(const report::Report&);
std::vector<Figure> differences_figures(const report::Report&);
std::vector<Figure> lengths_figures(const report::Report&);
std::vector<Figure> pairs_figures(const report::Report&);
std::vector<Figure> numbers_of_points_figures(const report::Report&);
std::vector<Figure> methods_figures(const report::Report&);

}  // namespace seqpoint::io::views::html::charts
