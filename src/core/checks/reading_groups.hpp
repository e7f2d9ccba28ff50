/// \file
/// Measurements grouped by process and by the other origins that their rows name.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/profile/readings.hpp"

namespace seqpoint::checks {

/// For each reading the number of its process, from 0 in the order of their first readings. Rows of one process agree
/// in all columns of Origin; in their file too, unless Origin::process names a process (is_of_process()).
std::vector<std::size_t> processes_of(std::span<const profile::RowReading>);

/// Readings that share a file, host or the like.
struct ReadingGroup {
  std::string name;       ///< "a.csv", "host a", "the process from a.csv:12"
  std::vector<bool> has;  ///< by reading
};
/// The readings of each file, host, device, rank and process, if there are several of that kind. Each distinct group
/// once; of two groups that cover all readings only the one that begins later.
std::vector<ReadingGroup> groups_of(std::span<const profile::RowReading>);

}  // namespace seqpoint::checks
