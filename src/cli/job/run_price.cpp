#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cli/job/run_stages.hpp"
#include "cli/job/run_state.hpp"
#include "cli/job/run_text.hpp"
#include "io/views/amounts.hpp"
#include "io/views/tables.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::job {
namespace {

using io::artifacts::JobRequest;
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

/// What a build's order has shown.
measuring::Pace pace_of(const RunState& run, const Member& member) {
  const JobStart* const order = run.start_of(run.named(member, "order.csv"));
  if (order == nullptr) return {};
  return {.start_s = order->ready_s, .batch_s = order->mean_batch_s > 0 ? order->mean_batch_s : order->first_batch_s};
}

/// The processes of each build that a result has at least.
std::uint64_t fewest_processes(const RunState& run) {
  return std::min(measuring::kMinProcesses, run.request.rule.max_processes);
}

/// What measuring and an epoch probably cost, of one process of each build.
struct Forecast {
  measuring::Price price;
  std::uint64_t planned = 0, iterations = 0;  ///< batches
  double orders_s = 0;                        ///< that were spent on orders
  bool is_known = true;                       ///< whether the times are
};

Forecast forecast_of(const RunState& run) {
  Forecast all;
  for (const Member& member : run.members) {
    const measuring::Pace pace = pace_of(run, member);
    all.price += measuring::price_by(pace, member.planned, member.epoch.iterations);
    all.planned += member.planned * fewest_processes(run) / measuring::kMinProcesses;
    all.iterations += member.epoch.iterations;
    all.is_known = all.is_known && pace.batch_s > 0;
    if (const JobStart* const order = run.start_of(run.named(member, "order.csv"))) all.orders_s += order->seconds;
    if (run.goes_on) all.orders_s -= pace.start_s;
  }
  return all;
}

/// "points: 125 batches in two processes, about 54 s in all; an epoch: 1,500 batches, about 6.0 min"
std::string forecast_text(const RunState& run, const Forecast& all) {
  const bool several = run.members.size() > 1;
  const double processes = static_cast<double>(fewest_processes(run)),
               points_s = all.orders_s + processes * all.price.points_s;
  const auto seconds = [&](double value, const char* of_what) {
    return all.is_known ? fmt::format(", about {}{}", io::views::rough_duration(value), of_what) : "";
  };
  return fmt::format("points: {} batches in {}{}{}; an epoch{}: {} batches{}", grouped(all.planned),
                     processes > 1 ? "two processes" : "a process", several ? " of each build" : "",
                     seconds(points_s, " in all"), several ? " of each" : "", grouped(all.iterations),
                     seconds(all.price.epoch_s(), ""));
}

Way cheaper_way(const RunState& run, const Forecast& all) {
  if (!may_take_epochs(run)) return Way::points;
  if (measuring::way_of(all.planned, all.iterations) == Way::epochs) return Way::epochs;
  const measuring::StopRule& rule = run.request.rule;
  const bool is_too_long = run.folder.seconds_of_sitting() + all.price.epoch_s() > rule.max_seconds;
  if (!all.is_known || is_too_long) return Way::points;
  // A comparison needs several processes of each build on either way.
  return measuring::way_of(all.price, fewest_processes(run), rule.gated ? 0 : all.orders_s);
}

/// The price of the next process of each build, by the last ones that measured.
measuring::Price price_of(const RunState& run, const Outcome& outcome) {
  measuring::Price all;
  for (const Member& member : run.members) {
    all.points_s += member.last_s;
    all.start_s += std::max(member.last_s - member.last_batches_s, 0.0);
    all.steady_s += project::find_metric(outcome.of(member), measuring::kMetric)->value;
  }
  return all;
}

/// The points that the job chooses, without a word.
select::Selection chosen_by(RunState& run, const JobRequest& job, const Member& member) {
  return select_points(selecting(job, member.order), run.silent).selection;
}

/// The batches that two processes run for the smallest variance for their price.
std::uint64_t best_budget(const measuring::Pace& pace, std::uint64_t iterations) {
  const std::uint64_t batches = measuring::batches_of_process(pace, select::kHostBound, iterations);
  return measuring::kMinProcesses * (batches + select::usual_warmup(batches));
}

/// What more processes of a build do not narrow.
std::string cause_of_floor(const Member& member, const project::ConfigurationProjection& c) {
  const project::ProcessPart& part = *c.processes;
  if (part.half_width_steady < measuring::least_half_width(part) / std::numbers::sqrt2)
    return fmt::format("processes of {} differ by about {}", c.name, io::views::percent_text(part.spread, 2));
  if (member.epoch.loaded > 0)
    return fmt::format("lengths of {} of the {} batches of {} are known", grouped(member.epoch.loaded),
                       grouped(member.epoch.iterations), c.name);
  return fmt::format("shapes of {} that no point has may cost more or less", c.name);
}

}  // namespace

std::uint64_t planned_by(const select::Selection& selection) {
  return selection.method.repeats ? selection.method.repeats->cost.executions : 0;
}

JobRequest within_price(RunState& run, const Member& member) {
  JobRequest job = run.request.job;
  const measuring::Pace pace = pace_of(run, member);
  if (job.chooses_points() || pace.batch_s == 0) return job;
  const select::Selection usual = chosen_by(run, job, member);
  job.budget = best_budget(pace, usual.run.iterations);
  const double left = run.request.rule.max_seconds - run.folder.seconds_of_sitting();
  job.budget = std::min(*job.budget, measuring::affordable(pace, left / static_cast<double>(run.members.size())));
  const std::uint64_t most = std::max(*job.budget, planned_by(usual));
  for (; *job.budget <= most; *job.budget *= 2) try {
      chosen_by(run, job, member);
      return job;
    } catch (const ParameterError&) {  // it does not buy a single point, as with long optimiser steps
    }
  return run.request.job;
}

void choose_way(RunState& run) {
  std::optional<Way>& way = run.folder.record.way;
  const Forecast all = forecast_of(run);
  if (!way) {
    way = cheaper_way(run, all);
    run.folder.save();
  }
  run.way = *way;
  run.console.line(step_line(
      "cost",
      forecast_text(run, all) + (run.way == Way::points ? "" : ": whole epochs are timed (points: --points K)")));
}

void report_floor(const RunState& run, const Outcome& outcome) {
  for (const Member& member : run.members) {
    const project::ConfigurationProjection& c = outcome.of(member);
    if (c.processes && c.processes_agree.value_or(true) && project::disturbed_processes(c).empty() &&
        measuring::least_half_width(*c.processes) > run.request.rule.precision)
      run.console.warn(fmt::format("± {} (--precision) is out of reach: {}, so the epoch is known to ± {} at best",
                                   io::views::percent_text(run.request.rule.precision, 2), cause_of_floor(member, c),
                                   io::views::percent_text(measuring::least_half_width(*c.processes), 2)));
  }
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
  if (!std::isinf(rule.max_seconds) || (rule.gated && run.way == Way::epochs)) return Stop::go_on;
  const bool exceeds = measuring::exceeds_epoch(price_of(run, outcome), run.folder.seconds_in_all());
  return exceeds ? Stop::price : Stop::go_on;
}

void warn_of_price(const RunState& run, const Outcome& outcome) {
  if (run.way == Way::epochs || !run.truths.empty()) return;  // whole epochs are timed
  const double seconds = run.folder.record.cost.seconds;
  if (run.request.job.epochs > 1 || seconds <= seconds_of_epochs(outcome.projection)) return;
  run.console.warn(fmt::format("measuring took {} in all, longer than {}", duration_text(seconds),
                               run.members.size() == 1 ? "the epoch" : "the epochs of all builds"),
                   run.request.rule.gated
                       ? "a comparison needs several processes of each build; longer epochs cost no more"
                       : fmt::format("time a whole epoch: {} --record", resume_command(run.folder.path())));
}

}  // namespace seqpoint::cli::job
