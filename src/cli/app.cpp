// The list of commands, and the translation of what happened into an exit status.
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>

#include "cli/commands/command.hpp"
#include "cli/progress.hpp"
#include "cli/options/shared_options.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/io/output.hpp"
#include "seqpoint/io/plan.hpp"
#include "seqpoint/version.hpp"

namespace seqpoint::cli {
namespace {

constexpr std::array kCommands{
    Command{"scan", "The iterations of a run, before anything has run", add_scan},
    Command{"select", "The SeqPoints of a run and their weights", add_select},
    Command{"plan", "What to run in order to profile the SeqPoints: a small manifest, job scripts", add_plan},
    Command{"inspect", "What a profile holds: steps, times, kernels", add_inspect},
    Command{"project", "Whole-run time, throughput and speedup from profiles of the SeqPoints", add_project},
    Command{"evaluate", "Every method against runs that were measured in full", add_evaluate},
    Command{"report", "One self-contained page to look at", add_report},
    Command{"merge", "Lengths of shards, scanned elsewhere, as one data set", add_merge},
    Command{"formats", "The manifests and profiles that can be read", add_formats},
    Command{"samplers", "The batch orders that can be reproduced", add_samplers},
    Command{"methods", "The ways to choose SeqPoints", add_methods},
    Command{"schema", "The JSON Schema of an artefact", add_schema},
    Command{"completion", "What a shell needs to complete seqpoint's commands and options", add_completion},
    Command{"manual", "The manual pages, for man", add_manual},
};

constexpr auto kFooter =
    "Examples:\n"
    "  seqpoint select train.csv --sampler sorted --batch-size 64 --points 8 -o points.json\n"
    "  seqpoint project points.json --profile v1=v1.csv --profile v2=v2.csv\n"
    "Exit status: ";

std::string footer() {
  std::string text = kFooter;
  for (const auto& [status, meaning] : kExitTexts)
    text += (status == kDone ? "" : status == kOurFault ? ",\n" : ", ") + std::to_string(status) + " " + meaning;
  return text + ". `seqpoint COMMAND --help` says more.";
}

/// Leaves nothing half-written behind.
extern "C" void on_interrupt(int) {
  end_progress();
  remove_unfinished_outputs();
  remove_unfinished_folder();
  ::_exit(kInterrupted);
}

/// An input that is mapped into memory has lost bytes that it had.
extern "C" void on_lost_input(int) {
  constexpr std::string_view kMessage = "seqpoint: error: an input became shorter while it was read, or cannot be read any more\n";
  end_progress();
  remove_unfinished_outputs();
  remove_unfinished_folder();
  if (::write(STDERR_FILENO, kMessage.data(), kMessage.size()) < 0) ::_exit(kOurFault);
  ::_exit(kBadInput);
}

void set_signals() {
  std::signal(SIGBUS, on_lost_input);
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write(), which we handle
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}

void print(const std::string& text) {
  Output out("-");
  out.write(text);
  out.commit();
}

std::string version_text(bool verbose) {
  std::string text = "seqpoint " + std::string(kVersion) + "\n";
#if defined(__clang__)
  const std::string compiler = "clang " __clang_version__;
#else
  const std::string compiler = "g++ " __VERSION__;
#endif
  if (verbose) text += "compiler " + compiler + "\n";
  return text;
}

/// One program: the parser, the options all commands share, and what was chosen.
class Program {
 public:
  Program() : app_("Profile a handful of training iterations, know the whole run.", "seqpoint") {
    app_.require_subcommand(0, 1);
    app_.name("seqpoint");
    app_.footer(footer());
    app_.add_flag("--version", version_, "print the version; with -v also the compiler");
    add_console_options(app_);
    for (const Command& command : kCommands) {
      CLI::App* const sub = app_.add_subcommand(command.name, command.summary);
      sub->get_formatter()->column_width(34);
      sub->footer("");  // not the program's own examples
      command.add(*sub, chosen_);
      add_console_options(*sub);
    }
    auto* const help = app_.add_subcommand("help", "Help on a command");
    help->add_option("command", help_on_, "The command")->type_name("COMMAND");
    help->callback([this] { chosen_ = [this](Console&) { return print_help(); }; });
  }

  Exit run(int argc, const char* const* argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
      return print(help_on(chosen_command())), kDone;
    } catch (const CLI::ParseError& error) {
      return refuse(error);
    }
    console_.configure(options_);
    if (version_) return print(version_text(options_.verbose)), kDone;
    if (chosen_) return chosen_(console_);
    throw UsageError("a command is missing", "one of: " + command_names() + "; see `seqpoint --help`");
  }

  Console& console() { return console_; }

 private:
  void add_console_options(CLI::App& app) {
    app.set_help_flag("-h,--help", "print this and exit")->group(kMessageGroup);
    app.add_flag("-v,--verbose", options_.verbose, "say more, on standard error")->group(kMessageGroup);
    app.add_flag("-q,--quiet", options_.quiet, "say nothing but errors")->group(kMessageGroup);
    app.add_option("--color", options_.color, "auto, always or never [auto]")
        ->type_name("WHEN")->check(CLI::IsMember({"auto", "always", "never"}))->group(kMessageGroup);
  }

  const CLI::App* chosen_command() const {
    const auto parsed = app_.get_subcommands();
    return parsed.empty() ? &app_ : parsed.front();
  }
  static std::string command_names() {
    std::string names;
    for (const Command& command : kCommands) names += (names.empty() ? "" : ", ") + std::string(command.name);
    return names;
  }
  /// What CLI11 says of options in its own way, in ours.
  Exit refuse(const CLI::ParseError& error) {
    const CLI::App* const at = chosen_command();
    const std::string name = at == &app_ ? "seqpoint" : "seqpoint " + at->get_name(), what = error.what();
    const auto colon = what.find(": ");
    const std::string option = what.substr(0, colon);
    const auto kind = static_cast<CLI::ExitCodes>(error.get_exit_code());
    if (kind == CLI::ExitCodes::ExtrasError)
      throw UsageError((at == &app_ ? "neither a command nor an option: " : "unknown: ") + what.substr(colon + 2),
                       at == &app_ ? "the commands are: " + command_names() : "see `" + name + " --help`");
    if (kind == CLI::ExitCodes::ArgumentMismatch)
      throw UsageError(option + (what.find("At Most") != std::string::npos ? " is given more than once" : " needs a value"),
                       "see `" + name + " --help`");
    throw UsageError(what, "see `" + name + " --help`");
  }

  std::string help_on(const CLI::App* app) const {
    if (app == &app_) return app_.get_formatter()->make_help(&app_, "seqpoint", CLI::AppFormatMode::Normal);
    return app->help("seqpoint");
  }
  Exit print_help() {
    if (help_on_.empty()) return print(help_on(&app_)), kDone;
    for (const Command& command : kCommands)
      if (help_on_ == command.name) return print(help_on(app_.get_subcommand(help_on_))), kDone;
    throw UsageError("there is no command '" + help_on_ + "'", "one of: " + command_names());
  }

  CLI::App app_;
  Console console_;
  ConsoleOptions options_;
  Action chosen_;
  std::string help_on_;
  bool version_ = false;
};

void tell(const InputError& error, Console& console) {
  const auto& problems = error.problems();
  for (std::size_t i = 0; i + 1 < problems.size(); ++i) console.error(problems[i].message());
  console.error(problems.back().message(), error.unlisted() == 0 ? error.hint() : "");
  if (error.unlisted() > 0) console.error("and " + std::to_string(error.unlisted()) + " more problems", error.hint());
}

std::string way_out(int error_number) {
  switch (error_number) {
    case ENOSPC: return "make room, or write to another disk";
    case ENOENT: case ENOTDIR: return "the folder does not exist: make it first";
    case EISDIR: return "it is a folder: name a file in it";
    case EACCES: case EPERM: case EROFS: return "write to a place that is yours";
    default: return "write to another place";
  }
}

Exit guarded(Program& program, int argc, const char* const* argv) {
  Console& console = program.console();
  try {
    return program.run(argc, argv);
  } catch (const UsageError& error) {
    console.error(error.what(), error.hint());
    return kBadUsage;
  } catch (const InputError& error) {
    tell(error, console);
    return kBadInput;
  } catch (const OutputError& error) {
    if (error.closed_pipe()) return kClosedPipe;
    console.error(error.what(), way_out(error.error_number()));
    return kCannotWrite;
  } catch (const std::bad_alloc&) {
    console.error("out of memory");
    return kCannotWrite;
  } catch (const std::exception& error) {
    console.error(std::string("internal error: ") + error.what(), "this is our fault, please report it with the command and its input");
    return kOurFault;
  }
}

}  // namespace

int run(int argc, const char* const* argv) {
  set_signals();
  Program program;
  return guarded(program, argc, argv);
}

}  // namespace seqpoint::cli
