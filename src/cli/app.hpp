/// \file
/// The program.
#pragma once

namespace seqpoint::cli {

/// Parses, runs the chosen command, and turns what happened into an exit status.
int run(int argc, const char* const* argv);

}  // namespace seqpoint::cli
