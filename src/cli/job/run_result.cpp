#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <variant>

#include "cli/commands/report_findings.hpp"
#include "cli/job/hooked_start.hpp"
#include "cli/job/run_breakdown.hpp"
#include "cli/job/run_state.hpp"
#include "cli/job/run_text.hpp"
#include "core/findings.hpp"
#include "core/measuring/joined_builds.hpp"
#include "io/artifacts/files.hpp"
#include "io/stream/input.hpp"
#include "io/text/command_words.hpp"
#include "io/text/number.hpp"
#include "io/views/tables.hpp"

namespace seqpoint::cli::job {
namespace {

using io::artifacts::JobStart;
using io::views::duration_text;
using measuring::Stop;

constexpr std::array<Word<Stop>, 8> kStops{{{"aim", Stop::precise},
                                            {"aim", Stop::decided},
                                            {"gain", Stop::gain},
                                            {"wider", Stop::wider},
                                            {"said", Stop::said},
                                            {"price", Stop::price},
                                            {"processes", Stop::processes},
                                            {"time", Stop::time}}};

/// Sets intervals to the confidence of a result, phases included. Verdicts stay those of the look after as many
/// processes; without one there are none.
void set_confidence(RunState& run, Outcome& outcome) {
  const std::vector<measuring::Look>& looks = run.folder.record.looks;
  const auto own = std::ranges::find(looks, run.members.front().processes, &measuring::Look::processes);
  if (!run.request.rule.gated) return run.set_alpha(outcome, measuring::kAlpha);
  run.set_alpha(outcome, own == looks.end() ? measuring::kAlpha : own->alpha);
  project::Gates verdicts = outcome.gates;
  if (own == looks.end())
    verdicts = measuring::without_verdicts(verdicts, "a verdict needs whole rounds whose processes agree");
  run.set_alpha(outcome, measuring::kAlpha);
  outcome.gates = verdicts;
  add_where(outcome.gates, outcome.projection);
  if (run.shared) outcome.parts.front().gates = outcome.gates;
}

/// Whether a change of the machine's speed causes findings of this kind.
bool is_of_speed(const Finding& finding) {
  constexpr std::array kOfSpeed{findings::kDrift, findings::kSlowStart};
  return std::ranges::any_of(kOfSpeed, [&](const FindingKind& kind) { return finding.is(kind); });
}

/// "process 4", "processes 4, 5 and 6"; "the run" if there are no names.
std::string processes_text(const std::vector<std::string>& names) {
  if (names.empty()) return "the run";
  std::string text = (names.size() == 1 ? "process " : "processes ") + names.front();
  for (std::size_t i = 1; i < names.size(); ++i) text += (i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

/// If several findings have the cause that the machine changed its speed, replaces them by one sentence with that
/// cause.
void report_speed(RunState& run, std::vector<Finding>& findings) {
  if (std::ranges::count_if(findings, is_of_speed) < 2) return;
  std::vector<std::string> processes;
  std::string load;
  for (const JobStart& start : run.folder.record.starts) {
    const auto of_start = [&](const Finding& f) { return f.place.source.starts_with(run.folder.path(start.output)); };
    if (std::ranges::none_of(findings, [&](const Finding& f) { return is_of_speed(f) && of_start(f); })) continue;
    processes.push_back(run.members.size() > 1 ? fmt::format("{} {}", start.build, start.process)
                                               : std::to_string(start.process));
    if (start.machine) load = "; before the last of these: " + io::process::text_of(*start.machine);
  }
  std::erase_if(findings, is_of_speed);
  run.stages.warn(
      fmt::format("times changed in the course of {}, as when a machine slows down{}", processes_text(processes), load),
      "repeat on an idle machine: -o NEWFOLDER");
}

/// Whether a finding is about one of these points.
bool is_of(const std::vector<const select::Point*>& points, const Finding& finding) {
  return std::ranges::any_of(finding.figures, [&](const auto& figure) {
    const auto* const id = std::get_if<std::string>(&figure.second);
    return figure.first == "point" && id != nullptr &&
           std::ranges::find(points, *id, &select::Point::id) != points.end();
  });
}

/// Names the points that ran no training step, in place of findings about their times, which are next to nothing, and
/// of findings that times do not fit each other.
void report_untrained(RunState& run, Projected& part) {
  const auto is_of_fit = [](const Finding& finding) {
    return finding.is(findings::kStrayPoint) || finding.is(findings::kStrayIteration);
  };
  for (const Member& member : run.members) {
    const auto is_own = [&](const auto& c) { return c.name == member.build.name; };
    if (std::ranges::none_of(part.projection.configurations, is_own)) continue;
    const std::string text = untrained_text(part, member.build.name);
    if (text.empty()) continue;
    run.stages.warn(text);
    const std::vector<const select::Point*> points = untrained_points(part, member.build.name);
    std::erase_if(part.measured.findings, [&](const Finding& finding) {
      return finding.subject == member.build.name && (is_of_fit(finding) || is_of(points, finding));
    });
  }
}

/// Rows and columns are not the user's to choose here: where a hint names an option for them, the run is repeated.
void advise_repetition(std::vector<Finding>& findings) {
  for (Finding& finding : findings)
    if (finding.is(findings::kSlowFirst) || std::string_view(finding.kind.hint).find('`') != std::string_view::npos)
      finding.kind.hint = "repeat on an idle machine: -o NEWFOLDER";
}

/// Removes the findings that are consequences of a disturbance, for which a single sentence names the processes: those
/// about a disturbed process and those of speed about its build; if processes disagree, all of speed about the build.
void drop_disturbed(Projected& part) {
  for (const project::ConfigurationProjection& c : part.projection.configurations) {
    const std::vector<project::ProcessEstimate> disturbed = project::disturbed_processes(c);
    const bool disagree = !c.processes_agree.value_or(true);
    if (disturbed.empty() && !disagree) continue;
    std::erase_if(part.measured.findings, [&](const Finding& finding) {
      const std::string& source = finding.place.source;
      if (source.empty() || disagree) return finding.subject == c.name && is_of_speed(finding);
      return std::ranges::find(disturbed, source, &project::ProcessEstimate::name) != disturbed.end();
    });
  }
}

/// Warns once of each build whose processes disagree. If rounds agree, the comparison holds.
void warn_of_disagreement(RunState& run, const Outcome& outcome) {
  const bool several = run.members.size() > 1, by_rounds = several && !processes_disagree(outcome.projection);
  for (const project::ConfigurationProjection& c : outcome.projection.configurations) {
    const std::string text = disagreement_text(c);
    if (text.empty()) continue;
    run.stages.warn((several ? c.name + ": " : "") + text,
                    by_rounds ? "the comparison is of processes side by side, which agree"
                              : "measure in more processes, on an idle machine");
  }
}

/// Adds the break-down by operations, if it was asked for, and returns its lines. A process that was measured anew has
/// the traces of its second start.
std::string add_breakdown(RunState& run, Projected& part) {
  if (!run.request.job.by) return "";
  std::vector<TracedBuild> builds;
  for (const Member& member : run.members) {
    if (!run.shared && member.build.name != part.projection.baseline) continue;
    TracedBuild& build = builds.emplace_back(TracedBuild{member.build.name, {}});
    for (std::uint64_t process = 1; process <= member.processes; ++process)
      build.profiles.push_back(run.profiles_of(member, process).back());
  }
  part.projection.breakdown =
      breakdown_of(run.request, run.folder, part.request.seqpoints, builds, part.projection, run.stages);
  return part.projection.breakdown ? operations_text(*part.projection.breakdown) : "";
}

/// Writes the projection and the page of a part into the folder, and returns the forms. `prefix`: of the file names.
ResultForms write_part(RunState& run, Projected& part, const std::string& prefix, const io::views::PageTexts& texts) {
  const std::string json = prefix + "projection.json", html = prefix + "report.html";
  RunFolder& folder = run.folder;
  part.request.exports.exports = {{ExportFormat::json, folder.unfinished(json)},
                                  {ExportFormat::html, folder.unfinished(html)}};
  examine(part, run.console);
  ResultForms forms = forms_of(part, texts, run.console);
  Exports(part.request.exports, false).write(forms, run.console);
  folder.keep(json);
  folder.keep(html);
  folder.save();
  return forms;
}

/// Projections of each epoch; empty unless there are several.
std::vector<project::Projection> project_epochs(const RunState& run, const Outcome& outcome) {
  if (run.request.job.epochs == 1) return {};
  std::vector<std::vector<project::Projection>> by_epoch;  // of each part
  for (std::size_t p = 0; p < outcome.parts.size(); ++p) {
    const Projected& part = outcome.parts[p];
    const io::artifacts::TraceFile order = io::artifacts::read_trace(io::stream::Input::open(run.members[p].order));
    std::vector<project::Projection> epochs = measuring::project_epochs(
        order.trace, part.inputs.selection, part.measured.configurations, part.request.params);
    by_epoch.resize(std::max(by_epoch.size(), epochs.size()));
    for (std::size_t e = 0; e < epochs.size(); ++e) by_epoch[e].push_back(epochs[e]);
  }
  std::vector<project::Projection> joined;
  for (const std::vector<project::Projection>& parts : by_epoch) joined.push_back(measuring::joined(parts));
  return joined;
}

/// What the jobs' starts kept from the user's services, each once.
std::vector<std::string> untouched(const RunState& run) {
  std::vector<std::string> texts;
  for (const JobStart& start : run.folder.record.starts)
    for (const std::string& text : start.untouched)
      if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
  return texts;
}

/// "7 graphs in a process of 41 batches; an epoch has 187 shapes" for each build that compiles any.
std::vector<std::string> compiled(const RunState& run) {
  std::vector<std::string> lines;
  for (const Member& member : run.members) {
    const JobStart* const start = run.start_of(run.profile_name(member, member.processes));
    if (start == nullptr || start->compilations == 0) continue;
    lines.push_back(fmt::format(
        "{}{} in a process of {} batches; an epoch has {}{}", run.members.size() > 1 ? member.build.name + ": " : "",
        counted(start->compilations, "graph"), grouped(start->batches), member.epoch.loaded > 0 ? "at least " : "",
        counted(member.epoch.histogram.size(), "shape")));
  }
  return lines;
}

/// "6 stretches: predicted 21.6 s, took 19.2 s (-11 %)"; empty below two. A stretch alone says little about a bias of
/// the points.
std::string stretches_text(const RunState& run) {
  double predicted = 0, took = 0;
  const auto stretches = run.stretches();
  for (const auto& [file, stretch] : stretches) {
    predicted += stretch.predicted_s;
    took += stretch.took_s;
  }
  if (stretches.size() < 2) return "";
  return fmt::format("{} stretches: predicted {}, took {} ({:+.1f} %)", stretches.size(), duration_text(predicted, 3),
                     duration_text(took, 3), 100 * (took / predicted - 1));
}

/// Whether `run` takes an option as it stands: a number that the job could not be asked for is a letter, or 0.
bool is_complete(const std::string& option) {
  const std::size_t blank = option.find(' ');
  if (option.starts_with("--loader")) return true;
  return blank != std::string::npos && io::text::parse_number(option.substr(blank)).value >= 1;
}

/// What the jobs did or are, where that differs from what the result assumes, each once. An epoch of as many batches as
/// an option would take is settled.
std::vector<io::process::JobWarning> contradictions(const RunState& run) {
  std::vector<io::process::JobWarning> found;
  const std::string settled = fmt::format("--batches {}", run.members.front().epoch.iterations);
  for (const JobStart& start : run.folder.record.starts)
    for (const io::process::JobWarning& warning : start.warnings)
      if (warning.option != settled &&
          std::ranges::find(found, warning.text, &io::process::JobWarning::text) == found.end())
        found.push_back({warning.text, is_complete(warning.option) ? warning.option : ""});
  return found;
}

/// The options of a limit, each after a blank.
std::string limit_options(const io::artifacts::RegressionLimit& limit) {
  std::string text;
  if (limit.max_regression) text += fmt::format(" --max-regression {:.6g}%", 100 * *limit.max_regression);
  if (limit.inconclusive_fails)
    text += fmt::format(" --on-inconclusive {}", name_in(kInconclusiveFails, *limit.inconclusive_fails));
  return text;
}

/// The job without what this option sets.
io::artifacts::JobRequest without(io::artifacts::JobRequest job, const std::string& option) {
  if (option.starts_with("--batches")) job.batches.reset();
  if (option.starts_with("--loader")) job.loader.reset();
  if (option.starts_with("--epochs")) job.epochs = 1;
  return job;
}

/// The command that settles the first contradiction that an option settles; empty if there is none. One with secrets is
/// not repeated.
std::string settling_command(const RunState& run) {
  const io::artifacts::JobRequest& job = run.folder.record.request;
  const bool has_secrets = std::ranges::any_of(job.builds, [](const auto& build) { return !build.digest.empty(); });
  for (const io::process::JobWarning& warning : contradictions(run)) {
    if (warning.option.empty()) continue;
    if (has_secrets) return "the same with -o NEWFOLDER " + warning.option;
    return fmt::format("seqpoint run -o NEWFOLDER {}{}{} {}", warning.option, limit_options(run.request.limit),
                       run.request.outputs, typed(without(job, warning.option)));
  }
  return "";
}

void warn_of_contradictions(RunState& run) {
  for (const io::process::JobWarning& warning : contradictions(run))
    run.stages.warn(warning.text, warning.option.empty() ? "" : "measure anew: -o NEWFOLDER " + warning.option);
}

double width_of(const project::Interval& interval) { return interval.high - interval.low; }

/// By what the interval of a build's epoch is wider than after its last process; empty: it is not.
std::string wider_by(const Member& member, const Outcome& outcome) {
  constexpr double kSeen = 1.05;  // less is not seen in two digits
  const project::ConfigurationProjection& c = outcome.of(member);
  const project::IntervalOrReason& now = project::find_metric(c, measuring::kMetric)->interval;
  if (!now || !member.last_interval || width_of(*now) <= kSeen * width_of(*member.last_interval)) return "";
  if (!c.processes_agree.value_or(true)) return "processes that disagree";
  return "later processes of the other builds";
}

/// The same of all builds: "than after process 3: by processes that disagree".
std::string wider_text(const RunState& run, const Outcome& outcome) {
  std::string text;
  for (const Member& member : run.members) {
    const std::string cause = wider_by(member, outcome), name = run.members.size() > 1 ? member.build.name : "process";
    if (!cause.empty())
      text += fmt::format("{}than after {} {}: by {}", text.empty() ? "" : "; ", name, member.processes, cause);
  }
  return text;
}

/// The paths of the pages: one, or one of each build if they have several sets of points.
std::string pages_of(const RunState& run) {
  if (run.shared) return run.folder.path("report.html");
  std::string paths;
  for (const Member& member : run.members)
    paths += (paths.empty() ? "" : ", ") + run.folder.path(member.build.name + "-report.html");
  return paths;
}

ResultFacts facts_of(const RunState& run, const Outcome& outcome) {
  const JobStart* const order = run.members.size() == 1 ? run.start_of("order.csv") : nullptr;
  return {.iterations = run.shared ? run.members.front().epoch.iterations : 0,
          .start_s = run.seconds_of_start(),
          .parallel = run.request.parallel,
          .cost = run.folder.record.cost,
          .processes = run.members.front().processes,
          .verbose = run.console.verbosity() == Verbosity::verbose,
          .stopped = outcome.stopped,
          .folder = run.folder.path(),
          .page = pages_of(run),
          .outputs = run.request.outputs,
          .untouched = untouched(run),
          .files = files_text(run.folder.record.starts),
          .stated = order == nullptr ? 0 : order->stated,
          .of_pass = order == nullptr ? 0 : order->of_pass,
          .compiled = compiled(run),
          .epochs = project_epochs(run, outcome),
          .times_epochs = run.way == measuring::Way::epochs,
          .has_epoch = !run.truths.empty(),
          .disagree = processes_disagree(outcome.projection),
          .first = text_of_first(run, outcome),
          .in_a_row = stretches_text(run),
          .said = run.folder.record.said,
          .overrun = overrun_text(run),
          .wider = wider_text(run, outcome),
          .anew = settling_command(run)};
}

/// The texts of the page: all warnings, the next step, the commands and the machine.
io::views::PageTexts page_texts(const RunState& run, const Outcome& outcome, const ResultFacts& facts) {
  io::views::PageTexts texts{.warnings = run.console.warnings()};
  for (const io::process::JobWarning& warning : contradictions(run)) texts.contradictions.push_back(warning.text);
  std::ranges::copy(run.stages.warnings(), std::back_inserter(texts.warnings));
  texts.next = next_text(outcome.projection, outcome.gates, run.request.rule, facts);
  for (const Member& member : run.members)
    texts.facts.emplace_back(run.members.size() > 1 ? member.build.name : "job",
                             io::text::shell_words(run.request.secrets.hidden_in(member.build.words)));
  const std::vector<JobStart>& starts = run.folder.record.starts;
  const auto first = std::ranges::find_if(starts, [](const JobStart& start) { return start.process > 0; });
  if (first != starts.end()) {
    texts.origin = first->begun.substr(0, first->begun.find('T'));
    if (first->machine) {
      texts.facts.emplace_back("machine", io::process::text_of(*first->machine));
      if (!first->machine->gpus.empty()) texts.origin += ", " + first->machine->gpus.front().name;
    }
  }
  for (const Projected& part : outcome.parts) std::ranges::copy(places_of(part), std::back_inserter(texts.facts));
  texts.facts.emplace_back("processes",
                           std::to_string(facts.processes) + (run.members.size() > 1 ? " of each build" : ""));
  texts.facts.emplace_back("cost", cost_of_result(outcome.projection, facts));
  return texts;
}

/// Adds to all checks why their verdict may not hold.
void add_doubt(Outcome& outcome, const std::string& why) {
  const auto add = [&](project::Gates& gates) {
    for (project::Check& check : gates.checks) check.doubt = why;
  };
  add(outcome.gates);
  for (Projected& part : outcome.parts) add(part.gates);
}

/// The forms of all parts. If there are several, the table is of all, and each has files of its own.
ResultForms forms_of(RunState& run, Outcome& outcome) {
  ResultForms forms;
  std::string operations;
  for (Projected& part : outcome.parts) {
    operations += add_breakdown(run, part);
    drop_disturbed(part);
    report_untrained(run, part);
    report_speed(run, part.measured.findings);
    advise_repetition(part.measured.findings);
    tell(part, run.stages);
    const std::string about_width = examine_width(part);
    if (!about_width.empty()) run.stages.note(about_width);
  }
  if (outcome.stopped != Stop::go_on) warn_of_price(run, outcome);
  warn_of_disagreement(run, outcome);
  if (!run.shared) add_doubt(outcome, "the builds draw different batches");
  const ResultFacts facts = facts_of(run, outcome);
  const io::views::PageTexts texts = page_texts(run, outcome, facts);
  for (Projected& part : outcome.parts)
    forms = write_part(run, part, run.shared ? "" : part.projection.baseline + "-", texts);
  if (!run.shared)
    forms = {.json = "",
             .rows = io::views::projection_rows(outcome.projection),
             .table = io::views::projection_table(outcome.projection)};
  forms.verdicts = io::views::verdicts_markdown(outcome.gates);
  forms.junit = io::views::projection_junit("seqpoint.run", outcome.projection, outcome.gates, false);
  forms.text = result_text(outcome.projection, outcome.gates, run.request.rule, facts) + operations;
  return forms;
}

}  // namespace

Exit write_result(RunState& run, Outcome& outcome) {
  if (outcome.stopped != Stop::go_on) run.folder.record.stopped = std::string(name_in(kStops, outcome.stopped));
  run.folder.stop_clock();
  run.folder.save();
  set_confidence(run, outcome);
  for (const auto& [file, stretch] : run.stretches())
    if (stretch.is_off()) warn_of({project::stretch_finding(stretch, run.folder.path(file))}, run.stages);
  warn_of_contradictions(run);
  ResultForms forms = forms_of(run, outcome);
  for (const io::views::TextTable& truth : forms.table.below) forms.text += io::views::as_text(truth);
  Exports exports(run.request.exports);
  exports.write(forms, run.console);
  std::vector<io::views::Annotation> warnings = run.console.warnings();
  std::ranges::copy(run.stages.warnings(), std::back_inserter(warnings));
  report_ci(run.request.ci, {.title = "seqpoint run", .table = forms.table, .warnings = warnings}, outcome.gates,
            exports.table_on_stdout(), run.console);
  Exit status = project::all_pass(outcome.gates) ? kDone : kGateFailed;
  for (const Projected& part : outcome.parts)
    status = std::max(status, report_partial(part, run.console, "repeat the run in another folder: -o NEWFOLDER"));
  return status;
}

}  // namespace seqpoint::cli::job
