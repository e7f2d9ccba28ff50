/// \file
/// Names of processes in messages.
#pragma once

#include <string>
#include <vector>

namespace seqpoint::cli::job {

/// The text with the files of a run's processes replaced by the names that its lines have: "process 3" for
/// "DIR/run-3.csv", "process 3, line 21" for "run-3.csv:21"; of several builds "old 3" for "old-3.log".
std::string with_process_names(std::string text, const std::vector<std::string>& builds);

}  // namespace seqpoint::cli::job
