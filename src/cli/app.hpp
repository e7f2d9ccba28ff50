/// \file
/// The program.
#pragma once

namespace seqpoint::cli {

/// Parses, runs the chosen command, and returns the exit status.
int run(int argc, const char* const* argv);

}  // namespace seqpoint::cli
