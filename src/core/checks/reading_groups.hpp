/// \file
/// Measurements grouped by process and by the other origins that their rows name.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/profile/readings.hpp"

namespace seqpoint::checks {

/// For each reading its process, counted from 0: rows that agree in host, device, rank and process; in their file too,
/// unless the process names a process.
std::vector<std::size_t> processes_of(std::span<const profile::RowReading>);

/// Readings that share a file, host or the like.
struct ReadingGroup {
  std::string name;       ///< "a.csv", "host a", "the process from a.csv:12"
  std::vector<bool> has;  ///< by reading
};
/// Each distinct group once; of two groups that cover all readings only the second.
std::vector<ReadingGroup> groups_of(std::span<const profile::RowReading>);

}  // namespace seqpoint::checks
