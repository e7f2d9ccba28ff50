#include "cli/options/parser.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_set>

#include <CLI/CLI.hpp>

#include "cli/options/config_file.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/words.hpp"

namespace seqpoint::cli::options {
namespace {

constexpr auto kProgram = "seqpoint";
constexpr auto kRareOptions = "These are the usual options: --help-all shows all\n";
constexpr auto kOtherSamplers =
    "Samplers have options of their own: `seqpoint samplers NAME`, or --sampler NAME --help\n";

CLI::Option* add_option(CLI::App& app, const OptionRow& row) {
  const auto take = [value = row.value.take,
                     name = row.names.substr(row.names.rfind(',') + 1)](const std::string& text) { value(name, text); };
  if (row.names == kHelpAllOption) return app.set_help_all_flag(row.names, row.help);
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

/// What is required and not typed may be in a file: --help alone says it by CLI11.
void declare(CLI::App& app, const OptionRow& row, bool may_be_required) {
  CLI::Option* const option = add_option(app, row)->group(row.group)->required(row.required && may_be_required);
  if (!row.value.placeholder.empty()) option->type_name(row.value.placeholder)->default_str(row.value.default_text);
}

/// Null where there is none of that name.
const CommandSpec* find_command(const ProgramSpec& program, std::string_view name) {
  const auto found = std::find_if(program.commands.begin(), program.commands.end(),
                                  [&](const CommandSpec& command) { return command.name == name; });
  return found == program.commands.end() ? nullptr : &*found;
}

/// Which options CLI11 is told of: those that the arguments need, or those that --help or --help-all shows. To declare
/// all takes longer than the program needs to start.
enum class Declared { needed, usual, all };

/// The command line without the program's name.
class Arguments {
 public:
  Arguments(const ProgramSpec& program, std::span<const char* const> arguments) {
    constexpr std::string_view kSampler = "--sampler";
    for (std::string_view before; const std::string_view argument : arguments) {
      names_.insert(argument.substr(0, argument.find('=')));
      if (argument.starts_with('-') && !argument.starts_with("--")) letters_ += argument;
      if (before == kSampler) sampler_ = argument;
      if (argument.starts_with(kSampler) && argument.substr(kSampler.size()).starts_with('='))
        sampler_ = argument.substr(kSampler.size() + 1);
      before = argument;
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
  bool need(const OptionRow& row) const {
    const bool has_letter = row.names.starts_with('-') && !row.names.starts_with("--");
    return row.is_positional() || call(row) || (has_letter && letters_.find(row.names[1]) != std::string::npos);
  }
  /// Whether --help has it: not where it belongs to samplers that the arguments do not name.
  bool show(const OptionRow& row) const {
    const std::vector<std::string>& owners = row.of_samplers;
    return owners.empty() || std::find(owners.begin(), owners.end(), sampler_) != owners.end();
  }

  std::string_view sampler() const { return sampler_; }  ///< empty: none is named
  /// The first one that names a command, which is the one that CLI11 takes: options of the program itself have no
  /// values. Empty: none does.
  const std::string& command() const { return command_; }

 private:
  std::unordered_set<std::string_view> names_;  ///< what stands before `=`
  std::string letters_;                         ///< of arguments with one dash
  std::string_view sampler_;
  std::string command_;
};

/// CLI11's parser, and the options of the command that is named among the arguments.
struct Parser {
  std::unique_ptr<CLI::App> app;
  const OptionRows* rows = nullptr;  ///< null: no command is named
};

void declare(CLI::App& app, const OptionRows& rows, const Arguments& arguments, Declared declared) {
  for (const OptionRow& row : rows)
    if (declared == Declared::needed ? arguments.need(row)
                                     : arguments.show(row) && (declared == Declared::all || !row.rare))
      declare(app, row, declared != Declared::needed);
}

void declare(Parser& parser, const CommandSpec& command, const Arguments& arguments, Declared declared) {
  const bool is_named = command.name == arguments.command();
  if (!is_named && declared == Declared::needed) return;
  CLI::App* const sub = parser.app->add_subcommand(command.name, command.summary);
  if (!is_named) return;
  parser.rows = &command.options();
  declare(*sub, *parser.rows, arguments, declared);
  const auto is_shown = [&](const OptionRow& row) { return arguments.show(row); };
  const bool leaves_out = declared == Declared::usual && std::ranges::any_of(*parser.rows, &OptionRow::rare);
  sub->footer(std::string(leaves_out ? kRareOptions : "") +
              (std::ranges::all_of(*parser.rows, is_shown) ? "" : kOtherSamplers) + command.footer);
}

Parser parser_of(const ProgramSpec& program, const Arguments& arguments, Declared declared) {
  Parser parser{.app = std::make_unique<CLI::App>(program.summary, kProgram), .rows = nullptr};
  parser.app->require_subcommand(0, 1);
  parser.app->get_formatter()->column_width(34);
  parser.app->footer(program.footer);
  declare(*parser.app, program.options, arguments, declared);
  for (const CommandSpec& command : program.commands) declare(parser, command, arguments, declared);
  declare(parser, program.help, arguments, declared);
  return parser;
}

const CLI::App& chosen(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : *parsed.front();
}

std::string help_of(const Parser& parser, const std::string& command) {
  CLI::App& app = *parser.app;
  if (command.empty()) return app.get_formatter()->make_help(&app, kProgram, CLI::AppFormatMode::Normal);
  return app.get_subcommand(command)->help(kProgram);
}

/// `text`, and what it may have meant.
std::string with_nearest(const std::string& text, std::string_view given, std::span<const std::string_view> known) {
  const std::string_view nearest = nearest_name(given, known);
  if (nearest == given) return text + " before a command: it goes behind it";
  return nearest.empty() ? text : text + fmt::format("; did you mean {}?", nearest);
}

[[noreturn]] void refuse_command(const std::string& given, const ProgramSpec& program) {
  throw UsageError(with_nearest(fmt::format("there is no command '{}'", given), given, row_names(program.commands)),
                   "one of: " + command_names(program));
}

/// The first option that nobody knows, else whatever is too much.
[[noreturn]] void refuse_extras(const std::vector<std::string>& extras, const OptionRows& rows,
                                const std::string& help) {
  const auto is_option = [](const std::string& text) { return text.starts_with('-') && text != "-" && text != "--"; };
  const auto unknown = std::ranges::find_if(extras, is_option);
  if (unknown == extras.end()) throw UsageError("unknown: " + extras.front(), help);
  std::vector<std::string_view> known;
  for (const OptionRow& row : rows)
    if (const std::string_view name = long_name_of(row); !name.empty()) known.push_back(name);
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
  if (!extras.empty()) refuse_extras(extras, in_program ? program.options : *parser.rows, help);
  const auto colon = what.find(": ");
  const auto kind = static_cast<CLI::ExitCodes>(error.get_exit_code());
  if (kind == CLI::ExitCodes::ArgumentMismatch)
    throw UsageError(what.substr(0, colon) +
                         (what.find("At Most") != std::string::npos ? " is given more than once" : " needs a value"),
                     help);
  throw UsageError(what, help);
}

std::vector<std::string> typed_values(const CLI::App& app, const OptionRow& row) {
  const CLI::Option* const option =
      app.get_option_no_throw(row.is_positional() ? row.names : std::string(long_name_of(row)));
  return option == nullptr ? std::vector<std::string>() : option->results();
}

/// Puts what a file says where its options say.
void take(const Setting& setting) try {
  const std::string name = setting.row->names.substr(setting.row->names.rfind(',') + 1);
  for (const std::string& text : setting.texts) setting.row->value.take(name, text);
} catch (const UsageError& error) {
  throw UsageError(fmt::format("{}: {}", setting.place, error.what()), error.hint());
}

/// The options that were typed and, of the others, those in the file that --config names, which is taken.
std::vector<Setting> settings_of(const CLI::App& app, const OptionRows& rows, const ProgramSpec& program,
                                 const Arguments& arguments) {
  std::vector<Setting> settings, of_file;
  for (const OptionRow& row : rows) {
    std::vector<std::string> typed = typed_values(app, row);
    if (row.names == kConfigOption && !typed.empty())
      of_file = read_config(typed.front(), program, *find_command(program, app.get_name()), arguments.sampler());
    if (!typed.empty()) settings.push_back({&row, std::move(typed), ""});
  }
  for (Setting& setting : of_file) {
    if (std::ranges::find(settings, setting.row, &Setting::row) != settings.end()) continue;
    take(setting);
    settings.push_back(std::move(setting));
  }
  return settings;
}

void require_all(const OptionRows& rows, std::span<const Setting> settings, const std::string& command) {
  for (const OptionRow& row : rows)
    if (row.required && std::ranges::find(settings, &row, &Setting::row) == settings.end())
      throw UsageError(fmt::format("{} is required", row.is_positional() ? row.names : long_name_of(row)),
                       fmt::format("see `{} {} --help`", kProgram, command));
}

GivenOptions given_of(const OptionRows& rows, std::span<const Setting> settings) {
  GivenOptions given;
  for (const OptionRow& row : rows) {
    const std::string_view name = long_name_of(row);
    if (name.empty()) continue;
    const auto set = std::ranges::find(settings, &row, &Setting::row);
    given.push_back({.name = name.substr(2), .group = row.group, .values = {}, .default_text = row.value.default_text});
    if (set == settings.end()) continue;
    given.back().values = set->texts;
    given.back().place = set->place;
  }
  return given;
}

/// Takes the word `config` off that stands before another command. Whether there was one.
bool take_config(std::vector<const char*>& words, const ProgramSpec& program) {
  const auto is_command = [&](const char* word) { return find_command(program, word) != nullptr; };
  const auto first = std::find_if(words.begin() + 1, words.end(), is_command);
  if (first == words.end() || std::string_view(*first) != kConfigCommand) return false;
  if (std::find_if(first + 1, words.end(), is_command) == words.end()) return false;
  words.erase(first);
  return true;
}

}  // namespace

Parsed parse(const ProgramSpec& program, int argc, const char* const* argv) {
  std::vector<const char*> words(argv, argv + argc);
  const bool as_file = argc > 0 && take_config(words, program);
  const Arguments arguments(program, std::span(words).subspan(words.empty() ? 0 : 1));
  const Parser parser = parser_of(program, arguments, Declared::needed);
  try {
    parser.app->parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::CallForHelp&) {
    return {.text = help_of(parser_of(program, arguments, Declared::usual), arguments.command()),
            .command = nullptr,
            .given = {}};
  } catch (const CLI::CallForAllHelp&) {
    return {.text = help_of(parser_of(program, arguments, Declared::all), arguments.command()),
            .command = nullptr,
            .given = {}};
  } catch (const CLI::ParseError& error) {
    refuse(error, parser, program);
  }
  const CLI::App& sub = chosen(*parser.app);
  if (&sub == parser.app.get()) return {};
  const CommandSpec* const command = find_command(program, sub.get_name());
  const std::vector<Setting> settings = settings_of(sub, *parser.rows, program, arguments);
  require_all(*parser.rows, settings, sub.get_name());
  GivenOptions given = given_of(*parser.rows, settings);
  require_compatible(*parser.rows, given);
  if (as_file) return {.text = config_text(*command, settings, is_given(given, "verbose")), .command = {}, .given = {}};
  return {.text = {}, .command = command == nullptr ? &program.help : command, .given = std::move(given)};
}

std::string help_text(const ProgramSpec& program, const std::string& name) {
  if (!name.empty() && find_command(program, name) == nullptr) refuse_command(name, program);
  return help_of(parser_of(program, Arguments(program, std::array{name.c_str()}), Declared::usual), name);
}

std::string command_names(const ProgramSpec& program) {
  std::string names;
  for (const CommandSpec& command : program.commands) names += (names.empty() ? "" : ", ") + command.name;
  return names;
}

void take_kept(const OptionRows& rows, const OptionsInForce& kept) {
  for (const auto& [name, values] : kept) {
    const std::string option = "--" + name;
    const auto row = std::ranges::find(rows, option, long_name_of);
    if (row == rows.end()) continue;
    const bool is_flag = row->value.placeholder.empty();
    if (is_flag ? values != std::vector<std::string>{"true"} : values.size() != 1 && !row->value.repeatable)
      throw UsageError(fmt::format("{} takes {}", option, is_flag ? "no value" : "one value"));
    for (const std::string& value : values) row->value.take(option, value);
  }
}

}  // namespace seqpoint::cli::options
