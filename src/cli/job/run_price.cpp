#include "cli/job/run_price.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "cli/job/run_text.hpp"
#include "io/views/tables.hpp"

namespace seqpoint::cli::job {
namespace {

using io::artifacts::JobStart;
using io::views::duration_text;
using measuring::Stop;
using measuring::Way;

/// Whether whole epochs may be timed instead of points: the user chose neither points nor an order, wants no points
/// profiled, and the job runs one epoch from its first batch on.
bool may_take_epochs(const RunState& run) {
  const auto resumes = [](const JobStart& start) { return start.first_trained > 0; };
  if (std::ranges::any_of(run.folder.record.starts, resumes)) return false;
  return !run.request.job.by && !run.request.job.chooses_points() && run.request.job.order.empty() &&
         run.request.job.epochs == 1;
}

/// From the next process on, whole epochs are timed. Points that were measured stay in the folder.
void take_epochs(RunState& run, const std::string& why) {
  if (run.way == Way::points)
    run.console.line(step_line("cost", why + ": whole epochs are timed (points: --points K)"));
  run.way = Way::epochs;
  for (Member& member : run.members) member.processes = 0;
}

/// The price of a build's next process, by the last one that measured.
measuring::Price price_of(const Member& member, const Outcome& outcome) {
  return {.points_s = member.last_s,
          .start_s = std::max(member.last_s - member.last_batches_s, 0.0),
          .steady_s = project::find_metric(outcome.of(member), measuring::kMetric)->value};
}

/// Seconds of a build's starts, that for its order included.
double seconds_with_order(const RunState& run, const Member& member) {
  const JobStart* const order = run.start_of(run.named(member, "order.csv"));
  return run.seconds_of(member) + (order == nullptr ? 0 : order->seconds);
}

}  // namespace

void choose_way(RunState& run, const Member& member, const select::Selection& selection) {
  const std::uint64_t planned = selection.method.repeats ? selection.method.repeats->cost.executions : 0,
                      epoch = selection.run.iterations;
  const std::string figures =
      fmt::format("two processes run {} batches, an epoch {}", grouped(planned), grouped(epoch));
  const JobStart* const order = run.start_of(run.named(member, "order.csv"));
  const bool dear = order != nullptr && order->first_batch_s > 0 &&
                    measuring::way_of(measuring::price_by_first_batch(order->ready_s, order->first_batch_s, planned,
                                                                      epoch)) == Way::epochs;
  if (!may_take_epochs(run)) return run.console.line(step_line("cost", figures));
  if (measuring::way_of(planned, epoch) == Way::epochs) return take_epochs(run, figures);
  if (dear) return take_epochs(run, fmt::format("{}; a start takes {}", figures, duration_text(order->ready_s)));
  run.console.line(step_line("cost", figures));
}

bool choose_way(RunState& run, const Outcome& outcome) {
  if (run.way == Way::epochs) return false;  // it was chosen
  measuring::Price all;
  for (const Member& member : run.members) {
    const measuring::Price price = price_of(member, outcome);
    all = {all.points_s + price.points_s, all.start_s + price.start_s, all.steady_s + price.steady_s};
  }
  const bool several = run.members.size() > 1;
  const std::string figures =
      fmt::format("two processes{} take about {}, an epoch{} about {}", several ? " of each build" : "",
                  duration_text(2 * all.points_s), several ? " of each" : "", duration_text(all.epoch_s()));
  const bool dear = may_take_epochs(run) && measuring::way_of(all) == Way::epochs;
  if (dear)
    take_epochs(run, figures);
  else
    run.console.line(step_line("cost", figures));
  return dear;
}

void report_floor(const RunState& run, const Outcome& outcome) {
  for (const project::ConfigurationProjection& c : outcome.projection.configurations)
    if (c.processes && c.processes_agree.value_or(true) && project::disturbed_processes(c).empty() &&
        measuring::least_half_width(*c.processes) > run.request.rule.precision)
      run.console.warn(
          fmt::format("± {} (--precision) is out of reach: processes of {} differ by about {}, so its epoch is "
                      "known to ± {} at best",
                      io::views::percent_text(run.request.rule.precision, 2), c.name,
                      io::views::percent_text(c.processes->spread, 2),
                      io::views::percent_text(measuring::least_half_width(*c.processes), 2)));
}

Stop worth(const RunState& run, std::uint64_t processes, const Outcome& outcome) {
  const measuring::StopRule& rule = run.request.rule;
  if (run.way == Way::points && processes < measuring::first_look(rule)) return Stop::go_on;
  if (!rule.gated && processes >= measuring::kMinProcesses) {
    double least = 1;
    for (const project::ConfigurationProjection& c : outcome.projection.configurations)
      if (c.processes) least = std::min(least, measuring::narrowing(*c.processes));
    if (least > 1 - measuring::kLeastGain) return Stop::gain;
  }
  if (rule.max_seconds < std::numeric_limits<double>::infinity()) return Stop::go_on;
  if (rule.gated && run.way == Way::epochs) return Stop::go_on;
  const bool exceeds = std::ranges::any_of(run.members, [&](const Member& member) {
    return measuring::exceeds_epoch(price_of(member, outcome), seconds_with_order(run, member));
  });
  return exceeds ? Stop::price : Stop::go_on;
}

void warn_of_price(const RunState& run, const Outcome& outcome) {
  if (run.way == Way::epochs || !run.truths.empty()) return;  // whole epochs are timed
  const double seconds = run.seconds_measured();
  if (run.request.job.epochs > 1 || seconds <= seconds_of_epochs(outcome.projection)) return;
  run.console.warn(fmt::format("measuring took {} with start-up, longer than {}", duration_text(seconds),
                               run.members.size() == 1 ? "the epoch" : "the epochs of all builds"),
                   run.request.rule.gated
                       ? "a comparison needs several processes of each build; longer epochs cost no more"
                       : fmt::format("time a whole epoch: {} --record", resume_command(run.folder.path())));
}

}  // namespace seqpoint::cli::job
