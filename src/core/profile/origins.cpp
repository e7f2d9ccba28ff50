// Where rows were measured: on which machine, of which configuration, by which process.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "core/findings.hpp"
#include "core/profile/session_number.hpp"
#include "seqpoint/measure.hpp"

namespace seqpoint::profile {
namespace {

constexpr std::array<std::pair<const char*, std::string Origin::*>, 3> kLabels{
    {{"host", &Origin::host}, {"device", &Origin::device}, {"config", &Origin::config}}};

/// The first row that is from elsewhere than rows before it. Ranks have hosts and devices of their own.
std::optional<Finding> first_change(std::span<const ProfileTable> files, const char* column,
                                    std::string Origin::*label) {
  std::map<std::optional<std::uint64_t>, std::string> seen;
  for (const ProfileTable& file : files)
    for (const ProfileRow& row : file.rows) {
      const std::string& value = row.origin.*label;
      if (value.empty()) continue;
      const auto [before, is_new] = seen.emplace(row.origin.rank, value);
      if (before->second != value)
        return Finding{
            findings::kOriginChanges, {file.source, row.line, column}, {{"value", value}, {"before", before->second}}};
    }
  return std::nullopt;
}

/// The first row that says it is of another configuration.
std::optional<Finding> first_of_another(std::span<const ProfileTable> files, const char* column,
                                        std::string Origin::*label, const std::string& name,
                                        std::span<const std::string> names) {
  for (const ProfileTable& file : files)
    for (const ProfileRow& row : file.rows)
      for (const std::string& other : names)
        if (other != name && row.origin.*label == other)
          return Finding{
              findings::kOtherConfiguration, {file.source, row.line, column}, {{"value", other}, {"given", name}}};
  return std::nullopt;
}

/// Files count their own sessions from 0 and never come that far.
constexpr std::size_t kOfProcess = std::size_t{1} << 63;

/// FNV-1a.
std::uint64_t digest_of(std::string_view text) {
  std::uint64_t digest = 14695981039346656037u;
  for (const char c : text) digest = (digest ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return digest;
}

}  // namespace

std::optional<std::size_t> number_of_process(std::string_view session) {
  const bool counts = std::ranges::all_of(session, [](char c) { return c >= '0' && c <= '9'; });
  if (counts || session.starts_with("date=")) return std::nullopt;
  return digest_of(session) | kOfProcess;
}

bool is_of_process(std::size_t session) { return session >= kOfProcess; }

std::vector<Finding> findings_about_origin(std::span<const ProfileTable> files, const std::string& configuration,
                                           std::span<const std::string> configurations) {
  std::vector<Finding> found;
  for (const auto& [column, label] : kLabels)
    if (auto another = first_of_another(files, column, label, configuration, configurations))
      found.push_back(std::move(*another));
    else if (auto change = first_change(files, column, label))
      found.push_back(std::move(*change));
  return found;
}

}  // namespace seqpoint::profile
