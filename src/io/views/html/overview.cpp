#include "io/views/html/overview.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/project/projection.hpp"
#include "io/text/escape.hpp"
#include "io/views/html/figure.hpp"
#include "io/views/html/svg.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::views::html {
namespace {

constexpr std::size_t kMaxCards = 12;  // the table of configurations has all
constexpr auto kRangeDash = " – ";

/// A rounded number with the exact one as its tooltip.
std::string data_html(double exact, const std::string& text) {
  return fmt::format("<data value=\"{}\">{}</data>", full_precision(exact), text::xml_text(text));
}

/// A rate with four significant digits. Whole numbers have groups of three digits.
std::string rate_html(double rate) {
  const std::string text = number_text(rate);
  const bool is_whole = text.find_first_not_of("0123456789") == std::string::npos;
  return data_html(rate, is_whole ? grouped(std::stoull(text)) : text);
}

/// The time metric of the throughput, else the first metric that is finite; null if there is none.
const project::MetricProjection* main_metric(const project::ConfigurationProjection& configuration) {
  const project::MetricProjection* first = nullptr;
  for (const project::MetricProjection& metric : configuration.metrics) {
    if (!std::isfinite(metric.value)) continue;
    if (configuration.throughput && metric.name == configuration.throughput->time_metric) return &metric;
    if (first == nullptr) first = &metric;
  }
  return first;
}

/// "LOW – HIGH (95 %)"; "no interval" with its reason if there is none.
std::string interval_html(const project::MetricProjection& metric, double confidence) {
  if (!metric.interval)
    return "no interval" + (metric.interval.reason.empty() ? "" : ": " + text::xml_text(metric.interval.reason));
  return data_html(metric.interval->low, amount_text(metric, metric.interval->low)) + kRangeDash +
         data_html(metric.interval->high, amount_text(metric, metric.interval->high)) + " (" +
         confidence_text(confidence) + ")";
}

/// A name and its value, which is HTML.
struct Fact {
  std::string name, value;
};

/// "+17 %" and its interval, of a total over the baseline's.
std::string change_html(const project::Speedup& speedup) {
  std::string html = fmt::format("<b>{}</b>", signed_percent(change_of(speedup.value)));
  if (const auto interval = change_of(speedup.interval); interval && interval->low < interval->high)
    html += fmt::format(" ({} to {})", signed_percent(interval->low), signed_percent(interval->high));
  return html;
}

/// How many points are missing; empty if all are measured. Shown next to the figure, because the figure then depends on
/// predictions for the missing points.
std::string incomplete_html(const project::ConfigurationProjection& configuration,
                            const project::MetricProjection& metric) {
  if (metric.measured_weight >= 1) return "";
  return fmt::format("<p class=incomplete>{} missing: measured for {} of the run</p>\n",
                     counted(configuration.missing_points.size(), "point"), percent_text(metric.measured_weight, 4));
}

/// The measured total of the whole run, and the projection's difference from that total; empty if it was not measured.
std::vector<Fact> truth_facts(const report::Report& report, const std::string& configuration,
                              const project::MetricProjection& metric) {
  for (const report::MeasuredTotal& total : report.measured_totals) {
    if (total.configuration != configuration || total.metric != metric.name) continue;
    const std::string sign = total.difference > 0 ? "+" : "";
    const std::string where = !total.inside ? "" : *total.inside ? ", inside the interval" : ", outside the interval";
    return {{"whole epoch", data_html(total.measured, amount_text(metric, total.measured))},
            {"prediction error", sign + percent_text(total.difference) + where}};
  }
  return {};
}

/// "samples/s"; with the name of the time metric if it is not the card's.
std::string rate_name(const char* name, const project::Throughput& throughput,
                      const project::MetricProjection& metric) {
  if (throughput.time_metric == metric.name) return name;
  return fmt::format("{} by <bdi>{}</bdi>", name, text::xml_text(throughput.time_metric));
}

/// Throughput, measuring cost, cold-start cost and, if it was measured, the whole run: as far as they are known.
std::vector<Fact> facts_of(const report::Report& report, const project::ConfigurationProjection& c,
                           const project::MetricProjection& metric) {
  std::vector<Fact> facts;
  if (c.throughput) {
    facts.push_back({rate_name("samples/s", *c.throughput, metric), rate_html(c.throughput->samples_per_s)});
    if (c.throughput->tokens_per_s)
      facts.push_back({rate_name("tokens/s", *c.throughput, metric), rate_html(*c.throughput->tokens_per_s)});
    if (c.throughput->mfu) facts.push_back({"MFU", percent_text(*c.throughput->mfu, 2)});
  }
  if (metric.per_epoch && *metric.per_epoch != metric.value)
    facts.push_back({"per epoch", data_html(*metric.per_epoch, amount_text(metric, *metric.per_epoch))});
  if (c.executed.executions > 0)
    facts.push_back({"measured", fmt::format("{} of {}{}", grouped(c.executed.executions),
                                             counted(report.source.run->iterations, "batch"),
                                             c.executed.warmup == 0 ? ", and warm-up" : "")});
  for (const project::ColdStart& cost : c.cold_start)
    if (cost.metric == metric.name && project::is_total_time(metric))
      facts.push_back({"cold start, not included", data_html(cost.about(), "about " + duration_text(cost.about()))});
  std::ranges::move(truth_facts(report, c.name, metric), std::back_inserter(facts));
  if (metric.name != "runtime_s")
    facts.push_back({"metric", fmt::format("<bdi>{}</bdi>", text::xml_text(metric.name))});
  return facts;
}

std::string card_html(const report::Report& report, std::size_t index) {
  const project::Projection& projection = *report.source.projection;
  const project::ConfigurationProjection& c = projection.configurations[index];
  std::string html = fmt::format(
      "<li class={}><p class=name><svg viewBox=\"-8 -8 16 16\" aria-hidden=true><path class=marker "
      "d=\"{}\"/></svg><bdi>{}</bdi>{}</p>\n",
      series_class(index), marker_path(index, 0, 0, 6), text::xml_text(c.name),
      c.name == projection.baseline ? "<i>baseline</i>" : "");
  const project::MetricProjection* const metric = main_metric(c);
  if (metric == nullptr) return html + "<p class=small>nothing measured</p></li>\n";
  html += fmt::format("<p class=big>{}</p>\n{}<p class=small>{}</p>\n<dl>",
                      data_html(metric->value, amount_text(*metric, metric->value)), incomplete_html(c, *metric),
                      interval_html(*metric, projection.confidence));
  std::vector<Fact> facts = facts_of(report, c, *metric);
  const project::Speedup* const speedup = find_speedup(c, metric->name);
  if (speedup != nullptr && c.name != projection.baseline)
    facts.insert(facts.begin(),
                 {fmt::format("vs <bdi>{}</bdi>", text::xml_text(projection.baseline)), change_html(*speedup)});
  for (const Fact& fact : facts) html += fmt::format("<dt>{}<dd>{}\n", fact.name, fact.value);
  return html + "</dl></li>\n";
}

/// The only configuration; null if there are several, or nothing was projected.
const project::ConfigurationProjection* only_configuration(const report::Report& report) {
  const project::Projection* const projection = report.source.projection;
  return projection != nullptr && projection->configurations.size() == 1 ? &projection->configurations.front()
                                                                         : nullptr;
}

/// "an epoch", "3 epochs"; "an epoch of FILE" if the points are of another run.
std::string epochs_text(const report::Report& report) {
  const project::Projection& projection = *report.source.projection;
  const std::uint64_t epochs = projection.target_run ? projection.target_run->run.epochs : report.source.run->epochs;
  return (epochs == 1 ? "an epoch" : counted(epochs, "epoch")) +
         (projection.target_run ? " of " + projection.target_run->source : "");
}

/// ", but a measured one took 120 s" if a whole run was measured whose total is outside the interval; else empty.
std::string refuted_text(const report::Report& report, const std::string& configuration,
                         const project::MetricProjection& metric) {
  for (const report::MeasuredTotal& total : report.measured_totals)
    if (total.configuration == configuration && total.metric == metric.name && total.inside && !*total.inside)
      return ", but a measured one took " + amount_text(metric, total.measured);
  return "";
}

/// "An epoch takes 90.8 s (81.0 s to 100 s)", with refuted_text().
std::string total_text(const report::Report& report, const project::ConfigurationProjection& c) {
  const project::MetricProjection* const metric = main_metric(c);
  if (metric == nullptr) return c.name + ": nothing measured";
  const std::string epochs = epochs_text(report), value = amount_text(*metric, metric->value),
                    refuted = refuted_text(report, c.name, *metric),
                    range = metric->interval ? fmt::format(" ({} to {})", amount_text(*metric, metric->interval->low),
                                                           amount_text(*metric, metric->interval->high))
                                             : " (no interval)";
  if (metric->name != "runtime_s") return fmt::format("{} of {}: {}{}{}", metric->name, epochs, value, range, refuted);
  const bool one = epochs.starts_with("an ");
  return fmt::format("{} {} {}{}{}", one ? "An" + epochs.substr(2) : epochs, one ? "takes" : "take", value, range,
                     refuted);
}

/// "new is 17 % slower than old", "new takes 14 % less time than old"; of another metric than a time "new has 17 % more
/// energy_j than old".
std::string difference_text(const std::string& name, const std::string& than, const std::string& metric,
                            double change) {
  const std::string percent = percent_text(std::abs(change), 2);
  if (!trace::is_time_metric(metric))
    return fmt::format("{} has {} {} {} than {}", name, percent, change < 0 ? "less" : "more", metric, than);
  return change < 0 ? fmt::format("{} takes {} less time than {}", name, percent, than)
                    : fmt::format("{} is {} slower than {}", name, percent, than);
}

/// The largest difference from the baseline of the configurations that were measured at every point, with its interval.
std::string comparison_text(const project::Projection& projection) {
  const project::Speedup* largest = nullptr;
  const project::ConfigurationProjection* who = nullptr;
  for (const project::ConfigurationProjection& c : projection.configurations) {
    const project::MetricProjection* const metric = main_metric(c);
    if (metric == nullptr || metric->measured_weight < 1) {
      if (c.name == projection.baseline) return "";
      continue;
    }
    const project::Speedup* const speedup = c.name == projection.baseline ? nullptr : find_speedup(c, metric->name);
    if (speedup == nullptr || !(speedup->value > 0)) continue;
    if (largest != nullptr && std::abs(std::log(speedup->value)) <= std::abs(std::log(largest->value))) continue;
    largest = speedup;
    who = &c;
  }
  if (largest == nullptr) return "";
  const std::optional<project::Interval> interval = change_of(largest->interval);
  const std::string range =
      interval ? fmt::format(" ({} to {})", signed_percent(interval->low), signed_percent(interval->high))
               : " (no interval)";
  if (interval && interval->low <= 0 && interval->high >= 0)
    return fmt::format("No difference is shown between {} and {}: {}{}", who->name, projection.baseline,
                       signed_percent(change_of(largest->value)), range);
  return difference_text(who->name, projection.baseline, largest->metric, change_of(largest->value)) + range;
}

/// The check that decides what a page says first: a failed one, else an inconclusive one, else the first.
const project::Check& first_to_tell(const project::Gates& gates) {
  const auto failed = std::ranges::find_if(
      gates.checks, [&](const project::Check& check) { return !project::passes(check, gates.inconclusive_fails); });
  if (failed != gates.checks.end()) return *failed;
  const auto open = std::ranges::find_if(
      gates.checks, [](const project::Check& check) { return check.verdict != project::Verdict::pass; });
  return open == gates.checks.end() ? gates.checks.front() : *open;
}

/// "new is 17 % slower than old (certainly at least 7.9 %); the limit is 5 %"; message_of() of any other check.
std::string verdict_text(const project::Check& check) {
  if (check.gate != project::Gate::max_regression || !check.value || !check.bounds) return message_of(check);
  const std::string limit = fmt::format("{:.3g} %", 100 * check.limit);
  if (check.verdict == project::Verdict::pass)
    return fmt::format("{} is not more than {} slower than {} (certainly at most {}){}", check.subject, limit,
                       check.reference, signed_percent(check.bounds->high), doubt_text(check));
  if (check.verdict != project::Verdict::fail) return message_of(check);
  return fmt::format("{} (certainly at least {}); the limit is {}{}",
                     difference_text(check.subject, check.reference, check.metric, *check.value),
                     percent_text(check.bounds->low, 2), limit, doubt_text(check));
}

/// "bins with 8 points has the smallest error: 1.8 % (RMS)".
std::string smallest_error_text(const evaluate::Evaluation& evaluation) {
  const auto best = std::ranges::min_element(evaluation.methods, {}, &evaluate::MethodScore::geomean_error);
  if (best == evaluation.methods.end()) return "No method was evaluated";
  return fmt::format("{} with {} has the smallest error: {} (RMS)", best->name, counted(best->points, "point"),
                     percent_text(best->geomean_error, 2));
}

/// The text as HTML, with the command at its end, if there is one, as code.
std::string with_command(const std::string& text) {
  const std::size_t at = text.find("seqpoint ");
  if (at == std::string::npos) return text::xml_text(text);
  return text::xml_text(text.substr(0, at)) + "<code>" + text::xml_text(text.substr(at)) + "</code>";
}

/// "8 points stand for 446 batches".
std::string points_text(const report::Report& report) {
  const std::size_t points = report.source.selection->points.size();
  return counted(points, "point") + (points == 1 ? " stands for " : " stand for ") +
         counted(report.source.run->iterations, "batch");
}

}  // namespace

Answer answer_of(const report::Report& report) {
  if (report.source.gates != nullptr && !report.source.gates->checks.empty()) {
    const project::Check& check = first_to_tell(*report.source.gates);
    const bool passes = project::passes(check, report.source.gates->inconclusive_fails);
    if (check.verdict == project::Verdict::inconclusive)
      return {"INCONCLUSIVE", verdict_text(check) + (passes ? "" : "; --on-inconclusive fail")};
    return {!passes ? "FAIL" : check.verdict == project::Verdict::pass ? "PASS" : "INCONCLUSIVE", verdict_text(check)};
  }
  if (report.source.evaluation != nullptr) return {"", smallest_error_text(*report.source.evaluation)};
  if (report.source.projection == nullptr) return {"", points_text(report)};
  if (const auto* const only = only_configuration(report)) return {"", total_text(report, *only)};
  const std::string difference = comparison_text(*report.source.projection);
  return {"", difference.empty() ? total_text(report, report.source.projection->configurations.front()) : difference};
}

std::string lead_text(const report::Report& report) {
  if (const evaluate::Evaluation* const evaluation = report.source.evaluation)
    return fmt::format("{} of points, compared with {} that were all measured: {}.",
                       counted(evaluation->methods.size(), "choice"), counted(evaluation->iterations, "batch"),
                       evaluation->metric);
  const project::Projection* const projection = report.source.projection;
  if (projection == nullptr) return "Nothing is measured yet.";
  const auto* const only = only_configuration(report);
  std::string text;
  if (only != nullptr && report.source.gates != nullptr && !report.source.gates->checks.empty())
    text = total_text(report, *only) + ". ";
  for (const project::ConfigurationProjection& c : projection->configurations)
    if (!c.missing_points.empty()) text += fmt::format("{} was not measured at every point. ", c.name);
  if (!projection->time_source.empty()) text += fmt::format("Times are of the kind {}. ", projection->time_source);
  const bool has_bounds =
      report.source.gates != nullptr &&
      std::ranges::any_of(report.source.gates->checks, [](const auto& c) { return c.bounds.has_value(); });
  return text + points_text(report) + ". Intervals are two-sided, " + confidence_text(projection->confidence) +
         ", for an epoch in a new process" + (has_bounds ? "; \"certainly\" is one bound, with 95 % or more." : ".");
}

std::string warnings_html(const report::Report& report, const PageTexts& texts) {
  std::vector<Annotation> warnings = texts.warnings;
  if (report.source.projection != nullptr)
    for (const project::ConfigurationProjection& c : report.source.projection->configurations)
      if (!c.partial.empty())
        warnings.push_back({.message = c.name + ": " + c.partial, .hint = "measure what is missing"});
  std::string html;
  for (const Annotation& warning : warnings)
    html += fmt::format("<li>{}{}</li>\n", text::xml_text(warning.message),
                        warning.hint.empty() ? "" : fmt::format("<p class=small>{}</p>", text::xml_text(warning.hint)));
  if (html.empty()) return "";
  return fmt::format("<div class=warnings role=note>\n<h2>{}</h2>\n<ul>\n{}</ul>\n</div>\n",
                     counted(warnings.size(), "warning"), html);
}

std::string cards_html(const report::Report& report) {
  if (report.source.projection == nullptr || only_configuration(report) != nullptr) return "";
  const project::Projection& projection = *report.source.projection;
  std::string html = "<ul class=cards>\n";
  for (std::size_t c = 0; c < std::min(kMaxCards, projection.configurations.size()); ++c) html += card_html(report, c);
  html += "</ul>\n";
  const std::size_t all = projection.configurations.size();
  return html + (all > kMaxCards ? fmt::format("<p class=small>{} in the table below.</p>\n",
                                               counted(all - kMaxCards, "other configuration"))
                                 : "");
}

std::string facts_html(const report::Report& report) {
  const trace::RunSummary& run = *report.source.run;
  std::vector<Fact> facts{{"batches", grouped(run.iterations)},
                          {"samples", grouped(run.samples)},
                          {"shapes", grouped(run.histogram.size())}};
  if (report.source.selection != nullptr) facts.push_back({"points", grouped(report.source.selection->points.size())});
  if (run.tokens && run.padded_tokens > 0 && *run.tokens <= run.padded_tokens)
    facts.push_back(
        {"padding", percent_text(1 - static_cast<double>(*run.tokens) / static_cast<double>(run.padded_tokens), 2)});
  if (report.source.projection != nullptr && report.source.projection->overheads)
    facts.push_back({"overhead, included", duration_text(report.source.projection->overheads->seconds)});
  if (const auto* const only = only_configuration(report))
    if (const project::MetricProjection* const metric = main_metric(*only))
      std::ranges::move(facts_of(report, *only, *metric), std::back_inserter(facts));
  std::string html = "<dl class=facts>\n";
  for (const Fact& fact : facts) html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", fact.name, fact.value);
  return html + "</dl>\n";
}

std::string origin_html(const PageTexts& texts) {
  std::string html;
  if (!texts.next.empty()) html += fmt::format("<p class=next><b>Next:</b> {}</p>\n", with_command(texts.next));
  if (texts.facts.empty()) return html;
  html += "<dl class=origin>\n";
  for (const auto& [name, value] : texts.facts)
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, text::xml_text(value));
  return html + "</dl>\n";
}

}  // namespace seqpoint::io::views::html
