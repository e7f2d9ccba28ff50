#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "cli/job/hooked_start.hpp"
#include "cli/job/run_stages.hpp"
#include "cli/job/run_state.hpp"
#include "cli/job/run_text.hpp"
#include "cli/progress.hpp"
#include "core/measuring/joined_builds.hpp"
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

/// A process that measured in its turn, or its repetition.
struct Taken {
  measuring::Turn turn;
  bool is_repetition = false;
};

// --- orders, points and plans ---------------------------------------------------------------------------------------

/// Prints a build's order, that of all if they share it, and what making it took.
void report_order(const RunState& run, const Member& member) {
  std::vector<const JobStart*> starts;
  for (const Member& each : run.members)
    if (const JobStart* const start = run.start_of(run.named(each, "order.csv")))
      if (run.shared || &each == &member) starts.push_back(start);
  const std::string build = run.shared ? "" : member.build.name + ": ";
  run.console.line(step_line("order", build + order_text(member.epoch, starts)));
}

/// Sets points, plan and epoch of a build; makes the files unless the folder has them. Prints the order, unless the
/// console for warnings is the silent one.
void make_points(RunState& run, Member& member, Console& warnings) {
  RunFolder& folder = run.folder;
  const std::string points = run.shared ? "points.json" : run.named(member, "points.json"),
                    plan = run.shared ? "plan.json" : run.named(member, "plan.json");
  member.points = folder.path(points);
  member.plan = folder.path(plan);
  const bool shares = run.shared && &member != &run.members.front();  // the points of the first build
  if (!shares) {
    // Selected also if the folder has them: warnings belong to every result.
    const std::string selected =
        points_of(folder.has(points) ? run.request.job : within_price(run, member), member.order, warnings);
    if (!folder.has(points)) folder.write(points, selected);
  }
  if (!folder.has(plan) || folder.record.planned_processes == 0) {
    if (folder.record.planned_processes == 0) folder.record.planned_processes = run.request.rule.max_processes;
    folder.save();
    folder.write(plan, plan_of(member.points, folder.record.planned_processes));
  }
  const select::Selection selection = io::artifacts::read_seqpoints(io::stream::Input::open(member.points)).selection;
  member.epoch = selection.run;
  member.planned = planned_by(selection);
  member.planned_work = planned_work(selection, run.request.job.by.has_value());
  if (!shares && &warnings != &run.silent) report_order(run, member);
}

/// Whether two orders may be draws of the same data, so that both builds can run the batches of the first.
bool draw_the_same_data(const std::string& one, const std::string& other) {
  const io::artifacts::TraceFile a = read_with_rows(one), b = read_with_rows(other);
  return a.order && b.order && measuring::draw_the_same_data({a.trace, *a.order}, {b.trace, *b.order});
}

/// Sets RunState::shared. If orders are of different data, warns, and throws UsageError for exports that need one set
/// of points.
void compare_orders(RunState& run) {
  const Member& first = run.members.front();
  const ExportPaths& exports = run.request.exports;
  for (const Member& member : run.members) {
    if (member.order == first.order || bytes_of(member.order) == bytes_of(first.order)) continue;
    if (draw_the_same_data(first.order, member.order)) continue;
    run.shared = false;
    run.console.warn(
        fmt::format("{} and {} draw different batches: each gets its own points, and the comparison is less precise",
                    first.build.name, member.build.name),
        "if only the order differs, fix it: DataLoader(..., generator=torch.Generator().manual_seed(0))");
    if (exports.has(ExportFormat::json) || exports.has(ExportFormat::html))
      throw UsageError("--export json and html are of one set of points, and these builds have several",
                       fmt::format("leave it out: {} gets a projection and a page of each", run.folder.path()));
    return;
  }
}

/// Throws InputError if the job's loop has left a recorded epoch after fewer batches than the one of the points has. A
/// job without a seed may draw fewer by itself.
void require_whole_epochs(const RunState& run) {
  if (run.request.job.epochs > 1) return;
  for (const Member& member : run.members) {
    const std::string path = run.folder.path(epoch_name(member));
    if (!run.folder.has(epoch_name(member))) continue;
    const JobStart* const start = run.start_of(epoch_name(member));
    const std::uint64_t batches = start == nullptr ? 0 : start->left_after;
    if (batches > 0 && batches < member.epoch.iterations)
      throw InputError(
          {path},
          fmt::format("the recorded epoch has {} batches, that of the points {}: the job's loop leaves its "
                      "loader early",
                      grouped(batches), grouped(member.epoch.iterations)),
          fmt::format("measure anew an epoch of as many: -o NEWFOLDER --batches {}", batches));
  }
}

/// What is chosen by the orders: points, plans and the way. Does nothing the second time.
void prepare(RunState& run) {
  if (run.prepared) return;
  run.prepared = true;
  compare_orders(run);
  for (Member& member : run.members) make_points(run, member, run.stages);
  choose_way(run);
  require_whole_epochs(run);
}

/// Whether the job that makes the order may go on to measure, in place of another start of it. Not if several start
/// together: they would wait for it.
bool may_go_on(const RunState& run, const Member& member) {
  const RunRequest& request = run.request;
  return run.members.size() == 1 && !request.record && request.job.epochs == 1 && request.parallel == 1 &&
         !run.folder.has(run.profile_name(member, 1));
}

/// Sets the build's order: the file of --order, else one that a start of the job records, unless the folder has it. A
/// single build's may go on to measure.
void make_order(RunState& run, Member& member) {
  RunFolder& folder = run.folder;
  const std::string name = run.named(member, "order.csv"), &given = run.request.job.order;
  member.order = given.empty() ? folder.path(name) : given;
  if (!given.empty()) return folder.pin(member.order);
  if (folder.has(name)) return;
  const auto before = folder.record.files.find(name);
  const std::string digest = before == folder.record.files.end() ? "" : before->second;
  const auto drop_others = [&] {
    if (!digest.empty() && folder.record.files.at(name) != digest) folder.forget_all_but(name);
  };
  HookedStart start{.verb = "order", .output = name, .log = run.named(member, "order.log")};
  if (may_go_on(run, member)) {
    start.goes_on = run.profile_name(member, 1);
    start.at_order = [&] {
      drop_others();
      run.goes_on = run.start_of(name)->ready_s >= measuring::kLongStart;
      prepare(run);
      return run.goes_on && run.way == measuring::Way::points ? member.plan : "";
    };
  }
  run_hooked(run.request, {{member.build, start}}, folder, run.console);
  if (!run.prepared) drop_others();
}

// --- processes in turns ---------------------------------------------------------------------------------------------

/// Whether the folder has the measurements of the n-th turn.
bool has_turn(const RunState& run, std::uint64_t n) {
  const measuring::Turn turn = measuring::turn(n, run.members.size());
  return run.folder.has(run.profile_name(run.members[turn.build], turn.process));
}

/// Whether the process's stretch is in its record, if it has run one. Not if another one failed that ran beside it.
bool is_reported(const RunState& run, const measuring::Turn& turn) {
  const std::string output = run.profile_name(run.members[turn.build], turn.process);
  const JobStart* const start = run.start_of(output);
  return start == nullptr || start->stretch || !run.folder.has(io::artifacts::stretch_of(output));
}

/// The start of a process that writes its measurements, `output`.
HookedStart start_of(const RunState& run, const Member& member, std::uint64_t process, const std::string& output) {
  const bool points = run.way == measuring::Way::points;
  return {.verb = points ? "measure" : "record",
          .process = process,
          .output = output,
          .log = fs::path(output).stem().string() + ".log",
          .plan = member.plan,
          .planned_process = points ? (process - 1) % run.folder.record.planned_processes : 0};
}

/// Lets a process of a build write its measurements, `output`. Throws JobFailed.
void start(const RunState& run, const Member& member, std::uint64_t process, const std::string& output) {
  run_hooked(run.request, {{member.build, start_of(run, member, process, output)}}, run.folder, run.console);
}

/// Measures in the processes of these turns at the same time, but for those whose measurements the folder has. Throws
/// JobFailed. `duet`: the folder in which two take turns; empty: each runs by itself.
void take(const RunState& run, std::uint64_t begin, std::uint64_t end, const std::string& duet = "") {
  std::vector<StartOfBuild> starts;
  for (std::uint64_t n = begin; n < end; ++n) {
    if (has_turn(run, n)) continue;
    const measuring::Turn turn = measuring::turn(n, run.members.size());
    const Member& member = run.members[turn.build];
    HookedStart start = start_of(run, member, turn.process, run.profile_name(member, turn.process));
    start.duet = duet;
    start.side = starts.size();
    starts.push_back({member.build, std::move(start)});
  }
  run_hooked(run.request, std::move(starts), run.folder, run.console);
}

/// Measures in a process of each build, which take turns batch by batch. Returns whether they did. If one of them
/// fails, as where both do not fit into memory, processes take turns from then on.
bool take_duet(RunState& run, std::uint64_t n) {
  if (!takes_turns(run) || n % 2 != 0 || has_turn(run, n) || has_turn(run, n + 1)) return false;
  const std::string folder = make_duet(run, n / 2 + 1);
  if (folder.empty()) {
    run.console.warn("two builds cannot take turns batch by batch: the file system of the run's folder has no FIFOs",
                     "no action needed: processes take turns; -o DIR on another file system");
    run.duet_failed = true;
    return false;
  }
  try {
    take(run, n, n + 2, folder);
  } catch (const JobFailed& failed) {
    const auto has_result = [&](std::uint64_t turn) {
      return run.members[measuring::turn(turn, 2).build].build.name == failed.build() && has_turn(run, turn);
    };
    if (has_result(n) || has_result(n + 1)) throw;  // it has measured, and changed the user's files
    run.console.warn(fmt::format("{} beside the other build: {}", failed.log(), failed.what()),
                     "no action needed: processes take turns from now on");
    run.duet_failed = true;
    return false;
  }
  for (const std::uint64_t turn : {n, n + 1}) {
    const measuring::Turn of = measuring::turn(turn, 2);
    const JobStart* const start = run.start_of(run.profile_name(run.members[of.build], of.process));
    if (start != nullptr && !start->in_duet)
      run.console.warn(fmt::format("{} was alone for some of its batches: processes decide this round", start->log));
  }
  return true;
}

/// Measures in the processes of the turns that begin together with the n-th. Returns their end.
std::uint64_t take_from(RunState& run, std::uint64_t n) {
  if (take_duet(run, n)) return n + 2;
  if (has_turn(run, n)) return n + 1;  // the one of a duet that did not fail
  const std::uint64_t end =
      measuring::end_of_together(n, run.members.size(), run.request.parallel, run.request.rule.max_processes);
  take(run, n, end);
  return end;
}

/// Makes a build's epoch as short as the whole one that has just been timed, if it was longer: where the job has left
/// its loader decides. Throws InputError if there are several builds.
void take_seen_epoch(RunState& run, Member& member, std::uint64_t process) {
  const JobStart* const start = run.start_of(run.profile_name(member, process));
  const std::uint64_t seen = start == nullptr ? 0 : start->left_after;
  if (run.way != measuring::Way::epochs || seen == 0 || seen >= member.epoch.iterations) return;
  const std::string text = fmt::format("{}: the job leaves its loader after {} of {} batches", start->log,
                                       grouped(seen), grouped(member.epoch.iterations));
  if (run.members.size() > 1 || member.epoch.loaded > 0)
    throw InputError({member.order}, text,
                     fmt::format("measure anew epochs of as many: -o NEWFOLDER --batches {}", seen));
  run.console.warn(text + ", which are the epoch");
  RunFolder& folder = run.folder;
  folder.write(run.named(member, "order.csv"), first_lines(bytes_of(member.order), seen + 1));
  folder.record.files.erase("points.json");
  folder.record.files.erase("plan.json");
  make_points(run, member, run.silent);
  member.processes = process;
}

std::string output_of(const RunState& run, const Taken& taken) {
  const std::string name = run.profile_name(run.members[taken.turn.build], taken.turn.process);
  return taken.is_repetition ? repetition_of(name) : name;
}

/// The turn whose measurements were refused; the latest if the error names none.
measuring::Turn refused_turn(const RunState& run, const InputError& refused, const measuring::Turn& latest) {
  const std::string& source = refused.problems().front().where.source;
  for (std::size_t build = 0; build < run.members.size(); ++build)
    for (std::uint64_t process = 1; process <= latest.process; ++process)
      if (source == run.folder.path(output_of(run, {{build, process}}))) return {build, process};
  return latest;
}

/// The estimate after a turn. If measurements are refused, because they are too doubtful to decide a gate, they
/// are repeated once: on a shared machine, one iteration may take many times as long as the next. Throws InputError
/// if the repetition is also refused.
Outcome project_so_far(RunState& run, const measuring::Turn& turn) {
  std::string name;
  try {
    return run.project();
  } catch (const InputError& refused) {
    if (!run.request.limit.max_regression) throw;
    const measuring::Turn again = refused_turn(run, refused, turn);
    name = output_of(run, {again});
    run.folder.set_aside(name);
    run.console.warn(refused.what(), fmt::format("no action needed: {} is measured once more", name));
    start(run, run.members[again.build], again.process, name);
  }
  try {
    return run.project();
  } catch (const InputError& refused) {
    throw InputError(
        refused.problems(), refused.unlisted(),
        fmt::format("wait for a quieter machine: {} measures {} again", resume_command(run.folder.path()), name));
  }
}

/// Sets what is printed if a signal ends the run: the estimate so far, and how to go on.
void say_so_far(const RunState& run, const Outcome& outcome) {
  if (run.console.verbosity() < Verbosity::normal) return;
  std::string text;
  for (const project::ConfigurationProjection& c : outcome.projection.configurations)
    text += step_line("so far", (run.members.size() == 1 ? "epoch " : c.name + ": epoch ") + epoch_text(c)) + "\n";
  set_last_words(text + step_line("next", resume_command(run.folder.path())) + "\n");
}

/// Says once for each build that its starts draw other batches, and how much their epochs differ.
void say_draws(const RunState& run, Member& member, const Outcome& outcome) {
  const std::optional<double>& draws = outcome.of(member).draws;
  if (!draws || member.draws_are_said) return;
  member.draws_are_said = true;
  const std::string build = run.members.size() == 1 ? "" : member.build.name + ": ";
  run.console.line(step_line("", build + draws_text(*draws)));
}

/// Prints what the process says, alone and with all before it. Its stretch goes into the record of its start, and
/// into the intervals of the results.
void report_process(RunState& run, const Taken& taken, Outcome& outcome) {
  RunFolder& folder = run.folder;
  Member& member = run.members[taken.turn.build];
  const std::string output = output_of(run, taken), stretch = io::artifacts::stretch_of(output);
  const Projected& part = outcome.parts[run.shared ? 0 : taken.turn.build];
  if (folder.has(stretch) && run.request.job.order.empty())
    require_lengths_of_order(folder.path(stretch), member.order);
  const ProcessResult own = result_of_process(part, member.build.name, folder.path(output));
  member.last_batches_s = own.batches_s + (own.stretch ? own.stretch->took_s : 0);
  JobStart& start = *std::ranges::find(folder.record.starts, output, &JobStart::output);
  member.last_s = run.alone_s(start);
  if (own.stretch) {
    start.stretch = own.stretch;
    folder.save();
  }
  member.last_interval = project::find_metric(outcome.of(member), measuring::kMetric)->interval;
  const std::uint64_t process = taken.turn.process;
  const bool is_first = process == 1 && taken.turn.build == 0 && !taken.is_repetition;
  const std::string name = run.members.size() == 1 ? "process" : member.build.name,
                    again = taken.is_repetition ? " again" : "",
                    all = process == 1 && !taken.is_repetition
                              ? ""
                              : "; epoch from all so far " + epoch_text(outcome.of(member));
  run.console.line(step_line(is_first ? "measure" : "",
                             fmt::format("{} {}{}   {}{}", name, process, again, estimate_text(own), all)));
  if (run.console.verbosity() == Verbosity::verbose)
    run.console.line(step_line(
        "", fmt::format("{} batches, {} {}{}", grouped(start.batches), io::views::duration_text(start.seconds, 3),
                        start.after_order ? "after the order" : "with start-up",
                        own.stretch ? "; " + stretch_text(*own.stretch) : "")));
  say_draws(run, member, outcome);
  say_so_far(run, outcome);
}

// --- looks ----------------------------------------------------------------------------------------------------------

/// The part of the stopping rule's input that does not depend on results: processes, seconds so far and of a round.
measuring::Standing standing(const RunState& run, std::uint64_t processes) {
  const std::uint64_t steps = measuring::steps_of_round(run.members.size(), run.request.parallel);
  return {.processes = processes,
          .seconds = run.folder.seconds_of_sitting(),
          .seconds_a_round = run.seconds_of_start() * static_cast<double>(steps)};
}

/// Decides whether these results end the run, with the chance of error that is left for it. Records what that
/// spends.
Stop look(RunState& run, std::uint64_t processes, Outcome& outcome) {
  const measuring::StopRule& rule = run.request.rule;
  std::vector<measuring::Look>& looks = run.folder.record.looks;
  measuring::Standing now = standing(run, processes);
  now.disagree = processes_disagree(outcome.projection);
  const double half_width = measuring::widest(outcome.projection), before = std::exchange(run.half_width, half_width);
  Stop end = measuring::out_of(rule, now);
  if (end == Stop::go_on && !now.disagree) end = worth(run, processes, outcome);
  if (end == Stop::go_on) end = within_said(run, processes, before, half_width);
  const bool last = end != Stop::go_on;
  const std::optional<double> alpha = measuring::alpha_of_look(rule, looks, processes, last);
  run.set_alpha(outcome, alpha.value_or(measuring::kAlpha));
  now.may_decide = alpha != 0.0;
  if (alpha && !now.disagree) {
    std::erase_if(looks, [&](const measuring::Look& earlier) { return earlier.processes == processes; });
    looks.push_back({processes, *alpha});
    run.folder.save();
  }
  const Stop aim = measuring::stop(rule, now, outcome.projection, outcome.gates);
  outcome.stopped = aim != Stop::go_on ? aim : end;
  return outcome.stopped;
}

/// Measures once more each process that was disturbed, if it is known which were and the time allows it.
/// Returns the results with both measurements; a repetition that is refused is left out.
Outcome repeat_disturbed(RunState& run, std::uint64_t processes, Outcome outcome) {
  const auto is_disturbed = [&](const Member& member, const std::string& profile) {
    const auto disturbed = project::disturbed_processes(outcome.of(member));
    return std::ranges::find(disturbed, run.folder.path(profile), &project::ProcessEstimate::name) != disturbed.end();
  };
  std::vector<Taken> repetitions;
  for (std::size_t build = 0; build < run.members.size(); ++build)
    for (std::uint64_t process = 1; process <= processes; ++process)
      if (is_disturbed(run.members[build], output_of(run, {{build, process}})))
        repetitions.push_back({{build, process}, true});
  for (const Taken& taken : repetitions) {
    Member& member = run.members[taken.turn.build];
    const double end = run.folder.seconds_of_sitting() + run.seconds_of_start();
    if (run.folder.has(output_of(run, taken)) || end > run.request.rule.max_seconds || !fits(run)) continue;
    run.console.warn(fmt::format("{} was disturbed: it is kept, and measured anew once", output_of(run, {taken.turn})));
    start(run, member, taken.turn.process, output_of(run, taken));
    try {
      outcome = run.project();
    } catch (const InputError& refused) {
      run.folder.set_aside(output_of(run, taken));
      run.console.warn(refused.what(), "no action needed: the repetition is left out");
      continue;
    }
    report_process(run, taken, outcome);
  }
  return outcome;
}

/// Measures in processes, builds in turns, until the rule stops, and returns the results. Existing files are used
/// unchanged; the stopping rule is applied only after the last of them, after all builds have had their turn, and
/// after all processes that started together.
Outcome take_turns(RunState& run) {
  const measuring::StopRule& rule = run.request.rule;
  const std::vector<measuring::Look>& before = run.folder.record.looks;
  if (rule.gated && measuring::all_spent(before) && before.back().processes < rule.max_processes)
    run.console.warn(
        "earlier looks have used up the 5 % chance of a wrong verdict: more processes narrow intervals, but "
        "give no verdict",
        "start anew in another folder: -o NEWFOLDER");
  const std::size_t builds = run.members.size();
  std::uint64_t first = 0, together = 0;  // of the turns that were taken at once, and their end
  for (std::uint64_t n = 0;; ++n) {
    const measuring::Turn turn = measuring::turn(n, builds), next = measuring::turn(n + 1, builds);
    if (n >= together) first = n;
    if (n >= together && !has_turn(run, n)) together = take_from(run, n);
    run.members[turn.build].processes = turn.process;
    take_seen_epoch(run, run.members[turn.build], turn.process);
    if (n >= together && has_turn(run, n + 1) && is_reported(run, turn)) continue;
    Outcome outcome = project_so_far(run, turn);
    report_process(run, {turn}, outcome);
    if (next.process == turn.process || n + 1 < together) continue;  // some builds have not had their turn
    if (!outcome.duets.empty()) run.console.line(step_line("", duet_text(run, outcome)));
    if (outcome.duets.empty()) outcome = repeat_disturbed(run, turn.process, std::move(outcome));
    const Stop stopped = look(run, turn.process, outcome);
    const bool is_second =
        measuring::turn(first, builds).process <= measuring::kMinProcesses && turn.process >= measuring::kMinProcesses;
    if (is_second && !rule.gated && stopped != Stop::precise) report_floor(run, outcome);
    if (stopped != Stop::go_on) return outcome;
    if (turn.process > 1) continue;
    if (turn_to_epochs(run, outcome)) return take_turns(run);
    decide_first_executions(run, outcome);
  }
}

// --- a whole epoch, to check against -------------------------------------------------------------------------------

/// Sets the way of measuring and the processes of each build by the measurements that the folder has. Returns whether
/// each build has some.
bool find_measurements(RunState& run) {
  const auto has_epoch = [&](const Member& member) { return run.folder.has(run.profile_name(member, 1)); };
  run.way = measuring::Way::epochs;
  if (!std::ranges::all_of(run.members, has_epoch)) run.way = measuring::Way::points;
  for (Member& member : run.members) {
    member.processes = 0;
    while (run.folder.has(run.profile_name(member, member.processes + 1))) ++member.processes;
  }
  return std::ranges::all_of(run.members, [](const Member& member) { return member.processes > 0; });
}

}  // namespace

Exit measure(RunState& run) {
  const io::process::Machine machine = io::process::look_at_machine();
  run.console.line(step_line("machine", io::process::text_of(machine)));
  warn_of_load(machine, run.console);
  if (run.request.parallel == 1) warn_of_other_machine(run.folder.record.starts, machine, run.console);
  for (const Member& member : run.members)
    if (run.folder.has(epoch_name(member)))
      run.truths.push_back({member.build.name, run.folder.path(epoch_name(member))});
  for (Member& member : run.members) make_order(run, member);
  prepare(run);
  Outcome outcome = take_turns(run);
  return write_result(run, outcome);
}

Exit record(RunState& run) {
  RunFolder& folder = run.folder;
  std::string recorded;
  double recorded_s = 0;
  for (Member& member : run.members) {
    const std::string name = epoch_name(member);
    if (!folder.has(name))
      run_hooked(
          run.request,
          {{member.build,
            {.verb = "record", .output = name, .log = member.build.name + "-epoch.log", .plan = run.plan_of(member)}}},
          folder, run.console);
    const io::artifacts::TraceFile epoch = io::artifacts::read_trace(io::stream::Input::open(folder.path(name)));
    const std::string text = recorded_text(member.build.name, epoch.trace, folder.path(name));
    run.console.line(step_line("recorded", text));
    recorded += step_line("epoch", text) + "\n";
    recorded_s += seconds_of(epoch.trace);
    run.truths.push_back({member.build.name, folder.path(name)});
  }
  if (!find_measurements(run)) {
    if (!run.request.exports.exports.empty())
      run.console.warn("nothing is exported: a recorded epoch alone is no projection",
                       fmt::format("measure too: {}", resume_command(folder.path())));
    folder.stop_clock();
    folder.save();
    const WholeEpochs epochs{.builds = run.members.size(), .seconds = recorded_s};
    write_text("-", recorded + step_line("cost", cost_text(folder.record.cost, epochs)) + "\n");
    return kDone;
  }
  for (Member& member : run.members) {
    make_order(run, member);
    if (run.request.job.order.empty()) require_lengths_of_order(folder.path(epoch_name(member)), member.order);
  }
  compare_orders(run);
  for (Member& member : run.members) make_points(run, member, run.stages);
  require_whole_epochs(run);
  Outcome outcome = run.project();
  return write_result(run, outcome);
}

}  // namespace seqpoint::cli::job
