#include "seqpoint/evaluate/error_gate.hpp"

namespace seqpoint::evaluate {

std::string label_of(const MethodScore& method) {
  std::string label = method.name + (method.selected_on.empty() ? "" : " (on " + method.selected_on + ")");
  if (select::find_method(method.name).points == select::Method::Points::none) return label;
  return label + ", points " + (method.points_asked ? std::to_string(*method.points_asked) : "auto");
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
