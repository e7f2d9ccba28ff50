// Candidate runs in their order, as tables.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "io/views/cells.hpp"

namespace seqpoint::io::views {
namespace {

std::string amount_text(const std::string& metric, double value) {
  return trace::is_time_metric(metric) ? duration_text(value) : number_text(value);
}

/// The farther end from the value.
double half_width(double value, const project::Interval& interval) {
  return std::max(interval.high - value, value - interval.low);
}

std::string order_text(const project::RankedRun& run) {
  switch (run.order) {
    case project::Order::best: return "best";
    case project::Order::more: return "more";
    case project::Order::undecided: return "not distinguishable";
    case project::Order::unknown: break;
  }
  return run.interval ? "unknown" : "no interval";
}

std::vector<std::string> cells_of(const project::Ranking& ranking, const project::RankedRun& run) {
  const project::Candidate& candidate = ranking.candidates[run.candidate];
  const bool best = run.order == project::Order::best;
  const auto share_of_value = [&](const project::Interval& interval) {
    return run.value == 0 ? std::string() : percent_text(half_width(run.value, interval) / std::abs(run.value), 2);
  };
  return {candidate.name,
          order_text(run),
          amount_text(ranking.metric, run.value),
          run.interval ? share_of_value(*run.interval) : "",
          best ? "" : amount_text(ranking.metric, run.difference),
          best || !run.difference_interval
              ? ""
              : amount_text(ranking.metric, half_width(run.difference, *run.difference_interval)),
          run.throughput ? number_text(run.throughput->samples_per_s) : "",
          run.throughput && run.throughput->tokens_per_s ? number_text(*run.throughput->tokens_per_s) : "",
          std::to_string(candidate.target.run.histogram.size()),
          percent_text(candidate.target.extrapolated_work)};
}

}  // namespace

TextTable ranking_table(const project::Ranking& ranking) {
  const bool several = ranking.configurations.size() > 1;
  const std::string spread = fmt::format("± ({} %)", full_precision(100 * ranking.confidence));
  std::vector<TextTable> tables;
  for (const project::ConfigurationRanking& configuration : ranking.configurations) {
    TextTable& table =
        tables.emplace_back(TextTable{{{"run", "against the best", ranking.metric + " per epoch", spread, "difference",
                                        spread, "samples/s", "tokens/s", "shapes", "beyond measured"}},
                                      2});
    for (const project::RankedRun& run : configuration.runs) table.rows.push_back(cells_of(ranking, run));
    // Throughput is not known where no time was measured, tokens where no trace has them.
    table = without_empty_columns(std::move(table));
    if (!several) continue;
    for (std::vector<std::string>& row : table.rows)
      row.insert(row.begin(), &row == &table.rows.front() ? "configuration" : configuration.name);
    ++table.left_columns;
  }
  TextTable first = std::move(tables.front());
  first.below.assign(std::make_move_iterator(tables.begin() + 1), std::make_move_iterator(tables.end()));
  return first;
}

DataTable ranking_rows(const project::Ranking& ranking) {
  DataTable table{{"configuration", "run", "order", "metric", "per_epoch", "low", "high", "difference",
                   "difference_low", "difference_high", "samples_per_s", "tokens_per_s", "padded_tokens_per_s",
                   "extrapolated_work", "coverage"}};
  for (const project::ConfigurationRanking& configuration : ranking.configurations)
    for (const project::RankedRun& run : configuration.runs) {
      const project::Candidate& candidate = ranking.candidates[run.candidate];
      std::vector<Cell>& row = table.rows.emplace_back(
          std::vector<Cell>{configuration.name, candidate.name, project::name_of(run.order), ranking.metric, run.value,
                            low_of(run.interval), high_of(run.interval), run.difference,
                            low_of(run.difference_interval), high_of(run.difference_interval)});
      add_throughput(row, run.throughput ? &*run.throughput : nullptr);
      row.insert(row.end(), {candidate.target.extrapolated_work, configuration.coverage});
    }
  return table;
}

}  // namespace seqpoint::io::views
