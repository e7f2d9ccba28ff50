// The whole page. It loads nothing, and runs only its own script: its content security policy forbids anything else.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/artifacts/json.hpp"
#include "io/text/escape.hpp"
#include "io/views/html/figure.hpp"
#include "io/views/html/overview.hpp"
#include "io/views/html/page_files.hpp"
#include "io/views/report_page.hpp"
#include "seqpoint/version.hpp"

namespace seqpoint::io::views {
namespace html {
namespace {

/// The version, and the files and options of the page.
std::string footer_html(const artifacts::Provenance& provenance) {
  std::string html;
  for (const manifests::InputRecord& input : provenance.inputs)
    html += fmt::format("<bdi>{}</bdi> <code>{}</code><br>", text::xml_text(input.path), text::xml_text(input.digest));
  for (const auto& [option, values] : provenance.options)
    html += fmt::format("<code>--{}</code> <bdi>{}</bdi><br>", text::xml_text(option),
                        text::xml_text(fmt::format("{}", fmt::join(values, " "))));
  return fmt::format("<footer>seqpoint {}<details><summary>Files and options</summary>\n{}</details></footer>\n",
                     kVersion, html);
}

/// JSON inside of HTML: escapes everything that could end the element or a line of a script (RFC 8259 allows U+2028).
std::string embeddable(const std::string& json) {
  std::string out;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string_view rest = std::string_view(json).substr(i);
    if (json[i] == '<')
      out += "\\u003c";
    else if (json[i] == '>')
      out += "\\u003e";
    else if (json[i] == '&')
      out += "\\u0026";
    else if (rest.starts_with("\xE2\x80\xA8") || rest.starts_with("\xE2\x80\xA9")) {
      out += rest[2] == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else
      out += json[i];
  }
  return out;
}

/// The names of the configurations in their order, which is that of colours.
std::vector<std::string> configurations_of(const report::Report& report) {
  std::vector<std::string> names;
  if (report.source.projection != nullptr)
    for (const project::ConfigurationProjection& c : report.source.projection->configurations) names.push_back(c.name);
  if (report.source.evaluation != nullptr && !report.source.evaluation->methods.empty())
    for (const evaluate::ConfigurationScore& c : report.source.evaluation->methods.front().configurations)
      names.push_back(c.name);
  for (const trace::NamedTrace& named : report.source.traces)
    if (std::ranges::find(names, named.name) == names.end()) names.push_back(named.name);
  return names;
}

/// The JSON of the element `seqpoint-data`: title, totals of the run, figures and their tables, provenance.
std::string data_json(const report::Report& report, const std::vector<Figure>& figures,
                      const artifacts::Provenance& provenance) {
  const trace::RunSummary& run = *report.source.run;
  artifacts::Json drawn = artifacts::Json::array(), tables = artifacts::Json::array();
  for (const Figure& figure : figures) {
    drawn.push_back(figure_json(figure));
    for (const DataTable& table : figure.tables) tables.push_back(table_json(table));
  }
  return artifacts::json_text({{"title", answer_of(report).text},
                               {"run",
                                {{"iterations", run.iterations},
                                 {"samples", run.samples},
                                 {"epochs", run.epochs},
                                 {"tokens", run.tokens ? artifacts::Json(*run.tokens) : artifacts::Json(nullptr)},
                                 {"padded_tokens", run.padded_tokens},
                                 {"signatures", run.histogram.size()}}},
                               {"configurations", configurations_of(report)},
                               {"baseline", report.source.projection ? report.source.projection->baseline : ""},
                               {"axis", axis_name(report.axis)},
                               {"figures", std::move(drawn)},
                               {"tables", std::move(tables)},
                               {"provenance", artifacts::provenance_json(provenance)}});
}

std::string head_html(const std::string& title) {
  return fmt::format(
      "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
      "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; script-src '{}'; style-src "
      "'unsafe-inline'; img-src data:\">\n"
      "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n<link rel=icon href=\"data:,\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n",
      kScriptHash, text::xml_text(title), kStyle);
}

/// The text with percentages that no line break separates.
std::string with_whole_percentages(std::string text) {
  for (std::size_t at = 0; (at = text.find(" %", at)) != std::string::npos;) text.replace(at, 1, "\u00a0");
  return text;
}

/// The finding: the verdict, one sentence, and what it is based on.
std::string header_html(const Answer& answer, const std::string& origin) {
  const std::string badge =
      answer.verdict.empty() ? "" : fmt::format("<b class=\"verdict {}\">{}</b> ", answer.verdict, answer.verdict);
  return fmt::format("<header><p class=eyebrow>{}</p>\n<h1>{}<bdi>{}</bdi></h1>\n<p class=lede>{}</p></header>\n",
                     text::xml_text("Report by seqpoint" + (origin.empty() ? "" : ", " + origin)), badge,
                     text::xml_text(with_whole_percentages(answer.text)), text::xml_text(answer.below));
}

}  // namespace
}  // namespace html

std::string report_html(const report::Report& report, const PageTexts& texts, const artifacts::Provenance& provenance) {
  using namespace html;
  const std::vector<html::Figure> figures = figures_of(report);
  const Answer answer = answer_of(report);
  std::string drawn = "<div class=figures>\n";
  for (const html::Figure& figure : figures) drawn += figure_html(figure);
  drawn += "</div>\n";
  return head_html((answer.verdict.empty() ? "" : answer.verdict + ": ") + answer.text) + "<body>\n<main>\n" +
         header_html(answer, texts.origin) + origin_html(texts) + gates_html(report) + cards_html(report) +
         facts_html(report) + warnings_html(report, texts) + next_html(texts) + drawn + footer_html(provenance) +
         "</main>\n<script type=\"application/json\" id=\"seqpoint-data\">\n" +
         embeddable(data_json(report, figures, provenance)) + fmt::format("</script>\n<script>{}</script>\n", kScript) +
         "</body>\n</html>\n";
}

}  // namespace seqpoint::io::views
