#include "cli/options/budget.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <string_view>

#include "seqpoint/error.hpp"

namespace seqpoint::cli::options {
namespace {

constexpr auto kBudgetForms = "executions (--budget 24), or time (--budget 90s, 15min, 2h)";

/// Seconds in a unit; 0 for an unknown one.
double seconds_in(std::string_view unit) {
  if (unit == "s") return 1;
  if (unit == "min") return 60;
  if (unit == "h") return 3600;
  return 0;
}

}  // namespace

select::ProfilingBudget parse_budget(const std::string& text) {
  select::ProfilingBudget budget;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), budget.amount);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  budget.seconds = !unit.empty();
  if (budget.seconds) budget.amount *= seconds_in(unit);
  const bool whole = budget.seconds || budget.amount == std::floor(budget.amount);
  if (failed != std::errc{} || !(budget.amount > 0) || !std::isfinite(budget.amount) || !whole)
    throw UsageError(fmt::format("--budget: '{}' is neither a number of batches nor a time", text), kBudgetForms);
  return budget;
}

double parse_duration(const std::string& option, const std::string& text) {
  double amount = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), amount);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const double seconds = amount * (unit.empty() ? 1 : seconds_in(unit));
  const bool known = unit.empty() || seconds_in(unit) > 0;
  if (failed != std::errc{} || !known || !(seconds >= 0) || !std::isfinite(seconds))
    throw UsageError(fmt::format("{}: '{}' is no time", option, text), fmt::format("{} 90s, 15min or 2h", option));
  return seconds;
}

}  // namespace seqpoint::cli::options
