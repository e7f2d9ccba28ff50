#include "io/views/html/overview.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/project/projection.hpp"
#include "io/text/escape.hpp"
#include "io/views/html/figure.hpp"
#include "io/views/html/scale.hpp"
#include "io/views/html/svg.hpp"

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
  return data_html(rate, text.find_first_not_of("0123456789") == std::string::npos ? group_thousands(text) : text);
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

/// A name and its value, which is HTML, in a description list.
std::string row_html(const std::string& name, const std::string& value) {
  return fmt::format("<dt>{}<dd>{}\n", name, value);
}

/// "1.23×", and its interval if it has a width.
std::string speedup_html(const project::Speedup& speedup) {
  std::string html = fmt::format("<b>{}</b>", data_html(speedup.value, number_text(speedup.value, 3) + "×"));
  if (speedup.interval && speedup.interval->low < speedup.interval->high)
    html += " " + data_html(speedup.interval->low, number_text(speedup.interval->low, 3)) + kRangeDash +
            data_html(speedup.interval->high, number_text(speedup.interval->high, 3));
  return html;
}

/// How many points are missing; empty if all are measured. Shown next to the figure, because the figure then depends on
/// predictions for the missing points.
std::string incomplete_html(const project::ConfigurationProjection& configuration,
                            const project::MetricProjection& metric) {
  if (metric.measured_weight >= 1) return "";
  return fmt::format("<p class=incomplete>{} missing: measured for {} of the run</p>\n",
                     count_text(configuration.missing_points.size(), "point"), percent_text(metric.measured_weight, 4));
}

/// The measured total of the whole run, and the projection's difference from that total; empty if it was not measured.
std::string measured_html(const report::Report& report, const std::string& configuration,
                          const project::MetricProjection& metric) {
  for (const report::MeasuredTotal& total : report.measured_totals) {
    if (total.configuration != configuration || total.metric != metric.name) continue;
    const std::string sign = total.difference > 0 ? "+" : "";
    const std::string where = !total.inside ? "" : *total.inside ? ", inside the interval" : ", outside the interval";
    return row_html("measured in full", data_html(total.measured, amount_text(metric, total.measured))) +
           row_html("projected", sign + percent_text(total.difference) + where);
  }
  return "";
}

/// "samples/s"; with the name of the time metric if it is not the card's.
std::string rate_name(const char* name, const project::Throughput& throughput,
                      const project::MetricProjection& metric) {
  if (throughput.time_metric == metric.name) return name;
  return fmt::format("{} by <bdi>{}</bdi>", name, text::xml_text(throughput.time_metric));
}

/// Measuring cost, and cold-start cost; empty if the output file lacks them.
std::string executions_html(const project::ConfigurationProjection& configuration,
                            const project::MetricProjection& metric) {
  std::string html;
  const project::Executed& executed = configuration.executed;
  const std::string fewer = executed.warmup == 0 ? " and warm-up, which the profile does not show"
                            : executed.fewer < kFewerFrom
                                ? ""
                                : fmt::format(", {}× fewer", data_html(executed.fewer, number_text(executed.fewer, 3)));
  if (executed.executions > 0)
    html = row_html("batches run to measure it", group_thousands(std::to_string(executed.executions)) + fewer);
  for (const project::ColdStart& cost : configuration.cold_start)
    if (cost.metric == metric.name && project::is_total_time(metric))
      html += row_html("cold start, not included", data_html(cost.about(), "about " + duration_text(cost.about())));
  return html;
}

std::string card_html(const report::Report& report, std::size_t index) {
  const project::Projection& projection = *report.source.projection;
  const project::ConfigurationProjection& c = projection.configurations[index];
  const bool baseline = c.name == projection.baseline;
  std::string html = fmt::format(
      "<li class={}><p class=name><svg viewBox=\"-8 -8 16 16\" aria-hidden=true><path class=marker "
      "d=\"{}\"/></svg><bdi>{}</bdi>{}</p>\n",
      series_class(index), marker_path(index, 0, 0, 6), text::xml_text(c.name),
      baseline && projection.configurations.size() > 1 ? "<i>baseline</i>" : "");
  const project::MetricProjection* const metric = main_metric(c);
  if (metric == nullptr) return html + "<p class=small>nothing measured</p></li>\n";
  html += fmt::format("<p class=big>{}</p>\n{}<p class=small>{}</p>\n<dl>",
                      data_html(metric->value, amount_text(*metric, metric->value)), incomplete_html(c, *metric),
                      interval_html(*metric, projection.confidence));
  const project::Speedup* const speedup = find_speedup(c, metric->name);
  if (speedup != nullptr && projection.configurations.size() > 1) html += row_html("speedup", speedup_html(*speedup));
  if (c.throughput) {
    html += row_html(rate_name("samples/s", *c.throughput, *metric), rate_html(c.throughput->samples_per_s));
    if (c.throughput->tokens_per_s)
      html += row_html(rate_name("tokens/s", *c.throughput, *metric), rate_html(*c.throughput->tokens_per_s));
    if (c.throughput->mfu) html += row_html("MFU", percent_text(*c.throughput->mfu, 2));
  }
  if (metric->per_epoch && *metric->per_epoch != metric->value)
    html += row_html("per epoch", data_html(*metric->per_epoch, amount_text(*metric, *metric->per_epoch)));
  return fmt::format("{}{}{}{}</dl></li>\n", html, executions_html(c, *metric), measured_html(report, c.name, *metric),
                     row_html("metric", fmt::format("<bdi>{}</bdi>", text::xml_text(metric->name))));
}

std::string fact_html(const std::string& name, const std::string& value) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, value);
}

/// Compares the baseline with the configuration that has the largest speedup of those measured at every point. Names a
/// configuration that was not measured at every point. No comparison if the baseline is one, or there is no speedup.
std::string comparison_text(const project::Projection& projection) {
  const project::Speedup* best = nullptr;
  const project::ConfigurationProjection *who = nullptr, *lacking = nullptr;
  for (const project::ConfigurationProjection& c : projection.configurations) {
    const project::MetricProjection* const metric = main_metric(c);
    const bool complete = metric != nullptr && metric->measured_weight >= 1, baseline = c.name == projection.baseline;
    if (!complete && (baseline || lacking == nullptr)) lacking = &c;
    const project::Speedup* const speedup = complete && !baseline ? find_speedup(c, metric->name) : nullptr;
    if (speedup == nullptr || (best != nullptr && speedup->value <= best->value)) continue;
    best = speedup;
    who = &c;
  }
  std::string missing = lacking == nullptr || projection.configurations.size() == 1
                            ? ""
                            : fmt::format("{} was not measured at every point. ", lacking->name);
  if (best == nullptr || (lacking != nullptr && lacking->name == projection.baseline)) return missing;
  const bool open = best->interval && best->interval->low <= 1 && best->interval->high >= 1;
  return fmt::format("{} is {} times {} than {}{}. {}", who->name,
                     number_text(best->value >= 1 ? best->value : 1 / best->value, 3),
                     best->value >= 1 ? "faster" : "slower", projection.baseline,
                     open ? ", but the interval includes 1" : "", missing);
}

}  // namespace

std::string lead_text(const report::Report& report) {
  if (const evaluate::Evaluation* const evaluation = report.source.evaluation)
    return fmt::format("{} of points, against {} that were all measured: {}.",
                       count_text(evaluation->methods.size(), "choice"),
                       count_text(evaluation->iterations, "iteration"), evaluation->statistic);
  const trace::RunSummary& run = *report.source.run;
  const std::size_t points = report.source.selection->points.size();
  const std::string epochs = run.epochs == 1 ? "an epoch" : count_text(run.epochs, "epoch");
  std::string text = report.source.projection != nullptr ? comparison_text(*report.source.projection) : "";
  if (report.source.projection != nullptr && report.source.projection->target_run)
    return fmt::format("{}Projected onto another run, of {}, from {}.", text,
                       count_text(report.source.projection->target_run->run.iterations, "iteration"),
                       count_text(points, "SeqPoint"));
  return text + count_text(points, "SeqPoint") + (points == 1 ? " stands" : " stand") + " for " +
         count_text(run.iterations, "iteration") + ", " + epochs + " of training.";
}

std::string cards_html(const report::Report& report) {
  if (report.source.projection == nullptr) return "";
  const project::Projection& projection = *report.source.projection;
  std::string html = "<ul class=cards>\n";
  for (std::size_t c = 0; c < std::min(kMaxCards, projection.configurations.size()); ++c) html += card_html(report, c);
  html += "</ul>\n";
  const std::size_t all = projection.configurations.size();
  return html + (all > kMaxCards ? fmt::format("<p class=small>{} in the table below.</p>\n",
                                               count_text(all - kMaxCards, "other configuration"))
                                 : "");
}

std::string facts_html(const report::Report& report) {
  const trace::RunSummary& run = *report.source.run;
  std::string html =
      fmt::format("<dl class=facts>\n{}{}", fact_html("iterations", group_thousands(std::to_string(run.iterations))),
                  fact_html("samples", group_thousands(std::to_string(run.samples))));
  html += fact_html("unique shapes", group_thousands(std::to_string(run.histogram.size())));
  if (const select::Selection* const selection = report.source.selection) {
    html +=
        fact_html("SeqPoints, by " + text::xml_text(selection->method.name), std::to_string(selection->points.size()));
    if (selection->method.repeats && selection->method.repeats->cost.executions > 0)
      html += fact_html(
          "fewer batches, planned for " + counted(selection->method.repeats->processes.value_or(1), "process"),
          number_text(
              static_cast<double>(run.iterations) / static_cast<double>(selection->method.repeats->cost.executions),
              3) +
              "×");
  }
  if (run.tokens && run.padded_tokens > 0 && *run.tokens <= run.padded_tokens)
    html += fact_html("padding",
                      percent_text(1 - static_cast<double>(*run.tokens) / static_cast<double>(run.padded_tokens)));
  return html + "</dl>\n";
}

std::string notes_html(const report::Report& report) {
  const project::Projection* const projection = report.source.projection;
  if (projection == nullptr) return "";
  std::string html;
  const auto add = [&](const std::string& text) { html += fmt::format("<p>{}</p>\n", text::xml_text(text)); };
  for (const std::string& note : projection->notes) add(note);
  for (const project::ConfigurationProjection& c : projection->configurations) {
    if (c.missing_points.empty()) continue;
    std::string list;
    for (const std::string& id : c.missing_points) list += (list.empty() ? "" : ", ") + id;
    add(fmt::format("{}: not measured: {}; measured weight {}", c.name, list, percent_text(c.measured_weight, 4)));
  }
  for (const project::ConfigurationProjection& c : projection->configurations)
    if (!c.partial.empty()) add(fmt::format("{}: too little was measured for a result: {}", c.name, c.partial));
  if (projection->target_run && projection->target_run->extrapolated_share > 0)
    add(fmt::format("Extrapolated: {} of the iterations lie outside the measured range",
                    percent_text(projection->target_run->extrapolated_share)));
  if (projection->overheads)
    add(fmt::format("Overheads of {} are in every total of seconds", duration_text(projection->overheads->seconds)));
  return html.empty() ? "" : fmt::format("<div class=notes role=note>\n{}</div>\n", html);
}

}  // namespace seqpoint::io::views::html
