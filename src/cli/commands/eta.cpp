#include "core/eta/eta.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "cli/commands/command.hpp"
#include "cli/commands/report_findings.hpp"
#include "cli/options/dataset_inputs.hpp"
#include "cli/options/exports.hpp"
#include "cli/options/profile_options.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/progress.hpp"
#include "core/checks/checks.hpp"
#include "core/checks/trend.hpp"
#include "core/findings.hpp"
#include "core/profile/measure.hpp"
#include "core/select/select.hpp"
#include "io/artifacts/studies.hpp"
#include "io/views/diagnosis_text.hpp"
#include "io/views/eta_text.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::commands {
namespace {

struct EtaRequest {
  std::string trace, log, metric;
  ProfileReading reading;
  std::uint64_t warmup = 0;
  trace::BatchLayout layout = trace::BatchLayout::padded;
  double confidence = 0;
  ExportPaths exports;
};

struct EtaOptions {
  EtaRequest request;
  std::optional<double> confidence;
};

void declare(CLI::App& app, EtaOptions& o) {
  EtaRequest& request = o.request;
  OptionGroup group(app);
  group.text("trace", request.trace, "TRACE", "The whole run, as `seqpoint scan` wrote it")->required();
  group
      .text("log", request.log, "LOG",
            "Finished iterations with their times: a table, or a text that --match describes")
      ->required();
  group.text("--metric", request.metric, "COLUMN", "the column of times in a table [runtime_s, else step_s]");
  group.count("--skip", request.warmup, "ignore the times of the log's first N rows");
  add_log_options(app, request.reading);
  group.share("--confidence", o.confidence, "of the interval [95%]");
  add_shape(group, request.layout);
  add_output(app, request.exports, kTableFormats);
}

EtaRequest request_of(EtaOptions o) {
  EtaRequest request = std::move(o.request);
  request.confidence = confidence_of(o.confidence);
  const std::vector<std::string> files{request.trace, request.log};
  refuse_several_standard_inputs(files);
  require_valid(request.exports, files);
  return request;
}

/// Position of the log's time column: the requested one, else runtime_s, else step_s. Other times, such as elapsed_s or
/// epoch_time_s, may measure something else. Throws InputError if there is none.
std::size_t times_among(const EtaRequest& request, const std::vector<std::string>& columns) {
  const std::vector<std::string> names =
      request.metric.empty() ? std::vector<std::string>{"runtime_s", "step_s"} : std::vector{request.metric};
  std::string times;
  for (const std::string& column : columns)
    if (trace::is_time_metric(column)) times += (times.empty() ? "" : ", ") + column;
  for (const std::string& name : names)
    if (const auto at = std::ranges::find(columns, name); at != columns.end() && trace::is_time_metric(name))
      return static_cast<std::size_t>(at - columns.begin());
  if (!request.metric.empty() || times.empty())
    throw InputError({request.log, 0, request.metric},
                     request.metric.empty() ? "has no column of times" : "is no column of times in seconds",
                     "a column whose name ends in _s, such as runtime_s");
  throw InputError({request.log}, fmt::format("has no column runtime_s or step_s; its times: {}", times),
                   "name what an iteration took: --metric COLUMN; of a clock give the group 'clock' of --match");
}

/// Throws InputError "iteration NUMBER PROBLEM".
[[noreturn]] void refuse_row(
    const EtaRequest& request, std::uint64_t number, const std::string& problem,
    const char* hint = "TRACE is the run that is logged: the same manifest, sampler, seed, epoch and batch size") {
  throw InputError({request.log}, fmt::format("iteration {} {}", number, problem), hint);
}

/// The row of the run that has iteration `number`. Throws InputError if there is none.
std::size_t place_of(const EtaRequest& request, const trace::Trace& run, std::uint64_t number) {
  const std::size_t at = run.row_of(number);
  if (at >= run.size() || run.iteration_number(at) != number) refuse_row(request, number, "is not in " + request.trace);
  return at;
}

/// A log's times of the run's first iterations.
struct DoneSoFar {
  std::vector<eta::TimedSpan> timed;
  std::size_t done = 0;  ///< number of iterations up to the last logged one
  io::manifests::InputRecord record;
  std::string column = "runtime_s";  ///< name of the time column
  bool of_clock = false;             ///< times are differences of a clock
};

/// The times as a column of the run: NaN for iterations without a time, and for those that share one with others.
trace::Metric metric_of(const DoneSoFar& so_far, const trace::Trace& run) {
  trace::Metric times{.name = so_far.column, .values = std::vector<double>(run.size(), std::nan(""))};
  for (const eta::TimedSpan& span : so_far.timed)
    if (span.end == span.begin + 1) times.values[span.begin] = span.seconds;
  return times;
}

/// Throws InputError unless there are at least two times, and one is above 0.
void require_times(const EtaRequest& request, const DoneSoFar& so_far, const std::string& field) {
  if (so_far.timed.size() < 2)
    throw InputError({request.log, 0, field}, fmt::format("has {}", counted(so_far.timed.size(), "time")),
                     "two iterations at the least");
  if (std::ranges::all_of(so_far.timed, [](const eta::TimedSpan& span) { return !(span.seconds > 0); }))
    throw InputError({request.log, 0, field}, "has no time above 0", "give a column whose clock is finer: --metric");
}

/// Throws InputError for a time below 0, and for one of 0 that is no rounding of a coarse clock.
void require_above_zero(const EtaRequest& request, const trace::Trace& run, const DoneSoFar& so_far) {
  if (std::ranges::all_of(so_far.timed, [](const eta::TimedSpan& span) { return span.seconds > 0; })) return;
  std::vector<double> times, sizes;
  for (const eta::TimedSpan& span : so_far.timed) {
    std::uint64_t tokens = 0;
    for (std::size_t i = span.begin; i < span.end; ++i) tokens += run.shapes[i].padded_tokens();
    times.push_back(span.seconds);
    sizes.push_back(static_cast<double>(tokens));
  }
  const bool rounded = checks::rounds_to_zero(times, sizes);
  for (const eta::TimedSpan& span : so_far.timed)
    if (!(span.seconds > 0) && !(rounded && span.seconds == 0))
      refuse_row(request, run.iteration_number(span.begin), "has a time that is not above 0",
                 "leave the cell empty, or leave out the row");
}

/// Drops the times of iterations from row `at` on: the job restarted there and repeats them.
void begin_again(DoneSoFar& so_far, std::size_t at) {
  while (!so_far.timed.empty() && so_far.timed.back().end > at) so_far.timed.pop_back();
}

/// The warning for a log whose iterations go back to row `at`. Throws InputError if that is the run's first iteration:
/// epochs are numbered separately, or there are two runs.
std::string restart_at(const EtaRequest& request, const trace::Trace& run, const DoneSoFar& so_far, std::size_t at,
                       std::uint64_t line) {
  const std::string follows =
      fmt::format("{} follows {}", run.iteration_number(at), run.iteration_number(so_far.done - 1));
  if (at == 0)
    throw InputError({request.log, line, "iteration"}, follows + ": these are two runs, or epochs",
                     "number iterations through all epochs, as TRACE does; of a job that was started anew, give what "
                     "it wrote last");
  return fmt::format("{}:{}: iteration {}: the job began again", request.log, line, follows);
}

/// The dimensions of a row that can be compared with the run's shape: those of the run's kind; none if there are
/// several ranks, because each has its own lengths.
trace::PartialShape comparable(const trace::Trace& run, const trace::PartialShape& key) {
  trace::PartialShape parts;
  if (run.ranks > 1) return parts;
  for (const trace::Dimension d : trace::dimensions_of(run.kind)) parts[d] = key[d];
  return parts;
}

/// The times in a table: of rows that name their iteration or, in a table of shapes without iterations, of all rows
/// from the run's first iteration on. With several ranks the slowest counts. Warm-up and the first --skip times are
/// left out.
DoneSoFar of_table(const EtaRequest& request, const trace::Trace& run, io::profiles::StepProfileFile file,
                   Console& console) {
  std::vector<profile::ProfileTable> tables{std::move(*file.table)};
  for (profile::RowSubject& subject : tables.front().subjects) subject.key = comparable(run, subject.key);
  std::vector<Finding> found;
  for (const std::string& note : profile::merge_ranks(tables, found)) console.note(request.log + ": " + note);
  warn_of(found, console);
  const profile::ProfileTable& log = tables.front();
  warn_of(checks::findings_about_units(tables), console, {}, !request.metric.empty());
  const std::size_t metric = times_among(request, log.metrics);
  DoneSoFar so_far{.timed = {}, .done = 0, .record = std::move(file.record), .column = log.metrics[metric]};
  std::uint64_t read = 0;
  std::vector<std::string> restarts;
  bool begun = false;  // before that, warm-up may run any iteration of the run
  const bool by_place = log.key == profile::ProfileTable::Key::shape && !log.has_iteration;
  const std::uint64_t beyond = run.iteration_number(run.size() - 1) + 1;
  for (std::size_t r = 0; r < log.rows.size(); ++r) {
    const profile::ProfileRow& row = log.rows[r];
    if (!by_place && !row.iteration) continue;
    const std::uint64_t number = !by_place ? *row.iteration : r < run.size() ? run.iteration_number(r) : beyond;
    const std::size_t at = place_of(request, run, number);
    if (const trace::PartialShape& key = log.subject(row).key; !key.may_be(run.shapes[at]))
      refuse_row(request, number,
                 fmt::format("has {}, but {} has {}", text_of(key), request.trace, text_of(run.kind, run.shapes[at])));
    if (begun && at < so_far.done) {
      restarts.push_back(restart_at(request, run, so_far, at, row.line));
      begin_again(so_far, at);
    }
    so_far.done = at + 1;
    begun = begun || !row.warmup;
    if (row.warmup || read++ < request.warmup || std::isnan(log.value(row, metric))) continue;
    so_far.timed.push_back({at, at + 1, log.value(row, metric)});
  }
  if (!restarts.empty())
    console.warn(restarts.front() + (restarts.size() > 1 ? fmt::format("; {} times", restarts.size()) : ""),
                 "check that the log is of one job: later times of an iteration replace earlier ones");
  require_above_zero(request, run, so_far);
  require_times(request, so_far, log.metrics[metric]);
  return so_far;
}

/// The rows of the run whose number in an ascending column is among `numbers`, without a time.
eta::TimedSpan rows_of(const std::vector<std::uint64_t>& column, const profile::IterationSpan& numbers) {
  const auto begin = std::ranges::lower_bound(column, numbers.first),
             end = std::ranges::upper_bound(column, numbers.last);
  return {static_cast<std::size_t>(begin - column.begin()), static_cast<std::size_t>(end - column.begin()), 0};
}

/// The rows of the run in the epochs of a log's line, without a time. If the run does not say where epochs end, each
/// has the `--per` steps of the log. Throws InputError if the run lacks the epoch, or its epochs have another number of
/// steps than `--per`.
eta::TimedSpan epochs_of(const EtaRequest& request, const trace::Trace& run, const profile::IterationSpan& epochs) {
  const std::uint64_t per = request.reading.per.value_or(1);
  std::vector<std::uint64_t> epoch = run.epoch;
  if (epoch.empty())
    for (std::size_t i = 0; i < run.size(); ++i) epoch.push_back(per > 1 ? i / per : 0);
  const eta::TimedSpan span = rows_of(epoch, epochs);
  const std::size_t rows = span.end - span.begin;
  if (epochs.last > epoch.back())
    throw InputError({request.log},
                     fmt::format("is of {}, but {} has {}", counted(epochs.last + 1, "epoch"), request.trace,
                                 counted(epoch.back() + 1, "epoch")),
                     "TRACE has all epochs of the run: seqpoint scan --epochs N");
  const std::vector<std::uint64_t>& steps = run.optimiser_step;
  const bool of_optimiser = !steps.empty() && steps[span.end - 1] - steps[span.begin] + 1 == per;
  if (per > 1 && rows != per && !of_optimiser)
    throw InputError({request.log},
                     fmt::format("a line is the mean of {} steps (--per), but epoch {} of {} has {}", per, epochs.first,
                                 request.trace, counted(rows, "iteration")),
                     "say how many steps an epoch has: --per N; or give the run that is logged");
  return span;
}

/// The rows of the run that a step of a log covers, without a time. `unit`: what `numbers` count; optimiser steps only
/// if the run has these. Throws InputError if the run lacks the step.
eta::TimedSpan span_of(const EtaRequest& request, const trace::Trace& run, profile::LogUnit unit,
                       const profile::IterationSpan& numbers) {
  if (unit == profile::LogUnit::epoch) return epochs_of(request, run, numbers);
  const std::vector<std::uint64_t>& steps = run.optimiser_step;
  if (unit == profile::LogUnit::iteration || steps.empty())
    return {place_of(request, run, numbers.first), place_of(request, run, numbers.last) + 1, 0};
  if (numbers.last > steps.back())
    throw InputError({request.log}, fmt::format("optimiser step {} is not in {}", numbers.last, request.trace),
                     "TRACE is the run that is logged: the same manifest, sampler, seed and --grad-accumulation");
  return rows_of(steps, numbers);
}

/// Throws InputError if a span of one iteration contradicts the run's shape, in dimensions that are comparable().
/// Longer spans are not checked.
void require_same_shape(const EtaRequest& request, const trace::Trace& run, const eta::TimedSpan& span,
                        const io::profiles::LogStep& step) {
  if (!step.is_one || (!step.tokens && !step.seqlen)) return;
  trace::PartialShape key;
  key.tokens = step.tokens;
  key.src_len = step.seqlen;
  if (span.end != span.begin + 1 || comparable(run, key).may_be(run.shapes[span.begin])) return;
  refuse_row(
      request, run.iteration_number(span.begin),
      fmt::format("has {}, but {} has {}", text_of(key), request.trace, text_of(run.kind, run.shapes[span.begin])));
}

/// Throws InputError if the log's own total is not the run's. A run without numbers of epochs cannot contradict a log
/// of epochs.
void require_stated(const EtaRequest& request, const trace::Trace& run, const io::profiles::StepProfileFile& file) {
  const std::uint64_t epochs = run.epoch.empty() ? 1 : run.epoch.back() + 1;
  const profile::LogUnit unit = file.profile.log_unit;
  if (unit == profile::LogUnit::epoch && run.epoch.empty()) return;
  const bool steps = unit == profile::LogUnit::optimiser_step && !run.optimiser_step.empty();
  const std::uint64_t all = unit == profile::LogUnit::epoch ? epochs
                            : steps                         ? run.optimiser_step.back() + 1
                                                            : run.iteration_number(run.size() - 1) + 1;
  io::profiles::require_stated_steps(file.log, request.log, all, epochs, request.trace);
}

/// The times in a text log. If the job restarted, later times of an iteration replace earlier ones. The first --skip
/// times are left out.
DoneSoFar of_steps(const EtaRequest& request, const trace::Trace& run, io::profiles::StepProfileFile file,
                   Console& console) {
  if (!request.metric.empty())
    throw InputError({request.log, 0, request.metric}, "is no column: --match says what is a time",
                     "leave --metric out");
  require_stated(request, run, file);
  warn_of(file.log.findings, console);
  constexpr double kNsPerSecond = 1e9;
  DoneSoFar so_far{.timed = {}, .done = 0, .record = std::move(file.record), .of_clock = file.log.of_clock};
  std::uint64_t measured = 0;
  so_far.timed.reserve(file.log.steps.size());
  for (; !file.log.steps.empty(); file.log.steps.pop_front()) {  // frees what is no longer needed
    const io::profiles::LogStep& step = file.log.steps.front();
    eta::TimedSpan span = span_of(request, run, file.profile.log_unit, step.iterations());
    require_same_shape(request, run, span, step);
    begin_again(so_far, span.begin);
    so_far.done = span.end;
    span.seconds = static_cast<double>(step.ns) / kNsPerSecond * static_cast<double>(step.repeats);
    if (measured++ >= request.warmup) so_far.timed.push_back(span);
  }
  require_times(request, so_far, "");
  return so_far;
}

/// Reads the log: a table, or a text that --match describes. Throws InputError for any other profile.
DoneSoFar read_log(const EtaRequest& request, const trace::Trace& run, Console& console) {
  io::profiles::StepProfileFile file = read_profile(open_shown(request.log, console), request.reading, console);
  if (!file.table && !file.profile.of_log)
    throw InputError({request.log},
                     fmt::format("is of the format {}, and neither a table nor a log", file.record.format),
                     "give a table of iterations and times, or a text log with --match");
  return file.table ? of_table(request, run, std::move(file), console)
                    : of_steps(request, run, std::move(file), console);
}

/// Warns of a trend in times of several iterations together, which findings_about() does not check.
void report_trend(const trace::Trace& run, const DoneSoFar& so_far, const std::string& log, Console& console) {
  std::vector<checks::OrderedTime> times;
  std::map<double, std::size_t> shapes;  // spans of equal work should take equal time
  for (const eta::TimedSpan& span : so_far.timed) {
    double work = 0;
    for (std::size_t i = span.begin; i < span.end; ++i) work += static_cast<double>(run.shapes[i].padded_tokens());
    if (work > 0 && span.seconds > 0)
      times.push_back({shapes.try_emplace(work, shapes.size()).first->second, work, span.seconds});
  }
  if (const auto trend = checks::trend_of(times))
    warn_of({checks::finding_about(*trend, {log, 0, so_far.column})}, console);
}

/// Warns of what is unlikely about the times. Throws InputError if they are readings of a clock, because a clock read
/// as durations turns minutes into hours.
void report_findings_about(const trace::Trace& run, const DoneSoFar& so_far, const EtaRequest& request,
                           Console& console) {
  const std::vector<Finding> found = checks::findings_about(run, metric_of(so_far, run), request.log, so_far.of_clock);
  for (const Finding& finding : found)
    if (finding.is(findings::kClock))
      throw InputError({io::views::problem_of(finding)}, 0,
                       "describe the rows as a log whose times are differences of a clock: "
                       "--match '^(?<iteration0>[0-9]+),(?<clock>[0-9.]+)'");
  warn_of(found, console, {}, !request.metric.empty());
}

/// The note that the first `spans` times are the start of the process, and left out of the estimate.
std::string start_text(const DoneSoFar& so_far, std::size_t spans) {
  double seconds = 0;
  for (std::size_t i = 0; i < spans; ++i) seconds += so_far.timed[i].seconds;
  const std::string in_all = io::views::number_text(seconds) + " s";
  if (spans == 1)
    return fmt::format("the first time, {}, is the start of the process; it is left out of the estimate", in_all);
  return fmt::format("the first {} times, {} in all, are the start of the process; they are left out of the estimate",
                     spans, in_all);
}

Exit run(EtaOptions options, const CLI::App& app, Console& console) {
  const EtaRequest request = request_of(std::move(options));
  Exports exports(request.exports);
  const io::artifacts::TraceFile whole = load_measured_trace(request.trace, request.layout, console);
  const DoneSoFar so_far = read_log(request, whole.trace, console);
  const bool together =
      std::ranges::any_of(so_far.timed, [](const eta::TimedSpan& span) { return span.end > span.begin + 1; });
  if (together)
    console.note(request.log +
                 ": times cover several iterations each; the interval does not know what single iterations cost");
  report_findings_about(whole.trace, so_far, request, console);
  if (together) report_trend(whole.trace, so_far, request.log, console);
  const eta::TimeLeft left = during(console, "projecting", [&] {
    return eta::time_left(whole.trace, so_far.timed, so_far.done, request.confidence);
  });
  if (left.slow_start > 0) console.note(request.log + ": " + start_text(so_far, left.slow_start));
  if (left.expected.down_to_new)
    console.note("early estimate: nearly every shape so far was new, so cold-start cost cannot be separated yet");
  if (left.stretch && left.stretch->is_off()) console.warn(io::views::message_of(left, *left.stretch));
  exports.write(
      {.json = io::artifacts::eta_json(left, request.confidence,
                                       {.options = options_in_force(app), .inputs = {whole.record, so_far.record}}),
       .rows = io::views::eta_rows(left),
       .table = io::views::eta_table(left, request.confidence),
       .text = io::views::eta_text(left, request.confidence)},
      console);
  return kDone;
}

}  // namespace

Command add_eta(CLI::App& program) {
  return add_command<EtaOptions>(
      program, "eta", "Time left of a running job",
      "Examples:\n"
      "  seqpoint scan train.jsonl --sampler pytorch --batch-size 32 --seed 1 -o run.csv\n"
      "  seqpoint eta run.csv epoch0.csv --skip 3\n"
      "  seqpoint eta run.csv train.log --match 'step:(?<step1>[0-9]+) .*time_per_step:(?<time>[0-9.]+)'\n"
      "docs/profiles.md has patterns for the logs of many programs.",
      declare, run);
}

}  // namespace seqpoint::cli::commands
