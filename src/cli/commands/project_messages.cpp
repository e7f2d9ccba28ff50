// What `project` says besides its results: notes on the projection, warnings, and what an interval's width is due to.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "cli/commands/project.hpp"
#include "cli/commands/report_findings.hpp"
#include "core/findings/rules.hpp"
#include "core/profile/measure.hpp"
#include "core/project/projection.hpp"
#include "core/report/report.hpp"
#include "io/views/amounts.hpp"
#include "io/views/diagnosis_text.hpp"

namespace seqpoint::cli::commands {
namespace {

/// Reports columns of the profile that are not projected, and metrics that are projected as a mean or a maximum because
/// of their names.
void report_kinds(const project::ConfigurationProjection& c, const project::ProjectParams& params, Console& console) {
  if (!c.not_projected.empty())
    console.note(fmt::format("{}: not projected, as not known as costs: {} (--metric NAME asks for one)", c.name,
                             fmt::join(c.not_projected, ", ")));
  std::vector<std::string> means, largest, memory;
  for (const project::MetricProjection& metric : c.metrics) {
    if (metric.kind == project::MetricKind::max && profile::role_of_column(metric.name) == profile::MetricRole::maximum)
      memory.push_back(metric.name);
    const bool asked = params.aggregate.contains(metric.name) ||
                       std::ranges::find(params.rates, metric.name, &project::RateSpec::name) != params.rates.end();
    if (metric.kind == project::MetricKind::total || asked) continue;
    (metric.kind == project::MetricKind::max ? largest : means).push_back(metric.name);
  }
  const auto tell = [&](const std::vector<std::string>& metrics, const char* what) {
    if (!metrics.empty())
      console.note(
          fmt::format("{}: {}: {}; --aggregate NAME=total adds one up", c.name, what, fmt::join(metrics, ", ")));
  };
  tell(means, "projected as a mean over time, by the name");
  tell(largest, "projected as a maximum, by the name");
  if (!memory.empty())
    console.detail(fmt::format("{}: {}: memory in use by the run's largest batch, without fragmentation", c.name,
                               fmt::join(memory, ", ")));
}

/// Reports the seconds of validation and checkpoints that every total in seconds includes, and the number of epochs.
void report_overheads(const project::Overheads& overheads, const trace::RunSummary& run, Console& console) {
  console.note(fmt::format("overhead: {} in {}, in every total of seconds", io::views::duration_text(overheads.seconds),
                           counted(run.epochs, "epoch")));
}

/// "name: ", if there are several configurations.
std::string prefix_of(const project::ConfigurationProjection& c, const project::Projection& projection) {
  return projection.configurations.size() > 1 ? c.name + ": " : "";
}

/// Reports the cost of cold start. The total excludes that cost, because cold start occurs once per process and its
/// figure is rougher.
void report_cold_start(const project::ConfigurationProjection& c, const std::string& prefix, Console& console) {
  for (const project::ColdStart& cost : c.cold_start)
    console.note(fmt::format("{}cold start{}: about {} once a process ({}), {}; not in the total", prefix,
                             c.cold_start.size() > 1 ? " (" + cost.metric + ")" : "",
                             io::views::rough_duration(cost.about()), counted(cost.shapes, "shape"),
                             io::views::limit_text(cost)));
}

/// Prints the text of every configuration that has one, after its name; a single line without names if all are equal.
void report_once(const project::Projection& projection, const auto& text_of, Console& console) {
  std::vector<std::string> texts;
  for (const project::ConfigurationProjection& c : projection.configurations) texts.push_back(text_of(c));
  const bool same = std::ranges::all_of(texts, [&](const std::string& text) { return text == texts.front(); });
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (!texts[i].empty() && (i == 0 || !same))
      console.note(same ? texts[i] : projection.configurations[i].name + ": " + texts[i]);
}

/// "measured 44 batches instead of 446 (10x fewer)", warm-up included; without a factor if the profile does not show
/// its warm-up, whose batches were run as well. Empty unless fewer batches were run than the run has.
std::string executed_text(const project::ConfigurationProjection& c, const trace::RunSummary& run) {
  if (c.executed.executions >= run.iterations) return "";
  if (c.executed.warmup == 0)
    return fmt::format("measured {} of {}; warm-up is not in the profile", grouped(c.executed.executions),
                       counted(run.iterations, "batch"));
  return "measured " + io::views::reduction_text(c.executed.executions, run.iterations, "batch");
}

/// "device-bound (device busy 93 %): processes usually differ by 0.25 %", the prior of between-process variation; empty
/// if the user gave that variation, or device_busy is not known.
std::string bottleneck_text(const project::ConfigurationProjection& c) {
  if (!c.processes || c.processes->is_given || !c.processes->device_busy) return "";
  const bool device = *c.processes->device_busy >= select::kDeviceBoundFrom;
  return fmt::format("{} (device busy {}): processes usually differ by {}", device ? "device-bound" : "host-bound",
                     io::views::percent_text(*c.processes->device_busy, 2),
                     io::views::percent_text(c.processes->usual.median, 2));
}

/// Prints details about the assumed between-process variation and its part of the interval.
void report_processes(const project::ConfigurationProjection& c, Console& console) {
  if (!c.processes) return;
  const project::ProcessPart& part = *c.processes;
  if (!part.device_busy && !part.is_given)
    console.detail(fmt::format("{}: no column device_busy: assumed that processes differ by {}, as on a host", c.name,
                               io::views::percent_text(part.usual.median, 2)));
  if (!c.processes_agree.value_or(true)) return;
  console.detail(fmt::format("{}: {}: ± {}, and ± {} without between-process variation", c.name, part.metric,
                             io::views::percent_text(part.half_width, 2),
                             io::views::percent_text(part.half_width_without, 2)));
}

/// Intervals wider than this share of the value decide little.
constexpr double kWide = 0.1;

/// Whether the metric is a total of seconds whose interval is wider than ± kWide.
bool is_wide(const project::MetricProjection& m) {
  return project::is_total_time(m) && m.interval && project::relative_half_width(m.value, m.interval) > kWide;
}

/// Whether a configuration's metric of that name is_wide().
bool has_wide(const project::ConfigurationProjection& c, const std::string& metric) {
  return std::ranges::any_of(c.metrics, [&](const auto& m) { return m.name == metric && is_wide(m); });
}

/// Names up to three points that a configuration did not measure, and the measured weight.
std::string missing_text(const std::string& name, const std::vector<std::string>& missing, double measured_weight) {
  constexpr std::size_t kMaxShown = 3;
  const std::size_t shown = std::min(kMaxShown, missing.size());
  std::string points =
      fmt::format("{}", fmt::join(missing.begin(), missing.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < missing.size()) points += fmt::format(" and {} more", missing.size() - shown);
  return fmt::format("{}: not measured: {}; predicted from the other points (measured weight {})", name, points,
                     io::views::percent_text(measured_weight, 3));
}

/// Reports the projected run, and how much of it lies outside of the measured range.
void report_target(const project::TargetRun& target, Console& console) {
  console.note(fmt::format("projected for {}: {}", target.source, counted(target.run.iterations, "batch")));
  if (target.extrapolated_share > 0 && !target.selected)
    console.warn(fmt::format("extrapolated: {} of the batches of {} lie outside the measured shapes, by up to {}",
                             io::views::percent_text(target.extrapolated_share, 2), target.source,
                             io::views::percent_text(target.largest_distance, 2)),
                 "measure points that are selected from that run");
}

void tell(const ProjectRequest& request, const ProjectInputs& inputs, const project::Projection& projection,
          Console& console) {
  for (const project::ConfigurationProjection& c : projection.configurations) report_kinds(c, request.params, console);
  report_once(
      projection, [&](const auto& c) { return executed_text(c, inputs.projected_run()); }, console);
  report_once(projection, bottleneck_text, console);
  for (const project::ConfigurationProjection& c : projection.configurations) {
    report_processes(c, console);
    report_cold_start(c, prefix_of(c, projection), console);
    if (c.processor_s) console.note(fmt::format("{}{}", prefix_of(c, projection), processor_time_text(c)));
  }
  for (const std::string& note : inputs.onto_notes) console.warn(note);
  if (projection.target_run) report_target(*projection.target_run, console);
  if (projection.overheads) report_overheads(*projection.overheads, inputs.projected_run(), console);
  for (const std::string& note : projection.notes) console.warn(note);
  for (std::size_t i = 0; i < projection.configurations.size(); ++i) {
    const project::ConfigurationProjection& c = projection.configurations[i];
    const std::string& file = request.configurations[i].second.front();
    if (!c.missing_points.empty())
      console.warn(missing_text(c.name, c.missing_points, c.measured_weight), "measure the missing points",
                   file == "-" ? "" : file);
  }
}

/// Prints a measured total beside the projected one. Warns if they are apparently in different units, another
/// configuration is nearer, or it is outside the interval.
void tell_truth(const report::MeasuredTotal& total, Console& console) {
  const bool outside = total.inside == false;
  const std::string text =
      fmt::format("{}: {} of {} adds up to {}{}; {} is projected", total.configuration, total.metric, total.source,
                  io::views::duration_text(total.measured), outside ? ", outside the interval" : "",
                  io::views::duration_text(total.projected));
  if (findings::factor_of(total.measured / total.projected) >= findings::kUnitFactor)
    return console.warn(text, "check that both are in the same unit");
  if (total.nearest != total.configuration)
    return console.warn(fmt::format("{}, and it is nearer to {}", text, total.nearest),
                        "check that the log is of this build");
  if (!outside) return console.note(text);
  console.warn(text, "compare the machine's load then and now, and the build; on an idle machine, measure both again");
}

/// Checks that the traces of --truth are of this run, and prints messages about their projected times.
void examine_truths(const Projected& p, Console& console) {
  const std::vector<trace::NamedTrace>& truths = p.inputs.truths;
  if (!p.request.is_of_run)  // whose epochs are those of its own job, maybe of another draw
    for (const trace::NamedTrace& truth : truths) report::require_same_run(truth, p.inputs.selection.run);
  std::set<std::string> metrics;
  for (const project::ConfigurationProjection& c : p.projection.configurations)
    for (const project::MetricProjection& metric : c.metrics)
      if (metric.kind == project::MetricKind::total) metrics.insert(metric.name);
  for (const std::string& metric : metrics) report_findings(truths, metric, "", console);
  for (const report::MeasuredTotal& total : measured_totals_of(p))
    if (trace::is_time_metric(total.metric)) tell_truth(total, console);
}

/// Warns of a configuration that does more operations than its devices can.
void warn_of_utilisation(const project::Projection& projection, Console& console) {
  for (const project::ConfigurationProjection& c : projection.configurations)
    if (c.throughput && c.throughput->mfu.value_or(0) > 1)
      console.warn(
          fmt::format("{}: an MFU of {} is impossible: the operations of a token are fewer, or the peak is higher",
                      c.name, io::views::percent_text(*c.throughput->mfu, 3)),
          "--flops-per-token is for one token, forward and backward, --peak-flops for one device");
}

// --- the width of intervals
// -------------------------------------------------------------------------------------------

/// "mostly interpolation between points; select more points": the largest part of an interval's variance, and how to
/// narrow the interval. "almost all" above 90 %, "mostly" above half, else "partly"; never empty, because
/// the parts add up to 1. One process does not show how much processes differ, so that part is assumed.
std::string width_text(const findings::Width& width) {
  struct Cause {
    double share;
    const char *name, *action;
  };
  const bool one = width.processes == 1;
  const std::array causes{
      Cause{width.between_processes, one ? "between-process variation (assumed)" : "between-process variation",
            one ? "measure in a second process" : "measure in more processes"},
      Cause{width.iterations, "noise within shapes", "measure the points at more batches"},
      Cause{width.measurements, "measurement noise", "repeat the measurements"},
      Cause{width.between, "interpolation between points", "select more points"},
      Cause{width.missed, "missing points", "measure the missing points"},
      Cause{width.own, "noise of the run itself", "no measurement narrows that"}};
  const Cause& main = *std::ranges::max_element(causes, {}, &Cause::share);
  const char* const how_much = main.share > 0.9 ? "almost all" : main.share > 0.5 ? "mostly" : "partly";
  return fmt::format("{} {}; {}", how_much, main.name, main.action);
}

/// " is mostly ...; select more points". Empty if a warning has questioned the measurements already.
std::string about_width(const findings::Series& series, const std::vector<Finding>& warnings) {
  return findings::is_questioned(series, warnings) ? "" : " is " + width_text(*series.width);
}

/// "--profile haswell=haswell.csv --profile skylakex=skylakex.csv"; of more than three files a pattern.
std::string named(const std::vector<std::string>& files) {
  constexpr std::size_t kMaxFiles = 3;
  if (files.size() > kMaxFiles) return "--profile NAME=FILE";
  std::vector<std::string> options;
  for (const std::string& file : files)
    options.push_back(fmt::format("--profile {}={}", std::filesystem::path(file).stem().string(), file));
  return fmt::format("{}", fmt::join(options, " "));
}

/// "b.csv is 15 % faster than a.csv; processes of one build rarely differ that much", of two processes.
std::string faster_text(const std::vector<project::ProcessEstimate>& two) {
  const auto [fast, slow] = std::ranges::minmax(two, {}, &project::ProcessEstimate::value);
  return fmt::format("{} is {} faster than {}; processes of one build rarely differ that much", fast.name,
                     io::views::percent_text(1 - fast.value / slow.value, 2), slow.name);
}

/// Whether a total of any configuration is_wide().
bool any_is_wide(const project::Projection& projection) {
  return std::ranges::any_of(projection.configurations,
                             [](const auto& c) { return std::ranges::any_of(c.metrics, is_wide); });
}

}  // namespace

void tell(const Projected& p, Console& console) {
  tell(p.inputs, p.measured, console);
  warn_of_utilisation(p.projection, console);
  tell(p.request, p.inputs, p.projection, console);
  if (!p.compared.empty()) console.note(p.compared);
  examine_truths(p, console);
}

bool processes_disagree(const project::Projection& projection) {
  const auto disagree = [&](const project::ConfigurationProjection& c) {
    return std::ranges::any_of(c.speedups, [](const project::Speedup& speedup) { return !speedup.processes_agree; });
  };
  const std::vector<project::ConfigurationProjection>& all = projection.configurations;
  return all.size() == 1 ? !all.front().processes_agree.value_or(true) : std::ranges::any_of(all, disagree);
}

std::string disagreement_text(const project::ConfigurationProjection& c) {
  if (c.processes_agree.value_or(true)) return "";
  if (c.apart)
    return fmt::format(
        "batches in a row took {:.2g} times as long as the points predict: which is the epoch's time "
        "cannot be told",
        *c.apart);
  std::vector<std::string> times;
  for (const project::ProcessEstimate& process : c.process_estimates)
    times.push_back(io::views::duration_text(process.value, 3));
  return fmt::format("processes disagree ({}): which {} disturbed cannot be told", fmt::join(times, ", "),
                     times.size() == 2 ? "one was" : "of them were");
}

std::string processor_time_text(const project::ConfigurationProjection& c) {
  if (!c.processor_s) return "";
  return fmt::format("{} of CPU time: the job waits, for data or for processors that other programs use",
                     io::views::duration_text(*c.processor_s, 3));
}

void warn_of_disagreement(const Projected& p, Console& console) {
  for (std::size_t i = 0; i < p.projection.configurations.size(); ++i) {
    const project::ConfigurationProjection& c = p.projection.configurations[i];
    const std::string text = disagreement_text(c);
    if (text.empty()) continue;
    const std::vector<std::string>& files = p.request.configurations[i].second;
    const bool is_of_files = std::ranges::all_of(c.process_estimates, [&](const project::ProcessEstimate& process) {
      return std::ranges::find(files, process.name) != files.end();
    });
    const std::string other =
        is_of_files ? fmt::format("; if they are two builds or machines, name each: {}", named(files)) : "";
    if (is_of_files && c.process_estimates.size() == 2)
      console.warn(faster_text(c.process_estimates), "measure in a third process" + other);
    else
      console.warn(fmt::format("{}: {}", c.name, text), "measure in more processes, on an idle machine" + other);
  }
}

std::string examine_width(const Projected& p) {
  if (p.request.explain || !any_is_wide(p.projection)) return "";
  const findings::Diagnosis diagnosis = p.diagnosis ? *p.diagnosis : diagnosis_of(p, false);
  double widest = 0;
  std::string about_widest;
  for (const findings::Series& series : diagnosis.series) {
    const auto& c =
        *std::ranges::find(p.projection.configurations, series.configuration, &project::ConfigurationProjection::name);
    if (!series.width || !has_wide(c, series.metric) || !c.processes_agree.value_or(true)) continue;
    const project::MetricProjection& metric = *project::find_metric(c, series.metric);
    if (const double half = project::relative_half_width(metric.value, metric.interval); half > widest) {
      widest = half;
      const std::string name = prefix_of(c, p.projection) + (c.metrics.size() > 1 ? series.metric + ": " : ""),
                        about = about_width(series, p.measured.findings);
      about_widest = about.empty()
                         ? ""
                         : fmt::format("{}± {}{} (details: --explain)", name, io::views::percent_text(half, 2), about);
    }
  }
  return about_widest;
}

Exit report_partial(const Projected& p, Console& console, const std::string& hint) {
  Exit status = kDone;
  for (const project::ConfigurationProjection& c : p.projection.configurations) {
    if (c.partial.empty()) continue;
    const std::string text = fmt::format("{}: {}", c.name, c.partial);
    if (p.request.allow_partial) {
      console.warn(text, "measure what is missing");
    } else {
      console.error(text, hint);
      status = kGateFailed;
    }
  }
  return status;
}

}  // namespace seqpoint::cli::commands
