/// \file
/// The program.
#pragma once

namespace seqpoint::cli {

/// Parses the arguments, runs the chosen command, and returns the exit status. Reports errors on standard error; throws
/// nothing. Sets signal handlers of the process.
int run(int argc, const char* const* argv);

}  // namespace seqpoint::cli
