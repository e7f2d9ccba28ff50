#include "core/checks/reading_groups.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/profile/process_number.hpp"

namespace seqpoint::checks {
namespace {

/// Groups readings by one column; `values`: its value for each reading, `names`: the group's name if the reading is its
/// first. Adds no group that is in `known`, or whose complement is; none if all values are equal.
void add_groups(const std::vector<std::string>& values, const std::vector<std::string>& names,
                std::set<std::vector<bool>>& known, std::vector<ReadingGroup>& groups) {
  std::vector<std::string> distinct;
  for (const std::string& value : values)
    if (std::ranges::find(distinct, value) == distinct.end()) distinct.push_back(value);
  if (distinct.size() < 2) return;
  std::ranges::reverse(distinct);
  for (const std::string& value : distinct) {
    ReadingGroup group;
    for (const std::string& other : values) group.has.push_back(other == value);
    std::vector<bool> rest = group.has;
    rest.flip();
    if (known.contains(group.has) || known.contains(rest)) continue;
    known.insert(group.has);
    group.name = names[static_cast<std::size_t>(std::ranges::find(group.has, true) - group.has.begin())];
    groups.push_back(std::move(group));
  }
}

/// A row's value of an origin column: host, device, rank (empty if not given), or for any other name a text that
/// identifies the process.
std::string origin_of(const profile::RowReading& reading, const std::string& name) {
  const profile::Origin& origin = reading.file->origin(*reading.row);
  if (name == "host") return origin.host;
  if (name == "device") return origin.device;
  if (name == "rank") return origin.rank ? std::to_string(*origin.rank) : "";
  return (profile::is_of_process(origin.process) ? "" : reading.file->source) + ":" + std::to_string(origin.process);
}

/// The file and line of a reading's row.
std::string place_of(const profile::RowReading& reading) {
  return reading.file->source + ":" + std::to_string(reading.row->line);
}

}  // namespace

std::vector<std::size_t> processes_of(std::span<const profile::RowReading> readings) {
  std::map<std::pair<const profile::ProfileTable*, profile::Origin>, std::size_t> known;
  std::vector<std::size_t> processes;
  for (const profile::RowReading& reading : readings) {
    const profile::Origin& origin = reading.file->origin(*reading.row);
    const profile::ProfileTable* const file = profile::is_of_process(origin.process) ? nullptr : reading.file;
    processes.push_back(known.try_emplace({file, origin}, known.size()).first->second);
  }
  return processes;
}

std::vector<ReadingGroup> groups_of(std::span<const profile::RowReading> readings) {
  std::set<std::vector<bool>> known;
  std::vector<ReadingGroup> groups;
  std::vector<std::string> values, names;
  for (const profile::RowReading& reading : readings) values.push_back(reading.file->source);
  add_groups(values, values, known, groups);
  for (const std::string origin : {"host", "device", "rank", "session"}) {
    values.clear();
    names.clear();
    for (const profile::RowReading& reading : readings) {
      values.push_back(origin_of(reading, origin));
      names.push_back(origin == "session" ? "the process from " + place_of(reading)
                                          : origin + " " + (values.back().empty() ? "unknown" : values.back()));
    }
    add_groups(values, names, known, groups);
  }
  return groups;
}

}  // namespace seqpoint::checks
