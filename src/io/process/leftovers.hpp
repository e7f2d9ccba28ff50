/// \file
/// Processes that outlived the program that started them.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace seqpoint::io::process {

/// Ends all other processes whose environment has the entry `NAME=VALUE`: SIGTERM, then SIGKILL after a second, until
/// none is left, at most for ten seconds. Returns those that are left. Sees the processes of this user, except those
/// that a scheduler has started in another job.
std::vector<pid_t> end_processes_with(const std::string& entry);

}  // namespace seqpoint::io::process
