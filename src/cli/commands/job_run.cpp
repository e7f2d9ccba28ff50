#include "cli/commands/job_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "cli/commands/report_findings.hpp"
#include "cli/commands/run_job.hpp"
#include "cli/commands/run_stages.hpp"
#include "cli/last_words.hpp"
#include "core/findings.hpp"
#include "core/run/disturbance.hpp"
#include "core/run/epochs.hpp"
#include "core/run/joined_builds.hpp"
#include "io/artifacts/plan_folder.hpp"
#include "io/files.hpp"
#include "io/views/tables.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::commands {
namespace {

namespace decide = seqpoint::run;
namespace fs = std::filesystem;
using decide::Stop;
using io::artifacts::JobStart;

constexpr std::array<Word<Stop>, 6> kStops{{{"aim", Stop::precise},
                                            {"aim", Stop::decided},
                                            {"gain", Stop::gain},
                                            {"price", Stop::price},
                                            {"processes", Stop::processes},
                                            {"time", Stop::time}}};

std::string bytes_of(const std::string& path) { return io::stream::Input::open(path).read_all(); }

/// The record of the start that made a file; null if there is none.
const JobStart* start_of(const io::artifacts::RunRecord& record, const std::string& output) {
  const auto found = std::ranges::find(record.starts, output, &JobStart::output);
  return found == record.starts.end() ? nullptr : &*found;
}

}  // namespace

JobRun::JobRun(const RunRequest& request, RunFolder& folder, Console& console)
    : request_(request), folder_(folder), console_(console) {
  const Verbosity said = console.verbosity();
  stages_.configure({.quiet = said == Verbosity::silent    ? 2
                              : said == Verbosity::verbose ? 0
                                                           : 1,
                     .verbose = said == Verbosity::verbose});
  silent_.configure({.quiet = 2});
  for (const io::artifacts::Build& build : request.job.builds) members_.push_back({build});
}

Exit JobRun::measure() {
  console_.line(step_line("machine", io::process::text_of(io::process::look_at_machine())));
  for (Member& member : members_) make_order(member);
  compare_orders();
  for (Member& member : members_) make_points(member);
  const Stop stopped = take_turns();
  folder_.record.stopped = std::string(name_in(kStops, stopped));
  folder_.save();
  return write_result(stopped);
}

// --- orders, points and plans --------------------------------------------------------------------------------------

/// The name of a build's file: "order.csv", or "old-order.csv" if there are several builds.
std::string JobRun::named(const Member& member, const char* file) const {
  return (members_.size() == 1 ? "" : member.build.name + "-") + file;
}

void JobRun::make_order(Member& member) {
  const std::string name = named(member, "order.csv");
  member.order = request_.job.order.empty() ? folder_.path(name) : request_.job.order;
  if (!request_.job.order.empty()) return folder_.pin(member.order);
  if (folder_.has(name)) return;
  const auto before = folder_.record.files.find(name);
  const std::string digest = before == folder_.record.files.end() ? "" : before->second;
  run_hooked(request_, member.build, {.verb = "order", .output = name, .log = named(member, "order.log")}, folder_,
             console_);
  if (!digest.empty() && folder_.record.files.at(name) != digest) folder_.forget_all_but(name);
}

void JobRun::compare_orders() {
  const Member& first = members_.front();
  for (const Member& member : members_) {
    if (member.order == first.order || bytes_of(member.order) == bytes_of(first.order)) continue;
    shared_ = false;
    console_.warn(fmt::format("{} and {} draw different batches: each gets its own points, and the comparison is less "
                              "precise",
                              first.build.name, member.build.name),
                  "if only the order differs, fix it: DataLoader(..., generator=torch.Generator().manual_seed(0))");
    if (request_.exports.has(ExportFormat::json) || request_.exports.has(ExportFormat::html))
      throw UsageError("--export json and html are of one set of points, and these builds have several",
                       fmt::format("leave it out: {} gets a projection and a page of each", folder_.path()));
    return;
  }
}

void JobRun::make_points(Member& member) {
  const std::string points = shared_ ? "points.json" : named(member, "points.json"),
                    plan = shared_ ? "plan.json" : named(member, "plan.json");
  member.points = folder_.path(points);
  member.plan = folder_.path(plan);
  if (!folder_.has(points)) folder_.write(points, points_of(request_.job, member.order, stages_));
  if (!folder_.has(plan) || folder_.record.planned_processes == 0) {
    if (folder_.record.planned_processes == 0) folder_.record.planned_processes = request_.rule.max_processes;
    folder_.save();
    folder_.write(plan, plan_of(member.points, folder_.record.planned_processes));
  }
  const select::Selection selection = io::artifacts::read_seqpoints(io::stream::Input::open(member.points)).selection;
  member.epoch = selection.run;
  if (!shared_ || &member == &members_.front()) report_epoch(member, selection);
}

/// Reports the size of an epoch before anything is measured. Warns if measuring points hardly pays: the epoch has few
/// batches, or most have one shape.
void JobRun::report_epoch(const Member& member, const select::Selection& selection) {
  const trace::RunSummary& epoch = selection.run;
  const JobStart* const made = start_of(folder_.record, named(member, "order.csv"));
  console_.line(step_line("order", (shared_ ? "" : member.build.name + ": ") + order_text(epoch, made)));
  const std::uint64_t executions = selection.method.repeats ? selection.method.repeats->cost.executions : 0;
  const std::string figures =
      fmt::format("two processes run {} batches, an epoch {}", grouped(executions), grouped(epoch.iterations));
  if (may_take_epochs() && decide::way_of(executions, epoch.iterations) == decide::Way::epochs)
    take_epochs(figures);
  else
    console_.line(step_line("price", figures));
}

// --- processes in turns --------------------------------------------------------------------------------------------

std::string JobRun::profile_name(const Member& member, std::uint64_t process) const {
  return way_ == decide::Way::points ? fmt::format("{}-{}.csv", member.build.name, process)
                                     : fmt::format("epoch-{}-of-{}.csv", process, member.build.name);
}

/// Measures in processes, builds in turns, until the rule stops, and returns the reason. Existing results are used
/// unchanged; the stopping rule is applied only after the last of them, and after all builds have had their turn.
Stop JobRun::take_turns() {
  const std::vector<decide::Look>& before = folder_.record.looks;
  if (request_.rule.gated && decide::all_spent(before) && before.back().processes < request_.rule.max_processes)
    console_.warn(
        "earlier looks have used up the 5 % chance of a wrong verdict: more processes narrow intervals, but "
        "give no verdict",
        "start anew in another folder: -o NEWFOLDER");
  for (std::uint64_t n = 0;; ++n) {
    const decide::Turn turn = decide::turn(n, members_.size()), next = decide::turn(n + 1, members_.size());
    take(turn);
    if (folder_.has(profile_name(members_[next.build], next.process))) continue;
    const std::optional<double> alpha = alpha_of(turn.process);
    Outcome outcome = project_so_far(turn, alpha.value_or(decide::kAlpha));
    if (report_process(turn, outcome)) outcome = project(silent_, alpha.value_or(decide::kAlpha));
    say_so_far(outcome);
    if (next.process == turn.process) continue;  // some builds have not had their turn
    if (turn.process == 1 && choose_way(outcome) == decide::Way::epochs) {
      n = std::numeric_limits<std::uint64_t>::max();  // the first turn is the next
      continue;
    }
    if (const Stop stopped = look(turn.process, alpha, outcome); stopped != Stop::go_on) return stopped;
    if (turn.process == decide::kMinProcesses && !request_.rule.gated) report_floor(outcome);
    if (const Stop unworthy = worth(turn.process, outcome); unworthy != Stop::go_on) return unworthy;
  }
}

// --- looks ---------------------------------------------------------------------------------------------------------

std::optional<double> JobRun::alpha_of(std::uint64_t processes) const {
  const bool last = decide::out_of(request_.rule, standing(processes)) != Stop::go_on;
  return decide::alpha_of_look(request_.rule, folder_.record.looks, processes, last);
}

Stop JobRun::look(std::uint64_t processes, std::optional<double> alpha, const Outcome& outcome) {
  std::vector<decide::Look>& looks = folder_.record.looks;
  decide::Standing now = standing(processes);
  const bool last = decide::out_of(request_.rule, now) != Stop::go_on;
  now.disagree = std::ranges::any_of(outcome.parts, processes_disagree);
  now.may_decide = alpha != 0.0;
  if (alpha && (last || !now.disagree)) {
    std::erase_if(looks, [&](const decide::Look& look) { return look.processes == processes; });
    looks.push_back({processes, *alpha});
    folder_.save();
  }
  return decide::stop(request_.rule, now, outcome.projection, outcome.gates);
}

// --- the price -----------------------------------------------------------------------------------------------------

/// Whether whole epochs may be timed instead of points: the user chose neither points nor an order, and a job records
/// one epoch.
bool JobRun::may_take_epochs() const {
  return !request_.job.chooses_points() && request_.job.order.empty() && request_.job.epochs == 1;
}

/// From the next process on, whole epochs are timed. Points that were measured stay in the folder.
void JobRun::take_epochs(const std::string& why) {
  if (way_ == decide::Way::points)
    console_.line(step_line("price", why + ": whole epochs are timed (points: --points K)"));
  way_ = decide::Way::epochs;
  for (Member& member : members_) member.processes = 0;
}

/// Seconds of a build's processes that measured, its epoch included.
double JobRun::seconds_of(const Member& member) const {
  double seconds = 0;
  for (const JobStart& start : folder_.record.starts)
    if (start.build == member.build.name && start.process > 0) seconds += start.seconds;
  return seconds;
}

/// The price of a build's next process, by the last one that measured.
decide::Price JobRun::price_of(const Member& member, const Outcome& outcome) const {
  const JobStart* const start = start_of(folder_.record, profile_name(member, member.processes));
  const auto& all = outcome.projection.configurations;
  const auto here = std::ranges::find(all, member.build.name, &project::ConfigurationProjection::name);
  const double seconds = start == nullptr ? 0 : start->seconds;
  return {.points_s = seconds,
          .start_s = std::max(seconds - member.last_batches_s, 0.0),
          .steady_s = project::find_metric(*here, decide::kMetric)->value};
}

/// The cheaper way after the first process of each build. Prints the figures that decide it.
decide::Way JobRun::choose_way(const Outcome& outcome) {
  if (way_ == decide::Way::epochs) return decide::Way::points;  // it was chosen
  decide::Price all;
  for (const Member& member : members_) {
    const decide::Price price = price_of(member, outcome);
    all = {all.points_s + price.points_s, all.start_s + price.start_s, all.steady_s + price.steady_s};
  }
  const bool several = members_.size() > 1;
  const std::string figures = fmt::format("two processes{} take about {}, an epoch{} about {}",
                                          several ? " of each build" : "", io::views::duration_text(2 * all.points_s),
                                          several ? " of each" : "", io::views::duration_text(all.epoch_s()));
  if (may_take_epochs() && decide::way_of(all) == decide::Way::epochs) {
    take_epochs(figures);
    return decide::Way::epochs;
  }
  console_.line(step_line("price", figures));
  return decide::Way::points;
}

/// Says if no number of processes reaches --precision.
void JobRun::report_floor(const Outcome& outcome) const {
  for (const project::ConfigurationProjection& c : outcome.projection.configurations)
    if (c.processes && decide::least_half_width(*c.processes) > request_.rule.precision)
      console_.warn(fmt::format(
          "± {} (--precision) is out of reach: processes of {} differ by about {}, so its epoch is "
          "known to ± {} at best",
          io::views::percent_text(request_.rule.precision, 2), c.name, io::views::percent_text(c.processes->spread, 2),
          io::views::percent_text(decide::least_half_width(*c.processes), 2)));
}

/// Whether another process of each build is worth its price. An explicit --max-time replaces the price of an epoch; a
/// comparison goes on until it is decided, also by whole epochs.
Stop JobRun::worth(std::uint64_t processes, const Outcome& outcome) const {
  const std::uint64_t fewest = request_.rule.gated ? decide::kMinProcessesToDecide : decide::kMinProcesses;
  if (way_ == decide::Way::points && processes < fewest) return Stop::go_on;
  if (!request_.rule.gated && processes >= decide::kMinProcesses) {
    double least = 1;
    for (const project::ConfigurationProjection& c : outcome.projection.configurations)
      if (c.processes) least = std::min(least, decide::narrowing(*c.processes));
    if (least > 1 - decide::kLeastGain) return Stop::gain;
  }
  if (request_.rule.max_seconds < std::numeric_limits<double>::infinity()) return Stop::go_on;
  if (request_.rule.gated && way_ == decide::Way::epochs) return Stop::go_on;
  const bool exceeds = std::ranges::any_of(members_, [&](const Member& member) {
    return decide::exceeds_epoch(price_of(member, outcome), seconds_of(member));
  });
  return exceeds ? Stop::price : Stop::go_on;
}

// --- one process ---------------------------------------------------------------------------------------------------

/// The estimate after a turn. If its measurements are refused, because they are too doubtful to decide a gate, they are
/// repeated once: on a shared machine, one iteration may take many times as long as the next. Throws InputError if the
/// repetition is also refused.
JobRun::Outcome JobRun::project_so_far(const decide::Turn& turn, double alpha) {
  const std::string name = profile_name(members_[turn.build], turn.process);
  try {
    return project(silent_, alpha);
  } catch (const InputError& refused) {
    folder_.set_aside(name);
    console_.warn(refused.what(), fmt::format("no action needed: {} is measured once more", name));
  }
  take(turn);
  try {
    return project(silent_, alpha);
  } catch (const InputError& refused) {
    throw InputError(
        refused.problems(), refused.unlisted(),
        fmt::format("wait for a quieter machine: {} measures {} again", resume_command(folder_.path()), name));
  }
}

void JobRun::take(const decide::Turn& turn) {
  Member& member = members_[turn.build];
  const std::string name = profile_name(member, turn.process);
  if (!folder_.has(name)) {
    const io::process::Machine machine = io::process::look_at_machine();
    const bool points = way_ == decide::Way::points;
    run_hooked(request_, member.build,
               {.verb = points ? "measure" : "record",
                .process = turn.process,
                .output = name,
                .log = fs::path(name).stem().string() + ".log",
                .plan = points ? member.plan : "",
                .planned_process = points ? (turn.process - 1) % folder_.record.planned_processes : 0},
               folder_, console_);
    folder_.record.starts.back().machine = machine;
    folder_.save();
  }
  member.processes = turn.process;
}

/// The result of one process; its stretch is kept in the record of its start.
ProcessResult JobRun::examine(const Member& member, std::uint64_t process) {
  const std::string name = profile_name(member, process), stretch = stretch_of(name);
  std::vector<std::string> files;
  for (const std::string& file : folder_.with_ranks(name)) files.push_back(folder_.path(file));
  ProjectRequest alone =
      projecting(request_, member.points, {{member.build.name, std::move(files)}}, {}, decide::kConfidence);
  ProcessResult result =
      result_of_process(std::move(alone), folder_.has(stretch) ? folder_.path(stretch) : "", silent_);
  const auto start = std::ranges::find(folder_.record.starts, name, &JobStart::output);
  if (start == folder_.record.starts.end() || !result.stretch) return result;
  start->stretch = result.stretch;
  folder_.save();
  return result;
}

bool JobRun::report_process(const decide::Turn& turn, const Outcome& outcome) {
  Member& member = members_[turn.build];
  const ProcessResult own = examine(member, turn.process);
  member.last_batches_s = own.batches_s;
  const JobStart* const start = start_of(folder_.record, profile_name(member, turn.process));
  const std::string name = members_.size() == 1 ? "process" : member.build.name,
                    cost = start == nullptr ? ""
                                            : fmt::format("; {} batches, {} with start-up", grouped(start->batches),
                                                          io::views::duration_text(start->seconds));
  const auto& configurations = outcome.projection.configurations;
  const auto here = std::ranges::find(configurations, member.build.name, &project::ConfigurationProjection::name);
  const std::string all = turn.process == 1 ? "" : "; epoch from all so far " + epoch_text(*here);
  console_.line(step_line(turn.process == 1 && turn.build == 0 ? "measure" : "",
                          fmt::format("{} {}   {}{}{}", name, turn.process, estimate_text(own.epoch), cost, all)));
  if (own.stretch) console_.line(step_line("", stretch_text(*own.stretch)));
  return own.stretch && own.stretch->is_off();
}

/// Sets what is printed if a signal ends the run: the estimate so far, and how to go on.
void JobRun::say_so_far(const Outcome& outcome) const {
  if (console_.verbosity() < Verbosity::normal) return;
  std::string text;
  for (const project::ConfigurationProjection& c : outcome.projection.configurations)
    text += step_line("so far", (members_.size() == 1 ? "epoch " : c.name + ": epoch ") + epoch_text(c)) + "\n";
  set_last_words(text + step_line("next", resume_command(folder_.path())) + "\n");
}

decide::Standing JobRun::standing(std::uint64_t processes) const {
  double seconds = 0, starts = 0;
  for (const JobStart& start : folder_.record.starts) {
    if (start.process == 0) continue;
    seconds += start.seconds;
    ++starts;
  }
  return {.processes = processes,
          .seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count(),
          .seconds_a_round = starts > 0 ? seconds / starts * static_cast<double>(members_.size()) : 0};
}

// --- the result ----------------------------------------------------------------------------------------------------

JobRun::Outcome JobRun::project(Console& console, double alpha) const {
  const double confidence = 1 - (alpha > 0 ? alpha : decide::kAlpha);
  std::vector<Configurations> asked(shared_ ? 1 : members_.size());
  for (std::size_t m = 0; m < members_.size(); ++m) {
    std::vector<std::string> files;
    for (std::uint64_t process = 1; process <= members_[m].processes; ++process)
      for (const std::string& file : folder_.with_ranks(profile_name(members_[m], process)))
        files.push_back(folder_.path(file));
    if (!files.empty()) asked[shared_ ? 0 : m].emplace_back(members_[m].build.name, std::move(files));
  }
  Outcome outcome;
  std::vector<project::Projection> projections;
  for (std::size_t m = 0; m < asked.size(); ++m) {
    if (asked[m].empty()) continue;
    outcome.parts.push_back(
        project_files(projecting(request_, members_[m].points, std::move(asked[m]), truths_, confidence), console));
    widen(outcome.parts.back());
    projections.push_back(outcome.parts.back().projection);
  }
  outcome.projection = decide::joined(projections);
  outcome.gates = outcome.parts.front().gates;
  if (!shared_ && request_.limit.max_regression)
    outcome.gates = {.checks = project::check_regressions(outcome.projection, *request_.limit.max_regression),
                     .inconclusive_fails = request_.limit.inconclusive_fails.value_or(false)};
  if (alpha == 0) outcome.gates = decide::without_verdicts(outcome.gates);
  return outcome;
}

void JobRun::set_verdicts(Outcome& outcome) {
  const std::vector<decide::Look>& looks = folder_.record.looks;
  const auto own = std::ranges::find(looks, members_.front().processes, &decide::Look::processes);
  if (!request_.rule.gated || own == looks.end()) return;
  outcome.gates = project(silent_, own->alpha).gates;
  if (shared_) outcome.parts.front().gates = outcome.gates;
}

/// If several findings have the cause that the machine changed its speed, or rows seem to be at wrong points, which
/// `run` rules out, replaces them by one sentence with that cause.
void JobRun::report_speed(std::vector<Finding>& findings) {
  const auto is_of_speed = [](const Finding& finding) {
    return std::ranges::any_of(decide::kOfSpeed, [&](const FindingKind& kind) { return finding.is(kind); });
  };
  const bool misplaced = std::ranges::any_of(findings, [](const auto& f) { return f.is(findings::kMisplaced); });
  if (std::ranges::count_if(findings, is_of_speed) < 2 && !misplaced) return;
  std::vector<std::string> processes;
  std::string load;
  for (const JobStart& start : folder_.record.starts) {
    const auto of_start = [&](const Finding& f) { return f.place.source.starts_with(folder_.path(start.output)); };
    if (std::ranges::none_of(findings, [&](const Finding& f) { return is_of_speed(f) && of_start(f); })) continue;
    processes.push_back(members_.size() > 1 ? fmt::format("{} {}", start.build, start.process)
                                            : std::to_string(start.process));
    if (start.machine) load = ": " + io::process::text_of(*start.machine) + " before the last of them";
  }
  std::erase_if(findings, is_of_speed);
  stages_.warn(fmt::format("the machine changed its speed during {}{}", decide::processes_text(processes), load),
               "repeat on an idle machine: -o NEWFOLDER");
}

/// The stretches of processes that count, by the file of their batches.
std::map<std::string, decide::Stretch> JobRun::stretches(const std::string& build) const {
  std::map<std::string, decide::Stretch> found;
  for (const Member& member : members_) {
    if (!build.empty() && member.build.name != build) continue;
    for (std::uint64_t process = 1; process <= member.processes; ++process) {
      const std::string name = profile_name(member, process);
      const JobStart* const start = start_of(folder_.record, name);
      if (start != nullptr && start->stretch) found.emplace(stretch_of(name), *start->stretch);
    }
  }
  return found;
}

/// Extends the intervals of a part that a stretch contradicts, and checks its limit by them.
void JobRun::widen(Projected& part) const {
  std::map<std::string, std::vector<decide::Stretch>> by_build;
  bool is_off = false;
  for (const project::ConfigurationProjection& c : part.projection.configurations)
    for (const auto& [file, stretch] : stretches(c.name)) {
      by_build[c.name].push_back(stretch);
      is_off = is_off || stretch.is_off();
    }
  if (!is_off) return;
  decide::widen(part.projection, by_build);
  if (part.request.max_regression)
    part.gates.checks = project::check_regressions(part.projection, *part.request.max_regression);
}

/// Writes the projection and the page of a part into the folder, and returns the forms. `prefix`: of the file names.
ResultForms JobRun::write_part(Projected& part, const std::string& prefix, const io::views::PageTexts& texts) {
  const std::string json = prefix + "projection.json", html = prefix + "report.html";
  part.request.exports.exports = {{ExportFormat::json, folder_.unfinished(json)},
                                  {ExportFormat::html, folder_.unfinished(html)}};
  commands::examine(part, console_);
  ResultForms forms = forms_of(part, texts, console_);
  Exports(part.request.exports, false).write(forms, console_);
  folder_.keep(json);
  folder_.keep(html);
  folder_.save();
  return forms;
}

Exit JobRun::write_result(Stop stopped) {
  Outcome outcome = project(stages_);
  set_verdicts(outcome);
  for (const auto& [file, stretch] : stretches())
    if (stretch.is_off()) warn_of({decide::stretch_finding(stretch, folder_.path(file))}, stages_);
  ResultForms forms;
  for (Projected& part : outcome.parts) {
    report_speed(part.measured.checked.findings);
    tell(part, stages_);
    const std::string about_width = examine_width(part, stages_);
    if (!about_width.empty()) stages_.note(about_width);
  }
  if (stopped != Stop::go_on) warn_of_price(outcome);
  const ResultFacts facts = facts_of(outcome, stopped);
  for (Projected& part : outcome.parts)
    forms = write_part(part, shared_ ? "" : part.projection.baseline + "-", page_texts(outcome, facts));
  if (!shared_)
    forms = {.json = "",
             .rows = io::views::projection_rows(outcome.projection),
             .table = io::views::projection_table(outcome.projection)};
  forms.junit = io::views::projection_junit("seqpoint.run", outcome.projection, outcome.gates, false);
  forms.text = result_text(outcome.projection, outcome.gates, request_.rule, facts);
  for (const io::views::TextTable& truth : forms.table.below) forms.text += io::views::as_text(truth);
  Exports exports(request_.exports);
  exports.write(forms, console_);
  report_ci(request_.ci, {.title = "seqpoint run", .table = forms.table, .warnings = stages_.warnings()}, outcome.gates,
            exports.table_on_stdout(), console_);
  Exit status = project::all_pass(outcome.gates) ? kDone : kGateFailed;
  for (const Projected& part : outcome.parts) status = std::max(status, report_partial(part, console_));
  return status;
}

double JobRun::seconds_measured() const {
  double seconds = 0;
  for (const Member& member : members_) seconds += seconds_of(member);
  return seconds;
}

/// Warns if measuring took longer than the epochs: they are timed as a whole in less time.
void JobRun::warn_of_price(const Outcome& outcome) const {
  if (request_.job.epochs > 1 || seconds_measured() <= seconds_of_epochs(outcome.projection)) return;
  console_.warn(
      fmt::format("measuring took {} with start-up, longer than {}", io::views::duration_text(seconds_measured()),
                  members_.size() == 1 ? "the epoch" : "the epochs of all builds"),
      fmt::format("time a whole epoch: {} --record", resume_command(folder_.path())));
}

std::vector<project::Projection> JobRun::project_epochs(const Outcome& outcome) const {
  if (request_.job.epochs == 1) return {};
  std::vector<std::vector<project::Projection>> by_epoch;  // of each part
  for (std::size_t p = 0; p < outcome.parts.size(); ++p) {
    const Projected& part = outcome.parts[p];
    const io::artifacts::TraceFile order = io::artifacts::read_trace(io::stream::Input::open(members_[p].order));
    const std::vector<project::Projection> epochs =
        decide::project_epochs(order.trace, part.inputs.selection, part.measured.configurations, part.request.params);
    by_epoch.resize(std::max(by_epoch.size(), epochs.size()));
    for (std::size_t e = 0; e < epochs.size(); ++e) by_epoch[e].push_back(epochs[e]);
  }
  std::vector<project::Projection> joined;
  for (const std::vector<project::Projection>& parts : by_epoch) joined.push_back(decide::joined(parts));
  return joined;
}

std::vector<std::string> JobRun::untouched() const {
  std::vector<std::string> texts;
  for (const JobStart& start : folder_.record.starts)
    for (const std::string& text : start.untouched)
      if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
  return texts;
}

ResultFacts JobRun::facts_of(const Outcome& outcome, Stop stopped) const {
  return {.iterations = shared_ ? members_.front().epoch.iterations : 0,
          .seconds = seconds_measured(),
          .processes = members_.front().processes,
          .stopped = stopped,
          .folder = folder_.path(),
          .outputs = request_.outputs,
          .untouched = untouched(),
          .epochs = project_epochs(outcome),
          .times_epochs = way_ == decide::Way::epochs,
          .is_doubtful = std::ranges::any_of(outcome.parts, processes_disagree)};
}

io::views::PageTexts JobRun::page_texts(const Outcome& outcome, const ResultFacts& facts) const {
  io::views::PageTexts texts{.warnings = console_.warnings()};
  std::ranges::copy(stages_.warnings(), std::back_inserter(texts.warnings));
  texts.next = next_text(outcome.projection, outcome.gates, request_.rule, facts);
  for (const Member& member : members_)
    texts.facts.emplace_back(members_.size() > 1 ? member.build.name : "job",
                             io::artifacts::shell_words(member.build.words));
  const auto first =
      std::ranges::find_if(folder_.record.starts, [](const JobStart& start) { return start.process > 0; });
  if (first != folder_.record.starts.end()) {
    texts.origin = first->begun.substr(0, first->begun.find('T'));
    if (first->machine) {
      texts.facts.emplace_back("machine", io::process::text_of(*first->machine));
      if (!first->machine->gpus.empty()) texts.origin += ", " + first->machine->gpus.front().name;
    }
    texts.facts.emplace_back("Python", first->python);
  }
  texts.facts.emplace_back("processes",
                           std::to_string(facts.processes) + (members_.size() > 1 ? " of each build" : ""));
  texts.facts.emplace_back("measuring", io::views::duration_text(facts.seconds) + " with start-up");
  return texts;
}

// --- a whole epoch, to check against -------------------------------------------------------------------------------

Exit JobRun::record() {
  bool measured = true;
  for (Member& member : members_) {
    const std::string name = "epoch-of-" + member.build.name + ".csv";  // not matched by NAME-*.csv
    if (!folder_.has(name))
      run_hooked(request_, member.build, {.verb = "record", .output = name, .log = member.build.name + "-epoch.log"},
                 folder_, console_);
    const io::artifacts::TraceFile epoch = io::artifacts::read_trace(io::stream::Input::open(folder_.path(name)));
    console_.line(step_line("recorded", recorded_text(member.build.name, epoch.trace, folder_.path(name))));
    truths_.push_back({member.build.name, folder_.path(name)});
    while (folder_.has(profile_name(member, member.processes + 1))) ++member.processes;
    measured = measured && member.processes > 0;
  }
  if (!measured) return kDone;
  for (Member& member : members_) make_order(member);
  compare_orders();
  for (Member& member : members_) make_points(member);
  return write_result(Stop::go_on);
}

}  // namespace seqpoint::cli::commands
