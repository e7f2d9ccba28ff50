// Texts of a forecast for people and programs.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/trace/trace.hpp"
#include "io/views/cells.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::views {
namespace {

using forecast::DatasetUse;
using forecast::EpochSteps;
using forecast::Forecast;

/// Shares of the shapes for which the text names the iteration by which they were seen.
constexpr std::array kShares{0.5, 0.9, 0.99, 1.0};

double share_of(std::uint64_t part, std::uint64_t all) { return static_cast<double>(part) / static_cast<double>(all); }

/// "446 batches", or "445 to 446 batches" if epochs differ.
std::string range_of_epochs(const std::vector<EpochSteps>& epochs, std::uint64_t EpochSteps::*figure,
                            const std::string& noun) {
  const auto [least, most] = std::ranges::minmax_element(epochs, {}, figure);
  const std::string text = counted((*most).*figure, noun);
  return (*least).*figure == (*most).*figure ? text : fmt::format("{} to {}", (*least).*figure, text);
}

/// Iterations of an epoch and, with gradient accumulation, optimiser steps and the iterations of the last step if it is
/// incomplete.
std::string steps_text(const Forecast& forecast) {
  const auto& epochs = forecast.epochs;
  const std::string each = epochs.size() > 1 ? fmt::format(" in each of {} epochs", epochs.size()) : "";
  const std::string iterations = range_of_epochs(epochs, &EpochSteps::iterations, "batch");
  if (forecast.accumulation == 1) return fmt::format("{}{}, an optimiser step each", iterations, each);
  const std::string steps = range_of_epochs(epochs, &EpochSteps::optimiser_steps, "optimiser step"),
                    last = range_of_epochs(epochs, &EpochSteps::last_step, "batch");
  return fmt::format("{}, {} of {}{}{}", iterations, steps, forecast.accumulation, each,
                     last == counted(forecast.accumulation, "batch") ? "" : "; the last of " + last);
}

/// The samples, and how many of them are left out or repeated. A run from a trace does not show that.
std::string samples_text(const Forecast& forecast) {
  if (!forecast.use) return fmt::format("{}; only the manifest shows what is left out", grouped(forecast.run.samples));
  const DatasetUse& use = *forecast.use;
  std::string text = grouped(use.samples);
  if (use.left_out > 0) text = fmt::format("{} of {} left out", grouped(use.left_out), text);
  if (forecast.epochs.size() > 1) text += fmt::format(" in {}", counted(forecast.epochs.size(), "epoch"));
  if (use.left_out > 0)
    text += fmt::format(" ({}), with {}", percent_text(share_of(use.left_out, use.samples)),
                        counted(use.tokens_left_out, "token"));
  return use.repeated > 0 ? fmt::format("{}; {} more than once, or in pieces", text, grouped(use.repeated)) : text;
}

/// The tokens, and how many of them are cut off or repeated.
std::string tokens_text(const DatasetUse& use) {
  std::string text = grouped(use.tokens);
  if (use.tokens_cut > 0)
    text = fmt::format("{} of {} cut off ({})", grouped(use.tokens_cut), text,
                       percent_text(share_of(use.tokens_cut, use.tokens)));
  return use.tokens_repeated > 0 ? fmt::format("{}; {} more than once", text, grouped(use.tokens_repeated)) : text;
}

/// The share of padding in the padded tokens; "none" without padding, "not known" if the trace has no tokens.
std::string padding_share_text(const trace::RunSummary& run) {
  if (run.kind == trace::ShapeKind::varlen && run.tokens == run.padded_tokens) return "none: trained without it";
  if (!run.tokens || run.padded_tokens == 0) return "not known";
  return fmt::format("{} of {}", percent_text(1 - share_of(*run.tokens, run.padded_tokens)),
                     counted(run.padded_tokens, "token"));
}

/// "44 to 48 distinct shapes", or "48 distinct shapes" if the bounds are equal.
std::string shapes_between(std::uint64_t fewest, std::uint64_t most) {
  const std::string text = counted(most, "distinct shape");
  return fewest == most ? text : fmt::format("{} to {}", fewest, text);
}

/// The number of distinct shapes: of each rank and of all, or, if only the rank with the most work is known, of that
/// one in each iteration.
std::string distinct_shapes_text(const Forecast& forecast) {
  if (!forecast.shapes)
    return fmt::format("not known of each rank; the slowest of each batch has {}",
                       counted(forecast.first_seen.size(), "distinct shape"));
  const trace::RankShapeCounts shapes = trace::counts_of(*forecast.shapes);
  const std::string of_a_rank = shapes_between(shapes.fewest, shapes.most);
  const std::size_t ranks = forecast.shapes->of_each.size();
  return ranks == 1 ? of_a_rank : fmt::format("{} in a rank, {} in all {}", of_a_rank, shapes.all, ranks);
}

/// The number of distinct shapes, and the names of their dimensions; sums of squares are no size of a tensor.
std::string shapes_text(const Forecast& forecast) {
  std::string names;
  for (const trace::Dimension d : trace::dimensions_of(forecast.run.kind))
    if (d != trace::Dimension::sq_tokens) names += fmt::format("{}{}", names.empty() ? "" : ", ", trace::name_of(d));
  return fmt::format("{} of ({})", distinct_shapes_text(forecast), names);
}

/// By which iteration 50, 90, 99 and 100 % of the shapes were seen.
std::string seen_text(const Forecast& forecast) {
  std::string text;
  for (const double share : kShares)
    text += fmt::format("{}{} by batch {}", text.empty() ? "" : ", ", percent_text(share, 2),
                        forecast::seen_by(forecast, share));
  return text;
}

/// A sum with up to 12 digits below 1e9, else with 4 significant digits.
std::string sum_text(double sum) {
  constexpr double kAllDigits = 1e9;
  if (sum >= kAllDigits) return number_text(sum);
  return sum == std::floor(sum) ? grouped(static_cast<std::uint64_t>(sum)) : full_precision(sum);
}

/// The sum without padding and with padding: "1,200; 1,500 padded". Without `plain` the padded sum alone; without
/// `padded` the reason why neither is known.
std::string sum_text(const std::optional<double>& plain, const std::optional<double>& padded) {
  if (!padded) return "not known: of several ranks a trace has one";
  if (!plain) return sum_text(*padded) + " padded";
  return fmt::format("{}; {} padded", sum_text(*plain), sum_text(*padded));
}

/// The share of time that ranks wait for the slowest rank, and the iteration with the largest share. Requires
/// `forecast.waiting`.
std::string waiting_share_text(const Forecast& forecast) {
  return fmt::format("{} of the time of {}, if their time is in proportion to their {}tokens; most in batch {}: {}",
                     percent_text(forecast.waiting->share),
                     forecast.run.ranks > 1 ? counted(forecast.run.ranks, "rank") : "the ranks",
                     forecast.run.kind == trace::ShapeKind::varlen ? "" : "padded ", forecast.waiting->iteration,
                     percent_text(forecast.waiting->most));
}

std::optional<double> as_double(const std::optional<std::uint64_t>& value) {
  return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

/// Rows of a label and a text. "tokens" and "waiting" are left out if they are not known.
std::vector<std::vector<std::string>> forecast_figures(const Forecast& forecast) {
  std::vector<std::vector<std::string>> figures{{"an epoch", steps_text(forecast)},
                                                {"samples", samples_text(forecast)}};
  if (forecast.use) figures.push_back({"tokens", tokens_text(*forecast.use)});
  figures.push_back({"padding", padding_share_text(forecast.run)});
  if (forecast.waiting) figures.push_back({"waiting", waiting_share_text(forecast)});
  figures.push_back({"shapes", shapes_text(forecast)});
  figures.push_back({"first seen", seen_text(forecast)});
  figures.push_back(
      {"sum of lengths", sum_text(as_double(forecast.run.tokens), static_cast<double>(forecast.run.padded_tokens))});
  figures.push_back({"of their squares", sum_text(forecast.sq_tokens, forecast.padded_sq_tokens)});
  return figures;
}

/// One row per measure: its largest value in a rank, and the iteration of that value.
TextTable maxima_table(const Forecast& forecast) {
  TextTable table{{{"largest batch of a rank", "most", "at batch"}}, 3};
  for (const auto& [measure, most, records] : forecast.maxima)
    table.rows.push_back({measure, grouped(most), grouped(records.back())});
  return table;
}

/// Rows of the numbers of shapes. If the shapes of several ranks are unknown, they are those of the slowest rank.
void append_shapes_rows(DataTable& table, const Forecast& forecast) {
  const std::string name = forecast.shapes ? "shapes" : "shapes_of_the_slowest";
  table.rows.push_back({name, forecast.shapes ? forecast.shapes->first_seen.size() : forecast.first_seen.size()});
  if (forecast.run.rank_shapes) {
    table.rows.push_back({"fewest_shapes_of_a_rank", forecast.run.rank_shapes->fewest});
    table.rows.push_back({"most_shapes_of_a_rank", forecast.run.rank_shapes->most});
  }
  for (const double share : kShares)
    table.rows.push_back({name + "_seen_by_" + full_precision(100 * share), forecast::seen_by(forecast, share)});
}

}  // namespace

std::string forecast_text(const Forecast& forecast) {
  return as_text({.rows = forecast_figures(forecast), .left_columns = 2, .below = {maxima_table(forecast)}});
}

TextTable forecast_table(const Forecast& forecast) {
  TextTable table{.rows = forecast_figures(forecast), .left_columns = 2, .below = {maxima_table(forecast)}};
  table.rows.insert(table.rows.begin(), {"", "forecast"});
  return table;
}

DataTable forecast_rows(const Forecast& forecast) {
  DataTable table{{"figure", "value"}};
  const auto add = [&](const std::string& name, Cell value) { table.rows.push_back({name, std::move(value)}); };
  add("iterations", forecast.run.iterations);
  std::uint64_t steps = 0;
  for (const EpochSteps& epoch : forecast.epochs) steps += epoch.optimiser_steps;
  add("optimiser_steps", steps);
  add("epochs", forecast.run.epochs);
  add("samples", forecast.run.samples);
  if (forecast.use) {
    add("samples_left_out", forecast.use->left_out);
    add("tokens_left_out", forecast.use->tokens_left_out);
    add("samples_repeated", forecast.use->repeated);
    add("tokens_cut", forecast.use->tokens_cut);
    add("tokens_repeated", forecast.use->tokens_repeated);
  }
  if (forecast.run.tokens) add("tokens", *forecast.run.tokens);
  add("padded_tokens", forecast.run.padded_tokens);
  if (forecast.sq_tokens) add("sq_tokens", *forecast.sq_tokens);
  if (forecast.padded_sq_tokens) add("padded_sq_tokens", *forecast.padded_sq_tokens);
  if (forecast.waiting) {
    add("waiting", forecast.waiting->share);
    add("most_waiting", forecast.waiting->most);
  }
  append_shapes_rows(table, forecast);
  for (const auto& [measure, most, records] : forecast.maxima) {
    add("most_" + measure, most);
    add("most_" + measure + "_at", records.back());
    add("new_maxima_of_" + measure, records.size());
  }
  return table;
}

}  // namespace seqpoint::io::views
