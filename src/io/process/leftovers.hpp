/// \file
/// Processes that outlived the program that started them.
#pragma once

#include <string>

namespace seqpoint::io::process {

/// Ends all other processes whose environment has the entry `NAME=VALUE`: SIGTERM, then SIGKILL after a second, until
/// none is left, at most for ten seconds. Sees the processes of this user.
void end_processes_with(const std::string& entry);

}  // namespace seqpoint::io::process
