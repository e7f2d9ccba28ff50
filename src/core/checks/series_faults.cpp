#include "core/checks/series_faults.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "core/checks/series_readings.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::checks {
namespace {

/// Adds a text for each fault that could not be looked for, with the reason; WithinPoints::seen also has the faults of
/// levels.
void list_unseen(const SeriesReadings& series, const WithinPoints& within, std::vector<std::string>& unseen) {
  const auto add = [&](Fault fault, const char* why) {
    if (!within.seen.contains(fault)) unseen.push_back(fmt::format("{}: {}", name_of(fault), why));
  };
  add(Fault::stray_measurement, "no point was measured twice");
  add(Fault::stray_point, "too few points were measured");
  add(Fault::misplaced, "too few points were measured, or too many");
  add(Fault::slow_start, "no process measured a point twice");
  add(Fault::drift, "no process measured a point twice");
  if (!series.groups.empty()) add(Fault::disagreement, "they have no points in common, and too few of their own");
  for (const Fault fault : within.too_few)
    unseen.push_back(fmt::format("{}: not even a tenfold one would stand out of so few measurements", name_of(fault)));
  for (const Fault fault : within.no_scatter)
    unseen.push_back(
        fmt::format("{}: repeats are equal, as of a coarse clock: no scatter to test against", name_of(fault)));
}

/// How many different iterations of a point were measured; 1 if a reading does not name its iteration. `point`:
/// position in SeriesReadings::points.
std::size_t different_iterations(const SeriesReadings& series, std::size_t point) {
  std::set<std::uint64_t> known;
  for (std::size_t i = 0; i < series.readings.size(); ++i) {
    if (series.point_of[i] != point) continue;
    const std::optional<std::uint64_t>& iteration = series.readings[i].row->iteration;
    if (!iteration) return 1;
    known.insert(*iteration);
  }
  return known.size();
}

}  // namespace

SeriesReadings::SeriesReadings(std::vector<profile::RowReading> all)
    : readings(std::move(all)), processes(processes_of(readings)), groups(groups_of(readings)) {
  for (const profile::RowReading& reading : readings) points.push_back(reading.point);
  std::ranges::sort(points);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  for (const profile::RowReading& reading : readings)
    point_of.push_back(static_cast<std::size_t>(std::ranges::lower_bound(points, reading.point) - points.begin()));
  for (std::size_t p = 0; p < points.size(); ++p) iterations.push_back(different_iterations(*this, p));
}

Where SeriesReadings::place_of(std::size_t reading) const {
  return {readings[reading].file->source, readings[reading].row->line};
}

SeriesFaults find_faults(const select::Selection& selection, const project::RunEstimator& estimator,
                         std::vector<profile::RowReading> readings, const AlarmLevel& level, Depth depth) {
  SeriesFaults out;
  std::erase_if(readings, [](const profile::RowReading& reading) { return !(reading.value > 0); });
  if (readings.size() > kMaxExamined) {
    out.unseen.push_back(
        fmt::format("only the first {} of {} are examined", kMaxExamined, counted(readings.size(), "measurement")));
    readings.resize(kMaxExamined);
  }
  if (readings.empty()) return out;
  const SeriesReadings series(std::move(readings));
  WithinPoints within = examine_within_points(series, selection, estimator.model().constants(), level, depth);
  out.findings = within.findings;
  examine_levels(series, within, selection, estimator, level, depth, out.findings, within.seen);
  list_unseen(series, within, out.unseen);
  out.limits = std::move(within.limits);
  out.seen = std::move(within.seen);
  return out;
}

}  // namespace seqpoint::checks
