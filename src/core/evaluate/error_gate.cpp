#include "core/evaluate/error_gate.hpp"

namespace seqpoint::evaluate {

std::string points_asked_text(const MethodScore& method) {
  if (method.advised) return "advised";
  if (method.points_asked) return std::to_string(*method.points_asked);
  return select::find_method(method.name).points == select::Method::Points::none ? "" : "auto";
}

std::string label_of(const MethodScore& method) {
  const std::string asked = points_asked_text(method);
  return method.name + (method.selected_on.empty() ? "" : " (on " + method.selected_on + ")") +
         (asked.empty() ? "" : ", points " + asked);
}

std::vector<project::Check> check_errors(const Evaluation& evaluation, double limit) {
  std::vector<project::Check> checks;
  for (const MethodScore& method : evaluation.methods)
    for (const ConfigurationScore& c : method.configurations) {
      project::Check check;
      check.gate = project::Gate::fail_above;
      check.limit = limit;
      check.value = c.total.rms;
      check.verdict = c.total.rms > limit ? project::Verdict::broken : project::Verdict::holds;
      check.configuration = c.name;
      check.metric = evaluation.statistic;
      check.subject = label_of(method);
      checks.push_back(std::move(check));
    }
  return checks;
}

}  // namespace seqpoint::evaluate
