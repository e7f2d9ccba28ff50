#include <fmt/core.h>

#include <algorithm>

#include "cli/job/run_stages.hpp"
#include "cli/job/run_state.hpp"
#include "cli/job/run_text.hpp"
#include "core/measuring/first_executions.hpp"
#include "io/artifacts/files.hpp"
#include "io/stream/input.hpp"
#include "io/views/tables.hpp"

namespace seqpoint::cli::job {
namespace {

/// The fewest points whose first executions can count as measurements.
constexpr std::uint64_t kFewestPoints = 3;

/// First executions of one build, and whether they count.
struct Decision {
  profile::FirstExecutions first;
  bool counts = false;
};

select::Selection points_in(const Member& member) {
  return io::artifacts::read_seqpoints(io::stream::Input::open(member.points)).selection;
}

/// The measurements of the first process of a build.
profile::Measurements measurements_of(const Outcome& outcome, const Member& member) {
  for (const Projected& part : outcome.parts)
    for (const project::NamedMeasurements& build : part.measured.configurations)
      if (build.name == member.build.name)
        return build.measurements.process_names.size() > 1 ? profile::of_process(build.measurements, 0)
                                                           : build.measurements;
  throw std::logic_error("decide_first_executions: a build has not measured");
}

std::optional<Decision> decision_of(const Outcome& outcome, const Member& member, const select::Selection& points) {
  const profile::Measurements measured = measurements_of(outcome, member);
  const auto metric = std::ranges::find(measured.metrics, measuring::kMetric) - measured.metrics.begin();
  const auto first = profile::first_executions(measured, static_cast<std::size_t>(metric));
  const std::optional<double> half_width = measuring::reachable_half_width(points, measured);
  if (!first || first->points < kFewestPoints || !half_width) return std::nullopt;
  return Decision{*first, measuring::count(*first, measuring::share_of_first(select::kDefaultProcesses), *half_width)};
}

/// Replaces the points of a build, and the plan, by those of further processes.
void take_further_points(RunState& run, const Member& member, const select::Selection& points,
                         const profile::FirstExecutions& first) {
  const select::CountedFirst counted{
      .ratio = first.ratio, .error = first.error, .points = first.points, .measured_for = points.digest};
  const std::string name = run.shared ? "points.json" : run.named(member, "points.json"),
                    plan = run.shared ? "plan.json" : run.named(member, "plan.json");
  run.folder.write(name, further_points_of(run.request.job, member.order, points, counted, run.stages));
  run.folder.write(plan, plan_of(member.points, run.folder.record.planned_processes));
}

bool is_asked(const RunState& run) {
  return run.way == measuring::Way::points && !run.request.job.chooses_points() && !run.request.job.by;
}

/// Whether the decision can be taken with these points: by one process, of batches that are steps.
bool is_open(const RunState& run, const Member& member, const select::Selection& points) {
  return !run.folder.has(run.profile_name(member, 2)) && !points.counted_first && points.run.phases.empty() &&
         points.method.repeats && points.method.repeats->accumulation == 1;
}

std::string named(const RunState& run, const Member& member, const std::string& text) {
  return run.members.size() > 1 ? member.build.name + ": " + text : text;
}

}  // namespace

void decide_first_executions(RunState& run, const Outcome& outcome) {
  if (!is_asked(run)) return;
  std::vector<Decision> decisions;
  for (const Member& member : run.members) {
    const select::Selection points = points_in(member);
    const std::optional<Decision> decision =
        is_open(run, member, points) ? decision_of(outcome, member, points) : std::nullopt;
    if (!decision) return;
    decisions.push_back(*decision);
  }
  const bool count = std::ranges::all_of(decisions, &Decision::counts);
  for (std::size_t b = 0; b < decisions.size(); ++b) {
    const profile::FirstExecutions& first = decisions[b].first;
    const std::string text = first_text(first.ratio, first.error, count);
    if (run.console.verbosity() == Verbosity::verbose)
      run.console.line(step_line("first", named(run, run.members[b], text)));
  }
  for (std::size_t b = 0; count && b < (run.shared ? 1 : run.members.size()); ++b)
    take_further_points(run, run.members[b], points_in(run.members[b]), decisions[b].first);
}

std::string text_of_first(const RunState& run, const Outcome& outcome) {
  std::string texts;
  for (const Member& member : run.members) {
    if (!is_asked(run) || (run.shared && !texts.empty())) break;
    const select::Selection points = points_in(member);
    std::string text;
    if (points.counted_first)
      text = first_text(points.counted_first->ratio, points.counted_first->error, true);
    else if (const auto first = decision_of(outcome, member, points))
      text = first_text(first->first.ratio, first->first.error, false);
    if (!text.empty()) texts += (texts.empty() ? "" : "; ") + (run.shared ? text : named(run, member, text));
  }
  return texts;
}

}  // namespace seqpoint::cli::job
