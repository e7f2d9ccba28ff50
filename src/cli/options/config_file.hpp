/// \file
/// Options from a file, and a file of options: TOML, whose keys are called as options are.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/parser.hpp"

namespace seqpoint::cli::options {

/// What an option is set to.
struct Setting {
  const OptionRow* row = nullptr;
  std::vector<std::string> texts;  ///< as if they were typed; of a flag "true"
  std::string place;               ///< "run.toml:3"; empty: it was typed
};

/// What a file sets of a command: by its section, else by what stands before all sections, which is of every command
/// that has such an option. Paths are as seen from the working folder. All of the file is checked. `sampler`: as typed,
/// else empty. Throws UsageError at a line, InputError where there is no such file.
std::vector<Setting> read_config(const std::string& path, const ProgramSpec&, const CommandSpec&,
                                 std::string_view sampler);

/// The file that sets the same of a command; with places, each line says where its value is from, and what defaults
/// there are.
std::string config_text(const CommandSpec&, std::span<const Setting>, bool with_places);

}  // namespace seqpoint::cli::options
