#include "cli/job/job_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "cli/job/hooked_start.hpp"
#include "cli/job/run_first.hpp"
#include "cli/job/run_price.hpp"
#include "cli/job/run_result.hpp"
#include "cli/job/run_stages.hpp"
#include "cli/job/run_text.hpp"
#include "cli/last_words.hpp"
#include "io/artifacts/files.hpp"
#include "io/stream/input.hpp"
#include "io/views/tables.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::job {
namespace {

namespace fs = std::filesystem;
using io::artifacts::JobStart;
using measuring::Stop;

/// Warns if more programs wait for processors than a job before this one, with a thread for each of them, explains.
void warn_of_load(const io::process::Machine& machine, Console& console) {
  if (machine.load && *machine.load > 1.5 * machine.all_cores)
    console.warn(fmt::format("load {:.2g} on {}: other programs slow the job down, so intervals will be wide",
                             *machine.load, counted(machine.all_cores, "core")),
                 "wait for a quieter machine");
}

/// Whether two looks are at machines of different kinds.
bool differ(const io::process::Machine& a, const io::process::Machine& b) {
  return a.cores != b.cores ||
         !std::ranges::equal(a.gpus, b.gpus, {}, &io::process::Gpu::name, &io::process::Gpu::name);
}

/// Warns if earlier processes of the run were started on another kind of machine.
void warn_of_other_machine(const std::vector<JobStart>& starts, const io::process::Machine& now, Console& console) {
  const auto is_elsewhere = [&](const JobStart& start) { return start.machine && differ(*start.machine, now); };
  const auto found = std::ranges::find_if(starts, is_elsewhere);
  if (found == starts.end()) return;
  console.warn(
      fmt::format("{} was measured on another machine: {}", found->output, io::process::text_of(*found->machine)),
      "measure all on one: -o NEWFOLDER");
}

/// The file of a build's recorded epoch, which NAME-*.csv does not match.
std::string epoch_name(const Member& member) { return "epoch-of-" + member.build.name + ".csv"; }

/// The beginning of a text, that many lines.
std::string first_lines(const std::string& text, std::uint64_t lines) {
  std::size_t end = 0;
  for (std::uint64_t n = 0; n < lines && end < text.size(); ++n)
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  return text.substr(0, end);
}

std::string bytes_of(const std::string& path) { return io::stream::Input::open(path).read_all(); }

}  // namespace

Exit JobRun::measure() {
  const io::process::Machine machine = io::process::look_at_machine();
  run_.console.line(step_line("machine", io::process::text_of(machine)));
  warn_of_load(machine, run_.console);
  if (run_.request.parallel == 1) warn_of_other_machine(run_.folder.record.starts, machine, run_.console);
  for (const Member& member : run_.members)
    if (run_.folder.has(epoch_name(member)))
      run_.truths.push_back({member.build.name, run_.folder.path(epoch_name(member))});
  for (Member& member : run_.members) make_order(member);
  prepare();
  Outcome outcome = take_turns();
  return write_result(run_, outcome);
}

// --- orders, points and plans --------------------------------------------------------------------------------------

void JobRun::prepare() {
  if (prepared_) return;
  prepared_ = true;
  compare_orders();
  for (Member& member : run_.members) make_points(member, run_.stages);
  choose_way(run_);
  require_whole_epochs();
}

void JobRun::make_order(Member& member) {
  RunFolder& folder = run_.folder;
  const std::string name = run_.named(member, "order.csv"), &given = run_.request.job.order;
  member.order = given.empty() ? folder.path(name) : given;
  if (!given.empty()) return folder.pin(member.order);
  if (folder.has(name)) return;
  const auto before = folder.record.files.find(name);
  const std::string digest = before == folder.record.files.end() ? "" : before->second;
  const auto drop_others = [&] {
    if (!digest.empty() && folder.record.files.at(name) != digest) folder.forget_all_but(name);
  };
  HookedStart start{.verb = "order", .output = name, .log = run_.named(member, "order.log")};
  if (may_go_on(member)) {
    start.goes_on = run_.profile_name(member, 1);
    start.at_order = [&] {
      drop_others();
      run_.goes_on = run_.start_of(name)->ready_s >= measuring::kLongStart;
      prepare();
      return run_.goes_on && run_.way == measuring::Way::points ? member.plan : "";
    };
  }
  run_hooked(run_.request, {{member.build, start}}, folder, run_.console);
  if (!prepared_) drop_others();
}

bool JobRun::may_go_on(const Member& member) {
  const RunRequest& request = run_.request;
  return run_.members.size() == 1 && !request.record && request.job.epochs == 1 && request.parallel == 1 &&
         !run_.folder.has(run_.profile_name(member, 1));
}

void JobRun::compare_orders() {
  const Member& first = run_.members.front();
  const ExportPaths& exports = run_.request.exports;
  for (const Member& member : run_.members) {
    if (member.order == first.order || bytes_of(member.order) == bytes_of(first.order)) continue;
    run_.shared = false;
    run_.console.warn(
        fmt::format("{} and {} draw different batches: each gets its own points, and the comparison is less precise",
                    first.build.name, member.build.name),
        "if only the order differs, fix it: DataLoader(..., generator=torch.Generator().manual_seed(0))");
    if (exports.has(ExportFormat::json) || exports.has(ExportFormat::html))
      throw UsageError("--export json and html are of one set of points, and these builds have several",
                       fmt::format("leave it out: {} gets a projection and a page of each", run_.folder.path()));
    return;
  }
}

void JobRun::make_points(Member& member, Console& warnings) {
  RunFolder& folder = run_.folder;
  const std::string points = run_.shared ? "points.json" : run_.named(member, "points.json"),
                    plan = run_.shared ? "plan.json" : run_.named(member, "plan.json");
  member.points = folder.path(points);
  member.plan = folder.path(plan);
  const bool shares = run_.shared && &member != &run_.members.front();  // the points of the first build
  if (!shares) {
    // Selected also if the folder has them: warnings belong to every result.
    const std::string selected =
        points_of(folder.has(points) ? run_.request.job : within_price(run_, member), member.order, warnings);
    if (!folder.has(points)) folder.write(points, selected);
  }
  if (!folder.has(plan) || folder.record.planned_processes == 0) {
    if (folder.record.planned_processes == 0) folder.record.planned_processes = run_.request.rule.max_processes;
    folder.save();
    folder.write(plan, plan_of(member.points, folder.record.planned_processes));
  }
  const select::Selection selection = io::artifacts::read_seqpoints(io::stream::Input::open(member.points)).selection;
  member.epoch = selection.run;
  member.planned = planned_by(selection);
  if (!shares && &warnings != &run_.silent) report_order(member);
}

void JobRun::report_order(const Member& member) const {
  const bool of_all = run_.shared && run_.members.size() > 1;
  std::vector<const JobStart*> starts;
  for (const Member& each : run_.members)
    if (const JobStart* const start = run_.start_of(run_.named(each, "order.csv")))
      if (of_all || &each == &member) starts.push_back(start);
  const std::string build = run_.shared ? "" : member.build.name + ": ";
  run_.console.line(step_line("order", build + order_text(member.epoch, starts)));
}

// --- processes in turns --------------------------------------------------------------------------------------------

Outcome JobRun::take_turns() {
  const measuring::StopRule& rule = run_.request.rule;
  const std::vector<measuring::Look>& before = run_.folder.record.looks;
  if (rule.gated && measuring::all_spent(before) && before.back().processes < rule.max_processes)
    run_.console.warn(
        "earlier looks have used up the 5 % chance of a wrong verdict: more processes narrow intervals, but "
        "give no verdict",
        "start anew in another folder: -o NEWFOLDER");
  const std::size_t builds = run_.members.size();
  std::uint64_t first = 0, together = 0;  // of the turns that were taken at once, and their end
  for (std::uint64_t n = 0;; ++n) {
    const measuring::Turn turn = measuring::turn(n, builds), next = measuring::turn(n + 1, builds);
    if (n >= together) first = n;
    if (n >= together && !has_turn(n)) {
      together = measuring::end_of_together(n, builds, run_.request.parallel, rule.max_processes);
      take(n, together);
    }
    run_.members[turn.build].processes = turn.process;
    take_seen_epoch(run_.members[turn.build], turn.process);
    if (n >= together && has_turn(n + 1) && is_reported(turn)) continue;
    Outcome outcome = project_so_far(turn);
    report_process({turn}, outcome);
    if (next.process == turn.process || n + 1 < together) continue;  // some builds have not had their turn
    outcome = repeat_disturbed(turn.process, std::move(outcome));
    const Stop stopped = look(turn.process, outcome);
    const bool is_second =
        measuring::turn(first, builds).process <= measuring::kMinProcesses && turn.process >= measuring::kMinProcesses;
    if (is_second && !rule.gated && stopped != Stop::precise) report_floor(run_, outcome);
    if (stopped != Stop::go_on) return outcome;
    if (turn.process == 1) decide_first_executions(run_, outcome);
  }
}

bool JobRun::has_turn(std::uint64_t n) {
  const measuring::Turn turn = measuring::turn(n, run_.members.size());
  return run_.folder.has(run_.profile_name(run_.members[turn.build], turn.process));
}

bool JobRun::is_reported(const measuring::Turn& turn) {
  const std::string output = run_.profile_name(run_.members[turn.build], turn.process);
  const JobStart* const start = run_.start_of(output);
  return start == nullptr || start->stretch || !run_.folder.has(stretch_of(output));
}

void JobRun::take(std::uint64_t begin, std::uint64_t end) {
  std::vector<StartOfBuild> starts;
  for (std::uint64_t n = begin; n < end; ++n) {
    if (has_turn(n)) continue;
    const measuring::Turn turn = measuring::turn(n, run_.members.size());
    const Member& member = run_.members[turn.build];
    starts.push_back({member.build, start_of(member, turn.process, run_.profile_name(member, turn.process))});
  }
  run_hooked(run_.request, std::move(starts), run_.folder, run_.console);
}

void JobRun::take_seen_epoch(Member& member, std::uint64_t process) {
  const JobStart* const start = run_.start_of(run_.profile_name(member, process));
  const std::uint64_t seen = start == nullptr ? 0 : start->left_after;
  if (run_.way != measuring::Way::epochs || seen == 0 || seen >= member.epoch.iterations) return;
  const std::string text = fmt::format("{}: the job leaves its loader after {} of {} batches", start->log,
                                       grouped(seen), grouped(member.epoch.iterations));
  if (run_.members.size() > 1 || member.epoch.loaded > 0)
    throw InputError({member.order}, text,
                     fmt::format("measure anew epochs of as many: -o NEWFOLDER --batches {}", seen));
  run_.console.warn(text + ", which are the epoch");
  RunFolder& folder = run_.folder;
  folder.write(run_.named(member, "order.csv"), first_lines(bytes_of(member.order), seen + 1));
  folder.record.files.erase("points.json");
  folder.record.files.erase("plan.json");
  make_points(member, run_.silent);
  member.processes = process;
}

HookedStart JobRun::start_of(const Member& member, std::uint64_t process, const std::string& output) const {
  const bool points = run_.way == measuring::Way::points;
  return {.verb = points ? "measure" : "record",
          .process = process,
          .output = output,
          .log = fs::path(output).stem().string() + ".log",
          .plan = member.plan,
          .planned_process = points ? (process - 1) % run_.folder.record.planned_processes : 0};
}

void JobRun::start(const Member& member, std::uint64_t process, const std::string& output) {
  run_hooked(run_.request, {{member.build, start_of(member, process, output)}}, run_.folder, run_.console);
}

std::string JobRun::output_of(const Taken& taken) const {
  const std::string name = run_.profile_name(run_.members[taken.turn.build], taken.turn.process);
  return taken.is_repetition ? repetition_of(name) : name;
}

measuring::Turn JobRun::refused_turn(const InputError& refused, const measuring::Turn& latest) const {
  const std::string& source = refused.problems().front().where.source;
  for (std::size_t build = 0; build < run_.members.size(); ++build)
    for (std::uint64_t process = 1; process <= latest.process; ++process)
      if (source == run_.folder.path(output_of({{build, process}}))) return {build, process};
  return latest;
}

Outcome JobRun::project_so_far(const measuring::Turn& turn) {
  std::string name;
  try {
    return run_.project();
  } catch (const InputError& refused) {
    if (!run_.request.limit.max_regression) throw;
    const measuring::Turn again = refused_turn(refused, turn);
    name = output_of({again});
    run_.folder.set_aside(name);
    run_.console.warn(refused.what(), fmt::format("no action needed: {} is measured once more", name));
    start(run_.members[again.build], again.process, name);
  }
  try {
    return run_.project();
  } catch (const InputError& refused) {
    throw InputError(
        refused.problems(), refused.unlisted(),
        fmt::format("wait for a quieter machine: {} measures {} again", resume_command(run_.folder.path()), name));
  }
}

void JobRun::report_process(const Taken& taken, Outcome& outcome) {
  RunFolder& folder = run_.folder;
  Member& member = run_.members[taken.turn.build];
  const std::string output = output_of(taken), stretch = stretch_of(output);
  const Projected& part = outcome.parts[run_.shared ? 0 : taken.turn.build];
  if (folder.has(stretch) && run_.request.job.order.empty())
    require_lengths_of_order(folder.path(stretch), member.order);
  const ProcessResult own =
      result_of_process(part, member.build.name, folder.path(output), folder.has(stretch) ? folder.path(stretch) : "");
  member.last_batches_s = own.batches_s + (own.stretch ? own.stretch->took_s : 0);
  JobStart& start = *std::ranges::find(folder.record.starts, output, &JobStart::output);
  member.last_s = run_.alone_s(start);
  if (own.stretch) {
    start.stretch = own.stretch;
    folder.save();
    run_.conclude(outcome);
  }
  const std::uint64_t process = taken.turn.process;
  const bool is_first = process == 1 && taken.turn.build == 0 && !taken.is_repetition;
  const std::string name = run_.members.size() == 1 ? "process" : member.build.name,
                    again = taken.is_repetition ? " again" : "",
                    cost = fmt::format("; {} batches, {} {}", grouped(start.batches),
                                       io::views::duration_text(start.seconds, 3),
                                       start.after_order ? "after the order" : "with start-up"),
                    all = process == 1 && !taken.is_repetition
                              ? ""
                              : "; epoch from all so far " + epoch_text(outcome.of(member));
  run_.console.line(step_line(is_first ? "measure" : "",
                              fmt::format("{} {}{}   {}{}{}", name, process, again, estimate_text(own), cost, all)));
  if (own.stretch) run_.console.line(step_line("", stretch_text(*own.stretch)));
  say_so_far(outcome);
}

Outcome JobRun::repeat_disturbed(std::uint64_t processes, Outcome outcome) {
  const auto is_disturbed = [&](const Member& member, const std::string& profile) {
    const auto disturbed = project::disturbed_processes(outcome.of(member));
    return std::ranges::find(disturbed, run_.folder.path(profile), &project::ProcessEstimate::name) != disturbed.end();
  };
  std::vector<Taken> repetitions;
  for (std::size_t build = 0; build < run_.members.size(); ++build)
    for (std::uint64_t process = 1; process <= processes; ++process)
      if (is_disturbed(run_.members[build], output_of({{build, process}})))
        repetitions.push_back({{build, process}, true});
  for (const Taken& taken : repetitions) {
    Member& member = run_.members[taken.turn.build];
    const measuring::Standing now = standing(processes);
    const std::uint64_t steps = measuring::steps_of_round(run_.members.size(), run_.request.parallel);
    const double seconds = now.seconds_a_round / static_cast<double>(steps);
    if (run_.folder.has(output_of(taken)) || now.seconds + seconds > run_.request.rule.max_seconds) continue;
    run_.console.warn(fmt::format("{} was disturbed: it is kept, and measured anew once", output_of({taken.turn})));
    start(member, taken.turn.process, output_of(taken));
    try {
      outcome = run_.project();
    } catch (const InputError& refused) {
      run_.folder.set_aside(output_of(taken));
      run_.console.warn(refused.what(), "no action needed: the repetition is left out");
      continue;
    }
    report_process(taken, outcome);
  }
  return outcome;
}

/// Sets what is printed if a signal ends the run: the estimate so far, and how to go on.
void JobRun::say_so_far(const Outcome& outcome) const {
  if (run_.console.verbosity() < Verbosity::normal) return;
  std::string text;
  for (const project::ConfigurationProjection& c : outcome.projection.configurations)
    text += step_line("so far", (run_.members.size() == 1 ? "epoch " : c.name + ": epoch ") + epoch_text(c)) + "\n";
  set_last_words(text + step_line("next", resume_command(run_.folder.path())) + "\n");
}

// --- looks ---------------------------------------------------------------------------------------------------------

Stop JobRun::look(std::uint64_t processes, Outcome& outcome) {
  const measuring::StopRule& rule = run_.request.rule;
  std::vector<measuring::Look>& looks = run_.folder.record.looks;
  measuring::Standing now = standing(processes);
  now.disagree = processes_disagree(outcome.projection);
  const Stop out = measuring::out_of(rule, now),
             end = out != Stop::go_on || now.disagree ? out : worth(run_, processes, outcome);
  const bool last = end != Stop::go_on;
  const std::optional<double> alpha = measuring::alpha_of_look(rule, looks, processes, last);
  run_.set_alpha(outcome, alpha.value_or(measuring::kAlpha));
  now.may_decide = alpha != 0.0;
  if (alpha && !now.disagree) {
    std::erase_if(looks, [&](const measuring::Look& look) { return look.processes == processes; });
    looks.push_back({processes, *alpha});
    run_.folder.save();
  }
  const Stop aim = measuring::stop(rule, now, outcome.projection, outcome.gates);
  outcome.stopped = aim != Stop::go_on ? aim : end;
  return outcome.stopped;
}

measuring::Standing JobRun::standing(std::uint64_t processes) const {
  const std::uint64_t steps = measuring::steps_of_round(run_.members.size(), run_.request.parallel);
  return {.processes = processes,
          .seconds = run_.folder.seconds_of_sitting(),
          .seconds_a_round = run_.seconds_of_start() * static_cast<double>(steps)};
}

// --- a whole epoch, to check against -------------------------------------------------------------------------------

void JobRun::require_whole_epochs() const {
  if (run_.request.job.epochs > 1) return;
  for (const Member& member : run_.members) {
    const std::string path = run_.folder.path(epoch_name(member));
    if (!run_.folder.has(epoch_name(member))) continue;
    const JobStart* const start = run_.start_of(epoch_name(member));
    const std::uint64_t rows = io::artifacts::read_trace(io::stream::Input::open(path)).trace.size(),
                        batches = std::max(rows, start == nullptr ? 0 : start->left_after);
    if (batches < member.epoch.iterations)
      throw InputError(
          {path},
          fmt::format("the recorded epoch has {} batches, that of the points {}: the job's loop leaves its "
                      "loader early",
                      grouped(batches), grouped(member.epoch.iterations)),
          fmt::format("measure anew an epoch of as many: -o NEWFOLDER --batches {}", batches));
  }
}

bool JobRun::find_measurements() {
  const auto has_epoch = [&](const Member& member) { return run_.folder.has(run_.profile_name(member, 1)); };
  run_.way = measuring::Way::epochs;
  if (!std::ranges::all_of(run_.members, has_epoch)) run_.way = measuring::Way::points;
  for (Member& member : run_.members) {
    member.processes = 0;
    while (run_.folder.has(run_.profile_name(member, member.processes + 1))) ++member.processes;
  }
  return std::ranges::all_of(run_.members, [](const Member& member) { return member.processes > 0; });
}

Exit JobRun::record() {
  RunFolder& folder = run_.folder;
  std::string recorded;
  double recorded_s = 0;
  for (Member& member : run_.members) {
    const std::string name = epoch_name(member);
    if (!folder.has(name))
      run_hooked(
          run_.request,
          {{member.build,
            {.verb = "record", .output = name, .log = member.build.name + "-epoch.log", .plan = run_.plan_of(member)}}},
          folder, run_.console);
    const io::artifacts::TraceFile epoch = io::artifacts::read_trace(io::stream::Input::open(folder.path(name)));
    const std::string text = recorded_text(member.build.name, epoch.trace, folder.path(name));
    run_.console.line(step_line("recorded", text));
    recorded += step_line("epoch", text) + "\n";
    recorded_s += seconds_of(epoch.trace);
    run_.truths.push_back({member.build.name, folder.path(name)});
  }
  if (!find_measurements()) {
    if (!run_.request.exports.exports.empty())
      run_.console.warn("nothing is exported: a recorded epoch alone is no projection",
                        fmt::format("measure too: {}", resume_command(folder.path())));
    folder.stop_clock();
    folder.save();
    const WholeEpochs epochs{.builds = run_.members.size(), .seconds = recorded_s};
    write_text("-", recorded + step_line("cost", cost_text(folder.record.cost, epochs)) + "\n");
    return kDone;
  }
  for (Member& member : run_.members) make_order(member);
  compare_orders();
  for (Member& member : run_.members) make_points(member, run_.stages);
  require_whole_epochs();
  Outcome outcome = run_.project();
  return write_result(run_, outcome);
}

}  // namespace seqpoint::cli::job
