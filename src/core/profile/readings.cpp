#include "core/profile/readings.hpp"

#include <algorithm>
#include <cmath>

namespace seqpoint::profile {

std::vector<RowReading> readings_of(const std::string& metric, const Measurements& measured,
                                    std::span<const ProfileTable> files) {
  std::vector<std::size_t> columns;
  for (const ProfileTable& file : files)
    columns.push_back(static_cast<std::size_t>(std::ranges::find(file.metrics, metric) - file.metrics.begin()));
  std::vector<RowReading> readings;
  std::size_t rows = 0;
  for (const auto& of_point : measured.source_rows) rows += of_point.size();
  readings.reserve(rows);
  for (std::size_t p = 0; p < measured.source_rows.size(); ++p)
    for (const auto& [f, r] : measured.source_rows[p]) {
      const ProfileTable& file = files[f];
      if (columns[f] == file.metrics.size()) continue;
      const double value = file.value(file.rows[r], columns[f]);
      if (!std::isnan(value)) readings.push_back({&file, &file.rows[r], p, value});
    }
  // Tables are in one array, and so are the rows of a table: addresses have the order of files and rows.
  const auto place = [](const RowReading& reading) { return std::pair(reading.file, reading.row); };
  std::ranges::sort(readings, {}, [&](const RowReading& reading) { return std::pair(place(reading), reading.point); });
  const auto is_same_row = [&](const RowReading& a, const RowReading& b) { return place(a) == place(b); };
  readings.erase(std::unique(readings.begin(), readings.end(), is_same_row), readings.end());
  return readings;
}

}  // namespace seqpoint::profile
