#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "cli/job/run.hpp"
#include "cli/job/run_stages.hpp"
#include "cli/options/shared_options.hpp"
#include "io/process/job.hpp"
#include "io/text/command_words.hpp"
#include "io/text/number.hpp"
#include "io/text/secrets.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::job {
namespace {

using io::artifacts::Build;
using io::artifacts::JobRequest;

constexpr std::uint64_t kMaxEpochs = 1000;
constexpr auto kOnlyBuild = "run";  // name of the only build, with which its files' names begin

/// A parser that sets `to` to a number of batches.
Take batches_to(std::optional<std::uint64_t>& to) {
  return [&to](const std::string& name, const std::string& text) {
    const select::ProfilingBudget budget = parse_budget(text);
    if (budget.seconds)
      throw UsageError(name + ": what a batch takes is not known yet, so it is a number of batches here",
                       name + " 60, or --max-time " + text);
    to = static_cast<std::uint64_t>(budget.amount);
  };
}

/// A parser that sets `to` to a duration in seconds.
Take seconds_to(double& to) {
  return [&to](const std::string& name, const std::string& text) { to = parse_duration(name, text); };
}

void declare_job(CLI::App& app, RunOptions& o) {
  OptionGroup of_job(app, kJobGroup);
  RunRequest& request = o.request;
  of_job.list(
      "command", o.words, "COMMAND",
      "the job: a program with its arguments after --, or a shell command; NAME=COMMAND for each of several builds");
  of_job.path("-o,--output", request.folder, "write the run into this folder, new or empty [seqpoint-run]", "DIR");
  of_job.path("--resume", o.resumed, "continue the run in this folder; finished parts are kept", "DIR");
  of_job.count("--batches", request.job.batches,
               "an epoch has only the first N batches of the loader: the loop ends early", 1);
  of_job.count("--epochs", request.job.epochs, "measure N epochs: each and their sum", 1, kMaxEpochs);
  of_job.flag("--record", request.record, "time a whole epoch instead, to check a projection");
}

void declare_precision(CLI::App& app, RunOptions& o) {
  OptionGroup precision(app, kPrecisionGroup);
  RunRequest& request = o.request;
  precision.share("--precision", o.precision, "stop when the interval is at most ± PERCENT [2%]");
  precision.other(
      "--max-time", "TIME", seconds_to(request.rule.max_seconds),
      "plan for this time, and start no process that would end later (90s, 30min, 2h); one always runs, and "
      "two of each build with --max-regression");
  precision.count("--max-processes", request.rule.max_processes,
                  "most processes of each build; one that is measured anew counts once", 1,
                  select::kMaxPlannedProcesses);
  precision.count("--parallel", request.parallel,
                  "most processes at a time, each on a machine of its own: for commands of a launcher, such as srun", 1,
                  io::process::kMostJobs);
}

void declare_comparison(CLI::App& app, RunOptions& o) {
  OptionGroup comparison(app, kComparisonGroup);
  RunRequest& request = o.request;
  comparison.share("--max-regression", request.limit.max_regression,
                   "exit 1 if a build's epoch is estimated more than PERCENT longer than the first one's, and its "
                   "one-sided 95 % bound is above 0");
  comparison.word("--on-inconclusive", request.limit.inconclusive_fails, "VERDICT", kInconclusiveFails,
                  "verdict if the comparison stays inconclusive: fail or pass [pass]");
  comparison.word("--by", request.job.by, "WHAT", project::kBreakdowns,
                  "also profile each point once, and break the epoch down by kernel, operator or category");
}

void declare_rare(CLI::App& app, RunOptions& o) {
  OptionGroup rare(app, "More");
  RunRequest& request = o.request;
  rare.count("--points", request.job.points, "number of points [by what a start and a batch cost]", 1);
  rare.share("--max-error", request.job.max_error,
             "add points until the expected error, one standard deviation, is at most PERCENT");
  rare.other("--budget", "N", batches_to(request.job.budget),
             "most batches that two processes may run, warm-up included");
  rare.text("--signature", request.job.signature, "MODULE:FUNCTION",
            "the function that returns the lengths of a batch");
  rare.count("--loader", request.job.loader, "the N-th pass over a DataLoader trains [the first that trains]", 1);
  rare.flag("--no-phases", request.job.no_phases,
            "do not break the time of batches down: waiting for data, forward, backward, optimiser");
  rare.path("--order", request.job.order, "the batches of an epoch with their rows, instead of the job's own loader's");
  rare.positive("--flops-per-token", request.flops_per_token,
                "operations of the model for a token, forward and backward, for MFU [6 for each parameter]");
  rare.positive("--peak-flops", request.peak_flops, "peak FLOP/s of a device, for MFU [by the GPU's name]");
  rare.flag("--no-duet", o.no_duet, "let two builds take turns process by process, not batch by batch");
  rare.flag("--allow-writes", request.allow_writes,
            "go on if a program or native code of the job changes files that existed before");
  rare.other("--start-timeout", "TIME", seconds_to(request.start_timeout_s),
             "give up if the job delivers no batch for this long [10min]");
  rare.other("--grace", "TIME", seconds_to(request.grace_s),
             "time for a job to end by itself before SIGTERM, and then before SIGKILL [5s]");
}

/// "old" of "old=bash train.sh"; empty if the word has another form.
std::string name_of_build(const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  return name.size() < word.size() && io::artifacts::is_build_name(name) ? name : "";
}

/// Whether a command begins by setting a variable rather than with the name of a build: NAME= in capital letters, or
/// nothing behind it.
bool sets_variable(const std::string& word) {
  const std::string name = name_of_build(word);
  const auto is_capital = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && (std::ranges::all_of(name, is_capital) || word.substr(name.size() + 1).starts_with(' '));
}

/// The words that run a command in a shell.
std::vector<std::string> in_shell(const std::string& command) { return {"sh", "-c", command}; }

/// Whether a shell runs the build's last word.
bool is_shell_command(const Build& build) { return build.words == in_shell(build.words.back()); }

/// The build of NAME=COMMAND, run by a shell. Throws UsageError if the command is empty.
Build named_build(const std::string& word) {
  Build build{.name = name_of_build(word), .words = in_shell(word.substr(word.find('=') + 1))};
  if (build.words.back().find_first_not_of(' ') == std::string::npos)
    throw UsageError(build.name + "= has no command", kRunForms);
  return build;
}

/// The builds of the words: NAME=COMMAND each; or one build "run", of a single word as a shell command, or of a program
/// with its arguments. Empty without words. Throws UsageError for equal names, and if only the first word has a name.
std::vector<Build> builds_of(const std::vector<std::string>& words) {
  const auto named = [](const std::string& word) { return !name_of_build(word).empty(); };
  std::vector<Build> builds;
  if (words.size() == 1 && sets_variable(words.front()))
    throw UsageError(fmt::format("'{}' sets a variable, or names a build", io::text::without_secrets(words.front())),
                     "a variable: -- env NAME=VALUE COMMAND; a build: name='COMMAND', in small letters");
  if (!words.empty() && std::ranges::all_of(words, named)) {
    for (const std::string& word : words) {
      if (std::ranges::find(builds, name_of_build(word), &Build::name) != builds.end())
        throw UsageError(fmt::format("two builds are called {}", name_of_build(word)), "give each a name of its own");
      builds.push_back(named_build(word));
    }
  } else if (words.size() == 1) {
    builds.push_back({kOnlyBuild, in_shell(words.front())});
  } else if (!words.empty()) {
    if (named(words.front()))
      throw UsageError(fmt::format("'{}' names a build, and '{}' does not", io::text::without_secrets(words.front()),
                                   io::text::without_secrets(words[1])),
                       "name each: old='...' new='...'; variables of a command: -- env NAME=VALUE COMMAND");
    builds.push_back({kOnlyBuild, words});
  }
  return builds;
}

/// Sets whether a run is continued, and its folder. Throws UsageError if --resume and -o name two.
void take_folder(RunOptions& o, const CLI::App& app) {
  o.request.resume = is_given(app, "--resume");
  if (o.resumed.empty()) return;
  if (is_given(app, "--output") && o.resumed != o.request.folder)
    throw UsageError(fmt::format("--resume {} and -o {} name two folders", o.resumed, o.request.folder),
                     "a run goes on in its own folder: leave out -o");
  o.request.folder = o.resumed;
}

/// Throws UsageError for values of options that run.json could not keep.
void require_utf8(const JobRequest& job) {
  for (const auto& [option, text] : {std::pair("--order", job.order), std::pair("--signature", job.signature)})
    if (io::artifacts::as_stored(text) != text)
      throw UsageError(fmt::format("{} {}: has bytes that are not UTF-8", option, text), "give it a plain name");
}

/// Throws UsageError if a program does not exist, or the options cannot apply to these builds.
void require_startable(const RunRequest& request) {
  require_waiting(request.job.builds);
  if (request.parallel > 1) require_launchers(request.job.builds, request.parallel);
  const SelectRequest select = selecting(request.job, request.job.order);
  select::require_valid(select.params, select.repeats, false);
  for (const Build& build : request.job.builds)
    if (io::process::path_of_program(build.words.front()).empty())
      throw UsageError(fmt::format("{}: there is no such program", build.words.front()),
                       "the command is started as a shell would start it: check its name and PATH");
  if (request.record && request.job.epochs > 1)
    throw UsageError("--epochs: --record times one epoch", "leave out one of them");
  if (request.job.by && request.record && !request.resume)
    throw UsageError("--by: --record times a whole epoch, and points are profiled", "leave out one of them");
  if (request.limit.max_regression && request.record && !request.resume)
    throw UsageError("--max-regression: --record times an epoch of each build, which is too few to decide a comparison",
                     "leave out --record, or --max-regression");
  if (request.limit.inconclusive_fails && !request.limit.max_regression)
    throw UsageError("--on-inconclusive requires --max-regression", "add a limit, such as --max-regression 3%");
  if (request.limit.max_regression && request.rule.max_processes < measuring::kMinProcesses)
    throw UsageError("--max-processes 1: a comparison needs two of each build, which show how far processes differ",
                     "leave out --max-regression: the difference is stated without a verdict");
  if (request.limit.max_regression && request.job.builds.size() == 1)
    throw UsageError("--max-regression: there is nothing to compare the job with",
                     "name two builds: seqpoint run --max-regression 3% old='...' new='...'");
}

/// Sets the recorded job. Throws UsageError if the request has a different one, or lacks a command whose secrets were
/// not recorded.
void adopt(JobRequest& job, const JobRequest& recorded, const io::text::Secrets& secrets, const std::string& folder) {
  const JobRequest given = without_secrets(job, secrets);
  if (job == JobRequest{}) job = recorded;
  if (given != JobRequest{} && given != recorded)
    throw UsageError(
        fmt::format("{} is a run of another command line: {}, and not {}", folder, typed(recorded), typed(given)),
        "leave the command out to go on with that one, or name another folder: -o DIR");
  if (given == JobRequest{} && std::ranges::any_of(recorded.builds, [](const Build& b) { return !b.digest.empty(); }))
    throw UsageError(fmt::format("{}: its command contains secrets, which run.json leaves out", folder),
                     "give the whole command line again: " + typed(recorded));
}

}  // namespace

std::string typed(const JobRequest& job) {
  std::vector<std::string> words;
  const auto add = [&](const char* option, const std::string& value) { words.insert(words.end(), {option, value}); };
  if (job.epochs > 1) add("--epochs", std::to_string(job.epochs));
  if (!job.signature.empty()) add("--signature", job.signature);
  if (job.loader) add("--loader", std::to_string(*job.loader));
  if (job.batches) add("--batches", std::to_string(*job.batches));
  if (job.by) words.insert(words.end(), {"--by", std::string(project::name_of(*job.by))});
  if (job.no_phases) words.emplace_back("--no-phases");
  if (job.points) add("--points", std::to_string(*job.points));
  if (job.max_error) add("--max-error", io::text::shortest(*job.max_error));
  if (job.budget) add("--budget", std::to_string(*job.budget));
  if (!job.order.empty()) add("--order", job.order);
  if (!job.builds.empty()) words.emplace_back("--");
  for (const Build& build : job.builds) {
    if (build.name != kOnlyBuild)
      words.push_back(build.name + "=" + build.words.back());
    else if (is_shell_command(build))
      words.push_back(build.words.back());
    else
      words.insert(words.end(), build.words.begin(), build.words.end());
  }
  return io::text::shell_words(words);
}

void declare(CLI::App& app, RunOptions& o) {
  declare_job(app, o);
  declare_precision(app, o);
  declare_comparison(app, o);
  add_exports(app, o.request.exports, kAllFormats);
  add_ci(app, o.request.ci);
  declare_rare(app, o);
}

RunRequest request_of(RunOptions o, const CLI::App& app) {
  take_folder(o, app);
  RunRequest request = std::move(o.request);
  for (const char* const output : {"--export", "--ci"})
    for (const std::string& value : app.get_option(output)->results())
      request.outputs += " " + io::text::shell_words(std::vector<std::string>{output, value});
  request.duets = !o.no_duet;
  if (o.no_duet) request.outputs += " --no-duet";
  if (request.parallel > 1) request.outputs += fmt::format(" --parallel {}", request.parallel);
  if (o.precision == 0.0) throw UsageError("--precision: no interval is within ± 0 %", "write such as --precision 2%");
  request.rule.precision = o.precision.value_or(request.rule.precision);
  const bool more_processes = is_given(app, "--max-processes") && request.rule.max_processes > measuring::kMinProcesses;
  request.rule.keeps_price = !o.precision && !is_given(app, "--max-time") && !more_processes;
  request.job.builds = builds_of(o.words);
  if (request.job.builds.empty() && !request.resume) throw UsageError("the command of the job is missing", kRunForms);
  require_utf8(request.job);
  if (!request.resume) require_startable(request);  // else adopt() does, with what the folder recorded
  require_valid(request.exports, std::vector{request.job.order});
  return request;
}

void adopt(RunRequest& request, const io::artifacts::RunRecord& record) {
  adopt(request.job, record.request, request.secrets, request.folder);
  io::artifacts::RegressionLimit& limit = request.limit;
  if (!limit.max_regression) limit.max_regression = record.limit.max_regression;
  if (!limit.inconclusive_fails) limit.inconclusive_fails = record.limit.inconclusive_fails;
  require_startable(request);
}

}  // namespace seqpoint::cli::job
