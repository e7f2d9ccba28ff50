/// \file
/// Commands. The way through each of them is the same: the parser fills in its options as they are typed, `request_of`
/// makes the core's types of them and refuses what cannot be meant, before anything is opened; `run` then reads,
/// computes, tells, writes.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "cli/console.hpp"
#include "cli/exit.hpp"
#include "cli/options/parser.hpp"

namespace seqpoint::cli::commands {

using namespace options;  // commands are made of them

/// `footer` is what --help ends with. Options without text of their own to convert may be the request.
template <class Options, class Request>
CommandSpec command_of(const char* name, const char* summary, const char* footer, OptionRows (*rows_of)(Options&),
                       Request (*request_of)(Options, const GivenOptions&), Exit (*run)(Request, Console&)) {
  const auto options = std::make_shared<Options>();
  const auto run_with = [=](const GivenOptions& given, Console& console) {
    return run(request_of(std::move(*options), given), console);
  };
  const auto rows = [=] { return rows_of(*options); };
  return {.name = name, .summary = summary, .footer = footer, .options = LazyRows(rows), .run = run_with};
}

CommandSpec scan_command();
CommandSpec select_command();
CommandSpec plan_command();
CommandSpec inspect_command();
CommandSpec project_command();
CommandSpec forecast_command();
CommandSpec diagnose_command();
CommandSpec eta_command();
CommandSpec evaluate_command();
CommandSpec report_command();
CommandSpec merge_command();
CommandSpec formats_command();
CommandSpec samplers_command();
CommandSpec methods_command();
CommandSpec schema_command();
CommandSpec completion_command();
CommandSpec manual_command();

/// What the options before a command say.
struct ProgramOptions {
  ConsoleOptions console;
  bool version = false;
  std::string config;  ///< behind a command: a file of its options; the parser reads it
};
/// All of it. The options must outlive what parses.
ProgramSpec program(ProgramOptions&);

}  // namespace seqpoint::cli::commands
