#include "io/profiles/engine/step_windows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles::engine {
namespace {

/// Sorts ranges by their start, and removes those that lie within another of the same process.
void keep_outermost(std::vector<NamedRange>& steps) {
  std::stable_sort(steps.begin(), steps.end(), [](const NamedRange& a, const NamedRange& b) {
    return a.start != b.start ? a.start < b.start : a.end > b.end;
  });
  std::map<std::uint32_t, std::int64_t> furthest;
  std::erase_if(steps, [&](const NamedRange& step) {
    const auto [at, is_new] = furthest.try_emplace(step.process, step.end);
    if (is_new) return false;
    const bool inside = step.end <= at->second;
    at->second = std::max(at->second, step.end);
    return inside;
  });
}

/// The three most frequent names with their counts, "'forward' (2), 'backward' (2)"; ties by name.
std::string most_frequent(const std::vector<NamedRange>& ranges, const profile::NameTable& names) {
  constexpr std::size_t kShown = 3;
  std::map<std::uint32_t, std::size_t> counts;
  for (const NamedRange& range : ranges) ++counts[range.name];
  std::vector<std::pair<std::size_t, std::string>> sorted;
  for (const auto& [name, count] : counts) sorted.emplace_back(count, names[name]);
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, sorted.size()); ++i)
    text += fmt::format("{}'{}' ({})", i > 0 ? ", " : "", sorted[i].second, sorted[i].first);
  return text + (sorted.size() > kShown ? ", ..." : "");
}

/// Adds a note about the first two steps of one process that overlap in time, if any do.
void note_overlaps(const std::vector<profile::StepWindow>& windows, profile::StepProfile& profile) {
  std::vector<profile::StepWindow> sorted = windows;
  std::stable_sort(sorted.begin(), sorted.end(), [](const profile::StepWindow& a, const profile::StepWindow& b) {
    return a.process != b.process ? a.process < b.process : a.start < b.start;
  });
  for (std::size_t w = 1; w < sorted.size(); ++w)
    if (sorted[w].process == sorted[w - 1].process && sorted[w].start < sorted[w - 1].end) {
      profile.notes.push_back(fmt::format(
          "{}: '{}' and '{}' overlap in time; device work counts for the one that began last (--match picks one)",
          profile.source, sorted[w - 1].key, sorted[w].key));
      return;
    }
}

}  // namespace

bool is_profiler_step(std::string_view name) {
  constexpr std::string_view kName = "ProfilerStep";
  if (!name.starts_with(kName)) return false;
  name.remove_prefix(kName.size());
  const auto skip = [&name](char c) {
    while (name.starts_with(c)) name.remove_prefix(1);
  };
  skip(' ');
  if (!name.starts_with('#')) return false;
  name.remove_prefix(1);
  skip(' ');
  return !name.empty() && name.front() >= '0' && name.front() <= '9';
}

void choose_steps(std::vector<NamedRange> ranges, const profile::NameRules& rules, profile::Timeline& timeline,
                  profile::StepProfile& profile) {
  const auto is_step_of_profiler = [&](const NamedRange& range) {
    return is_profiler_step(timeline.names[range.name]);
  };
  const bool by_profiler = std::any_of(ranges.begin(), ranges.end(), is_step_of_profiler);
  std::vector<NamedRange> steps;
  for (const NamedRange& range : ranges) {
    const bool is_step = by_profiler ? is_step_of_profiler(range) : rules.names_step(timeline.names[range.name]);
    if (is_step)
      steps.push_back(range);
    else
      timeline.labels.push_back(
          {.start = range.start, .duration = range.end - range.start, .name = range.name, .process = range.process});
  }
  if (!by_profiler) keep_outermost(steps);
  for (const NamedRange& step : steps)
    timeline.windows.push_back({.key = timeline.names[step.name],
                                .start = step.start,
                                .end = step.end,
                                .process = step.process,
                                .thread = step.thread});
  note_overlaps(timeline.windows, profile);
  if (steps.empty())
    profile.notes.push_back(
        fmt::format("{}: no range is a step{}; name iterations ('seqlen=42'), or give --match or --map", profile.source,
                    ranges.empty() ? ", there are none" : ": there are " + most_frequent(ranges, timeline.names)));
}

}  // namespace seqpoint::io::profiles::engine
