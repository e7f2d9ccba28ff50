// Where a difference lies: phases of a batch, and ranges of lengths. Tables, because the intervals matter more than
// the sizes.
#include "io/views/html/charts/charts.hpp"
#include "io/views/where.hpp"

namespace seqpoint::io::views::html::charts {
namespace {

using project::ConfigurationProjection;
using project::LengthDifference;
using project::PhaseDifference;

/// One sentence for each configuration that has one. With several it begins with the name.
template <class TextOf>
std::string sentences_of(const project::Projection& projection, const TextOf& text_of) {
  std::string sentences;
  for (const ConfigurationProjection& c : projection.configurations) {
    const std::string text = text_of(c);
    if (text.empty()) continue;
    sentences += (sentences.empty() ? "" : " ") + c.name + ": " + text + ".";
  }
  return sentences;
}

/// Phases in seconds. The difference to the baseline is a share of the baseline's whole time, as its interval.
DataTable phases_data(const project::Projection& projection) {
  DataTable table{.columns = {"configuration", "phase", "seconds", "share, %", "change of the total, %", "low", "high"},
                  .id = "phases",
                  .caption = "Seconds of the whole run, by phase"};
  for (const ConfigurationProjection& c : projection.configurations)
    for (const project::Phase& phase : c.phases) {
      const PhaseDifference* const difference = find_difference(c, phase);
      std::vector<Cell>& row = table.rows.emplace_back();
      row = {c.name, std::string(project::name_of_phase(phase.column)), phase.seconds, 100 * phase.share};
      row.resize(table.columns.size());
      if (difference == nullptr) continue;
      row[4] = 100 * difference->change;
      if (!difference->interval) continue;
      row[5] = 100 * difference->interval->low;
      row[6] = 100 * difference->interval->high;
    }
  return table;
}

DataTable by_length_data(const project::Projection& projection) {
  DataTable table{.columns = {"configuration", "batches", "share of the time, %", "change, %", "change of others, %"},
                  .id = "differences-by-length",
                  .caption = "Change beside " + projection.baseline + ", by length"};
  for (const ConfigurationProjection& c : projection.configurations)
    for (const LengthDifference& range : c.length_differences)
      table.rows.push_back({c.name, lengths_text(range), 100 * range.share, 100 * range.change, 100 * range.others});
  return table;
}

}  // namespace

std::vector<Figure> differences_figures(const report::Report& report) {
  const project::Projection* const projection = report.source.projection;
  if (projection == nullptr) return {};
  std::vector<Figure> figures;
  if (DataTable phases = phases_data(*projection); !phases.rows.empty())
    figures.push_back({.id = "phases",
                       .title = "Phases of a batch",
                       .words = sentences_of(*projection, where_or_nowhere),
                       .picture = "",
                       .tables = {std::move(phases)}});
  if (DataTable by_length = by_length_data(*projection); !by_length.rows.empty())
    figures.push_back({.id = "differences-by-length",
                       .title = "Short and long batches",
                       .words = sentences_of(*projection, by_length_text),
                       .picture = "",
                       .tables = {std::move(by_length)}});
  return figures;
}

}  // namespace seqpoint::io::views::html::charts
