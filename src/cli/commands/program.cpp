// The list of commands, and what all of them share.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "cli/commands/command.hpp"
#include "cli/options/exports.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::commands {
namespace {

constexpr std::array kCommands{
    scan_command,     forecast_command, select_command,   plan_command,       inspect_command, project_command,
    diagnose_command, eta_command,      evaluate_command, report_command,     merge_command,   formats_command,
    samplers_command, methods_command,  schema_command,   completion_command, manual_command};

OptionRow config_row(std::string& to) {
  return {
      kConfigOption, path_to(to),
      "take options from this file, which is TOML; what is typed wins (`seqpoint config COMMAND ARGS...` prints one)",
      kRunningGroup};
}

const OptionRow kHelp{"-h,--help", Value{}, "print this and exit"};
const OptionRow kHelpAll{kHelpAllOption, Value{}, "print all options and exit", kMessageGroup};

std::string program_footer() {
  std::string text =
      "Examples:\n"
      "  seqpoint select train.csv --sampler sorted --batch-size 64 --points 8 -o points.json\n"
      "  seqpoint project points.json --profile v1=v1.csv --profile v2=v2.csv\n"
      "Exit status: ";
  for (const auto& [status, meaning] : kExitTexts)
    text += (status == kDone ? "" : status == kOurFault ? ",\n" : ", ") + std::to_string(status) + " " + meaning;
  return text + ". `seqpoint COMMAND --help` says more.";
}

constexpr std::array<Word<std::string_view>, 3> kColorWords{{{"auto", "auto", "on a terminal"},
                                                             {"always", "always", "in pipes and files too"},
                                                             {"never", "never", "plain text"}}};

OptionRows console_rows(ConsoleOptions& o) {
  return grouped(kMessageGroup, {kHelp,
                                 {"-v,--verbose", flag_to(o.verbose), "say more, on standard error"},
                                 {"-q,--quiet", flag_to(o.quiet), "say nothing but errors"},
                                 {"--color", word_to(o.color, "WHEN", kColorWords), "auto, always or never [auto]"}});
}

/// Before another command it is taken off by the parser.
CommandSpec config_command() {
  const auto arguments = std::make_shared<std::vector<std::string>>();
  return {.name = kConfigCommand,
          .summary = "The options of a command as a file, for --config",
          .footer =
              "Examples:\n"
              "  seqpoint config select train.csv --sampler sorted --batch-size 64 --points 8 > run.toml\n"
              "  seqpoint select --config run.toml -o points.json\n"
              "  seqpoint config select --config run.toml --points 12 -v   # where each value is from\n"
              "A key stands before all sections, for every command that has the option, or in the section of one:\n"
              "  sampler = \"sorted\"\n"
              "  batch-size = 64\n"
              "  [project]\n"
              "  profile = [\"v1=v1.csv\", \"v2=v2.csv\"]\n"
              "Paths are relative to the file.",
          .options = LazyRows([arguments] {
            return OptionRows{kHelp, {"command", list_to(*arguments, "COMMAND"), "The command, and its arguments"}};
          }),
          .run = [arguments](const GivenOptions&, Console&) -> Exit {
            ProgramOptions none;
            if (!arguments->empty()) help_text(program(none), arguments->front());  // throws: there is no such command
            throw UsageError("there is no command to print the options of", "seqpoint config select train.csv");
          }};
}

CommandSpec help_command() {
  const auto about = std::make_shared<std::string>();
  return {.name = "help",
          .summary = "Help on a command",
          .footer = program_footer(),
          .options = LazyRows([about] {
            return OptionRows{kHelp, {"command", text_to(*about, "COMMAND"), "The command"}};
          }),
          .run = [about](const GivenOptions&, Console&) {
            ProgramOptions none;
            write_text("-", help_text(program(none), *about));
            return kDone;
          }};
}

}  // namespace

ProgramSpec program(ProgramOptions& o) {
  ProgramSpec program{
      .summary = "Profile a handful of training iterations, know the whole run.",
      .footer = program_footer(),
      .options = joined({{{"--version", flag_to(o.version), "print the version; with -v also the compiler"}},
                         console_rows(o.console)}),
      .commands = {},
      .help = help_command()};
  for (const auto declare : kCommands) {
    CommandSpec command = declare();
    command.options = LazyRows([&o, own = command.options] {
      OptionRows rows = own(), console = console_rows(o.console);
      if (std::ranges::any_of(rows, &OptionRow::rare)) {
        console = usual({"--help", "--verbose", "--quiet"}, std::move(console));
        console.insert(console.begin() + 1, kHelpAll);
      }
      return joined({rows, {config_row(o.config)}, console});
    });
    program.commands.push_back(std::move(command));
  }
  program.commands.push_back(config_command());
  return program;
}

}  // namespace seqpoint::cli::commands
