// JUnit's XML for test reports of CI systems; conventions as collected in github.com/testmoapp/junitxml.
#include <fmt/core.h>

#include <array>
#include <cmath>

#include "core/evaluate/evaluation.hpp"
#include "io/text/escape.hpp"
#include "io/views/cells.hpp"
#include "io/views/ci.hpp"

namespace seqpoint::io::views {
namespace {

struct Attribute {
  const char* name;
  std::string value;
};

/// "<name a="..." b="..."" followed by `end`, which closes the tag. Escapes the values.
std::string tag(const char* name, std::span<const Attribute> attributes, const char* end) {
  std::string text = std::string("<") + name;
  for (const Attribute& a : attributes) text += fmt::format(" {}=\"{}\"", a.name, text::xml_text(a.value));
  return text + end;
}

struct TestCase {
  std::string name;
  const char* outcome = nullptr;  ///< element of a case that did not simply pass: failure, error, skipped
  std::string type, message;
};

/// "error" if unmeasured, "failure" if the check does not pass, "skipped" for another verdict than `pass` that is
/// allowed; null for `pass`.
const char* outcome_of(const project::Check& check, bool inconclusive_fails) {
  if (check.verdict == project::Verdict::unmeasured) return "error";
  if (!project::passes(check, inconclusive_fails)) return "failure";
  return check.verdict == project::Verdict::pass ? nullptr : "skipped";
}

/// Names describe the check and never its result, so that a case keeps its name in every run.
TestCase case_of(const project::Check& check, bool inconclusive_fails) {
  std::string name = check.subject;
  if (!check.metric.empty()) name += ": " + check.metric;
  if (check.gate == project::Gate::fail_above) name += " on " + check.configuration;
  return {fmt::format("{}: {}", name, project::name_of(check.gate)), outcome_of(check, inconclusive_fails),
          std::string(project::name_of(check.gate)), sentence_of(check)};
}

/// The testcase element. An outcome other than passed is a child element.
std::string element(const TestCase& test, const std::string& suite) {
  const std::array<Attribute, 3> attributes{{{"name", test.name}, {"classname", suite}, {"time", "0"}}};
  if (test.outcome == nullptr) return "    " + tag("testcase", attributes, "/>\n");
  const std::array<Attribute, 2> what{{{"message", test.message}, {"type", test.type}}};
  const bool skipped = std::string_view(test.outcome) == "skipped";  // which has no type
  return fmt::format("    {}{}</testcase>\n", tag("testcase", attributes, ">"),
                     tag(test.outcome, std::span(what).first(skipped ? 1 : 2), "/>"));
}

struct Suite {
  std::string name;
  std::vector<std::pair<std::string, double>> properties;
  std::vector<TestCase> cases;
};

/// The properties element; empty if there are no properties.
std::string properties_of(const Suite& suite) {
  std::string text;
  for (const auto& [name, value] : suite.properties) {
    const std::array<Attribute, 2> attributes{{{"name", name}, {"value", full_precision(value)}}};
    text += "      " + tag("property", attributes, "/>\n");
  }
  return text.empty() ? "" : fmt::format("    <properties>\n{}    </properties>\n", text);
}

/// The whole document: one suite in an element testsuites with the same counts.
std::string document(const Suite& suite) {
  const auto counted = [&](std::string_view outcome) {
    std::size_t n = 0;
    for (const TestCase& test : suite.cases) n += test.outcome != nullptr && test.outcome == outcome ? 1 : 0;
    return std::to_string(n);
  };
  const std::array<Attribute, 6> attributes{{{"name", suite.name},
                                             {"tests", std::to_string(suite.cases.size())},
                                             {"failures", counted("failure")},
                                             {"errors", counted("error")},
                                             {"skipped", counted("skipped")},
                                             {"time", "0"}}};
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + tag("testsuites", attributes, ">\n");
  text += "  " + tag("testsuite", attributes, ">\n") + properties_of(suite);
  for (const TestCase& test : suite.cases) text += element(test, suite.name);
  return text + "  </testsuite>\n</testsuites>\n";
}

void add_checks(Suite& suite, const project::Gates& gates) {
  for (const project::Check& check : gates.checks) suite.cases.push_back(case_of(check, gates.inconclusive_fails));
}

/// Adds a property, and its interval as NAME/low and NAME/high if there is one. Adds nothing if the value is not
/// finite.
void add_figure(Suite& suite, const std::string& name, double value, const std::optional<project::Interval>& interval) {
  if (!std::isfinite(value)) return;
  suite.properties.emplace_back(name, value);
  if (!interval) return;
  suite.properties.emplace_back(name + "/low", interval->low);
  suite.properties.emplace_back(name + "/high", interval->high);
}

}  // namespace

std::string projection_junit(const std::string& suite_name, const project::Projection& projection,
                             const project::Gates& gates, bool allow_partial) {
  Suite suite{suite_name, {}, {}};
  for (const project::ConfigurationProjection& c : projection.configurations) {
    const bool fails = !allow_partial && !c.partial.empty();
    suite.cases.push_back({c.name + ": projected", fails ? "failure" : nullptr, "partial", c.partial});
    add_figure(suite, c.name + "/measured_weight", c.measured_weight, {});
    for (const project::MetricProjection& metric : c.metrics)
      add_figure(suite, fmt::format("{}/{}", c.name, metric.name), metric.value, metric.interval);
    for (const project::Speedup& speedup : c.speedups)
      add_figure(suite, fmt::format("{}/speedup/{}", c.name, speedup.metric), speedup.value, speedup.interval);
  }
  add_checks(suite, gates);
  return document(suite);
}

std::string failed_junit(const std::string& suite_name, std::span<const std::string> configurations,
                         const std::string& failed, const std::string& reason) {
  Suite suite{suite_name, {}, {}};
  for (const std::string& name : configurations)
    suite.cases.push_back(failed.empty() || name == failed
                              ? TestCase{name + ": projected", "error", "failed", reason}
                              : TestCase{name + ": projected", "skipped", "", failed + " failed"});
  return document(suite);
}

std::string evaluation_junit(const evaluate::Evaluation& evaluation, const project::Gates& gates) {
  Suite suite{"seqpoint.evaluate", {}, {}};
  for (const evaluate::MethodScore& method : evaluation.methods) {
    const std::string name = evaluate::label_of(method);
    suite.cases.push_back({.name = name + ": evaluated", .outcome = nullptr, .type = {}, .message = {}});
    for (const evaluate::ConfigurationScore& c : method.configurations)
      add_figure(suite, fmt::format("{}/{}/rms_error_pct", name, c.name), 100 * c.total.rms, {});
  }
  add_checks(suite, gates);
  return document(suite);
}

}  // namespace seqpoint::io::views
