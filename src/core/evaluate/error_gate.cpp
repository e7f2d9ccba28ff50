#include "core/evaluate/error_gate.hpp"

namespace seqpoint::evaluate {

std::string points_asked_text(const MethodScore& method) {
  if (method.advised) return "advised";
  if (method.points_asked) return std::to_string(*method.points_asked);
  if (method.elsewhere) return "";
  return select::find_method(method.name).points == select::Method::Points::none ? "" : "auto";
}

std::string label_of(const MethodScore& method) {
  const std::string asked = points_asked_text(method);
  return method.name + (method.selected_on.empty() ? "" : " (on " + method.selected_on + ")") +
         (asked.empty() ? "" : ", points " + asked);
}

std::vector<project::Check> check_errors(const Evaluation& evaluation, double limit) {
  std::vector<project::Check> checks;
  const auto check = [&](const MethodScore& method, const std::string& on, const std::optional<ErrorSummary>& errors) {
    project::Check& added = checks.emplace_back();
    added.gate = project::Gate::fail_above;
    added.limit = limit;
    if (errors) added.value = errors->rms;
    added.verdict = !errors               ? project::Verdict::unmeasured
                    : errors->rms > limit ? project::Verdict::fail
                                          : project::Verdict::pass;
    added.configuration = on;
    added.metric = evaluation.metric;
    added.subject = label_of(method);
    if (!errors) added.note = method.onto->reason;
  };
  for (const MethodScore& method : evaluation.methods) {
    for (const ConfigurationScore& c : method.configurations) check(method, c.name, c.total);
    if (method.onto) check(method, "the other run", method.onto->total);
  }
  return checks;
}

}  // namespace seqpoint::evaluate
