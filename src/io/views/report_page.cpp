// The whole page. It loads nothing: its content security policy forbids it.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "io/artifacts/json.hpp"
#include "io/text/escape.hpp"
#include "io/views/html/figure.hpp"
#include "io/views/html/overview.hpp"
#include "io/views/html/style.hpp"
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

/// The JSON of the element `seqpoint-data`: title, totals of the run, the tables of all figures, provenance.
std::string data_json(const report::Report& report, const std::vector<Figure>& figures,
                      const artifacts::Provenance& provenance) {
  const trace::RunSummary& run = *report.source.run;
  artifacts::Json tables = artifacts::Json::array();
  for (const Figure& figure : figures)
    for (const DataTable& table : figure.tables) tables.push_back(table_json(table));
  return artifacts::json_text({{"title", answer_of(report).text},
                               {"run",
                                {{"iterations", run.iterations},
                                 {"samples", run.samples},
                                 {"epochs", run.epochs},
                                 {"tokens", run.tokens ? artifacts::Json(*run.tokens) : artifacts::Json(nullptr)},
                                 {"padded_tokens", run.padded_tokens},
                                 {"signatures", run.histogram.size()}}},
                               {"tables", std::move(tables)},
                               {"provenance", artifacts::provenance_json(provenance)}});
}

std::string head_html(const std::string& title) {
  return "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
         "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'; img-src "
         "data:\">\n"
         "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n<link rel=icon "
         "href=\"data:,\">\n<title>" +
         text::xml_text(title) + "</title>\n<style>" + kStyle + "</style>\n</head>\n";
}

}  // namespace
}  // namespace html

std::string report_html(const report::Report& report, const PageTexts& texts, const artifacts::Provenance& provenance) {
  using namespace html;
  const std::vector<html::Figure> figures = figures_of(report);
  const auto [verdict, answer] = answer_of(report);
  const std::string badge =
      verdict.empty() ? "" : fmt::format("<b class=\"verdict {}\">{}</b> ", verdict.c_str(), verdict);
  std::string charts = "<div class=figures>\n";
  for (const html::Figure& figure : figures) charts += figure_html(figure);
  charts += "</div>\n";
  const std::string eyebrow = "Report by seqpoint" + (texts.origin.empty() ? "" : ", " + texts.origin);
  return head_html((verdict.empty() ? "" : verdict + ": ") + answer) + "<body>\n<main>\n<header><p class=eyebrow>" +
         text::xml_text(eyebrow) + "</p>\n<h1>" + badge + "<bdi>" + text::xml_text(answer) +
         "</bdi></h1>\n<p class=lede>" + text::xml_text(lead_text(report)) + "</p></header>\n" + gates_html(report) +
         warnings_html(report, texts) + cards_html(report) + facts_html(report) + origin_html(texts) + charts +
         footer_html(provenance) + "</main>\n<script type=\"application/json\" id=\"seqpoint-data\">\n" +
         embeddable(data_json(report, figures, provenance)) + "</script>\n</body>\n</html>\n";
}

}  // namespace seqpoint::io::views
