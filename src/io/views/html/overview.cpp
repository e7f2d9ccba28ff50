#include "io/views/html/overview.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "io/text/escape.hpp"
#include "io/views/amounts.hpp"
#include "io/views/ci.hpp"
#include "io/views/html/figure.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::views::html {
namespace {

constexpr std::size_t kMaxCards = 12;  // the table of configurations has all

/// A rounded number with the exact one as its tooltip.
std::string data_html(double exact, const std::string& text) {
  return fmt::format("<data value=\"{}\">{}</data>", full_precision(exact), text::xml_text(text));
}

/// A rate with three significant digits. Whole numbers have groups of three digits.
std::string rate_html(double rate) {
  const std::string text = number_text(rate, 3);
  const bool is_whole = text.find_first_not_of("0123456789") == std::string::npos;
  return data_html(rate, is_whole ? grouped(std::stoull(text)) : text);
}

/// A name and its value, which is HTML.
struct Fact {
  std::string name, value;
};

/// "95 %, two-sided: −24 % to −4.4 %": a verdict's bound is one-sided, and nearer; empty without an interval.
std::string change_range_html(const project::Speedup& speedup, double confidence) {
  const auto interval = change_of(speedup.interval);
  if (!interval) return "";
  return fmt::format("<p class=small>{}, two-sided: {} to {}</p>\n", confidence_text(confidence),
                     change_text(interval->low), change_text(interval->high));
}

/// "1.17x (1.05x to 1.32x)".
std::string speedup_text(const project::Speedup& speedup) {
  const int digits = decimals_of(speedup.value, speedup.interval, 2);
  std::string text = with_decimals(speedup.value, digits) + "x";
  if (speedup.interval)
    text += fmt::format(" ({}x to {}x)", with_decimals(speedup.interval->low, digits),
                        with_decimals(speedup.interval->high, digits));
  return text;
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
    const std::string where = !total.inside ? "" : *total.inside ? ", inside the interval" : ", outside the interval";
    return {{"whole epoch", data_html(total.measured, Amounts(metric).text(total.measured))},
            {"prediction error", change_text(total.difference) + where}};
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
  const project::Speedup* const speedup = find_speedup(c, metric.name);
  if (speedup != nullptr && c.name != report.source.projection->baseline)
    facts.push_back({"speedup", speedup_text(*speedup)});
  if (c.throughput) {
    facts.push_back({rate_name("samples/s", *c.throughput, metric), rate_html(c.throughput->samples_per_s)});
    if (c.throughput->tokens_per_s)
      facts.push_back({rate_name("tokens/s", *c.throughput, metric), rate_html(*c.throughput->tokens_per_s)});
    if (c.throughput->mfu) facts.push_back({"MFU", percent_text(*c.throughput->mfu, 2)});
  }
  if (metric.per_epoch && *metric.per_epoch != metric.value)
    facts.push_back({"per epoch", data_html(*metric.per_epoch, Amounts(of_an_epoch(metric)).text(*metric.per_epoch))});
  if (c.executed.executions > 0)
    facts.push_back({"measured", fmt::format("{} of {}", grouped(c.executed.executions),
                                             counted(report.source.run->iterations, "batch"))});
  for (const project::ColdStart& cost : c.cold_start)
    if (cost.metric == metric.name && project::is_total_time(metric))
      facts.push_back({"cold start (not included)", data_html(cost.about(), "about " + rough_duration(cost.about()))});
  std::ranges::move(truth_facts(report, c.name, metric), std::back_inserter(facts));
  if (metric.name != "runtime_s")
    facts.push_back({"metric", fmt::format("<bdi>{}</bdi>", text::xml_text(metric.name))});
  return facts;
}

/// The mark of a configuration, as in page.js: a colour and a shape.
const char* mark_of(std::size_t index) {
  constexpr std::array kMarks{"●", "■", "▲", "◆", "★", "✚"};
  return kMarks.at(index % kMarks.size());
}

/// The change over the baseline as the largest figure, and the time; of the baseline the time alone.
std::string figures_html(const report::Report& report, const project::ConfigurationProjection& c,
                         const project::MetricProjection& metric) {
  const project::Projection& projection = *report.source.projection;
  const project::Speedup* const speedup = c.name == projection.baseline ? nullptr : find_speedup(c, metric.name);
  const std::string time = data_html(metric.value, Amounts(metric).text(metric.value));
  std::string html;
  if (speedup != nullptr)
    html = fmt::format("<p class=big>{}</p>\n", change_text(change_of(speedup->value))) +
           change_range_html(*speedup, projection.confidence);
  return html + fmt::format("<p class={}>{}</p>\n{}<p class=small>{}</p>\n", speedup == nullptr ? "big" : "time", time,
                            incomplete_html(c, metric), text::xml_text(range_text(metric)));
}

std::string card_html(const report::Report& report, std::size_t index) {
  const project::Projection& projection = *report.source.projection;
  const project::ConfigurationProjection& c = projection.configurations[index];
  std::string html =
      fmt::format("<li class=s{}><p class=name><i class=mark>{}</i><bdi>{}</bdi>{}</p>\n", index % 6, mark_of(index),
                  text::xml_text(c.name), c.name == projection.baseline ? "<i>baseline</i>" : "");
  const project::MetricProjection* const metric = main_metric(c);
  if (metric == nullptr) return html + "<p class=small>nothing measured</p></li>\n";
  html += figures_html(report, c, *metric) + "<dl>";
  for (const Fact& fact : facts_of(report, c, *metric)) html += fmt::format("<dt>{}<dd>{}\n", fact.name, fact.value);
  return html + "</dl></li>\n";
}

// --- limits

/// The place of a check in the table: failed, undecided, passed.
int rank_of(const project::Check& check, bool inconclusive_fails) {
  if (!project::passes(check, inconclusive_fails)) return 0;
  return check.verdict == project::Verdict::pass ? 2 : 1;
}

/// A row of the table of limits. A word and a sign, because colour alone is not visible to all, nor in print.
std::string gate_html(const project::Check& check, int rank) {
  constexpr std::array kWords{"<tr class=failed><td><b>✗ failed</b>", "<tr><td><b>inconclusive</b>",
                              "<tr><td><b>✓ pass</b>"};
  const std::string hint = check.verdict == project::Verdict::pass ? "" : hint_of(check);
  return fmt::format("{}<td>{}{}\n", kWords.at(static_cast<std::size_t>(rank)), text::xml_text(message_of(check)),
                     hint.empty() ? "" : fmt::format("<p class=small>{}</p>", text::xml_text(hint)));
}

// --- warnings

/// All warnings that differ in numbers only, which also names of files have.
struct WarningKind {
  std::string key;                            ///< the message without digits
  std::vector<const Annotation*> warnings{};  ///< at least one
};

std::vector<WarningKind> kinds_of(const std::vector<Annotation>& warnings) {
  std::vector<WarningKind> kinds;
  for (const Annotation& warning : warnings) {
    std::string key = warning.message;
    std::erase_if(key, [](char c) { return c >= '0' && c <= '9'; });
    const auto known = std::ranges::find(kinds, key, &WarningKind::key);
    (known != kinds.end() ? *known : kinds.emplace_back(WarningKind{key})).warnings.push_back(&warning);
  }
  return kinds;
}

/// The first warning and, in brackets, what the others of its kind concern: the beginnings of their messages.
std::string warning_html(const WarningKind& kind) {
  std::string others;
  for (const Annotation* const warning : kind.warnings) {
    if (warning == kind.warnings.front()) continue;
    others += (others.empty() ? "" : ", ") + warning->message.substr(0, warning->message.find(": "));
  }
  const Annotation& first = *kind.warnings.front();
  std::string html = "<li>" + text::xml_text(first.message);
  if (!others.empty()) html += " (also " + text::xml_text(others) + ")";
  if (!first.hint.empty()) html += fmt::format("<p class=small>{}</p>", text::xml_text(first.hint));
  return html + "</li>\n";
}

/// A text and the commands in it, one per line. A remark after a command becomes a comment.
struct Next {
  std::string text, commands;
};

Next next_of(const std::string& next) {
  const std::size_t command = next.find("seqpoint "), remark = next.find("; ", command);
  if (command == std::string::npos) return {next, ""};
  Next parts{next.substr(0, command), next.substr(command, remark - command)};
  if (remark != std::string::npos) parts.commands += "\n# " + next.substr(remark + 2);
  return parts;
}

}  // namespace

std::string origin_html(const PageTexts& texts) {
  if (texts.facts.empty()) return "";
  std::string html = "<dl class=origin>\n";
  for (const auto& [name, value] : texts.facts)
    html += fmt::format("<dt><bdi>{}</bdi></dt><dd>{}</dd>\n", text::xml_text(name), text::xml_text(value));
  return html + "</dl>\n";
}

std::string gates_html(const report::Report& report) {
  const project::Gates* const gates = report.source.gates;
  if (gates == nullptr || gates->checks.size() < 2) return "";
  std::vector<std::pair<int, const project::Check*>> checks;
  for (const project::Check& check : gates->checks)
    checks.emplace_back(rank_of(check, gates->inconclusive_fails), &check);
  std::ranges::stable_sort(checks, {}, [](const auto& check) { return check.first; });
  const auto failed = std::ranges::count_if(checks, [](const auto& check) { return check.first == 0; });
  std::string html =
      fmt::format("<table class=gates><caption>{}</caption>\n<tbody>\n",
                  failed == 0 ? counted(checks.size(), "limit")
                              : fmt::format("✗ {} of {} failed", failed, counted(checks.size(), "limit")));
  for (const auto& [rank, check] : checks) html += gate_html(*check, rank);
  return html + "</table>\n";
}

std::string cards_html(const report::Report& report) {
  if (report.source.projection == nullptr || only_configuration(report) != nullptr) return "";
  const std::size_t all = report.source.projection->configurations.size();
  std::string html = "<ul class=cards>\n";
  for (std::size_t c = 0; c < std::min(kMaxCards, all); ++c) html += card_html(report, c);
  html += "</ul>\n";
  if (all <= kMaxCards) return html;
  return html +
         fmt::format("<p class=small>{} in the table below.</p>\n", counted(all - kMaxCards, "other configuration"));
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
    facts.push_back({"overhead (included)", duration_text(report.source.projection->overheads->seconds)});
  if (const auto* const only = only_configuration(report))
    if (const project::MetricProjection* const metric = main_metric(*only))
      std::ranges::move(facts_of(report, *only, *metric), std::back_inserter(facts));
  std::string html = "<dl class=facts>\n";
  for (const Fact& fact : facts) html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", fact.name, fact.value);
  return html + "</dl>\n";
}

std::string warnings_html(const report::Report& report, const PageTexts& texts) {
  constexpr std::size_t kOpen = 2;
  std::vector<Annotation> warnings = texts.warnings;
  if (report.source.projection != nullptr)
    for (const project::ConfigurationProjection& c : report.source.projection->configurations)
      if (!c.partial.empty())
        warnings.push_back({.message = c.name + ": " + c.partial, .hint = "measure what is missing"});
  const std::vector<WarningKind> kinds = kinds_of(warnings);
  if (kinds.empty()) return "";
  std::string open, rest;
  for (std::size_t k = 0; k < kinds.size(); ++k) (k < kOpen ? open : rest) += warning_html(kinds[k]);
  if (!rest.empty())
    rest = fmt::format("<details><summary>{} more</summary>\n<ul>\n{}</ul>\n</details>\n", kinds.size() - kOpen, rest);
  return fmt::format("<div class=warnings role=note>\n<h2>{}</h2>\n<ul>\n{}</ul>\n{}</div>\n",
                     counted(warnings.size(), "warning"), open, rest);
}

std::string next_html(const PageTexts& texts) {
  if (texts.next.empty()) return "";
  const auto [text, commands] = next_of(texts.next);
  return fmt::format("<div class=next>\n<p><b>Next:</b> {}</p>\n{}</div>\n", text::xml_text(text),
                     commands.empty() ? "" : fmt::format("<pre><code>{}</code></pre>\n", text::xml_text(commands)));
}

}  // namespace seqpoint::io::views::html
