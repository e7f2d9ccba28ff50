// Where rows were measured: on which machine, of which configuration.
#include <fmt/core.h>

#include <array>
#include <map>
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

}  // namespace seqpoint::profile
