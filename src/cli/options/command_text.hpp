/// \file
/// The command line as text, for pages.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace seqpoint::cli::options {

/// The command as a shell reads it, without options that change no figure, such as those of outputs and messages.
std::string command_of(const CLI::App&);

}  // namespace seqpoint::cli::options
