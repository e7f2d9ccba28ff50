#include "core/evaluate/families.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/evaluate/evaluation_grid.hpp"

namespace seqpoint::evaluate {
namespace {

/// A cost by length. `tile` is the second argument of `of`: a tile, an exponent or a period; some functions ignore it.
struct CostFunction {
  std::string name;
  double (*of)(double length, double tile);
  double tile = 0;
};

double power_cost(double length, double exponent) { return std::pow(length, exponent); }
double staircase_cost(double length, double tile) { return 20 + tile * std::ceil(length / tile); }
double wave_cost(double length, double period) { return length * (1 + 0.05 * std::sin(length / period)); }

CostFunction staircase(int tile) {
  const std::string m = std::to_string(tile);
  return {"20+" + m + "ceil(s/" + m + ")", staircase_cost, static_cast<double>(tile)};
}

/// Family C, without "s t", which only pairs have.
std::vector<CostFunction> common_functions() {
  std::vector<CostFunction> family{{"20+s", [](double s, double) { return 20 + s; }},
                                   {"20+s+s^2/200", [](double s, double) { return 20 + s + s * s / 200; }},
                                   {"s^2", power_cost, 2},
                                   {"s^3", power_cost, 3},
                                   {"sqrt(s)", [](double s, double) { return std::sqrt(s); }}};
  for (const int tile : {8, 16, 32, 64, 128}) family.push_back(staircase(tile));
  return family;
}

/// Family H.
std::vector<CostFunction> unseen_functions() {
  std::vector<CostFunction> family{{"s^1.5", power_cost, 1.5},
                                   {"s^2.5", power_cost, 2.5},
                                   {"ln(s)", [](double s, double) { return std::log(std::max(s, 1.0)); }},
                                   {"s(1+0.05sin(s/7))", wave_cost, 7},
                                   {"s(1+0.05sin(s/3))", wave_cost, 3}};
  for (const int tile : {4, 12, 24, 48, 96}) family.push_back(staircase(tile));
  return family;
}

/// The cost of a batch: b f(s), for pairs b (f(s) + f(t)).
double cost(const CostFunction& function, const trace::Shape& s, bool paired) {
  const double other = paired ? function.of(s.tgt_len, function.tile) : 0;
  return s.batch_size * (function.of(s.src_len, function.tile) + other);
}

/// The signed error of the total projected from the points, as a share of the true total; 0 if that is 0.
template <class Cost>
double projection_error(const select::Selection& selection, Cost cost_of) {
  double total = 0, projected = 0;
  for (const trace::ShapeCount& entry : selection.run.histogram)
    total += static_cast<double>(entry.count) * cost_of(entry.shape);
  for (const select::Point& point : selection.points) projected += point.weight.iterations() * cost_of(point.shape);
  return total == 0 ? 0 : projected / total - 1;
}

/// Chooses points by lengths alone, and projects all functions. Adds new notes of the selection to `notes`.
FamiliesScore score_of(const NamedTrace& run, const select::Method& method, const std::optional<std::uint64_t>& points,
                       const EvaluateParams& params, std::vector<std::string>& notes) {
  select::SelectParams select_params;
  select_params.method = method.name;
  select_params.points = points;
  if (method.takes_max_error && !points) select_params.max_error = params.max_error;
  select_params.model = params.model;
  select_params.search_seed = params.search_seed;
  const select::Selection selection = select::select(run.trace, select_params, run.source);
  for (const std::string& note : selection.notes)
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  const bool paired = run.trace.kind == trace::ShapeKind::padded_pair;
  const auto errors = [&](const std::vector<CostFunction>& family) {
    std::vector<FunctionError> found;
    for (const CostFunction& f : family)
      found.push_back({f.name, projection_error(selection, [&](const trace::Shape& s) { return cost(f, s, paired); })});
    return found;
  };
  FamiliesScore score{.run = run.name,
                      .method = selection.method.name,
                      .parameters = selection.method.parameters,
                      .points_asked = points,
                      .points = selection.points.size(),
                      .effective_sample_size = select::effective_sample_size(selection),
                      .common = errors(common_functions()),
                      .unseen = errors(unseen_functions())};
  if (paired)
    score.common.push_back({"s t", projection_error(selection, [](const trace::Shape& s) {
                              return static_cast<double>(s.batch_size) * s.src_len * s.tgt_len;
                            })});
  return score;
}

}  // namespace

double rms(std::span<const FunctionError> errors) {
  double squares = 0;
  for (const FunctionError& function : errors) squares += function.error * function.error;
  return errors.empty() ? 0 : std::sqrt(squares / static_cast<double>(errors.size()));
}

FamiliesEvaluation evaluate_families(std::span<const NamedTrace> runs, const EvaluateParams& params) {
  struct Entry {
    const NamedTrace* run;
    const select::Method* method;
    std::optional<std::uint64_t> points;
  };
  std::vector<Entry> entries;
  for (const NamedTrace& run : runs)
    for (const select::Method* const method : methods_to_score(params)) {
      const bool needs_statistic = method->takes_statistic && method->points == select::Method::Points::none;
      if (params.methods.empty() && (needs_statistic || method->is_random)) continue;
      for (const auto& points : numbers_of_points_to_score(*method, params)) entries.push_back({&run, method, points});
    }
  FamiliesEvaluation evaluation;
  for (const auto& [run, method, points] : entries) {
    evaluation.scores.push_back(score_of(*run, *method, points, params, evaluation.notes));
    if (params.progress) params.progress(evaluation.scores.size(), entries.size());
  }
  return evaluation;
}

}  // namespace seqpoint::evaluate
