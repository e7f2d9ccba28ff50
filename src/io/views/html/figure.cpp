#include "io/views/html/figure.hpp"

#include <fmt/core.h>

#include "io/views/html/charts/charts.hpp"

#include <array>

#include "io/text/shortest_number.hpp"
#include "seqpoint/io/views/tables.hpp"

namespace seqpoint::io::views::html {

std::vector<Figure> figures_of(const report::Report& report) {
  constexpr std::array kCharts{
      charts::methods_figures,           charts::configurations_figures, charts::costs_figures,
      charts::breakdown_figures,         charts::lengths_figures,        charts::pairs_figures,
      charts::numbers_of_points_figures, charts::padding_figures,        charts::length_timeline_figures};
  std::vector<Figure> figures;
  for (const auto chart : kCharts)
    for (Figure& figure : chart(report)) figures.push_back(std::move(figure));
  return figures;
}

std::string axis_name(report::LengthAxis axis) {
  switch (axis) {
    case report::LengthAxis::source: return "source length";
    case report::LengthAxis::both: return "source + target length";
    case report::LengthAxis::tokens: return "number of tokens";
    case report::LengthAxis::length: break;
  }
  return "sequence length";
}

std::string range_text(std::uint64_t first, std::uint64_t last) {
  return first == last ? std::to_string(first) : fmt::format("{} to {}", first, last);
}

std::string count_text(std::uint64_t count, const std::string& noun) {
  return group_thousands(std::to_string(count)) + " " + noun + (count == 1 ? "" : "s");
}

std::string confidence_text(double share) { return text::shortest(text::round12(100 * share)) + " %"; }

std::string weight_text(const select::Weight& weight) { return number_text(weight.iterations()); }

}  // namespace seqpoint::io::views::html
