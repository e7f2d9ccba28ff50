/// \file
/// Names of parts that are numbered.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace seqpoint::io::text {

/// The numbers of two names that are equal but for one number: 3 and 5 of "shard-03.csv" and "shard-05.csv". Nothing
/// for any other names, and where a number has more than 18 digits.
std::optional<std::pair<std::uint64_t, std::uint64_t>> numbers_that_differ(std::string_view a, std::string_view b);

}  // namespace seqpoint::io::text
