#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <queue>
#include <utility>

#include "seqpoint/error.hpp"
#include "seqpoint/repeats.hpp"

namespace seqpoint {
namespace {

constexpr auto kBudgetForms = "iterations (--budget 24), or time (--budget 90s, 15min, 2h)";
/// Prices that add up to the budget exactly may seem to be a rounding more.
constexpr double kRoundingOfPrices = 1e-9;

/// Seconds in a unit; 0 for one that is not known.
double seconds_of(std::string_view unit) {
  if (unit == "s") return 1;
  if (unit == "min") return 60;
  if (unit == "h") return 3600;
  return 0;
}

/// Whole repeats where every further one takes less off than `x` in proportion stands for: the r-th takes 1 / (r (r - 1)) of a
/// point's part, and in proportion it is worth 1 / x^2.
std::uint64_t whole_repeats(double x) {
  const double more = std::floor((std::sqrt(1 + 4 * x * x) - 1) / 2 * (1 - kRoundingOfPrices));
  return 1 + static_cast<std::uint64_t>(std::min(more, static_cast<double>(kMostRepeats - 1)));
}

/// Where measuring one at a time would get to before the budget runs short: two measurements of every point are left over, more
/// than rounding to whole repeats can take. Again where points have as many as they may: the others share what those leave.
std::vector<std::uint64_t> head_start(std::span<const double> parts, std::span<const double> prices, double budget) {
  std::vector<std::uint64_t> repeats(parts.size(), 1);
  for (bool more = true; more;) {
    double all = 0, free = budget;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const bool full = repeats[p] == kMostRepeats;
      all += full ? 0 : parts[p] * std::sqrt(prices[p]);
      free -= static_cast<double>(full ? kMostRepeats : 2) * prices[p];
    }
    more = false;
    for (std::size_t p = 0; p < parts.size() && free > 0; ++p) {
      if (repeats[p] == kMostRepeats) continue;
      repeats[p] = whole_repeats(free * parts[p] / std::sqrt(prices[p]) / all);
      more = more || repeats[p] == kMostRepeats;
    }
  }
  return repeats;
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
  if (std::accumulate(prices.begin(), prices.end(), 0.0) > budget * (1 + kRoundingOfPrices)) return std::nullopt;
  std::vector<double> parts;
  for (std::size_t p = 0; p < weights.size(); ++p) parts.push_back(weights[p] * costs[p]);
  std::vector<std::uint64_t> repeats = head_start(parts, prices, budget);
  double left = budget;
  for (std::size_t p = 0; p < prices.size(); ++p) left -= static_cast<double>(repeats[p]) * prices[p];
  // What the next measurement of each point takes off per price, the first of equals on top.
  std::priority_queue<std::pair<double, std::ptrdiff_t>> gains;
  const auto queue = [&](std::size_t p) {
    const auto r = static_cast<double>(repeats[p]);
    if (repeats[p] < kMostRepeats) gains.emplace(parts[p] * parts[p] / (r * (r + 1)) / prices[p], -static_cast<std::ptrdiff_t>(p));
  };
  for (std::size_t p = 0; p < prices.size(); ++p) queue(p);
  while (!gains.empty()) {
    const auto p = static_cast<std::size_t>(-gains.top().second);
    gains.pop();
    if (prices[p] > left + kRoundingOfPrices * budget) continue;  // nor will it be later
    ++repeats[p];
    left -= prices[p];
    queue(p);
  }
  return repeats;
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
