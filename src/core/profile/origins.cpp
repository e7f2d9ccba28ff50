// Where rows were measured: on which machine, of which configuration, by which rank.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "seqpoint/profile/plausibility.hpp"

namespace seqpoint::profile {
namespace {

constexpr std::array<std::pair<const char*, std::string Origin::*>, 3> kLabels{
    {{"host", &Origin::host}, {"device", &Origin::device}, {"config", &Origin::config}}};

Problem problem_at(const ProfileTable& file, const ProfileRow& row, const char* column, std::string text) {
  return {{file.source, row.line, column}, std::move(text)};
}

/// The first row that is from elsewhere than rows before it. Ranks have hosts and devices of their own.
std::optional<Problem> first_change(std::span<const ProfileTable> files, const char* column,
                                    std::string Origin::*label) {
  std::map<std::optional<std::uint64_t>, std::string> seen;
  for (const ProfileTable& file : files)
    for (const ProfileRow& row : file.rows) {
      const std::string& value = row.origin.*label;
      if (value.empty()) continue;
      const auto [before, is_new] = seen.emplace(row.origin.rank, value);
      if (before->second != value)
        return problem_at(file, row, column,
                          fmt::format("is {}, rows before say {}: are these measurements of one configuration?", value,
                                      before->second));
    }
  return std::nullopt;
}

/// The first row that says it is of another configuration.
std::optional<Problem> first_of_another(std::span<const ProfileTable> files, const char* column,
                                        std::string Origin::*label, const std::string& name,
                                        std::span<const std::string> names) {
  for (const ProfileTable& file : files)
    for (const ProfileRow& row : file.rows)
      for (const std::string& other : names)
        if (other != name && row.origin.*label == other)
          return problem_at(file, row, column,
                            fmt::format("is {}, but the file is given as {}: are profiles swapped?", other, name));
  return std::nullopt;
}

// --- ranks ---------------------------------------------------------------------------------------------------------

/// What rows of several ranks have in common where they are of one measurement, and the how-manieth of those it is.
struct MeasurementKey {
  std::string point;
  select::PointKey key;
  std::optional<std::uint64_t> iteration, phase;
  bool warmup = false;
  std::size_t occurrence = 0;
  friend auto operator<=>(const MeasurementKey&, const MeasurementKey&) = default;
};

void merge(ProfileRow& row, const ProfileRow& other, const ProfileTable& table) {
  for (std::size_t m = 0; m < row.values.size(); ++m) {
    double& value = row.values[m];
    const double theirs = other.values[m];
    const MetricRole role = table.roles.empty() ? MetricRole::cost : table.roles[m];
    if (std::isnan(value))
      value = theirs;
    else if (!std::isnan(theirs))
      value = role == MetricRole::cost && !trace::is_time_metric(table.metrics[m]) ? value + theirs
                                                                                   : std::max(value, theirs);
  }
}

std::set<std::uint64_t> ranks_of(std::span<const ProfileTable> tables) {
  std::set<std::uint64_t> ranks;
  for (const ProfileTable& table : tables) {
    if (table.metrics != tables.front().metrics) return {};
    for (const ProfileRow& row : table.rows) {
      if (!row.origin.rank) return {};
      ranks.insert(*row.origin.rank);
    }
  }
  return ranks;
}

}  // namespace

std::vector<Doubt> doubts_about_origin(std::span<const ProfileTable> files, const std::string& configuration,
                                       std::span<const std::string> configurations) {
  std::vector<Doubt> doubts;
  for (const auto& [column, label] : kLabels)
    if (auto another = first_of_another(files, column, label, configuration, configurations))
      doubts.push_back({std::move(*another), true});
    else if (auto change = first_change(files, column, label))
      doubts.push_back({std::move(*change), false});
  return doubts;
}

std::vector<std::string> merge_ranks(std::vector<ProfileTable>& tables) {
  const std::set<std::uint64_t> ranks = ranks_of(tables);
  if (ranks.size() < 2) return {};
  std::map<std::pair<std::uint64_t, MeasurementKey>, std::size_t> occurrences;
  std::map<MeasurementKey, std::pair<ProfileRow, std::size_t>> merged;  // and of how many ranks it is
  std::vector<MeasurementKey> order;
  for (const ProfileTable& table : tables)
    for (const ProfileRow& row : table.rows) {
      MeasurementKey key{row.identity.point, row.identity.key, row.identity.iteration, row.identity.phase, row.warmup};
      key.occurrence = occurrences[{*row.origin.rank, key}]++;
      const auto [place, is_new] = merged.try_emplace(key, row, 1);
      if (is_new) {
        order.push_back(std::move(key));
        continue;
      }
      merge(place->second.first, row, table);
      ++place->second.second;
    }
  tables.resize(1);
  tables.front().rows.clear();
  std::size_t incomplete = 0;
  for (const MeasurementKey& key : order) {
    auto& [row, of_ranks] = merged.at(key);
    incomplete += of_ranks < ranks.size() ? 1 : 0;
    tables.front().rows.push_back(std::move(row));
  }
  std::vector<std::string> notes{fmt::format("{} ranks: a measurement's time is that of the slowest", ranks.size())};
  if (incomplete > 0)
    notes.push_back(
        fmt::format("{} of {} measurements are not of every rank: were files left out?", incomplete, order.size()));
  return notes;
}

}  // namespace seqpoint::profile
