// The command line: all commands with their options and help, and errors for an invalid command line.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands/command.hpp"
#include "cli/job/run.hpp"
#include "cli/options/exports.hpp"
#include "cli/terminal.hpp"
#include "core/enum_names.hpp"
#include "io/text/secrets.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/version.hpp"

namespace seqpoint::cli::commands {
namespace {

constexpr auto kProgram = "seqpoint";
/// A command, and its heading in the list of commands.
struct ListedCommand {
  Command (*add)(CLI::App&);
  const char* heading;
};
constexpr auto kMeasure = "Measure and predict", kUnderstand = "Understand", kLookUp = "Look up";
constexpr std::array kCommands{
    ListedCommand{job::add_run, kMeasure},    ListedCommand{add_scan, kMeasure},
    ListedCommand{add_select, kMeasure},      ListedCommand{add_plan, kMeasure},
    ListedCommand{add_project, kMeasure},     ListedCommand{add_inspect, kUnderstand},
    ListedCommand{add_evaluate, kUnderstand}, ListedCommand{add_list, kLookUp},
};

struct ProgramOptions {
  ConsoleOptions console;
  bool version = false;
  std::string about;  ///< description for `help`
};

std::string version_text(bool verbose) {
  std::string text = fmt::format("seqpoint {}\n", kVersion);
#if defined(__clang__)
  const std::string compiler = "clang " __clang_version__;
#else
  const std::string compiler = "g++ " __VERSION__;
#endif
  if (verbose) text += fmt::format("compiler {}\n", compiler);
  return text;
}

/// Columns of --help: those of the variable COLUMNS or of the terminal, at most 100; 100 where neither is known.
std::size_t help_columns() {
  constexpr std::size_t kMost = 100, kFewest = 40;
  const char* const set = std::getenv("COLUMNS");
  std::size_t columns = set == nullptr ? 0 : std::strtoul(set, nullptr, 10);
  if (columns == 0) columns = columns_of_terminal(STDOUT_FILENO).value_or(kMost);
  return std::clamp(columns, kFewest, kMost);
}

std::string program_footer() {
  const std::string examples =
      "Examples:\n"
      "  seqpoint run -- python3 train.py\n"
      "  seqpoint run --max-regression 3% old='bash old.sh' new='bash new.sh'\n"
      "  seqpoint select train.csv --sampler sorted --batch-size 64 -o points.json\n"
      "  seqpoint project points.json --profile old=old.csv --profile new=new.csv\n";
  std::string text = "Exit status: ";
  for (const auto& [status, meaning] : kExitTexts)
    text += (status == kDone ? "" : ", ") + std::to_string(status) + " " + meaning;
  return examples + text + ".\nseqpoint COMMAND --help lists its options.";
}

constexpr std::array<Word<std::string_view>, 3> kColorWords{
    {{"auto", "auto"}, {"always", "always"}, {"never", "never"}}};

void declare_console(CLI::App& app, ConsoleOptions& o) {
  app.set_help_flag("-h,--help", "print the usual options and exit");
  app.set_help_all_flag("--help-all", "print all options and exit");
  OptionGroup messages(app, kMessageGroup);
  messages.flag("-v,--verbose", o.verbose, "details on standard error");
  app.add_flag_function(
         "-q,--quiet", [&o](std::int64_t times) { o.quiet += static_cast<int>(times); },
         "warnings and errors only; -qq: errors only")
      ->group(kMessageGroup);
  messages.word("--color", o.color, "WHEN", kColorWords, "auto, always or never [auto]");
}

/// A footer: its examples, which follow the usage, and the other lines, wrapped, which end the help.
std::pair<std::string, std::string> parts_of_footer(const std::string& footer) {
  std::string examples, rest;
  for (const std::string& line : CLI::detail::split(footer, '\n')) {
    const bool is_example = rest.empty() && (line == "Examples:" || line.starts_with("  "));
    if (is_example)
      examples += line + "\n";
    else if (!line.empty())
      rest += (line.starts_with("  ") ? line : folded(line, help_columns())) + "\n";
  }
  return {examples, rest};
}

/// The text with one blank line where it has several, without blank lines at its ends.
std::string with_single_blank_lines(const std::string& text) {
  std::string lines;
  for (const char c : text)
    if (c != '\n' || (!lines.empty() && !lines.ends_with("\n\n"))) lines += c;
  while (lines.ends_with("\n\n")) lines.pop_back();
  return lines;
}

/// Formats --help in as many columns as help_columns(): description, usage, examples, options. Omits which options
/// require or exclude each other: errors report it.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    const auto [examples, rest] = parts_of_footer(app->get_footer());
    return with_single_blank_lines(folded(make_description(app), help_columns()) + "\n" + make_usage(app, name) + "\n" +
                                   examples + "\n" + make_subcommands(app, mode) + "\n" + make_positionals(app) +
                                   make_groups(app, mode) + "\n" + rest);
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return "";
    std::string text = " " + option->get_type_name();
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
    return text + (option->get_required() ? " REQUIRED" : "");
  }
  /// The description, and the default after it.
  std::string make_option_desc(const CLI::Option* option) const override {
    const std::string set = option->get_default_str();
    return option->get_description() + (set.empty() ? "" : " [" + set + "]");
  }
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return in_two_columns(make_option_name(option, is_positional) + make_option_opts(option), make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return in_two_columns(command->get_display_name(true), command->get_description());
  }

 private:
  /// A name and its description; in few columns the description has lines of its own.
  std::string in_two_columns(const std::string& name, const std::string& description) const {
    constexpr std::size_t kFew = 70, kIndent = 6;
    const std::size_t columns = help_columns(), indent = columns < kFew ? kIndent : get_column_width();
    std::string text = "  " + name.substr(0, name.find_last_not_of(' ') + 1);
    text += text.size() < indent && columns >= kFew ? std::string(indent - text.size(), ' ')
                                                    : "\n" + std::string(indent, ' ');
    for (const char c : folded(description, columns - indent)) {
      text += c;
      if (c == '\n') text.append(indent, ' ');
    }
    return text + "\n";
  }
};

/// What is written in place of a command or an option that has left; nothing for other names.
std::optional<std::string> successor_of(std::string_view name) {
  struct Successor {
    std::string_view name, hint;
  };
  constexpr std::array kSuccessors{
      Successor{"eta", "python3 -m seqpoint_companion eta ORDER LOG PATTERN"},
      Successor{"--signature", "scan and select take --shape padded or --shape varlen"},
      Successor{"--phases", "select --parts N divides a run; phases of a batch are columns of its profile"},
      Successor{"--keep-checkpoints", "old files of a job always stay as they are"},
  };
  const auto* const found = std::ranges::find(kSuccessors, name, &Successor::name);
  if (found == kSuccessors.end()) return std::nullopt;
  return std::string(found->hint);
}

/// The parser and its commands.
class Program {
 public:
  Program() : app_("seqpoint: predict the time of a training epoch from a few of its batches", kProgram) {
    app_.require_subcommand(0, 1);
    app_.formatter(std::make_shared<HelpFormatter>());
    app_.get_formatter()->column_width(34);
    app_.get_formatter()->label("Positionals", "Arguments");
    app_.get_formatter()->label("SUBCOMMAND", "COMMAND");
    app_.footer(program_footer());
    OptionGroup(app_).flag("--version", o_.version, "print the version; with -v also the compiler");
    declare_console(app_, o_.console);
    for (const ListedCommand& command : kCommands) {
      commands_.push_back(command.add(app_));
      commands_.back().app->group(command.heading);
      declare_console(*commands_.back().app, o_.console);
    }
    help_ = app_.add_subcommand("help", "Help on a command")->group("");
    OptionGroup(*help_).text("command", o_.about, "COMMAND", "The command");
  }

  /// Parses and runs. Help and version are printed on standard output; without a command, prints help on standard error
  /// and returns kBadUsage. Throws UsageError for an invalid command line.
  Exit run(int argc, const char* const* argv, Console& console) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
      return write_text("-", help_text(*chosen(), false)), kDone;
    } catch (const CLI::CallForAllHelp&) {
      return write_text("-", help_text(*chosen(), true)), kDone;
    } catch (const CLI::ParseError& error) {
      refuse(error, {argv, argv + argc});
    }
    refuse_split_job({argv, argv + argc});
    refuse_options_behind_job({argv, argv + argc});
    console.configure(o_.console);
    if (o_.version) return write_text("-", version_text(o_.console.verbose)), kDone;
    CLI::App* const app = chosen();
    for (const Command& command : commands_)
      if (command.app == app) return command.run(console);
    if (app == help_) return write_text("-", help_text(*named(o_.about), false)), kDone;
    fmt::print(stderr, "{}", help_text(app_, false));
    return kBadUsage;
  }

 private:
  /// The command that was parsed; the program itself if there is none.
  CLI::App* chosen() {
    const auto parsed = app_.get_subcommands();
    return parsed.empty() ? &app_ : parsed.front();
  }

  /// The command of that name, the program for an empty one. Throws UsageError for an unknown name.
  CLI::App* named(const std::string& name) {
    if (name.empty()) return &app_;
    for (const Command& command : commands_)
      if (command.app->get_name() == name) return command.app;
    refuse_command(name);
  }

  /// The help of a command or the program; unless `all`, without options outside the usual groups, with a hint at
  /// them. With `all`, the program shows the options of every command as well.
  std::string help_text(CLI::App& app, bool all) {
    if (&app == &app_) {
      std::string text = app.get_formatter()->make_help(&app, kProgram, CLI::AppFormatMode::Normal);
      for (const Command& command : commands_)
        if (all) text += fmt::format("\n{}: {}", command.app->get_name(), help_text(*command.app, true));
      return text;
    }
    bool left_out = false;
    for (CLI::Option* const option : app.get_options())
      if (!all && !option->get_positional() && !is_usual_group(option->get_group())) {
        option->group("");
        left_out = true;
      }
    if (left_out) app.footer(fmt::format("{}\nMore options: seqpoint {} --help-all", app.get_footer(), app.get_name()));
    return app.help(kProgram);
  }

  std::vector<std::string_view> command_list() const {
    std::vector<std::string_view> names;
    for (const Command& command : commands_) names.push_back(command.app->get_name());
    return names;
  }
  std::string command_names() const { return fmt::format("{}", fmt::join(command_list(), ", ")); }

  /// Throws UsageError for an unknown command. A program with a folder or an ending, or an interpreter, is a job.
  [[noreturn]] void refuse_command(const std::string& given) const {
    constexpr std::array<std::string_view, 5> kInterpreters{"python", "python3", "torchrun", "accelerate", "bash"};
    if (given.find_first_of("/.") != std::string::npos ||
        std::ranges::find(kInterpreters, given) != kInterpreters.end())
      throw UsageError(fmt::format("'{}' is no command of seqpoint", given),
                       fmt::format("to measure this job: seqpoint run -- {} ...", given));
    throw UsageError(with_nearest(fmt::format("unknown command '{}'", given), given, command_list()),
                     successor_of(given).value_or("one of: " + command_names()));
  }

  /// `text`, and the name that was probably meant, if one is near. If `given` itself is known, it was put before a
  /// command.
  static std::string with_nearest(const std::string& text, std::string_view given,
                                  const std::vector<std::string_view>& known) {
    const std::string_view nearest = nearest_name(given, known);
    if (nearest == given) return text + " before a command: it goes after it";
    return nearest.empty() ? text : text + fmt::format("; did you mean {}?", nearest);
  }

  /// Throws UsageError about the first unknown option in `extras`; if there is none, about the first surplus argument.
  [[noreturn]] static void refuse_extras(const std::vector<std::string>& extras, const CLI::App& app,
                                         const std::string& help) {
    const auto is_option = [](const std::string& text) { return text.starts_with('-') && text != "-" && text != "--"; };
    const auto unknown = std::ranges::find_if(extras, is_option);
    if (unknown == extras.end()) throw UsageError("unknown: " + extras.front(), help);
    const std::string given = unknown->substr(0, unknown->find('='));
    std::vector<std::string> names;
    for (const CLI::Option* const option : app.get_options())
      if (!name_of(*option).empty()) names.push_back(name_of(*option));
    throw UsageError(with_nearest("unknown option " + given, given, {names.begin(), names.end()}),
                     successor_of(given).value_or(help));
  }

  /// Whether an unknown option is one of the job's: `run` was given the job's command before it, without `--`.
  static bool is_of_job(const CLI::App& app, const std::string& option, const std::vector<std::string>& words) {
    if (app.get_name() != "run" || std::ranges::find(words, "--") != words.end()) return false;
    const std::vector<std::string> command = app.get_option("command")->results();
    return !command.empty() && std::ranges::find(words, command.front()) < std::ranges::find(words, option);
  }

  /// Throws UsageError if a part of the job's command is behind -- and a part before it.
  void refuse_split_job(const std::vector<std::string>& words) {
    const CLI::App& app = *chosen();
    if (app.get_name() != "run") return;
    const auto mark = std::ranges::find(words, "--");
    if (words.end() - mark > 1 && app.get_option("command")->count() >= static_cast<std::size_t>(words.end() - mark))
      throw UsageError("run: a command after -- follows another word",
                       "with --resume DIR leave -- and the command out: DIR/run.json has it");
  }

  /// Throws UsageError if an option of `run` is behind the words of a job without `--`: it may be the job's own.
  void refuse_options_behind_job(const std::vector<std::string>& words) {
    const CLI::App& app = *chosen();
    if (app.get_name() != "run") return;
    const std::vector<std::string> job = app.get_option("command")->results();
    if (job.size() < 2 || job.front().find('=') != std::string::npos) return;
    const auto option = std::find_if(std::ranges::find(words, job.front()), words.end(),
                                     [](const std::string& word) { return word.starts_with('-'); });
    if (option == words.end() || std::find(words.begin(), option + 1, "--") != option + 1) return;
    throw UsageError(
        fmt::format("run: {} is behind the job's command: is it the job's?", option->substr(0, option->find('='))),
        "end the options of run with --: seqpoint run OPTIONS -- COMMAND");
  }

  [[noreturn]] static void refuse_option_of_job(const std::string& option) {
    throw UsageError("run: unknown option " + option,
                     "if it is the job's own, put -- before the command: seqpoint run -- COMMAND " + option);
  }

  /// Throws UsageError for an error of CLI11, rephrased. `words`: all arguments.
  [[noreturn]] void refuse(const CLI::ParseError& error, const std::vector<std::string>& words) {
    const CLI::App& app = *chosen();
    const bool in_program = &app == &app_;
    const std::string what = error.what();
    const std::string help = fmt::format("see `{} --help`", in_program ? kProgram : kProgram + (" " + app.get_name()));
    std::vector<std::string> extras = app_.remaining(true);
    std::erase(extras, "--");  // a command after it is valid
    if (!extras.empty() && is_of_job(app, extras.front(), words))
      refuse_option_of_job(io::text::without_secrets(extras.front()));
    if (!extras.empty() && in_program && !extras.front().starts_with('-')) refuse_command(extras.front());
    if (!extras.empty()) refuse_extras(extras, app, help);
    if (static_cast<CLI::ExitCodes>(error.get_exit_code()) == CLI::ExitCodes::ArgumentMismatch)
      throw UsageError(what.substr(0, what.find(": ")) +
                           (what.find("At Most") != std::string::npos ? " is given more than once" : " needs a value"),
                       help);
    constexpr std::string_view kRequired = " is required";
    if (what.ends_with(kRequired))
      throw UsageError(fmt::format("{}: {} is missing", app.get_name(), what.substr(0, what.size() - kRequired.size())),
                       help);
    throw UsageError(what, help);
  }

  ProgramOptions o_;
  CLI::App app_;
  std::vector<Command> commands_;
  CLI::App* help_ = nullptr;
};

}  // namespace

std::set<std::string> all_options() {
  CLI::App program;
  std::set<std::string> names;
  for (const ListedCommand& command : kCommands)
    for (const CLI::Option* const option : command.add(program).app->get_options()) names.insert(name_of(*option));
  return names;
}

Exit run_program(int argc, const char* const* argv, Console& console) { return Program().run(argc, argv, console); }

}  // namespace seqpoint::cli::commands
