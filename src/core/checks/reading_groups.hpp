/// \file
/// Measurements as they were taken: sessions, and what else their rows say that they were recorded by.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/profile/readings.hpp"

namespace seqpoint::checks {

/// For each reading its session, counted from 0: what its row says of host, device, rank and session, and its file
/// where that is not of a process.
std::vector<std::size_t> sessions_of(std::span<const profile::RowReading>);

/// Readings that have a file, a host or the like in common.
struct ReadingGroup {
  std::string name;       ///< "a.csv", "host a", "the process from a.csv:12"
  std::vector<bool> has;  ///< by reading
};
/// Each group once, and of two that are all there is the second.
std::vector<ReadingGroup> groups_of(std::span<const profile::RowReading>);

}  // namespace seqpoint::checks
