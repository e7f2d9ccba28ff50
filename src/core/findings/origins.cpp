// Where rows were measured: on which machine, at which clock, for which configuration.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/findings.hpp"
#include "core/findings/checks.hpp"
#include "core/profile/readings.hpp"

namespace seqpoint::findings {
namespace {

constexpr std::array<std::pair<const char*, std::string profile::Origin::*>, 3> kLabels{
    {{"host", &profile::Origin::host}, {"device", &profile::Origin::device}, {"config", &profile::Origin::config}}};

/// The first row whose value of this column is not that of the first row of its rank; rows without a value are skipped.
/// Ranks have hosts and devices of their own. Files that differ in them are of two machines.
std::optional<Finding> first_change(std::span<const profile::ProfileTable> files, const char* column,
                                    std::string profile::Origin::*label) {
  const bool is_machine = label != &profile::Origin::config;
  std::map<std::optional<std::uint64_t>, std::pair<std::string, const profile::ProfileTable*>> seen;
  for (const profile::ProfileTable& file : files)
    for (const profile::ProfileRow& row : file.rows) {
      const profile::Origin& origin = file.origin(row);
      const std::string& value = origin.*label;
      if (value.empty()) continue;
      const auto [found, is_new] = seen.emplace(origin.rank, std::pair(value, &file));
      const auto& [before, where] = found->second;
      if (before == value) continue;
      if (where == &file || !is_machine)
        return Finding{kOriginChanges, {file.source, row.line, column}, {{"value", value}, {"before", before}}};
      return Finding{kOtherOrigin,
                     {file.source, row.line, column},
                     {{"value", value}, {"before", before}, {"other", where->source}}};
    }
  return std::nullopt;
}

/// The first row whose value of this column is one of `names` other than `name`.
std::optional<Finding> first_of_another(std::span<const profile::ProfileTable> files, const char* column,
                                        std::string profile::Origin::*label, const std::string& name,
                                        std::span<const std::string> names) {
  for (const profile::ProfileTable& file : files)
    for (const profile::ProfileRow& row : file.rows)
      for (const std::string& other : names)
        if (other != name && file.origin(row).*label == other)
          return Finding{kOtherConfiguration, {file.source, row.line, column}, {{"value", other}, {"given", name}}};
  return std::nullopt;
}

/// The quartiles of the clocks of a process's measured rows.
struct ProcessClock {
  const profile::ProfileTable* file = nullptr;
  double low = 0, middle = 0, high = 0;  ///< MHz
};

/// A GPU's clock has steps of 15 MHz, 1 % of a clock of 1.5 GHz: it may be one step up or down by chance.
constexpr double kClockSteps = 0.02;

bool is_another_clock(double low, double high) { return high > low * (1 + kClockSteps); }

/// The processes of each rank, which has a device of its own, with kMinRows or more rows that have a clock.
std::map<std::optional<std::uint64_t>, std::vector<ProcessClock>> clocks_of(
    std::span<const profile::ProfileTable> files) {
  constexpr std::size_t kMinRows = 4;  // fewer have no quartiles
  std::map<std::optional<std::uint64_t>, std::map<profile::ProcessKey, std::vector<double>>> rows;
  std::map<profile::ProcessKey, const profile::ProfileTable*> of_process;
  for (const profile::ProfileTable& file : files)
    for (const profile::ProfileRow& row : file.rows) {
      if (row.warmup || file.gpu_clock_mhz.empty() || !(file.gpu_clock_mhz[row.place] > 0)) continue;
      const profile::ProcessKey process = profile::process_key(file, row);
      rows[file.origin(row).rank][process].push_back(file.gpu_clock_mhz[row.place]);
      of_process.emplace(process, &file);
    }
  std::map<std::optional<std::uint64_t>, std::vector<ProcessClock>> clocks;
  for (auto& [rank, processes] : rows)
    for (auto& [process, values] : processes) {
      if (values.size() < kMinRows) continue;
      std::ranges::sort(values);
      const std::size_t last = values.size() - 1;
      clocks[rank].push_back({of_process.at(process), values[last / 4], values[last / 2], values[last - last / 4]});
    }
  return clocks;
}

/// Processes of a rank at different clocks, else a process whose clock varies; at most one finding.
std::optional<Finding> first_other_clock(std::span<const profile::ProfileTable> files) {
  const auto finding = [](const FindingKind& kind, const ProcessClock& at, double low, double high) {
    return Finding{kind, {at.file->source, 0, "gpu_clock_mhz"}, {{"low", low}, {"high", high}}};
  };
  const auto clocks = clocks_of(files);
  for (const auto& [rank, processes] : clocks)
    if (const auto [slow, fast] = std::ranges::minmax_element(processes, {}, &ProcessClock::middle);
        is_another_clock(slow->middle, fast->middle))
      return finding(kClocksDiffer, *slow, slow->middle, fast->middle);
  for (const auto& [rank, processes] : clocks)
    for (const ProcessClock& process : processes)
      if (is_another_clock(process.low, process.high)) return finding(kClockVaries, process, process.low, process.high);
  return std::nullopt;
}

}  // namespace

std::vector<Finding> findings_about_origin(std::span<const profile::ProfileTable> files,
                                           const std::string& configuration,
                                           std::span<const std::string> configurations) {
  std::vector<Finding> found;
  for (const auto& [column, label] : kLabels)
    if (auto another = first_of_another(files, column, label, configuration, configurations))
      found.push_back(std::move(*another));
    else if (auto change = first_change(files, column, label))
      found.push_back(std::move(*change));
  if (auto clock = first_other_clock(files)) found.push_back(std::move(*clock));
  return found;
}

}  // namespace seqpoint::findings
