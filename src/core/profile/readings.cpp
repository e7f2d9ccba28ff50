#include "core/profile/readings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "core/profile/measure.hpp"

namespace seqpoint::profile {

// --- Column `session`: the process that measured a row

namespace {

/// Files count their own processes from 0 and never reach this number.
constexpr std::size_t kOfProcess = std::size_t{1} << 63;

/// FNV-1a of 64 bits.
std::uint64_t digest_of(std::string_view text) {
  std::uint64_t digest = 14695981039346656037u;
  for (const char c : text) digest = (digest ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return digest;
}

}  // namespace

std::optional<std::size_t> number_of_process(std::string_view process) {
  const bool counts = std::ranges::all_of(process, [](char c) { return c >= '0' && c <= '9'; });
  if (counts) return std::nullopt;
  return digest_of(process) | kOfProcess;
}

bool is_of_process(std::size_t process) { return process >= kOfProcess; }

ProcessKey process_key(const ProfileTable& file, const ProfileRow& row) {
  const std::size_t process = file.origin(row).process;
  return {is_of_process(process) ? nullptr : &file, process};
}

// --- The values of one metric, in file order

std::vector<RowReading> readings_of(const std::string& metric, const Measurements& measured,
                                    std::span<const ProfileTable> files) {
  constexpr std::uint32_t kNoPoint = UINT32_MAX;
  constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::vector<std::uint32_t>> point_of_row;  // by file and row, its first point
  std::size_t rows = 0;
  for (const ProfileTable& file : files) point_of_row.emplace_back(file.rows.size(), kNoPoint);
  for (std::size_t p = 0; p < measured.source_rows.size(); ++p)
    for (const auto& [f, r] : measured.source_rows[p]) {
      if (point_of_row[f][r] != kNoPoint) continue;
      point_of_row[f][r] = static_cast<std::uint32_t>(p);
      ++rows;
    }
  std::vector<RowReading> readings;
  readings.reserve(rows);
  for (std::size_t f = 0; f < files.size(); ++f) {
    const ProfileTable& file = files[f];
    const std::optional<std::size_t> column = file.find(metric);
    if (!column) continue;
    auto point = point_of_row[f].begin();
    for (const ProfileRow& row : file.rows) {
      const std::uint32_t p = *point++;
      const double value = p == kNoPoint ? kNotMeasured : file.value(row, *column);
      if (!std::isnan(value)) readings.push_back({&file, &row, p, value});
    }
  }
  return readings;
}

std::vector<std::size_t> processes_of(std::span<const RowReading> readings) {
  std::map<std::pair<const ProfileTable*, Origin>, std::size_t> known;
  std::vector<std::size_t> processes;
  for (const RowReading& reading : readings) {
    const Origin& origin = reading.file->origin(*reading.row);
    const ProfileTable* const file = is_of_process(origin.process) ? nullptr : reading.file;
    processes.push_back(known.try_emplace({file, origin}, known.size()).first->second);
  }
  return processes;
}

// --- Files, points and the whole run

bool lists_all_iterations(const select::Point& point, const trace::RunSummary& run) {
  if (run.loaded > 0) return false;
  std::uint64_t occurrences = 0;
  for (const auto& [shape, count] : run.histogram) occurrences += point.matches(shape) ? count : 0;
  return point.iterations.size() >= occurrences;
}

}  // namespace seqpoint::profile
