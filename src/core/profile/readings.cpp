#include "core/profile/readings.hpp"

#include <algorithm>

namespace seqpoint::profile {

std::vector<RowReading> readings_of(const std::string& metric, const Measurements& measured,
                                    std::span<const ProfileTable> files) {
  using Place = std::pair<std::size_t, std::size_t>;
  std::vector<std::pair<Place, RowReading>> found;
  for (std::size_t p = 0; p < measured.source_rows.size(); ++p)
    for (const auto& [f, r] : measured.source_rows[p]) {
      const ProfileTable& file = files[f];
      const auto column = std::find(file.metrics.begin(), file.metrics.end(), metric);
      if (column == file.metrics.end()) continue;
      const double value = file.rows[r].values[static_cast<std::size_t>(column - file.metrics.begin())];
      if (value == value) found.emplace_back(Place{f, r}, RowReading{&file, &file.rows[r], p, value});
    }
  std::ranges::stable_sort(found, {}, &decltype(found)::value_type::first);
  const auto of_one_row = [](const auto& a, const auto& b) { return a.first == b.first; };
  found.erase(std::unique(found.begin(), found.end(), of_one_row), found.end());
  std::vector<RowReading> readings;
  for (const auto& [place, reading] : found) readings.push_back(reading);
  return readings;
}

}  // namespace seqpoint::profile
