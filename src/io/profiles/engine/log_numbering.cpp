// Maps the numbers of a log's lines to steps of the run.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "io/profiles/engine/log_lines.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles::engine {
namespace {

/// The smallest increase of the step's number from a line to the next; 0: no number increases.
std::uint64_t least_distance(const LogLines& lines) {
  std::uint64_t least = UINT64_MAX;
  for (std::size_t l = 1; l < lines.size(); ++l)
    if (lines[l].step > lines[l - 1].step) least = std::min<std::uint64_t>(least, lines[l].step - lines[l - 1].step);
  return least == UINT64_MAX ? 0 : least;
}

/// Whether the numbers show that steps are counted from 0 or from 1; nothing: they do not. Signs are a step 0, a step
/// that equals its total, a step 1, and lines at each multiple of an interval, or one before each.
std::optional<std::uint64_t> first_step_shown(const LogLines& lines) {
  const auto any = [&](auto is) { return std::ranges::any_of(lines, is); };
  const auto all = [&](auto is) { return std::ranges::all_of(lines, is); };
  if (any([](const LogLine& line) { return line.step == 0; })) return 0;
  if (any([](const LogLine& line) { return line.step == line.of; })) return 1;
  if (any([](const LogLine& line) { return line.step == 1; })) return 1;
  const std::uint64_t interval = least_distance(lines);
  if (interval < 2) return std::nullopt;
  if (all([&](const LogLine& line) { return line.step % interval == 0; })) return 1;
  if (all([&](const LogLine& line) { return (line.step + 1) % interval == 0; })) return 0;
  return std::nullopt;
}

/// The smallest number of an epoch if that is 0 or 1; else nothing.
std::optional<std::uint64_t> first_epoch_shown(const LogLines& lines) {
  const std::uint64_t first = std::ranges::min(lines, {}, &LogLine::epoch).epoch;
  return first < 2 ? std::optional(first) : std::nullopt;
}

/// The number of the first step or epoch (`what`): `said` by the pattern, else `shown` by the lines, with a remark,
/// else 1, with a note.
std::uint64_t first_number(const std::optional<std::uint64_t>& said, const std::optional<std::uint64_t>& shown,
                           std::string_view what, profile::StepProfile& profile, LogReport& report) {
  if (said) return *said;
  if (shown)
    report.remarks.push_back(fmt::format("{}: {}s are counted from {}, as their numbers show; a group '{}{}' says it",
                                         profile.source, what, *shown, what, *shown));
  else
    profile.notes.push_back(
        fmt::format("{0}: whether {1}s are counted from 0 or 1 is not shown: 1 is taken; call the group '{1}0' or "
                    "'{1}1'",
                    profile.source, what));
  return shown.value_or(1);
}

/// The number of steps of each epoch, by its number: the total in its lines, or its last step if that is later or there
/// is no total.
std::map<std::uint64_t, std::uint64_t> sizes_of_epochs(const LogLines& lines, const StepNumbers& numbers) {
  std::map<std::uint64_t, std::uint64_t> sizes;
  for (const LogLine& line : lines) {
    std::uint64_t& size = sizes[line.epoch];
    size = std::max({size, std::uint64_t{line.of}, numbers.done_in_epoch(line)});
  }
  return sizes;
}

/// The number of steps before each epoch, by its number. `first`: number of the first epoch. An epoch that the log
/// lacks is assumed to be as large as the next one in it.
std::map<std::uint64_t, std::uint64_t> begins_of_epochs(const std::map<std::uint64_t, std::uint64_t>& sizes,
                                                        std::uint64_t first) {
  std::map<std::uint64_t, std::uint64_t> begins;
  std::uint64_t next = first, begin = 0;
  for (const auto& [epoch, size] : sizes) {
    begin += (epoch - next) * size;
    begins[epoch] = begin;
    begin += size;
    next = epoch + 1;
  }
  return begins;
}

/// Whether all epochs have the same number of steps.
bool equal(const std::map<std::uint64_t, std::uint64_t>& sizes) {
  return std::ranges::all_of(sizes, [&](const auto& epoch) { return epoch.second == sizes.begin()->second; });
}

/// Sets StepNumbers::begins, and iterations_per_epoch if the log states it and all epochs are equal. `first`: number of
/// the first epoch. Throws InputError for a smaller number.
void place_epochs(const LogLines& lines, std::uint64_t first, StepNumbers& numbers, profile::StepProfile& profile,
                  LogReport& report) {
  const auto sizes = sizes_of_epochs(lines, numbers);
  if (sizes.begin()->first < first)
    throw InputError({profile.source, lines.front().line, "epoch"}, "is 0, but the pattern counts epochs from 1",
                     "call the group 'epoch0'");
  numbers.begins = begins_of_epochs(sizes, first);
  if (lines.front().of == 0 && sizes.size() > 1)
    report.remarks.push_back(fmt::format("{}: an epoch is taken to end with its last line: the first has {}",
                                         profile.source, counted(sizes.begin()->second, "step")));
  if (!equal(sizes))
    profile.notes.push_back(profile.source + ": epochs differ in how many steps they have");
  else if (lines.front().of > 0)
    profile.iterations_per_epoch = sizes.begin()->second;
}

/// Sets the report's stated steps to the total in the last line; a note says if earlier lines have another. Nothing
/// without a total, and if epochs differ in their totals. `epochs`: totals are of an epoch; `first`: number of the
/// first step.
void set_stated_steps(const LogLines& lines, bool epochs, std::uint64_t first, profile::StepProfile& profile,
                      LogReport& report) {
  const LogLine& last = lines.back();
  const bool same = std::ranges::all_of(lines, [&](const LogLine& line) { return line.of == last.of; });
  if (last.of == 0 || (epochs && !same)) return;
  report.stated = StatedSteps{.steps = last.of, .may_be_last = first == 0, .of_epoch = epochs, .line = last.line};
  if (!same)
    profile.notes.push_back(fmt::format("{}:{}: says that there are {} steps in all; lines before say {}",
                                        profile.source, last.line, last.of, lines.front().of));
}

}  // namespace

StepNumbers number_lines(const LogLines& lines, const LogPattern& pattern, profile::StepProfile& profile,
                         LogReport& report) {
  const std::string unit(profile::name_of(pattern.unit()));
  const std::uint64_t first =
      first_number(pattern.first(LogField::step), first_step_shown(lines), unit, profile, report);
  StepNumbers numbers{.first = first};
  for (const LogLine& line : lines)
    if (line.step < first && pattern.has(LogField::time))
      throw InputError({profile.source, line.line, unit}, fmt::format("is 0, but {}s are counted from 1", unit),
                       fmt::format("call the group '{0}0' if the first {0} has the number 0", unit));
  const bool epochs = pattern.has(LogField::epoch);
  if (epochs)
    place_epochs(lines,
                 first_number(pattern.first(LogField::epoch), first_epoch_shown(lines), "epoch", profile, report),
                 numbers, profile, report);
  set_stated_steps(lines, epochs, first, profile, report);
  return numbers;
}

}  // namespace seqpoint::io::profiles::engine
