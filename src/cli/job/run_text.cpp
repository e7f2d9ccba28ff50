#include "cli/job/run_text.hpp"

#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "cli/commands/project.hpp"
#include "cli/terminal.hpp"
#include "core/measuring/price.hpp"
#include "core/project/projection.hpp"
#include "io/text/command_words.hpp"
#include "io/text/escape.hpp"
#include "io/views/amounts.hpp"
#include "io/views/ci.hpp"
#include "io/views/tables.hpp"
#include "io/views/where.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::job {
namespace {

using io::views::duration_text;
using measuring::Stop;
using project::ConfigurationProjection;
using project::MetricProjection;

const MetricProjection& epoch_of(const ConfigurationProjection& c) {
  return *project::find_metric(c, measuring::kMetric);
}

/// "+4.1 %": the growth of the epoch over the baseline's, computed from the speedup. With so many decimals, and "+" for
/// what they make 0.
std::string growth_text(double speedup, int decimals) {
  const std::string text = fmt::format("{:.{}f}", std::abs(100 * (1 / speedup - 1)), decimals);
  const bool is_less = speedup > 1 && text.find_first_not_of("0.") != std::string::npos;
  return fmt::format("{}{} %", is_less ? '-' : '+', text);
}

/// Decimals of growth_text(): two digits of half the interval.
int decimals_of_growth(const project::Speedup& speedup) {
  constexpr int kDigits = 2, kMost = 2;
  project::IntervalOrReason growth = speedup.interval;
  if (growth && growth->low > 0) growth = project::Interval{100 / growth->high - 100, 100 / growth->low - 100};
  return std::min(io::views::decimals_of(100 * (1 / speedup.value - 1), growth, kDigits), kMost);
}

/// "6.05 min"
std::string epoch_amount(const MetricProjection& epoch) { return io::views::Amounts(epoch).text(epoch.value); }

std::string range_text(const MetricProjection& epoch) { return io::views::Amounts(epoch).range(*epoch.interval); }

/// A time of measuring, with three digits.
std::string measuring_text(double seconds) { return duration_text(seconds, 3); }

/// "17,900 tokens/s (20,800 padded), 110 samples/s", as far as the run knows them; empty without a throughput.
std::string tokens_text(const ConfigurationProjection& c) {
  if (!c.throughput) return "";
  const auto whole = [](double rate) { return grouped(static_cast<std::uint64_t>(std::llround(rate))); };
  const std::string padded = whole(c.throughput->padded_tokens_per_s);
  const std::string tokens = c.throughput->tokens_per_s
                                 ? fmt::format("{} tokens/s ({} padded)", whole(*c.throughput->tokens_per_s), padded)
                                 : padded + " padded tokens/s";
  const double samples = c.throughput->samples_per_s;
  std::string text =
      fmt::format("{}, {} samples/s", tokens, samples < 1000 ? fmt::format("{:.3g}", samples) : whole(samples));
  if (c.throughput->mfu) text += fmt::format(", MFU {:.2g} %", 100 * *c.throughput->mfu);
  return text;
}

/// What the figures are of: "epoch", or "3 epochs".
std::string name_of_run(const ResultFacts& facts) {
  return facts.epochs.empty() ? "epoch" : fmt::format("{} epochs", facts.epochs.size());
}

/// A line for each epoch, of all builds.
std::string epoch_lines(const std::vector<project::Projection>& epochs) {
  std::string lines;
  for (std::size_t e = 0; e < epochs.size(); ++e) {
    std::string text;
    for (const ConfigurationProjection& c : epochs[e].configurations) {
      const MetricProjection& epoch = epoch_of(c);
      text += (text.empty() ? "" : ", ") + (epochs[e].configurations.size() > 1 ? c.name + " " : "");
      text += epoch_amount(epoch) + (epoch.interval ? " (" + range_text(epoch) + ")" : "");
    }
    lines += step_line(fmt::format("epoch {}", e), text) + "\n";
  }
  return lines;
}

std::string single_epoch(const ConfigurationProjection& c, const ResultFacts& facts) {
  const MetricProjection& epoch = epoch_of(c);
  const std::string interval = epoch.interval ? "95 %: " + range_text(epoch) : "no interval";
  return step_line(name_of_run(facts), fmt::format("{}   {}   {}", epoch_amount(epoch), interval, tokens_text(c))) +
         "\n";
}

/// The time of the batches that the trainer states, as by max_steps, beside that of a pass, or the other way round: in
/// proportion to their numbers. Empty if both are as many.
std::string steps_line(const ConfigurationProjection& c, const ResultFacts& facts) {
  if (facts.stated == facts.of_pass || facts.of_pass == 0 || facts.stated == 0) return "";
  const bool beyond = facts.stated > facts.of_pass;  // then the epoch is a pass
  const auto stated = static_cast<double>(facts.stated), pass = static_cast<double>(facts.of_pass);
  const double times = beyond ? stated / pass : pass / stated;
  MetricProjection other = epoch_of(c);
  other.value *= times;
  if (other.interval) other.interval = project::Interval{other.interval->low * times, other.interval->high * times};
  const std::string range = other.interval ? "   95 %: " + range_text(other) : "",
                    what = beyond ? fmt::format("{} batches, as the trainer states, {:.3g} passes",
                                                grouped(facts.stated), times)
                                  : fmt::format("a pass of {} batches; the trainer states {}", grouped(facts.of_pass),
                                                grouped(facts.stated));
  return step_line(beyond ? "training" : "pass", fmt::format("{}{}   {}", epoch_amount(other), range, what)) + "\n";
}

/// One row per build: its epoch, and its growth over the baseline. The header calls the intervals two-sided if a
/// verdict follows, because one-sided bounds decide the verdict.
std::string table_of(const project::Projection& projection, const ResultFacts& facts, bool has_verdict) {
  const std::string interval = has_verdict ? "95 %, two-sided" : "95 %";
  io::views::TextTable table{
      .rows = {{"", name_of_run(facts), interval, "vs " + projection.baseline, interval, "throughput"}}};
  double least = epoch_of(projection.configurations.front()).value;
  for (const ConfigurationProjection& c : projection.configurations) least = std::min(least, epoch_of(c).value);
  for (const ConfigurationProjection& c : projection.configurations) {
    const MetricProjection& epoch = epoch_of(c);
    const io::views::Amounts amounts(epoch, least);
    std::vector<std::string> row{
        c.name,        amounts.text(epoch.value), epoch.interval ? amounts.range(*epoch.interval) : "", "", "",
        tokens_text(c)};
    const auto to_base = std::ranges::find(c.speedups, measuring::kMetric, &project::Speedup::metric);
    if (c.name != projection.baseline && to_base != c.speedups.end()) {
      const int decimals = decimals_of_growth(*to_base);
      row[3] = growth_text(to_base->value, decimals);
      if (to_base->interval)
        row[4] = fmt::format("{} to {}", growth_text(to_base->interval->high, decimals),
                             growth_text(to_base->interval->low, decimals));
    }
    table.rows.push_back(std::move(row));
  }
  return io::views::as_text(table, columns_of_terminal(STDOUT_FILENO)) + "\n";
}

/// The line of a verdict. What makes the difference has a line of its own.
std::string verdict_text(project::Check check) {
  check.where.clear();
  return io::views::sentence_of(check);
}

/// Batches that were run to measure all builds.
std::uint64_t batches_of(const project::Projection& projection) {
  std::uint64_t batches = 0;
  for (const ConfigurationProjection& c : projection.configurations) batches += c.executed.executions;
  return batches;
}

/// One line for each build whose cold start is a large share of the epoch, because epoch times exclude cold start.
std::string cold_start_lines(const project::Projection& projection) {
  std::string lines;
  for (const ConfigurationProjection& c : projection.configurations)
    for (const project::ColdStart& cost : c.cold_start)
      if (cost.metric == measuring::kMetric && project::is_worth_adding(cost, epoch_of(c)))
        lines += step_line("cold", fmt::format("{}the first epoch of a process takes about {} more, {}",
                                               projection.configurations.size() > 1 ? c.name + ": " : "",
                                               io::views::rough_duration(cost.about()), io::views::limit_text(cost))) +
                 "\n";
  return lines;
}

/// The CPU time of each build whose epoch takes much longer.
std::string processor_lines(const project::Projection& projection) {
  std::string lines;
  for (const ConfigurationProjection& c : projection.configurations)
    if (c.processor_s)
      lines += step_line("CPU", (projection.configurations.size() > 1 ? c.name + ": " : "") +
                                    commands::processor_time_text(c)) +
               "\n";
  return lines;
}

/// Where the difference of each other build lies: by phases, and by lengths if they differ.
std::string where_lines(const project::Projection& projection) {
  std::string lines;
  for (const ConfigurationProjection& c : projection.configurations) {
    const std::string name = projection.configurations.size() > 2 ? c.name + ": " : "",
                      where = io::views::where_or_nowhere(c), by_length = io::views::by_length_text(c);
    if (!where.empty()) lines += step_line("where", name + where) + "\n";
    if (!by_length.empty()) lines += step_line("lengths", name + by_length) + "\n";
  }
  return lines;
}

/// The first inconclusive check; null if there is none.
const project::Check* find_undecided(const project::Gates& gates) {
  const auto found = std::ranges::find(gates.checks, project::Verdict::inconclusive, &project::Check::verdict);
  return found == gates.checks.end() ? nullptr : &*found;
}

/// Seconds of so many further processes of each build.
double seconds_of_more(std::uint64_t more, const project::Projection& projection, const ResultFacts& facts) {
  const std::uint64_t steps = measuring::steps_of_round(more * projection.configurations.size(), facts.parallel);
  return facts.start_s * static_cast<double>(steps);
}

/// "6 more processes of each build, 2 min 10 s", by the seconds of those so far, with start-up.
std::string more_processes_text(std::uint64_t more, const project::Projection& projection, const ResultFacts& facts) {
  return fmt::format("{}{}, {}", counted(more, "more process"),
                     projection.configurations.size() > 1 ? " of each build" : "",
                     duration_text(seconds_of_more(more, projection, facts)));
}

/// What was not reached, after "; ": without gates the precision; else the smallest slowdown that an inconclusive gate
/// would find. Empty if every gate is decided.
std::string shortfall_text(const project::Projection& projection, const project::Gates& gates,
                           const measuring::StopRule& rule, const ResultFacts& facts) {
  if (gates.checks.empty()) {
    std::string text = fmt::format("; ± {}, wanted ± {}", io::views::percent_text(measuring::widest(projection), 2),
                                   io::views::typed_percent(rule.precision));
    const auto enough = measuring::processes_for(projection, rule.precision);
    if (enough && *enough > facts.processes)
      text += ": about " + more_processes_text(*enough - facts.processes, projection, facts);
    return text;
  }
  const project::Check* const open = find_undecided(gates);
  if (open == nullptr || !open->detectable) return "";
  return fmt::format("; the smallest slowdown to be found is {}", io::views::typed_percent(*open->detectable));
}

/// Said of a result of one process.
constexpr std::string_view kOneProcess = "one process cannot show how far processes differ: that is assumed";

/// What is seldom asked for: lines that only --verbose prints.
std::string details_of(const project::Projection& projection, const ResultFacts& facts) {
  std::string text = processor_lines(projection);
  if (!facts.wider.empty()) text += step_line("wider", facts.wider) + "\n";
  if (!facts.first.empty()) text += step_line("first", facts.first) + "\n";
  if (!facts.in_a_row.empty()) text += step_line("in a row", facts.in_a_row) + "\n";
  for (const std::string& line : facts.compiled) text += step_line("compiled", line) + "\n";
  for (const std::string& kept : facts.untouched) text += step_line("untouched", kept) + "\n";
  return text;
}

std::string stopped_text(const project::Projection& projection, const project::Gates& gates,
                         const measuring::StopRule& rule, const ResultFacts& facts) {
  std::string shortfall = shortfall_text(projection, gates, rule, facts);
  if (facts.processes == 1) shortfall.insert(0, fmt::format("; {}", kOneProcess));
  switch (facts.stopped) {
    case Stop::precise:
      return fmt::format("the interval is within ± {} (--precision)", io::views::typed_percent(rule.precision));
    case Stop::decided: return "the comparison is decided";
    case Stop::processes: return fmt::format("{} (--max-processes){}", counted(facts.processes, "process"), shortfall);
    case Stop::time:
      return fmt::format("another process would end after {} (--max-time){}", duration_text(rule.max_seconds),
                         shortfall);
    case Stop::gain: return fmt::format("another process would hardly narrow the interval{}", shortfall);
    case Stop::wider: return fmt::format("the last process has made the interval wider{}", shortfall);
    case Stop::said:
      return fmt::format("another process may end after {}, which was said to be the most{}",
                         io::views::rough_duration(facts.said.most_s), shortfall);
    case Stop::price: return fmt::format("another process would cost more in all than a whole epoch{}", shortfall);
    case Stop::go_on: return "";
  }
  return "";
}

/// The number of processes of a build after which an inconclusive gate will probably be decided, if its figure stays,
/// or the precision is reached. Twice the maximum of the rule if that is not known.
std::uint64_t enough_processes(const project::Projection& projection, const project::Gates& gates,
                               const measuring::StopRule& rule, const ResultFacts& facts) {
  const project::Check* const open = find_undecided(gates);
  if (open != nullptr && open->more_processes) return facts.processes + *open->more_processes;
  if (gates.checks.empty())
    if (const auto enough = measuring::processes_for(projection, rule.precision)) return *enough;
  return 2 * rule.max_processes;
}

/// Whether `processes` processes of each build in all run more batches than one whole epoch of each build, or the run
/// takes longer with them.
bool exceeds_epochs(std::uint64_t processes, const project::Projection& projection, const ResultFacts& facts) {
  const double rounds = static_cast<double>(processes) / static_cast<double>(facts.processes);
  const auto whole = static_cast<double>(projection.configurations.size() * facts.iterations);
  if (facts.iterations > 0 && rounds * static_cast<double>(batches_of(projection)) > whole) return true;
  const double more_s = seconds_of_more(processes - facts.processes, projection, facts);
  return facts.cost.seconds + more_s > seconds_of_epochs(projection);
}

/// " --precision 3%", which a folder does not keep; empty if it is the default, or gates decide.
std::string precision_option(const measuring::StopRule& rule) {
  if (rule.gated || rule.precision == measuring::StopRule().precision) return "";
  return fmt::format(" --precision {:.3g}%", 100 * rule.precision);
}

std::string cheaper_epoch_text(const std::string& resume) {
  return fmt::format("a whole epoch costs less than more processes: {} --record", resume);
}

/// The command that measures in so many processes of each build, or one that costs less; empty: there is none.
std::string more_text(std::uint64_t processes, const project::Projection& projection, const project::Gates& gates,
                      const measuring::StopRule& rule, const ResultFacts& facts) {
  const std::string resume = resume_command(facts.folder);
  if (gates.checks.empty() && facts.epochs.empty() && !facts.times_epochs &&
      exceeds_epochs(processes, projection, facts))
    return facts.has_epoch ? "" : cheaper_epoch_text(resume);
  return fmt::format("{}{} --max-processes {}{}", resume, precision_option(rule), processes, facts.outputs);
}

/// A verdict that was looked for to the end has spent its chance of being wrong, so more processes do not decide it.
constexpr std::string_view kAnew =
    "and another folder (-o): the looks at this one have used up the 5 % of a wrong verdict";

}  // namespace

std::string step_line(const std::string& step, const std::string& text) {
  return fmt::format("{:<11}{}", step + " ", io::text::printable(text));
}

std::string resume_command(const std::string& folder) {
  return "seqpoint run --resume " + io::text::shell_words(std::vector{folder});
}

std::string order_text(const trace::RunSummary& run, const std::vector<const io::artifacts::JobStart*>& starts) {
  const io::artifacts::JobStart* const start = starts.empty() ? nullptr : starts.front();
  std::string text = start == nullptr || start->loader.empty() ? "" : start->loader + ": ";
  text += fmt::format("{} batches, {}", grouped(run.iterations), counted(run.histogram.size(), "shape"));
  if (run.tokens && run.padded_tokens > 0 && run.kind != trace::ShapeKind::varlen)
    text += fmt::format(", padding {:.0f} %",
                        100 - 100 * static_cast<double>(*run.tokens) / static_cast<double>(run.padded_tokens));
  if (run.loaded > 0) text += fmt::format(", by {} of them", grouped(run.loaded));
  if (start == nullptr) return text;
  if (!start->counted.empty()) text += "; length = " + start->counted;
  double seconds = 0;
  for (const io::artifacts::JobStart* const each : starts) seconds += each->seconds;
  text += "   " + measuring_text(seconds);
  return starts.size() > 1 ? text + fmt::format(" in {} starts, one of each build", starts.size()) : text;
}

std::string draws_text(double spread) {
  return fmt::format("no seed: each start draws other batches, and epochs differ by ± {}",
                     io::views::percent_text(normal_quantile(0.975) * spread, 2));
}

std::string epoch_text(const ConfigurationProjection& c) {
  const MetricProjection& epoch = epoch_of(c);
  return fmt::format("{} ({})", epoch_amount(epoch), epoch.interval ? range_text(epoch) : "no interval yet");
}

std::string first_text(double ratio, double error, bool counts) {
  return fmt::format("executions take {:.1f} ± {:.1f} % {} than later ones, and {}", 100 * std::abs(ratio), 100 * error,
                     ratio < 0 ? "less" : "longer",
                     counts ? "count: further processes measure twice as many points, once each" : "do not count");
}

double seconds_of_epochs(const project::Projection& projection) {
  double seconds = 0;
  for (const ConfigurationProjection& c : projection.configurations) seconds += epoch_of(c).value;
  return seconds;
}

double seconds_of(const trace::Trace& epoch) {
  double seconds = 0;
  if (const trace::Metric* const times = epoch.find_metric(std::string(measuring::kMetric)))
    for (const double value : times->values) seconds += value;
  return seconds;
}

std::string recorded_text(const std::string& name, const trace::Trace& epoch, const std::string& path) {
  return fmt::format("{}: {} in {} batches, {}", name, duration_text(seconds_of(epoch)), grouped(epoch.size()), path);
}

std::string cost_text(const io::artifacts::RunCost& cost, const WholeEpochs& whole) {
  std::string text = fmt::format("{} in all: {}", measuring_text(cost.seconds), counted(cost.starts, "start"));
  if (cost.orders > 1) text += fmt::format(", {} of them for orders", cost.orders);
  text += ", " + grouped(cost.batches);
  if (whole.builds == 1 && whole.epochs == 1 && cost.batches < whole.iterations)
    text += " of " + grouped(whole.iterations);
  text += whole.epochs > 1 ? fmt::format(" batches; {} epochs", whole.epochs) : " batches; an epoch";
  text += fmt::format("{} take{} ", whole.builds > 1 ? " of each" : "", whole.epochs > 1 ? "" : "s");
  const double factor = whole.seconds / cost.seconds;
  if (!(factor >= io::views::kFewerFrom)) return text + duration_text(whole.seconds);
  return text + (factor < 10 ? fmt::format("{:.1f} times as long", factor)
                             : grouped(static_cast<std::uint64_t>(std::llround(factor))) + " times as long");
}

std::string cost_of_result(const project::Projection& projection, const ResultFacts& facts) {
  const WholeEpochs epochs{.builds = projection.configurations.size(),
                           .epochs = std::max<std::size_t>(facts.epochs.size(), 1),
                           .iterations = facts.iterations,
                           .seconds = seconds_of_epochs(projection)};
  return cost_text(facts.cost, epochs) + (facts.overrun.empty() ? "" : "; " + facts.overrun);
}

std::string next_text(const project::Projection& projection, const project::Gates& gates,
                      const measuring::StopRule& rule, const ResultFacts& facts) {
  if (!facts.anew.empty()) return facts.anew;
  const std::string resume = resume_command(facts.folder), same = resume + precision_option(rule);
  switch (facts.stopped) {
    case Stop::decided:
    case Stop::go_on: return "";
    case Stop::precise: {
      const double half = std::min(rule.precision, measuring::widest(projection)) / 2;
      return fmt::format("{} --precision {:.2g}%{}", resume, 100 * half, facts.outputs);
    }
    case Stop::processes: {
      const std::uint64_t processes =
          std::min(enough_processes(projection, gates, rule, facts), select::kMaxPlannedProcesses);
      if (processes <= rule.max_processes) return "";
      if (!gates.checks.empty() && !facts.disagree)
        return fmt::format("the same with --max-processes {} {}", processes, kAnew);
      return more_text(processes, projection, gates, rule, facts);
    }
    case Stop::wider:
    case Stop::said: {
      const auto enough = measuring::processes_for(projection, rule.precision);
      return more_text(enough.value_or(rule.max_processes), projection, gates, rule, facts);
    }
    case Stop::time:
      if (find_undecided(gates) != nullptr && !facts.disagree)
        return fmt::format("the same with a longer --max-time {}", kAnew);
      return same + facts.outputs;
    case Stop::gain: return "";
    case Stop::price:
      if (!gates.checks.empty())
        return fmt::format("the same with --max-time, which allows more than an epoch costs, {}", kAnew);
      if (facts.epochs.empty() && !facts.times_epochs) return facts.has_epoch ? "" : cheaper_epoch_text(resume);
      return same + " --max-time 1h" + facts.outputs;
  }
  return "";
}

std::string result_text(const project::Projection& projection, const project::Gates& gates,
                        const measuring::StopRule& rule, const ResultFacts& facts) {
  std::string text;
  for (const project::Check& check : gates.checks) text += verdict_text(check) + "\n";
  text += where_lines(projection) + epoch_lines(facts.epochs);
  text += projection.configurations.size() == 1 ? single_epoch(projection.configurations.front(), facts) +
                                                      steps_line(projection.configurations.front(), facts)
                                                : table_of(projection, facts, !gates.checks.empty());
  text += cold_start_lines(projection);
  text += step_line("cost", cost_of_result(projection, facts)) + "\n";
  if (facts.verbose) text += details_of(projection, facts);
  if (facts.stopped != Stop::go_on) text += step_line("stopped", stopped_text(projection, gates, rule, facts)) + "\n";
  if (!facts.files.empty()) text += step_line("files", facts.files) + "\n";
  const std::string next = next_text(projection, gates, rule, facts);
  return text + step_line("next", next.empty() ? facts.page : next) + "\n";
}

}  // namespace seqpoint::cli::job
