#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "cli/commands/run.hpp"
#include "cli/options/budget.hpp"
#include "io/artifacts/plan_folder.hpp"
#include "io/process/job.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::commands {
namespace {

constexpr auto kOnlyBuild = "run";  // name of the only build, with which its files' names begin

/// A parser that appends the option's name and text to `to`, for another command.
Take passed_on(std::vector<std::string>& to) {
  return [&to](const std::string& name, const std::string& text) { to.insert(to.end(), {name, text}); };
}

/// A parser that sets `to` to a duration in seconds.
Take seconds_to(double& to) {
  return [&to](const std::string& name, const std::string& text) { to = parse_duration(name, text); };
}

void declare_measuring(CLI::App& app, RunOptions& o) {
  OptionGroup usual(app), rare(app, "More");
  RunRequest& request = o.request;
  usual.list(
      "command", o.words, "COMMAND",
      "the job: a program with its arguments after --, or a shell command; NAME=COMMAND for each of several builds");
  usual.path("-o,--output", request.folder, "write the run into this folder, new or empty [seqpoint-run]", "DIR");
  usual.flag("--resume", request.resume, "continue the run in that folder; finished parts are kept");
  usual.other("--points", "N", passed_on(request.selecting), "number of points, as in `seqpoint select`");
  usual.other("--max-error", "P", passed_on(request.selecting), "expected error, as in `seqpoint select` [1.5%]");
  usual.other("--budget", "N", passed_on(request.selecting),
              "most batches that two processes may run, as in `seqpoint select`");
  rare.path("--order", request.order, "the batches of an epoch with their rows, instead of the job's own loader's");
  usual.share("--precision", o.precision, "stop when the interval is at most ± P [2%]");
  usual.count("--max-processes", request.rule.max_processes, "stop after N processes of a build",
              seqpoint::run::kMinProcesses, select::kMaxPlannedProcesses);
  usual.other("--max-time", "TIME", seconds_to(request.rule.max_seconds),
              "start no process that would end later (90s, 30min, 2h); two of each build always run");
  usual.flag("--record", request.record, "time a whole epoch instead, to check a projection");
}

void declare_running(CLI::App& app, RunOptions& o) {
  OptionGroup usual(app), rare(app, "More");
  RunRequest& request = o.request;
  CLI::Option* const limit = usual.share("--max-regression", request.max_regression,
                                         "exit 1 if an epoch takes more than P longer than the first build's");
  usual
      .word("--on-inconclusive", request.inconclusive_fails, "VERDICT", kInconclusiveFails,
            "verdict if the comparison stays inconclusive: fail or pass [pass]")
      ->needs(limit);
  rare.other("--start-timeout", "TIME", seconds_to(request.start_timeout_s),
             "give up if the job delivers no batch for this long [10min]");
  rare.other("--grace", "TIME", seconds_to(request.grace_s),
             "time for a job to end by itself before SIGTERM, and then before SIGKILL [5s]");
  add_exports(app, request.exports, kAllFormats);
  add_ci(app, request.ci);
}

/// "old" of "old=bash train.sh"; empty if the word has another form. A name has ASCII letters, digits, _, - and ., and
/// begins with a letter or digit.
std::string name_of_build(const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.'; };
  const bool is_name =
      name.size() < word.size() && !name.empty() && std::isalnum(static_cast<unsigned char>(name[0])) != 0;
  return is_name && std::ranges::all_of(name, fits) ? name : "";
}

/// The build of NAME=COMMAND, run by a shell. Throws UsageError if the command is empty.
Build named_build(const std::string& word) {
  Build build{.name = name_of_build(word), .words = {"sh", "-c", word.substr(word.find('=') + 1)}};
  if (build.words.back().find_first_not_of(' ') == std::string::npos)
    throw UsageError(build.name + "= has no command", kRunForms);
  return build;
}

/// The builds of the words: NAME=COMMAND each; or one build "run", of a single word as a shell command, or of a program
/// with its arguments. Empty without words. Throws UsageError for equal names, and if only the first word has a name.
std::vector<Build> builds_of(const std::vector<std::string>& words) {
  const auto named = [](const std::string& word) { return !name_of_build(word).empty(); };
  std::vector<Build> builds;
  if (!words.empty() && std::ranges::all_of(words, named)) {
    for (const std::string& word : words) {
      if (std::ranges::find(builds, name_of_build(word), &Build::name) != builds.end())
        throw UsageError(fmt::format("two builds are called {}", name_of_build(word)), "give each a name of its own");
      builds.push_back(named_build(word));
    }
  } else if (words.size() == 1) {
    builds.push_back({kOnlyBuild, {"sh", "-c", words.front()}});
  } else if (!words.empty()) {
    if (named(words.front()))
      throw UsageError(fmt::format("'{}' is a build with a name, and '{}' is none", words.front(), words[1]),
                       "name each: old='...' new='...'; variables of a command: -- env NAME=VALUE COMMAND");
    builds.push_back({kOnlyBuild, words});
  }
  return builds;
}

/// With --resume, takes a single word that is the folder of a run as that folder: `seqpoint run --resume seqpoint-run`.
/// Throws UsageError if -o also names a folder.
void take_folder(RunOptions& o, const CLI::App& app) {
  std::error_code error;
  if (!o.request.resume || o.words.size() != 1 || !std::filesystem::exists(o.words.front() + "/run.json", error))
    return;
  if (is_given(app, "--output"))
    throw UsageError(fmt::format("--resume {} and -o {} name two folders", o.words.front(), o.request.folder),
                     "a run goes on in its own folder: leave out -o");
  o.request.folder = o.words.front();
  o.words.clear();
}

/// Throws UsageError if a program does not exist, or a budget or limit cannot apply to these builds.
void require_startable(const RunRequest& request) {
  for (const Build& build : request.builds)
    if (!io::process::is_program(build.words.front()))
      throw UsageError(fmt::format("{}: there is no such program", build.words.front()),
                       "the command is started as a shell would start it: check its name and PATH");
  for (std::size_t i = 0; i + 1 < request.selecting.size(); i += 2)
    if (request.selecting[i] == "--budget" && parse_budget(request.selecting[i + 1]).seconds)
      throw UsageError("--budget: what a batch takes is not known yet, so it is a number of batches here",
                       "--budget 60, or --max-time " + request.selecting[i + 1]);
  if (request.max_regression && request.record && !request.resume)
    throw UsageError("--max-regression: --record times an epoch of each build, which is too few to decide a comparison",
                     "leave out --record, or --max-regression");
  if (request.max_regression && request.builds.size() == 1)
    throw UsageError("--max-regression: there is nothing to compare the job with",
                     "name two builds: seqpoint run --max-regression 3% old='...' new='...'");
}

/// The words as they would be typed in a shell.
std::string shown(const std::vector<std::string>& command_line) {
  std::string text;
  for (const std::string& word : command_line) {
    const bool plain = word.find_first_of(" \t\n'\"$`\\|&;<>()*?[]{}~#!") == std::string::npos && !word.empty();
    text += (text.empty() ? "" : " ") + (plain ? word : io::artifacts::shell_word(word));
  }
  return text;
}

}  // namespace

void declare(CLI::App& app, RunOptions& o) {
  declare_measuring(app, o);
  declare_running(app, o);
}

RunRequest request_of(RunOptions o, const CLI::App& app) {
  take_folder(o, app);
  RunRequest request = std::move(o.request);
  for (const char* const limit : {"--max-regression", "--on-inconclusive"})
    if (is_given(app, limit))
      request.gating.insert(request.gating.end(), {limit, app.get_option(limit)->results().front()});
  for (const char* const output : {"--export", "--ci"})
    for (const std::string& value : app.get_option(output)->results())
      request.outputs += fmt::format(" {}", shown({output, value}));
  request.rule.precision = o.precision.value_or(request.rule.precision);
  request.builds = builds_of(o.words);
  request.command_line = request.selecting;
  if (!request.order.empty()) request.command_line.insert(request.command_line.end(), {"--order", request.order});
  if (!o.words.empty()) request.command_line.emplace_back("--");
  request.command_line.insert(request.command_line.end(), o.words.begin(), o.words.end());
  if (request.builds.empty() && !request.resume) throw UsageError("the command of the job is missing", kRunForms);
  if (!request.builds.empty()) require_startable(request);
  require_valid(request.exports, std::vector{request.order});
  return request;
}

void adopt(RunRequest& request, const io::artifacts::RunRecord& record) {
  std::vector<std::string> words = record.limits;
  words.insert(words.end(), record.command_line.begin(), record.command_line.end());
  std::ranges::reverse(words);  // CLI11's order
  RunOptions before;
  CLI::App app;
  declare(app, before);
  app.parse(std::move(words));
  const RunRequest there = request_of(std::move(before), app);
  if (!request.command_line.empty() && request.command_line != there.command_line)
    throw UsageError(fmt::format("{} is a run of another command line: {}, and not {}", request.folder,
                                 shown(there.command_line), shown(request.command_line)),
                     "leave the command out to go on with that one, or name another folder: -o DIR");
  request.builds = there.builds;
  request.selecting = there.selecting;
  request.order = there.order;
  request.command_line = there.command_line;
  const std::vector<std::string> typed = request.gating;
  const auto is_typed = [&](const char* option) { return std::ranges::find(typed, option) != typed.end(); };
  if (!is_typed("--max-regression")) request.max_regression = there.max_regression;
  if (!is_typed("--on-inconclusive")) request.inconclusive_fails = there.inconclusive_fails;
  for (std::size_t i = 0; i + 1 < there.gating.size(); i += 2)
    if (!is_typed(there.gating[i].c_str()))
      request.gating.insert(request.gating.end(), {there.gating[i], there.gating[i + 1]});
  require_startable(request);
}

}  // namespace seqpoint::cli::commands
