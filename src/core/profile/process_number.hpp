/// \file
/// Column `session`: the process that measured a row.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace seqpoint::profile {

/// The number of the process that this text names, the same in every file; nothing if the text is valid in its file
/// only: empty, or a plain number.
std::optional<std::size_t> number_of_process(std::string_view process);

/// Whether an Origin::process is from number_of_process(): other files may have rows of the same process. False for a
/// number within one file.
bool is_of_process(std::size_t process);

}  // namespace seqpoint::profile
