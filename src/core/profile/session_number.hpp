/// \file
/// What a column `session` says: which process measured a row.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace seqpoint::profile {

/// The number of the process that this text names, the same in every file; nothing where it is of its file alone: a
/// number, which counts, and what the companion of 1.0 wrote (`date=... clock=...`), which two jobs may share.
std::optional<std::size_t> number_of_process(std::string_view session);

/// Whether Origin::session is of a process, which other files may have rows of.
bool is_of_process(std::size_t session);

}  // namespace seqpoint::profile
