// Where rows were measured: on which machine, for which configuration.
#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "core/checks/checks.hpp"
#include "core/findings.hpp"

namespace seqpoint::checks {
namespace {

constexpr std::array<std::pair<const char*, std::string profile::Origin::*>, 3> kLabels{
    {{"host", &profile::Origin::host}, {"device", &profile::Origin::device}, {"config", &profile::Origin::config}}};

/// The first row whose value of this column is not that of the first row of its rank; rows without a value are skipped.
/// Ranks have hosts and devices of their own.
std::optional<Finding> first_change(std::span<const profile::ProfileTable> files, const char* column,
                                    std::string profile::Origin::*label) {
  std::map<std::optional<std::uint64_t>, std::string> seen;
  for (const profile::ProfileTable& file : files)
    for (const profile::ProfileRow& row : file.rows) {
      const profile::Origin& origin = file.origin(row);
      const std::string& value = origin.*label;
      if (value.empty()) continue;
      const auto [before, is_new] = seen.emplace(origin.rank, value);
      if (before->second != value)
        return Finding{
            findings::kOriginChanges, {file.source, row.line, column}, {{"value", value}, {"before", before->second}}};
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
          return Finding{
              findings::kOtherConfiguration, {file.source, row.line, column}, {{"value", other}, {"given", name}}};
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
  return found;
}

}  // namespace seqpoint::checks
