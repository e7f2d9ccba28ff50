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
  return {.start_s = order->ready_s,
          .batch_s = order->mean_batch_s > 0 ? order->mean_batch_s : order->first_batch_s,
          .loader_s = order->loader_s};
}

/// The price of a process of a build, by its order. Points are longer than the mean batch of the epoch.
measuring::Price expected_of(const RunState& run, const Member& member) {
  return measuring::price_by(pace_of(run, member), member.planned_work, member.epoch.iterations);
}

/// The processes of each build that a result has at least.
std::uint64_t fewest_processes(const RunState& run) {
  const measuring::StopRule& rule = run.request.rule;
  return std::min(measuring::first_look(rule), rule.max_processes);
}

/// What measuring and an epoch probably cost, of one process of each build.
struct Forecast {
  measuring::Price price;
  std::uint64_t planned = 0, iterations = 0;  ///< batches; those of two processes
  double saved_s = 0;                         ///< start-ups that points save: the order's process goes on
  bool is_known = true;                       ///< whether the times are
};

Forecast forecast_of(const RunState& run) {
  Forecast all;
  for (const Member& member : run.members) {
    const measuring::Pace pace = pace_of(run, member);
    all.price += expected_of(run, member);
    all.planned += member.planned;
    all.iterations += member.epoch.iterations;
    all.is_known = all.is_known && pace.batch_s > 0;
    if (run.goes_on) all.saved_s += pace.start_s;
  }
  return all;
}

/// Seconds of so many rounds, if processes run side by side. `round_s`: of those of a round, one after the other.
double seconds_of_rounds(const RunState& run, std::uint64_t rounds, double round_s) {
  const std::size_t builds = run.members.size();
  const std::uint64_t steps = measuring::steps_of_round(rounds * builds, run.request.parallel);
  return round_s / static_cast<double>(builds) * static_cast<double>(steps);
}

/// The price of the whole run with that many processes of each build.
measuring::SaidPrice price_in_all(const RunState& run, Way way, std::uint64_t processes, const Forecast& all) {
  const double process_s = way == Way::points ? all.price.points_s : all.price.epoch_s();
  const double paid_s = run.goes_on && way == Way::points ? pace_of(run, run.members.front()).start_s : 0;
  return measuring::price_said(run.folder.seconds_in_all(), seconds_of_rounds(run, processes, process_s) - paid_s,
                               seconds_of_rounds(run, 1, process_s));
}

/// ", about 54 s in all, at most 70 s"; ", up to 6 processes about 130 s" where options ask for more. Empty without
/// times.
std::string price_text(const RunState& run, Way way, std::uint64_t processes, const Forecast& all) {
  using io::views::rough_duration;
  if (!all.is_known) return "";
  const measuring::SaidPrice& said = run.folder.record.said;
  if (said.most_s > 0 && way == run.way)
    return fmt::format(", about {} in all, at most {}", rough_duration(said.about_s), rough_duration(said.most_s));
  const std::uint64_t most = run.request.rule.max_processes;
  std::string text = fmt::format(", about {} in all", rough_duration(price_in_all(run, way, processes, all).about_s));
  if (way == run.way && most > processes && std::isinf(run.request.rule.max_seconds))
    text +=
        fmt::format(", up to {} processes about {}", most, rough_duration(price_in_all(run, way, most, all).about_s));
  return text;
}

std::string number_text(std::uint64_t processes) {
  return processes == 1 ? "a process" : processes == 2 ? "two processes" : "three processes";
}

/// "points: 125 batches in two processes, about 54 s in all, at most 70 s; an epoch: 1,500 batches, about 6.0 min"
std::string forecast_text(const RunState& run, const Forecast& all) {
  const bool several = run.members.size() > 1;
  const std::uint64_t processes = fewest_processes(run);
  std::string text =
      fmt::format("points: {} batches in {}{}{}{}; an epoch{}: {} batches",
                  grouped(all.planned * processes / measuring::kMinProcesses), number_text(processes),
                  several ? " of each build" : "", takes_turns(run) ? ", batch by batch in turns" : "",
                  price_text(run, Way::points, processes, all), several ? " of each" : "", grouped(all.iterations));
  if (all.is_known) text += ", about " + io::views::rough_duration(all.price.epoch_s());
  if (run.way == Way::points) return text;
  return fmt::format("{}: whole epochs are timed{} (points: --points K)", text,
                     price_text(run, Way::epochs, processes, all));
}

Way cheaper_way(const RunState& run, const Forecast& all) {
  if (!may_take_epochs(run)) return Way::points;
  if (!all.is_known) return measuring::way_of(all.planned / measuring::kMinProcesses, all.iterations);
  const std::uint64_t processes = fewest_processes(run);
  const double epochs_s = static_cast<double>(processes) * all.price.epoch_s();
  if (run.folder.seconds_of_sitting() + epochs_s > run.request.rule.max_seconds) return Way::points;
  return measuring::way_of(all.price, processes, processes, all.saved_s);
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

double planned_work(const select::Selection& selection, bool profiles) {
  constexpr double kProfiled = 2;  // about what a batch takes under a profiler
  const auto planned = static_cast<double>(planned_by(selection));
  if (planned == 0) return 0;
  const auto tokens = static_cast<double>(selection.method.repeats->cost.tokens),
             mean = static_cast<double>(selection.run.padded_tokens) / static_cast<double>(selection.run.iterations);
  const auto points = static_cast<double>(selection.points.size() * measuring::kMinProcesses);
  return (tokens > 0 && mean > 0 ? tokens / mean : planned) + (profiles ? kProfiled * points : 0);
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
  io::artifacts::RunRecord& record = run.folder.record;
  const Forecast all = forecast_of(run);
  if (!record.way) record.way = cheaper_way(run, all);
  run.way = *record.way;
  if (!run.request.rule.keeps_price) record.said = {};
  if (run.request.rule.keeps_price && record.said.most_s == 0 && all.is_known) {
    record.said = price_in_all(run, run.way, fewest_processes(run), all);
    record.said.most_s = io::views::rounded_up(record.said.most_s);  // what is printed is kept
  }
  run.folder.save();
  run.console.line(step_line("cost", forecast_text(run, all)));
}

bool turn_to_epochs(RunState& run, const Outcome& outcome) {
  const std::uint64_t fewest = fewest_processes(run);
  if (run.way != Way::points || fewest == 1 || run.request.rule.gated || !may_take_epochs(run)) return false;
  if (measuring::way_of(price_of(run, outcome), fewest - 1, fewest, 0) == Way::points) return false;
  run.console.line(step_line("", "whole epochs cost less than another process of points: they are timed"));
  run.way = Way::epochs;
  run.folder.record.way = run.way;
  for (Member& member : run.members) member.processes = 0;
  run.folder.save();
  return true;
}

bool fits(const RunState& run) {
  if (!run.request.rule.keeps_price) return true;
  double round_s = 0;
  for (const Member& member : run.members) round_s += run.dearest_s(member) + measuring::kOwnWork;
  return measuring::fits(run.folder.record.said, run.folder.seconds_in_all(), seconds_of_rounds(run, 1, round_s));
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

namespace {

/// The half-width of a build's epoch, as a share.
double half_width_of(const project::ConfigurationProjection& c) {
  const project::MetricProjection& epoch = *project::find_metric(c, measuring::kMetric);
  return project::relative_half_width(epoch.value, epoch.interval);
}

}  // namespace

Stop worth(const RunState& run, std::uint64_t processes, const Outcome& outcome) {
  const measuring::StopRule& rule = run.request.rule;
  if (processes < fewest_processes(run)) return Stop::go_on;
  if (!rule.gated && processes >= measuring::kMinProcesses) {
    double least = 1;
    for (const project::ConfigurationProjection& c : outcome.projection.configurations)
      if (c.processes) least = std::min(least, measuring::narrowing(*c.processes, half_width_of(c)));
    if (least > 1 - measuring::kLeastGain) return Stop::gain;
  }
  if (!std::isinf(rule.max_seconds) || (rule.gated && run.way == Way::epochs)) return Stop::go_on;
  const bool exceeds = measuring::exceeds_epoch(price_of(run, outcome), run.folder.seconds_in_all());
  return exceeds ? Stop::price : Stop::go_on;
}

Stop within_said(const RunState& run, std::uint64_t processes, double before, double now) {
  if (!run.request.rule.keeps_price || processes < fewest_processes(run)) return Stop::go_on;
  if (processes > measuring::kMinProcesses && now > before) return Stop::wider;
  return fits(run) ? Stop::go_on : Stop::said;
}

std::string overrun_text(const RunState& run) {
  const double most_s = run.folder.record.said.most_s, took_s = run.folder.record.cost.seconds;
  if (!run.request.rule.keeps_price || most_s == 0 || took_s <= most_s) return "";
  double start_s = 0, batches_s = 0, expected_start_s = 0, expected_batches_s = 0;
  for (const Member& member : run.members) {
    const measuring::Price expected = expected_of(run, member);
    start_s += member.last_s - member.last_batches_s;
    batches_s += member.last_batches_s;
    expected_start_s += expected.start_s;
    expected_batches_s += run.way == Way::points ? expected.points_s - expected.start_s : expected.steady_s;
  }
  const bool by_batches = batches_s - expected_batches_s > start_s - expected_start_s;
  const double ratio = by_batches ? batches_s / expected_batches_s : start_s / expected_start_s;
  std::string text = fmt::format("at most {} was said", io::views::rough_duration(most_s));
  if (ratio > 1)
    text += fmt::format(": {} took {:.2g} times as long as in the order", by_batches ? "batches" : "starts", ratio);
  return text;
}

void warn_of_price(const RunState& run, const Outcome& outcome) {
  if (run.way == Way::epochs || !run.truths.empty()) return;  // whole epochs are timed
  if (run.request.job.epochs > 1) return;
  const double seconds = run.folder.record.cost.seconds;
  double orders_s = 0;  // which whole epochs need as well
  for (const Member& member : run.members)
    if (const JobStart* const order = run.start_of(run.named(member, "order.csv"))) orders_s += order->seconds;
  if (seconds - orders_s <= price_of(run, outcome).epoch_s()) return;
  run.console.warn(fmt::format("measuring took {} in all, longer than {}", duration_text(seconds),
                               run.members.size() == 1 ? "the epoch" : "the epochs of all builds"),
                   run.request.rule.gated
                       ? "a comparison needs several processes of each build; longer epochs cost no more"
                       : fmt::format("time a whole epoch: {} --record", resume_command(run.folder.path())));
}

}  // namespace seqpoint::cli::job
