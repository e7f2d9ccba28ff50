/// \file
/// Commands. Each is one file: its options, `run`, and a function that combines the two. `run` rejects invalid
/// requests before anything is opened; then it reads, computes, reports, writes.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "cli/console.hpp"
#include "cli/exit.hpp"
#include "cli/options/option_group.hpp"

namespace seqpoint::cli::commands {

using namespace options;  // commands consist of options

struct Command {
  CLI::App* app = nullptr;              ///< its part of the program's parser
  std::function<Exit(Console&)> run{};  ///< called after its options were read
};

/// Adds a command to the program: `declare` adds its options, `run` is called with their values. `footer` ends its
/// help.
template <class Options>
Command add_command(CLI::App& program, const char* name, const char* summary, const char* footer,
                    void (*declare)(CLI::App&, Options&), Exit (*run)(Options, const CLI::App&, Console&)) {
  const auto options = std::make_shared<Options>();
  CLI::App* const app = program.add_subcommand(name, summary);
  app->footer(footer);
  declare(*app, *options);
  return {app, [=](Console& console) { return run(std::move(*options), *app, console); }};
}

Command add_scan(CLI::App& program);
Command add_select(CLI::App& program);
Command add_plan(CLI::App& program);
/// Removes the files of the plan that is being written, and the folders that it created. Does nothing if there is none,
/// or all of it is written. For a signal handler.
void remove_unfinished_folder() noexcept;
Command add_project(CLI::App& program);
Command add_inspect(CLI::App& program);
Command add_evaluate(CLI::App& program);
Command add_list(CLI::App& program);

/// Long names of the options of all commands, with their dashes; also "", the name of positionals.
std::set<std::string> all_options();

/// Parses the command line and runs its command. Throws UsageError, and the exceptions of the command.
Exit run_program(int argc, const char* const* argv, Console&);

}  // namespace seqpoint::cli::commands
