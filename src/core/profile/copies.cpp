// Measurements beside others: the same once more, or in another unit.
#include <fmt/core.h>

#include <algorithm>

#include "core/averages.hpp"
#include "core/profile/implausible_times.hpp"
#include "seqpoint/measure.hpp"

namespace seqpoint::profile {
namespace {

/// By point: the repeats of a time, ascending.
using Times = std::vector<std::vector<double>>;

/// Those of the first column of times; empty where there is none.
Times times_of(const Measurements& measured) {
  const auto metric = std::ranges::find_if(measured.metrics, trace::is_time_metric);
  if (metric == measured.metrics.end()) return {};
  Times times;
  for (const auto& repeats : measured.readings[static_cast<std::size_t>(metric - measured.metrics.begin())])
    std::ranges::sort(times.emplace_back(values_of(repeats)));
  return times;
}

/// Whether a clock is so fine that it does not repeat itself.
bool any_is_fine(const Times& times) {
  return std::ranges::any_of(times, [](const std::vector<double>& repeats) {
    return std::ranges::any_of(repeats, [](double value) { return is_fine(value); });
  });
}

}  // namespace

bool is_fine(double time) {
  std::string text = fmt::format("{:e}", time);
  text.resize(text.find('e'));
  text.resize(text.find_last_not_of('0') + 1);
  return std::ranges::count_if(text, [](char c) { return c >= '0' && c <= '9'; }) >= 4;
}

bool all_repeated(const Measurements& measured) {
  const Times times = times_of(measured);
  const auto repeated = [](const std::vector<double>& ascending) {
    return std::ranges::all_of(ascending, [&](const double& value) {
      const auto at = &value - ascending.data();
      return (at > 0 && ascending[at - 1] == value) || (at + 1 < std::ssize(ascending) && ascending[at + 1] == value);
    });
  };
  return any_is_fine(times) && std::ranges::all_of(times, repeated);
}

bool same_times(const Measurements& a, const Measurements& b) {
  const Times times = times_of(a);
  return any_is_fine(times) && times == times_of(b);
}

double time_ratio(const Measurements& a, const Measurements& b) {
  const Times ours = times_of(a), theirs = times_of(b);
  std::vector<double> ratios;
  for (std::size_t p = 0; p < std::min(ours.size(), theirs.size()); ++p)
    if (!ours[p].empty() && !theirs[p].empty() && median(ours[p]) > 0 && median(theirs[p]) > 0)
      ratios.push_back(median(ours[p]) / median(theirs[p]));
  return ratios.empty() ? 1 : median(ratios);
}

}  // namespace seqpoint::profile
