/// \file
/// A sub-command: its options are bound while the command line is parsed; nothing is opened before parsing is over.
#pragma once

#include <functional>

#include "cli/console.hpp"
#include "cli/exit.hpp"

namespace CLI {
class App;
}

namespace seqpoint::cli {

/// What the parsed command line asks for.
using Action = std::function<Exit(Console&)>;

/// One command: a row of the table in app.cpp. `add` declares its options and sets the action when it is chosen.
struct Command {
  const char* name;
  const char* summary;
  void (*add)(CLI::App& command, Action& chosen);
};

void add_scan(CLI::App& command, Action& chosen);
void add_select(CLI::App& command, Action& chosen);
void add_plan(CLI::App& command, Action& chosen);
void add_inspect(CLI::App& command, Action& chosen);
void add_project(CLI::App& command, Action& chosen);
void add_evaluate(CLI::App& command, Action& chosen);
void add_report(CLI::App& command, Action& chosen);
void add_merge(CLI::App& command, Action& chosen);
void add_formats(CLI::App& command, Action& chosen);
void add_samplers(CLI::App& command, Action& chosen);
void add_methods(CLI::App& command, Action& chosen);
void add_schema(CLI::App& command, Action& chosen);
void add_completion(CLI::App& command, Action& chosen);
void add_manual(CLI::App& command, Action& chosen);

/// The program: parses, runs the chosen command, and turns what happened into an exit status.
int run(int argc, const char* const* argv);

}  // namespace seqpoint::cli
