#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "seqpoint/error.hpp"
#include "seqpoint/repeats.hpp"

namespace seqpoint {
namespace {

constexpr auto kBudgetForms = "iterations (--budget 24), or time (--budget 90s, 15min, 2h)";

/// Seconds in a unit; 0 for one that is not known.
double seconds_of(std::string_view unit) {
  if (unit == "s") return 1;
  if (unit == "min") return 60;
  if (unit == "h") return 3600;
  return 0;
}

}  // namespace

ProfilingBudget parse_budget(const std::string& text) {
  ProfilingBudget budget;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), budget.amount);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  budget.seconds = !unit.empty();
  if (budget.seconds) budget.amount *= seconds_of(unit);
  const bool whole = budget.seconds || budget.amount == std::floor(budget.amount);
  if (failed != std::errc{} || !(budget.amount > 0) || !std::isfinite(budget.amount) || !whole)
    throw UsageError("--budget: '" + text + "' is no amount of profiling", kBudgetForms);
  return budget;
}

std::optional<std::vector<std::uint64_t>> allocate_repeats(std::span<const double> weights, std::span<const double> costs,
                                                           std::span<const double> prices, double budget) {
  double left = budget - std::accumulate(prices.begin(), prices.end(), 0.0);
  // Prices that add up to the budget exactly may seem to be a rounding more.
  if (left < -1e-9 * budget) return std::nullopt;
  std::vector<std::uint64_t> repeats(weights.size(), 1);
  const auto gain = [&](std::size_t p) {
    const auto r = static_cast<double>(repeats[p]);
    return weights[p] * costs[p] * weights[p] * costs[p] / (r * (r + 1)) / prices[p];
  };
  for (;;) {
    std::size_t best = weights.size();
    for (std::size_t p = 0; p < weights.size(); ++p)
      if (prices[p] <= left * (1 + 1e-9) && (best == weights.size() || gain(p) > gain(best) * (1 + 1e-12))) best = p;
    if (best == weights.size()) return repeats;
    ++repeats[best];
    left -= prices[best];
  }
}

double relative_noise(std::span<const double> weights, std::span<const double> costs, std::span<const std::uint64_t> repeats) {
  double total = 0, squares = 0;
  for (std::size_t p = 0; p < weights.size(); ++p) {
    const double part = weights[p] * costs[p];
    total += part;
    squares += part * part / static_cast<double>(repeats[p]);
  }
  return total > 0 ? std::sqrt(squares) / total : 0;
}

}  // namespace seqpoint
