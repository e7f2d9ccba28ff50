// The list of commands, and what all of them share.
#include <array>
#include <string>
#include <utility>

#include "cli/commands/command.hpp"
#include "cli/options/exports.hpp"

namespace seqpoint::cli::commands {
namespace {

constexpr std::array kCommands{
    scan_command,     forecast_command, select_command,   plan_command,       inspect_command, project_command,
    diagnose_command, eta_command,      evaluate_command, report_command,     merge_command,   formats_command,
    samplers_command, methods_command,  schema_command,   completion_command, manual_command};

const OptionRow kHelp{"-h,--help", Value{}, "print this and exit"};

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
    command.options = LazyRows([&o, own = command.options] { return joined({own(), console_rows(o.console)}); });
    program.commands.push_back(std::move(command));
  }
  return program;
}

}  // namespace seqpoint::cli::commands
