#include "cli/options/parser.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_set>

#include <CLI/CLI.hpp>

#include "seqpoint/error.hpp"
#include "seqpoint/options.hpp"

namespace seqpoint::cli::options {
namespace {

constexpr auto kProgram = "seqpoint";

CLI::Option* add_option(CLI::App& app, const OptionRow& row) {
  const auto take = [value = row.value.take,
                     name = row.names.substr(row.names.rfind(',') + 1)](const std::string& text) { value(name, text); };
  if (!row.value.take) return app.set_help_flag(row.names, row.help);
  if (row.value.placeholder.empty())
    return app.add_flag_callback(
        row.names, [take] { take(""); }, row.help);
  if (!row.value.repeatable) return app.add_option_function<std::string>(row.names, take, row.help);
  const auto take_all = [take](const std::vector<std::string>& texts) {
    std::for_each(texts.begin(), texts.end(), take);
  };
  return app.add_option_function<std::vector<std::string>>(row.names, take_all, row.help)
      ->allow_extra_args(row.is_positional());
}

void declare(CLI::App& app, const OptionRow& row) {
  CLI::Option* const option = add_option(app, row)->group(row.group)->required(row.required);
  if (!row.value.placeholder.empty()) option->type_name(row.value.placeholder)->default_str(row.value.default_text);
}

/// Null where there is none of that name.
const CommandSpec* find_command(const ProgramSpec& program, std::string_view name) {
  const auto found = std::find_if(program.commands.begin(), program.commands.end(),
                                  [&](const CommandSpec& command) { return command.name == name; });
  return found == program.commands.end() ? nullptr : &*found;
}

/// Which options CLI11 is told of: to declare all takes longer than the program needs to start.
enum class Declared { needed, all };

/// The command line without the program's name.
class Arguments {
 public:
  Arguments(const ProgramSpec& program, std::span<const char* const> arguments) {
    for (const std::string_view argument : arguments) {
      names_.insert(argument.substr(0, argument.find('=')));
      if (command_.empty() && (argument == program.help.name || find_command(program, argument) != nullptr))
        command_ = argument;
    }
  }

  /// Whether one of them is the option itself: "-o", "--output" or "--output=FILE" of "-o,--output".
  bool call(const OptionRow& row) const {
    for (std::string_view names = row.names; !names.empty();) {
      const std::string_view first = names.substr(0, names.find(','));
      if (names_.contains(first)) return true;
      names.remove_prefix(std::min(first.size() + 1, names.size()));
    }
    return false;
  }
  /// Whether CLI11 needs the option to read them: one is it, or may have it among other letters ("-qo").
  bool need(const OptionRow& row) const { return !row.names.starts_with("--") || row.required || call(row); }

  /// The first one that names a command, which is the one that CLI11 takes: options of the program itself have no
  /// values. Empty: none does.
  const std::string& command() const { return command_; }

 private:
  std::unordered_set<std::string_view> names_;  ///< what stands before `=`
  std::string command_;
};

/// CLI11's parser, and the options of the command that is named among the arguments.
struct Parser {
  std::unique_ptr<CLI::App> app;
  OptionRows rows;
};

void declare(Parser& parser, const CommandSpec& command, const Arguments& arguments, Declared declared) {
  const bool is_named = command.name == arguments.command();
  if (!is_named && declared == Declared::needed) return;
  CLI::App* const sub = parser.app->add_subcommand(command.name, command.summary);
  if (!is_named) return;
  sub->footer(command.footer);
  parser.rows = command.options();
  for (const OptionRow& row : parser.rows)
    if (declared == Declared::all || arguments.need(row)) declare(*sub, row);
}

Parser parser_of(const ProgramSpec& program, const Arguments& arguments, Declared declared) {
  Parser parser{.app = std::make_unique<CLI::App>(program.summary, kProgram), .rows = {}};
  parser.app->require_subcommand(0, 1);
  parser.app->get_formatter()->column_width(34);
  parser.app->footer(program.footer);
  for (const OptionRow& row : program.options) declare(*parser.app, row);
  for (const CommandSpec& command : program.commands) declare(parser, command, arguments, declared);
  declare(parser, program.help, arguments, declared);
  return parser;
}

const CLI::App& chosen(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : *parsed.front();
}

/// Options of samplers that the command line does not name are left out, and that is said before the examples.
void hide_other_samplers(CLI::App& app, const OptionRows& rows) {
  const CLI::Option* const sampler = app.get_option_no_throw("--sampler");
  const std::string named = sampler == nullptr || sampler->empty() ? "" : sampler->results().front();
  bool hidden = false;
  for (const OptionRow& row : rows) {
    const std::vector<std::string>& owners = row.of_samplers;
    if (owners.empty() || std::find(owners.begin(), owners.end(), named) != owners.end()) continue;
    app.get_option(row.names)->group("");
    hidden = true;
  }
  if (hidden)
    app.footer("Samplers have options of their own: `seqpoint samplers NAME`, or --sampler NAME --help\n" +
               app.get_footer());
}

std::string help_of(const Parser& parser, const std::string& command) {
  CLI::App& app = *parser.app;
  if (command.empty()) return app.get_formatter()->make_help(&app, kProgram, CLI::AppFormatMode::Normal);
  CLI::App& sub = *app.get_subcommand(command);
  hide_other_samplers(sub, parser.rows);
  return sub.help(kProgram);
}

/// `text`, and what it may have meant.
std::string with_nearest(const std::string& text, std::string_view given, std::span<const std::string_view> known) {
  const std::string_view nearest = nearest_name(given, known);
  return nearest.empty() ? text : text + fmt::format("; did you mean {}?", nearest);
}

[[noreturn]] void refuse_command(const std::string& given, const ProgramSpec& program) {
  throw UsageError(with_nearest(fmt::format("there is no command '{}'", given), given, row_names(program.commands)),
                   "one of: " + command_names(program));
}

/// The first option that nobody knows, else whatever is too much.
[[noreturn]] void refuse_extras(const std::vector<std::string>& extras, const OptionRows& rows,
                                const std::string& help) {
  const auto unknown =
      std::find_if(extras.begin(), extras.end(), [](const std::string& text) { return text.starts_with('-'); });
  if (unknown == extras.end()) throw UsageError("unknown: " + extras.front(), help);
  std::vector<std::string_view> known;
  for (const OptionRow& row : rows)
    if (const auto dashes = row.names.find("--"); dashes != std::string::npos)
      known.push_back(std::string_view(row.names).substr(dashes, row.names.find(',', dashes) - dashes));
  const std::string given = unknown->substr(0, unknown->find('='));
  throw UsageError(with_nearest("unknown option " + given, given, known), help);
}

/// What CLI11 says of options in its own way, in ours.
[[noreturn]] void refuse(const CLI::ParseError& error, const Parser& parser, const ProgramSpec& program) {
  const CLI::App& sub = chosen(*parser.app);
  const bool in_program = &sub == parser.app.get();
  const std::string name = in_program ? kProgram : kProgram + (" " + sub.get_name()), what = error.what();
  const std::string help = fmt::format("see `{} --help`", name);
  const std::vector<std::string> extras = parser.app->remaining(true);
  if (!extras.empty() && in_program && !extras.front().starts_with('-')) refuse_command(extras.front(), program);
  if (!extras.empty()) refuse_extras(extras, in_program ? program.options : parser.rows, help);
  const auto colon = what.find(": ");
  const auto kind = static_cast<CLI::ExitCodes>(error.get_exit_code());
  if (kind == CLI::ExitCodes::ArgumentMismatch)
    throw UsageError(what.substr(0, colon) +
                         (what.find("At Most") != std::string::npos ? " is given more than once" : " needs a value"),
                     help);
  throw UsageError(what, help);
}

GivenOptions given_of(const CLI::App& app, const OptionRows& rows) {
  GivenOptions given;
  for (const OptionRow& row : rows) {
    const auto dashes = row.names.find("--");
    if (dashes == std::string::npos) continue;
    const std::string name = row.names.substr(dashes, row.names.find(',', dashes) - dashes);
    const CLI::Option* const option = app.get_option_no_throw(name);
    given.push_back({.name = name.substr(2),
                     .group = row.group,
                     .values = option == nullptr ? std::vector<std::string>() : option->results(),
                     .default_text = row.value.default_text});
  }
  return given;
}

/// Where the arguments ask for help, and all options have to be known.
std::string help_asked_for(const ProgramSpec& program, const Arguments& arguments, int argc, const char* const* argv) {
  const Parser parser = parser_of(program, arguments, Declared::all);
  try {
    parser.app->parse(argc, argv);
  } catch (const CLI::ParseError&) {  // CallForHelp again
  }
  const CLI::App& shown = chosen(*parser.app);
  return help_of(parser, &shown == parser.app.get() ? "" : shown.get_name());
}

}  // namespace

Parsed parse(const ProgramSpec& program, int argc, const char* const* argv) {
  const Arguments arguments(program, std::span(argv, static_cast<std::size_t>(argc)).subspan(argc > 0 ? 1 : 0));
  const Parser parser = parser_of(program, arguments, Declared::needed);
  try {
    parser.app->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return {.help = help_asked_for(program, arguments, argc, argv), .command = nullptr, .given = {}};
  } catch (const CLI::ParseError& error) {
    refuse(error, parser, program);
  }
  const CLI::App& sub = chosen(*parser.app);
  if (&sub == parser.app.get()) return {};
  const std::string name = sub.get_name();
  const CommandSpec* const command = find_command(program, name);
  return {.help = {}, .command = command == nullptr ? &program.help : command, .given = given_of(sub, parser.rows)};
}

std::string help_text(const ProgramSpec& program, const std::string& name) {
  if (!name.empty() && find_command(program, name) == nullptr) refuse_command(name, program);
  return help_of(parser_of(program, Arguments(program, std::array{name.c_str()}), Declared::all), name);
}

std::string command_names(const ProgramSpec& program) {
  std::string names;
  for (const CommandSpec& command : program.commands) names += (names.empty() ? "" : ", ") + command.name;
  return names;
}

void take_kept(const OptionRows& rows, const OptionsInForce& kept) {
  OptionRows options;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(options),
               [](const OptionRow& row) { return !row.is_positional(); });
  CLI::App app;
  app.set_help_flag();
  for (const OptionRow& row : options) declare(app, row);
  std::vector<std::string> arguments;
  for (const auto& [name, values] : kept) {
    const std::string option = "--" + name;
    if (app.get_option_no_throw(option) == nullptr) continue;
    for (const std::string& value : values) arguments.push_back(fmt::format("{}={}", option, value));
  }
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
}

}  // namespace seqpoint::cli::options
